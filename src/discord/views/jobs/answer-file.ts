/**
 * A long answer, or one that cannot be rendered, as an attached file; one that is too large for Discord stays on disk.
 */
import { grouped } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { AnswerText } from "../../../host/files/answer-writing.ts";
import { agentBody, code, smallPrint } from "../body.ts";
import type { Body } from "../desired-posts.ts";

interface FileRendering {
  locale: Locale;
  config: {
    /** The largest file Discord accepts from us, in bytes. */
    max_file_bytes: number;
  };
}

/** What is shown of the end of a long answer. */
export interface End {
  content: string;
  /** Characters between the inline messages and this. */
  skipped: number;
}

/** The message below the inline ones: the answer's end, and the whole of it as a file. */
export function endWithFile(job: Job, answer: AnswerText, end: End, { config, locale }: FileRendering): Body {
  const files = filesOf(job, answer, config);
  const key = files ? "answer_middle" : answer.unkept ? "answer_middle_lost" : "answer_middle_on_disk";
  const line = smallPrint(say(locale, key, { count: grouped(end.skipped + answer.left), file: fileOf(job) }));
  const body = agentBody(end.skipped === 0 && files ? end.content : `${line}\n${end.content}`);
  return files ? { ...body, files } : body;
}

/** An answer that could not be rendered: its path, and all of it as a file. */
export function unrenderedAnswer(job: Job, answer: AnswerText, { config, locale }: FileRendering): Body {
  const files = filesOf(job, answer, config);
  const key = answer.unkept
    ? files
      ? "answer_unrendered_unkept"
      : "answer_unkept_cut"
    : files
      ? "answer_unrendered"
      : "answer_unrendered_on_disk";
  const body = agentBody(smallPrint(say(locale, key, { file: code(fileOf(job)) })));
  return files ? { ...body, files } : body;
}

/** The answer's file, in the state directory. */
export function fileOf(job: Job): string {
  return `results/${job.job_id}.md`;
}

/** Null: the answer is too large for Discord, or is only on disk. */
function filesOf(
  job: Job,
  { text, left }: AnswerText,
  { max_file_bytes }: FileRendering["config"],
): Body["files"] | null {
  const bytes = Buffer.from(text, "utf8");
  return left === 0 && bytes.length <= max_file_bytes ? [{ name: `${job.job_id}.md`, bytes }] : null;
}
