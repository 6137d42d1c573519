/**
 * The real interactive Claude Code with Bellhop's hooks, as `bellhop hooks print` has them: what it tells, that the
 * answer decides whether a tool runs, and that no tool runs while nobody answers.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { nodeDisk } from "../../../src/base/disk.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createHookChannel, type HookCall, type HookRequest } from "../../../src/engine/hook-channel.ts";
import { hookEntries } from "../../../src/host/hooks/claude-settings.ts";
import { openHookFolder } from "../../../src/host/hooks/hook-folder.ts";
import { systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { openHookServer, type HookServer } from "../../../src/ipc/hook-server.ts";
import { openModel } from "../../fakes/model/model.ts";
import { appears } from "../../flows/world.ts";
import { programOf } from "../bench.ts";

const THREAD = "100000000000000001";
const KEY = "test-key";
const root = join(import.meta.dirname, "..", "..", "..");

type Ask = (request: HookRequest) => Promise<object | null>;

async function openClaude(
  { skip }: TestContext,
  prompt: string,
  { tools = [] as string[], allow = [] as string[] } = {},
) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-tui-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const [project, state] = [join(home, "app"), join(home, "state")];
  for (const folder of [project, state, join(home, ".claude")]) mkdirSync(folder, { mode: 0o700 });
  const model = await openModel();
  onTestFinished(() => model.close());
  const folder = await openHookFolder(nodeDisk, state, {
    node: process.execPath,
    program: join(root, "bin", "bellhop.cjs"),
  });
  const seen = {
    hasCompletedOnboarding: true,
    theme: "dark",
    hasSeenAutoDefaultNotice: true,
    hasSeenAutoDefaultNudge: true,
    customApiKeyResponses: { approved: [KEY], rejected: [] },
  };
  writeFileSync(
    join(home, ".claude.json"),
    JSON.stringify({ ...seen, projects: { [project]: { hasTrustDialogAccepted: true } } }),
  );
  writeFileSync(
    join(home, ".claude", "settings.json"),
    JSON.stringify({
      permissions: { defaultMode: "default", allow },
      hooks: hookEntries({ folder: folder.path, permissionTools: tools }),
    }),
  );
  const heard: HookCall[] = [];
  const looks = new Set<() => void>();
  const channel = createHookChannel();
  channel.register({
    ownerOf: ({ session }) => (session === THREAD ? { thread_id: THREAD, work: null } : null),
    async onHook(call) {
      heard.push(call);
      for (const look of looks) look();
    },
  });
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    SHELL: "/bin/bash",
    BELLHOP_SESSION: THREAD,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-u", "-S", join(home, "tmux"), "-f", "/dev/null", ...args], {
      cwd: project,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  try {
    tmux("-V");
  } catch {
    skip("tmux is missing");
  }
  return {
    project,
    heard,
    start() {
      tmux("new-session", "-d", "-x", "120", "-y", "40", programOf("claude"), prompt);
      onTestFinished(() => void tmux("kill-server"));
      return Number(tmux("list-panes", "-F", "#{pane_pid}").trim());
    },
    press: (key: string) => void tmux("send-keys", key),
    async serve(ask: Ask): Promise<HookServer> {
      const asking = {
        ask: async (request: HookRequest) => ({ told: await ask(request), delivered: () => undefined }),
        settleFromHook: async () => undefined,
        noteFor: () => null,
      };
      const server = await openHookServer({
        folder,
        channel,
        processes: systemProcessTable(),
        clock: systemClock,
        log: silentLog,
        asking,
      });
      onTestFinished(() => server.close());
      return server;
    },
    came: (name: string): Promise<HookCall> =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = heard.find(({ payload }) => payload.hook_event_name === name);
          if (found === undefined) return;
          looks.delete(look);
          resolve(found);
        };
        looks.add(look);
        look();
      }),
  };
}

const permission = (decision: object): object => ({
  hookSpecificOutput: { hookEventName: "PermissionRequest", decision },
});

test("it tells of its turn from the beginning to the end, by the process that is Claude, and a yes lets the tool run", async (context) => {
  const claude = await openClaude(context, "tool:bash:touch hooked");
  await claude.serve(async ({ payload }) => permission({ behavior: "allow", updatedInput: payload.tool_input }));
  const pid = claude.start();
  await appears(join(claude.project, "hooked"));
  const stop = await claude.came("Stop");
  expect(stop.payload).toMatchObject({ last_assistant_message: expect.stringContaining("AFTER_TOOL") as unknown });
  await claude.came("MessageDisplay");
  expect([...new Set(claude.heard.map((call) => call.claude?.pid))]).toEqual([pid]);
  expect(stop.pane?.id).toMatch(/^%\d+$/);
  const names = claude.heard.map(({ payload }) => payload.hook_event_name);
  for (const name of ["SessionStart", "UserPromptSubmit", "PermissionRequest", "PostToolUse"])
    expect(names).toContain(name);
});

test("a no keeps the tool from running", async (context) => {
  const claude = await openClaude(context, "tool:bash:touch hooked");
  await claude.serve(async () => permission({ behavior: "deny", message: "not now" }));
  claude.start();
  expect((await claude.came("Stop")).payload).toMatchObject({
    last_assistant_message: expect.stringContaining("not now") as unknown,
  });
  expect(existsSync(join(claude.project, "hooked"))).toBe(false);
});

test("a tool of permission_tools is asked about although its owner's rules allow it, and a refusal holds", async (context) => {
  const claude = await openClaude(context, "tool:bash:touch hooked", { tools: ["Bash"], allow: ["Bash"] });
  await claude.serve(async () => ({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "not this",
    },
  }));
  claude.start();
  expect((await claude.came("Stop")).payload).toMatchObject({
    last_assistant_message: expect.stringContaining("not this") as unknown,
  });
  expect(existsSync(join(claude.project, "hooked"))).toBe(false);
});

test("left to the terminal, its dialog stands, and the answer given there counts", async (context) => {
  const claude = await openClaude(context, "tool:bash:touch hooked", { tools: ["Bash"], allow: ["Bash"] });
  await claude.serve(async ({ payload }) =>
    payload.hook_event_name === "PreToolUse"
      ? { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } }
      : null,
  );
  claude.start();
  await claude.came("PermissionRequest");
  expect(existsSync(join(claude.project, "hooked"))).toBe(false);
  await claude.came("Notification");
  claude.press("Enter");
  await appears(join(claude.project, "hooked"));
  await claude.came("PostToolUse");
});

test("while no daemon answers no tool of permission_tools runs, and the one that comes decides", async (context) => {
  const claude = await openClaude(context, "tool:bash:touch hooked", { tools: ["Bash"], allow: ["Bash"] });
  const first = await claude.serve(() => new Promise(() => undefined));
  claude.start();
  await claude.came("PreToolUse");
  await first.close();
  expect(existsSync(join(claude.project, "hooked"))).toBe(false);
  await claude.serve(async () => ({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "the next one says no",
    },
  }));
  expect((await claude.came("Stop")).payload).toMatchObject({
    last_assistant_message: expect.stringContaining("the next one says no") as unknown,
  });
  expect(existsSync(join(claude.project, "hooked"))).toBe(false);
});
