/**
 * The caller's side of the socket: finds the daemon of a state directory, identifies itself and sends calls. If
 * requested, it waits for the daemon to come back, shows its capability again and repeats unanswered calls, so that
 * callers do not notice a restart.
 */
import { connect, type Socket } from "node:net";
import { pause, type Clock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { errnoOf } from "../base/disk.ts";
import { encodeFrame, FrameReader, linkRefused } from "../protocol/frame.ts";
import { isOurSocket, readAddress, shortPath } from "../host/socket-path.ts";
import { LINK_VERSION, readAnswer, type ServerMessage, type MethodName, type Role } from "../protocol/messages.ts";

export interface CallerOptions {
  /** Absolute. */
  stateDir: string;
  role: Role;
  clock: Clock;
  /** Used instead of the role's own capability: one that the daemon granted to a program it started. */
  capability?: string;
  /** See `Hello`. */
  variables?: Readonly<Record<string, string>>;
  /** How long a daemon may take to send its welcome; default 10 seconds. */
  welcomeMs?: number;
  /** Absent: when the daemon goes away, calls fail at once. */
  wait?: ReconnectOptions;
}

/** For a daemon that went away: how long it is waited for, and what is called when that begins, and when it is back. */
export interface ReconnectOptions {
  forMs: number;
  onConnectionLost?(): void;
  onReconnected?(): void;
}

export interface Caller {
  /** The daemon's version and process, from its last welcome. */
  readonly daemon: { bellhop: string; pid: number };
  /**
   * Resolves with the last answer. Repeated when a daemon comes back, with the current `params`; its parts start over.
   * @throws the daemon's refusal; E_NO_DAEMON if it was away for longer than it is waited for; the reason of `signal`
   */
  call(
    method: MethodName,
    params: unknown,
    listen?: { part?(value: unknown): void; signal?: AbortSignal },
  ): Promise<unknown>;
  close(): void;
}

const WELCOME_MS = 10_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;

/** @throws E_NO_DAEMON {dir}, E_LINK_REFUSED {why} */
export async function openCaller(options: CallerOptions): Promise<Caller> {
  const wire = await openWire(options);
  return new WaitingCaller(options, wire);
}

interface PendingCall {
  method: MethodName;
  params: unknown;
  part: ((value: unknown) => void) | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class WaitingCaller implements Caller {
  daemon: Caller["daemon"];
  readonly #options: CallerOptions;
  readonly #asked = new Map<number, PendingCall>();
  #wire: DaemonLink | null;
  #number = 0;
  #closed = false;
  /** Why no more calls are possible. */
  #failure: unknown = null;

  constructor(options: CallerOptions, wire: DaemonLink) {
    this.#options = options;
    this.#wire = wire;
    this.daemon = wire.daemon;
    this.#follow(wire);
  }

  call(
    method: MethodName,
    params: unknown,
    { part, signal }: { part?(value: unknown): void; signal?: AbortSignal } = {},
  ): Promise<unknown> {
    if (this.#failure !== null) return Promise.reject(this.#failure as Error);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const id = ++this.#number;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        if (!this.#asked.delete(id)) return;
        this.#wire?.send({ cancel: id });
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      const settled = (): void => signal?.removeEventListener("abort", cancel);
      this.#asked.set(id, {
        method,
        params,
        part,
        resolve: (value) => (settled(), resolve(value)),
        reject: (error) => (settled(), reject(error)),
      });
      this.#wire?.send({ id, method, params });
    });
  }

  close(): void {
    this.#closed = true;
    this.#wire?.socket.destroy();
    this.#fail(new BellhopError("E_NO_DAEMON", { dir: this.#options.stateDir }));
  }

  #follow(wire: DaemonLink): void {
    wire.onAnswer = (answer) => this.#onAnswer(answer);
    void wire.ended.then((error) => {
      this.#wire = null;
      if (!this.#closed) void this.#return(error);
    });
  }

  #onAnswer(answer: ServerMessage): void {
    if (answer.kind === "welcome" || answer.kind === "bye") return;
    const asked = this.#asked.get(answer.id);
    if (asked === undefined) return;
    if (answer.kind === "part") return asked.part?.(answer.value);
    this.#asked.delete(answer.id);
    if (answer.kind === "result") asked.resolve(answer.value);
    else asked.reject(answer.error);
  }

  /** After the connection was lost: reconnects for as long as allowed, then repeats the open calls. */
  async #return(error: BellhopError): Promise<void> {
    const { clock, wait } = this.#options;
    const until = clock.monotonic() + (wait?.forMs ?? 0);
    // Keeps the process alive while it waits, because nothing else might.
    const alive = setInterval(() => undefined, 2 ** 30);
    let failure = error;
    if (failure.code === "E_NO_DAEMON") wait?.onConnectionLost?.();
    for (let pauseMs = FIRST_PAUSE_MS; failure.code === "E_NO_DAEMON" && clock.monotonic() < until && !this.#closed;) {
      await pause(clock, pauseMs);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      try {
        const wire = await openWire(this.#options);
        clearInterval(alive);
        return this.#resume(wire);
      } catch (again) {
        failure = again instanceof BellhopError ? again : linkRefused(errnoOf(again));
      }
    }
    clearInterval(alive);
    this.#fail(failure);
  }

  #resume(wire: DaemonLink): void {
    if (this.#closed) return void wire.socket.destroy();
    this.#wire = wire;
    this.daemon = wire.daemon;
    this.#options.wait?.onReconnected?.();
    this.#follow(wire);
    for (const [id, { method, params }] of this.#asked) wire.send({ id, method, params });
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const asked of this.#asked.values()) asked.reject(error);
    this.#asked.clear();
  }
}

/** One connection, after its welcome. */
interface DaemonLink {
  socket: Socket;
  daemon: Caller["daemon"];
  send(frame: Record<string, unknown>): void;
  onAnswer: (answer: ServerMessage) => void;
  /** Resolves when the connection is lost, with the reason: E_NO_DAEMON if reconnecting may help. */
  ended: Promise<BellhopError>;
}

/** @throws E_NO_DAEMON, E_LINK_REFUSED */
async function openWire(options: CallerOptions): Promise<DaemonLink> {
  const { stateDir, role, variables = {} } = options;
  const gone = new BellhopError("E_NO_DAEMON", { dir: stateDir });
  const address = await readAddress(stateDir);
  if (address === undefined || !(await isOurSocket(address.socket))) throw gone;
  const { name, removeLink: release } = shortPath(address.socket);
  const socket = await connected(name)
    .catch(() => {
      throw gone;
    })
    .finally(release);
  const welcome = Promise.withResolvers<Caller["daemon"]>();
  const ended = Promise.withResolvers<BellhopError>();
  const wire: DaemonLink = {
    socket,
    daemon: { bellhop: "", pid: 0 },
    send: (frame) => void (socket.writable && socket.write(encodeFrame(frame))),
    onAnswer: () => undefined,
    ended: ended.promise,
  };
  let why = gone;
  listenTo(socket, (answer) => {
    if (answer.kind === "welcome") welcome.resolve({ bellhop: answer.bellhop, pid: answer.pid });
    else if (answer.kind === "bye") why = answer.again ? gone : answer.error;
    else wire.onAnswer(answer);
  });
  socket.once("close", () => {
    ended.resolve(why);
    welcome.reject(why);
  });
  const late = options.clock.after(options.welcomeMs ?? WELCOME_MS, () => socket.destroy());
  const capability = options.capability ?? address.capabilities[role];
  wire.send({ hello: { version: LINK_VERSION, role, capability, variables } });
  try {
    wire.daemon = await welcome.promise.finally(late);
    return wire;
  } catch (error) {
    // Between two daemons, the old one's capability may meet the new one's socket: that is not a refusal.
    const now = options.capability === undefined && (await readAddress(stateDir));
    throw now === false || now?.capabilities[role] === capability ? error : gone;
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}

/** A malformed answer is the daemon's fault and ends the connection. */
function listenTo(socket: Socket, hear: (answer: ServerMessage) => void): void {
  const reader = new FrameReader();
  socket.on("data", (chunk: Buffer) => {
    try {
      for (const frame of reader.push(chunk)) {
        const answer = readAnswer(frame);
        if (answer !== undefined) hear(answer);
      }
    } catch {
      socket.destroy();
    }
  });
}
