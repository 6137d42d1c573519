/** `discord_check_pending`: what an earlier session asked and is still open, and what was answered since. */
import { tool } from "../tool.ts";

const question = { question_id: { type: "string" }, question: { type: "string" }, thread_id: { type: ["string", "null"] } };

export const checkPending = tool(
  {
    name: "discord_check_pending",
    title: "Check for open questions",
    description: `List the questions this project has open on Discord, and the answers that came while nobody was listening. Call it once at the start of a session, before you take up the work: an earlier session may have ended while it waited. Act on each of "resolved_questions" now; it is told only once. For each of "pending_questions" that still matters call discord_ask_decision with exactly the same question, context, options and thread: it goes on waiting for the same answer and asks nothing twice.`,
    result: {
      has_pending: { type: "boolean" },
      pending_questions: { type: "array", items: { type: "object", properties: { ...question, asked_at: { type: "string" }, status: { type: "string", description: '"pending", or "disconnected" where whoever asked is gone; the owner can answer both.' } } } },
      resolved_questions: { type: "array", items: { type: "object", properties: { ...question, answer: { type: "string" }, selected_option: { type: ["string", "null"] } } } },
    },
  },
  {},
  async (_input, { daemon, signal }) => ({ result: await daemon.pending(signal) }),
);
