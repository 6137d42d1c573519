/**
 * The last messages before the daemon exits: the answers that only its memory has, and in threads that wait for
 * something why it ends; short, at most once each.
 */
import { inTime, type Clock } from "../base/clock.ts";
import type { BellhopError } from "../base/errors.ts";
import type { Redaction } from "../base/redact.ts";
import { openRest } from "./api/rest.ts";
import { postUnsaved, type UnsavedOptions } from "./delivery/unsaved-answers.ts";
import { sentence } from "./views/error-details.ts";

const WITHIN_MS = 3_000;
/** A long answer takes several messages, of which Discord takes five in five seconds. */
const ANSWERS_WITHIN_MS = 20_000;
const THREADS = 5;

interface Speaker extends UnsavedOptions {
  clock: Clock;
  channelId: string | undefined;
  token: string;
  api: string;
  redactor: Redaction;
}

/** Uses its own REST client: the bot's is closed by then. */
export async function sayLast(speaker: Speaker, error: BellhopError): Promise<void> {
  const { engine, locale, clock, channelId, token, api, log, redactor, botId } = speaker;
  const { sessions: all, threads: known } = engine.state;
  const sessions = Object.values(all)
    .filter(({ thread_id }) => known[thread_id]?.bot_id === botId)
    .sort((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1));
  const waiting = sessions.filter((session) => session.running_job_id !== null || session.queue.length > 0);
  // If nothing waits, the message that could not be stored is most likely in the thread used last.
  const threads = (waiting.length > 0 ? waiting : sessions.slice(0, 1)).map((session) => session.thread_id);
  const places = threads.length > 0 ? threads.slice(0, THREADS) : channelId ? [channelId] : [];
  const content = `${sentence(locale, error.code, error.details)} \`${error.code}\``;
  const body = { content, allowed_mentions: { parse: [] } };
  const rest = openRest({ token, api, clock, log, redactor, onUnauthorized: () => undefined });
  await inTime(clock, ANSWERS_WITHIN_MS, postUnsaved(rest, speaker));
  const sent = places.map((id) =>
    rest.call({ method: "POST", path: `/channels/${id}/messages`, body, priority: "decision" }),
  );
  await inTime(clock, WITHIN_MS, Promise.allSettled(sent));
  void rest.close();
}
