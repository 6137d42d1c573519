/** The button under a message that a closed session refused: reopens the session, and the message becomes a job. */
import { say, type WordKey } from "../../../base/words/say.ts";
import type { Reopened } from "../../intake/accept-message.ts";
import type { Handlers } from "../press.ts";
import { plain } from "../reply.ts";

const SAYS: Record<Reopened, WordKey> = { sent: "session_reopened", alone: "session_reopened_only", open: "session_is_open" };

export const reopenButtons: Handlers<"s-reopen"> = {
  "s-reopen": async ({ thread, message }, { reply, locale, context }) => {
    const did = await context.reopen(thread, message);
    await reply.answer({ ...plain(say(locale, SAYS[did])), components: [] });
  },
};
