/** The buttons about a session as a whole: what takes a Claude in or gives it back, reopens, and removes what is left. */
import { BellhopError } from "../../../base/errors.ts";
import { say, type WordKey } from "../../../base/words/say.ts";
import type { Handlers } from "../press.ts";
import type { Reopened } from "../../intake/accept-message.ts";
import { plain } from "../reply.ts";

/** The buttons about a Claude that the owner has started himself: takes it into a thread, leaves it alone, gives it back. */
export const adoptionButtons: Handlers<"ad-take" | "ad-leave" | "ad-back"> = {
  async "ad-take"({ claude }, { interaction, reply, locale, context }) {
    const request = await context.takeClaude(claude, interaction.id);
    const thread = request === null ? context.engine.state.adoptions?.[claude]?.thread_id : await context.starts.opened(request);
    await reply.ephemeral(say(locale, "adoption_opened", { thread: `<#${thread ?? ""}>` }));
  },
  async "ad-leave"({ claude }, { context }) {
    const settled = await context.engine.submit({ type: "adopt", claude_session: claude, adopted: false });
    if (settled.length === 0) throw new BellhopError("E_ADOPTION_CLOSED");
  },
  async "ad-back"({ thread }, { context }) {
    const released = await context.engine.submit({ type: "release", thread_id: thread });
    if (released.length === 0) throw new BellhopError("E_NO_ACTIVE_SESSION");
  },
};

/** The button under what an archived thread still has: the owner's yes to ending and removing what he was shown, and nothing else. */
export const archiveButtons: Handlers<"w-remove"> = {
  "w-remove": async ({ thread, mark }, { context }) => {
    const { engine } = context;
    await engine.submit({ type: "remove_worktree", thread_id: thread, mark });
    const is = engine.state.archives?.[thread]?.is;
    if (is !== "agreed" && is !== "done") throw new BellhopError("E_DECISION_CLOSED");
  },
};

const SAYS: Record<Reopened, WordKey> = { sent: "session_reopened", alone: "session_reopened_only", open: "session_is_open" };

/** The button under a message that a closed session refused: reopens the session, and the message becomes a job. */
export const reopenButtons: Handlers<"s-reopen"> = {
  "s-reopen": async ({ thread, message }, { reply, locale, context }) => {
    const did = await context.reopen(thread, message);
    await reply.answer({ ...plain(say(locale, SAYS[did])), components: [] });
  },
};
