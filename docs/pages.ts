/**
 * The pages that are made from the code, so that they cannot say anything else than it does: the errors, the settings,
 * the commands, what was seen with real agents, which test shows what each design asks for, the schema of config.json,
 * and in `mcp.md` and `journal-format.md` the tools for agents and the events. `npm run docs` writes
 * them; a test holds them against this.
 */
import * as z from "zod";
import { readFileSync } from "node:fs";
import { errors, type ErrorCode } from "../src/base/errors.ts";
import { en } from "../src/base/words/en.ts";
import { schema } from "../src/config/config-schema.ts";
import { variables } from "../src/config/env-files.ts";
import { commandTable } from "./commands.ts";
import { designsPage } from "./designs.ts";
import { withEvents } from "./journal-events.ts";
import { supportPage } from "./support.ts";
import { withTools } from "./tools.ts";

/** File name in `docs/` → its text. */
export function pages(): Record<string, string> {
  return {
    "errors.md": errorsPage(),
    "settings.md": settingsPage(),
    "commands.md": commandsPage(),
    "mcp.md": withTools(written("mcp.md")),
    "journal-format.md": withEvents(written("journal-format.md")),
    "support.md": supportPage(MADE),
    "designs.md": designsPage(MADE),
    "config.schema.json": `${JSON.stringify(configSchema(), null, 2)}\n`,
  };
}

/** A page of which only a part is made. */
function written(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}

const MADE = "<!-- Made by `npm run docs` from the code. Edits here are lost. -->";

const NOT_YET = " *Checked, but not used yet.*";

function errorsPage(): string {
  const rows = (Object.keys(errors) as ErrorCode[]).map((code) => {
    const { retry, logged = "info", exit } = errors[code];
    const notes = [
      ...(retry ? ["retry"] : []),
      ...(logged === "info" ? [] : [logged]),
      ...(exit === undefined ? [] : [`exit ${exit}`]),
    ];
    return `- \`${code}\`${notes.length === 0 ? "" : ` (${notes.join(", ")})`}: ${en[code]}`;
  });
  return [
    "# Errors",
    "",
    MADE,
    "",
    "Every error a person can see has a code. In brackets:",
    "",
    "- *retry*: the same may succeed once what the sentence asks for is done.",
    "- *warn*, *error*: the log's level for a refused command, else info. A failed job is at least a warning.",
    "- *exit*: the [exit code](operations.md#how-it-ended), if the error ends a command.",
    "",
    "`src/base/words/` has the other languages, `src/base/errors.ts` the place that raises each error.",
    "",
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
    "The slash commands in the owner's server. Options in brackets are optional. Discord also shows them in Korean, Japanese and",
    "Traditional Chinese.",
    "",
    commandTable(),
  ].join("\n");
}

function settingsPage(): string {
  const rows = Object.entries(variables).map(
    ([name, { sentence, otherwise }]) =>
      `- \`${name}\`: ${sentence}${otherwise === "none" ? "" : ` Otherwise: ${otherwise}.`}`,
  );
  return [
    "# Settings",
    "",
    MADE,
    "",
    "```text",
    "DISCORD_TOKEN_FILE=~/.config/bellhop/token",
    "BELLHOP_LOCALE=en",
    "```",
    "",
    "Bellhop reads such lines from the environment and from `.env`, and `config.json` in its state directory. The environment",
    "wins over `.env`, over all three names of the token together. If a setting is wrong, Bellhop does not start and says in one",
    "line how to fix it.",
    "",
    "`.env` is read from `~/.config/bellhop/` (or `bellhop/` in `XDG_CONFIG_HOME`), and from Bellhop's own checkout under `npm start`;",
    "`--env-file PATH` names another file instead. No other `.env` is read, and `bellhop mcp` and `bellhop watch` read none. Programs",
    "that Bellhop starts get nothing from it. Only the environment can set `BELLHOP_DISCORD_API` to a host other than Discord or this",
    "machine. `~` is your home directory; a relative path is relative to its file.",
    "",
    "## Environment and `.env`",
    "",
    ...rows,
    "",
    "## `config.json`",
    "",
    "You can edit this file by hand at any time; [config.schema.json](config.schema.json) is its schema for editors. The `/project`",
    "commands change only what they must and keep every other byte. Unknown keys are kept, with a warning.",
    "",
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
 * A key that means the same as one of that name further out, as in `above`, stands in the row of what it is in.
 */
function configRows(of: Schema, prefix: string, above: Readonly<Record<string, string>> = {}): string[] {
  const all = Object.entries(of.properties ?? {});
  const here = { ...above, ...Object.fromEntries(all.map(([key, inner]) => [key, sentenceOf(inner)])) };
  return all.flatMap(([key, inner]) => {
    if (above[key] !== undefined && above[key] === sentenceOf(inner)) return [];
    const name = `${prefix}${key}`;
    const named = typeof inner.additionalProperties === "object" ? inner.additionalProperties : {};
    const each = inner.items ?? {};
    const same = [inner, named, each]
      .flatMap(({ properties = {} }) => Object.entries(properties))
      .filter(([one, schemaOfOne]) => here[one] !== undefined && here[one] === sentenceOf(schemaOfOne))
      .map(([one]) => `\`${one}\``);
    const also = same.length === 0 ? "" : ` It takes ${same.join(", ")} as above.`;
    const row =
      inner.description === undefined
        ? []
        : [`- \`${name}\`: ${sentenceOf(inner)}${also}${inner["x-not-yet"] ? NOT_YET : ""}`];
    return [
      ...row,
      ...configRows(inner, `${name}.`, here),
      ...configRows(named, `${name}.<name>.`, here),
      ...configRows(each, `${name}[].`, here),
    ];
  });
}

/** What a key sets, its choices and its default. */
function sentenceOf({ description = "", enum: choices, default: otherwise, properties }: Schema): string {
  const isNamed = choices?.every((value) => description.includes(`\`${String(value)}\``));
  const one =
    choices === undefined || isNamed ? "" : ` One of ${choices.map((value) => `\`${String(value)}\``).join(", ")}.`;
  const isTold =
    otherwise !== undefined && properties === undefined && !/^(\{\}|\[\])$/.test(JSON.stringify(otherwise));
  return `${description}${one}${isTold ? ` Default: \`${JSON.stringify(otherwise)}\`.` : ""}`;
}
