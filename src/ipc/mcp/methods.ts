/**
 * The methods for agents' clients, put together. Posts go out under the client's own bot, to the named thread or the
 * default place; questions and answers go through the core like everything else.
 */
import { codeOf } from "../../base/errors.ts";
import type { Call, Method } from "../connection.ts";
import { openAsking } from "./ask.ts";
import { placeOf, underBot, wrongChannel, type AgentSays, type McpContext, type Where } from "./scope.ts";
import { pendingMethod } from "./pending.ts";
import { readNotify, readReport, type NotifyParams, type PostedResult } from "../../protocol/mcp.ts";

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
