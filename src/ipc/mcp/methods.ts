/**
 * The methods for agents' clients, put together. Posts go out under the client's own bot, to the named thread or the
 * default place; questions and answers go through the core like everything else.
 */
import { codeOf } from "../../base/errors.ts";
import type { Call, Method } from "../connection.ts";
import { openAsking, type AskMethods } from "./ask.ts";
import {
  placeOf,
  underBot,
  wrongChannel,
  type AgentSays,
  type McpContext,
  boundOf,
  caughtUp,
  type Bound,
  asksFor,
  type HeldBot,
} from "./scope.ts";
import {
  readNotify,
  readReport,
  type NotifyParams,
  type ReportParams,
  type PostedResult,
  readInboxClearing,
  readInboxQuery,
  type ClearedResult,
  type InboxResult,
  type PendingQuestion,
  type PendingResult,
  type ResolvedQuestion,
} from "../../protocol/mcp.ts";
import type { InboxMessage } from "../../core/inbox/inbox.ts";
import { asWritten } from "../../core/inbox/inbox-file.ts";
import { threadsOf } from "../../core/sessions/thread.ts";
import {
  type AnsweredDecision,
  type Decision,
  type OpenDecision,
  askedFor,
  isOpen,
  openDecisions,
} from "../../core/decisions/decision.ts";
import { answerOf, statusOf, toTheSecond } from "../../core/decisions/pending-file.ts";
import { PROMPT_PART } from "../../core/posts/post.ts";
import type { AgentPostTarget } from "../../core/posts/agent-post.ts";

export interface McpMethods {
  readonly methods: Record<"mcp_ask" | "mcp_delivered" | "mcp_notify" | "mcp_report" | "mcp_pending", Method>;
  /** Resolves when it is on disk which callers have stopped waiting. */
  whenDisconnectsRecorded(): Promise<void>;
}

export function openMcpMethods(mcp: McpContext): McpMethods {
  const asking = openAsking(mcp);
  return {
    methods: {
      mcp_ask: asking.ask,
      mcp_delivered: asking.delivered,
      mcp_notify: (call) => {
        const notice = readNotify(call.params);
        return post(mcp, call, notice, ({ postNotification: notify }, where) => notify(notice, where));
      },
      mcp_report: (call) => {
        const report = readReport(call.params);
        return post(mcp, call, report, (says, where) => says.report(report, where));
      },
      mcp_pending: pendingMethod(mcp, asking),
    },
    whenDisconnectsRecorded: () => asking.whenDisconnectsRecorded(),
  };
}

function post(
  mcp: McpContext,
  call: Call,
  { thread_id: named, request_id }: NotifyParams | ReportParams,
  put: (says: AgentSays, where: AgentPostTarget) => Promise<string>,
): Promise<PostedResult> {
  return underBot(mcp, call, async ({ says }, bound) => {
    const { thread_id, ...place } = placeOf(mcp, bound, named);
    try {
      return {
        success: true,
        message_id: await put(says, { project: bound.project, ...place, request_id }),
        thread_id,
      };
    } catch (error) {
      const isNone = codeOf(error) === "E_THREAD_ACCESS_FAILED" || codeOf(error) === "E_THREAD_FOREIGN";
      throw isNone && thread_id === null ? wrongChannel(mcp.settings.locale, place.channel_id) : error;
    }
  });
}

/*
 * `mcp_read_inbox` and `mcp_clear_inbox`: what was written for an agent to read later. A caller sees only its own
 * channel or session. Nothing is marked as read or deleted that the caller was not shown.
 */

/**
 * The maximum size of the messages in one answer, which must fit into a frame (1 MiB); the oldest come first, the rest
 * with the next call.
 */
const MOST_BYTES = 700_000;

export function inboxMethods(mcp: McpContext): Record<"mcp_read_inbox" | "mcp_clear_inbox", Method> {
  const { engine } = mcp;

  /**
   * The caller's place, read up to now. The first read starts watching a client's channel; problems with its token are
   * reported here, not hidden.
   */
  async function read(call: Call): Promise<{ place: string; caught_up: boolean }> {
    const { home } = boundOf(mcp, call);
    // A message in a session's thread is its next prompt, so there is no inbox.
    if ("thread" in home) return { place: home.thread, caught_up: true };
    const { channel } = home;
    const threads = (): string[] =>
      threadsOf(engine.state, channel).flatMap(({ thread_id }) =>
        engine.state.sessions[thread_id] === undefined ? [thread_id] : [],
      );
    const { caughtUp: caught_up } = await caughtUp(mcp, call, () => [channel, ...threads()]);
    return { place: channel, caught_up };
  }

  return {
    async mcp_read_inbox(call): Promise<InboxResult> {
      const { unread_only, mark_read } = readInboxQuery(call.params);
      const { place, caught_up } = await read(call);
      const all = entriesFor(engine.state.inbox, place);
      const messages = fitting(all.filter(({ read }) => !unread_only || !read));
      const unread_count = all.filter(({ read }) => !read).length;
      // A caller that no longer wants the answer has not read it.
      if (!call.cancelled.aborted)
        await engine.submit({
          type: "read_inbox",
          channel_id: place,
          message_ids: mark_read ? messages.map(({ message_id }) => message_id) : [],
        });
      return { messages, unread_count, caught_up };
    },
    async mcp_clear_inbox(call): Promise<ClearedResult> {
      const { read_only } = readInboxClearing(call.params);
      const all = entriesFor(engine.state.inbox, homeOf(boundOf(mcp, call)));
      const message_ids = all.filter(({ read }) => read || !read_only).map(({ message_id }) => message_id);
      const events = await engine.submit({ type: "clear_inbox", message_ids });
      const cleared = events.flatMap((event) => (event.type === "InboxCleared" ? event.payload.message_ids : []));
      return { success: true, cleared_count: cleared.length };
    },
  };
}

function homeOf({ home }: Bound): string {
  return "thread" in home ? home.thread : home.channel;
}

/** The messages of a channel and its threads, in the order received, as they are reported. */
export function entriesFor(inbox: Readonly<Record<string, InboxMessage>>, channelId: string): InboxMessage[] {
  return Object.values(inbox)
    .filter((one) => one.channel_id === channelId || one.thread_id === channelId)
    .map(asWritten);
}

function fitting(messages: InboxMessage[]): InboxMessage[] {
  let bytes = 0;
  const end = messages.findIndex((one) => (bytes += Buffer.byteLength(JSON.stringify(one)) + 1) > MOST_BYTES);
  return end === -1 ? messages : messages.slice(0, Math.max(1, end));
}

/*
 * `mcp_pending`: a project's open questions, and those answered while nobody was waiting. Reporting an answer delivers
 * it. For each open question whose asker left, a notice in its thread says, once per absence, that somebody is there
 * again.
 */

export function pendingMethod(mcp: McpContext, asking: AskMethods): Method {
  const { engine, log } = mcp;
  async function tell(bot: HeldBot, project: string, decision: OpenDecision): Promise<void> {
    const { decision_id, thread_id, lapses_at, meanwhile } = decision;
    // Who is told that an agent is there again would answer, and that would be too late.
    const isOver = lapses_at !== null && Date.parse(lapses_at) < mcp.time.now();
    if (thread_id === null || isOver || meanwhile.noticed === true) return;
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
    await asking.whenDisconnectsRecorded();
    const at = { botId: bot?.bot_id ?? null, pendingDir: bound.pendingDir ?? mcp.settings.pendingDir };
    const ours = askedFor(engine.state, bound.project).filter((one) => asksFor(one, bound, at));
    const open = ours.filter(isOpen);
    for (const decision of open)
      if (bot !== null && decision.state === "disconnected") void tell(bot, bound.project, decision);
    const answered = ours
      .filter((one) => one.state === "answered")
      .filter(({ delivered }) => !delivered)
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

function resolvedQuestion(decision: AnsweredDecision): ResolvedQuestion[] {
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
      resolved_at: toTheSecond(settled_at),
    },
  ];
}
