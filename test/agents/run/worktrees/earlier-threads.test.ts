/** An earlier bridge's file is taken over whole or not at all, once, and with a clear line in the log. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { importEarlierThreads } from "../../../../src/agents/run/worktrees/earlier-threads.ts";
import { silentLog } from "../../../../src/base/log.ts";
import { createEngine } from "../../../../src/engine/engine.ts";
import { rules, Scene } from "../../../core/scene.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";

const CHANNEL = "200000000000000010";
const THREAD = "200000000000000005";
const PLACE = "/srv/app/.claude/worktrees";
const pane = (more: object = {}): object => ({
  paneId: "%3",
  paneStartedAt: "2026-02-21T12:00:00.000Z",
  parentChannelId: CHANNEL,
  projectPath: "/srv/app",
  serverName: "work",
  createdAt: "2026-02-21T12:00:00.000Z",
  launchCmd: "claude -w",
  ...more,
});

/** @param content undefined: there is no file; a string: its text */
async function imported(content: unknown, make?: (file: string) => void) {
  const home = mkdtempSync(join(tmpdir(), "bellhop-earlier-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, ".discord-bridge"));
  const file = join(home, ".discord-bridge", "thread-state.json");
  if (make) make(file);
  else if (content !== undefined) writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  const scene = new Scene();
  const project = {
    name: "app",
    path: "/srv/app",
    enabled_tools: ["claude"],
    default_tool: "claude",
    default_args: {},
    created_at: "",
    updated_at: "",
    channel_id: CHANNEL,
  };
  scene.do({ type: "adopt_projects", projects: [project] });
  scene.do({
    type: "take_place",
    kind: "channel",
    thread_id: CHANNEL,
    channel_id: CHANNEL,
    project_name: "app",
    guild_id: "3",
    bot_id: "4",
    since: "200000000000000020",
  });
  const engine = createEngine({
    redact: (value) => value,
    state: scene.state,
    append: async () => undefined,
    clock: createFakeClock(),
    rules: () => rules,
    reconcilerFailed: (error) => {
      throw error;
    },
  });
  const said: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (_text: string, fields?: object) => void said.push((fields as { reason?: string }).reason),
  };
  const worktrees = {
    madeThere: (_directory: string, path: string) =>
      path.startsWith(`${PLACE}/`) ? (path.endsWith("gone") ? null : { path, branch: "worktree-a" }) : "elsewhere",
  };
  const run = (): Promise<void> =>
    importEarlierThreads({
      engine,
      worktrees,
      directoryAt: (path: string) => (path === "/srv/gone" ? null : { path, ours: false }),
      home,
      log,
    } as unknown as Parameters<typeof importEarlierThreads>[0]);
  await run();
  const threads = Object.keys(engine.state.threads).filter((id) => id !== CHANNEL);
  return { engine, said, run, threads, worktrees: engine.state.worktrees };
}

test.each<[string, unknown, string[], number]>([
  ["a thread", { threads: { [THREAD]: pane() } }, [THREAD], 0],
  ["a thread with its worktree", { threads: { [THREAD]: pane({ worktreePath: `${PLACE}/a` }) } }, [THREAD], 1],
  ["a worktree that is gone", { threads: { [THREAD]: pane({ worktreePath: `${PLACE}/gone` }) } }, [], 0],
  [
    "a directory that is no project any more, beside one that is",
    {
      threads: {
        [THREAD]: pane(),
        "200000000000000006": pane({ projectPath: "/srv/gone" }),
        "200000000000000007": pane({ parentChannelId: "200000000000000011" }),
      },
    },
    [THREAD],
    0,
  ],
])("%s is taken over as far as it is there", async (_name, content, threads, worktrees) => {
  const one = await imported(content);
  expect([one.threads, Object.keys(one.worktrees ?? {}).length, one.said, one.engine.state.terminal_imported]).toEqual([
    threads,
    worktrees,
    [],
    true,
  ]);
});

test.each<[string, unknown, RegExp, ((file: string) => void)?]>([
  ["no JSON", "{ nonsense", /JSON/],
  ["another form", { threads: [] }, /form/],
  ["a thread id that is none", { threads: { "../x": pane() } }, /form/],
  ["a path that is none", { threads: { [THREAD]: pane({ projectPath: "app" }) } }, /form/],
  [
    "a worktree elsewhere, beside a good thread",
    { threads: { "200000000000000006": pane(), [THREAD]: pane({ worktreePath: "/etc" }) } },
    new RegExp(THREAD),
  ],
  [
    "one that leads out again",
    { threads: { [THREAD]: pane({ worktreePath: "/srv/other/.claude/worktrees/a" }) } },
    new RegExp(THREAD),
  ],
  ["too much", `${" ".repeat(2 * 1024 * 1024)}{}`, /ordinary/],
  ["a directory", "", /ordinary/, (file) => void mkdirSync(file)],
  ["a device", "", /ordinary/, (file) => void symlinkSync("/dev/zero", file)],
])("of a file with %s nothing is taken, which is said once", async (_name, content, why, make) => {
  const one = await imported(content, make);
  expect([one.threads, one.worktrees, one.engine.state.terminal_imported]).toEqual([[], {}, true]);
  expect(one.said).toEqual([expect.stringMatching(why)]);
  await one.run();
  expect(one.said).toHaveLength(1);
});

test("without a file nothing is noted: one that is put there later is taken", async () => {
  const { engine, said } = await imported(undefined);
  expect([engine.state.terminal_imported, said]).toEqual([undefined, []]);
});
