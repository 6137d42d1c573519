/**
 * A machine that is slow: a prompt is waited for as long as the screen moves, and never given up when Claude has it, or
 * given twice.
 */
import { expect, onTestFinished, test } from "vitest";
import { WindowAgent } from "../../../src/agents/tmux/agent.ts";
import type { Turn } from "../../../src/agents/contract/driver.ts";
import type { Screen, Tmux } from "../../../src/host/terminal/tmux.ts";
import type { ProcessTable } from "../../../src/host/processes/process-table.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { all, silentLog } from "../stage.ts";
import { restingTable } from "./resting.ts";

const LINE = "─".repeat(60);
const TEXT = "run all the tests, and say which of them failed";

interface Slow {
  /** How long Claude computes after it was typed to. */
  computesMs?: number;
  /** What stands in the box so long after it was typed. */
  pasted(ms: number): string;
  /** After Enter: what stands in the box, and what Claude says above it. */
  entered(ms: number, isErased: boolean): { box: string; above?: string };
  /** How long after Enter its hook tells that Claude took the prompt. */
  toldMs: number;
  /** And how long after that its answer is there. */
  answeredMs?: number;
  /** Its owner, who types at the same moment, has entered it so long after it was typed. */
  enteredByOwnerMs?: number;
  /** And this before it. */
  before?: string;
  /** Its pane is closed so long after it was typed. */
  closedMs?: number;
}

/** What becomes of the prompt, how often it was typed, and the turns that were nobody's job. */
async function typed({
  computesMs = 0,
  pasted,
  entered,
  toldMs,
  answeredMs = 1_000,
  enteredByOwnerMs,
  before = "",
  closedMs = Infinity,
}: Slow): Promise<object> {
  const clock = createFakeClock();
  const resting = restingTable();
  const read: ProcessTable["read"] = (pid) => ({
    ...resting.read(pid)!,
    state: clock.monotonic() - typedAt < computesMs ? "R" : "S",
  });
  const table = { ...resting, read };
  const written: string[] = [];
  let [typedAt, enteredAt, isErased] = [Infinity, Infinity, false];
  const shown = (): { box: string; above?: string } =>
    clock.monotonic() >= enteredAt
      ? entered(clock.monotonic() - enteredAt, isErased)
      : { box: clock.monotonic() >= typedAt ? pasted(clock.monotonic() - typedAt) : "" };
  const screen = (): Screen => {
    const { box, above = "" } = shown();
    return {
      window_id: "@1",
      pane_id: "%1",
      pid: process.pid,
      dead: false,
      exit_code: null,
      inMode: false,
      cursor: { x: 2, y: 1 },
      lines: [above, LINE, `❯ ${box}`, LINE, "  ? for shortcuts"],
    };
  };
  const enter = async (): Promise<boolean> => {
    if (enteredAt !== Infinity) return true;
    enteredAt = clock.monotonic();
    clock.after(toldMs, () =>
      agent.onHook({
        session_id: "s",
        cwd: "/",
        prompt_id: "p",
        hook_event_name: "UserPromptSubmit",
        prompt: `${before}${TEXT}`,
      }),
    );
    clock.after(toldMs + answeredMs, () =>
      agent.onHook({
        session_id: "s",
        cwd: "/",
        prompt_id: "p",
        hook_event_name: "Stop",
        last_assistant_message: "done it",
      }),
    );
    return true;
  };
  const tmux = {
    screen: async () => (clock.monotonic() - typedAt >= closedMs ? null : screen()),
    async write(_pane: string, bytes: string) {
      typedAt = clock.monotonic();
      if (enteredByOwnerMs !== undefined) clock.after(enteredByOwnerMs, () => void enter());
      return written.push(bytes) > 0;
    },
    press: enter,
    erase: async () => (isErased = true),
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
    erasableTexts: () => [],
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
  onTestFinished(() => agent.detach());
  const outside: Turn[] = [];
  void (async () => {
    for await (const turn of agent.between) outside.push(turn);
  })();
  let end: unknown = null;
  void all(agent.prompt({ text: TEXT, counters: null, log: silentLog })).then((updates) => (end = updates.at(-1)));
  await clock.until(() => end !== null);
  // Whatever else comes of it.
  await clock.advance(120_000);
  return { end, written: written.length, outside: outside.map((turn) => turn.typed) };
}

const done = { end: { kind: "end", outcome: "done", result: "done it" }, written: 1, outside: [] };
const drawn = { pasted: () => TEXT, entered: () => ({ box: "" }), toldMs: 100 };
const works = (ms: number): string => `✽ Working… (${Math.floor(ms / 1_000)}s)`;

test("what is typed may be drawn late while Claude computes", async () => {
  expect(await typed({ ...drawn, computesMs: 20_000, pasted: (ms) => (ms < 20_000 ? "" : TEXT) })).toEqual(done);
});

test("a Claude that computes for ever does not hold up what its owner is told", async () => {
  expect(await typed({ ...drawn, computesMs: Infinity, pasted: () => "" })).toMatchObject({
    end: { code: "E_TERMINAL_BUSY" },
    written: 1,
    outside: [],
  });
});

test("what is drawn piece by piece is waited for", async () => {
  expect(await typed({ ...drawn, pasted: (ms) => TEXT.slice(0, Math.floor(ms / 300)) })).toEqual(done);
});

test("a hook may be late while Claude is seen to work", async () => {
  expect(await typed({ ...drawn, toldMs: 40_000, entered: (ms) => ({ box: "", above: works(ms) }) })).toEqual(done);
  expect(await typed({ ...drawn, toldMs: 40_000 })).toEqual({
    end: { kind: "end", outcome: "failed", code: "E_PROMPT_NOT_TAKEN", details: {} },
    written: 1,
    outside: [TEXT],
  });
});

test("Enter that comes through only before the keys that erase has given the prompt: it is not given again", async () => {
  expect(
    await typed({
      ...drawn,
      toldMs: 16_000,
      entered: (ms) => (ms < 13_000 ? { box: TEXT } : { box: "", above: works(ms) }),
    }),
  ).toEqual(done);
});

test("a prompt that Claude has taken, and that still stands in the box while it computes, was not put back there", async () => {
  expect(
    await typed({
      ...drawn,
      computesMs: Infinity,
      entered: (ms) => (ms < 10_000 ? { box: TEXT } : { box: "", above: works(ms) }),
      answeredMs: 20_000,
    }),
  ).toEqual(done);
});

test("what still stands in the box after Enter, and was erased, goes back to the queue", async () => {
  expect(
    await typed({ ...drawn, toldMs: Infinity, entered: (_ms, isErased) => ({ box: isErased ? "" : TEXT }) }),
  ).toMatchObject({ end: { code: "E_TERMINAL_BUSY" }, written: 1, outside: [] });
});

test("what its owner enters before Bellhop does is taken, and not typed again", async () => {
  expect(await typed({ ...drawn, pasted: () => "", enteredByOwnerMs: 300, answeredMs: 30_000 })).toEqual(done);
});

test("what its owner enters together with words of his own is his, and not typed again by itself", async () => {
  const before = "see also ";
  const notTaken = { kind: "end", outcome: "failed", code: "E_PROMPT_NOT_TAKEN", details: {} };
  expect(
    await typed({ ...drawn, pasted: () => `${before}${TEXT}`, before, enteredByOwnerMs: 300, answeredMs: 30_000 }),
  ).toEqual({ end: notTaken, written: 1, outside: [`${before}${TEXT}`] });
});

test("a pane that is closed before Enter was pressed has taken nothing: the prompt goes back to the queue", async () => {
  expect(await typed({ ...drawn, pasted: () => "", closedMs: 0 })).toMatchObject({
    end: { code: "E_TERMINAL_BUSY" },
    written: 1,
    outside: [],
  });
});
