/** `discord_notify`: a short word to the owner about how the work goes. It is posted once, and nothing is waited for but its post. */
import { oneOf, text, thread } from "../parameters.ts";
import { needPlace, tool } from "../tool.ts";

/** The fields of whatever was posted. */
export const posted = {
  success: { type: "boolean" },
  message_id: { type: "string", description: "The message on Discord." },
  thread_id: { type: ["string", "null"], description: "The thread it stands in; null where it stands in the channel itself." },
};

export const notify = tool(
  {
    name: "discord_notify",
    title: "Notify the owner on Discord",
    description: `Send the owner a short notification on Discord and go on at once; nothing comes back from him. Use it when something happened that he would want to know while he is away: a long step has begun or ended, something unexpected was found, you go on with other work. A few in an hour are welcome, one for every command is noise. For anything he has to decide use discord_ask_decision, for the result of a task discord_report_progress.`,
    result: posted,
  },
  {
    message: text("What happened, in one or two sentences. Markdown.", { most: 200_000 }),
    level: oneOf('What kind of news it is: "info", "success", "warning" (he may want to look), "error" (something is broken).', ["info", "warning", "success", "error"], "info"),
    thread_id: thread("The thread to write in, as an earlier result named it. null writes in the default channel."),
  },
  async (input, { daemon, home, signal, requestId }) => {
    needPlace(input.thread_id, home);
    return { result: await daemon.notify({ ...input, request_id: requestId() }, signal) };
  },
);
