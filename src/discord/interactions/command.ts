/**
 * Types of a slash command and of its context: a pure parse of its options, and an answer that may take disk and time.
 * Whether the answer is only for the owner is known before that begins.
 */
import {
  ApplicationCommandOptionType,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIChatInputApplicationCommandInteraction,
  type APIModalInteractionResponseCallbackData,
} from "discord-api-types/v10";
import type { Locale, WordKey } from "../../base/words/say.ts";
import type { State } from "../../core/state.ts";
import type { CommandOffered, Offered } from "../../core/sessions/told.ts";
import type { Body } from "../views/message.ts";
import type { BotContext, Tools } from "../api/bot-context.ts";
import type { Listener } from "../intake/listener.ts";
import type { Starts } from "../threads/session-starts.ts";

export interface CommandContext extends BotContext {
  starts: Starts;
  listener: Listener;
}

/** One slash command as it was typed. */
export interface TypedCommand {
  interaction: APIChatInputApplicationCommandInteraction;
  /** The person's own language. */
  locale: Locale;
  /** The options by name, numbers as they are written; an option that was not given is absent. */
  options: Readonly<Record<string, string>>;
}

/** The parts of a body that an interaction's answer can have. */
export interface InteractionAnswer
  extends Pick<Body, "content" | "embeds">, Partial<Pick<Body, "components" | "files">> {
  /** It is in a fixed wording, so it is sent as it is. */
  isFixed?: true;
}

/** Where an answer was posted in Discord. */
export interface MessageRef {
  id: string;
  channel_id: string;
}

/** One option while it is typed, with what is known by then. */
export interface CompletionRequest {
  state: State;
  option: string;
  typed: string;
  /** The other options as far as they are typed. */
  options: Readonly<Record<string, string>>;
  channelId: string;
  tools: Tools;
  agent: AgentOffers;
  conversations: BotContext["conversations"];
  /** The owner's; undefined: the machine's. */
  zone: string | undefined;
}

/** What the agent of the session there offers. */
export interface AgentOffers {
  models: readonly Offered[];
  modes: readonly Offered[];
  efforts: readonly Offered[];
  /** Its own commands. */
  commands: readonly CommandOffered[];
}

/** `name` is shown, `value` is sent; each 1 to 100 characters. */
export interface AutocompleteChoice {
  name: string;
  value: string;
}

/** Maximum length of a project's name and of a tool's, in characters. */
export const NAME_CHARS = 40;
export const TOOL_CHARS = 40;

/** One option as it is registered. */
export interface SlashOption {
  /** Its English name, and the key of its names and descriptions. */
  key: WordKey;
  /** Maximum length in characters; of a number, its largest value. */
  max: number;
  /** A whole number, of at least 1; else text. */
  isNumber?: boolean;
  /** Default: true. */
  required?: boolean;
  /** Whether `complete` suggests values for it. */
  suggested?: boolean;
}

export interface SlashCommand {
  /** `project create`, `start`, …; the key of its words is `cmd_project_create`. */
  name: string;
  options: readonly SlashOption[];
  ephemeral: boolean;
  /** It is done also where Discord does not take the acknowledgement. Absent: it is not. */
  atOnce?: true;
  /** Absent: it opens `modal`. @throws BellhopError for what the person is to be told */
  run?(typed: TypedCommand, context: CommandContext): Promise<InteractionAnswer>;
  /** What it asks for. @throws BellhopError for what the person is to be told instead */
  modal?(locale: Locale, context: CommandContext): APIModalInteractionResponseCallbackData;
  /** Called with the position of `run`'s answer, once it is posted. */
  onPosted?(
    message: MessageRef,
    answer: InteractionAnswer,
    typed: TypedCommand,
    context: CommandContext,
  ): Promise<void>;
  /**
   * Suggestions for an option while it is typed; the first 25 count. Uses the state and small files: there are three
   * seconds.
   */
  complete?(asked: CompletionRequest): AutocompleteChoice[] | Promise<AutocompleteChoice[]>;
}

export function textOptions(
  options: readonly APIApplicationCommandInteractionDataBasicOption[],
): Record<string, string> {
  const texts = options.flatMap(({ name, type, value }) =>
    typeof value === "string" || type === ApplicationCommandOptionType.Integer ? [[name, String(value)] as const] : [],
  );
  return Object.fromEntries(texts);
}
