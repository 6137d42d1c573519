/**
 * The one registry from a custom id to what its press does. A press is acknowledged first, except one that opens a
 * modal, which has to be the first response itself.
 */
import type { APIMessageComponentInteraction, APIModalSubmitInteraction } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import type { Locale } from "../../base/words/say.ts";
import { readCustomId, type Action, type CustomId } from "../views/custom-id.ts";
import { agentButtons } from "./agents/commands.ts";
import { adoptionButtons, archiveButtons, reopenButtons } from "./buttons/session-buttons.ts";
import { askForWords, decideInWords, decisionButtons } from "./buttons/decision-buttons.ts";
import { jobButtons } from "./buttons/job-buttons.ts";
import { panelButtons } from "./buttons/panel-buttons.ts";
import type { CommandContext } from "./command.ts";
import { pendingButtons } from "./commands/pending.ts";
import { queueButtons } from "./commands/queue.ts";
import { sessionButtons } from "./open-session.ts";
import { pressOf, type Handlers, type Press } from "./press.ts";
import { acknowledge, failureText } from "./reply.ts";

const handlers: Handlers<Exclude<Action, "dw">> = { ...jobButtons, ...queueButtons, ...pendingButtons, ...sessionButtons, ...reopenButtons, ...archiveButtons, ...panelButtons, ...agentButtons, ...adoptionButtons, ...decisionButtons };

/** Handles a press, also of an id that none of our messages has any more. Never throws. */
export async function press(interaction: APIMessageComponentInteraction, locale: Locale, context: CommandContext): Promise<void> {
  const id = readCustomId(interaction.data.custom_id);
  if (id?.action === "dw") return askForWords(interaction, id.fields, locale, context);
  const reply = await acknowledge(interaction, "button", context);
  if (!reply) return;
  try {
    if (id === null) throw new BellhopError("E_DECISION_CLOSED");
    await handle(id, pressOf(interaction, reply, locale, context));
  } catch (error) {
    await reply.ephemeral(failureText(error, locale, context));
  }
}

/** Handles a modal that was filled in. Never throws. */
export async function submitted(interaction: APIModalSubmitInteraction, locale: Locale, context: CommandContext): Promise<void> {
  const id = readCustomId(interaction.data.custom_id);
  if (id?.action === "dw") await decideInWords(interaction, id.fields, locale, context);
}

function handle<A extends keyof typeof handlers>({ action, fields }: CustomId<A>, press: Press): Promise<void> {
  return handlers[action](fields, press);
}
