/**
 * The slash commands as Discord is told of them: English names that never change, with names and descriptions in
 * the other languages beside them. They are written only when they differ from what the guild has, because Discord
 * counts what is created.
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
import type { Log } from "../../base/log.ts";
import { say, type Locale, type WordKey } from "../../base/words/say.ts";
import type { Rest } from "../rest.ts";
import { limits } from "./project-create.ts";

const LOCALES = ["ko", "ja", "zh-TW"] as const satisfies readonly Exclude<Locale, "en">[];
/** Discord's pattern for names in any language. */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/** Puts our commands into the guild if they are not there as they should be. True where something was written. */
export async function registerCommands(room: {
  rest: Pick<Rest, "call">;
  applicationId: string;
  guildId: string;
  log: Log;
}): Promise<boolean> {
  const path = `/applications/${room.applicationId}/guilds/${room.guildId}/commands` as const;
  const wanted = catalogue();
  const lane = "result";
  const there = await room.rest.call<unknown>({ method: "GET", path: `${path}?with_localizations=true`, lane });
  if (Array.isArray(there) && there.length === wanted.length && wanted.every((one) => there.some((it) => covers(it, one)))) {
    return false;
  }
  await room.rest.call({ method: "PUT", path, body: wanted, lane });
  room.log.info("the slash commands were written", { commands: wanted.length });
  return true;
}

/** Every command of ours. */
export function catalogue(): RESTPostAPIChatInputApplicationCommandsJSONBody[] {
  const name = { max: limits.name, suggested: true };
  return [
    command("cmd_project", [
      subcommand("cmd_project_create", [
        text("opt_name", { max: limits.name }),
        text("opt_path", { max: limits.path }),
        text("opt_tools_csv", { max: limits.tools_csv, suggested: true }),
        text("opt_default_tool", { max: limits.default_tool, suggested: true }),
        text("opt_args_json", { max: limits.args_json, required: false }),
      ]),
      subcommand("cmd_project_add", [text("opt_path", { max: limits.path })]),
      subcommand("cmd_project_list", []),
      subcommand("cmd_project_status", [text("opt_project_which", name)]),
      subcommand("cmd_project_switch", [text("opt_project_which", name)]),
    ]),
    command("cmd_projects", []),
    command("cmd_start", [text("opt_project_name", { ...name, required: false })]),
    command("cmd_session", [
      subcommand("cmd_session_list", [text("opt_project_only", { ...name, required: false })]),
      subcommand("cmd_session_open", [text("opt_session_id", { max: 100, suggested: true })]),
    ]),
    command("cmd_status", []),
    command("cmd_tool", [text("opt_tool", { max: limits.default_tool, suggested: true })]),
    command("cmd_retry", [text("opt_job_id", { max: 40, suggested: true })]),
    command("cmd_queue", []),
    command("cmd_cancel", []),
    command("cmd_pending", []),
  ];
}

type Option = APIApplicationCommandSubcommandOption | APIApplicationCommandBasicOption;

function command(key: WordKey, options: Option[]): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return {
    type: ApplicationCommandType.ChatInput,
    ...words(key),
    options,
    contexts: [InteractionContextType.Guild],
  } as RESTPostAPIChatInputApplicationCommandsJSONBody;
}

function subcommand(key: WordKey, options: APIApplicationCommandBasicOption[]): APIApplicationCommandSubcommandOption {
  return { type: ApplicationCommandOptionType.Subcommand, ...words(key), options };
}

function text(
  key: WordKey,
  { max, required = true, suggested = false }: { max: number; required?: boolean; suggested?: boolean },
): APIApplicationCommandBasicOption {
  const option = { type: ApplicationCommandOptionType.String as const, ...words(key), required, max_length: max };
  return suggested ? { ...option, autocomplete: true } : option;
}

interface Words {
  name: string;
  name_localizations: LocalizationMap;
  description: string;
  description_localizations: LocalizationMap;
}

/** A name that Discord's pattern does not allow in a language is left out there: the English one is shown. */
function words(key: WordKey): Words {
  const says = `${key}_says` as WordKey;
  const names = LOCALES.map((locale) => [locale, say(locale, key)] as const);
  return {
    name: say("en", key),
    name_localizations: Object.fromEntries(names.filter(([, name]) => NAME.test(name) && name === name.toLowerCase())),
    description: say("en", says),
    description_localizations: Object.fromEntries(LOCALES.map((locale) => [locale, say(locale, says)])),
  };
}

/** Whether what Discord has holds all of what we want, options in the same order; its own additions do not count. */
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
