/** `discord_check_pending`: questions of earlier sessions that are still open, and those answered since. */
import { pendingInput, pendingOutput } from "../../../protocol/tools.ts";
import { remarkOnCatchUp, tool } from "../tool.ts";

export const checkPending = tool(
  {
    name: "discord_check_pending",
    title: "Check for open questions",
    description: `List the questions this project has open on Discord, and the answers that came while nobody was listening. Call it once at the start of a session, before you take up the work: an earlier session may have ended while it waited. Act on each of "resolved_questions" now; it is told only once. For each of "pending_questions" that still matters call discord_ask_decision with exactly the same question, context, options and thread: it goes on waiting for the same answer and asks nothing twice.`,
    input: pendingInput(),
    output: pendingOutput(),
  },
  async (_input, { daemon, signal }) => {
    const result = await daemon.pending(signal);
    return { result, ...remarkOnCatchUp(result) };
  },
);
