/**
 * One caller's connection, from its hello to its end. Nothing is done for it before a valid hello; after that it may
 * have many calls at once, each answered once, with parts and an end. When it hangs up, all of them are cancelled.
 */
import type { Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { encodeFrame, FrameReader, linkRefused, type Frame } from "../protocol/frame.ts";
import {
  allowed,
  errorFrame,
  LINK_VERSION,
  readClientMessage,
  type Hello,
  type MethodName,
  type Role,
  type ClientMessage,
} from "../protocol/messages.ts";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export interface Call {
  role: Role;
  scope: Scope;
  variables: Readonly<Record<string, string>>;
  params: unknown;
  /** Aborted when the caller hangs up or no longer wants the answer. */
  cancelled: AbortSignal;
  /** Sends one of several answers, at most 1 MiB as JSON; nothing after the call was cancelled. */
  part(value: unknown): void;
}

/** Resolves with the last answer; a `BellhopError` is reported by its code, anything else as `E_INTERNAL`. */
export type Method = (call: Call) => Promise<unknown>;
export type Methods = Readonly<Record<MethodName, Method>>;

/** The same for every connection. */
export interface ConnectionContext {
  methods: Methods;
  /** Removes secrets from every answer. */
  redact<T>(value: T): T;
  clock: Clock;
  log: Log;
  /** Our version. */
  bellhop: string;
}

interface ConnectionOptions extends ConnectionContext {
  socket: Socket;
  capabilities: Capabilities;
  helloMs: number;
  /** Called when a caller has shown a valid capability; false if its role has no free connection. */
  admit(role: Role): boolean;
  /** Called when a connection is refused as a whole. */
  onRefused(error: BellhopError): void;
}

type KnownCaller = CapabilityHolder & Pick<Hello, "variables">;

/** The maximum number of a caller's concurrent calls. */
const MAX_CALLS = 64;
/** A caller that does not read its answers is disconnected before it fills our memory. */
const UNREAD_BYTES = 8 * 1024 * 1024;

export class Connection {
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #reader = new FrameReader();
  readonly #calls = new Map<number, AbortController>();
  readonly #stopWaiting: () => void;
  #caller: KnownCaller | null = null;
  #ending = false;

  constructor(options: ConnectionOptions) {
    const { socket, clock, helloMs } = options;
    this.#options = options;
    this.#stopWaiting = clock.after(helloMs, () => this.hangUp(false, linkRefused(`no hello within ${helloMs} ms`)));
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("error", () => socket.destroy());
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#cancelAll();
        resolve();
      });
    });
  }

  /** Says goodbye and hangs up. `again`: a daemon will be available to call again. */
  hangUp(again: boolean, error: BellhopError): void {
    if (this.#ending) return;
    this.#send({ bye: { again, ...errorFrame(error) } });
    this.#ending = true;
    this.#cancelAll();
    const { socket, clock } = this.#options;
    socket.end(() => socket.destroy());
    // Does not wait for a caller that does not even read this.
    clock.after(1_000, () => socket.destroy());
  }

  #onData(chunk: Buffer): void {
    if (this.#ending) return;
    try {
      for (const frame of this.#reader.push(chunk)) {
        if (this.#ending) return;
        const message = readClientMessage(frame);
        if (message === undefined) throw linkRefused("a frame that means nothing");
        this.#onMessage(message);
      }
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(error: unknown): void {
    const known = error instanceof BellhopError ? error : linkRefused("an internal error");
    if (known === error) this.#options.onRefused(known);
    else this.#options.log.failure("the socket failed", error);
    this.hangUp(false, known);
  }

  #onMessage(message: ClientMessage): void {
    if (message.kind === "hello") return this.#greet(message.hello);
    if (this.#caller === null) throw linkRefused("a call before the hello");
    if (message.kind === "cancel") return this.#forget(message.id);
    if (this.#calls.has(message.id)) throw linkRefused(`two calls with the number ${message.id}`);
    if (this.#calls.size >= MAX_CALLS)
      return this.#send({
        id: message.id,
        error: errorFrame(new BellhopError("E_TOO_MANY_CALLS", { limit: MAX_CALLS })),
      });
    void this.#answer(message.id, message.method, message.params, this.#caller);
  }

  #greet({ version, role, capability, variables }: Hello): void {
    if (this.#caller !== null) throw linkRefused("a second hello");
    if (version !== LINK_VERSION)
      throw linkRefused(`the caller speaks version ${version}, this Bellhop version ${LINK_VERSION}`);
    const holder = this.#options.capabilities.holder(role, capability);
    if (holder === undefined) throw linkRefused(`no capability for ${role}`);
    if (!this.#options.admit(role)) throw linkRefused("too many callers at once");
    this.#stopWaiting();
    this.#caller = { ...holder, variables };
    holder.revoked.addEventListener("abort", () => this.hangUp(false, linkRefused("the capability was revoked")), {
      once: true,
    });
    this.#send({ welcome: { version: LINK_VERSION, bellhop: this.#options.bellhop, pid: process.pid } });
  }

  async #answer(id: number, name: string, params: unknown, { role, scope, variables }: KnownCaller): Promise<void> {
    const cancel = new AbortController();
    this.#calls.set(id, cancel);
    const call: Call = {
      role,
      scope,
      variables,
      params,
      cancelled: cancel.signal,
      part: (value) => cancel.signal.aborted || this.#send({ id, part: value }),
    };
    let answer: Frame;
    try {
      const method = (allowed[role] as readonly string[]).includes(name)
        ? this.#options.methods[name as MethodName]
        : undefined;
      if (method === undefined) throw new BellhopError("E_METHOD_UNKNOWN", { method: name.slice(0, 80) });
      answer = { id, result: (await method(call)) ?? null };
    } catch (error) {
      if (!(error instanceof BellhopError))
        this.#options.log.failure("a method of the socket failed", error, { method: name.slice(0, 80) });
      answer = { id, error: errorFrame(error) };
    }
    this.#calls.delete(id);
    if (!cancel.signal.aborted) this.#sendLast(id, answer);
  }

  #sendLast(id: number, answer: Frame): void {
    try {
      this.#send(answer);
    } catch (error) {
      this.#options.log.failure("an answer is too long for the socket", error);
      this.#send({ id, error: errorFrame(error) });
    }
  }

  /** A cancelled call is not answered at all, so no call is answered twice. */
  #forget(id: number): void {
    this.#calls.get(id)?.abort();
    this.#calls.delete(id);
  }

  #cancelAll(): void {
    this.#stopWaiting();
    for (const id of [...this.#calls.keys()]) this.#forget(id);
  }

  /** @throws E_LINK_REFUSED if the frame is too long */
  #send(frame: Frame): void {
    const { socket, redact } = this.#options;
    if (this.#ending || socket.destroyed) return;
    const bytes = encodeFrame(redact(frame));
    if (socket.writableLength + bytes.length > UNREAD_BYTES) socket.destroy();
    else socket.write(bytes);
  }
}

/*
 * Who may call: a capability is 256 random bits that the daemon created for one role and scope. Comparing takes
 * constant time, and a revoked capability is worthless.
 */

/** What a capability is bound to; if empty, to what the caller's hello says. */
export interface Scope {
  /** A session: the caller may read, clear and post there and nowhere else, whatever its variables say. */
  readonly thread_id?: string;
}

export interface IssuedCapability {
  readonly capability: string;
  /** Invalidates the capability and ends the connections that used it. */
  revoke(): void;
}

interface CapabilityHolder {
  readonly role: Role;
  readonly scope: Scope;
  /** Aborted when the capability is revoked. */
  readonly revoked: AbortSignal;
}

interface Capabilities {
  grant(role: Role, scope?: Scope): IssuedCapability;
  /** The holder, if the capability is valid for this role. */
  holder(role: Role, capability: string): CapabilityHolder | undefined;
}

export function createCapabilities(): Capabilities {
  const held = new Map<string, { digest: Buffer; holder: CapabilityHolder }>();

  function grant(role: Role, scope: Scope = {}): IssuedCapability {
    const capability = randomBytes(32).toString("hex");
    const end = new AbortController();
    held.set(capability, { digest: digestOf(capability), holder: { role, scope, revoked: end.signal } });
    return {
      capability,
      revoke() {
        held.delete(capability);
        end.abort();
      },
    };
  }

  function holder(role: Role, capability: string): CapabilityHolder | undefined {
    const digest = digestOf(capability);
    let found: CapabilityHolder | undefined;
    // Compares all, by digests of equal length: the time reveals nothing about how close a guess was.
    for (const { digest: known, holder: one } of held.values()) {
      if (timingSafeEqual(known, digest) && one.role === role) found = one;
    }
    return found;
  }

  return { grant, holder };
}

function digestOf(capability: string): Buffer {
  return createHash("sha256").update(capability).digest();
}
