/**
 * A tmux server of our own and the windows in it. The server outlives this process and whoever supervises it, so that
 * what runs in its windows does too. It reads no configuration of the user's, and its environment is the one it was
 * started with.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { runProgram, type ProgramAnswer } from "../processes/program.ts";
import { which } from "../processes/which.ts";
import { graphemes } from "../../base/text.ts";

interface TmuxOptions {
  /** Absolute: from `which`. */
  file: string;
  /** Of the server, if it must be started; complete. */
  env: Readonly<Record<string, string>>;
  /** The daemon's own environment, in which systemd names its services. */
  service: Readonly<Record<string, string | undefined>>;
  /** Absolute, in a folder that is private to us. */
  socket: string;
}

export interface WindowRequest {
  /** The tmux session it stands in; made if missing. */
  session: string;
  /** Shown in the status line of who attaches. */
  name: string;
  cwd: string;
  /** At least two words: tmux would give a single one to a shell. */
  argv: readonly [string, string, ...string[]];
  /** On top of the server's environment. */
  env: Readonly<Record<string, string>>;
}

/** A pane as tmux sees it; a window of ours has one. */
export interface Pane {
  window_id: string;
  pane_id: string;
  /**
   * The process that it was opened with; 0: it has ended, and tmux does not tell any more which it was (seen with 3.8).
   */
  pid: number;
  /** Its process has ended; what it showed still stands. */
  dead: boolean;
  /**
   * Of an ended process, a moment after its end; null: a signal, it lives, or tmux has missed its end (seen with 3.3a).
   */
  exit_code: number | null;
}

export interface VisibleLines {
  /**
   * What is visible, with the escape sequences of its colours. What a program wrote in the moment of its end may be
   * missing (seen with 3.3a).
   */
  lines: string[];
}

export interface Screen extends Pane, VisibleLines {
  /** In copy mode and the like, which takes all keys. */
  inMode: boolean;
  cursor: { x: number; y: number };
}

export interface Tmux {
  readonly socket: string;
  /** @throws Error with tmux's own words */
  open(request: WindowRequest): Promise<Pane>;
  /**
   * Empty if there is no server. Each start asks, so tmux is not even begun where there is no socket.
   * @param opened a regular expression without `,` and `}`: only those whose command, as they were opened, matches it
   */
  panes(opened?: string): Promise<Pane[]>;
  /** Null if there is no such pane. */
  screen(paneId: string): Promise<Screen | null>;
  /** The device that the pane's programs have as their terminal; null if there is no such pane. */
  device(paneId: string): Promise<number | null>;
  /** Writes these bytes to the pane's program, as they are. False if there is no such pane. */
  write(paneId: string, bytes: string): Promise<boolean>;
  press(paneId: string, key: "Enter" | "Escape"): Promise<boolean>;
  /** Ends copy mode and the like. */
  leaveMode(paneId: string): Promise<void>;
  /** Erases up to 40 lines before the cursor, where that is what Ctrl+U and Backspace do. */
  erase(paneId: string): Promise<boolean>;
  /**
   * Closes the window, and ends what runs in it. Only if nothing runs there any more or it is still the one that was
   * opened with this process: a server ends with its last window, and the next one counts its windows anew.
   */
  close(window: Pick<Pane, "window_id" | "pid">): Promise<void>;
}

const WIDTH = 200;
const HEIGHT = 50;
const WITHIN_MS = 10_000;
const SCOPE_WITHIN_MS = 5_000;
const PANE = "#{window_id} #{pane_id} #{pane_pid} #{pane_dead} #{pane_dead_status}";
/** Since then a paste's control characters become text, unless tmux is told to leave them. */
const SANITIZES = "#{>=:#{version},3.7}";
const PANE_ID = /^%\d+$/;
const WINDOW_ID = /^@\d+$/;

/** What the server is told before it has a window. */
const BEFORE: readonly (readonly string[])[] = [
  ["start-server"],
  ["set-option", "-s", "escape-time", "0"],
  // While nobody is attached. A window is as large as the terminal of whoever attaches, who has to see all of it.
  ["set-option", "-g", "default-size", `${WIDTH}x${HEIGHT}`],
  // What a program showed last tells why it ended.
  ["set-option", "-gw", "remain-on-exit", "on"],
  ["set-option", "-gw", "allow-rename", "off"],
  ["set-option", "-gw", "automatic-rename", "off"],
];

export function openTmux({ file, env, service, socket }: TmuxOptions): Tmux {
  const tmux = (
    commands: readonly (readonly string[])[],
    { input, prefix = [] }: { input?: string; prefix?: readonly string[] } = {},
  ): Promise<ProgramAnswer> => {
    const args = [
      "-u",
      "-S",
      socket,
      "-f",
      "/dev/null",
      ...commands.flatMap((words, at) => [...(at > 0 ? [";"] : []), ...words.map(word)]),
    ];
    const [program = file, ...rest] = [...prefix, file, ...args];
    return runProgram({ file: program, args: rest, env, withinMs: WITHIN_MS, ...(input !== undefined && { input }) });
  };

  async function open({ session, name, cwd, argv, env: more }: WindowRequest): Promise<Pane> {
    const where = [
      "-P",
      "-F",
      PANE,
      "-n",
      literal(name),
      "-c",
      literal(cwd),
      ...Object.entries(more).flatMap(([key, value]) => ["-e", `${key}=${value}`]),
      "--",
      ...argv,
    ];
    const next = (): Promise<ProgramAnswer> => tmux([["new-window", "-d", "-t", `=${session}:`, ...where]]);
    const first = async (): Promise<ProgramAnswer> =>
      tmux(
        [
          ...BEFORE,
          ["new-session", "-d", "-x", `${WIDTH}`, "-y", `${HEIGHT}`, "-s", session, ...where],
          ...unset(session, more),
        ],
        { prefix: await outOfUnit(service) },
      );
    const has = await tmux([["has-session", "-t", `=${session}`]]);
    let answer = await (has.code === 0 ? next() : first());
    // Another, who found no session either, has made it meanwhile.
    if (answer.code !== 0 && answer.stderr.startsWith("duplicate session: ")) answer = await next();
    const pane = answer.code === 0 ? paneOf(answer.stdout) : null;
    if (pane === null) throw new Error(answer.stderr.trim() || "tmux opened no window");
    return pane;
  }

  return {
    socket,
    open,
    async panes(opened) {
      if (!existsSync(socket)) return [];
      const { code, stdout } = await tmux([
        [
          "list-panes",
          "-a",
          ...(opened === undefined ? [] : ["-f", `#{m/r:${opened},#{pane_start_command}}`]),
          "-F",
          PANE,
        ],
      ]);
      return code === 0 ? stdout.split("\n").flatMap((line) => paneOf(line) ?? []) : [];
    },
    async screen(paneId) {
      if (!PANE_ID.test(paneId)) return null;
      const { code, stdout } = await tmux([
        ["display-message", "-p", "-t", paneId, `#{pane_in_mode} #{cursor_x} #{cursor_y} ${PANE}`],
        ["capture-pane", "-e", "-p", "-t", paneId],
      ]);
      const [first = "", ...lines] = stdout.replace(/\n$/, "").split("\n");
      const [, inMode, x, y, rest = ""] = /^(\d+) (\d+) (\d+) (.*)$/.exec(first) ?? [];
      const pane = paneOf(rest);
      // A missing pane is answered with empty fields.
      if (code !== 0 || pane?.pane_id !== paneId) return null;
      return { ...pane, inMode: inMode !== "0", cursor: { x: Number(x), y: Number(y) }, lines };
    },
    device: async (paneId) =>
      PANE_ID.test(paneId)
        ? deviceOf((await tmux([["display-message", "-p", "-t", paneId, "#{pane_tty}"]])).stdout.trim())
        : null,
    async write(paneId, bytes) {
      if (!PANE_ID.test(paneId)) return false;
      const buffer = `bellhop-${randomBytes(6).toString("hex")}`;
      const paste = (flags: string): string => `paste-buffer -d -r ${flags} -b ${buffer} -t ${paneId}`;
      const { code } = await tmux(
        [
          ["load-buffer", "-b", buffer, "-"],
          ["if-shell", "-F", SANITIZES, paste("-S"), paste("")],
        ],
        { input: bytes },
      );
      return code === 0;
    },
    async press(paneId, key) {
      if (!PANE_ID.test(paneId)) return false;
      return (await tmux([["send-keys", "-t", paneId, key]])).code === 0;
    },
    async leaveMode(paneId) {
      if (PANE_ID.test(paneId)) await tmux([["copy-mode", "-q", "-t", paneId]]);
    },
    async erase(paneId) {
      if (!PANE_ID.test(paneId)) return false;
      return (await tmux([["send-keys", "-N", "40", "-t", paneId, "C-u", "BSpace"]])).code === 0;
    },
    async close({ window_id, pid }) {
      if (!WINDOW_ID.test(window_id)) return;
      await tmux([
        [
          "if-shell",
          "-F",
          "-t",
          window_id,
          `#{||:#{pane_dead},#{==:#{pane_pid},${pid}}}`,
          `kill-window -t ${window_id}`,
        ],
      ]);
    },
  };
}

function paneOf(line: string): Pane | null {
  const [, window_id = "", pane_id = "", pid = "", dead = "", status = ""] =
    /^(@\d+) (%\d+) (\d*) ([01]?) ?(\d*)\s*$/.exec(line) ?? [];
  if (pane_id === "") return null;
  return { window_id, pane_id, pid: Number(pid), dead: dead === "1", exit_code: status === "" ? null : Number(status) };
}

/** What is given with a session's first window is given to each later one too, such as one that the owner opens. */
function unset(session: string, env: Readonly<Record<string, string>>): string[][] {
  return Object.keys(env).map((name) => ["set-environment", "-u", "-t", `=${session}`, name]);
}

async function deviceOf(path: string): Promise<number | null> {
  const stats = await stat(path).catch(() => null);
  return stats?.isCharacterDevice() === true ? stats.rdev : null;
}

/** tmux takes a `;` at the end of a word for the end of its command. */
function word(text: string): string {
  return text.endsWith(";") ? `${text.slice(0, -1)}\\;` : text;
}

/**
 * Text for tmux that it must not expand: what follows a `#` would otherwise be replaced, even by the output of a
 * command. Doubled it is a literal `#`; those before a `[` are left alone by tmux.
 */
export function literal(text: string): string {
  return text.replace(/#+(\[?)/g, (signs, bracket) => (bracket === "" ? signs + signs : signs));
}

/**
 * The words to put before the command that starts the server, so that it lives on when systemd stops the service that
 * we are: they give it a scope of its own. None if we are not a systemd service, where the server leaves our session by
 * itself, or if the user manager does not answer.
 * @param service the daemon's own environment, in which systemd names its services
 */
export async function outOfUnit(service: Readonly<Record<string, string | undefined>>): Promise<readonly string[]> {
  const file = which("systemd-run", service["PATH"]);
  if (service["INVOCATION_ID"] === undefined || file === null) return [];
  const prefix = [file, "--user", "--scope", "--collect", "--quiet", "--"];
  const tried = await runProgram({
    file,
    args: [...prefix.slice(1), "/bin/true"],
    env: service,
    withinMs: SCOPE_WITHIN_MS,
  });
  return tried.code === 0 ? prefix : [];
}

/*
 * Text as the pastes of a terminal: each piece between the marks that a program asks for to tell what is pasted from
 * what is typed (bracketed paste, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). In pieces, because programs
 * put a long paste aside instead of showing it.
 */

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";
const LONGEST_CHARACTER = 50;

/** The longest piece, in UTF-16 units and in lines. */
interface PieceLimit {
  chars: number;
  lines: number;
  /** A piece ends where a match of it does; global. */
  end: RegExp;
}

/** @param text without control characters other than `\n` and `\t`, so that it cannot end a paste by itself */
export function asPastes(text: string, limit: PieceLimit): string {
  return pieces(text, limit)
    .map((piece) => `${BEGIN}${piece}${END}`)
    .join("");
}

function pieces(text: string, { chars, lines, end }: PieceLimit): string[] {
  const all: string[] = [];
  const ends = [...text.matchAll(end)].map(({ index, 0: { length } }) => index + length);
  for (let from = 0, next = 0; from < text.length;) {
    while ((ends[next] ?? text.length) <= from) next += 1;
    let to = Math.min(ends[next] ?? text.length, from + chars);
    const newline = nthNewline(text, { from, to, count: lines });
    if (newline !== -1) to = newline + 1;
    else if (to < text.length && to !== ends[next]) to = boundary(text, from, to);
    all.push(text.slice(from, to));
    from = to;
  }
  return all;
}

function nthNewline(text: string, { from, to, count }: { from: number; to: number; count: number }): number {
  let at = from - 1;
  for (let left = count; left > 0; left -= 1) {
    at = text.indexOf("\n", at + 1);
    if (at === -1 || at >= to) return -1;
  }
  return at;
}

/** Between words if there are any, else between characters that do not belong together. */
function boundary(text: string, from: number, to: number): number {
  const blank = text.lastIndexOf(" ", to - 1);
  if (blank > from) return blank + 1;
  const character = graphemes(text.slice(from, to + LONGEST_CHARACTER)).containing(to - from)?.index ?? 0;
  if (character > 0) return from + character;
  return /[\uD800-\uDBFF]/.test(text[to - 1] ?? "") && to - 1 > from ? to - 1 : to;
}
