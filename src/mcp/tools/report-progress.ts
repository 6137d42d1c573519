/** `discord_report_progress`: what a task or one of its milestones has come to, told to the owner in one post. */
import { text, texts, thread } from "../parameters.ts";
import { needPlace, tool } from "../tool.ts";
import { posted } from "./notify.ts";

export const reportProgress = tool(
  {
    name: "discord_report_progress",
    title: "Report a result to the owner on Discord",
    description: `Report on Discord that a task or a milestone is complete, and go on at once; nothing comes back from the owner. Send one when a task he gave you is done, when a milestone of a long one is reached, or when you stop with the work unfinished; then say what is missing. He reads it on a phone without your terminal: the summary says what is different now, the details name what he may want to check (files, tests and their results, links, what is left). Report failures as plainly as successes.`,
    result: posted,
  },
  {
    title: text('What it is about, such as "Migration to v2 finished".', { most: 1_000 }),
    summary: text("The result in a few sentences. Markdown.", { most: 200_000 }),
    details: texts('Single items, such as ["14 files changed", "212 tests pass", "Left: the changelog"].', { most: 500, longest: 200_000, otherwise: [] }),
    thread_id: thread("The thread to write in, as an earlier result named it. null writes in the default channel."),
  },
  async (input, { daemon, home, signal, requestId }) => {
    needPlace(input.thread_id, home);
    return { result: await daemon.report({ ...input, request_id: requestId() }, signal) };
  },
);
