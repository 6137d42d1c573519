/**
 * The paste table: hostile prompts typed into the real Claude Code's prompt box. Each is taken as it was typed, as
 * Claude's own UserPromptSubmit hook tells it, or is refused and not typed at all. 500 of them in long mode.
 */
import fc from "fast-check";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { WindowAgent } from "../../../src/agents/tmux/agent.ts";
import { argumentsFor, settingsFor } from "../../../src/agents/tmux/launch.ts";
import { typedText } from "../../../src/agents/tmux/typing.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { nodeDisk } from "../../../src/base/disk.ts";
import { silentLog as silent } from "../../../src/base/log.ts";
import { createHookChannel } from "../../../src/engine/hook-channel.ts";
import { openHookFolder } from "../../../src/host/hooks/hook-folder.ts";
import { systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { which } from "../../../src/host/processes/which.ts";
import { openTmux } from "../../../src/host/terminal/tmux.ts";
import { openHookServer } from "../../../src/ipc/hook-server.ts";
import { openModel } from "../../fakes/model/model.ts";
import { programOf } from "../bench.ts";
import { all, only, silentLog } from "../stage.ts";

const THREAD = "100000000000000001";
const KEY = "test-key";

interface Typed {
  /** Every prompt that Claude says it was given. */
  submitted: string[];
  /** How the turn of this prompt ends. */
  give(prompt: string): Promise<{ outcome: string; code?: string }>;
}

/** Claude in a window, with its hooks, and nothing else of a daemon. */
async function openTyped({ skip }: TestContext): Promise<Typed> {
  const file = which("tmux", process.env["PATH"]) ?? skip("tmux is missing");
  const home = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-typed-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const [project, state, settings] = [join(home, "app"), join(home, "state"), join(home, "settings.json")];
  for (const folder of [project, state]) mkdirSync(folder, { mode: 0o700 });
  const model = await openModel();
  onTestFinished(() => model.close());
  const folder = await openHookFolder(nodeDisk, state, {
    node: process.execPath,
    program: join(import.meta.dirname, "..", "..", "..", "bin", "bellhop.cjs"),
  });
  writeFileSync(settings, JSON.stringify(settingsFor({ folder: folder.path, permissionTools: [] }, [], null)));
  writeFileSync(
    join(home, ".claude.json"),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: [KEY], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true } },
    }),
  );
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: home,
    LANG: "C.UTF-8",
    SHELL: "/bin/sh",
    TMPDIR: home,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  const tmux = openTmux({ file, env, service: {}, socket: join(home, "tmux") });
  const table = systemProcessTable();
  const submitted: string[] = [];
  const channel = createHookChannel();
  const opened = Promise.withResolvers<WindowAgent>();
  channel.register({
    ownerOf: () => ({ thread_id: THREAD, work: null }),
    async onHook({ payload }) {
      if (payload.hook_event_name === "UserPromptSubmit") submitted.push(payload.prompt);
      (await opened.promise).onHook(payload);
    },
  });
  const asking = {
    ask: async () => ({ told: null, delivered: () => undefined }),
    settleFromHook: async () => undefined,
    noteFor: () => null,
  };
  const server = await openHookServer({ folder, channel, processes: table, clock: systemClock, log: silent, asking });
  onTestFinished(() => server.close());
  const pane = await tmux.open({
    session: "test",
    name: "claude",
    cwd: project,
    argv: [programOf("claude"), ...argumentsFor({ settings, key: null, args: [] })],
    env: { BELLHOP_SESSION: THREAD },
  });
  const agent = new WindowAgent({
    clock: systemClock,
    table,
    tmux,
    window: {
      thread_id: THREAD,
      server: "own",
      socket: tmux.socket,
      window_id: pane.window_id,
      pane_id: pane.pane_id,
      pid: pane.pid,
      start_time: table.read(pane.pid)?.startTime ?? "",
      cwd: project,
      adopted: false,
    },
    log: silentLog,
    stood: false,
    isKnown: () => false,
    isLost: () => false,
    onDialog: () => undefined,
    wasInterrupted: async () => false,
    isReached: () => true,
    mode: "default",
    caughtUp: Promise.resolve(),
    statusLine: () => null,
    onReady: () => undefined,
    onDialogAnswered: () => undefined,
    erasableTexts: () => [],
    closed: async () => undefined,
  });
  opened.resolve(agent);
  onTestFinished(() => agent.close());
  return {
    submitted,
    async give(prompt) {
      const [end = { outcome: "lost" }] = only(
        await all(agent.prompt({ text: prompt, counters: null, log: silentLog })),
        "end",
      );
      return end;
    },
  };
}

/** What has a meaning for a terminal, for tmux, for a shell, or in Claude's prompt box. */
const piece = fc.oneof(
  fc.constantFrom(
    "\u001b[201~",
    "[201~",
    "\u001b[200~",
    "\u001b",
    "\u0003",
    "\u0015",
    "\r",
    "\n",
    "\n\n",
    "\t",
    "\u007f",
    "\u009b",
    "\u0000",
    "#(touch ran)",
    "#{pane_id}",
    ";",
    "$(id)",
    "`id`",
    "'",
    '"',
    "\\",
    "\\\n",
    "!",
    "/exit",
    "@",
    "@app",
    "#",
    "&",
    "--",
    "?",
    "%0",
    "C-c",
    "Enter",
    "[Pasted text #1]",
    "[Image #1]",
    "ultrathink",
  ),
  fc.constantFrom(
    "한국어",
    "日本語",
    "繁體中文",
    "ｆｕｌｌ",
    "👩🏽‍💻",
    "👨‍👩‍👧",
    "🇰🇷",
    "e\u0301",
    "각",
    "\u202e",
    "\u200b",
    "\ufeff",
    "ไทย",
    "العربية",
    " ",
    "  ",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const prompts = fc.array(piece, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));

const LINE = "한 줄 더 日本語 👩🏽‍💻 and words\n";
const KNOWN = [
  "!touch ran",
  "#note",
  "/exit",
  "exit",
  ":wq!",
  "/etc/hosts",
  "/etc/hosts\n/etc/passwd",
  "ultraplan it",
  "&",
  "@app",
  "@",
  "what is \\",
  "two\\\nlines\\",
  "\u001b[201~\r!touch ran",
  "a\u001b[201~b",
  "\u0003\u0003",
  "?",
  "1",
  "日本語で\n書いた",
  LINE.repeat(50),
  "x".repeat(2000),
  `${"\n".repeat(200)}deep`,
];
const LARGE = [LINE.repeat(700), "日".repeat(10_000), "word ".repeat(6000)];
const isLong = process.env["BELLHOP_TEST_LONG"] !== undefined;

/** What becomes of a prompt: what Claude says it was given, or why nothing was. */
async function becomes({ submitted, give }: Typed, prompt: string): Promise<string[]> {
  const before = submitted.length;
  const { outcome, code = outcome } = await give(prompt);
  return [code, ...submitted.slice(before)];
}

function expected(prompt: string): string[] {
  const typed = typedText(prompt);
  if ("command" in typed) return ["E_PROMPT_IS_COMMAND"];
  return typed.text === "" ? ["E_EMPTY_PROMPT"] : ["done", typed.text];
}

test("hostile prompts are taken byte for byte, or refused and not typed", { timeout: 1_800_000 }, async (context) => {
  const claude = await openTyped(context);
  const counts = new Map<string, number>();
  const wrong: object[] = [];
  const look = async (prompt: string, { mayBeUnknown }: { mayBeUnknown: boolean }): Promise<void> => {
    const [found, wanted] = [await becomes(claude, prompt), expected(prompt)];
    counts.set(found[0] ?? "", (counts.get(found[0] ?? "") ?? 0) + 1);
    // A terminal leaves out characters that are newer than itself: what it does not show whole is not submitted.
    const isUnseen = mayBeUnknown && found.join() === "E_TERMINAL_BUSY";
    if (!isUnseen && JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push({ prompt, found, wanted });
  };
  for (const prompt of [...KNOWN, ...(isLong ? LARGE : LARGE.slice(0, 1))]) await look(prompt, { mayBeUnknown: false });
  for (const prompt of fc.sample(prompts, { numRuns: isLong ? 500 : 8, seed: 14 }))
    await look(prompt, { mayBeUnknown: true });
  context.annotate(JSON.stringify(Object.fromEntries(counts)));
  expect(wrong).toEqual([]);
  expect(counts.get("E_TERMINAL_BUSY") ?? 0).toBeLessThanOrEqual(isLong ? 10 : 0);
});
