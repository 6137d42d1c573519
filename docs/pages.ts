/**
 * The pages that are made from the code, so that they cannot say anything else than it does: the errors, the settings,
 * the commands, what was seen with real agents, which test shows what each design asks for, the schema of config.json,
 * and in `mcp.md` the table of the tools for agents. `npm run docs` writes them; a test holds them against this.
 */
import * as z from "zod";
import { readFileSync } from "node:fs";
import { errors, type ErrorCode } from "../src/base/errors.ts";
import { en } from "../src/base/words/en.ts";
import { schema } from "../src/config/config-schema.ts";
import { variables } from "../src/config/env-files.ts";
import { commandTable } from "./commands.ts";
import { designsPage } from "./designs.ts";
import { supportPage } from "./support.ts";
import { withTools } from "./tools.ts";

/** File name in `docs/` → its text. */
export function pages(): Record<string, string> {
  return {
    "errors.md": errorsPage(),
    "settings.md": settingsPage(),
    "commands.md": commandsPage(),
    "mcp.md": withTools(readFileSync(new URL("mcp.md", import.meta.url), "utf8")),
    "support.md": supportPage(MADE),
    "designs.md": designsPage(MADE),
    "config.schema.json": `${JSON.stringify(configSchema(), null, 2)}\n`,
  };
}

const MADE = "<!-- Made by `npm run docs` from the code. Edits here are lost. -->";

const NOT_YET = " *Checked, but not used yet.*";

function errorsPage(): string {
  const rows = (Object.keys(errors) as ErrorCode[]).map((code) => {
    const { retry, raised, logged = "info", exit } = errors[code];
    return `| \`${code}\` | ${cell(en[code])} | ${retry ? "yes" : "no"} | ${raised || "*nothing raises it yet*"} | ${logged} | ${exit ?? ""} |`;
  });
  return [
    "# Errors",
    "",
    MADE,
    "",
    "Every error that a person can see has a code. This page has the English sentences; Korean, Japanese and Traditional",
    "Chinese are in `src/base/words/`. Retry: whether doing the same again may help, once what the sentence asks for is done. Logged: the level of a command that was",
    "refused with it; a job that failed is a warning at least. Exit: the process's exit code, if the error ends a command; 64",
    "means the command line is wrong.",
    "",
    "| Code | What it says | Retry | Raised in | Logged | Exit |",
    "|---|---|---|---|---|---|",
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
    "The slash commands Bellhop registers in the owner's server. Their names are English; Discord shows the names and",
    "descriptions in Korean, Japanese and Traditional Chinese to people who use it in these languages. Options in",
    "brackets are optional.",
    "",
    commandTable(),
  ].join("\n");
}

function settingsPage(): string {
  const rows = Object.entries(variables).map(
    ([name, { sentence, otherwise }]) => `| \`${name}\` | ${cell(sentence)} | ${cell(otherwise)} |`,
  );
  return [
    "# Settings",
    "",
    MADE,
    "",
    "Bellhop reads the environment, `.env`, and `config.json` in its state directory. The environment wins over `.env`, over",
    "all three names of the token together. No program that Bellhop starts gets anything from `.env`.",
    "",
    "`.env` is read from `~/.config/bellhop/` (or `bellhop/` in `XDG_CONFIG_HOME`), and from Bellhop's own checkout when it is",
    "started there with `npm start`. `--env-file PATH` reads another file instead. A `.env` in any other directory is not",
    "read: agents work in repositories, and a file in one must not decide where your token goes. For the same reason no file",
    "may send the token anywhere but to Discord or to this machine: `BELLHOP_DISCORD_API` with another host counts only in the",
    "environment. `~` means your home directory, and a relative path in a file is relative to that file. `bellhop mcp` and `bellhop",
    "watch` read no `.env` at all.",
    "",
    "If a setting is wrong, Bellhop does not start and says in one line how to fix it.",
    "",
    "## Environment and `.env`",
    "",
    "| Name | What it sets | Otherwise |",
    "|---|---|---|",
    ...rows,
    "",
    "## `config.json`",
    "",
    "You can edit this file by hand at any time. The `/project` commands change only what they have to, and keep every other",
    "byte as you wrote it. Unknown keys are kept, with a warning. Its schema for editors is",
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

/**
 * One row a key, with the keys inside it after it: `limits.cli_timeout_sec`, `projects.<name>.path`, `reminders[].by`.
 */
function configRows(of: Schema, prefix: string): string[] {
  return Object.entries(of.properties ?? {}).flatMap(([key, inner]) => {
    const name = `${prefix}${key}`;
    const choices =
      inner.enum === undefined ? "" : ` One of ${inner.enum.map((value) => `\`${String(value)}\``).join(", ")}.`;
    const otherwise =
      inner.default === undefined || inner.properties !== undefined ? "" : `\`${JSON.stringify(inner.default)}\``;
    const named =
      typeof inner.additionalProperties === "object" ? configRows(inner.additionalProperties, `${name}.<name>.`) : [];
    const each = inner.items === undefined ? [] : configRows(inner.items, `${name}[].`);
    const row =
      inner.description === undefined
        ? []
        : [`| \`${name}\` | ${cell(inner.description + choices)}${inner["x-not-yet"] ? NOT_YET : ""} | ${otherwise} |`];
    return [...row, ...configRows(inner, `${name}.`), ...named, ...each];
  });
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
