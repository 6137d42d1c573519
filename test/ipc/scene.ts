/**
 * A socket of its own for a test, in a state directory of its own, with methods the test can see at work; and a raw
 * caller that says whatever it likes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { BellhopError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { openCaller, type Caller, type CallerOptions } from "../../src/client/call.ts";
import type { Call, Methods } from "../../src/ipc/connection.ts";
import { openIpcServer, type IpcServer, type IpcServerOptions } from "../../src/ipc/server.ts";
import { readAddress, shortPath } from "../../src/host/socket-path.ts";
import { allowed } from "../../src/protocol/messages.ts";
import { asItIs } from "../fakes/no-secrets.ts";

export function freshDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-link-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export interface Scene {
  readonly stateDir: string;
  readonly link: IpcServer;
  /** Every call that came through, as the methods saw it. */
  readonly calls: Call[];
  /** Resolves with the n-th call (from 0) when it has come through. */
  came(n: number): Promise<Call>;
  caller(options?: Partial<CallerOptions>): Promise<Caller>;
  raw(): Promise<Raw>;
}

type Options = Partial<IpcServerOptions> & { tail?: (call: Call) => Promise<unknown> };

/**
 * `status` answers with its params; `tail` answers two parts and then waits until it is cancelled, or as the test says.
 */
export async function openScene({ tail = streamed, ...options }: Options = {}): Promise<Scene> {
  const stateDir = options.stateDir ?? freshDir();
  const calls: Call[] = [];
  const waiting = new Map<number, (call: Call) => void>();
  const note = (call: Call): Call => {
    calls.push(call);
    waiting.get(calls.length - 1)?.(call);
    return call;
  };
  const link = await openIpcServer({
    stateDir,
    runtimeDir: undefined,
    clock: systemClock,
    log: silentLog,
    bellhop: "1.2.3",
    redact: asItIs,
    methods: {
      ...others(note),
      ping: async (call) => ({ role: note(call).role, scope: call.scope }),
      status: async (call) => note(call).params,
      tail: (call) => tail(note(call)),
    },
    ...options,
  });
  onTestFinished(() => link.close());
  return {
    stateDir,
    link,
    calls,
    came: (n) => new Promise((resolve) => (calls[n] ? resolve(calls[n]) : waiting.set(n, resolve))),
    async caller(more = {}) {
      const caller = await openCaller({ stateDir, role: "cli", clock: systemClock, ...more });
      onTestFinished(() => caller.close());
      return caller;
    },
    raw: () => openRaw(link.socket),
  };
}

/** Every other method of the table: it answers with nothing. */
function others(note: (call: Call) => Call): Methods {
  const names = Object.values(allowed).flat();
  return Object.fromEntries(names.map((name) => [name, async (call: Call) => void note(call)])) as unknown as Methods;
}

export function streamed({ part, cancelled }: Call): Promise<unknown> {
  part("one");
  part("two");
  return new Promise((_resolve, reject) =>
    cancelled.addEventListener("abort", () => reject(new BellhopError("E_INTERNAL"))),
  );
}

export interface Raw {
  readonly socket: Socket;
  say(...frames: unknown[]): void;
  /** The next thing the daemon says; undefined when it hung up. */
  next(): Promise<Record<string, unknown> | undefined>;
  /** Everything until it hung up. */
  rest(): Promise<Record<string, unknown>[]>;
}

export async function openRaw(path: string): Promise<Raw> {
  const { name, removeLink: release } = shortPath(path);
  const socket = connect(name);
  socket.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject)).finally(release);
  onTestFinished(() => void socket.destroy());
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown> | undefined> => {
    const line = await lines.next();
    return line.done === true ? undefined : (JSON.parse(line.value) as Record<string, unknown>);
  };
  return {
    socket,
    say: (...frames) => void socket.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join("")),
    next,
    async rest() {
      const all = [];
      for (let one = await next(); one !== undefined; one = await next()) all.push(one);
      return all;
    },
  };
}

/** The hello that is let in. */
export async function goodHello(
  stateDir: string,
  role: "cli" | "mcp" = "cli",
): Promise<{ hello: Record<string, unknown> }> {
  const address = await readAddress(stateDir);
  return { hello: { version: 1, role, capability: address?.capabilities[role] } };
}
