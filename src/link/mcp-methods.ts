/**
 * The methods for agents' faces, put together. What they post is said under the face's own bot, to the thread it
 * names or where it belongs; what they ask and are answered goes through the core like everything else.
 */
import type { Method } from "./connection.ts";
import { openAsking } from "./mcp-ask.ts";
import { placeOf, underBot, type McpHouse } from "./mcp-house.ts";
import { pendingMethod } from "./mcp-pending.ts";
import { readNotify, readReport, type PostedResult } from "./mcp-protocol.ts";

export interface McpMethods {
  readonly methods: Record<"mcp_ask" | "mcp_delivered" | "mcp_notify" | "mcp_report" | "mcp_pending", Method>;
  /** Resolves when it is on disk who has stopped waiting. */
  settled(): Promise<void>;
}

export function openMcpMethods(house: McpHouse): McpMethods {
  const asking = openAsking(house);
  return {
    methods: {
      mcp_ask: asking.ask,
      mcp_delivered: asking.delivered,
      mcp_notify: (call) => {
        const { thread_id: named, request_id, ...words } = readNotify(call.params);
        return underBot(house, call, async (bot, face): Promise<PostedResult> => {
          const { channel_id, thread_id } = placeOf(house, face, named);
          return { success: true, message_id: await bot.says.notify(words, { project: face.project, channel_id, request_id }), thread_id };
        });
      },
      mcp_report: (call) => {
        const { thread_id: named, request_id, ...words } = readReport(call.params);
        return underBot(house, call, async (bot, face): Promise<PostedResult> => {
          const { channel_id, thread_id } = placeOf(house, face, named);
          return { success: true, message_id: await bot.says.report(words, { project: face.project, channel_id, request_id }), thread_id };
        });
      },
      mcp_pending: pendingMethod(house, asking),
    },
    settled: () => asking.settled(),
  };
}
