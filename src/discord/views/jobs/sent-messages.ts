/**
 * What the card of a running job and the message that closes it say of messages that were sent into its turn, and the
 * button that sends the next one. Pure.
 */
import { basename } from "node:path";
import { oneLine } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { sendable, sentInto, underWay } from "../../../core/jobs/sending.ts";
import { button, inert, urlOf, type Button } from "../body.ts";
import { customId } from "../custom-id.ts";
import { signs } from "../status-emoji.ts";

const PROMPT_CHARS = 80;
/** Messages named on one line. */
const SHOWN = 5;

/** The messages that this job's answer answers too; empty if there are none. */
export function tookLine(state: State, job: Job, locale: Locale): string[] {
  const messages = sentInto(state, job);
  if (messages.length === 0) return [];
  const named = [
    ...messages.slice(0, SHOWN).map((one) => linkTo(state, one)),
    ...(messages.length > SHOWN ? ["…"] : []),
  ];
  return [`${signs.sent_into} ${say(locale, "job_took", { messages: named.join(" · ") })}`];
}

/** What is being sent into a running job, and the first message that could be. */
export function sends(state: State, { thread_id }: Job, locale: Locale): { lines: string[]; buttons: Button[] } {
  const going = underWay(state, thread_id).flatMap((id) => state.jobs[id] ?? []);
  const next = (state.sessions[thread_id]?.queue ?? [])
    .flatMap((id) => state.jobs[id] ?? [])
    .find((one) => sendable(state, one) === "now");
  const lines = [
    ...going
      .slice(0, SHOWN)
      .map((one) => `${signs.sent_into} ${linkTo(state, one)} · ${say(locale, "queue_under_way")}`),
    ...(next ? [`${signs.queued} ${linkTo(state, next)}`] : []),
  ];
  return { lines, buttons: next ? [button(customId("q-send", { job: next.job_id }), say(locale, "queue_send"))] : [] };
}

function linkTo(state: State, { job_id, thread_id, discord_message_id, prompt }: Job): string {
  const files = state.runs[job_id]?.files ?? [];
  const words = inert(
    prompt.trim() === "" ? oneLine(files.map(({ path }) => basename(path)).join(", "), PROMPT_CHARS) : prompt,
    PROMPT_CHARS,
  );
  return `[${words || "…"}](${urlOf(state, thread_id, { message_id: discord_message_id })})`;
}
