/**
 * Discord's REST API as this bot uses it: every call waits its turn by priority, and returns the answer's JSON or a
 * failure whose kind says what to do. One per bot token; it keeps nothing on disk.
 */
import type { Log } from "../../base/log.ts";
import type { Redaction } from "../../base/redact.ts";
import { RequestScheduler, type SchedulerStatus } from "./request-scheduler.ts";
import type { SendTerms } from "./rate-limits.ts";
import {
  RestFailure,
  createTransport,
  type RequestOutcome,
  type RequestContent,
  type Transport,
  type TransportOptions,
} from "./transport.ts";

export interface RestCall extends RequestContent, SendTerms {
  /**
   * How long after a try without an answer it may be repeated, in milliseconds. Without it: for ever where repeating
   * changes nothing (GET, PUT, PATCH, DELETE), never for a POST.
   */
  repeatMs?: number;
}

export interface RestCaller {
  /**
   * Resolves with the answer's JSON. Rejects with a `RestFailure`; a 429, a 5xx or a lost connection is waited out
   * instead.
   */
  call<T>(request: RestCall): Promise<T>;
}

export interface Rest extends RestCaller {
  /**
   * An interaction's callback, sent at once and ahead of all priorities; or what follows over its webhook, which has a
   * bucket of its own.
   */
  respond<T>(request: RequestContent): Promise<T>;
  readonly status: SchedulerStatus;
  /** From now on only answers to interactions are sent: all other calls, waiting ones too, reject as `closed`. */
  fallSilent(): void;
  close(): Promise<void>;
}

export interface RestOptions extends TransportOptions {
  log: Log;
  onUnauthorized(): void;
  /** Removes secrets from everything that is sent. */
  redactor: Redaction;
  random?: () => number;
}

const WEBHOOK_REPEAT_MS = 60_000;
const ALREADY_ACKNOWLEDGED = 40060;

export function openRest(options: RestOptions): Rest {
  const { clock, log, onUnauthorized, redactor } = options;
  const sends = createTransport(options);
  // The only way out, so no caller can forget it.
  const transport: Transport = {
    send: ({ body, files, ...request }, signal) =>
      sends.send(
        {
          ...request,
          body: redactor.value(body),
          ...(files && {
            files: files.map(({ name, bytes }) => ({ name: redactor.value(name), bytes: redactor.bytes(bytes) })),
          }),
        },
        signal,
      ),
  };
  const scheduler = new RequestScheduler({
    transport,
    clock,
    log,
    onUnauthorized,
    random: options.random ?? Math.random,
  });
  const ending = new AbortController();
  const callbacks = new Set<Promise<unknown>>();

  async function callback(request: RequestContent): Promise<unknown> {
    const first = await transport.send({ ...request, auth: false }, ending.signal);
    if (first.kind !== "lost") return valueOf(first, request);
    // There are three seconds in all, so a second try is only useful at once.
    const second = await transport.send({ ...request, auth: false }, ending.signal);
    const doneBefore = second.kind === "refused" && second.failure.code === ALREADY_ACKNOWLEDGED;
    return doneBefore ? undefined : valueOf(second, request);
  }

  function respond<T>(request: RequestContent): Promise<T> {
    if (!request.path.startsWith("/webhooks/")) {
      const answer = callback(request);
      const forget = (): boolean => callbacks.delete(answer);
      callbacks.add(answer);
      answer.then(forget, forget);
      return answer as Promise<T>;
    }
    const repeatMs = request.method === "POST" ? 0 : WEBHOOK_REPEAT_MS;
    return scheduler.enqueue({ ...request, priority: "decision", auth: false, counted: false, repeatMs }) as Promise<T>;
  }

  return {
    call<T>(request: RestCall) {
      const repeatMs = request.repeatMs ?? (request.method === "POST" ? 0 : Number.POSITIVE_INFINITY);
      return scheduler.enqueue({ ...request, repeatMs, auth: true, counted: true }) as Promise<T>;
    },
    respond,
    get status() {
      return scheduler.status;
    },
    fallSilent: () => scheduler.fallSilent(),
    async close() {
      const closing = scheduler.close();
      ending.abort();
      await Promise.allSettled([closing, ...callbacks]);
    },
  };
}

function valueOf(outcome: RequestOutcome, request: RequestContent): unknown {
  if (outcome.kind === "ok") return outcome.value;
  if (outcome.kind === "refused") throw outcome.failure;
  throw new RestFailure("unavailable", {
    route: `${request.method} ${request.path.split("/").slice(0, 2).join("/")}`,
    status: outcome.status,
  });
}
