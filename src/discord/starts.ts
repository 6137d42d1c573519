/**
 * The keeper of starts: makes the thread for every session that is wanted. A start is on disk before Discord hears
 * of it and leaves the state together with the session's birth, so however often we are stopped in between, the
 * next start goes on where this one was, and there is exactly one thread.
 */
import { BellhopError } from "../base/errors.ts";
import { compareSnowflakes } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { catalogues, say, type Locale } from "../base/words/say.ts";
import type { Start } from "../core/session.ts";
import type { Engine } from "../engine/engine.ts";
import type { APIMessage } from "discord-api-types/v10";
import type { Rest } from "./rest.ts";
import { failureKind, RestFailure } from "./rest-failure.ts";

export interface StartsOptions {
  engine: Pick<Engine, "state" | "submit" | "watch">;
  rest: Pick<Rest, "call">;
  locale: Locale;
  /** Added to each new thread, so that it stands in their list. */
  ownerId: string;
  log: Log;
}

export interface Starts {
  /** Takes up what an earlier run of the daemon left unfinished. */
  start(): void;
  /** The session's id, which is its thread's, once it is open. @throws BellhopError when it cannot be opened */
  opened(requestId: string): Promise<string>;
  close(): void;
}

/** Discord's "past few minutes" for a nonce, with a margin. */
const NONCE_MS = 110_000;
const THREAD_EXISTS = 160004;
const PAGE = 100;

export function openStarts(options: StartsOptions): Starts {
  const { engine, log } = options;
  const outcomes = createOutcomes();
  const turns = new Map<string, Promise<void>>();
  const underWay = new Set<string>();
  const tried = new Set<string>();
  let begun = false;
  let closed = false;

  function attend(inherited: boolean): void {
    if (closed) return;
    for (const wanted of Object.values(engine.state.starts)) {
      if (underWay.has(wanted.request_id)) continue;
      underWay.add(wanted.request_id);
      inTurn(wanted.channel_id, () => make(wanted, inherited || tried.has(wanted.request_id)));
    }
  }

  /** One after the other in a channel: a message just posted must not be taken for one that nobody claims. */
  function inTurn(channelId: string, making: () => Promise<void>): void {
    turns.set(channelId, (turns.get(channelId) ?? Promise.resolve()).then(making));
  }

  async function make(wanted: Start, inherited: boolean): Promise<void> {
    const { request_id } = wanted;
    tried.add(request_id);
    try {
      const threadId = await makeThread(options, wanted, inherited);
      await engine.submit({ type: "open_session", request_id, thread_id: threadId });
      tried.delete(request_id);
      outcomes.of(request_id).resolve(threadId);
    } catch (error) {
      log.failure("a session's thread could not be made", error, { request_id });
      if (isDecided(error)) await drop(options, request_id);
      const details = { thread: `<#${wanted.channel_id}>` };
      outcomes.of(request_id).reject(new BellhopError("E_THREAD_ACCESS_FAILED", details, { cause: error }));
    } finally {
      underWay.delete(request_id);
      // Who asked for it before a restart no longer waits.
      if (inherited) outcomes.forget(request_id);
    }
  }

  const unwatch = engine.watch((topics) => {
    if (begun && topics.has("starts")) attend(false);
  });
  return {
    start() {
      attend(true);
      begun = true;
    },
    async opened(requestId) {
      try {
        return await outcomes.of(requestId).promise;
      } finally {
        outcomes.forget(requestId);
      }
    },
    close() {
      closed = true;
      unwatch();
    },
  };
}

/** How each start ended, for whoever asks, before or after. */
function createOutcomes(): { of(requestId: string): PromiseWithResolvers<string>; forget(requestId: string): void } {
  const outcomes = new Map<string, PromiseWithResolvers<string>>();
  return {
    of(requestId) {
      const known = outcomes.get(requestId);
      if (known) return known;
      const outcome = Promise.withResolvers<string>();
      // Nobody may be waiting for it: a start left over from before a restart.
      outcome.promise.catch(() => undefined);
      outcomes.set(requestId, outcome);
      return outcome;
    },
    forget: (requestId) => void outcomes.delete(requestId),
  };
}

/** Whether Discord will not have it. Otherwise the next start of the daemon goes on with it. */
function isDecided(error: unknown): boolean {
  const kind = failureKind(error);
  return kind !== null && kind !== "unauthorized" && kind !== "closed";
}

async function drop({ engine, log }: StartsOptions, request_id: string): Promise<void> {
  await engine
    .submit({ type: "drop_start", request_id, code: "E_THREAD_ACCESS_FAILED" })
    .catch((lost: unknown) => log.failure("a start could not be dropped", lost, { request_id }));
}

/** The thread's id: that of the message it hangs on. */
async function makeThread(making: StartsOptions, wanted: Start, inherited: boolean): Promise<string> {
  const starter = (inherited ? await findStarter(making, wanted) : null) ?? (await postStarter(making, wanted));
  const path = `/channels/${wanted.channel_id}/messages/${starter}/threads` as const;
  try {
    await making.rest.call({ method: "POST", path, body: { name: threadName(wanted) }, lane: "result", repeatMs: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (!(error instanceof RestFailure) || error.code !== THREAD_EXISTS) {
      takeBack(making, wanted, starter, error);
      throw error;
    }
  }
  invite(making, starter);
  return starter;
}

/** Posts the message the thread hangs on; the same one however often its answer is lost. */
async function postStarter(making: StartsOptions, wanted: Start): Promise<string> {
  const path = `/channels/${wanted.channel_id}/messages` as const;
  const body = {
    content: starterText(making.locale, wanted),
    nonce: `s${wanted.request_id}`,
    enforce_nonce: true,
    allowed_mentions: { parse: [] },
  };
  for (;;) {
    try {
      return (await making.rest.call<APIMessage>({ method: "POST", path, body, lane: "result", repeatMs: NONCE_MS })).id;
    } catch (error) {
      // The nonce may be forgotten by now: whether it was posted is asked before it is posted again.
      if (failureKind(error) !== "unavailable") throw error;
      const posted = await findStarter(making, wanted);
      if (posted !== null) return posted;
    }
  }
}

/**
 * The starter that was posted for this start, if it was: our own message with this start's words, younger than the
 * request, that no session hangs on. Two starts of the same words may take each other's; each still gets one.
 */
async function findStarter(making: StartsOptions, wanted: Start): Promise<string | null> {
  const { engine, rest } = making;
  const contents = (Object.keys(catalogues) as Locale[]).map((locale) => starterText(locale, wanted));
  let after = wanted.request_id;
  for (;;) {
    const path = `/channels/${wanted.channel_id}/messages?after=${after}&limit=${PAGE}` as const;
    const page = await rest.call<APIMessage[]>({ method: "GET", path, lane: "result" });
    const found = page
      .filter(({ author, content: says }) => author.id === wanted.bot_id && contents.includes(says))
      .map(({ id }) => id)
      .filter((id) => !engine.state.sessions[id])
      .sort(compareSnowflakes);
    if (found[0] !== undefined) return found[0];
    if (page.length < PAGE) return null;
    after = page.map(({ id }) => id).sort(compareSnowflakes).at(-1) ?? after;
  }
}

/** Also the mark by which it is found again, so but for the language it holds nothing that changes between two runs. */
function starterText(locale: Locale, { project_name, tool }: Start): string {
  return say(locale, "thread_starter", { project: project_name, tool });
}

/** Such as `my-app · 2026-02-26 14:20`, in the time of this machine; at most 100 characters. */
export function threadName({ project_name, at }: Pick<Start, "project_name" | "at">): string {
  const time = new Date(at);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${project_name} · ${day} ${two(time.getHours())}:${two(time.getMinutes())}`.slice(0, 100);
}

/** A starter whose thread was refused says nothing true; where it cannot be removed it does no harm. */
function takeBack(making: StartsOptions, wanted: Start, starter: string, error: unknown): void {
  if (!isDecided(error)) return;
  const path = `/channels/${wanted.channel_id}/messages/${starter}` as const;
  making.rest.call({ method: "DELETE", path, lane: "cosmetic" }).catch((lost: unknown) => {
    making.log.debug("a starter message stays", { message_id: starter, reason: String(lost) });
  });
}

function invite(making: StartsOptions, threadId: string): void {
  const path = `/channels/${threadId}/thread-members/${making.ownerId}` as const;
  making.rest.call({ method: "PUT", path, lane: "cosmetic" }).catch((error: unknown) => {
    making.log.debug("the owner was not added to the thread", { thread_id: threadId, reason: String(error) });
  });
}
