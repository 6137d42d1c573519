/**
 * Discord's REST API as the rooms of this bot use it: every call waits its turn in our own lanes, and comes back as
 * the answer's JSON or as a failure whose kind says what to do. One per bot token; it keeps nothing on disk.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { Lanes, type LanesStatus } from "./lanes.ts";
import type { Lane } from "./owed.ts";
import { RestFailure } from "./rest-failure.ts";
import type { Method, Path } from "./route.ts";
import { createTransport, type Fetch, type Outcome } from "./transport.ts";

export interface RestCall {
  method: Method;
  path: Path;
  body?: unknown;
  files?: readonly { name: string; bytes: Uint8Array }[];
  lane: Lane;
  /** A newer call with the same key replaces one that has not left; the older rejects as `superseded`. */
  key?: string;
  /** Takes the call back while it waits (`superseded`); one that is under way is let finish. */
  signal?: AbortSignal;
  /**
   * How long after a try without an answer it may be repeated, in milliseconds. Without it: for ever where repeating
   * changes nothing (GET, PUT, PATCH, DELETE), never for a POST.
   */
  repeatMs?: number;
  /** When such a try may have left before, by the monotonic clock: it may have waited too long by the time it may go. */
  doubtSince?: number;
  /** Called each time it leaves. */
  onLeave?: () => void;
}

export type RestAnswer = Pick<RestCall, "method" | "path" | "body" | "files">;

export interface Rest {
  /** Resolves with the answer's JSON. Rejects with a `RestFailure`; a 429, a 5xx or a lost connection is waited out instead. */
  call<T>(request: RestCall): Promise<T>;
  /** An interaction's callback, at once and past all lanes; or what follows over its webhook, which has a bucket of its own. */
  respond<T>(request: RestAnswer): Promise<T>;
  readonly status: LanesStatus;
  close(): Promise<void>;
}

export interface RestOptions {
  /** With or without `Bot `. */
  token: string;
  /** Such as `https://discord.com/api`; `/v10` is appended. */
  api: string;
  clock: Clock;
  log: Log;
  onUnauthorized(): void;
  fetch?: Fetch;
  random?: () => number;
}

const WEBHOOK_REPEAT_MS = 60_000;
const ALREADY_ACKNOWLEDGED = 40060;

export function openRest(options: RestOptions): Rest {
  const { clock, log, onUnauthorized } = options;
  const token = options.token.replace(/^Bot /, "");
  const api = options.api.replace(/\/$/, "");
  const transport = createTransport({ token, api, clock, fetch: options.fetch ?? ((url, init) => fetch(url, init)) });
  const lanes = new Lanes({ transport, clock, log, onUnauthorized, random: options.random ?? Math.random });
  const ending = new AbortController();
  const callbacks = new Set<Promise<unknown>>();

  async function callback(request: RestAnswer): Promise<unknown> {
    const first = await transport.send({ ...request, auth: false }, ending.signal);
    if (first.kind !== "lost") return valueOf(first, request);
    // There are three seconds in all, so a second try goes at once or it may as well not.
    const second = await transport.send({ ...request, auth: false }, ending.signal);
    const doneBefore = second.kind === "refused" && second.failure.code === ALREADY_ACKNOWLEDGED;
    return doneBefore ? undefined : valueOf(second, request);
  }

  function respond<T>(request: RestAnswer): Promise<T> {
    if (!request.path.startsWith("/webhooks/")) {
      const answer = callback(request);
      const forget = (): boolean => callbacks.delete(answer);
      callbacks.add(answer);
      answer.then(forget, forget);
      return answer as Promise<T>;
    }
    const repeatMs = request.method === "POST" ? 0 : WEBHOOK_REPEAT_MS;
    return lanes.enqueue({ ...request, lane: "decision", auth: false, counted: false, repeatMs }) as Promise<T>;
  }

  return {
    call<T>(request: RestCall) {
      const repeatMs = request.repeatMs ?? (request.method === "POST" ? 0 : Number.POSITIVE_INFINITY);
      return lanes.enqueue({ ...request, repeatMs, auth: true, counted: true }) as Promise<T>;
    },
    respond,
    get status() {
      return lanes.status;
    },
    async close() {
      const closing = lanes.close();
      ending.abort();
      await Promise.allSettled([closing, ...callbacks]);
    },
  };
}

function valueOf(outcome: Outcome, request: RestAnswer): unknown {
  if (outcome.kind === "ok") return outcome.value;
  if (outcome.kind === "refused") throw outcome.failure;
  throw new RestFailure("unavailable", { route: `${request.method} ${request.path.split("/").slice(0, 2).join("/")}`, status: outcome.status });
}
