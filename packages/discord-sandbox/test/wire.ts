/**
 * Discord's wire, bare: requests as a test words them, and a gateway connection that sends exactly what it is
 * told. No client library stands between, so a wrong request stays as wrong as it was written.
 */
import { once } from "node:events";
import { WebSocket } from "ws";

export interface Answer {
  status: number;
  /** Discord's JSON error code, where the answer has one. */
  code: number | undefined;
  body: Record<string, unknown>;
  headers: Headers;
}

export interface Upload {
  field?: string;
  name: string;
  bytes: Uint8Array | string;
}

export interface Ask {
  token?: string;
  body?: unknown;
  /** Sent as multipart, the body as `payload_json`. */
  files?: readonly Upload[];
  headers?: Record<string, string>;
}

/** Asks one thing of the API at `api` (`http://127.0.0.1:…/api`). */
export async function ask(
  api: string,
  method: string,
  path: string,
  { token, body, files, headers = {} }: Ask = {},
): Promise<Answer> {
  const authorization = token === undefined ? {} : { authorization: token };
  const sent = files === undefined ? json(body) : multipart(body, files);
  const response = await fetch(`${api}/v10${path}`, {
    method,
    body: sent.body,
    headers: { ...authorization, ...sent.headers, ...headers },
  });
  const text = await response.text();
  const answer = readJson(text);
  const code = typeof answer["code"] === "number" ? answer["code"] : undefined;
  return { status: response.status, code, body: answer, headers: response.headers };
}

function json(body: unknown): { body: string | null; headers: Record<string, string> } {
  if (body === undefined) return { body: null, headers: {} };
  return {
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json" },
  };
}

function multipart(body: unknown, files: readonly Upload[]): { body: FormData; headers: Record<string, string> } {
  const form = new FormData();
  if (body !== undefined) form.set("payload_json", JSON.stringify(body));
  for (const [index, file] of files.entries()) {
    const bytes = typeof file.bytes === "string" ? file.bytes : new Uint8Array(file.bytes);
    form.set(file.field ?? `files[${index}]`, new Blob([bytes]), file.name);
  }
  return { body: form, headers: {} };
}

function readJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { text };
  }
}

export interface Heard {
  op: number;
  t: string | null;
  s: number | null;
  d: Record<string, unknown>;
}

/** A gateway connection without manners. */
export class BareGateway {
  readonly heard: Heard[] = [];
  readonly #socket: WebSocket;
  #waiting: (() => void)[] = [];
  #closed: number | undefined;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on("message", (data: Buffer) => {
      this.heard.push(JSON.parse(data.toString()) as Heard);
      this.#tell();
    });
    this.#socket.on("close", (code: number) => {
      this.#closed = code;
      this.#tell();
    });
    this.#socket.on("error", () => undefined);
  }

  /** Sends a payload, or the very text given. */
  send(payload: unknown): void {
    this.#socket.send(typeof payload === "string" ? payload : JSON.stringify(payload));
  }

  /** The first thing heard that fits, now or later. @throws where the connection closes before. */
  async hear(fits: (heard: Heard) => boolean): Promise<Heard> {
    for (;;) {
      const found = this.heard.find(fits);
      if (found !== undefined) return found;
      if (this.#closed !== undefined) throw new Error(`the gateway closed with ${this.#closed} before that was heard`);
      await this.#change();
    }
  }

  /** Waits until so many that fit have been heard. */
  async hearMany(count: number, fits: (heard: Heard) => boolean): Promise<void> {
    while (this.heard.filter(fits).length < count) {
      if (this.#closed !== undefined)
        throw new Error(`the gateway closed with ${this.#closed} before ${count} were heard`);
      await this.#change();
    }
  }

  event(name: string): Promise<Heard> {
    return this.hear(({ t }) => t === name);
  }

  /** The code the server closed with. */
  async closeCode(): Promise<number> {
    while (this.#closed === undefined) await this.#change();
    return this.#closed;
  }

  /** Greets as a bot and waits until it is told everything it needs. */
  async identify(token: string, intents: number, more: Record<string, unknown> = {}): Promise<Heard> {
    await this.hear(({ op }) => op === 10);
    this.send({ op: 2, d: { token, intents, properties: { os: "linux", browser: "bare", device: "bare" }, ...more } });
    return this.event("READY");
  }

  /** Cuts the line without a word, as a lost network does. */
  cut(): void {
    this.#socket.terminate();
  }

  async close(code = 1000): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.#socket, "close");
    this.#socket.close(code);
    await closed;
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** Every intent there is, privileged ones too. */
export const allIntents = 0b11_0011_0001_1111_1111_1111_1111;

/** Every intent but the members' and their presence: what Bellhop asks for and more. */
export const intents = allIntents & ~(1 << 1) & ~(1 << 8);
