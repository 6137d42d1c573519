/**
 * `mcp_pending`: what a project has asked and still waits for, and what was answered while nobody was there to hear
 * it. To be told of an answer is to have it delivered. In the threads of the rest it says, once for each time that
 * whoever asked went away, that there is somebody again.
 */
import type { Decision } from "../core/decision.ts";
import { isOpen } from "../core/decision.ts";
import { answerOf, statusOf, toTheSecond } from "../core/pending-file.ts";
import { PROMPT_PART } from "../core/post.ts";
import type { Method } from "./connection.ts";
import type { Asking } from "./mcp-ask.ts";
import { underBot, type HeldBot, type McpHouse } from "./mcp-house.ts";
import type { PendingQuestion, PendingResult, ResolvedQuestion } from "./mcp-protocol.ts";

export function pendingMethod(house: McpHouse, asking: Pick<Asking, "settled">): Method {
  const { engine, log } = house;
  /** Questions whose thread was told since they were last heard. */
  const told = new Set<string>();
  engine.watch(() => {
    for (const id of told) if (engine.state.decisions[id]?.state !== "disconnected") told.delete(id);
  });

  async function tell(bot: HeldBot, project: string, { decision_id, thread_id }: Decision): Promise<void> {
    if (thread_id === null || told.has(decision_id)) return;
    told.add(decision_id);
    const prompt = engine.state.posts[decision_id]?.[PROMPT_PART]?.message_id ?? null;
    // When that was makes it the same message however often it is tried, and another one the next time.
    const request_id = `restarted:${decision_id}:${house.clock.now()}`;
    try {
      await bot.says.restarted({ project, channel_id: thread_id, request_id, prompt });
    } catch (error) {
      told.delete(decision_id);
      log.failure("a thread was not told that its question waits on", error, { decision_id });
    }
  }

  return (call) =>
    underBot(house, call, async (bot, face) => {
      // Who has just stopped waiting no longer does.
      await asking.settled();
      const dir = face.pendingDir ?? house.pendingDir;
      const ours = Object.values(engine.state.decisions).filter(
        ({ asker }) => asker.by === "mcp" && asker.project === face.project && asker.bot_id === bot.bot_id && asker.pending_dir === dir,
      );
      const open = ours.filter(isOpen);
      for (const decision of open) if (decision.state === "disconnected") void tell(bot, face.project, decision);
      const resolved = ours.filter(({ state, delivered }) => state === "answered" && !delivered);
      const result = { has_pending: open.length > 0, pending_questions: open.map(pending), resolved_questions: resolved.flatMap(resolvedQuestion) } satisfies PendingResult;
      if (call.cancelled.aborted) return result;
      await Promise.all(resolved.map(({ decision_id }) => engine.submit({ type: "answer_delivered", decision_id })));
      return result;
    });
}

function pending(decision: Decision): PendingQuestion {
  const { decision_id, questions, thread_id, asked_at } = decision;
  const status = statusOf(decision) === "pending" ? "pending" : "disconnected";
  return { question_id: decision_id, question: questions[0]?.question ?? "", thread_id: thread_id ?? "", asked_at: toTheSecond(asked_at), status };
}

function resolvedQuestion(decision: Decision): ResolvedQuestion[] {
  const { decision_id, questions, thread_id, asked_at, settled_at } = decision;
  const { answer, selected_option } = answerOf(decision);
  if (answer === null) return [];
  return [
    {
      question_id: decision_id,
      question: questions[0]?.question ?? "",
      answer,
      selected_option,
      thread_id: thread_id ?? "",
      asked_at: toTheSecond(asked_at),
      resolved_at: toTheSecond(settled_at ?? asked_at),
    },
  ];
}
