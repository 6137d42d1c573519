/**
 * The gateway's sockets: HELLO, IDENTIFY, heartbeats, RESUME, and Discord's close codes for whatever is out of
 * order. What events say and who receives them is decided elsewhere.
 */
import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { createDeflate, constants, type Deflate } from "node:zlib";
import { GatewayCloseCodes as Close, GatewayOpcodes as Op } from "discord-api-types/v10";
import type { WebSocket } from "ws";
import type { GatewayFaults } from "../faults/gateway-faults.ts";
import { isObject, type Json } from "../rest/form.ts";
import type { Identifies } from "./identifies.ts";
import { limits } from "../limits.ts";
import { defaultLocale, knownLocale } from "../locale.ts";
import { guildMembers, readyPayload, sendGuilds } from "./ready.ts";
import type { Context } from "../context.ts";
import type { Connection, Payload, Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { userByToken } from "../state/users.ts";

export interface GatewayParts {
  context: Context;
  sessions: Sessions;
  identifies: Identifies;
  faults: GatewayFaults;
  heartbeatMs: number;
}

/** One socket from HELLO to close. */
export class GatewayConnection implements Connection {
  readonly #parts: GatewayParts;
  readonly #socket: WebSocket;
  /** The stream under it. */
  readonly #raw: Duplex;
  readonly #deflate: Deflate | null;
  readonly #name: string;
  #session: Session | null = null;
  #sentAt: number[] = [];

  constructor(parts: GatewayParts, { socket, raw }: { socket: WebSocket; raw: Duplex }, query: URLSearchParams) {
    this.#parts = parts;
    this.#socket = socket;
    this.#raw = raw;
    this.#name = `heartbeat:${randomUUID()}`;
    this.#deflate = query.get("compress") === "zlib-stream" ? createDeflate({ flush: constants.Z_SYNC_FLUSH }) : null;
    this.#deflate?.on("data", (chunk: Buffer) => this.#socket.send(chunk));
    socket.on("message", (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on("close", (code) => this.#closed(code));
    socket.on("error", () => socket.terminate());
    parts.faults.attach(this);
    this.#greet(query);
  }

  get session(): Session | null {
    return this.#session;
  }

  send(payload: Payload): void {
    for (const one of this.#parts.faults.outgoing(this, payload)) this.sendNow(one);
  }

  /** Sends past every fault. */
  sendNow(payload: Payload): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const text = JSON.stringify(payload);
    if (this.#deflate === null) this.#socket.send(text);
    else this.#deflate.write(text);
  }

  /**
   * Closes as Discord does; where it is a bot that did something wrong, that is a violation. A half-open socket carries
   * no close either, and that nobody hears the bot meanwhile is not its fault.
   */
  close(code: number, reason: string): void {
    if (this.#parts.faults.silent(this)) return;
    if (this.#session === null || this.#session.isBot) {
      this.#parts.context.violation("gateway_close", code, reason);
    }
    this.drop(code, reason);
  }

  /** Closes without blaming anybody. */
  drop(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  say(frame: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame);
  }

  breakOff(): void {
    // The header of a text frame of 4,096 bytes, and the first three of those.
    this.#raw.end(Buffer.from([0x81, 126, 0x10, 0x00, 0x7b, 0x22, 0x6f]), () => this.#raw.destroy());
  }

  /** Cuts the socket without a closing handshake. */
  cut(): void {
    this.#socket.terminate();
  }

  #greet(query: URLSearchParams): void {
    const { faults, heartbeatMs } = this.#parts;
    if (!["10", "9", null].includes(query.get("v"))) return this.close(Close.InvalidAPIVersion, "Invalid API version");
    if (!["json", null].includes(query.get("encoding")))
      return this.close(Close.DecodeError, "Only JSON is spoken here");
    faults.hello(() =>
      this.send({ op: Op.Hello, t: null, s: null, d: { heartbeat_interval: heartbeatMs, _trace: [] } }),
    );
    this.#awaitHeartbeat();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#parts.faults.silent(this)) return;
    if (data.length > limits.gatewayPayloadBytes)
      return this.close(Close.DecodeError, "Payload is larger than 4096 bytes");
    if (!this.#withinRate()) return this.close(Close.RateLimited, "Rate limited");
    const message = isBinary ? undefined : parse(data.toString("utf8"));
    if (message === undefined || typeof message["op"] !== "number")
      return this.close(Close.DecodeError, "Error while decoding payload");
    this.#act(message["op"], message["d"]);
  }

  #act(op: number, d: unknown): void {
    if (op === Op.Heartbeat) return this.#heartbeat();
    if (op === Op.Identify) return this.#identify(isObject(d) ? d : {});
    if (op === Op.Resume) return this.#resume(isObject(d) ? d : {});
    if (this.#session === null) return this.close(Close.NotAuthenticated, "Not authenticated");
    if (op === Op.RequestGuildMembers) return this.#sendMembers(this.#session, isObject(d) ? d : {});
    if (op === Op.PresenceUpdate || op === Op.VoiceStateUpdate) return;
    // What only people's clients send (lazy guilds and the like) is ignored.
    if (!this.#session.isBot && op > 12) return;
    this.close(Close.UnknownOpcode, "Unknown opcode");
  }

  #heartbeat(): void {
    this.#awaitHeartbeat();
    if (this.#parts.faults.acknowledges(this)) this.send({ op: Op.HeartbeatAck, t: null, s: null, d: null });
  }

  #identify(d: Json): void {
    const { context, sessions, identifies } = this.#parts;
    if (this.#session !== null) return this.close(Close.AlreadyAuthenticated, "Already authenticated");
    const user =
      typeof d["token"] === "string" ? userByToken(context.world, d["token"].replace(/^Bot /, "")) : undefined;
    if (user === undefined) return this.close(Close.AuthenticationFailed, "Authentication failed");
    if (!isObject(d["properties"])) return this.close(Close.DecodeError, "Error while decoding payload");
    const wrong = user.bot ? identifies.wrong(user.id, d) : undefined;
    if (wrong !== undefined) return this.close(wrong.code, wrong.reason);
    const shard = (Array.isArray(d["shard"]) ? d["shard"] : [0, 1]) as [number, number];
    const spent = user.bot ? identifies.spend(user.id, shard[0]) : "fine";
    if (spent === "soon") return this.send({ op: Op.InvalidSession, t: null, s: null, d: false });
    if (spent === "spent") return this.#endAll(user.id);
    const intents = typeof d["intents"] === "number" ? d["intents"] : 0;
    const locale = knownLocale(d["properties"]["system_locale"]) ?? defaultLocale;
    const session = sessions.open({ userId: user.id, isBot: user.bot, intents, shard, locale }, this);
    this.#session = session;
    sessions.tell(session, "READY", readyPayload(context, session));
    this.#parts.faults.ready(session, () => sendGuilds(context, sessions, session));
    context.changed();
  }

  /** Ends everything that was opened with a token which is no longer valid. */
  #endAll(userId: string): void {
    const { sessions } = this.#parts;
    for (const session of sessions.of(userId)) {
      session.line?.close(Close.AuthenticationFailed, "The token was reset");
      sessions.end(session);
    }
    this.close(Close.AuthenticationFailed, "The token was reset");
  }

  #resume(d: Json): void {
    const { context, sessions, faults } = this.#parts;
    if (this.#session !== null) return this.close(Close.AlreadyAuthenticated, "Already authenticated");
    const user =
      typeof d["token"] === "string" ? userByToken(context.world, d["token"].replace(/^Bot /, "")) : undefined;
    if (user === undefined) return this.close(Close.AuthenticationFailed, "Authentication failed");
    const session = typeof d["session_id"] === "string" ? sessions.get(d["session_id"]) : undefined;
    const seq = d["seq"];
    if (session !== undefined && session.userId === user.id && typeof seq === "number" && seq > session.seq) {
      sessions.end(session);
      return this.close(Close.InvalidSeq, "Invalid seq");
    }
    const missed =
      session === undefined || session.userId !== user.id || typeof seq !== "number"
        ? undefined
        : sessions.missed(session, seq);
    if (session === undefined || missed === undefined || (user.bot && faults.refusesResume())) {
      if (session !== undefined && session.userId === user.id) sessions.end(session);
      return this.send({ op: Op.InvalidSession, t: null, s: null, d: false });
    }
    const former = session.line;
    session.line = this;
    this.#session = session;
    if (former instanceof GatewayConnection && former !== this) former.replaced();
    for (const payload of missed) this.send(payload);
    sessions.tell(session, "RESUMED", { _trace: [] });
    context.changed();
  }

  /** Another socket has taken the session over. */
  replaced(): void {
    this.#session = null;
    this.#socket.close(Close.SessionTimedOut, "Session resumed elsewhere");
  }

  #sendMembers(session: Session, d: Json): void {
    const { context, sessions } = this.#parts;
    if (d["guild_id"] !== context.world.guildId) return;
    const members = guildMembers(context);
    sessions.tell(session, "GUILD_MEMBERS_CHUNK", {
      guild_id: context.world.guildId,
      members,
      chunk_index: 0,
      chunk_count: 1,
      ...(d["nonce"] === undefined ? {} : { nonce: d["nonce"] }),
    });
  }

  #awaitHeartbeat(): void {
    this.#parts.context.timers.arm(this.#name, this.#parts.heartbeatMs * 2, () => {
      // People's clients are not what is tested here; a page in a sleeping tab may well miss a beat.
      if (this.#session?.isBot !== false) this.close(Close.SessionTimedOut, "No heartbeat");
    });
  }

  #withinRate(): boolean {
    const now = this.#parts.context.clock.monotonic();
    this.#sentAt = this.#sentAt.filter((at) => now - at < limits.gatewayEventsMs);
    this.#sentAt.push(now);
    return this.#sentAt.length <= limits.gatewayEvents;
  }

  #closed(code: number): void {
    const { context, sessions, faults } = this.#parts;
    context.timers.disarm(this.#name);
    this.#deflate?.destroy();
    faults.gone(this);
    const session = this.#session;
    if (session === null || session.line !== this) return;
    // A client that closes with 1000 or 1001 says that it will not come back.
    if (code === 1000 || code === 1001) sessions.end(session);
    else sessions.lose(session);
    context.changed();
  }
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
