/**
 * A world whose tool is the real Claude Code at a terminal: in windows of the daemon's own tmux server, with a HOME in
 * which its owner has set it up before, and a model on loopback. The desk is where he sits in front of the window.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, type TestContext } from "vitest";
import { type FakeModel, openModel } from "../../fakes/model/model.ts";
import { events } from "../../flows/mcp/asked.ts";
import { journalOf } from "../../flows/journal.ts";
import { inJournal } from "../../flows/workshop.ts";
import { type Daemon, inFolder, openWorld, type World, type WorldOptions } from "../../flows/world.ts";
import { which } from "../../../src/host/processes/which.ts";
import { acpAgents, install } from "../real-world.ts";

export interface Desk {
  world: World;
  model: FakeModel;
  /** What its Claude runs with, besides HOME. */
  env: Record<string, string>;
  start(): Promise<Daemon>;
  /** Resolves when the window shows this. */
  shows(words: string): Promise<void>;
  /** Types at the terminal, as its owner does. */
  type(text: string): void;
  press(key: string): void;
  /** Says yes to the dialog with these words, as soon as it stands there and takes a key. */
  agrees(words: string): Promise<void>;
  /** Chooses this in the dialog with these words, where it is not chosen already; null: there is nothing to choose. */
  chooses(words: string, option: string | null): Promise<void>;
  /** Leaves the dialog with these words by Escape. */
  escapes(words: string): Promise<void>;
  /** Resolves when so many events of this type are in the journal; with their payloads. */
  came(type: string, count?: number): Promise<Record<string, unknown>[]>;
  /** Those in the journal now. */
  all(type: string): Record<string, unknown>[];
}

interface Terminal {
  screen(): string;
  press(key: string): void;
}

const KEY = "test-key";
const SETTLED_MS = 500;

/**
 * Skips the test where there is no tmux.
 * @param allow what his own rules let Claude do without asking
 */
export async function openDesk(
  context: TestContext,
  config: Record<string, unknown> = {},
  allow: readonly string[] = [],
  { tools = ["tmux"], discord = {}, app = {} }: Pick<WorldOptions, "tools" | "discord" | "app"> = {},
): Promise<Desk> {
  const program = which("tmux", process.env["PATH"]) ?? context.skip("tmux is missing");
  const model = await openModel();
  onTestFinished(() => model.close());
  const world = await openWorld({
    tools,
    discord,
    app,
    agent: "none",
    unlimited: true,
    config: { ...acpAgents(tools), ...config },
  });
  install(
    world,
    tools.map((tool) => (tool === "tmux" ? "claude" : tool)),
  );
  symlinkSync(program, join(world.home, "bin", "tmux"));
  furnish(world, allow);
  const socket = join(world.stateDir, "bellhop.tmux");
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-u", "-S", socket, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => {
    try {
      tmux("kill-server");
    } catch {
      // It may be gone already.
    }
  });
  const screen = (): string => tmux("capture-pane", "-p");
  const isShown = (words: string): boolean => screen().includes(words);
  const daemons: Daemon[] = [];
  let awaited = "nothing";
  // Registered last, so run first, while all of it is still there.
  onTestFinished(
    ({ task }) =>
      void (
        task.result?.state === "fail" && console.error(lastSeen(world, { awaited, screen, daemon: daemons.at(-1) }))
      ),
  );
  const shows = async (words: string): Promise<void> => {
    awaited = `the window shows ${JSON.stringify(words)}`;
    // Nothing tells of what a terminal draws.
    for (; !isShown(words); await promisify(setImmediate)()) context.signal.throwIfAborted();
  };
  const terminal = { screen, press: (key: string) => void tmux("send-keys", key) };
  const env: Record<string, string> = {
    TMPDIR: world.home,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
  };
  return {
    world,
    model,
    env,
    async start() {
      const daemon = world.daemon({ env });
      daemons.push(daemon);
      await daemon.ready;
      return daemon;
    },
    shows,
    async agrees(words) {
      // A dialog is drawn a moment before it takes a key, and a burst of keys counts as pasted: the plan's takes none
      // of them.
      for (await shows(words); isShown(words);) {
        tmux("send-keys", "Enter");
        for (let looks = 0; looks < 100 && isShown(words); looks += 1) await promisify(setImmediate)();
      }
    },
    async chooses(words, option) {
      await shows(words);
      await choose(terminal, words, option);
    },
    async escapes(words) {
      await shows(words);
      await pressUntilGone(terminal, words, () => "Escape");
    },
    type: (text) => void tmux("send-keys", "-l", text),
    press: terminal.press,
    all: (type) => events(world, type),
    async came(type, count = 1) {
      awaited = `${count} × ${type} in the journal`;
      await inJournal(world, () => events(world, type).length >= count);
      return events(world, type);
    },
  };
}

/** Chooses this in the dialog with these words, which stands there; null: what is chosen already. */
export function choose(terminal: Terminal, words: string, option: string | null): Promise<void> {
  return pressUntilGone(terminal, words, (now) => (option === null || now.includes(`❯ ${option}`) ? "Enter" : "Down"));
}

/** @param keyFor the next key, by what the screen shows */
async function pressUntilGone(
  { screen, press }: Terminal,
  words: string,
  keyFor: (now: string) => string,
): Promise<void> {
  // For a moment a dialog refuses keys, and is then drawn anew: a key is pressed once it looks the same for a while.
  for (let seen = "", since = 0, now = screen(); now.includes(words); await promisify(setImmediate)(), now = screen()) {
    if (now !== seen) [seen, since] = [now, performance.now()];
    else if (performance.now() - since > SETTLED_MS) {
      press(keyFor(now));
      since = performance.now();
    }
  }
}

/** What tells why a test failed. */
function lastSeen(
  world: World,
  { awaited, screen, daemon }: { awaited: string; screen(): string; daemon: Daemon | undefined },
): string {
  let shown: string;
  try {
    shown = screen().trimEnd();
  } catch (error) {
    shown = String(error);
  }
  const spool = join(world.stateDir, "hooks", "spool");
  const parts = {
    "The desk waited last until": awaited,
    "The window": shown,
    "The journal's last events": journalOf(world)
      .slice(-20)
      .map(({ ts, type, payload }) => `${ts} ${type} ${JSON.stringify(payload).slice(0, 300)}`)
      .join("\n"),
    "Hooks that no daemon has taken": existsSync(spool)
      ? readdirSync(spool)
          .map((name) => `${name} ${readFileSync(join(spool, name), "utf8").slice(0, 500)}`)
          .join("\n")
      : "",
    "The daemon's last lines": (daemon?.stderr() ?? "").trimEnd().split("\n").slice(-20).join("\n"),
  };
  return Object.entries(parts)
    .map(([title, text]) => `── ${title}:\n${text}`)
    .join("\n");
}

/** No dialog asks anything. */
function furnish(world: World, allow: readonly string[]): void {
  const write = (path: string, value: object): void => writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
  const seen = {
    hasCompletedOnboarding: true,
    theme: "dark",
    hasSeenAutoDefaultNotice: true,
    hasSeenAutoDefaultNudge: true,
    customApiKeyResponses: { approved: [KEY], rejected: [] },
  };
  mkdirSync(join(world.home, ".claude"));
  write(join(world.home, ".claude.json"), { ...seen, projects: { [world.project]: { hasTrustDialogAccepted: true } } });
  write(join(world.home, ".claude", "settings.json"), {
    permissions: { defaultMode: "default", allow },
    env: { DISABLE_AUTOUPDATER: "1" },
  });
}

/** Changes the project, and adds to the rest of config.json. */
export function configure(
  { stateDir }: World,
  project: Record<string, unknown>,
  more: Record<string, unknown> = {},
): void {
  const file = join(stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as { projects: { app: object } };
  writeFileSync(
    file,
    JSON.stringify({ ...config, ...more, projects: { app: { ...config.projects.app, ...project } } }),
  );
}

/** Types it at the terminal, and presses Enter when it stands there. */
export async function enter({ type, shows, press }: Desk, text: string): Promise<void> {
  type(text);
  await shows(text);
  press("Enter");
}

/** Resolves when this was posted in the thread. */
export async function posted(world: World, thread: string, words: string): Promise<void> {
  await world.saying(thread, (said) => JSON.stringify(said).includes(JSON.stringify(words).slice(1, -1)));
}

/** How often these words stand in what was posted in the thread. */
export function timesSaid({ world }: Desk, thread: string, words: string): number {
  return world
    .said(thread)
    .map(({ content }) => content.split(words).length - 1)
    .reduce((a, b) => a + b, 0);
}

/** A Claude that plans has written this where it told the model that its plan has to stand. */
export async function writePlan({ world, model }: Desk, thread: string, content: string): Promise<void> {
  const [file_path = ""] =
    /[^\s"'\\`]*\/\.claude\/plans\/[\w-]+\.md/.exec(JSON.stringify(model.asked.at(-1)?.body)) ?? [];
  await world.marked((await world.owner(thread).send(`call:Write:${JSON.stringify({ file_path, content })}`)).id, "✅");
}

/**
 * Resolves when this stands in what Claude writes down of its conversations, which it does a moment later; with all of
 * that, and its folder.
 */
export async function writtenDown({ world }: Desk, words: string): Promise<{ folder: string; text: string }> {
  const folder = join(world.home, ".claude", "projects", world.project.replace(/[^a-zA-Z0-9]/g, "-"));
  const written = (): string =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
  await inFolder(folder, () => written().includes(words));
  return { folder, text: written() };
}

/**
 * Ends the window's Claude, once it has written down that it answered this: before that there is nothing to go on with.
 * Resolves with the folder of its conversations.
 */
export async function killed(desk: Desk, answer: string): Promise<string> {
  const [{ pid }] = (await desk.came("WindowOpened")) as [{ pid: number }];
  const { folder } = await writtenDown(desk, `"text":"${answer}"`);
  process.kill(pid, "SIGKILL");
  expect((await desk.came("WindowClosed"))[0]).toMatchObject({ why: "exit" });
  return folder;
}
