/** `discord_clear_inbox`: deletes inbox messages that were read. Unread messages are deleted only on request. */
import { clearedOutput, clearInboxInput } from "../../../protocol/tools.ts";
import { tool } from "../tool.ts";

export const clearInbox = tool(
  {
    name: "discord_clear_inbox",
    title: "Clear the Discord inbox",
    description: `Delete messages from the inbox: those marked as read, or with "read_only": false all of them, also those nobody has read. The messages on Discord itself stay. Read before you clear, and clear unread messages only when the owner asks for it.`,
    input: clearInboxInput(),
    output: clearedOutput(),
    destructive: true,
  },
  async (input, { daemon, signal }) => ({ result: await daemon.clearInbox(input, signal) }),
);
