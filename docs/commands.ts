/**
 * `node docs/commands.ts`: prints the table of slash commands, made from what is registered with Discord, as it
 * stands in `docs/commands.md`.
 */
import { ApplicationCommandOptionType, type APIApplicationCommandOption } from "discord-api-types/v10";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { definitions } from "../src/discord/interactions/registry.ts";

export interface UsedCommand {
  /** Such as `/start [project_name]`: what may be left out stands in brackets. */
  usage: string;
  /** Its description in English. */
  does: string;
  /** Options that are completed while they are typed. */
  completed: string[];
}

/** Every command a person can give, in the order in which they are registered. */
export function usedCommands(): UsedCommand[] {
  return definitions().flatMap(({ name, description, options }) => spread(`/${name}`, description, options ?? []));
}

function spread(path: string, does: string, options: readonly APIApplicationCommandOption[]): UsedCommand[] {
  const nested = options.flatMap((option) => (option.type === ApplicationCommandOptionType.Subcommand ? [option] : []));
  if (nested.length > 0)
    return nested.flatMap(({ name, description, options: inner }) =>
      spread(`${path} ${name}`, description, inner ?? []),
    );
  const named = options.map(({ name, required }) => (required === true ? name : `[${name}]`));
  const completed = options.flatMap((option) =>
    "autocomplete" in option && option.autocomplete === true ? [option.name] : [],
  );
  return [{ usage: [path, ...named].join(" "), does, completed }];
}

export function commandTable(): string {
  const rows = usedCommands().map(
    ({ usage, does, completed }) =>
      `| \`${usage}\` | ${does.replaceAll("|", "\\|")} | ${completed.map((name) => `\`${name}\``).join(", ")} |`,
  );
  return ["| Command | What it does | Completed as you type |", "|---|---|---|", ...rows, ""].join("\n");
}

if (argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(commandTable());
