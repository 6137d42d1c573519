/**
 * The slash commands as registered with Discord: English names that never change, with names and descriptions in the
 * other languages. They are written only if they differ from the guild's, because Discord limits how many are created.
 */
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  type LocalizationMap,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from "discord-api-types/v10";
import { locales, say, type WordKey } from "../../base/words/say.ts";
import type { BotContext } from "../api/bot-context.ts";
import type { SlashCommand } from "./command.ts";
import { commands } from "./interaction.ts";
import { BellhopError } from "../../base/errors.ts";
import { failureKind } from "../api/transport.ts";

const LOCALES = locales.filter((locale) => locale !== "en");
/** Discord's pattern for names in any language. */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/**
 * Registers our commands in the guild if they differ from what is there, and learns their ids. True if something was
 * written.
 */
export async function registerCommands(context: BotContext, applicationId: string): Promise<boolean> {
  const path = `/applications/${applicationId}/guilds/${context.guildId}/commands` as const;
  const wanted = definitions();
  const priority = "result";
  const there = await context.rest.call<unknown>({ method: "GET", path: `${path}?with_localizations=true`, priority });
  if (
    Array.isArray(there) &&
    there.length === wanted.length &&
    wanted.every((one) => there.some((it) => covers(it, one)))
  ) {
    learnIds(there, context);
    return false;
  }
  learnIds(await context.rest.call<unknown>({ method: "PUT", path, body: wanted, priority }), context);
  context.log.info("the slash commands were registered", { commands: wanted.length });
  return true;
}

function learnIds(registered: unknown, { commandIds }: BotContext): void {
  const ids = new Map(
    (Array.isArray(registered) ? registered : []).flatMap((one: { id?: unknown; name?: unknown }) =>
      typeof one.id === "string" && typeof one.name === "string" ? [[one.name, one.id] as const] : [],
    ),
  );
  for (const { name } of commands) {
    const id = ids.get(name.split(" ")[0] ?? "");
    if (id !== undefined) commandIds.set(name, id);
  }
}

/** All our commands; `project create` becomes a subcommand of `project`. */
export function definitions(): RESTPostAPIChatInputApplicationCommandsJSONBody[] {
  const groups = Map.groupBy(commands, ({ name }) => name.split(" ")[0] ?? "");
  return [...groups].map(([first, group]) => {
    const [alone] = group;
    return registered(first, alone?.name === first ? optionsOf(alone) : group.map(subcommand));
  });
}

type RegisteredOption = APIApplicationCommandSubcommandOption | APIApplicationCommandBasicOption;

function registered(name: string, options: RegisteredOption[]): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return {
    type: ApplicationCommandType.ChatInput,
    ...words(keyOf(name)),
    options,
    contexts: [InteractionContextType.Guild],
  } as RESTPostAPIChatInputApplicationCommandsJSONBody;
}

function subcommand(command: SlashCommand): APIApplicationCommandSubcommandOption {
  return { type: ApplicationCommandOptionType.Subcommand, ...words(keyOf(command.name)), options: optionsOf(command) };
}

function optionsOf({ options }: SlashCommand): APIApplicationCommandBasicOption[] {
  return options.map(({ key, max, isNumber = false, required = true, suggested = false }) => {
    const option = isNumber
      ? { type: ApplicationCommandOptionType.Integer as const, ...words(key), required, min_value: 1, max_value: max }
      : { type: ApplicationCommandOptionType.String as const, ...words(key), required, max_length: max };
    return (suggested ? { ...option, autocomplete: true } : option) as APIApplicationCommandBasicOption;
  });
}

const keyOf = (name: string): WordKey => `cmd_${name.replace(" ", "_")}` as WordKey;

interface LocalizedNames {
  name: string;
  name_localizations: LocalizationMap;
  description: string;
  description_localizations: LocalizationMap;
}

/** A name that Discord's pattern does not allow in a language is left out there: Discord shows the English one. */
function words(key: WordKey): LocalizedNames {
  const says = `${key}_says` as WordKey;
  const names = LOCALES.map((locale) => [locale, say(locale, key)] as const);
  return {
    name: say("en", key),
    name_localizations: Object.fromEntries(names.filter(([, name]) => NAME.test(name) && name === name.toLowerCase())),
    description: say("en", says),
    description_localizations: Object.fromEntries(LOCALES.map((locale) => [locale, say(locale, says)])),
  };
}

/** Whether Discord's version contains all of ours, with options in the same order; Discord's additions are ignored. */
function covers(there: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    const list = Array.isArray(there) ? there : [];
    return list.length === wanted.length && wanted.every((item, index) => covers(list[index], item));
  }
  if (typeof wanted === "object" && wanted !== null) {
    const fields = (typeof there === "object" && there !== null ? there : {}) as Record<string, unknown>;
    return Object.entries(wanted).every(([key, value]) => covers(fields[key], value));
  }
  // Discord leaves out what is false.
  return (there ?? false) === (wanted ?? false);
}

/*
 * Keeps the slash commands registered: each time the bot joins its server, and again and again while Discord refuses
 * them. A bot that was invited without the scope for commands is told of once, and gets them when it has been invited
 * again, which Discord tells nobody of.
 */

export interface Registration {
  /** Discord has refused the commands, and has not taken them since. */
  readonly isRefused: boolean;
  /** Never rejects. */
  register(): Promise<void>;
  close(): void;
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 600_000;

/** @param link invites the bot with the scope */
export function openRegistration(context: BotContext, applicationId: string, link: string): Registration {
  const { clock, locale, log } = context;
  let isRefused = false;
  let pauseMs = FIRST_PAUSE_MS;
  let forget = (): void => undefined;

  async function register(): Promise<void> {
    forget();
    try {
      await registerCommands(context, applicationId);
      isRefused = false;
      pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      const kind = failureKind(error);
      if (kind === "no_access") return refused(new BellhopError("E_COMMANDS_REFUSED", { link }, { cause: error }));
      // A daemon that stops has not failed.
      if (kind !== "closed") log.failure("the slash commands could not be registered", error);
    }
  }

  function refused(error: BellhopError): void {
    if (!isRefused) log.failure(say(locale, error.code, error.details), error);
    isRefused = true;
    forget = clock.after(pauseMs, () => void register());
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }

  return {
    get isRefused() {
      return isRefused;
    },
    register,
    close: () => forget(),
  };
}
