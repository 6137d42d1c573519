/**
 * A prompt that was typed and not sent, as by a daemon that is killed before Enter, is taken out of the box before the
 * next one, and nothing else is.
 */
import { expect, test } from "vitest";
import { WindowAgent } from "../../../src/agents/tmux/agent.ts";
import type { Screen, Tmux } from "../../../src/host/terminal/tmux.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { all, only, silentLog } from "../stage.ts";
import { restingTable } from "./resting.ts";

const LINE = "─".repeat(60);
const CUT = `─── ↑ 40 more ${LINE}`;
const NOTE = "[Note from Bellhop, which runs you, not from the user: that was cut off.]";

test.each([
  { box: ["run the tests"], stood: true, taken: true },
  { box: ["run the tests"], stood: false, taken: true },
  { box: [NOTE, "  run the tests"], stood: true, taken: true },
  { box: ["run the tests and deploy"], stood: true, taken: false },
  { box: ["please run the tests"], stood: true, taken: false },
  { box: ["the tests"], stood: true, isCut: true, taken: true },
  { box: ["all tests"], stood: true, isCut: true, taken: false },
])("$box in the box, typed by an earlier daemon or not", async ({ box, stood, isCut = false, taken }) => {
  const clock = createFakeClock();
  const table = restingTable();
  let lines = box;
  const written: string[] = [];
  const screen = (): Screen => ({
    window_id: "@1",
    pane_id: "%1",
    pid: process.pid,
    dead: false,
    exit_code: null,
    inMode: false,
    cursor: { x: 2, y: 1 },
    lines: [
      "",
      isCut && lines.length > 0 ? CUT : LINE,
      `${isCut && lines.length > 0 ? " " : "❯"} ${lines[0] ?? ""}`,
      ...lines.slice(1),
      LINE,
      "  ? for shortcuts",
    ],
  });
  const tmux = {
    screen: async () => screen(),
    write: async (_pane: string, bytes: string) => written.push(bytes) > 0,
    press: async () => true,
    erase: async () => ((lines = []), true),
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
    stood,
    erasableTexts: () => ["run the tests"],
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
    closed: async () => undefined,
  });
  if (!stood) agent.onHook({ session_id: "s", cwd: "/", hook_event_name: "SessionStart", source: "startup" });
  let end: unknown = null;
  void all(agent.prompt({ text: "next", counters: null, log: silentLog })).then(
    (updates) => (end = only(updates, "end")[0]),
  );
  await clock.until(() => end !== null);
  expect(end).toMatchObject({ code: "E_TERMINAL_BUSY", details: { terminal: taken || isCut ? "hidden" : "draft" } });
  expect(written).toHaveLength(taken ? 1 : 0);
  expect(lines).toEqual(taken ? [] : box);
  await agent.detach();
});
