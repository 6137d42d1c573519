/** A Claude that is adopted right at the end of a turn: of that turn a last piece is heard, and not that it is over. */
import { expect, test } from "vitest";
import { WindowAgent } from "../../../src/agents/tmux/agent.ts";
import type { Turn } from "../../../src/agents/contract/driver.ts";
import type { Screen, Tmux } from "../../../src/host/terminal/tmux.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { all, only, silentLog } from "../stage.ts";
import { restingTable } from "./resting.ts";

const LINE = "─".repeat(60);
const common = { session_id: "s", cwd: "/", prompt_id: "p" };

/** How the turn has ended a minute later, if it has. @param above what its window says above the box */
async function heard(above: string): Promise<unknown> {
  const clock = createFakeClock();
  const table = restingTable();
  const screen: Screen = {
    window_id: "@1",
    pane_id: "%1",
    pid: process.pid,
    dead: false,
    exit_code: null,
    inMode: false,
    cursor: { x: 2, y: 1 },
    lines: [above, LINE, "❯ ", LINE, "  ? for shortcuts"],
  };
  const tmux = { screen: async () => screen } as unknown as Tmux;
  const agent = new WindowAgent({
    clock,
    table,
    tmux,
    window: {
      thread_id: "1",
      server: "owner",
      socket: "",
      window_id: "@1",
      pane_id: "%1",
      pid: process.pid,
      start_time: table.read(process.pid)?.startTime ?? "",
      cwd: "/",
      adopted: true,
    },
    log: silentLog,
    stood: true,
    isKnown: () => false,
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
  const turns: Turn[] = [];
  void (async () => {
    for await (const turn of agent.between) turns.push(turn);
  })();
  agent.join({ ...common, hook_event_name: "UserPromptSubmit", prompt: "two lines" }, null);
  agent.onHook({
    ...common,
    hook_event_name: "MessageDisplay",
    turn_id: "t",
    message_id: "m",
    index: 1,
    final: true,
    delta: "the last line",
  });
  await clock.settle();
  let end: unknown = null;
  void all(turns[0]!).then((updates) => (end = only(updates, "end")[0]));
  await clock.advance(60_000);
  await agent.detach();
  return end;
}

test("it is over when its window shows that Claude waits, with what was heard of it", async () => {
  expect(await heard("● the last line")).toMatchObject({ outcome: "done", result: "the last line" });
});

test("it goes on as long as its window shows that Claude works", async () => {
  expect(await heard("✽ Working… (3s)")).toBe(null);
});
