/**
 * The page's gateway connection: identify, heartbeat, resume after a break, and a new session when a
 * resume is refused. Everything it learns goes out as events; it never gives up except on a refused token.
 */
export interface GatewayEvents {
  dispatch(event: string, data: unknown): void;
  /** The connection broke and is being made again. */
  lost(): void;
  /** The broken session goes on, everything missed has been replayed. */
  resumed(): void;
  /** The token is not accepted; no further try is made. */
  refused(): void;
}

export interface GatewayOptions {
  /** Finds the address, e.g. by `GET /gateway`. */
  address(): Promise<string>;
  token: string;
  locale: string;
  /** Opens a socket; a test may bring its own. */
  open(address: string): WebSocket;
}

interface Frame {
  op: number;
  d?: unknown;
  s?: number | null;
  t?: string | null;
}

const OP = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalid: 9, hello: 10, ack: 11 } as const;
const TOKEN_REFUSED = 4004;
/** After these the old session cannot be resumed. */
const SESSION_ENDED = new Set([1000, 1001, 4003, 4007, 4009]);
/** Ours: the session stays resumable. */
const DROPPED = 4900;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #events: GatewayEvents;
  #socket: WebSocket | undefined;
  #session: { id: string; resumeUrl: string | undefined } | undefined;
  #sequence: number | null = null;
  #beat: ReturnType<typeof setInterval> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #acknowledged = true;
  #pauseMs = FIRST_PAUSE_MS;
  #closed = false;

  constructor(options: GatewayOptions, events: GatewayEvents) {
    this.#options = options;
    this.#events = events;
  }

  async connect(): Promise<void> {
    clearTimeout(this.#again);
    this.#again = undefined;
    try {
      const base = this.#session?.resumeUrl ?? (await this.#options.address());
      if (this.#closed) return;
      this.#listen(this.#options.open(`${base.replace(/\/$/, "")}/?v=10&encoding=json`));
    } catch {
      this.#later();
    }
  }

  /** The machine is online again: no reason to wait out the pause. */
  hurry(): void {
    if (this.#again) void this.connect();
  }

  close(): void {
    this.#closed = true;
    this.#stopClocks();
    this.#socket?.close(1000);
  }

  #listen(mine: WebSocket): void {
    this.#socket = mine;
    mine.addEventListener("message", (message) => {
      if (mine === this.#socket) this.#heard(JSON.parse(String(message.data)) as Frame);
    });
    mine.addEventListener("close", ({ code }) => {
      if (mine === this.#socket) this.#broken(code);
    });
  }

  #broken(code: number): void {
    this.#socket = undefined;
    if (code === TOKEN_REFUSED) {
      this.#closed = true;
      this.#stopClocks();
      this.#events.refused();
      return;
    }
    if (SESSION_ENDED.has(code)) this.#session = undefined;
    this.#later();
  }

  #later(): void {
    clearInterval(this.#beat);
    if (this.#closed || this.#again) return;
    this.#events.lost();
    this.#again = setTimeout(() => void this.connect(), this.#pauseMs + Math.random() * this.#pauseMs * 0.3);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
  }

  #drop(): void {
    const old = this.#socket;
    this.#socket = undefined;
    old?.close(DROPPED);
    this.#later();
  }

  #heard(frame: Frame): void {
    if (typeof frame.s === "number") this.#sequence = frame.s;
    switch (frame.op) {
      case OP.hello:
        return this.#hello((frame.d as { heartbeat_interval: number }).heartbeat_interval);
      case OP.ack:
        this.#acknowledged = true;
        return;
      case OP.heartbeat:
        return this.#send(OP.heartbeat, this.#sequence);
      case OP.reconnect:
        return this.#drop();
      case OP.invalid:
        if (frame.d !== true) this.#session = undefined;
        return this.#drop();
      case OP.dispatch:
        return this.#dispatch(frame.t ?? "", frame.d);
    }
  }

  #hello(intervalMs: number): void {
    this.#acknowledged = true;
    clearInterval(this.#beat);
    this.#beat = setInterval(() => this.#heartbeat(), intervalMs);
    const { token, locale } = this.#options;
    if (this.#session) this.#send(OP.resume, { token, session_id: this.#session.id, seq: this.#sequence });
    else
      this.#send(OP.identify, {
        token,
        properties: { os: "browser", browser: "discord-sandbox", device: "", system_locale: locale },
      });
  }

  /** A server that is silent for a whole interval is gone, whatever TCP says. */
  #heartbeat(): void {
    if (!this.#acknowledged) return this.#drop();
    this.#acknowledged = false;
    this.#send(OP.heartbeat, this.#sequence);
  }

  #dispatch(event: string, data: unknown): void {
    if (event === "READY") {
      const ready = data as { session_id: string; resume_gateway_url?: string };
      this.#session = { id: ready.session_id, resumeUrl: ready.resume_gateway_url };
    }
    if (event === "READY" || event === "RESUMED") this.#pauseMs = FIRST_PAUSE_MS;
    if (event === "RESUMED") this.#events.resumed();
    else this.#events.dispatch(event, data);
  }

  #send(op: number, d: unknown): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify({ op, d }));
  }

  #stopClocks(): void {
    clearInterval(this.#beat);
    clearTimeout(this.#again);
  }
}
