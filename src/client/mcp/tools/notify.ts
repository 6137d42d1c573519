/**
 * `discord_notify`: a short message to the owner about the work. It is posted once, and the call waits only for the
 * post.
 */
import { notifyInput, postedOutput } from "../../../protocol/tools.ts";
import { needPlace, tool } from "../tool.ts";

export const notify = tool(
  {
    name: "discord_notify",
    title: "Notify the owner on Discord",
    description: `Send the owner a short notification on Discord and go on at once; nothing comes back from him. Use it when something happened that he would want to know while he is away: a long step has begun or ended, something unexpected was found, you go on with other work. A few in an hour are welcome, one for every command is noise. For anything he has to decide use discord_ask_decision, for the result of a task discord_report_progress.`,
    input: notifyInput(),
    output: postedOutput(),
  },
  async (input, { daemon, home, signal, requestId }) => {
    needPlace(input.thread_id, home);
    return { result: await daemon.notify({ ...input, request_id: requestId() }, signal) };
  },
);
