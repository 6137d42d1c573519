/**
 * Posts the answers that only this process has, once the journal has failed. Each message goes under the nonce of its
 * post, and the last says that nothing could be recorded: the next daemon looks for that one, and leaves as they are
 * the messages above it.
 */
import type { APIMessage } from "discord-api-types/v10";
import { jobOrTurn } from "../../core/jobs/job-or-turn.ts";
import { isThreadOfBot } from "../../core/sessions/thread.ts";
import { openWithin } from "../../host/time-limit.ts";
import type { BotContext } from "../api/bot-context.ts";
import type { RestCaller } from "../api/rest.ts";
import { type Body, type DesiredPost, nonceOf, requestOf, showsBody } from "../views/message.ts";
import { unsavedPosts } from "../views/jobs/answer-posts.ts";
import { sendOnce } from "./send-once.ts";

/** Never rejects. @param maxFileBytes the largest file that Discord accepts */
export async function postUnsaved(rest: RestCaller, context: BotContext, maxFileBytes: number): Promise<void> {
  const { engine, results, log, botId, locale } = context;
  const left = (await results.unsaved()).flatMap(({ jobId, answer, whole }) => {
    const job = jobOrTurn(engine.state, jobId);
    const isOurs = job?.state === "running" && isThreadOfBot(engine.state, job.thread_id, { botId, role: "serves" });
    return isOurs ? [{ job, answer, whole }] : [];
  });
  if (left.length === 0) return;
  const { openMarkdown } = await import("../text/markdown.ts");
  const config = { ...context.config(), max_file_bytes: maxFileBytes };
  const rendering = { locale, config, markdown: openMarkdown(openWithin()) };
  const posted = left.map(async ({ job, answer, whole }) => {
    try {
      for (const post of unsavedPosts(engine.state, job, answer, whole, rendering)) await put(rest, context, post);
      // What its file has taken would be shown in place of this.
      await results.releaseAnswer(job.job_id);
    } catch (error) {
      log.failure("an answer that could not be saved could not be posted either", error, { job_id: job.job_id });
    }
  });
  await Promise.all(posted);
}

async function put(
  rest: RestCaller,
  { engine, botId }: BotContext,
  { subject, part, thread_id, want }: DesiredPost,
): Promise<void> {
  if (want.kind !== "show") return;
  const { posts, threads } = engine.state;
  const standing = posts[subject]?.[part];
  if (standing?.message_id) return patch(rest, standing.channel_id, standing.message_id, want.body);
  const thread = threads[thread_id];
  const channelId = thread?.place === "parent" ? thread.channel_id : thread_id;
  const request = requestOf(want.body);
  const nonce = nonceOf(botId, { subject, part }, channelId, "");
  const message = await sendOnce<APIMessage>(rest, {
    channelId,
    body: { ...request.body, flags: want.body.flags },
    files: request.files,
    nonce,
    priority: "decision",
  });
  // It had been sent already, and its answer was lost, or it grew since.
  if (!showsBody(message, want.body)) await patch(rest, channelId, message.id, want.body);
}

async function patch(rest: RestCaller, channelId: string, messageId: string, body: Body): Promise<void> {
  await rest.call({
    method: "PATCH",
    path: `/channels/${channelId}/messages/${messageId}`,
    ...requestOf(body),
    priority: "decision",
  });
}
