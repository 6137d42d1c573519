/**
 * The reconciler of session starts: makes the thread for every requested session. A request is on disk before Discord
 * is called and leaves the state in the same step that creates the session, so however often this is interrupted, the
 * next start continues it, and there is exactly one thread.
 */
import { MessageFlags, type APIMessage } from "discord-api-types/v10";
import type { BellhopError } from "../../base/errors.ts";
import { shownTime } from "../../base/local-time.ts";
import { catalogues, say, type Locale } from "../../base/words/say.ts";
import type { Start } from "../../core/sessions/session.ts";
import { reconcile } from "../../engine/reconcile.ts";
import { sendOnce } from "../delivery/send-once.ts";
import type { BotContext } from "../api/bot-context.ts";
import { refusedPlace } from "../api/refused-place.ts";
import { failureKind } from "../api/transport.ts";
import { sentence } from "../views/message.ts";
import { isDecided, makeThread, type NewThread } from "./thread-upkeep.ts";

/** How long the owner's channel is tried for what he must be told. */
const TOLD_MS = 15_000;
/** Who asked for a session waits so long without a word. */
const DELAY_MS = 5_000;

export interface Starts {
  /** Continues what an earlier run left unfinished. */
  start(): void;
  /**
   * Resolves to the session's id, which is its thread's, once open. `onDelayed` is called if Discord lets it be made
   * only at that time, in milliseconds since the epoch. @throws BellhopError when it cannot be opened
   */
  opened(requestId: string, onDelayed?: (until: number) => void): Promise<string>;
  close(): void;
}

/**
 * Handles the sessions of this bot. @param openDirect opens the owner's direct messages; resolves with the channel's id;
 * rejects with a `RestFailure`
 */
export function openStarts(context: BotContext, openDirect: () => Promise<string>): Starts {
  const { engine, log } = context;
  const outcomes = createOutcomes();
  const turns = new Map<string, Promise<void>>();
  const tried = new Set<string>();
  /** Until when Discord takes no thread, by channel. */
  const delays = new Map<string, number>();

  function delay({ channel_id, request_id }: Start, until: number): void {
    if (until - context.clock.now() < DELAY_MS) return;
    delays.set(channel_id, until);
    outcomes.of(request_id).delay(until);
  }

  /** One at a time per channel: a message just posted must not be taken for another start's. */
  function step(request_id: string, again: boolean): Promise<void> | null {
    const wanted = engine.state.starts[request_id];
    if (wanted?.bot_id !== context.botId || (wanted.agent && !wanted.readied)) return null;
    delay(wanted, delays.get(wanted.channel_id) ?? 0);
    const made = (turns.get(wanted.channel_id) ?? Promise.resolve()).then(() =>
      make(wanted, again || tried.has(request_id)),
    );
    turns.set(wanted.channel_id, made);
    return made;
  }

  /** Never rejects: the requester is told that it failed, and may ask again. */
  async function make(wanted: Start, again: boolean): Promise<void> {
    const { request_id } = wanted;
    if (again && !tried.has(request_id)) void endReply(context, wanted);
    tried.add(request_id);
    try {
      const onDelayed = (ms: number): void => delay(wanted, context.clock.now() + ms);
      const threadId = await makeThread(context, { ...threadFor(context, wanted), onDelayed }, again);
      await engine.submit({ type: "open_session", request_id, thread_id: threadId });
      if (wanted.agent) await context.assignThread(request_id, threadId);
      tried.delete(request_id);
      outcomes.of(request_id).resolve(threadId);
    } catch (error) {
      // A daemon that stops has not failed: the next one continues.
      if (failureKind(error) !== "closed") log.failure("a session's thread could not be made", error, { request_id });
      const refused = await refusedPlace(context, wanted.channel_id, error);
      if (isDecided(error)) {
        if (!outcomes.isAwaited(request_id)) await tell(context, wanted, refused, openDirect);
        await drop(context, request_id, refused);
      }
      if (wanted.agent) await context.assignThread(request_id, null);
      outcomes.of(request_id).reject(refused);
    } finally {
      // The requester from before a restart no longer waits, and who wrote in a project's channel never did.
      if (again || request_id === wanted.on_message) outcomes.forget(request_id);
    }
  }

  const { start, close } = reconcile({
    ...context,
    failure: "a session's thread could not be made",
    details: (request_id) => ({ request_id }),
    follows: "starts",
    step,
  });
  return {
    start,
    async opened(requestId, onDelayed) {
      const outcome = outcomes.of(requestId);
      if (onDelayed) outcome.onDelayed(onDelayed);
      try {
        return await outcome.promise;
      } finally {
        outcomes.forget(requestId);
      }
    },
    close,
  };
}

interface StartOutcome extends PromiseWithResolvers<string> {
  delay(until: number): void;
  /** Called at once if it is delayed already. */
  onDelayed(listener: (until: number) => void): void;
}

function newOutcome(): StartOutcome {
  let delayed: number | undefined;
  const listeners = new Set<(until: number) => void>();
  return {
    ...Promise.withResolvers<string>(),
    delay(until) {
      delayed = until;
      for (const listener of listeners) listener(until);
    },
    onDelayed(listener) {
      listeners.add(listener);
      if (delayed !== undefined) listener(delayed);
    },
  };
}

/** The outcome of each start, available before and after it is known. */
function createOutcomes(): {
  of(requestId: string): StartOutcome;
  isAwaited(requestId: string): boolean;
  forget(requestId: string): void;
} {
  const outcomes = new Map<string, StartOutcome>();
  return {
    of(requestId) {
      const known = outcomes.get(requestId);
      if (known) return known;
      const outcome = newOutcome();
      // For a start left over from before a restart, nothing awaits it.
      outcome.promise.catch(() => undefined);
      outcomes.set(requestId, outcome);
      return outcome;
    },
    isAwaited: (requestId) => outcomes.has(requestId),
    forget: (requestId) => void outcomes.delete(requestId),
  };
}

/**
 * Tells the owner in Discord, because nobody waits for the start: the daemon was restarted since, or the owner's Claude
 * was taken by a setting. It is told before the start is dropped, so that a crash between the two repeats it and loses
 * nothing.
 */
async function tell(
  { rest, locale, ownerId, log }: BotContext,
  { channel_id, request_id }: Start,
  { code, details }: BellhopError,
  openDirect: () => Promise<string>,
): Promise<void> {
  const body = {
    content: `<@${ownerId}> ${sentence(locale, code, details)} \`${code}\``,
    allowed_mentions: { users: [ownerId] },
  };
  for (const place of [async () => channel_id, openDirect]) {
    try {
      return void (await sendOnce(rest, {
        channelId: await place(),
        body,
        nonce: `f${request_id}`,
        priority: "result",
        patienceMs: TOLD_MS,
      }));
    } catch (error) {
      log.failure("the owner could not be told that a session's thread was refused", error, { request_id });
    }
  }
}

/**
 * After a restart nobody can edit the command's reply, in which Bellhop "is thinking": it is removed. The thread, to
 * which the owner is added, says the rest.
 */
async function endReply({ rest, botId, log }: BotContext, { channel_id, request_id }: Start): Promise<void> {
  try {
    const page = await rest.call<APIMessage[]>({
      method: "GET",
      path: `/channels/${channel_id}/messages?after=${request_id}&limit=100`,
      priority: "cosmetic",
    });
    const reply = page.find(
      ({ author, flags = 0, interaction_metadata }) =>
        author.id === botId && (flags & MessageFlags.Loading) !== 0 && interaction_metadata?.id === request_id,
    );
    if (!reply) return;
    await rest.call({ method: "DELETE", path: `/channels/${channel_id}/messages/${reply.id}`, priority: "cosmetic" });
  } catch (error) {
    log.info("the reply to a command could not be removed", { request_id, reason: String(error) });
  }
}

async function drop({ engine, log }: BotContext, request_id: string, { code }: BellhopError): Promise<void> {
  await engine
    .submit({ type: "drop_start", request_id, code })
    .catch((lost: unknown) => log.failure("a failed start could not be recorded", lost, { request_id }));
}

/**
 * On the owner's message, or on our own with this start's text, newer than the request, without a session. Two starts with the
 * same text may use each other's; each still gets one.
 */
function threadFor({ engine, locale, config }: BotContext, wanted: Start): NewThread {
  const contents = (Object.keys(catalogues) as Locale[]).map((one) => starterText(one, wanted));
  const { channel_id, request_id, bot_id, on_message } = wanted;
  return {
    channel_id,
    name: threadName(wanted, config().time_zone),
    priority: "result",
    starter: on_message ?? {
      content: starterText(locale, wanted),
      nonce: `s${request_id}`,
      after: request_id,
      isStarter: ({ id, author, content }) =>
        author.id === bot_id && contents.includes(content) && !engine.state.sessions[id],
    },
  };
}

/** It also identifies the message later, so except for the language nothing in it changes between two runs. */
function starterText(locale: Locale, { project_name, tool }: Start): string {
  return say(locale, "thread_starter", { project: project_name, tool });
}

/** Such as `my-app · 2026-02-26 14:20`; at most 100 characters. @param zone undefined: the machine's */
export function threadName({ project_name, at }: Pick<Start, "project_name" | "at">, zone?: string): string {
  return `${project_name} · ${minuteOf(Date.parse(at), zone)}`.slice(0, 100);
}

/** Such as `2026-02-26 14:20`. */
export function minuteOf(at: number, zone?: string): string {
  return shownTime(at, zone).slice(0, -3);
}
