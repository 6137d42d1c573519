/** How many forwards wait in a thread, and what becomes of the others. */
import { expect, test } from "vitest";
import { heldForward, MOST_HELD } from "../../../src/core/jobs/forwards.ts";
import type { Quote } from "../../../src/core/jobs/run.ts";
import type { RecordedEvent } from "../../../src/core/state.ts";
import { view } from "../../discord/seen.ts";
import { message, Scene, T1 } from "../scene.ts";

const quote: Quote = {
  how: "forward",
  message_id: null,
  mark: "quoted_0123456789ab",
  whose: "unknown",
  author: null,
  at: null,
  text: "build failed",
  left_out: 0,
  files: [],
  named: [],
};

function forward(scene: Scene, number: number): RecordedEvent[] {
  return scene.do({ type: "hold_forward", thread_id: T1, discord_message_id: message(number), quote });
}

/** A thread in which as many wait as may. */
function full(): Scene {
  const scene = new Scene().withSessions(T1);
  for (let number = 1; number <= MOST_HELD; number += 1) forward(scene, number);
  return scene;
}

const held = (scene: Scene): number =>
  Object.keys(scene.state.threads[T1]?.forwards ?? {}).filter((id) => heldForward(scene.state, T1, id)).length;

test("one more drops the oldest, which its post says, and nobody can send it", () => {
  const scene = full();
  expect(forward(scene, 90).map(({ type, payload }) => [type, "crowded" in payload && payload.crowded])).toEqual([
    ["ForwardDropped", true],
    ["ForwardHeld", false],
  ]);
  expect([held(scene), heldForward(scene.state, T1, message(1))]).toEqual([MOST_HELD, undefined]);
  const post = view(scene).find(({ part }) => part === `forward:${message(1)}`);
  expect(post).toMatchObject({ is: "crowded", reply_to: message(1) });
  expect(JSON.stringify(post)).toMatch(/This was dropped, because 20 newer[^]*"components":\[\]/);
  expect(scene.do({ type: "send_forward", thread_id: T1, discord_message_id: message(1) })).toEqual([]);
  scene.checkReplay();
});

test("it is owed until it is posted, however many come, and then forgotten", () => {
  const scene = full();
  for (const number of [90, 91, 92]) forward(scene, number);
  const dropped = (): number => view(scene).filter(({ is }) => is === "crowded").length;
  expect([held(scene), dropped()]).toEqual([MOST_HELD, 3]);
  scene.do({
    type: "record_post",
    subject: T1,
    part: `forward:${message(1)}`,
    channel_id: T1,
    message_id: "5",
    hash: "h",
    is: "crowded",
  });
  expect([held(scene), dropped()]).toEqual([MOST_HELD, 2]);
});

test("the same one once more, and one where others were settled, drops nothing", () => {
  const scene = full();
  expect(forward(scene, 5)).toEqual([]);
  scene.do({ type: "drop_forward", thread_id: T1, discord_message_id: message(7) });
  expect(forward(scene, 90).map(({ type }) => type)).toEqual(["ForwardHeld"]);
  expect(heldForward(scene.state, T1, message(1))).toBeDefined();
});
