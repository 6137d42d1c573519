/**
 * One request to Discord and its outcome; never a wait and never a second try. Anything but Discord's own JSON answer
 * counts as no connection, because a captive portal's page must not be taken for a refusal.
 */
import type { Clock } from "../../base/clock.ts";
import type { DiscordTime } from "../../base/discord-time.ts";
import { randomBytes } from "node:crypto";
import { request as overHttp, type IncomingMessage } from "node:http";
import { request as overTls } from "node:https";

export interface RequestContent {
  method: HttpMethod;
  path: ApiPath;
  body?: unknown;
  files?: readonly { name: string; bytes: Uint8Array }[];
}

export interface OutgoingRequest extends RequestContent {
  /** False for interactions and webhooks, whose token is in the path. */
  auth: boolean;
}

/** What the answer's headers say about the bucket. Times in milliseconds. */
export interface BucketLimits {
  bucket: string;
  limit: number;
  remaining: number;
  resetAfterMs: number;
  /** When the window ends by Discord's clock; tells one window from the next. */
  reset: number;
}

export type RequestOutcome = { status: number; limits: BucketLimits | null } & (
  | { kind: "ok"; value: unknown }
  | { kind: "limited"; retryAfterMs: number; scope: "user" | "global" | "shared" | "address" }
  /** No answer, or none of Discord's: `network` if nothing got through, `route` for its own 5xx. */
  | { kind: "lost"; where: "network" | "route"; reason: string }
  | { kind: "refused"; failure: RestFailure }
);

export type Fetch = (url: string, asked: HttpRequest) => Promise<HttpResponse>;

export interface Transport {
  /** Never rejects. The signal aborts a request in flight. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<RequestOutcome>;
}

const PATIENCE_MS = 15_000;
/** Extra time for every byte of an upload: 50 kB a second is a slow connection, not a dead one. */
const MS_PER_BYTE = 1 / 50;
/** Discord refuses clients that do not name themselves in this form. */
const AGENT = "DiscordBot (bellhop, 0.1) Bellhop";
/** Slow mode and write limits, which may come with another status than 429 and without a duration. */
const LIMIT_CODES = new Set([20016, 20028, 20029]);
const UNTOLD_LIMIT_MS = 5_000;
/** Too many edits of a message older than an hour is a 429 too, but waiting does not help. */
const OLD_EDITS = 30046;

export interface TransportOptions {
  /** With or without `Bot `. */
  token: string;
  /** Such as `https://discord.com/api`; `/v10` is appended. */
  api: string;
  clock: Clock;
  /** Is told the time that Discord's answers bear. */
  time?: DiscordTime;
  fetch?: Fetch;
}

export function createTransport(options: TransportOptions): Transport {
  const { clock, time, fetch = sendHttpRequest } = options;
  const token = options.token.replace(/^Bot /, "");
  const api = options.api.replace(/\/$/, "");

  async function send(request: OutgoingRequest, signal: AbortSignal): Promise<RequestOutcome> {
    const { type, body } = bodyOf(request);
    const headers = {
      "User-Agent": AGENT,
      ...(request.auth && { Authorization: `Bot ${token}` }),
      ...(type !== undefined && { "Content-Type": type }),
    };
    return exchange({ method: request.method, headers, body }, request, signal);
  }

  async function exchange(
    asked: Omit<HttpRequest, "signal">,
    request: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<RequestOutcome> {
    const over = new AbortController();
    const bytes = request.files?.reduce((sum, file) => sum + file.bytes.byteLength, 0) ?? 0;
    let isLate = false;
    const forget = clock.after(PATIENCE_MS + bytes * MS_PER_BYTE, () => {
      isLate = true;
      over.abort();
    });
    const stop = (): void => over.abort();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const sentAt = clock.monotonic();
    try {
      const response = await fetch(`${api}/v10${request.path}`, { ...asked, signal: over.signal });
      // The body is read under the same deadline: an answer that stops in the middle is no answer.
      const outcome = understand(response, await response.text(), request);
      if (outcome.kind !== "lost") time?.synchronize(response.headers.get("date"), sentAt);
      return outcome;
    } catch (error) {
      return lost("network", isLate ? "timed out" : reasonOf(error));
    } finally {
      forget();
      signal.removeEventListener("abort", stop);
    }
  }

  return { send };
}

/**
 * JSON alone, or as a form with its files (RFC 7578). Node's own form loads all of `fetch`: 70 ms in which nothing else
 * is done.
 */
function bodyOf({ body, files = [] }: OutgoingRequest): { type?: string; body: HttpRequest["body"] } {
  const json = body === undefined ? null : JSON.stringify(body);
  if (files.length === 0) return json === null ? { body: null } : { type: "application/json", body: json };
  // Nobody can foresee it, so it stands in no file.
  const boundary = `bellhop-${randomBytes(16).toString("hex")}`;
  const head = (of: string): Buffer => Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${of}\r\n`);
  const parts = files.flatMap(({ name, bytes }, index) => [
    head(`name="files[${index}]"; filename="${quotable(name)}"\r\nContent-Type: application/octet-stream`),
    LINE_END,
    bytes,
    LINE_END,
  ]);
  if (json !== null) parts.push(head('name="payload_json"'), Buffer.from(`\r\n${json}\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, body: [...parts, Buffer.from(`--${boundary}--\r\n`)] };
}

const LINE_END = Buffer.from("\r\n");

/** A file's name between quotes, as browsers write it. */
function quotable(name: string): string {
  return name.replace(/["\r\n]/g, (sign) => encodeURIComponent(sign));
}

function understand(response: HttpResponse, text: string, { method, path }: OutgoingRequest): RequestOutcome {
  const { status } = response;
  const limits = limitsOf(response.headers);
  const json = jsonOf(text);
  const retryAfterMs = retryAfter(response.headers, json);
  const code = numberAt(json, "code");
  const written = LIMIT_CODES.has(code);
  if ((status === 429 && code !== OLD_EDITS) || (status >= 400 && written)) {
    const global = response.headers.get("x-ratelimit-global") !== null || valueAt(json, "global") === true;
    const shared = response.headers.get("x-ratelimit-scope") === "shared";
    // An answer without JSON comes not from the API but from what is in front of it, and concerns our address.
    const scope = json === undefined ? "address" : global ? "global" : shared ? "shared" : "user";
    return { kind: "limited", status, limits, scope, retryAfterMs: retryAfterMs ?? (written ? UNTOLD_LIMIT_MS : 1000) };
  }
  if (status >= 500) return lost("route", `answered ${status}`, status, limits);
  if (status >= 200 && status < 300) {
    if (text === "") return { kind: "ok", status, limits, value: undefined };
    if (json !== undefined) return { kind: "ok", status, limits, value: json };
  }
  if (status < 400 || json === undefined) return lost("network", `answered ${status} with no JSON`, status, limits);
  const kind = status === 401 && code !== EXPIRED_INTERACTION ? "unauthorized" : kindOf(code);
  const says = String(valueAt(json, "message") ?? "");
  return {
    kind: "refused",
    status,
    limits,
    failure: new RestFailure(kind, { route: routeOf(method, path).name, status, code, says }),
  };
}

/** "Invalid webhook token" is a 401 too, and says nothing about the bot's token. */
const EXPIRED_INTERACTION = 50027;

function lost(
  where: "network" | "route",
  reason: string,
  status = 0,
  limits: BucketLimits | null = null,
): RequestOutcome {
  return { kind: "lost", where, reason, status, limits };
}

function limitsOf(headers: HttpResponse["headers"]): BucketLimits | null {
  const bucket = headers.get("x-ratelimit-bucket");
  const numbers = ["limit", "remaining", "reset-after", "reset"].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN),
  );
  const [limit = Number.NaN, remaining = Number.NaN, after = Number.NaN, reset = Number.NaN] = numbers;
  if (bucket === null || numbers.some((number) => !Number.isFinite(number))) return null;
  // The value is rounded to three decimals: the extra millisecond makes up for it.
  return { bucket, limit, remaining, resetAfterMs: Math.ceil(after * 1000) + 1, reset: reset * 1000 };
}

function retryAfter(headers: HttpResponse["headers"], json: unknown): number | null {
  const said = numberAt(json, "retry_after");
  const seconds = said > 0 ? said : Number(headers.get("retry-after") ?? 0);
  return seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function valueAt(json: unknown, key: string): unknown {
  return typeof json === "object" && json !== null ? Reflect.get(json, key) : undefined;
}

function numberAt(json: unknown, key: string): number {
  const value = valueAt(json, key);
  return typeof value === "number" ? value : 0;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

interface HttpRequest {
  method: string;
  headers: Record<string, string>;
  /** One text, or parts. */
  body: string | readonly Uint8Array[] | null;
  signal: AbortSignal;
}

/** Read whole. A redirect is an answer like any other. */
interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/**
 * One request over HTTP and its whole answer, over connections that stay open. It is what the REST client needs of
 * `fetch` and nothing else: `fetch` makes streams, copies and signals for each request, which cost more than the
 * request. Rejects if there is no whole answer.
 */
export async function sendHttpRequest(
  url: string,
  { method, headers, body, signal }: HttpRequest,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const sent = (url.startsWith("https:") ? overTls : overHttp)(url, {
      method,
      headers:
        typeof body === "object" && body !== null
          ? { ...headers, "Content-Length": String(body.reduce((sum, { length }) => sum + length, 0)) }
          : headers,
    });
    // Node's own way with a signal follows the request to its end with eight listeners.
    const stop = (): unknown => sent.destroy(new Error("aborted"));
    signal.addEventListener("abort", stop);
    sent.on("close", () => signal.removeEventListener("abort", stop));
    if (signal.aborted) stop();
    sent.on("error", reject);
    sent.on("response", (response) => void whole(response).then(resolve, reject));
    if (typeof body !== "object" || body === null) return void sent.end(body);
    for (const part of body) sent.write(part);
    sent.end();
  });
}

/** Listened to rather than iterated over, which costs an iterator and a promise for each chunk. */
async function whole(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve, reject) => {
    response.on("end", resolve);
    response.on("error", reject);
    // It comes after a whole answer too, where an error would be made for nobody.
    response.on("close", () => (response.readableEnded ? undefined : reject(new Error("the answer broke off"))));
  });
  const text = Buffer.concat(chunks).toString();
  return {
    status: response.statusCode ?? 0,
    headers: { get: (name) => [response.headers[name] ?? null].flat()[0] ?? null },
    text: async () => text,
  };
}

/*
 * The rate-limit route of a request: its method, its path without the ids, and the id Discord counts by (channel,
 * guild or webhook). Two requests of one route always share a bucket; two routes may turn out to share one, which only
 * Discord's headers tell.
 */

type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type ApiPath = `/${string}`;

export interface Route {
  /** Such as `PATCH /channels/:id/messages/:id`. */
  name: string;
  /** The channel, guild or webhook the limit is counted by; empty if there is none. */
  major: string;
}

const WEBHOOK = /^\/webhooks\/(\d+\/[^/]+)/;
const MAJOR = /^\/(?:channels|guilds|webhooks)\/(\d+)/;

export function routeOf(method: HttpMethod, path: ApiPath): Route {
  const [bare = path] = path.split("?");
  const major = WEBHOOK.exec(bare)?.[1] ?? MAJOR.exec(bare)?.[1] ?? "";
  const template = bare
    .replace(WEBHOOK, "/webhooks/:id/:token")
    .replace(/^\/interactions\/\d+\/[^/]+/, "/interactions/:id/:token")
    .replace(/\/reactions\/.*$/s, "/reactions/:reaction")
    .replace(/\/\d{16,20}(?=\/|$)/g, "/:id");
  // Adding and removing a reaction are known to share one bucket, so neither is sent as if it were free.
  const verb = template.endsWith("/:reaction") && method !== "GET" ? "PUT|DELETE" : method;
  return { name: `${verb} ${template}`, major };
}

/*
 * What Discord's refusals mean, in one place: a caller checks the kind and never reads an error's text. The numbers
 * are Discord's JSON error codes.
 */

export type FailureKind =
  /** The message does not exist. */
  | "message_gone"
  /** The channel, thread or guild does not exist. */
  | "channel_gone"
  /** The bot may not see it or may not do that there, or the person accepts no direct messages. */
  | "no_access"
  | "archived"
  | "locked"
  /** The message is too old to be edited as often as we did. */
  | "too_old"
  /** Refused for its content: too large, malformed, blocked by the server's filter. */
  | "rejected"
  /** No answer within the time the caller gave; whether it was done is not known. */
  | "unavailable"
  /** Discord sent as many 429s as the caller allows; it was not done. */
  | "limited"
  /** A newer request with the same key replaced it, or the caller withdrew it, before it was sent. */
  | "superseded"
  /** The token is refused; nothing more is sent. */
  | "unauthorized"
  /** We are closing; it was not sent. */
  | "closed";

const kinds: Record<number, FailureKind> = {
  10003: "channel_gone",
  10004: "channel_gone",
  10008: "message_gone",
  30046: "too_old",
  50001: "no_access",
  50007: "no_access",
  // A forum, in which itself nothing can be written.
  50008: "no_access",
  50013: "no_access",
  50083: "archived",
  160005: "locked",
};

/** A request that failed. `status` and `code` are 0, and `says` is empty, if Discord gave none. */
export class RestFailure extends Error {
  override readonly name = "RestFailure";
  readonly kind: FailureKind;
  readonly status: number;
  readonly code: number;
  /** Discord's own words. */
  readonly says: string;

  constructor(kind: FailureKind, what: { route: string; status?: number; code?: number; says?: string }) {
    const { route, status = 0, code = 0, says = "" } = what;
    super(`${route}: ${[kind, status || "", code || "", says].filter(Boolean).join(" ")}`);
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.says = says;
  }
}

/** The kind of a refusal with this JSON error code. */
function kindOf(code: number): FailureKind {
  return kinds[code] ?? "rejected";
}

/** The failure's kind, or null for anything else that was thrown. */
export function failureKind(error: unknown): FailureKind | null {
  return error instanceof RestFailure ? error.kind : null;
}
