/** One message however often its answer is lost: by its nonce while that lives, and by looking for it after that. */
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import type { RestCall } from "../../../src/discord/api/rest.ts";
import { RestFailure } from "../../../src/discord/api/transport.ts";
import { NONCE_LIFE_MS, sendOnce, type LookUp, type Outgoing } from "../../../src/discord/delivery/send-once.ts";

const LOST = new RestFailure("unavailable", { route: "POST /channels", status: 0 });
const REFUSED = new RestFailure("no_access", { route: "POST /channels", status: 403 });
const out: Outgoing = { channelId: "1", body: { content: "hello" }, nonce: "n", priority: "result" };

/** Answers each request in turn with an id or a failure, and each look with an id or nothing. */
function discord(answers: (string | Error)[], looks: (string | null)[] = []) {
  const requests: RestCall[] = [];
  let looked = 0;
  const rest = {
    call<T>(request: RestCall): Promise<T> {
      requests.push(request);
      const answer = answers.shift();
      return answer === undefined || answer instanceof Error
        ? Promise.reject(answer ?? new Error("one request too many"))
        : Promise.resolve({ id: answer } as T);
    },
  };
  const lookUp = (how: Pick<LookUp, "first" | "untilKnown">): LookUp => ({
    ...how,
    find: () => ((looked += 1), Promise.resolve(looks.length === 0 ? null : ({ id: looks.shift() } as APIMessage))),
  });
  return { rest, requests, lookUp, looked: () => looked };
}

test("it leaves under its nonce, as a reply where it is one, and is repeated as long as the nonce lives", async () => {
  const { rest, requests } = discord(["7", "8"]);
  expect((await sendOnce(rest, out)).id).toBe("7");
  await sendOnce(rest, { ...out, replyTo: "5", files: [{ name: "a", bytes: new Uint8Array(1) }], patienceMs: 60 });
  expect(requests[0]).toEqual({
    method: "POST",
    path: "/channels/1/messages",
    body: { content: "hello", nonce: "n", enforce_nonce: true },
    priority: "result",
    repeatMs: NONCE_LIFE_MS,
  });
  expect(requests[1]).toMatchObject({
    body: { message_reference: { message_id: "5", fail_if_not_exists: false } },
    files: [{ name: "a" }],
    repeatMs: 60,
  });
});

test("what may stand there already is looked for before it is sent, and is not sent where it is found", async () => {
  const there = discord([], ["6"]);
  expect((await sendOnce(there.rest, { ...out, lookUp: there.lookUp({ first: true, untilKnown: false }) })).id).toBe(
    "6",
  );
  expect(there.requests).toEqual([]);
  const notThere = discord(["7"]);
  expect(
    (
      await sendOnce(notThere.rest, {
        ...out,
        doubtSince: 3,
        lookUp: notThere.lookUp({ first: true, untilKnown: false }),
      })
    ).id,
  ).toBe("7");
  // No earlier try is in doubt any more.
  expect([notThere.looked(), notThere.requests[0]?.doubtSince]).toEqual([1, undefined]);
});

test("without an answer it is looked for, and sent again only where it does not stand", async () => {
  const { rest, requests, lookUp, looked } = discord([LOST, LOST], []);
  const found = discord([LOST], ["6"]);
  expect((await sendOnce(found.rest, { ...out, lookUp: found.lookUp({ first: false, untilKnown: true }) })).id).toBe(
    "6",
  );
  expect(found.requests).toHaveLength(1);
  await expect(
    sendOnce(rest, { ...out, doubtSince: 3, lookUp: lookUp({ first: false, untilKnown: true }) }),
  ).rejects.toThrow("one request too many");
  expect([requests.length, looked(), requests.map(({ doubtSince }) => doubtSince)]).toEqual([
    3,
    2,
    [3, undefined, undefined],
  ]);
});

test("a caller who comes back later is told that it is unknown, and a refusal is told to everyone", async () => {
  const later = discord([LOST]);
  await expect(
    sendOnce(later.rest, { ...out, lookUp: later.lookUp({ first: false, untilKnown: false }) }),
  ).rejects.toBe(LOST);
  const refused = discord([REFUSED]);
  await expect(
    sendOnce(refused.rest, { ...out, lookUp: refused.lookUp({ first: false, untilKnown: true }) }),
  ).rejects.toBe(REFUSED);
  expect([later.looked(), refused.looked()]).toEqual([0, 0]);
});

test("a reply that needs a right we do not have is posted on its own, under its nonce", async () => {
  const noHistory = new RestFailure("rejected", { route: "POST /channels", status: 400, code: 160002 });
  const { rest, requests } = discord([noHistory, "7", noHistory]);
  expect((await sendOnce(rest, { ...out, replyTo: "5" })).id).toBe("7");
  expect(requests.map(({ body }) => body)).toEqual([
    expect.objectContaining({ nonce: "n", message_reference: expect.anything() }),
    { content: "hello", nonce: "n", enforce_nonce: true },
  ]);
  await expect(sendOnce(rest, out)).rejects.toBe(noHistory);
});
