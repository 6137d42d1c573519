/**
 * The pages that are made from the code, so that they cannot say anything else than it does: the errors, the
 * settings, the commands, and the schema of config.json. `npm run docs` writes them; a test holds them against this.
 */
import * as z from "zod";
import { errors, type ErrorCode } from "../src/base/errors.ts";
import { en } from "../src/base/words/en.ts";
import { schema } from "../src/config/config-schema.ts";
import { variables } from "../src/config/environment.ts";
import { commandTable } from "./commands.ts";

/** File name in `docs/` → its text. */
export function pages(): Record<string, string> {
  return {
    "errors.md": errorsPage(),
    "settings.md": settingsPage(),
    "commands.md": commandsPage(),
    "config.schema.json": `${JSON.stringify(configSchema(), null, 2)}\n`,
  };
}

const MADE = "<!-- Made by `npm run docs` from the code. Edits here are lost. -->";

const NOT_YET = " *Checked, but nothing uses it yet.*";

function errorsPage(): string {
  const rows = (Object.keys(errors) as ErrorCode[]).map((code) => {
    const { retry, raised, exit } = errors[code];
    return `| \`${code}\` | ${cell(en[code])} | ${retry ? "yes" : "no"} | ${raised} | ${exit ?? ""} |`;
  });
  return [
    "# Errors",
    "",
    MADE,
    "",
    "Every failure that can reach a person has a code. The sentence is what they read, here in English; Korean,",
    "Japanese and Traditional Chinese stand beside it in `src/base/words/`. Retry: whether doing the same again may",
    "help. Exit: the process's exit code where the error ends a command; 64 is a wrong call of the command line.",
    "",
    "| Code | What it says | Retry | Raised in | Exit |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function commandsPage(): string {
  return [
    "# Commands",
    "",
    MADE,
    "",
    "The slash commands Bellhop puts into the owner's server. Names are English everywhere; Discord shows them and",
    "their descriptions in Korean, Japanese and Traditional Chinese to whoever uses it in these languages. What stands",
    "in brackets may be left out.",
    "",
    commandTable(),
  ].join("\n");
}

function settingsPage(): string {
  const rows = Object.entries(variables).map(([name, { sentence, otherwise, notYet }]) => `| \`${name}\` | ${cell(sentence)}${notYet ? NOT_YET : ""} | ${cell(otherwise)} |`);
  return [
    "# Settings",
    "",
    MADE,
    "",
    "Bellhop reads the environment, a file `.env` in the directory it is started in, and `config.json` in its state",
    "directory. The environment wins over `.env`, and nothing of `.env` is passed on to any program Bellhop starts.",
    "A setting that is wrong stops the start with one line that says how to mend it.",
    "",
    "## Environment and `.env`",
    "",
    "| Name | What it sets | Otherwise |",
    "|---|---|---|",
    ...rows,
    "",
    "## `config.json`",
    "",
    "The file is yours: edit it by hand whenever you like. Bellhop adds what `/project` commands say and leaves every",
    "other byte as you wrote it. Keys it does not know are kept and warned about. Its schema for editors is",
    "[config.schema.json](config.schema.json).",
    "",
    "| Key | What it sets | Default |",
    "|---|---|---|",
    ...configRows(configSchema(), ""),
    "",
  ].join("\n");
}

interface Schema {
  title?: string;
  description?: string;
  "x-not-yet"?: boolean;
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
}

function configSchema(): Schema {
  const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
  return { title: "Bellhop's config.json", ...made };
}

/** One row a key, with the keys inside it after it: `limits.cli_timeout_sec`, `projects.<name>.path`, `reminders[].by`. */
function configRows(of: Schema, prefix: string): string[] {
  return Object.entries(of.properties ?? {}).flatMap(([key, inner]) => {
    const name = `${prefix}${key}`;
    const choices = inner.enum === undefined ? "" : ` One of ${inner.enum.map((value) => `\`${String(value)}\``).join(", ")}.`;
    const otherwise = inner.default === undefined || inner.properties !== undefined ? "" : `\`${JSON.stringify(inner.default)}\``;
    const named = typeof inner.additionalProperties === "object" ? configRows(inner.additionalProperties, `${name}.<name>.`) : [];
    const each = inner.items === undefined ? [] : configRows(inner.items, `${name}[].`);
    const row = inner.description === undefined ? [] : [`| \`${name}\` | ${cell(inner.description + choices)}${inner["x-not-yet"] ? NOT_YET : ""} | ${otherwise} |`];
    return [...row, ...configRows(inner, `${name}.`), ...named, ...each];
  });
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
