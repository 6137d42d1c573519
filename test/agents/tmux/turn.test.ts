/** What Claude asks in a window waits until what it said before was displayed, whichever hook comes first. */
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { JobLog } from "../../../src/host/files/job-log.ts";
import type { HookPayload } from "../../../src/protocol/hooks.ts";
import { WindowTurn } from "../../../src/agents/tmux/turn.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

const common = { session_id: "s", cwd: "/app", prompt_id: "p" };
const displayed = (message_id: string, index: number, final: boolean): HookPayload => ({
  ...common,
  hook_event_name: "MessageDisplay",
  turn_id: "t",
  message_id,
  index,
  final,
  delta: "I need to ask. ",
});
const used: HookPayload = { ...common, hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: {} };

async function read({ updates }: WindowTurn): Promise<void> {
  for await (const _update of updates);
}

function opened(): { turn: WindowTurn; pass(ms: number): Promise<void>; asks(): () => Promise<boolean> } {
  const clock = createFakeClock();
  const turn = new WindowTurn({ clock, log: {} as JobLog, typed: null, stop: () => undefined });
  onTestFinished(() => turn.end({ outcome: "cancelled" }));
  void read(turn);
  return {
    turn,
    pass: (ms) => clock.advance(ms),
    asks() {
      let isAsked = false;
      void turn.saidAll().then(() => (isAsked = true));
      return async () => (await setImmediate(), isAsked);
    },
  };
}

test("it is asked when all of it is there, at once where it is there already", async () => {
  const { turn, asks } = opened();
  const isAsked = asks();
  turn.onHook(displayed("a", 1, true));
  expect(await isAsked()).toBe(false);
  turn.onHook(displayed("a", 0, false));
  expect(await isAsked()).toBe(true);
  expect(await asks()()).toBe(true);
});

test("what was said before the last tool is not what it waits for", async () => {
  const { turn, asks } = opened();
  turn.onHook(displayed("a", 0, true));
  turn.onHook(used);
  const isAsked = asks();
  expect(await isAsked()).toBe(false);
  turn.onHook(displayed("b", 0, true));
  expect(await isAsked()).toBe(true);
});

test("where nothing was said it is asked a moment later", async () => {
  const { asks, pass } = opened();
  const isAsked = asks();
  expect(await isAsked()).toBe(false);
  await pass(2_000);
  expect(await isAsked()).toBe(true);
});
