/** Each call goes to whoever drives the Claude it comes from, and to nobody else. */
import { expect, test } from "vitest";
import { createHookChannel, type HookCall, type HookTaker } from "../../src/engine/hook-channel.ts";

const call = (session: string | null): HookCall => ({
  payload: { hook_event_name: "Stop", session_id: "s", cwd: "/" },
  claude: null,
  pane: null,
  session,
  late: false,
});

function taker(thread_id: string): HookTaker & { heard: HookCall[] } {
  const heard: HookCall[] = [];
  return {
    heard,
    ownerOf: ({ session }) => (session === thread_id ? { thread_id, work: null } : null),
    onHook: async (one) => void heard.push(one),
  };
}

test("a call goes to the taker whose Claude it is", async () => {
  const channel = createHookChannel();
  const [first, second] = [taker("1"), taker("2")];
  channel.register(first);
  const leave = channel.register(second);
  expect(channel.ownerOf(call("2"))).toEqual({ thread_id: "2", work: null });
  expect(await channel.dispatchHook(call("2"))).toBe(true);
  expect([first.heard.length, second.heard.length]).toEqual([0, 1]);
  leave();
  expect(channel.ownerOf(call("2"))).toBeNull();
  expect(await channel.dispatchHook(call("2"))).toBe(false);
});

test("a call of a Claude that is nobody's is not taken", async () => {
  expect(await createHookChannel().dispatchHook(call(null))).toBe(false);
});
