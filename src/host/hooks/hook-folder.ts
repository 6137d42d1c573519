/**
 * The folder `hooks` of a state directory: everything that the command of a hook needs. It is private to this user. Its
 * script is the same whoever writes it, and the file that says how to reach the daemon exists only while one can be
 * reached.
 *
 * - `hook.sh`, `program.sh`: the command, and the program it uses where there is no curl
 * - `status-line.sh`: the command of the status line
 * - `connection`: how curl reaches the daemon's socket `hook.sock`, with the key that it must show
 * - `adopted/<session id>`: a Claude that its owner started himself and has put into the thread named in the file
 * - `spool/`: ends of turns that no daemon has taken
 */
import fs from "node:fs/promises";
import { readFileSync, constants } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openFolder, readWhole, writeAtomically, type Disk } from "../../base/disk.ts";

interface HookPrograms {
  /** Absolute: Node, and `bin/bellhop.cjs`, whose package has the script. */
  node: string;
  program: string;
}

export interface HookFolder {
  readonly path: string;
  /** From now on the hooks of this conversation are ours, although its Claude runs in its owner's terminal. */
  adoptConversation(claudeSession: string, threadId: string): Promise<void>;
  releaseConversation(claudeSession: string): Promise<void>;
  /** The conversations that were adopted, each with its thread. */
  adopted(): Promise<Map<string, string>>;
  /** From now on the command reaches the daemon, by showing this key. */
  connect(key: string): Promise<void>;
  disconnect(): Promise<void>;
}

export const SOCKET = "hook.sock";
const CONNECTION = "connection";
const SCRIPT = "hook.sh";
export const STATUS_LINE_SCRIPT = "status-line.sh";

/** @param stateDir exists and is ours. @throws what the disk throws */
export async function openHookFolder(
  disk: Disk,
  stateDir: string,
  { node, program }: HookPrograms,
): Promise<HookFolder> {
  const path = await openFolder(disk, stateDir, "hooks");
  const adopted = await openFolder(disk, path, "adopted");
  await openFolder(disk, path, "spool");
  for (const script of [SCRIPT, STATUS_LINE_SCRIPT])
    await write(disk, join(path, script), readFileSync(join(dirname(program), "..", "scripts", script)));
  await write(
    disk,
    join(path, "program.sh"),
    Buffer.from(`node=${shellQuote(node)}\nprogram=${shellQuote(program)}\n`),
  );
  return {
    path,
    adoptConversation: (claudeSession, threadId) =>
      write(disk, join(adopted, named(claudeSession)), Buffer.from(threadId)),
    releaseConversation: (claudeSession) => rm(join(adopted, named(claudeSession)), { force: true }),
    async adopted() {
      const names = await readdir(adopted);
      return new Map(
        await Promise.all(
          names.map(async (name) => [name, (await readWhole(disk, join(adopted, name)))?.toString() ?? ""] as const),
        ),
      );
    },
    connect: (key) => writeAtomically(disk, join(path, CONNECTION), Buffer.from(connection(key))),
    disconnect: () => rm(join(path, CONNECTION), { force: true }),
  };
}

/**
 * The command of one hook: it does nothing where the folder is gone, unless the Claude is in a window of the same state
 * directory. Claude runs it with /bin/sh, which reads the script itself, because starting another shell takes half a
 * millisecond; any other shell starts /bin/sh.
 */
export function hookCommand(folder: string, hook: string): string {
  const script = shellQuote(join(folder, SCRIPT));
  const outputs = shellQuote(join(dirname(folder), "outputs/"));
  const missing =
    hook === "PreToolUse"
      ? `case \${BELLHOP_SESSION:+.\${BELLHOP_OUTPUTS-}} in .|.${outputs}*) exit 2;; *) exit 0;; esac`
      : "exit 0";
  return `[ -r ${script} ] || ${missing}; [ "$0" = /bin/sh ] || exec /bin/sh ${script} ${hook}; set -- ${hook} ${shellQuote(folder)}; . ${script}`;
}

/** Whether a command of Claude's settings is one of these. */
export function isHookCommand(folder: string, command: unknown): boolean {
  return typeof command === "string" && command.includes(shellQuote(join(folder, SCRIPT)));
}

/** The folder of a command of a hook, whichever version and state directory it is of; null: it is none of Bellhop's. */
export function folderOfHook(command: unknown): string | null {
  const script =
    typeof command === "string"
      ? /^\[ -r '((?:[^']|'\\'')*)' \] \|\| /.exec(command)?.[1]?.replaceAll("'\\''", "'")
      : undefined;
  return script?.endsWith(`/hooks/${SCRIPT}`) === true ? dirname(script) : null;
}

/** Of curl. The name of the socket is relative, because an absolute one may be too long for a socket's address. */
function connection(key: string): string {
  return `silent
noproxy = "*"
url = "http://bellhop/hook"
unix-socket = "${SOCKET}"
connect-timeout = 2
speed-limit = 1
speed-time = 10
header = "Authorization: Bearer ${key}"
header = "Content-Type: application/json"
header = "Expect:"
write-out = "\\n%{http_code}"
`;
}

/** As one word of a POSIX shell. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function named(claudeSession: string): string {
  if (!/^[0-9A-Za-z][0-9A-Za-z-]*$/.test(claudeSession)) throw new TypeError("no session's id");
  return claudeSession;
}

/** Not written again if it is the same: a hook may be reading it. */
async function write(disk: Disk, path: string, bytes: Buffer): Promise<void> {
  const before = await readWhole(disk, path);
  if (before === undefined || !before.equals(bytes)) await writeAtomically(disk, path, bytes);
}

/*
 * The beginnings and ends of turns that hooks kept in files because no daemon took them, oldest first. Each is removed
 * when it has been taken, and what cannot be read is removed too, so that no file is read for ever.
 */

interface Spooled {
  /** The two lines by which a hook says where it comes from. */
  origin: string;
  tmux: string;
  body: string;
  remove(): Promise<void>;
}

/** The folder of the files, in the hooks' own. */
export const SPOOL = "spool";
/** As in `scripts/hook.sh`, with the lines above the payload. */
const MOST_BYTES = 1024 * 1024 + 8192;
const MOST_FILES = 200;
const NAME = /^\d{14}-\d+$/;

/**
 * @param folder of `openHookFolder`
 * @param isAgain files that are being written are left alone; the first time they are what killed hooks left
 * @throws what the disk throws
 */
export async function* readSpool(folder: string, isAgain: boolean): AsyncGenerator<Spooled> {
  const spool = join(folder, SPOOL);
  const names = (await fs.readdir(spool)).filter((name) => !isAgain || !name.startsWith(".")).slice(0, 2 * MOST_FILES);
  const times = await Promise.all(
    names.map(async (name) => ({ name, at: (await fs.lstat(join(spool, name), { bigint: true })).mtimeNs })),
  );
  for (const { name } of times.sort((a, b) => Number(a.at - b.at))) {
    const path = join(spool, name);
    const remove = (): Promise<void> => fs.rm(path, { force: true, recursive: true });
    const text = NAME.test(name) ? await read(path).catch(() => undefined) : undefined;
    const [, origin, tmux, body] = /^([^\n]*)\n([^\n]*)\n([^]*)$/.exec(text ?? "") ?? [];
    if (origin === undefined || tmux === undefined || body === undefined) await remove();
    else yield { origin, tmux, body, remove };
  }
}

/** Undefined for anything but a file of ours in its limits. */
async function read(path: string): Promise<string | undefined> {
  const file = await fs.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    const isOurs = process.getuid === undefined || stats.uid === process.getuid();
    return stats.isFile() && isOurs && stats.size <= MOST_BYTES ? await file.readFile("utf8") : undefined;
  } finally {
    await file.close();
  }
}
