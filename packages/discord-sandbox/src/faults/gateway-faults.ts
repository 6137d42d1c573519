/**
 * Faults of the gateway: cut, silent and closed sockets, op 7 and op 9, doubled and reordered events, missing
 * acknowledgements, a late HELLO, a guild that is unavailable. They touch bots' connections only.
 */
import { GatewayOpcodes as Op } from "discord-api-types/v10";
import type { Fault } from "./fault.ts";
import { guildCreate } from "../state/guild.ts";
import type { Context } from "../context.ts";
import type { Connection, Payload, Session } from "../gateway/session.ts";
import type { Sessions } from "../gateway/sessions.ts";

export type GatewayFaultKind =
  /** The sockets of all bots are cut without a closing handshake, now. */
  | { kind: "cut" }
  /** The next event of this name (or any) is followed by a cut: it was sent, the socket died with it. */
  | { kind: "cut_after"; t?: string; times?: number }
  /** Half-open: the sockets that are open now neither send nor receive any more; new ones work. Lifting cuts them. */
  | { kind: "silence" }
  /** Op 7. */
  | { kind: "reconnect" }
  /** Op 9. Not resumable: the sessions are gone. */
  | { kind: "invalidate"; resumable: boolean }
  /** Closed by the server with this code. */
  | { kind: "close"; code: number }
  /** Matching events are sent twice. */
  | { kind: "duplicate"; t?: string; times?: number }
  /** A matching event is sent only after the next event. */
  | { kind: "reorder"; t?: string; times?: number }
  /** Heartbeats are not acknowledged. */
  | { kind: "miss_acks"; times?: number }
  /** HELLO comes only once lifted. */
  | { kind: "slow_hello"; times?: number }
  /** New sessions get READY but their guild stays unavailable; standing ones are told it went away. Until lifted. */
  | { kind: "unavailable" }
  /** RESUMEs are refused with op 9 (false). */
  | { kind: "refuse_resume"; times?: number }
  /** The server asks for a heartbeat (op 1). */
  | { kind: "ask_heartbeat" }
  /** Heartbeats are answered, and events are not sent. */
  | { kind: "withhold" }
  /** These frames are sent as they are. */
  | { kind: "say"; frames: string[] }
  /** The socket dies in the middle of a frame. */
  | { kind: "half_frame" }
  /** No socket is opened: a page of HTML is the answer. */
  | { kind: "no_upgrade"; times?: number }
  /** Another address is named as the gateway's: in READY, in the answers of REST, or by default in both. */
  | { kind: "elsewhere"; url: string; in?: "READY" | "REST"; times?: number };

export class GatewayFaults {
  readonly #context: () => Context;
  readonly #sessions: () => Sessions;
  readonly #connections = new Set<Connection>();
  readonly #standing: { kind: GatewayFaultKind; fault: Fault }[] = [];
  readonly #silenced = new Set<Connection>();
  readonly #heldBack = new Map<Connection, Payload[]>();

  constructor(context: () => Context, sessions: () => Sessions) {
    this.#context = context;
    this.#sessions = sessions;
  }

  /** Carries out, or sets up, a fault. */
  start(kind: GatewayFaultKind, fault: Fault): void {
    switch (kind.kind) {
      case "cut":
        return this.#each(fault, (one) => one.cut());
      case "reconnect":
        return this.#each(fault, (one) => one.sendNow({ op: Op.Reconnect, t: null, s: null, d: null }));
      case "ask_heartbeat":
        return this.#each(fault, (one) => one.sendNow({ op: Op.Heartbeat, t: null, s: null, d: null }));
      case "close":
        return this.#each(fault, (one) => one.drop(kind.code, "Closed on purpose"));
      case "invalidate":
        return this.#each(fault, (one) => this.#invalidate(one, kind.resumable));
      case "say":
        return this.#each(fault, (one) => kind.frames.forEach((frame) => one.say(frame)));
      case "half_frame":
        return this.#each(fault, (one) => one.breakOff());
      case "silence":
        return this.#each(fault, (one) => this.#silence(one, fault));
      case "unavailable":
        this.#loseGuild(fault);
        break;
      default:
        break;
    }
    this.#standing.push({ kind, fault });
  }

  attach(connection: Connection): void {
    this.#connections.add(connection);
  }

  gone(connection: Connection): void {
    this.#connections.delete(connection);
    this.#heldBack.delete(connection);
    this.#silenced.delete(connection);
  }

  hello(send: () => void): void {
    const slow = this.#active("slow_hello");
    if (slow === undefined) return send();
    slow.fault.count();
    slow.fault.onLift(send);
  }

  /** Whether the socket receives nothing now. */
  silent(connection: Connection): boolean {
    return this.#silenced.has(connection);
  }

  acknowledges(connection: Connection): boolean {
    const miss = this.#isBot(connection) ? this.#active("miss_acks") : undefined;
    miss?.fault.count();
    return miss === undefined;
  }

  refusesResume(): boolean {
    const refusal = this.#active("refuse_resume");
    refusal?.fault.count();
    return refusal !== undefined;
  }

  /** Whether something else answers in the gateway's place. */
  refusesUpgrade(): boolean {
    const refusal = this.#active("no_upgrade");
    refusal?.fault.count();
    return refusal !== undefined;
  }

  /** The address that is named as the gateway's here; undefined: its own. */
  elsewhere(place: "READY" | "REST"): string | undefined {
    const one = this.#standing.find(
      ({ kind, fault }) => kind.kind === "elsewhere" && fault.active && (kind.in ?? place) === place,
    );
    one?.fault.count();
    return one?.kind.kind === "elsewhere" ? one.kind.url : undefined;
  }

  /** What really goes out in place of a payload, in order. */
  outgoing(connection: Connection, payload: Payload): Payload[] {
    if (this.#silenced.has(connection)) return [];
    if (!this.#isBot(connection)) return [payload];
    if (payload.op !== Op.Dispatch || payload.t === "READY" || payload.t === "RESUMED") return [payload];
    const withheld = this.#active("withhold");
    if (withheld !== undefined) {
      withheld.fault.count();
      return [];
    }
    const held = this.#heldBack.get(connection) ?? [];
    this.#heldBack.delete(connection);
    const reorder = held.length === 0 ? this.#matching("reorder", payload.t) : undefined;
    if (reorder !== undefined) {
      reorder.count();
      this.#heldBack.set(connection, [payload]);
      return [];
    }
    const twice = this.#matching("duplicate", payload.t);
    twice?.count();
    const cut = this.#matching("cut_after", payload.t);
    cut?.count();
    if (cut !== undefined) queueMicrotask(() => connection.cut());
    return twice === undefined ? [payload, ...held] : [payload, payload, ...held];
  }

  /** After READY: sends the guild now, or when it is available again. */
  ready(session: Session, send: () => void): void {
    const away = session.isBot ? this.#active("unavailable") : undefined;
    if (away === undefined) return send();
    away.fault.count();
    away.fault.onLift(send);
  }

  #invalidate(connection: Connection, resumable: boolean): void {
    const { session } = connection;
    if (!resumable && session !== null) this.#sessions().end(session);
    connection.sendNow({ op: Op.InvalidSession, t: null, s: null, d: resumable });
  }

  /** What is said meanwhile is numbered and kept: the client must notice, reconnect and resume. */
  #silence(connection: Connection, fault: Fault): void {
    this.#silenced.add(connection);
    fault.onLift(() => connection.cut());
  }

  #loseGuild(fault: Fault): void {
    const { world } = this.#context();
    const told = this.#sessions()
      .connected()
      .filter((session) => session.isBot);
    for (const session of told) {
      fault.count();
      this.#sessions().tell(session, "GUILD_DELETE", { id: world.guildId, unavailable: true });
      fault.onLift(() => this.#sessions().tell(session, "GUILD_CREATE", guildCreate(world, session.userId)));
    }
  }

  #each(fault: Fault, act: (connection: Connection) => void): void {
    for (const connection of this.#bots()) {
      fault.count();
      act(connection);
    }
  }

  #bots(): Connection[] {
    return [...this.#connections].filter((one) => one.session?.isBot === true);
  }

  #isBot(connection: Connection): boolean {
    return connection.session?.isBot === true;
  }

  #active(kind: GatewayFaultKind["kind"]): { kind: GatewayFaultKind; fault: Fault } | undefined {
    return this.#standing.find((one) => one.kind.kind === kind && one.fault.active);
  }

  #matching(kind: "reorder" | "duplicate" | "cut_after", t: string | null): Fault | undefined {
    return this.#standing.find(
      (one) => one.kind.kind === kind && one.fault.active && (one.kind.t === undefined || one.kind.t === t),
    )?.fault;
  }
}
