/** `discord_clear_inbox`: the inbox without what is done with. What was not read yet goes only when that is asked for. */
import { flag } from "../parameters.ts";
import { tool } from "../tool.ts";

export const clearInbox = tool(
  {
    name: "discord_clear_inbox",
    title: "Clear the Discord inbox",
    description: `Delete messages from the inbox: those marked as read, or with "read_only": false all of them, also those nobody has read. The messages on Discord itself stay. Read before you clear, and clear unread messages only when the owner asks for it.`,
    result: { success: { type: "boolean" }, cleared_count: { type: "integer" } },
    destructive: true,
  },
  { read_only: flag("Delete only what was marked as read. false deletes everything.", true) },
  async (input, { daemon, signal }) => ({ result: await daemon.clearInbox(input, signal) }),
);
