/**
 * `discord_ask_decision`: asks the owner a question and returns the answer, however long it takes. It never invents
 * one: the result is what the owner said, or that there is no answer.
 */
import type { AskResult } from "../../../protocol/mcp.ts";
import { askInput, askOutput } from "../../../protocol/tools.ts";
import { needPlace, tool, type Done } from "../tool.ts";

const DESCRIPTION = `Ask the owner a question on Discord and wait for the answer. This call blocks until the owner has answered, for minutes or hours; that is intended.

Use it whenever a choice belongs to the owner: anything that cannot be undone (deleting data, migrations, force pushes, releases, deployments), anything that costs money or is seen by others, requirements that can be read in two ways, a choice between designs with different consequences, leaving the agreed scope, or when you are stuck. Do not use it for what you can find out yourself in the code or the documents.

Never go on as if you had an answer. Only a result with "success": true holds one. With "timed_out" or "aborted" the owner has decided nothing: take the step that can be undone, work on something that does not depend on the answer, or stop and say what you wait for. If the call was interrupted, the question stays open on Discord: ask exactly the same again (same question, context, options, thread) and you get the answer that was given meanwhile, or go on waiting; discord_check_pending lists what is open.

The owner reads this on a phone and cannot see your terminal. Put into the context what he needs to decide: what you are doing, what you found, what each option leads to, and which one you recommend and why. Options begin with a letter, "A) Run it now", "B) Staging first", and say what will be done; an empty array lets him answer freely. He may answer in his own words even when there are options: then "selected_option" is null and "answer" holds the words, which you follow.`;

export const askDecision = tool(
  {
    name: "discord_ask_decision",
    title: "Ask the owner on Discord",
    description: DESCRIPTION,
    input: askInput(),
    output: askOutput(),
  },
  async (input, { daemon, home, signal, waiting }): Promise<Done> => {
    needPlace(input.thread_id, home);
    const { placeless = false, ...result } = await waiting((note) =>
      daemon.ask(input, {
        signal,
        part: ({ thread_id }) =>
          void (
            thread_id !== null && note(`Asked on Discord, in thread ${thread_id}. Waiting for the owner's answer.`)
          ),
      }),
    );
    const remark = remarkOn(result, placeless);
    return { result, written: () => daemon.delivered(result.question_id), ...(remark !== undefined && { remark }) };
  },
);

const PLACELESS =
  "The question was closed without an answer: its thread on Discord is gone, and it could be posted neither in the " +
  "channel nor in the owner's direct messages. Tell the user that the bot needs to be allowed to write in " +
  "DISCORD_CHANNEL_ID.";

function remarkOn(
  { success, timed_out }: Pick<AskResult, "success" | "timed_out">,
  placeless: boolean,
): string | undefined {
  if (success) return undefined;
  const closed = placeless ? PLACELESS : "The question was closed without an answer.";
  const why = timed_out ? "The time given for it is over and the owner has not answered." : closed;
  return `${why} Nothing was decided: do not go on as if it had been.`;
}
