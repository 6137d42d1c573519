/**
 * The private socket by which everything else on this machine talks to the daemon. It is opened only by the process
 * that holds the state directory's lock, lets nobody in but this user (0600 in a 0700 directory) with a capability,
 * and costs the daemon nothing but itself: whatever a caller does, the others and the daemon go on.
 */
import { chmod } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { createCapabilities, type Grant, type Scope } from "./capabilities.ts";
import { Connection, type Methods } from "./connection.ts";
import { refused } from "./frame.ts";
import { clearStale, removeAddress, removeStaleAddress, socketPlaces, shortPath, writeAddress, type Address } from "./place.ts";
import { roles, type Role } from "./protocol.ts";

export interface LinkOptions {
  /** Absolute, ours, and locked by this process. */
  stateDir: string;
  /** `XDG_RUNTIME_DIR`, where there is one. */
  runtimeDir: string | undefined;
  clock: Clock;
  log: Log;
  /** Our version. */
  bellhop: string;
  methods: Methods;
  limits?: { connections?: number; helloMs?: number };
}

export interface Link {
  /** Absolute path of the socket. */
  readonly socket: string;
  /** A capability for a program we start: good for this role and scope until it is taken back. */
  grant(role: Role, scope: Scope): Grant;
  /** Tells everybody to call again, hangs up and removes the socket. */
  close(): Promise<void>;
}

const CONNECTIONS = 64;
/** Time for a caller to say who it is. */
const HELLO_MS = 10_000;

/**
 * Resolves when callers can connect.
 * @throws E_LINK_REFUSED where no place for the socket is ours, else what the system throws
 */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { stateDir, runtimeDir } = options;
  const capabilities = createCapabilities();
  const open = new Set<Connection>();
  const server = createServer((socket) => accept(socket));
  // Before anybody can connect: whoever is refused looks whether he came with an old capability, and calls again.
  await removeStaleAddress(stateDir);
  const { socket, release } = await listenAt(server, await socketPlaces(stateDir, runtimeDir));
  server.on("error", (error) => options.log.failure("the socket broke", error));
  const granted = Object.fromEntries(roles.map((role) => [role, capabilities.grant(role).capability]));
  await writeAddress(stateDir, { socket, pid: process.pid, capabilities: granted as Address["capabilities"] });

  function accept(caller: Socket): void {
    const helloMs = options.limits?.helloMs ?? HELLO_MS;
    const connection = new Connection({ ...options, socket: caller, capabilities, helloMs });
    if (open.size >= (options.limits?.connections ?? CONNECTIONS)) {
      connection.end(false, refused("too many callers at once"));
      return;
    }
    open.add(connection);
    void connection.closed.then(() => open.delete(connection));
  }

  async function shut(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const connection of open) connection.end(true, new BellhopError("E_NO_DAEMON", { dir: stateDir }));
    await closed;
    release();
    await removeAddress(stateDir, process.pid);
    await clearStale(socket).catch(() => undefined);
  }

  let closing: Promise<void> | null = null;
  return { socket, grant: capabilities.grant, close: () => (closing ??= shut()) };
}

/** The first place that can be had; `release` when the server is closed, which removes the socket by its short name. */
async function listenAt(server: Server, places: readonly string[]): Promise<{ socket: string; release(): void }> {
  let failure: unknown;
  for (const socket of places) {
    try {
      await clearStale(socket);
      const { name, release } = shortPath(socket);
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
