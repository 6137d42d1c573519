/**
 * The fields of a request as parts of a page: each under its name, a short text after it, a longer one as code, a
 * change as a change, anything else as JSON. Nothing is left out, and each can be read back to exactly what it shows.
 */
import { withoutMarkdown } from "../../base/text.ts";
import { shownLine, showing, type Paused } from "./hidden-characters.ts";
import { differingLines } from "./line-difference.ts";
import type { Part, Row, Rows } from "./pages.ts";

/** The longest text shown as ordinary text, in characters. */
const TEXT_CHARS = 200;
const JSON_CHARS = 80;
export const NAME = /^\w{1,60}$/;

/** Fields that are always code, however short. */
export const CODE: ReadonlySet<string> = new Set([
  "command",
  "content",
  "new_source",
  "old_string",
  "new_string",
  "script",
  "code",
  "query",
]);
/** File endings whose language Discord can highlight. None of them gives a character another meaning. */
const LANGUAGES: ReadonlySet<string> = new Set(
  "bash c cc cpp cs css go h html ini java js json jsx kt lua md mjs php pl py rb rs scss sh sql swift toml ts tsx xml yaml yml".split(
    " ",
  ),
);

/** The language of a file by its ending; empty if Discord knows none. */
export function languageOf(path: unknown): string {
  const ending = (isText(path) ? /\.(\w{1,5})$/.exec(path)?.[1] : undefined)?.toLowerCase() ?? "";
  return LANGUAGES.has(ending) ? ending : "";
}

/** A field's names as they are shown. */
export function headOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

export function fieldParts(
  input: Record<string, unknown>,
  within: string,
  language: (field: string) => string,
): Part[] {
  const names = Object.keys(input);
  return names.flatMap((name, at): Part[] => {
    const value = input[name];
    const next = names[at + 1] ?? "";
    if (!NAME.test(name)) return oddField(name, value);
    const path = `${within}${name}`;
    if (name === "old_string" && next === "new_string" && isText(value) && isText(input[next]))
      return changeParts(headOf([path]), headOf([within + next]), value, input[next]);
    if (name === "new_string" && names[at - 1] === "old_string" && isText(value) && isText(input.old_string)) return [];
    if (isText(value)) return textField(headOf([path]), value, CODE.has(name) ? language(name) : null);
    if (isEdits(value)) return value.flatMap((edit, place) => fieldParts(edit, `${path}[${place}].`, language));
    return jsonField(headOf([path]), value);
  });
}

/** A name that is not a plain word could pass for something else: it is shown as JSON, with its value. */
export function oddField(name: string, value: unknown): Part[] {
  return [{ line: "`{…}`" }, code("json", texts(JSON.stringify({ [name]: value }, null, 2)))];
}

/** @param language of the code; null: a text that looks the same as ordinary text is not code */
export function textField(head: string, value: string, language: string | null): Part[] {
  if (value === "") return jsonField(head, value);
  const isPlain =
    value.length <= TEXT_CHARS && value === shownLine(value) && value === value.trim() && !/ {2}|\n|\u2068/.test(value);
  if (isPlain && language === null) return [{ line: `${head}: ${withoutMarkdown(value)}` }];
  return [{ line: head }, code(language ?? "", texts(value))];
}

export function jsonField(head: string, value: unknown): Part[] {
  const json = JSON.stringify(value);
  if (json.length <= JSON_CHARS && json === shownLine(json) && !json.includes("`"))
    return [{ line: `${head} = \`${json}\`` }];
  return [{ line: `${head} =` }, code("json", texts(JSON.stringify(value, null, 2)))];
}

export function changeParts(before: string, after: string, old: string, fresh: string): Part[] {
  return [{ line: `${before} → ${after}` }, code("diff", () => differing(old, fresh))];
}

function* differing(old: string, fresh: string): Paused<Row> {
  const [before, after] = [yield* linesOf(old), yield* linesOf(fresh)];
  for (const { sign, line } of differingLines(before, after)) yield { sign: `${sign} `, line };
}

function* linesOf(text: string): Generator<null, string[]> {
  const lines: string[] = [];
  for (const line of showing(text)) {
    if (line === null) yield null;
    else lines.push(line);
  }
  return lines;
}

/** The line end at the end of a text is drawn as a sign: Discord shows none there. */
export function texts(text: string): Rows {
  return function* rows() {
    const last: string[] = [];
    for (const line of showing(text)) {
      if (line === null) yield null;
      else if (last.push(line) > 2) yield { sign: "", line: last.shift() ?? "" };
    }
    if (last.length > 1 && last[1] === "") last.splice(0, 2, `${last[0]}↵`);
    for (const line of last) yield { sign: "", line };
  };
}

export function code(language: string, rows: Rows): Part {
  return { language, rows };
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Changes that belong together. Anything else is JSON, even an empty list, which would otherwise be invisible. */
function isEdits(value: unknown): value is Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (one) =>
        isObject(one) &&
        isText(one.old_string) &&
        isText(one.new_string) &&
        Object.keys(one).every((name) => NAME.test(name)),
    )
  );
}
