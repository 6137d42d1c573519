/**
 * `discord_ask_decision`: a question to the owner, and his answer, however long it takes. It never makes one up: what
 * comes back is what the owner said, or that he has not said anything.
 */
import { seconds, text, texts, thread } from "../parameters.ts";
import { needPlace, tool, type Done } from "../tool.ts";
import type { Outcome } from "../daemon.ts";

const DESCRIPTION = `Ask the owner a question on Discord and wait for the answer. This call blocks until the owner has answered, for minutes or hours; that is intended.

Use it whenever a choice belongs to the owner: anything that cannot be undone (deleting data, migrations, force pushes, releases, deployments), anything that costs money or is seen by others, requirements that can be read in two ways, a choice between designs with different consequences, leaving the agreed scope, or when you are stuck. Do not use it for what you can find out yourself in the code or the documents.

Never go on as if you had an answer. Only a result with "success": true holds one. With "timed_out" or "aborted" the owner has decided nothing: take the step that can be undone, work on something that does not depend on the answer, or stop and say what you wait for. If the call was interrupted, the question stays open on Discord: ask exactly the same again (same question, context, options, thread) and you get the answer that was given meanwhile, or go on waiting; discord_check_pending lists what is open.

The owner reads this on a phone and cannot see your terminal. Put into the context what he needs to decide: what you are doing, what you found, what each option leads to, and which one you recommend and why. Options begin with a letter, "A) Run it now", "B) Staging first", and say what will be done; an empty array lets him answer freely. He may answer in his own words even when there are options: then "selected_option" is null and "answer" holds the words, which you follow.`;

const ANSWER = { type: ["string", "null"], description: "The chosen option's full text, or the owner's own words; null without an answer." };

export const askDecision = tool(
  {
    name: "discord_ask_decision",
    title: "Ask the owner on Discord",
    description: DESCRIPTION,
    result: {
      success: { type: "boolean", description: "Whether the owner has answered." },
      answer: ANSWER,
      selected_option: { type: ["string", "null"], description: "The chosen option's full text; null for an answer in the owner's own words." },
      question_id: { type: "string" },
      timed_out: { type: "boolean", description: "timeout_seconds went by without an answer." },
      aborted: { type: "boolean", description: "It ended without an answer: what was replied was not understood three times, or there was nowhere left to ask." },
      thread_id: { type: ["string", "null"], description: "The thread it was asked in. Send it with what belongs to the same matter." },
    },
  },
  {
    question: text("The one question to decide, in one or two sentences.", { most: 10_000 }),
    context: text("What the owner needs to know to decide: the work at hand, what was found, what each option leads to, what you recommend. Markdown; may be long.", { most: 100_000, empty: true }),
    // As many as can be named by a number.
    options: texts('The choices, such as ["A) Run it now", "B) Staging first", "C) Hold"]. An empty array for a free answer.', { most: 99, longest: 2_000, distinct: true }),
    timeout_seconds: seconds("Seconds to wait at most. null, the default, waits as long as it takes; prefer it, because a decision that was not made must not be replaced by yours.", 315_360_000),
    thread_id: thread("The thread to ask in, as an earlier result named it, to keep what belongs together in one place. null makes a new one."),
  },
  async (input, { daemon, home, signal, waiting }): Promise<Done> => {
    needPlace(input.thread_id, home);
    const result = await waiting((note) =>
      daemon.ask(input, { signal, part: ({ thread_id }) => void (thread_id !== null && note(`Asked on Discord, in thread ${thread_id}. Waiting for the owner's answer.`)) }),
    );
    const remark = remarkOn(result);
    return { result, written: () => daemon.delivered(result.question_id), ...(remark !== undefined && { remark }) };
  },
);

function remarkOn({ success, timed_out }: Outcome): string | undefined {
  if (success) return undefined;
  const why = timed_out ? "The time given for it is over and the owner has not answered." : "The question was closed without an answer.";
  return `${why} Nothing was decided: do not go on as if it had been.`;
}
