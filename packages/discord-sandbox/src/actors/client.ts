/**
 * A person's client, as the page is one: REST with the person's own token and a gateway connection. What actors do
 * goes through here, so that a test takes the same way as the browser.
 */
import { WebSocket } from "ws";
import { isObject, type Json } from "../rest/form.ts";

export interface ClientFile {
  name: string;
  bytes: Uint8Array;
  contentType?: string;
}

/** An answer of 400 or above, with Discord's code. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly status: number;
  readonly code: number;
  readonly body: unknown;

  constructor(status: number, body: unknown, what: string) {
    const code = isObject(body) ? Number(body["code"] ?? 0) : 0;
    super(`${what}: ${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

type Listener = (t: string, d: Json) => void;

export class Client {
  readonly #api: string;
  readonly #gatewayUrl: string;
  readonly #token: string;
  readonly #listeners = new Set<Listener>();
  #connection: Promise<{ socket: WebSocket; sessionId: string }> | null = null;

  constructor(options: { api: string; gatewayUrl: string; token: string }) {
    this.#api = options.api;
    this.#gatewayUrl = options.gatewayUrl;
    this.#token = options.token;
  }

  /** One REST request; `path` below `/v10`. Throws ClientError for a refusal. */
  async rest(method: string, path: string, body?: unknown, files: readonly ClientFile[] = []): Promise<unknown> {
    const init: RequestInit = { method, headers: { authorization: this.#token } };
    if (files.length > 0) {
      const form = new FormData();
      form.set("payload_json", JSON.stringify(body ?? {}));
      for (const [index, file] of files.entries()) {
        const blob = new Blob([new Uint8Array(file.bytes)], { type: file.contentType ?? "application/octet-stream" });
        form.set(`files[${index}]`, blob, file.name);
      }
      init.body = form;
    } else if (body !== undefined) {
      init.headers = { authorization: this.#token, "content-type": "application/json" };
      init.body = JSON.stringify(body);
    }
    const response = await fetch(`${this.#api}/v10${path}`, init);
    const text = await response.text();
    const answer: unknown = text === "" ? undefined : JSON.parse(text);
    if (!response.ok) throw new ClientError(response.status, answer, `${method} ${path}`);
    return answer;
  }

  /** The gateway session's id, connecting first if need be. */
  async session(): Promise<string> {
    this.#connection ??= this.#connect();
    return (await this.#connection).sessionId;
  }

  /** Calls back with every event from now on; returns how to stop. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => null);
    this.#connection = null;
    connection?.socket.terminate();
  }

  #connect(): Promise<{ socket: WebSocket; sessionId: string }> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${this.#gatewayUrl}/?v=10&encoding=json`);
      socket.on("error", reject);
      socket.on("close", (code) => {
        this.#connection = null;
        reject(new Error(`The gateway closed with ${code}`));
      });
      socket.on("message", (data: Buffer) => {
        const payload = JSON.parse(data.toString("utf8")) as { op: number; t: string | null; d: unknown };
        if (payload.op === 10)
          socket.send(JSON.stringify({ op: 2, d: { token: this.#token, properties: {}, capabilities: 0 } }));
        if (payload.op !== 0 || payload.t === null || !isObject(payload.d)) return;
        if (payload.t === "READY") resolve({ socket, sessionId: String(payload.d["session_id"]) });
        for (const listener of this.#listeners) listener(payload.t, payload.d);
      });
    });
  }
}
