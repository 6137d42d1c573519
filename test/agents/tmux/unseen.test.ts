/** A prompt that the terminal cannot show is not typed for ever: once more by itself, then its owner is asked. */
import { expect, test } from "vitest";
import { WindowAgent } from "../../../src/agents/tmux/agent.ts";
import type { Screen, Tmux } from "../../../src/host/terminal/tmux.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { all, only, silentLog } from "../stage.ts";
import { restingTable } from "./resting.ts";

const LINE = "─".repeat(60);

test("what is typed and never to be seen is tried once more by itself", async () => {
  const clock = createFakeClock();
  const table = restingTable();
  let freed = 0;
  const screen: Screen = {
    window_id: "@1",
    pane_id: "%1",
    pid: process.pid,
    dead: false,
    exit_code: null,
    inMode: false,
    cursor: { x: 2, y: 1 },
    lines: ["", LINE, "❯ ", LINE, "  ? for shortcuts"],
  };
  const tmux = {
    screen: async () => screen,
    write: async () => true,
    press: async () => true,
    erase: async () => true,
    close: async () => undefined,
  } as unknown as Tmux;
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
    isKnown: () => false,
    isLost: () => false,
    onDialog: () => undefined,
    statusLine: () => null,
    wasInterrupted: async () => false,
    isReached: () => true,
    mode: "default",
    caughtUp: Promise.resolve(),
    onReady: () => void (freed += 1),
    onDialogAnswered: () => undefined,
    erasableTexts: () => [],
    closed: async () => undefined,
  });
  for (const times of [1, 1]) {
    const ended = all(agent.prompt({ text: "unseen", counters: null, log: silentLog }));
    let end: unknown = null;
    void ended.then((updates) => (end = only(updates, "end")[0]));
    await clock.until(() => end !== null);
    expect(end).toMatchObject({ outcome: "failed", code: "E_TERMINAL_BUSY", details: { terminal: "hidden" } });
    await clock.advance(60_000);
    expect(freed).toBe(times);
  }
  await agent.detach();
});
