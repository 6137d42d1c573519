/**
 * The private socket through which everything else on this machine talks to the daemon. Only the process that holds the
 * state directory's lock opens it. It admits only this user (0600 in a 0700 directory) with a capability, and a
 * misbehaving caller affects neither the daemon nor other callers.
 */
import { chmod } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { BellhopError } from "../base/errors.ts";
import {
  createCapabilities,
  type IssuedCapability,
  type Scope,
  Connection,
  type ConnectionContext,
} from "./connection.ts";
import {
  clearStale,
  removeAddress,
  removeStaleAddress,
  socketPlaces,
  shortPath,
  writeAddress,
} from "../host/socket-path.ts";
import { linkRefused } from "../protocol/frame.ts";
import { roles, type Address, type Role } from "../protocol/messages.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";

export interface IpcServerOptions extends ConnectionContext {
  /** Absolute, ours, and locked by this process. */
  stateDir: string;
  /** `XDG_RUNTIME_DIR`, if set. */
  runtimeDir: string | undefined;
  limits?: { connections?: number; helloMs?: number };
}

export interface IpcServer {
  /** Absolute path of the socket. */
  readonly socket: string;
  /** A capability for a program we start: valid for this role and scope until it is revoked. */
  grant(role: Role, scope: Scope): IssuedCapability;
  /** Tells every caller to call again, hangs up and removes the socket. */
  close(): Promise<void>;
}

/**
 * How many identified callers may be connected; the command line is counted apart, so that clients cannot block
 * `status`.
 */
const CALLERS = 64;
const CLI_CALLERS = 16;
/** Time for a caller to send its hello. */
const HELLO_MS = 10_000;

/**
 * Resolves when callers can connect.
 * @throws E_LINK_REFUSED if no place for the socket is ours, else the system's error
 */
export async function openIpcServer(options: IpcServerOptions): Promise<IpcServer> {
  const { stateDir, runtimeDir } = options;
  const capabilities = createCapabilities();
  const open = new Map<Connection, Role | null>();
  const strangers = new UnidentifiedCallers(options.clock);
  const onRefused = boundedWarnings(options);
  const server = createServer((socket) => accept(socket));
  // Before anybody can connect: a refused caller checks whether its capability is old, and calls again.
  await removeStaleAddress(stateDir);
  const { socket, release } = await listenAt(server, await socketPlaces(stateDir, runtimeDir));
  server.on("error", (error) => options.log.failure("the socket failed", error));
  const granted = Object.fromEntries(roles.map((role) => [role, capabilities.grant(role).capability]));
  await writeAddress(stateDir, { socket, pid: process.pid, capabilities: granted as Address["capabilities"] });

  function accept(caller: Socket): void {
    const helloMs = options.limits?.helloMs ?? HELLO_MS;
    const connection: Connection = new Connection({
      ...options,
      socket: caller,
      capabilities,
      helloMs,
      onRefused,
      admit: (role) => admit(connection, role),
    });
    open.set(connection, null);
    strangers.add(connection, () => connection.hangUp(false, linkRefused("no hello, and too many others are waiting")));
    void connection.closed.then(() => {
      open.delete(connection);
      strangers.delete(connection);
    });
  }

  function admit(connection: Connection, role: Role): boolean {
    strangers.delete(connection);
    const isCli = role === "cli";
    const alike = [...open.values()].filter((known) => known !== null && (known === "cli") === isCli).length;
    if (alike >= (isCli ? CLI_CALLERS : (options.limits?.connections ?? CALLERS))) return false;
    open.set(connection, role);
    return true;
  }

  async function shut(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const connection of open.keys()) connection.hangUp(true, new BellhopError("E_NO_DAEMON", { dir: stateDir }));
    await closed;
    release();
    await removeAddress(stateDir, process.pid);
    await clearStale(socket).catch(() => undefined);
  }

  let closing: Promise<void> | null = null;
  return { socket, grant: capabilities.grant, close: () => (closing ??= shut()) };
}

/**
 * Listens at the first usable place. Call `release` when the server is closed, which removes the socket by its short
 * name.
 */
async function listenAt(server: Server, places: readonly string[]): Promise<{ socket: string; release(): void }> {
  let failure: unknown;
  for (const socket of places) {
    try {
      await clearStale(socket);
      const { name, removeLink: release } = shortPath(socket);
      await listen(server, name).catch((error: unknown) => {
        release();
        throw error;
      });
      return { socket, release };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
  await chmod(path, 0o600);
}

/*
 * Callers of a socket that have not said their first line: a hello, or the line of a request. They cost little and are
 * dropped by count, those silent longest first; a caller that speaks at once is never dropped, so a crowd of silent
 * callers keeps nobody out.
 */

/** So many silent callers are kept in any case. */
const KEPT = 64;
/** Where there are more, each may stay silent this long. */
const PATIENCE_MS = 250;
/** Where there are more than this, the oldest is dropped at once. */
const MOST = 1_024;

export class UnidentifiedCallers {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #waiting = new Map<object, { since: number; drop(): void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param drop hangs up on it */
  add(caller: object, drop: () => void): void {
    const now = this.#clock.monotonic();
    this.#waiting.set(caller, { since: now, drop });
    for (const [one, { since, drop: hangUp }] of this.#waiting) {
      const { size } = this.#waiting;
      if (size <= KEPT || (size <= MOST && now - since < PATIENCE_MS)) return;
      this.#waiting.delete(one);
      hangUp();
    }
  }

  /** It has spoken, or is gone. */
  delete(caller: object): void {
    this.#waiting.delete(caller);
  }
}

/** Warnings per minute; of the rest only the number is logged. */
const WARNINGS = 10;
const MINUTE_MS = 60_000;

/** Logs a warning for each refusal, but limits them so that refusals cannot fill the log. */
export function boundedWarnings({ clock, log }: { clock: Clock; log: Log }): (error: BellhopError) => void {
  let since = Number.NEGATIVE_INFINITY;
  let refusals = 0;
  return ({ code, details }) => {
    const now = clock.monotonic();
    if (now - since >= MINUTE_MS) {
      if (refusals > WARNINGS)
        log.warn("more calls over the socket were refused", { error_code: code, calls: refusals - WARNINGS });
      [since, refusals] = [now, 0];
    }
    refusals += 1;
    if (refusals <= WARNINGS) log.warn("a call over the socket was refused", { error_code: code, ...details });
  };
}
