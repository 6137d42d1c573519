/** The gateway's protocol as tables: every frame, close and silence, in the orders in which they hurt. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  beatDue,
  onSocketClose,
  onFrame,
  newHandshake,
  onSocketOpen,
  type GatewayAction,
  type Handshake,
} from "../../../../src/discord/api/gateway/handshake.ts";

const HELLO = { op: 10, d: { heartbeat_interval: 41_250 } };
const READY = {
  op: 0,
  t: "READY",
  s: 1,
  d: { session_id: "abc", resume_gateway_url: "ws://resume", user: { id: "1" } },
};

function live(): Handshake {
  const hand = newHandshake();
  onSocketOpen(hand);
  onFrame(hand, HELLO);
  onFrame(hand, READY);
  return hand;
}

const done = (actions: GatewayAction[]): string[] => actions.map((action) => action.do);

describe("a connection", () => {
  test("identifies after hello when there is no session", () => {
    const hand = newHandshake();
    onSocketOpen(hand);
    expect(done(onFrame(hand, HELLO))).toEqual(["beat_every", "identify"]);
    expect(done(onFrame(hand, READY))).toEqual(["live"]);
    expect(hand.phase).toBe("live");
  });

  test("resumes where it stopped, at the last sequence it handed on", () => {
    const hand = live();
    onFrame(hand, { op: 0, t: "MESSAGE_CREATE", s: 7, d: {} });
    onSocketClose(hand, 1006);
    onSocketOpen(hand);
    expect(onFrame(hand, HELLO)).toContainEqual({
      do: "resume",
      session: { id: "abc", resumeUrl: "ws://resume", sequence: 7 },
    });
    expect(onFrame(hand, { op: 0, t: "RESUMED", s: 8, d: {} })).toEqual([{ do: "live", resumed: true }]);
  });

  test("answers Discord's own heartbeat with its sequence", () => {
    expect(onFrame(live(), { op: 1, d: null })).toEqual([{ do: "beat", sequence: 1, asked: true }]);
  });

  test("that leaves a heartbeat unanswered is given up and resumed", () => {
    const hand = live();
    expect(done(beatDue(hand))).toEqual(["beat"]);
    expect(done(beatDue(hand))).toEqual(["reconnect"]);
    expect(hand.session).not.toBeNull();
  });

  test("whose heartbeat is answered continues", () => {
    const hand = live();
    beatDue(hand);
    onFrame(hand, { op: 11 });
    expect(done(beatDue(hand))).toEqual(["beat"]);
  });
});

describe("the session", () => {
  test.each([
    ["op 7", { op: 7, d: null }, true],
    ["op 9 that may be resumed", { op: 9, d: true }, true],
    ["op 9 that may not", { op: 9, d: false }, false],
    ["op 9 with nonsense in it", { op: 9, d: "yes" }, false],
  ])("after %s", (_title, frame, kept) => {
    const hand = live();
    expect(done(onFrame(hand, frame))).toEqual(["reconnect"]);
    expect(hand.session !== null).toBe(kept);
  });

  const kept = [1000, 1001, 1006, 1011, 4000, 4001, 4002, 4005, 4008];
  const gone = [4003, 4007, 4009];
  const final = [4004, 4010, 4011, 4012, 4013, 4014];

  test.each(kept)("close code %i is resumed", (code) => {
    const hand = live();
    expect(done(onSocketClose(hand, code))).toEqual(["reconnect"]);
    expect(hand.session).not.toBeNull();
  });

  test.each(gone)("close code %i begins a new one", (code) => {
    const hand = live();
    expect(done(onSocketClose(hand, code))).toEqual(["reconnect"]);
    expect(hand.session).toBeNull();
  });

  test.each(final)("close code %i is final: nothing is tried again", (code) => {
    expect(onSocketClose(live(), code)).toEqual([{ do: "stop", code }]);
  });
});

test("whatever comes in any order, a frame never throws and never makes two identifies of one hello", () => {
  const value = fc.oneof(fc.anything(), fc.constantFrom(HELLO, READY, { op: 7 }, { op: 9, d: false }, { op: 11 }));
  const frame = fc.oneof(
    value,
    fc.record({
      op: fc.oneof(fc.integer({ min: -1, max: 20 }), fc.anything()),
      t: fc.anything(),
      s: fc.anything(),
      d: fc.anything(),
    }),
  );
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 30 }), (frames) => {
      const hand = newHandshake();
      onSocketOpen(hand);
      const actions = frames.flatMap((each) => onFrame(hand, each));
      const greetings = actions.filter((action) => action.do === "identify" || action.do === "resume");
      expect(greetings.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 10_000 },
  );
});
