/**
 * A prompt that waits at the terminal for the end of a turn: Claude may tell it by the name of that turn, and what
 * follows by its own.
 */
import { expect, onTestFinished, test } from "vitest";
import { WindowAgent } from "../../../src/agents/tmux/agent.ts";
import type { Turn } from "../../../src/agents/contract/driver.ts";
import type { Tmux } from "../../../src/host/terminal/tmux.ts";
import type { HookPayload } from "../../../src/protocol/hooks.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { all, only, silentLog } from "../stage.ts";
import { restingTable } from "./resting.ts";

const LAST_WORDS_MS = 2_000;
const of = (prompt_id: string): { session_id: string; cwd: string; prompt_id: string } => ({
  session_id: "s",
  cwd: "/",
  prompt_id,
});
const prompted = (prompt_id: string, prompt: string): HookPayload => ({
  ...of(prompt_id),
  hook_event_name: "UserPromptSubmit",
  prompt,
});
const shown = (prompt_id: string, delta: string): HookPayload => ({
  ...of(prompt_id),
  hook_event_name: "MessageDisplay",
  turn_id: "t",
  message_id: prompt_id,
  index: 0,
  final: true,
  delta,
});
const stopped = (prompt_id: string, last_assistant_message: string): HookPayload => ({
  ...of(prompt_id),
  hook_event_name: "Stop",
  last_assistant_message,
});

/** @param isKnown whether an earlier daemon has recorded a turn with this name */
async function told(
  hooks: readonly HookPayload[],
  { late = false, isKnown = () => false }: { late?: boolean; isKnown?: (promptId: string) => boolean } = {},
): Promise<unknown[]> {
  const clock = createFakeClock();
  const table = restingTable();
  const tmux = { screen: async () => null } as unknown as Tmux;
  const agent = new WindowAgent({
    clock,
    table,
    tmux,
    window: {
      thread_id: "1",
      server: "own",
      socket: "",
      window_id: "@1",
      pane_id: "%1",
      pid: process.pid,
      start_time: table.read(process.pid)?.startTime ?? "",
      cwd: "/",
      adopted: false,
    },
    log: silentLog,
    stood: true,
    isKnown,
    isLost: () => false,
    onDialog: () => undefined,
    statusLine: () => null,
    wasInterrupted: async () => false,
    isReached: () => true,
    mode: "default",
    caughtUp: Promise.resolve(),
    onReady: () => undefined,
    onDialogAnswered: () => undefined,
    erasableTexts: () => [],
    closed: async () => undefined,
  });
  onTestFinished(() => agent.detach());
  const turns: Turn[] = [];
  const read = (async () => {
    for await (const turn of agent.between) turns.push(turn);
  })();
  const names = hooks.map((hook) => (agent.onHook(hook, late), agent.promptId));
  // What is still displayed is waited for.
  await clock.advance(LAST_WORDS_MS);
  await agent.detach();
  await read;
  const ends = await Promise.all(turns.map(async (turn) => [turn.typed, only(await all(turn), "end")[0]]));
  expect(names.at(-1)).toBe(hooks.at(-1)?.prompt_id);
  return ends;
}

const both = [
  ["one", { outcome: "done", result: "did one" }],
  ["two", { outcome: "done", result: "did two" }],
];

test.each([
  ["heard", false],
  ["kept", true],
] as const)(
  "a prompt that is told by the name of the turn before it is a turn, when its hooks are %s",
  async (_how, late) => {
    expect(
      await told([prompted("a", "one"), stopped("a", "did one"), prompted("a", "two"), stopped("b", "did two")], {
        late,
      }),
    ).toMatchObject(both);
  },
);

test("it is one too where the end of the turn before it still waits for what is displayed, or is told by nothing else", async () => {
  const hooks = [
    prompted("a", "one"),
    stopped("a", "did one"),
    prompted("a", "two"),
    shown("b", "did two"),
    stopped("b", "did two"),
  ];
  expect(await told(hooks)).toMatchObject(both);
  expect(await told(hooks.toSpliced(1, 1))).toMatchObject([["one", { outcome: "cancelled" }], both[1]]);
});

test("it is one too where an earlier daemon has recorded the turn before it", async () => {
  expect(
    await told([prompted("a", "two"), stopped("b", "did two")], {
      late: true,
      isKnown: (promptId) => promptId === "a",
    }),
  ).toMatchObject([both[1]]);
});

test("a prompt that is told once more is no other turn, and the next one has its own name", async () => {
  const one = [prompted("a", "one"), shown("a", "did one"), stopped("a", "did one")];
  expect(
    await told([...one, ...one, prompted("b", "two"), shown("b", "did two"), stopped("b", "did two")]),
  ).toMatchObject(both);
});
