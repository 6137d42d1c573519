/**
 * Every interaction of the owner's ends here: slash commands, their suggestions, and buttons. Each is acknowledged
 * before any disk or agent work begins, and answered in the language of the person's own Discord.
 */
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionType,
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteraction,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIApplicationCommandInteractionDataOption,
  type APIInteraction,
} from "discord-api-types/v10";
import { localeFrom, type Locale } from "../../base/words/say.ts";
import { sentence } from "../sentence.ts";
import { choose } from "./choose.ts";
import { projectCreate } from "./project-create.ts";
import { projectList } from "./project-list.ts";
import { acknowledge, failureText, plain, refuse, suggest } from "./reply.ts";
import { textOptions, type Command, type CommandRoom } from "./room.ts";
import { start } from "./start.ts";
import { status } from "./status.ts";

const commands: ReadonlyMap<string, Command> = new Map(
  [projectCreate, projectList, start, status].map((command) => [command.name, command]),
);

/** The owner's: the caller has asked `authorize` already. Never throws. */
export async function handleInteraction(interaction: APIInteraction, room: CommandRoom): Promise<void> {
  try {
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        return await answerCommand(interaction, localeOf(interaction, room), room);
      case InteractionType.ApplicationCommandAutocomplete:
        return await answerTyping(interaction, room);
      case InteractionType.MessageComponent:
        return await choose(interaction, localeOf(interaction, room), room);
      default:
        room.log.warn("an interaction of a kind nobody asked for", { kind: interaction.type });
    }
  } catch (error) {
    room.log.failure("an interaction broke", error, { interaction_id: interaction.id });
  }
}

/** A stranger's: told to them alone that they may not, and no suggestions. Never throws. */
export async function refuseStranger(
  interaction: APIInteraction,
  room: Pick<CommandRoom, "rest" | "now" | "log" | "locale">,
): Promise<void> {
  const user = interaction.member?.user ?? interaction.user;
  room.log.warn("a stranger's interaction", { user_id: user?.id, kind: interaction.type, error_code: "E_OWNER_ONLY" });
  if (interaction.type === InteractionType.Ping) return;
  if (interaction.type === InteractionType.ApplicationCommandAutocomplete) return suggest(interaction, [], room);
  await refuse(interaction, `${sentence(localeOf(interaction, room), "E_OWNER_ONLY", {})} \`E_OWNER_ONLY\``, room);
}

async function answerCommand(
  interaction: APIApplicationCommandInteraction,
  locale: Locale,
  room: CommandRoom,
): Promise<void> {
  if (interaction.data.type !== ApplicationCommandType.ChatInput) return;
  const typed = { interaction, data: interaction.data };
  const { name, options } = named(typed.data.name, typed.data.options ?? []);
  const command = commands.get(name);
  const reply = await acknowledge(interaction, { ephemeral: command?.ephemeral ?? true }, room);
  if (!reply) return;
  try {
    if (!command) throw new Error(`no command ${name}`);
    // `data` was seen to be a chat input's, which types the whole interaction.
    const chat = interaction as Extract<typeof interaction, { data: typeof typed.data }>;
    await reply.answer(await command.run({ interaction: chat, locale, options: textOptions(options) }, room));
  } catch (error) {
    await reply.answer(plain(failureText(error, locale, room)));
  }
}

async function answerTyping(
  interaction: APIApplicationCommandAutocompleteInteraction,
  room: CommandRoom,
): Promise<void> {
  const { name, options } = named(interaction.data.name, interaction.data.options);
  const focused = options.find((option) => "focused" in option && option.focused === true);
  const typed = typeof focused?.value === "string" ? focused.value : "";
  const choices = commands.get(name)?.complete?.(room.engine.state, focused?.name ?? "", typed) ?? [];
  await suggest(interaction, choices, room);
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

function localeOf(interaction: APIInteraction, room: Pick<CommandRoom, "locale">): Locale {
  return "locale" in interaction && interaction.locale ? localeFrom(interaction.locale) : room.locale;
}
