/**
 * Hooks as Claude Code runs them: the real command in a real shell with the real curl, its parent this process in the
 * place of Claude; and the daemon's socket for them, or something else in its place.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { nodeDisk } from "../../src/base/disk.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import {
  createHookChannel,
  type HookAnswer,
  type HookCall,
  type HookChannel,
  type HookRequest,
} from "../../src/engine/hook-channel.ts";
import { hookCommand, openHookFolder, type HookFolder } from "../../src/host/hooks/hook-folder.ts";
import { lineWith } from "../../src/host/hooks/claude-settings.ts";
import { systemProcessTable } from "../../src/host/processes/process-table.ts";
import { openHookServer, type HookServer } from "../../src/ipc/hook-server.ts";
import { freshDir } from "./scene.ts";
import type { HookPayload } from "../../src/protocol/hooks.ts";

const root = join(import.meta.dirname, "..", "..");
const FIXTURES = join(root, "test", "fixtures", "claude-hooks");

/** `other`: a Claude that is not ours; `adopted`: its owner's terminal; `own`: one of our windows. */
export type Whose = "other" | "adopted" | "own";
export const THREAD = "100000000000000001";

export interface Ran {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** What was said to it was not read to its end, which Claude shows as an error of the hook. */
  isDeaf: boolean;
}

export interface Running {
  readonly done: Promise<Ran>;
  /** To the shell and everything it has started, as Claude does it. */
  kill(signal: NodeJS.Signals): void;
}

export interface RunMore {
  env?: Record<string, string>;
  stdout?: string;
  /** What its shell does before. */
  first?: string;
  /** The user it runs as, where this process is root's. */
  uid?: number;
  shell?: string;
}

export interface HooksScene {
  folder: HookFolder;
  channel: HookChannel;
  heard: HookCall[];
  /** What the daemon's log has of failures. */
  failures: string[];
  /** Resolves when that many calls were heard. */
  came(count: number): Promise<void>;
  /** @param note what Claude is told at its beginning and with its prompts */
  serve(ask?: (request: HookRequest) => Promise<object | null>, note?: object): Promise<HookServer>;
  /** A socket in the daemon's place. */
  instead(take: (socket: Socket) => void): Promise<Server>;
  run(hook: string, payload: string | object, whose: Whose, more?: RunMore): Running;
  /** The same with the command of the status line, which shows this line of the owner's. */
  show(own: string | null, body: string, whose: Whose, more?: RunMore): Running;
  /** Resolves at the n-th pause (from 1) between two tries. */
  paused(count: number): Promise<void>;
}

export function fixture(name: string): Record<string, unknown> & { session_id: string } {
  return JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), "utf8")) as ReturnType<typeof fixture>;
}

export async function openHooksScene(stateDir = freshDir()): Promise<HooksScene> {
  const folder = await openHookFolder(nodeDisk, stateDir, {
    node: process.execPath,
    program: join(root, "bin", "bellhop.cjs"),
  });
  const channel = createHookChannel();
  const heard: HookCall[] = [];
  const failures: string[] = [];
  const log = { ...silentLog, failure: (text: string) => void failures.push(text) };
  const looks = new Set<() => void>();
  channel.register({
    ownerOf: ({ session, claude }) =>
      claude?.pid === process.pid && session !== "1" ? { thread_id: THREAD, work: null } : null,
    async onHook(call) {
      heard.push(call);
      for (const look of looks) look();
    },
  });
  const pauses = await openPauses(stateDir, () => {
    for (const look of looks) look();
  });
  const until = (fact: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!fact()) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
    });
  const run = (
    command: string,
    body: string,
    whose: Whose,
    { env = {}, stdout, first = "", shell = "/bin/sh", uid }: RunMore = {},
  ): Running => {
    const session = /"session_id":"([^"]*)"/.exec(body)?.[1] ?? "";
    if (whose === "adopted") writeFileSync(join(folder.path, "adopted", session), "");
    const to = `${first}${stdout === undefined ? "" : `exec >${stdout}; `}`;
    // Another user's process is the parent then, as their Claude would be.
    const child = spawn(
      shell,
      uid === undefined ? ["-c", `${to}${command}`] : ["-c", `${to}/bin/sh -c "$1"; exit $?`, shell, command],
      {
        cwd: root,
        detached: true,
        ...(uid !== undefined && { uid, gid: uid }),
        env: {
          PATH: `${pauses.bin}:/usr/bin:/bin`,
          HOME: stateDir,
          ...(whose === "own" && { BELLHOP_SESSION: THREAD }),
          ...env,
        },
      },
    );
    const out = { stdout: "", stderr: "", isDeaf: false };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out.stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (out.stderr += chunk));
    child.stdin.on("error", () => (out.isDeaf = true)).end(body);
    const kill = (signal: NodeJS.Signals): void =>
      void (child.exitCode === null && child.signalCode === null && process.kill(-(child.pid ?? 0), signal));
    onTestFinished(() => kill("SIGKILL"));
    return {
      done: new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal, ...out }))),
      kill,
    };
  };
  return {
    folder,
    channel,
    heard,
    failures,
    came: (count) => until(() => heard.length >= count),
    paused: (count) => until(() => pauses.count() >= count),
    async serve(ask = async () => null, note) {
      const asking = {
        ask: async (request: HookRequest): Promise<HookAnswer> => ({
          told: await ask(request),
          delivered: () => undefined,
        }),
        settleFromHook: async () => undefined,
        noteFor: ({ hook_event_name }: HookPayload) =>
          note !== undefined && /^(?:SessionStart|UserPromptSubmit)$/.test(hook_event_name)
            ? { answer: note, onDelivered: () => undefined }
            : null,
      };
      const server = await openHookServer({
        folder,
        channel,
        processes: systemProcessTable(),
        clock: systemClock,
        log,
        asking,
      });
      onTestFinished(() => server.close());
      return server;
    },
    async instead(take) {
      const server = createServer(take);
      await new Promise<void>((resolve) => server.listen(join(folder.path, "hook.sock"), resolve));
      onTestFinished(() => void server.close());
      await folder.connect("ab".repeat(32));
      // As long as the real one says, only shorter.
      const connection = join(folder.path, "connection");
      writeFileSync(connection, readFileSync(connection, "utf8").replace("speed-time = 10", "speed-time = 1"));
      return server;
    },
    run: (hook, payload, whose, more) =>
      run(
        hookCommand(folder.path, hook),
        typeof payload === "string" ? payload : JSON.stringify({ ...payload, hook_event_name: hook }),
        whose,
        more,
      ),
    show: (own, body, whose, more) =>
      run(lineWith(folder.path, own === null ? null : { type: "command", command: own }).command, body, whose, more),
  };
}

/** A pause takes no time here, and is seen: its program comes first in Claude's PATH. */
async function openPauses(dir: string, look: () => void): Promise<{ bin: string; count(): number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on("error", () => undefined).end();
    look();
  });
  const gate = join(dir, "pauses.sock");
  await new Promise<void>((resolve) => server.listen(gate, resolve));
  onTestFinished(() => void server.close());
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, "sleep"),
    `#!/bin/sh\nexec curl -q -s --http0.9 --unix-socket '${gate}' http://pause/ >/dev/null\n`,
    { mode: 0o755 },
  );
  return { bin, count: () => count };
}

/** What Claude makes of it: a hook that asks lets the tool run only by its word, or by saying nothing. */
export function verdict({ code, stdout }: Ran): string {
  if (code === 2) return "blocked";
  if (stdout.trim() === "") return code === 0 ? "silent" : "failed";
  const { hookSpecificOutput: said } = JSON.parse(stdout) as {
    hookSpecificOutput: { permissionDecision?: string; decision?: { behavior: string } };
  };
  return said.permissionDecision ?? said.decision?.behavior ?? "?";
}
