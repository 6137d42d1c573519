/**
 * The files that a job's agent sends: each is a message of its own below the answer, posted once and one after the
 * other; for a file that was not accepted, a line says why.
 */
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { SAID } from "../../../core/posts/post-state.ts";
import type { AnswerConfig } from "./answer.ts";
import { code, smallPrint, agentBody } from "../body.ts";
import { jobPost } from "./job-post.ts";
import type { Body, DesiredPost } from "../desired-posts.ts";

export interface FileOptions {
  locale: Locale;
  config: AnswerConfig;
  /** Optional: the bytes of a job's file that is not in Discord yet, by its place. */
  attached?(jobId: string, place: number): Uint8Array | undefined;
}

const MEGABYTE = 1024 * 1024;

const WHY: Record<string, WordKey> = {
  outside: "sent_why_outside",
  missing: "sent_why_missing",
  no_file: "sent_why_no_file",
  too_large: "sent_why_too_large",
  many: "sent_why_many",
};

function filePart(place: number): string {
  return `file:${place}`;
}

/** Whether the file, or why it is not sent, is in Discord as owed; from then on its bytes are not needed. */
export function isSent({ posts }: Pick<State, "posts">, jobId: string, place: number): boolean {
  return posts[jobId]?.[filePart(place)]?.is === SAID;
}

/** Up to the next one that is not sent yet: one file per job is held in memory at a time. */
export function filePosts(state: State, job: Job, options: FileOptions, since: number): DesiredPost[] {
  const files = state.runs[job.job_id]?.attachments ?? [];
  const next = files.findIndex((_, place) => !isSent(state, job.job_id, place));
  const due = next < 0 ? files : files.slice(0, next + 1);
  return due.map((file, place) => {
    const bytes = file.why === null ? options.attached?.(job.job_id, place) : undefined;
    return jobPost(job, {
      part: filePart(place),
      is: SAID,
      body: fileBody(file, bytes, options),
      priority: "result",
      since,
    });
  });
}

function fileBody(
  { name, why }: { name: string; why: string | null },
  bytes: Uint8Array | undefined,
  { locale, config: { max_file_bytes } }: FileOptions,
): Body {
  const shown = code(name, 200) || "…";
  const isLarge = bytes !== undefined && bytes.length > max_file_bytes;
  if (bytes !== undefined && !isLarge)
    return { ...agentBody(smallPrint(`📎 ${shown}`)), files: [{ name: fileName(name), bytes }] };
  const reason = WHY[isLarge ? "too_large" : (why ?? "")] ?? "sent_why_unreadable";
  return agentBody(
    smallPrint(
      say(locale, "sent_not", { name: shown, why: say(locale, reason, { limit: max_file_bytes / MEGABYTE }) }),
    ),
  );
}

/** The last part of its path, safe to save. Discord shows letters that are not ASCII, as the file's title. */
function fileName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  return last.replace(/[^\p{L}\p{N}._-]/gu, "_").slice(-100) || "file";
}
