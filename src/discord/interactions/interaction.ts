/**
 * Handles all interactions of the owner: slash commands, suggestions, presses, and modals. Each but `/lock` is
 * acknowledged before any disk or agent work begins, and answered in the language of the user's Discord.
 */
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
  MessageFlags,
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteraction,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIApplicationCommandInteractionDataOption,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
} from "discord-api-types/v10";
import { BellhopError, type ErrorCode } from "../../base/errors.ts";
import { localeFrom, say, type Locale } from "../../base/words/say.ts";
import { isKeptOut } from "../../core/jobs/lock.ts";
import { readCustomId, type Action, type CustomId, meantBy, readPress } from "../views/custom-id.ts";
import { sentence } from "../views/message.ts";
import { agentButtons, agentCommands, offersFor } from "./agents.ts";
import { askForWords, decideInWords, decisionButtons } from "./buttons/decision-buttons.ts";
import { jobButtons, panelButtons, sessionButtons } from "./buttons/session-buttons.ts";
import { chooseModel, chooseModelNamed, stuckButtons } from "./buttons/stuck-buttons.ts";
import { pendingButtons, pending } from "./commands/pending.ts";
import { ruleButtons, rules } from "./commands/rules.ts";
import { queueButtons, queue } from "./commands/queue.ts";
import {
  acknowledge,
  answerModal,
  failureText,
  openModal,
  plainAnswer,
  refuse,
  suggest,
  type Handlers,
  type Press,
  type InteractionReply,
} from "./reply.ts";
import { textOptions, type CommandContext, type InteractionAnswer, type SlashCommand } from "./command.ts";
import { askForLimit, budget, budgetButtons, raiseToTyped } from "./commands/budget.ts";
import { forgetButtons, sessionForget } from "./commands/forget.ts";
import { compact, conversationButtons, newConversation } from "./commands/new-and-compact.ts";
import { lock, unlock, unlockTyped } from "./commands/lock.ts";
import { ask, cancel, retry, status, tool } from "./commands/jobs.ts";
import { projectAdd, projectList, projects, projectStatus, projectSwitch, projectCreate } from "./commands/projects.ts";
import { resume, sessionList, sessionOpen, start } from "./commands/sessions.ts";

/** The caller has already checked with `authorize` that it is the owner's. Never throws. */
export async function handleInteraction(interaction: APIInteraction, context: CommandContext): Promise<void> {
  try {
    if (isKeptOut(context.engine.state, interaction.id) && !mayWhileLocked(interaction))
      return await refuseAll(interaction, "E_LOCKED", context);
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        return await answerCommand(interaction, localeOf(interaction, context), context);
      case InteractionType.ApplicationCommandAutocomplete:
        return await answerTyping(interaction, context);
      case InteractionType.MessageComponent:
        return await press(interaction, localeOf(interaction, context), context);
      case InteractionType.ModalSubmit:
        return await submitted(interaction, localeOf(interaction, context), context);
      default:
        context.log.warn("an interaction of an unexpected kind", { kind: interaction.type });
    }
  } catch (error) {
    context.log.failure("an interaction failed", error, { interaction_id: interaction.id });
  }
}

/** While it is locked, and for what was pressed or typed before it was opened. */
function mayWhileLocked(interaction: APIInteraction): boolean {
  if (interaction.type === InteractionType.ApplicationCommand)
    return WHILE_LOCKED.some(({ name }) => name === interaction.data.name);
  return (
    interaction.type === InteractionType.ModalSubmit && readCustomId(interaction.data.custom_id)?.action === "unlock"
  );
}

/** Whether this bot handles such an interaction: a client's bot takes only answers to what was asked under it. */
export function carries(interaction: APIInteraction, { role, engine, botId }: CommandContext): boolean {
  if (role === "serves") return true;
  if (interaction.type !== InteractionType.MessageComponent && interaction.type !== InteractionType.ModalSubmit)
    return false;
  const pressed = readPress(interaction.data.custom_id);
  if (pressed === null) return false;
  const asker = meantBy(pressed, engine.state)?.asker;
  // An unknown decision is answered as closed.
  return asker === undefined || (asker.by === "mcp" && asker.bot_id === botId);
}

/** Refuses an interaction of the owner's that this bot does not handle. Never throws. */
export async function refuseHere(interaction: APIInteraction, context: CommandContext): Promise<void> {
  if (interaction.type === InteractionType.Ping) return;
  if (interaction.type === InteractionType.ApplicationCommandAutocomplete) return suggest(interaction, [], context);
  await refuse(interaction, say(localeOf(interaction, context), "questions_only"), context);
}

/** Refuses a stranger's interaction, ephemerally and without suggestions. Never throws. */
export async function refuseStranger(interaction: APIInteraction, context: CommandContext): Promise<void> {
  const user = interaction.member?.user ?? interaction.user;
  context.log.warn("a stranger's interaction", {
    user_id: user?.id,
    kind: interaction.type,
    error_code: "E_OWNER_ONLY",
  });
  await refuseAll(interaction, "E_OWNER_ONLY", context);
}

/** Ephemerally and without suggestions. */
async function refuseAll(interaction: APIInteraction, code: ErrorCode, context: CommandContext): Promise<void> {
  if (interaction.type === InteractionType.Ping) return;
  if (interaction.type === InteractionType.ApplicationCommandAutocomplete) return suggest(interaction, [], context);
  await refuse(interaction, `${sentence(localeOf(interaction, context), code, {})} \`${code}\``, context);
}

async function answerCommand(
  interaction: APIApplicationCommandInteraction,
  locale: Locale,
  context: CommandContext,
): Promise<void> {
  if (interaction.data.type !== ApplicationCommandType.ChatInput) return;
  const { data } = interaction;
  const { name, options } = named(data.name, data.options ?? []);
  const command = commands.find((one) => one.name === name);
  if (command?.modal) return showModal(interaction, command.modal, locale, context);
  // `data` is a chat input's, which determines the type of the interaction.
  const chat = interaction as Extract<typeof interaction, { data: typeof data }>;
  const ephemeral = command?.ephemeral ?? true;
  // What stands in the channel is in one language, whoever asked for it.
  const answerLocale = ephemeral ? locale : context.locale;
  const typed = { interaction: chat, locale: answerLocale, options: textOptions(options) };
  const begun = command?.atOnce ? command.run?.(typed, context) : undefined;
  begun?.catch(() => undefined);
  const reply = await acknowledge(interaction, { ephemeral }, context);
  if (!reply) return;
  try {
    if (!command?.run) throw new Error(`no command ${name}`);
    const answer = await (begun ?? command.run(typed, context));
    const message = await reply.respond(answer);
    if (message) await noted(command.onPosted?.(message, answer, typed, context), interaction.id, context);
  } catch (error) {
    await reply.respond(plainAnswer(failureText(error, answerLocale, context)));
  }
}

async function showModal(
  interaction: APIApplicationCommandInteraction,
  modal: NonNullable<SlashCommand["modal"]>,
  locale: Locale,
  context: CommandContext,
): Promise<void> {
  try {
    await openModal(interaction, modal(locale, context), context);
  } catch (error) {
    await refuse(interaction, failureText(error, locale, context), context);
  }
}

/** Logs what fails after the answer is posted; the answer cannot report it. */
async function noted(done: Promise<void> | undefined, interactionId: string, { log }: CommandContext): Promise<void> {
  await done?.catch((error: unknown) =>
    log.failure("an answer could not be recorded", error, { interaction_id: interactionId }),
  );
}

async function answerTyping(
  interaction: APIApplicationCommandAutocompleteInteraction,
  context: CommandContext,
): Promise<void> {
  const { name, options } = named(interaction.data.name, interaction.data.options);
  const focused = options.find((option) => "focused" in option && option.focused === true);
  // A number comes as text while it is typed.
  const typed = String(focused?.value ?? "");
  const { engine, tools, conversations, config } = context;
  const channelId = interaction.channel?.id ?? "";
  const asked = {
    agent: offersFor(channelId, context),
    state: engine.state,
    option: focused?.name ?? "",
    typed,
    options: textOptions(options),
    channelId,
    tools,
    conversations,
    zone: config().time_zone,
  };
  const command = commands.find((one) => one.name === name);
  const choices = (await command?.complete?.(asked)) ?? [];
  const isNumber = command?.options.some(({ key, isNumber: is }) => is && say("en", key) === focused?.name) ?? false;
  await suggest(
    interaction,
    isNumber ? choices.map((choice) => ({ ...choice, value: Number(choice.value) })) : choices,
    context,
  );
}

/**
 * From a custom id to what its press does. A press is acknowledged first, except one that opens a modal, which has to
 * be the first response itself.
 */
const handlers: Handlers<Exclude<Action, "ask_for_words" | "choose_model" | "raise_budget" | "unlock">> = {
  ...jobButtons,
  ...queueButtons,
  ...pendingButtons,
  ...ruleButtons,
  ...sessionButtons,
  ...panelButtons,
  ...stuckButtons,
  ...agentButtons,
  ...conversationButtons,
  ...forgetButtons,
  ...budgetButtons,
  ...decisionButtons,
};

/** Handles a press, also of an id that none of our messages has any more. Never throws. */
async function press(
  interaction: APIMessageComponentInteraction,
  locale: Locale,
  context: CommandContext,
): Promise<void> {
  const id = readCustomId(interaction.data.custom_id);
  if (id?.action === "ask_for_words") return askForWords(interaction, id.fields, locale, context);
  if (id?.action === "choose_model") return chooseModel(interaction, id.fields, locale, context);
  if (id?.action === "raise_budget") return askForLimit(interaction, id.fields, locale, context);
  const reply = await acknowledge(interaction, "button", context);
  if (!reply) return;
  try {
    if (id === null || id.action === "unlock") throw new BellhopError("E_DECISION_CLOSED");
    await handle(id, pressOf(interaction, reply, locale, context));
  } catch (error) {
    await reply.ephemeral(failureText(error, locale, context));
  }
}

/** Handles a modal that was filled in. Never throws. */
async function submitted(
  interaction: APIModalSubmitInteraction,
  locale: Locale,
  context: CommandContext,
): Promise<void> {
  const id = readCustomId(interaction.data.custom_id);
  if (id?.action === "ask_for_words") await decideInWords(interaction, id.fields, locale, context);
  const answer = (made: (typed: string) => Promise<InteractionAnswer>): Promise<void> =>
    answerModal(interaction, made, locale, context);
  if (id?.action === "choose_model") await answer((typed) => chooseModelNamed(typed, id.fields, locale, context));
  if (id?.action === "raise_budget") await answer((typed) => raiseToTyped(typed, id.fields, locale, context));
  if (id?.action === "unlock") await answer((typed) => unlockTyped(typed, interaction.id, locale, context));
}

function pressOf(
  interaction: APIMessageComponentInteraction,
  reply: InteractionReply,
  locale: Locale,
  context: CommandContext,
): Press {
  const values = interaction.data.component_type === ComponentType.StringSelect ? interaction.data.values : [];
  const alone = ((interaction.message.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  return {
    interaction,
    values,
    reply,
    alone,
    locale: alone ? locale : context.locale,
    context,
  };
}

function handle<A extends keyof typeof handlers>({ action, fields }: CustomId<A>, press: Press): Promise<void> {
  return handlers[action](fields, press);
}

/** The command's full name, and its options without the subcommand around them. */
function named(
  name: string,
  options: readonly APIApplicationCommandInteractionDataOption[],
): { name: string; options: APIApplicationCommandInteractionDataBasicOption[] } {
  const basic: APIApplicationCommandInteractionDataBasicOption[] = [];
  for (const option of options) {
    if (
      option.type === ApplicationCommandOptionType.Subcommand ||
      option.type === ApplicationCommandOptionType.SubcommandGroup
    ) {
      return named(`${name} ${option.name}`, option.options ?? []);
    }
    basic.push(option);
  }
  return { name, options: basic };
}

function localeOf(interaction: APIInteraction, context: CommandContext): Locale {
  return "locale" in interaction && interaction.locale ? localeFrom(interaction.locale) : context.locale;
}

/* Every slash command, in the order in which Discord and the docs list them. */

export const commands: readonly SlashCommand[] = [
  projectCreate,
  projectAdd,
  projectList,
  projectStatus,
  projectSwitch,
  projects,
  start,
  ...agentCommands,
  newConversation,
  compact,
  sessionList,
  sessionOpen,
  sessionForget,
  resume,
  ask,
  status,
  budget,
  tool,
  retry,
  queue,
  cancel,
  pending,
  rules,
  lock,
  unlock,
];

const WHILE_LOCKED: readonly SlashCommand[] = [status, lock, unlock];
