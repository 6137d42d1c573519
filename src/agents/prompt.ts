/**
 * What an agent is given as its prompt: the owner's words, and around them what only we know: that it was cut off,
 * where the files are that came with the message. Marked as ours, in English: the agent's language is its own affair.
 */
import type { Job } from "../core/job.ts";
import type { Run } from "../core/run.ts";

const INTERRUPTED =
  "[Note from Bellhop, which runs you, not from the user: the previous prompt of this conversation was cut off " +
  "when Bellhop or the machine stopped. Some of its work may be done and some not. Check before repeating any of it.]";
const LOST =
  "[Note from Bellhop, which runs you, not from the user: an agent before you was cut off at work in this directory " +
  "when Bellhop or the machine stopped, and its conversation is lost. Some of its work may be done and some not. " +
  "Check before repeating any of it.]";
const EARLIER =
  "[Note from Bellhop, which runs you, not from the user: the prompt below was given to you earlier and cut off when " +
  "Bellhop or the machine stopped; other work has been done since. Some of its work may be done and some not. " +
  "Check before repeating any of it, and finish it:]";
const GO_ON = "Go on with what you were doing when you were interrupted.";
const TAKE_OVER = "Go on with what it was doing. It had been asked:";
const FILES = "[Files that came with this message, on this machine:]";

/** `resumes`: whether the agent still has the conversation in which it was interrupted. */
export function promptOf(job: Job, run: Run | undefined, resumes: boolean): string {
  const parts = before(run, resumes);
  if (parts.includes(GO_ON)) return parts.join("\n\n");
  if (job.prompt.trim() !== "") parts.push(job.prompt);
  if (run && run.files.length > 0) parts.push([FILES, ...run.files.map((file) => `- ${file}`)].join("\n"));
  return parts.join("\n\n");
}

/** What is said of a crash before the owner's words; with `GO_ON` in their place. */
function before(run: Run | undefined, resumes: boolean): string[] {
  const justCutOff = run?.after_crash_of != null;
  if (run?.mode !== "continue") return justCutOff ? [resumes ? INTERRUPTED : LOST] : [];
  if (!resumes) return [LOST, TAKE_OVER];
  return justCutOff ? [INTERRUPTED, GO_ON] : [EARLIER];
}
