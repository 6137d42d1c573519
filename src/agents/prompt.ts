/**
 * What an agent is given as its prompt: the owner's words, and around them what only we know: that it was cut off,
 * where the files are that came with the message. Marked as ours, in English: the agent's language is its own affair.
 */
import type { Job } from "../core/job.ts";
import type { Run } from "../core/run.ts";

const INTERRUPTED =
  "[Note from Bellhop, which runs you, not from the user: the previous prompt of this conversation was cut off " +
  "when Bellhop or the machine stopped. Some of its work may be done and some not. Check before repeating any of it.]";
const GO_ON = "Go on with what you were doing when you were interrupted.";
const FILES = "[Files that came with this message, on this machine:]";

/** `resumes`: whether the agent still has the conversation in which it was interrupted. */
export function promptOf(job: Job, run: Run | undefined, resumes: boolean): string {
  const parts: string[] = [];
  if (run?.after_crash_of != null || run?.mode === "continue") parts.push(INTERRUPTED);
  if (run?.mode === "continue" && resumes) return [...parts, GO_ON].join("\n\n");
  if (run?.mode === "continue") parts.push(`${GO_ON} It was this:`);
  if (job.prompt.trim() !== "") parts.push(job.prompt);
  if (run && run.files.length > 0) parts.push([FILES, ...run.files.map((file) => `- ${file}`)].join("\n"));
  return parts.join("\n\n");
}
