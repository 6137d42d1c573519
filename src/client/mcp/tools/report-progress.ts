/** `discord_report_progress`: the result of a task or a milestone, sent to the owner in one post. */
import { postedOutput, reportInput } from "../../../protocol/tools.ts";
import { needPlace, tool } from "../tool.ts";

export const reportProgress = tool(
  {
    name: "discord_report_progress",
    title: "Report a result to the owner on Discord",
    description: `Report on Discord that a task or a milestone is complete, and go on at once; nothing comes back from the owner. Send one when a task he gave you is done, when a milestone of a long one is reached, or when you stop with the work unfinished; then say what is missing. He reads it on a phone without your terminal: the summary says what is different now, the details name what he may want to check (files, tests and their results, links, what is left). Report failures as plainly as successes.`,
    input: reportInput(),
    output: postedOutput(),
  },
  async (input, { daemon, home, signal, requestId }) => {
    needPlace(input.thread_id, home);
    return { result: await daemon.report({ ...input, request_id: requestId() }, signal) };
  },
);
