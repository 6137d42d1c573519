/** The buttons about a Claude that the owner has started himself: takes it into a thread, leaves it alone, gives it back. */
import { BellhopError } from "../../../base/errors.ts";
import { say } from "../../../base/words/say.ts";
import type { Handlers } from "../press.ts";

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
