/** A press on one of our messages, acknowledged, and how the presser is answered. */
import { ComponentType, MessageFlags, type APIMessageComponentInteraction } from "discord-api-types/v10";
import type { Locale } from "../../base/words/say.ts";
import type { Action, Fields } from "../views/custom-id.ts";
import type { Answer, CommandContext } from "./command.ts";
import type { Reply } from "./reply.ts";

export interface Press {
  interaction: APIMessageComponentInteraction;
  /** What was chosen in a select; empty for a button. */
  values: readonly string[];
  reply: Reply;
  /** The message is ephemeral, so an answer may replace it. */
  alone: boolean;
  locale: Locale;
  context: CommandContext;
}

/** What a press of this action does. What it throws is told to the presser. */
export type Handler<A extends Action> = (fields: Fields<A>, press: Press) => Promise<void>;
export type Handlers<A extends Action> = { readonly [K in A]: Handler<K> };

export function pressOf(interaction: APIMessageComponentInteraction, reply: Reply, locale: Locale, context: CommandContext): Press {
  const values = interaction.data.component_type === ComponentType.StringSelect ? interaction.data.values : [];
  return { interaction, values, reply, alone: ((interaction.message.flags ?? 0) & MessageFlags.Ephemeral) !== 0, locale, context };
}

/** Tells the presser alone, by replacing the pressed message if it is ephemeral. */
export function tell({ reply, alone }: Press, answer: Answer): ReturnType<Reply["answer"]> {
  return alone ? reply.answer(answer) : reply.ephemeral(answer);
}
