/**
 * An agent's prompt: the owner's words, with notes on what only Bellhop knows: that the agent was cut off, where the
 * files of the message are. The notes are marked as Bellhop's and in English, whatever language the agent uses.
 */
import type { Job } from "../../core/jobs/job.ts";
import type { Run } from "../../core/jobs/run.ts";

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

/**
 * `resumes`: whether the agent still has the conversation in which it was interrupted. `outputs`: the folder it sends
 * files from.
 */
export function promptOf(job: Job, run: Run | undefined, resumes: boolean, outputs?: string): string {
  const parts = [...(resumes || outputs === undefined ? [] : [sending(outputs)]), ...before(run, resumes)];
  if (parts.includes(GO_ON)) return parts.join("\n\n");
  if (job.prompt.trim() !== "") parts.push(job.prompt);
  if (run && run.files.length > 0) parts.push([FILES, ...run.files.map((file) => `- ${file}`)].join("\n"));
  return parts.join("\n\n");
}

/** Sent once, because it stays in the conversation. */
function sending(outputs: string): string {
  return (
    `[Note from Bellhop, which runs you, not from the user: to send the user a file, put it into ${outputs} and ` +
    "write [DISCORD_ATTACH: name] with its name in that folder where you speak of it.]"
  );
}

/** The notes on a crash that precede the owner's words; `GO_ON` replaces those words. */
function before(run: Run | undefined, resumes: boolean): string[] {
  const justCutOff = run?.after_crash_of != null;
  if (run?.mode !== "continue") return justCutOff ? [resumes ? INTERRUPTED : LOST] : [];
  if (!resumes) return [LOST, TAKE_OVER];
  return justCutOff ? [INTERRUPTED, GO_ON] : [EARLIER];
}
