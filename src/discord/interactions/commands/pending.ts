/**
 * `/pending`: everything that waits for the owner's answer, with links, and the grants of sessions, which can be
 * revoked one by one. Ephemeral and edited in place: each press shows the current list.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { grantMeant, named, pendingBody, type PendingOptions } from "../../views/pending-list.ts";
import type { Handlers } from "../press.ts";
import { failureText } from "../reply.ts";
import type { Answer, Command, CommandContext } from "../command.ts";

export const pending: Command = {
  name: "pending",
  options: [],
  ephemeral: true,
  run: ({ locale }, context) => Promise.resolve(listed(1, locale, context)),
};

export const pendingButtons: Handlers<"p-page" | "p-back"> = {
  "p-page": async ({ page }, { reply, locale, context }) => void (await reply.answer(listed(Number(page), locale, context))),
  async "p-back"({ page }, { values: [value = ""], reply, locale, context }) {
    try {
      const said = await takeBack(value, locale, context);
      await reply.answer({ ...listed(Number(page), locale, context), content: said });
    } catch (error) {
      await reply.answer({ ...listed(1, locale, context), content: failureText(error, locale, context) });
    }
  },
};

/** @throws BellhopError E_DECISION_CLOSED for a grant already revoked, or a session that is over */
async function takeBack(value: string, locale: Locale, context: CommandContext): Promise<string> {
  const given = grantMeant(context.engine.state, value, optionsOf(locale, context));
  if (!given) throw new BellhopError("E_DECISION_CLOSED");
  await context.engine.submit({ type: "revoke_grant", thread_id: given.thread_id, decision_id: given.grant.decision_id });
  return say(locale, "pending_taken_back", named(given.grant));
}

function listed(page: number, locale: Locale, context: CommandContext): Answer {
  const { content, embeds, components } = pendingBody(context.engine.state, page, optionsOf(locale, context));
  return { content, embeds, components };
}

function optionsOf(locale: Locale, { botId, now }: CommandContext): PendingOptions {
  return { locale, botId, at: new Date(now()).toISOString() };
}
