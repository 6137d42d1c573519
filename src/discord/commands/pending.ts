/**
 * `/pending`: everything that waits for the owner's answer, with links, and what he has allowed for a session, to be
 * taken back one by one. For his eyes alone, and in place: each press shows the list as it is by then.
 */
import { ComponentType, type APIMessageComponentInteraction } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { grantMeant, named, pendingBody, type PendingOptions } from "../pending-list.ts";
import { acknowledge, failureText } from "./reply.ts";
import type { Answer, Command, CommandRoom } from "./room.ts";

const PRESS = /^p-(?:(page)|(back)):(\d{1,4})$/;

export const pending: Command = {
  name: "pending",
  ephemeral: true,
  run: ({ locale }, room) => Promise.resolve(listed(1, locale, room)),
};

/** A press whose id begins with `p-`. Never throws. */
export async function pressPending(interaction: APIMessageComponentInteraction, locale: Locale, room: CommandRoom): Promise<void> {
  const reply = await acknowledge(interaction, "button", room);
  if (!reply) return;
  try {
    const [, turned, , page = ""] = PRESS.exec(interaction.data.custom_id) ?? [];
    const [value = ""] = interaction.data.component_type === ComponentType.StringSelect ? interaction.data.values : [];
    const said = turned === undefined ? await takeBack(value, locale, room) : null;
    const list = listed(Number(page), locale, room);
    await reply.answer(said === null ? list : { ...list, content: said });
  } catch (error) {
    await reply.answer({ ...listed(1, locale, room), content: failureText(error, locale, room) });
  }
}

/** @throws BellhopError E_DECISION_CLOSED for what was taken back before, or is over */
async function takeBack(value: string, locale: Locale, room: CommandRoom): Promise<string> {
  const given = grantMeant(room.engine.state, value, optionsOf(locale, room));
  if (!given) throw new BellhopError("E_DECISION_CLOSED");
  await room.engine.submit({ type: "revoke_grant", thread_id: given.thread_id, decision_id: given.grant.decision_id });
  return say(locale, "pending_taken_back", named(given.grant));
}

function listed(page: number, locale: Locale, room: CommandRoom): Answer {
  const { content, embeds, components } = pendingBody(room.engine.state, page, optionsOf(locale, room));
  return { content, embeds, components };
}

function optionsOf(locale: Locale, { botId, now }: CommandRoom): PendingOptions {
  return { locale, botId, at: new Date(now()).toISOString() };
}
