/**
 * The keeper of starts: makes the thread for every session that is wanted. A start is on disk before Discord hears
 * of it and leaves the state together with the session's birth, so however often we are stopped in between, the
 * next start goes on where this one was, and there is exactly one thread.
 */
import { BellhopError } from "../base/errors.ts";
import { catalogues, say, type Locale } from "../base/words/say.ts";
import type { Start } from "../core/session.ts";
import type { Engine } from "../engine/engine.ts";
import { isDecided, makeThread, type Making, type NewThread } from "./thread-maker.ts";

export interface StartsOptions extends Making {
  engine: Pick<Engine, "state" | "submit" | "watch">;
  locale: Locale;
  /** The sessions of this bot are ours to start. */
  botId: string;
}

export interface Starts {
  /** Takes up what an earlier run of the daemon left unfinished. */
  start(): void;
  /** The session's id, which is its thread's, once it is open. @throws BellhopError when it cannot be opened */
  opened(requestId: string): Promise<string>;
  close(): void;
}

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
      if (wanted.bot_id !== options.botId || underWay.has(wanted.request_id)) continue;
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
      const threadId = await makeThread(options, threadFor(options, wanted), inherited);
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

async function drop({ engine, log }: StartsOptions, request_id: string): Promise<void> {
  await engine
    .submit({ type: "drop_start", request_id, code: "E_THREAD_ACCESS_FAILED" })
    .catch((lost: unknown) => log.failure("a start could not be dropped", lost, { request_id }));
}

/**
 * Its starter is our own message with this start's words, younger than the request, that no session hangs on. Two
 * starts of the same words may take each other's; each still gets one.
 */
function threadFor({ engine, locale }: StartsOptions, wanted: Start): NewThread {
  const contents = (Object.keys(catalogues) as Locale[]).map((one) => starterText(one, wanted));
  const { channel_id, request_id, bot_id } = wanted;
  return {
    channel_id,
    name: threadName(wanted),
    content: starterText(locale, wanted),
    nonce: `s${request_id}`,
    after: request_id,
    lane: "result",
    isStarter: ({ id, author, content }) => author.id === bot_id && contents.includes(content) && !engine.state.sessions[id],
  };
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
