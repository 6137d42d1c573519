/**
 * What the owner is shown of a tool's input or a plan before he settles it: all of it, in an order for people, with
 * nothing hidden. A command, a file or a change is in its own code block, short values are ordinary text around it.
 * What is shown can be read back to the exact bytes that are kept and digested, so a yes means these bytes and no
 * others.
 */
import { withoutMarkdown } from "../../base/text.ts";
import { shownLine, shownLines } from "./hidden-characters.ts";
import { lineDifference } from "./line-difference.ts";
import { joinedPages, paged, type Page, type Part, type Row } from "./pages.ts";

/** `plan`: the whole input of the tool that presents it, with the plan itself under `plan`. */
export type Shown = { tool: string; input: Record<string, unknown> } | { plan: Record<string, unknown> };

/** The longest text shown as ordinary text, in characters. */
const TEXT_CHARS = 200;
const JSON_CHARS = 80;
const NAME = /^\w{1,60}$/;
const TOOL = /^[\w.-]{1,60}$/;

/** What people look for first, for known tools; the rest follows as the agent sent it. */
const FIRST: ReadonlyMap<string, readonly string[]> = new Map([
  ["Bash", ["command"]],
  ["Edit", ["file_path", "old_string", "new_string"]],
  ["MultiEdit", ["file_path", "edits"]],
  ["NotebookEdit", ["notebook_path", "new_source"]],
  ["Write", ["file_path", "content"]],
]);
/** Fields that are always code, however short. */
const CODE: ReadonlySet<string> = new Set(["command", "content", "new_source", "old_string", "new_string", "script", "code", "query"]);
/** File endings whose language Discord can highlight. None of them gives a character another meaning. */
const LANGUAGES: ReadonlySet<string> = new Set(
  "bash c cc cpp cs css go h html ini java js json jsx kt lua md mjs php pl py rb rs scss sh sql swift toml ts tsx xml yaml yml".split(" "),
);

/** The exact JSON text that is kept and digested. */
export function bytesOf(subject: Shown): string {
  if ("plan" in subject) return JSON.stringify({ plan: ordered(subject.plan, ["plan"]) });
  const { tool, input } = subject;
  return JSON.stringify({ tool, input: ordered(input, FIRST.get(tool) ?? []) });
}

/**
 * Everything the bytes say, as pages of Discord's Markdown; at least one. The tool's name is omitted if the title says
 * it in full. Never throws: what is neither a tool's input nor a plan is shown as it is.
 */
export function reviewText(bytes: string): { pages: Page[] } {
  const subject = read(bytes);
  if (subject === null) return { pages: paged([code("", texts(bytes))]) };
  if ("plan" in subject) return { pages: planPages(subject.plan) };
  const { tool, input } = subject;
  const name: Part[] = TOOL.test(tool) ? [] : [{ line: "🔧" }, code("json", texts(JSON.stringify(tool)))];
  const parts = [...name, ...fields(input, "", languageOf(tool, input))];
  return { pages: paged(parts.length === 0 ? [{ line: "`{}`" }] : parts) };
}

/** The same for some fields only, as one text. */
export function fieldsText(input: Record<string, unknown>): string {
  return paged(fields(input, "", () => ""), Number.POSITIVE_INFINITY).map(({ text }) => text).join("\n");
}

/** The plan as Markdown, and then whatever else came with it. */
function planPages(whole: Record<string, unknown>): Page[] {
  const { plan, ...more } = whole;
  const isProse = isText(plan) && plan.trim() !== "";
  const prose = isProse ? paged([{ prose: shownLines(plan, true) }]) : [];
  const others = fields(isProse ? more : whole, "", () => "");
  if (others.length === 0) return prose.length > 0 ? prose : paged([{ line: "`{}`" }]);
  return joinedPages(prose, paged(others));
}

function ordered(input: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const first = names.filter((name) => Object.hasOwn(input, name));
  const all = [...first, ...Object.keys(input).filter((name) => !first.includes(name))];
  return Object.fromEntries(all.map((name) => [name, input[name]]));
}

function read(bytes: string): Shown | null {
  try {
    const value: unknown = JSON.parse(bytes);
    if (!isObject(value)) return null;
    const names = Object.keys(value).join();
    if (names === "plan" && isObject(value.plan)) return { plan: value.plan };
    if (names === "tool,input" && typeof value.tool === "string" && isObject(value.input)) return { tool: value.tool, input: value.input };
  } catch {
    // Shown as it is.
  }
  return null;
}

type LanguageOf = (field: string) => string;

/** The language of a field's text: a command's by its tool, a file's by its ending. */
function languageOf(tool: string, input: Record<string, unknown>): LanguageOf {
  const path = input.file_path ?? input.notebook_path;
  const ending = (isText(path) ? /\.(\w{1,5})$/.exec(path)?.[1] : undefined)?.toLowerCase() ?? "";
  return (field) => {
    if (field === "command") return tool === "Bash" ? "bash" : "";
    return field === "content" && LANGUAGES.has(ending) ? ending : "";
  };
}

/**
 * Each field under its name: a short text after it, a longer one as code, a change as a change, anything else as JSON.
 */
function fields(input: Record<string, unknown>, within: string, language: LanguageOf): Part[] {
  const names = Object.keys(input);
  return names.flatMap((name, at): Part[] => {
    const value = input[name];
    const next = names[at + 1] ?? "";
    // A name that is not a plain word could pass for something else: it is shown as JSON, with its value.
    if (!NAME.test(name)) return [{ line: "`{…}`" }, code("json", texts(JSON.stringify({ [name]: value }, null, 2)))];
    const path = `${within}${name}`;
    if (name === "old_string" && next === "new_string" && isText(value) && isText(input[next])) return change(path, within + next, value, input[next]);
    if (name === "new_string" && names[at - 1] === "old_string" && isText(value) && isText(input.old_string)) return [];
    if (isText(value)) return textField(path, name, value, language(name));
    if (isEdits(value)) return value.flatMap((edit, place) => fields(edit, `${path}[${place}].`, language));
    return jsonField(path, value);
  });
}

function textField(path: string, name: string, value: string, language: string): Part[] {
  if (value === "") return jsonField(path, value);
  const isPlain = value.length <= TEXT_CHARS && value === shownLine(value) && value === value.trim() && !/ {2}|\n|\u2068/.test(value);
  if (isPlain && !CODE.has(name)) return [{ line: `\`${path}\`: ${withoutMarkdown(value)}` }];
  return [{ line: `\`${path}\`` }, code(language, texts(value))];
}

function jsonField(path: string, value: unknown): Part[] {
  const json = JSON.stringify(value);
  if (json.length <= JSON_CHARS && json === shownLine(json) && !json.includes("`")) return [{ line: `\`${path}\` = \`${json}\`` }];
  return [{ line: `\`${path}\` =` }, code("json", texts(JSON.stringify(value, null, 2)))];
}

function change(before: string, after: string, old: string, fresh: string): Part[] {
  const rows = lineDifference(shownLines(old), shownLines(fresh)).map(({ sign, line }): Row => ({ sign: `${sign} `, line }));
  return [{ line: `\`${before}\` → \`${after}\`` }, code("diff", rows)];
}

/** The line end at the end of a text is drawn as a sign: Discord shows none there. */
function texts(text: string): Row[] {
  const lines = shownLines(text);
  if (lines.length > 1 && lines.at(-1) === "") lines.splice(-2, 2, `${lines.at(-2)}↵`);
  return lines.map((line) => ({ sign: "", line }));
}

function code(language: string, rows: readonly Row[]): Part {
  return { language, rows };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Changes that belong together. Anything else is JSON, even an empty list, which would otherwise be invisible. */
function isEdits(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && isText(one.old_string) && isText(one.new_string) && Object.keys(one).every((name) => NAME.test(name)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
