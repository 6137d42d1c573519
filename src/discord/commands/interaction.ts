/**
 * Every interaction of the owner's ends here: slash commands, their suggestions, what is pressed, and words he was asked for. Each is acknowledged
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
import { cancel } from "./cancel.ts";
import { decideInWords } from "./decide.ts";
import { pending } from "./pending.ts";
import { projectAdd } from "./project-add.ts";
import { projectCreate } from "./project-create.ts";
import { projectList, projects } from "./project-list.ts";
import { projectStatus } from "./project-status.ts";
import { projectSwitch } from "./project-switch.ts";
import { queue } from "./queue.ts";
import { acknowledge, failureText, plain, refuse, suggest } from "./reply.ts";
import { textOptions, type Command, type CommandRoom } from "./room.ts";
import { retry } from "./retry.ts";
import { sessionList } from "./session-list.ts";
import { sessionOpen } from "./session-open.ts";
import { start } from "./start.ts";
import { status } from "./status.ts";
import { tool } from "./tool.ts";

const commands: ReadonlyMap<string, Command> = new Map(
  [
    projectCreate, projectAdd, projectList, projectStatus, projectSwitch, projects, start,
    sessionList, sessionOpen, status, tool, retry, queue, cancel, pending,
  ].map((command) => [command.name, command]),
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
      case InteractionType.ModalSubmit:
        return await decideInWords(interaction, localeOf(interaction, room), room);
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
  const { data } = interaction;
  const { name, options } = named(data.name, data.options ?? []);
  const command = commands.get(name);
  const reply = await acknowledge(interaction, { ephemeral: command?.ephemeral ?? true }, room);
  if (!reply) return;
  try {
    if (!command) throw new Error(`no command ${name}`);
    // `data` was seen to be a chat input's, which types the whole interaction.
    const chat = interaction as Extract<typeof interaction, { data: typeof data }>;
    const typed = { interaction: chat, locale, options: textOptions(options) };
    const answer = await command.run(typed, room);
    const message = await reply.answer(answer);
    if (message) await noted(command.stands?.(message, answer, typed, room), interaction.id, room);
  } catch (error) {
    await reply.answer(plain(failureText(error, locale, room)));
  }
}

/** What fails after the answer stands is no answer's place to tell. */
async function noted(done: Promise<void> | undefined, interactionId: string, { log }: CommandRoom): Promise<void> {
  await done?.catch((error: unknown) => log.failure("an answer could not be written down", error, { interaction_id: interactionId }));
}

async function answerTyping(
  interaction: APIApplicationCommandAutocompleteInteraction,
  room: CommandRoom,
): Promise<void> {
  const { name, options } = named(interaction.data.name, interaction.data.options);
  const focused = options.find((option) => "focused" in option && option.focused === true);
  const typed = typeof focused?.value === "string" ? focused.value : "";
  const { engine, tools } = room;
  const asked = { state: engine.state, option: focused?.name ?? "", typed, options: textOptions(options), channelId: interaction.channel?.id ?? "", tools };
  await suggest(interaction, commands.get(name)?.complete?.(asked) ?? [], room);
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
