/**
 * The owner's own tmux server, beside Bellhop's: a shell in a pane, in which he starts Claude himself, with Bellhop's
 * hooks in his settings.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { withButton } from "../../flows/workshop.ts";
import type { Daemon, World } from "../../flows/world.ts";
import { configure, openDesk, type Desk } from "./desk.ts";

export interface OwnTerminal {
  pane: string;
  socket: string;
  /** Types a line at the shell. */
  line(text: string): void;
  /** The same in Claude's prompt box, which would take a line and its Enter at once for a paste. */
  say(text: string): Promise<void>;
  press(key: string): void;
  screen(): string;
  /** Resolves when the pane shows this. */
  shows(words: string): Promise<void>;
  tmux(...args: string[]): string;
}

const BELLHOP = join(import.meta.dirname, "..", "..", "..", "bin", "bellhop.cjs");

export function installHooks({ world }: Pick<Desk, "world">, verb = "install"): void {
  execFileSync(process.execPath, [BELLHOP, "hooks", verb], {
    env: { PATH: "/usr/bin:/bin", HOME: world.home, STATE_DIR: world.stateDir },
    stdio: "ignore",
  });
}

/** @param cwd where its shell is @param server the name of its socket */
export function openOwnTerminal(
  { world, env }: Pick<Desk, "world" | "env">,
  cwd = world.project,
  server = "own.tmux",
): OwnTerminal {
  const socket = join(world.home, server);
  const PATH = `${join(world.home, "bin")}:/usr/bin:/bin:/usr/local/bin`;
  const own = { PATH, HOME: world.home, LANG: "C.UTF-8", TERM: "xterm-256color", ...env };
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], {
      env: own,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trimEnd();
  const pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "110", "-y", "40", "-c", cwd, "/bin/sh");
  onTestFinished(() => {
    try {
      tmux("kill-server");
    } catch {
      // It may be gone already.
    }
  });
  const screen = (): string => tmux("capture-pane", "-p", "-t", pane);
  return {
    pane,
    socket,
    tmux,
    screen,
    line(text) {
      tmux("send-keys", "-t", pane, "-l", text);
      tmux("send-keys", "-t", pane, "Enter");
    },
    async say(text) {
      tmux("send-keys", "-t", pane, "-l", text);
      while (!screen().includes(text)) await promisify(setImmediate)();
      tmux("send-keys", "-t", pane, "Enter");
    },
    press: (key) => void tmux("send-keys", "-t", pane, key),
    async shows(words) {
      // Nothing tells of what a terminal draws.
      while (!screen().includes(words)) await promisify(setImmediate)();
    },
  };
}

/** Resolves when this was posted there. */
export async function posted(world: World, channel: string, words: string): Promise<void> {
  await world.saying(channel, (said) => JSON.stringify(said).includes(JSON.stringify(words).slice(1, -1)));
}

export interface Own {
  desk: Desk;
  own: OwnTerminal;
  daemon: Daemon;
  channel: string;
}

/**
 * A daemon that has had a session of the project, and the owner's terminal with hooks in his settings. @param below the
 * folder of the project in which his shell is
 */
export async function openOwn(
  context: Parameters<typeof openDesk>[0],
  project: Record<string, unknown> = {},
  below = "",
): Promise<Own> {
  const desk = await openDesk(context);
  const { world } = desk;
  installHooks(desk);
  configure(world, project);
  const daemon = await desk.start();
  await world.session();
  mkdirSync(join(world.project, below), { recursive: true });
  return { desk, daemon, own: openOwnTerminal(desk, join(world.project, below)), channel: world.sandbox.channelId };
}

export async function adopted({ desk: { world, came }, own, channel }: Own): Promise<string> {
  own.line("claude");
  await world.saying(channel, (said) => withButton(said, "ad-take"));
  await own.say("echo:at the desk");
  await posted(world, channel, "Permission mode `default`");
  await own.shows("● at the desk");
  const card = withButton(world.said(channel), "ad-take");
  await (await world.owner(channel).clickButton(card?.id ?? "", "Adopt")).answer();
  const [opened] = await came("WindowOpened");
  return String(opened?.["thread_id"]);
}
