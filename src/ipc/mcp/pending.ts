/**
 * `mcp_pending`: a project's open questions, and those answered while nobody was waiting. Reporting an answer delivers
 * it. For each open question whose asker left, a notice in its thread says, once per absence, that somebody is there
 * again.
 */
import { type Decision, askedFor, isOpen, openDecisions } from "../../core/decisions/decision.ts";
import { answerOf, statusOf, toTheSecond } from "../../core/decisions/pending-file.ts";
import { PROMPT_PART } from "../../core/posts/post.ts";
import type { Method } from "../connection.ts";
import type { Asking } from "./ask.ts";
import { asksFor, boundOf, caughtUp, type Bound, type HeldBot, type McpContext } from "./scope.ts";
import type { PendingQuestion, PendingResult, ResolvedQuestion } from "../../protocol/mcp.ts";

export function pendingMethod(mcp: McpContext, asking: Pick<Asking, "settled">): Method {
  const { engine, log } = mcp;
  async function tell(bot: HeldBot, project: string, { decision_id, thread_id, lapses_at }: Decision): Promise<void> {
    // Who is told that an agent is there again would answer, and that would be too late.
    const isOver = lapses_at !== null && Date.parse(lapses_at) < mcp.time.now();
    if (thread_id === null || isOver || engine.state.decisions[decision_id]?.noticed === true) return;
    await engine.submit({ type: "notice", decision_id });
    const prompt = engine.state.posts[decision_id]?.[PROMPT_PART]?.message_id ?? null;
    // With the time in it, retries of this notice are one message, and the next notice is another.
    const request_id = `restarted:${decision_id}:${mcp.clock.now()}`;
    try {
      await bot.says.restarted({ project, channel_id: thread_id, within: null, request_id, prompt });
    } catch (error) {
      log.failure("a thread could not be told that its question is still open", error, { decision_id });
    }
  }

  /** Where answers to this caller's questions may have been written. */
  function places({ home }: Bound, botId: string): string[] {
    const { channels } = engine.state;
    const asked = openDecisions(engine.state).flatMap((one) => (one.asker.by === "mcp" ? (one.thread_id ?? []) : []));
    const direct = Object.values(channels).flatMap(({ channel_id, kind, bot_id }) =>
      kind === "direct" && bot_id === botId ? [channel_id] : [],
    );
    return [...asked, ...direct, "thread" in home ? home.thread : home.channel];
  }

  return async (call) => {
    const bound = boundOf(mcp, call);
    const { bot, caughtUp: caught_up } = await caughtUp(mcp, call, places);
    // Callers that have just left must count as gone.
    await asking.settled();
    const at = { botId: bot?.bot_id ?? null, pendingDir: bound.pendingDir ?? mcp.settings.pendingDir };
    const ours = askedFor(engine.state, bound.project).filter((one) => asksFor(engine.state, one, bound, at));
    const open = ours.filter(isOpen);
    for (const decision of open)
      if (bot !== null && decision.state === "disconnected") void tell(bot, bound.project, decision);
    const answered = ours
      .filter(({ state, delivered }) => state === "answered" && !delivered)
      .map((one) => structuredClone(one));
    const isPending = { has_pending: open.length > 0, pending_questions: open.map(pending) };
    if (call.cancelled.aborted) return { ...isPending, resolved_questions: [], caught_up } satisfies PendingResult;
    const delivered = await Promise.all(
      answered.map(({ decision_id }) => engine.submit({ type: "answer_delivered", decision_id })),
    );
    // An answer that was taken back at this very moment is not reported.
    const resolved = answered.filter((_, at) => (delivered[at]?.length ?? 0) > 0);
    return { ...isPending, resolved_questions: resolved.flatMap(resolvedQuestion), caught_up } satisfies PendingResult;
  };
}

function pending(decision: Decision): PendingQuestion {
  const { decision_id, questions, thread_id, asked_at } = decision;
  const status = statusOf(decision) === "pending" ? "pending" : "disconnected";
  return {
    question_id: decision_id,
    question: questions[0]?.question ?? "",
    thread_id: thread_id ?? "",
    asked_at: toTheSecond(asked_at),
    status,
  };
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
