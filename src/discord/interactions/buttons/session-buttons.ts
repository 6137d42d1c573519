/**
 * The buttons about a session as a whole: opens one, takes a Claude in or gives it back, reopens, and removes what is
 * left.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type WordKey } from "../../../base/words/say.ts";
import type { Reopened } from "../../intake/accept-message.ts";
import { openHere } from "../open-session.ts";
import { plain, type Handlers } from "../reply.ts";

const SAYS: Record<Reopened, WordKey> = {
  both: "session_reopened",
  sent: "session_sent",
  opened: "session_reopened_only",
  neither: "session_is_open",
};

export const sessionButtons: Handlers<
  "s-open" | "s-reopen" | "send-held" | "ad-take" | "ad-leave" | "ad-back" | "w-remove"
> = {
  /** Under a message that nothing takes. */
  "s-open": async ({ project }, { interaction, reply, locale, context }) =>
    void (await reply.ephemeral(await openHere(interaction, project, locale, context))),
  /** Under a message that a closed session refused: reopens the session, and the message becomes a job. */
  async "s-reopen"({ thread, message }, { reply, locale, context }) {
    const did = await context.reopen(thread, message);
    await reply.answer({ ...plain(say(locale, SAYS[did])), components: [] });
  },
  /** Under the pointer to what was open when it was written. */
  async "send-held"({ thread, message }, { context }) {
    if (!(await context.sendHeld(thread, message))) throw new BellhopError("E_DECISION_CLOSED");
  },
  /** About a Claude that the owner has started himself: takes it into a thread. */
  async "ad-take"({ claude }, { interaction, reply, locale, context }) {
    const request = await context.takeClaude(claude, interaction.id);
    const thread =
      request === null ? context.engine.state.adoptions?.[claude]?.thread_id : await context.starts.opened(request);
    await reply.ephemeral(say(locale, "adoption_opened", { thread: `<#${thread ?? ""}>` }));
  },
  /** Leaves it alone. */
  async "ad-leave"({ claude }, { context }) {
    const settled = await context.engine.submit({ type: "adopt", claude_session: claude, adopted: false });
    if (settled.length === 0) throw new BellhopError("E_ADOPTION_CLOSED");
  },
  /** Gives it back. */
  async "ad-back"({ thread }, { context }) {
    const released = await context.engine.submit({ type: "release", thread_id: thread });
    if (released.length === 0) throw new BellhopError("E_NO_ACTIVE_SESSION");
  },
  /**
   * Under what an archived thread still has: the owner's yes to ending and removing what he was shown, and nothing
   * else.
   */
  async "w-remove"({ thread, mark }, { context }) {
    const { engine } = context;
    await engine.submit({ type: "remove_worktree", thread_id: thread, mark });
    const is = engine.state.archives?.[thread]?.is;
    if (is !== "agreed" && is !== "done") throw new BellhopError("E_DECISION_CLOSED");
  },
};
