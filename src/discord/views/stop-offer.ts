/**
 * What is offered to an owner who types stop while a job runs: his message would only be the next job. It stands while
 * the message waits behind something that runs.
 */
import { ButtonStyle } from "discord-api-types/v10";
import { digestOf } from "../../base/digest.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { isStopWord } from "../../core/decisions/answers/consent.ts";
import { workersIn } from "../../core/jobs/job-or-turn.ts";
import { jobsOf, type Job } from "../../core/jobs/job.ts";
import { OVER } from "../../core/jobs/post-state.ts";
import { sendable } from "../../core/jobs/sending.ts";
import type { State } from "../../core/state.ts";
import { snowflakeTime } from "../../base/ids.ts";
import { customId } from "./custom-id.ts";
import { jobPost } from "./jobs/job-end.ts";
import { button, colours, nameOf, pastBody, systemBody, type DesiredPost } from "./message.ts";

const STOP_PART = "stop";

/** One for each message that says only stop. */
export function stopOffers(state: State, threadId: string, locale: Locale): DesiredPost[] {
  const { queue = [] } = state.sessions[threadId] ?? {};
  const runs = workersIn(state, threadId).some((id) => state.runs[id]?.cancelling !== true);
  const asked = runs ? queue.flatMap((id) => state.jobs[id] ?? []).filter(({ prompt }) => isStopWord(prompt)) : [];
  const over = jobsOf(state, threadId).filter(
    (job) => !asked.includes(job) && (state.posts[job.job_id]?.[STOP_PART]?.is ?? OVER) !== OVER,
  );
  return [
    ...asked.map((job) => offer(state, job, locale)),
    ...over.map((job) =>
      jobPost(job, {
        part: STOP_PART,
        is: OVER,
        body: pastBody(locale),
        priority: "result",
        since: snowflakeTime(job.discord_message_id),
      }),
    ),
  ];
}

/** Of what runs in the thread: a press means what ran when it was offered, and nothing that began since. */
export function stopMark(state: State, threadId: string): string {
  return digestOf(JSON.stringify(workersIn(state, threadId))).slice(0, 32);
}

function offer(state: State, job: Job, locale: Locale): DesiredPost {
  const { job_id: subject, thread_id, discord_message_id: reply_to } = job;
  const mark = stopMark(state, thread_id);
  const buttons = [
    button(customId("stop_for", { job: subject, mark }), say(locale, "pointer_stop"), ButtonStyle.Danger),
    ...(sendable(state, job) === "now"
      ? [button(customId("send_queued", { job: subject }), say(locale, "queue_send"))]
      : []),
  ];
  const body = systemBody({ color: colours.waits, description: say(locale, "stop_offer") }, buttons);
  const want = { kind: "show", body } as const;
  const since = snowflakeTime(reply_to);
  return {
    subject,
    part: STOP_PART,
    thread_id,
    priority: "result",
    want,
    is: nameOf(body.components),
    reply_to,
    since,
  };
}
