/**
 * The connection to Discord's gateway: one socket at a time, resumed if possible, else begun anew, with full jitter
 * between tries. Everything the socket brings is passed on in order; nothing it brings can make this throw. Our own
 * rather than a library's because liveness, saving IDENTIFYs and the order of events decide whether a message is lost.
 */
import { WebSocket } from "ws";
import { GatewayOpcodes as Op, type APIGatewayBotInfo } from "discord-api-types/v10";
import { withTimeout, isoTime } from "../../../base/clock.ts";
import { theirWords, type BellhopError, type ErrorDetails } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { say, sayReason } from "../../../base/words/say.ts";
import type { BotContext } from "../bot-context.ts";
import { gatewayAddress } from "./address.ts";
import type { GatewayFile } from "./gateway-file.ts";
import {
  beatDue,
  onSocketClose,
  onFrame,
  newHandshake,
  onSocketOpen,
  refusal,
  type GatewayAction,
  type Condition,
  type Phase,
  sinceBoot,
  watchSleep,
} from "./handshake.ts";

export interface GatewayOptions {
  token: string;
  /** Discord's bit field of the events to receive. */
  intents: number;
  /** Asks Discord for the gateway's address and how many IDENTIFYs are left. */
  info(): Promise<APIGatewayBotInfo>;
  /** The session to resume, and how many IDENTIFYs were spent. */
  memory: GatewayFile;
  /** Milliseconds since the machine was started, sleep included. */
  sinceBoot?: () => number;
  random(): number;
  /** The connection carries events again: `resumed` with nothing missed, or anew. Called before any event after it. */
  onLive(resumed: boolean): void;
  dispatch(t: string, d: unknown): void;
}

const HELLO_MS = 20_000;
const READY_MS = 20_000;
const SETTLED_MS = 60_000;
const LONGEST_WAIT_MS = 60_000;
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const HALF_OPEN_MS = 1_000;
const PROPERTIES = { os: process.platform, browser: "bellhop", device: "bellhop" };
/**
 * A live connection is dropped by its own heartbeat after two silent intervals, so more means that no heartbeat runs.
 */
const SILENT_INTERVALS = 2.5;
/** How late a step may be, on a machine that was asleep or very busy. */
const LATE_MS = 60_000;
const FIND_MS = 5 * 60_000;
/** Any code but 1000 and 1001 leaves the session resumable. */
const CLOSE_AND_RESUME = 4000;
/** How often the session's sequence is saved. The saved one is that old, so every event it covers is on disk. */
const KEEP_MS = 60_000;
/** How long a connection that may be dead can take to answer. */
const PROOF_MS = 5_000;
/** Discord closes a connection that sends more than 120 in a minute; the rest is for what must be sent. */
const MINUTE_MS = 60_000;
const ASKED_BEATS = 100;

export class Gateway {
  /** Resolves when Discord refuses us for good: token (4004) or intents (4013, 4014) and the like. */
  readonly refused: Promise<BellhopError>;
  readonly #context: BotContext;
  readonly #options: GatewayOptions;
  readonly #hand = newHandshake();
  readonly #refuse: (error: BellhopError) => void;
  #socket: WebSocket | null = null;
  #ended = false;
  #tries = 0;
  #heardAt: number;
  #dispatchedAt: number | null = null;
  #beatMs = 60_000;
  /** When the next step of a connection that is not live is due. */
  #dueAt = 0;
  #why: ErrorDetails = { because: "why_connecting" };
  #waitsUntil: number | null = null;
  #sentAt: number[] = [];
  #proof: Promise<boolean> | null = null;
  /** Called after each frame. */
  #frame = (): void => undefined;
  #stopBeat = (): void => undefined;
  #stopWait = (): void => undefined;
  #stopKeep = (): void => undefined;
  readonly #stopWatch: () => void;

  /** Connects at once, and again until it is closed or refused. */
  constructor(context: BotContext, options: GatewayOptions) {
    const refused = Promise.withResolvers<BellhopError>();
    this.#context = context;
    this.#options = options;
    this.#heardAt = context.clock.monotonic();
    this.refused = refused.promise;
    this.#refuse = (error) => {
      this.#end(CLOSE_AND_RESUME);
      refused.resolve(error);
    };
    this.#hand.session = options.memory.session;
    this.#hand.sequence = options.memory.session?.sequence ?? null;
    this.#stopWatch = watchSleep({
      clock: context.clock,
      sinceBoot: options.sinceBoot ?? sinceBoot,
      slept: (ms) => this.#slept(ms),
    });
    void this.#connect();
  }

  get phase(): Phase {
    return this.#hand.phase;
  }

  /** Monotonic milliseconds of the last frame of any kind. */
  get heardAt(): number {
    return this.#heardAt;
  }

  get condition(): Condition {
    const now = this.#context.clock.monotonic();
    const heard_ms = now - this.#heardAt;
    const { phase } = this.#hand;
    const healthy = phase === "live" ? heard_ms < SILENT_INTERVALS * this.#beatMs : now < this.#dueAt + LATE_MS;
    return {
      phase,
      heard_ms,
      dispatch_ms: this.#dispatchedAt === null ? null : now - this.#dispatchedAt,
      healthy: healthy && !this.#ended,
      next_try_ms: this.#waitsUntil === null ? null : Math.max(0, this.#waitsUntil - now),
      ...(phase === "live" ? { why: null, why_said: null } : { why: logged(this.#why), why_said: this.#why }),
    };
  }

  /** Milliseconds between two heartbeats, as Discord asks. */
  get beatMs(): number {
    return this.#beatMs;
  }

  /** Whether it is live, which it proves by an answer: what Discord sent before that has arrived. */
  answers(): Promise<boolean> {
    return (this.#proof ??= this.#prove().finally(() => (this.#proof = null)));
  }

  async #prove(): Promise<boolean> {
    if (this.phase !== "live") return false;
    const asked = this.#context.clock.monotonic();
    const frame = new Promise<void>((resolve) => (this.#frame = resolve));
    this.#send(Op.Heartbeat, this.#hand.sequence);
    await withTimeout(this.#context.clock, PROOF_MS, frame);
    return this.phase === "live" && this.#heardAt >= asked;
  }

  /** Gives up a session that brings no events any more, and begins a new one. */
  startNewSession(why: ErrorDetails): void {
    this.#hand.session = null;
    this.#tries = 0;
    this.#reconnect(why);
  }

  close(): void {
    this.#end(1000);
  }

  #end(code: number): void {
    this.#ended = true;
    this.#stopWatch();
    this.#stopKeep();
    this.#drop(code);
    this.#options.memory.saveSession(null);
  }

  #dueIn(ms: number): void {
    this.#dueAt = this.#context.clock.monotonic() + ms;
  }

  async #connect(): Promise<void> {
    this.#waitsUntil = null;
    this.#dueIn(FIND_MS);
    try {
      // An address for resuming that does not answer is not tried again: any gateway resumes.
      const named = (this.#tries === 0 ? this.#hand.session?.resumeUrl : undefined) ?? (await this.#findGateway());
      if (this.#ended || named === null) return;
      const address = gatewayAddress(named, this.#context.api);
      if (address === null) return this.#refuseAddress(named);
      this.#listen(new WebSocket(address, { perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES }));
      onSocketOpen(this.#hand);
      this.#expect("greeting", HELLO_MS);
    } catch (error) {
      this.#reconnect({ reason: theirWords(error instanceof Error ? error.message : String(error)) });
    }
  }

  /** Nothing is sent there. A session that leads there is forgotten, and the address is asked for again. */
  #refuseAddress(named: unknown): void {
    const why = { because: "why_gateway_address" as const, address: oneLine(String(named), 200) };
    this.#context.log.warn(say("en", "E_GATEWAY_ADDRESS", why), { error_code: "E_GATEWAY_ADDRESS" });
    if (named === this.#hand.session?.resumeUrl) this.#hand.session = null;
    this.#reconnect(why);
  }

  /** Null if a new session would be one too many now; it tries again by itself when it may. */
  async #findGateway(): Promise<string | null> {
    const { info, memory } = this.#options;
    const { log } = this.#context;
    const { url, session_start_limit: starts } = await info();
    const wait = this.#hand.session ? null : memory.wait(starts);
    if (!wait) return url;
    this.#why = { because: `why_identify_${wait.why}` };
    const text = logged(this.#why);
    const details = {
      why: wait.why,
      wait_ms: Math.round(wait.ms),
      until: isoTime(this.#context.clock.now() + wait.ms),
      remaining: starts.remaining,
      total: starts.total,
    };
    if (wait.why === "pace") log.info(text, details);
    else log.warn(text, details);
    this.#tryIn(wait.ms);
    return null;
  }

  #tryIn(ms: number): void {
    const { clock } = this.#context;
    this.#dueIn(ms);
    this.#waitsUntil = clock.monotonic() + ms;
    this.#stopWait();
    this.#stopWait = clock.after(ms, () => void this.#connect());
  }

  #listen(socket: WebSocket): void {
    this.#socket = socket;
    this.#sentAt = [];
    socket.on("message", (data) => {
      if (this.#socket !== socket) return;
      this.#heardAt = this.#context.clock.monotonic();
      this.#act(onFrame(this.#hand, parse(String(data))));
      this.#frame();
    });
    socket.on("error", (error) => this.#context.log.warn("gateway connection", { reason: error.message }));
    socket.on("close", (code) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#act(onSocketClose(this.#hand, code));
    });
  }

  #act(actions: GatewayAction[]): void {
    for (const action of actions) {
      if (this.#ended) return;
      this.#perform(action);
    }
  }

  #perform(action: GatewayAction): void {
    const { token, intents, onLive: live, dispatch } = this.#options;
    switch (action.do) {
      case "beat_every":
        return this.#beatEvery(action.ms);
      case "beat":
        return this.#beat(action);
      case "identify":
        this.#expect("identifying", READY_MS);
        return void this.#identify({ token, intents, properties: PROPERTIES });
      case "resume": {
        const { id, sequence } = action.session;
        this.#expect("resuming", READY_MS);
        return this.#send(Op.Resume, { token, session_id: id, seq: sequence });
      }
      case "live":
        this.#settle();
        // Events that a resume has just brought may not be on disk yet; the session as saved before still works.
        this.#saveSession(!action.resumed);
        return this.#guarded(() => live(action.resumed));
      case "dispatch":
        this.#dispatchedAt = this.#heardAt;
        return this.#guarded(() => dispatch(action.t, action.d));
      case "reconnect":
        return this.#reconnect(action.why);
      case "stop":
        return this.#refuse(refusal(action.code));
    }
  }

  /** It is recorded on disk before it is sent. */
  async #identify(what: object): Promise<void> {
    const socket = this.#socket;
    await this.#options.memory.spend();
    if (this.#socket === socket && this.#hand.phase === "identifying") this.#send(Op.Identify, what);
  }

  /** Discord may ask for any number of heartbeats; it gets as many as it allows. */
  #beat({ sequence, asked }: { sequence: number | null; asked: boolean }): void {
    const now = this.#context.clock.monotonic();
    this.#sentAt = this.#sentAt.filter((at) => at > now - MINUTE_MS);
    if (!asked || this.#sentAt.length < ASKED_BEATS) this.#send(Op.Heartbeat, sequence);
  }

  /**
   * The machine slept, or this process was stopped: waiting tries start at once, and what looks open has to prove it.
   */
  #slept(ms: number): void {
    const { log } = this.#context;
    log.info("the process did not run for a while", { ms: Math.round(ms), phase: this.#hand.phase });
    this.#tries = 0;
    if (this.#waitsUntil !== null) return this.#tryIn(0);
    if (this.#hand.phase !== "live") return;
    if (ms > this.#beatMs) return this.#reconnect({ because: "why_asleep" });
    void this.answers().then((answers) => {
      if (this.#hand.phase === "live" && !answers) this.#reconnect({ because: "why_nothing_since_sleep" });
    });
  }

  /** The time limit of a phase: the socket may be open and silent for ever. */
  #expect(phase: Phase, ms: number): void {
    this.#stopWait();
    this.#dueIn(ms);
    this.#stopWait = this.#context.clock.after(ms, () => {
      if (this.#hand.phase === phase)
        this.#reconnect({ because: phase === "greeting" ? "why_no_greeting" : "why_nothing_received" });
    });
  }

  /** Only a connection that lasts earns a quick next try: one that keeps ending early must not use up IDENTIFYs. */
  #settle(): void {
    this.#stopWait();
    this.#stopWait = this.#context.clock.after(SETTLED_MS, () => {
      this.#tries = 0;
      this.#options.memory.lasted();
    });
  }

  /** Saves the session for the next run of the daemon: at once, or after a while as it is then. */
  #saveSession(atOnce: boolean): void {
    const { clock } = this.#context;
    const { memory } = this.#options;
    const { session } = this.#hand;
    if (!session) return;
    const now = { ...session };
    if (atOnce) memory.saveSession(now);
    this.#stopKeep();
    this.#stopKeep = clock.after(KEEP_MS, () => {
      if (this.#hand.session?.id === now.id) memory.saveSession(now);
      this.#saveSession(false);
    });
  }

  #beatEvery(ms: number): void {
    const { clock } = this.#context;
    const { random } = this.#options;
    this.#beatMs = ms;
    const beat = (): void => {
      this.#stopBeat = clock.after(ms, beat);
      this.#act(beatDue(this.#hand));
    };
    this.#stopBeat();
    this.#stopBeat = clock.after(ms * random(), beat);
  }

  /** Drops this connection in any state, and tries again after a wait that grows with each failed try. */
  #reconnect(why: ErrorDetails): void {
    const { random } = this.#options;
    const { log } = this.#context;
    this.#drop(CLOSE_AND_RESUME);
    if (this.#ended) return;
    const wait = this.#tries === 0 ? 0 : random() * Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** this.#tries);
    this.#tries += 1;
    this.#why = why;
    log.info("connecting again", {
      why: logged(why),
      wait_ms: Math.round(wait),
      resumable: this.#hand.session !== null,
    });
    this.#tryIn(wait);
  }

  #drop(code: number): void {
    this.#stopBeat();
    this.#stopWait();
    this.#hand.phase = "down";
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    if (socket.readyState === WebSocket.OPEN) socket.close(code);
    // A half-open socket never answers a close, so we end it.
    this.#context.clock.after(HALF_OPEN_MS, () => socket.terminate());
  }

  #send(op: number, d: unknown): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#sentAt.push(this.#context.clock.monotonic());
    this.#socket.send(JSON.stringify({ op, d }));
  }

  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#context.log.failure("an event could not be handled", error);
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** In the log's language. */
function logged(why: ErrorDetails): string {
  return sayReason("en", why) ?? "";
}
