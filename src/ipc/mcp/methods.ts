/**
 * The methods for agents' clients, put together. Posts go out under the client's own bot, to the named thread or the
 * default place; questions and answers go through the core like everything else.
 */
import { codeOf } from "../../base/errors.ts";
import type { Call, Method } from "../connection.ts";
import { openAsking } from "./ask.ts";
import {
  placeOf,
  underBot,
  wrongChannel,
  type AgentSays,
  type McpContext,
  type Where,
  boundOf,
  caughtUp,
  type Bound,
} from "./scope.ts";
import { pendingMethod } from "./pending.ts";
import {
  readNotify,
  readReport,
  type NotifyParams,
  type PostedResult,
  readInboxClearing,
  readInboxQuery,
  type ClearedResult,
  type InboxResult,
} from "../../protocol/mcp.ts";
import type { InboxMessage } from "../../core/inbox/inbox.ts";
import { asWritten } from "../../core/inbox/inbox-file.ts";
import { threadsOf } from "../../core/sessions/thread.ts";

export interface McpMethods {
  readonly methods: Record<"mcp_ask" | "mcp_delivered" | "mcp_notify" | "mcp_report" | "mcp_pending", Method>;
  /** Resolves when it is on disk which callers have stopped waiting. */
  settled(): Promise<void>;
}

export function openMcpMethods(mcp: McpContext): McpMethods {
  const asking = openAsking(mcp);
  return {
    methods: {
      mcp_ask: asking.ask,
      mcp_delivered: asking.delivered,
      mcp_notify: (call) => {
        const { thread_id, request_id, ...words } = readNotify(call.params);
        return post(mcp, call, { thread_id, request_id }, ({ notify }, where) => notify(words, where));
      },
      mcp_report: (call) => {
        const { thread_id, request_id, ...words } = readReport(call.params);
        return post(mcp, call, { thread_id, request_id }, ({ report }, where) => report(words, where));
      },
      mcp_pending: pendingMethod(mcp, asking),
    },
    settled: () => asking.settled(),
  };
}

function post(
  mcp: McpContext,
  call: Call,
  { thread_id: named, request_id }: Pick<NotifyParams, "thread_id" | "request_id">,
  put: (says: AgentSays, where: Where) => Promise<string>,
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
      if (mark_read && !call.cancelled.aborted)
        await engine.submit({ type: "read_inbox", message_ids: messages.map(({ message_id }) => message_id) });
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
