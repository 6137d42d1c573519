/**
 * A tool call as an agent of the Agent Client Protocol describes it, in an order for people: its kind, its title, the
 * command or the path, its changes, and then everything else. A text that the agent repeats is shown once, under all
 * its names.
 */
import type { PagePart, Row, Rows } from "./pages.ts";
import { withoutMarkdown } from "../../base/text.ts";
import { shownLine, visibleLines, type Paused } from "../../base/hidden-characters.ts";
import { differingLines } from "../line-difference.ts";
import { ACTED_ON, numbered, type Bindings, type ShapedRequest, type ActVerb } from "./shapes.ts";

interface ToolKind {
  sign: string;
  /** The fields that people look for first. */
  first: readonly string[];
}

const COMMANDS = ["command", "cmd", "script"];
const PATHS = ["path", "file_path", "filePath", "filepath", "abs_path", "absolute_path", "notebook_path"];

/** The protocol's kinds of tools. */
const KINDS: ReadonlyMap<unknown, ToolKind> = new Map([
  ["read", { sign: "📖", first: PATHS }],
  ["edit", { sign: "✏️", first: PATHS }],
  ["delete", { sign: "🗑️", first: PATHS }],
  ["move", { sign: "📦", first: PATHS }],
  ["search", { sign: "🔍", first: ["query", "pattern"] }],
  ["execute", { sign: "▶️", first: COMMANDS }],
  ["think", { sign: "💭", first: [] }],
  ["fetch", { sign: "🌐", first: ["url", "uri"] }],
  ["switch_mode", { sign: "🔀", first: [] }],
  ["other", { sign: "⚙️", first: [] }],
]);
/** A field with the text as it is, and the one beside it with the text as it would be. */
const CHANGES: ReadonlyMap<string, string> = new Map([
  ["oldText", "newText"],
  ["old_string", "new_string"],
  ["old_str", "new_str"],
  ["oldString", "newString"],
]);
/** Texts that agents put into more than one field. */
const REPEATED: ReadonlySet<string> = new Set([
  "title",
  "text",
  "content",
  "description",
  "newText",
  ...COMMANDS,
  ...PATHS,
]);
/** Fields for programs: a word or a number in one of them comes last. */
const MINOR: ReadonlySet<string> = new Set(["status", "type", "name", "line", "oldText"]);
const WORD = /^\w{1,40}$/;
/** Names in one line, and minor fields, so that no line is too long for a page. */
const MOST_NAMES = 4;
const MOST_MINOR = 6;
/** How deep fields get lines of their own; what is deeper is JSON. */
const DEPTH = 4;

/** A value under all its names; with `after`, a text and what would replace it. */
interface Leaf {
  names: string[];
  value: unknown;
  after?: { names: string[]; text: string };
}

export function callParts(call: Record<string, unknown>): PagePart[] {
  const { kind } = call;
  const known = KINDS.get(kind);
  const names = Object.keys(call).filter((name) => known === undefined || name !== "kind");
  const leaves = together(names.filter((name) => NAME.test(name)).flatMap((name) => leavesOf(call[name], name, DEPTH)));
  const ranked = leaves.filter((leaf) => !isMinor(leaf)).map((leaf) => ({ leaf, rank: rankOf(leaf, known) }));
  const main = ranked.toSorted((one, other) => one.rank - other.rank).map(({ leaf }) => leaf);
  const language = languagesIn(kind, leaves);
  return [
    ...(known === undefined ? [] : [{ line: `${known.sign} \`${String(kind)}\`` }]),
    ...main.flatMap((leaf) => partsOf(leaf, language(leaf))),
    ...minorParts(leaves.filter(isMinor)),
    ...names.filter((name) => !NAME.test(name)).flatMap((name) => oddField(name, call[name])),
  ];
}

function leavesOf(value: unknown, name: string, depth: number): Leaf[] {
  const inside = depth === 0 ? null : insideOf(value);
  return inside === null
    ? [{ names: [name], value }]
    : inside.flatMap(([step, one]) => leavesOf(one, `${name}${step}`, depth - 1));
}

/** Null: it is one value. A path comes before the text that stands there. */
function insideOf(value: unknown): [string, unknown][] | null {
  if (Array.isArray(value))
    return value.length > 0 && value.every(isObject) ? value.map((one, at) => [`[${at}]`, one]) : null;
  if (!isObject(value)) return null;
  const names = Object.keys(value);
  if (names.length === 0 || !names.every((name) => NAME.test(name))) return null;
  return [...names.filter((name) => PATHS.includes(name)), ...names.filter((name) => !PATHS.includes(name))].map(
    (name) => [`.${name}`, value[name]],
  );
}

/** Two texts that are one change, and equal texts, each once. */
function together(leaves: readonly Leaf[]): Leaf[] {
  const known = new Map<string, Leaf>();
  const shown: Leaf[] = [];
  for (const leaf of paired(leaves)) {
    const key = keyOf(leaf);
    const same = key === null ? undefined : known.get(key);
    // A text that is also what a change leads to belongs to that change.
    const names = leaf.after === undefined && same?.after !== undefined ? same.after.names : same?.names;
    if (names !== undefined && names.length < MOST_NAMES) {
      names.push(...leaf.names);
      if (leaf.after !== undefined) same?.after?.names.push(...leaf.after.names);
      continue;
    }
    shown.push(leaf);
    if (key !== null) known.set(key, leaf);
    if (leaf.after !== undefined) known.set(textKey(leaf.after.text), leaf);
  }
  return shown;
}

function paired(leaves: readonly Leaf[]): Leaf[] {
  const byName = new Map(leaves.map((leaf) => [leaf.names[0], leaf]));
  const after = (leaf: Leaf): Leaf | undefined => {
    const found = isText(leaf.value) ? byName.get(changed(leaf.names[0])) : undefined;
    return isText(found?.value) ? found : undefined;
  };
  const afters = new Set(leaves.map(after));
  return leaves
    .filter((leaf) => !afters.has(leaf))
    .map((leaf) => {
      const found = after(leaf);
      return found === undefined ? leaf : { ...leaf, after: { names: found.names, text: String(found.value) } };
    });
}

/** Leaves with the same key are one; null: this one is never another. */
function keyOf({ names, value, after }: Leaf): string | null {
  if (after !== undefined) return `change ${JSON.stringify([value, after.text])}`;
  return isText(value) && value !== "" && REPEATED.has(lastOf(names[0])) ? textKey(value) : null;
}

function textKey(text: string): string {
  return `text ${text}`;
}

/** The name of the new text beside an old one; nothing where the name is of neither. */
function changed(name = ""): string {
  const last = lastOf(name);
  return name.slice(0, name.length - last.length) + (CHANGES.get(last) ?? "");
}

/** The last word of a name: `oldText` of `content[0].oldText`. */
function lastOf(name = ""): string {
  return name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf("]")) + 1);
}

function has({ names }: Leaf, wanted: readonly string[]): boolean {
  return names.some((name) => wanted.includes(lastOf(name)));
}

function isMinor({ names, value, after }: Leaf): boolean {
  const isWord = typeof value === "string" ? WORD.test(value) : typeof value !== "object" || value === null;
  return after === undefined && names.length === 1 && MINOR.has(lastOf(names[0])) && isWord;
}

function rankOf(leaf: Leaf, kind: ToolKind | undefined): number {
  if (leaf.names.includes("title")) return 0;
  if (has(leaf, kind?.first ?? [])) return 1;
  if (leaf.after !== undefined || has(leaf, [...PATHS, "newText"])) return 2;
  return leaf.names[0]?.startsWith("rawInput") ? 3 : 4;
}

/** The language in which a leaf is shown as code; null: a short text is none. */
function languagesIn(kind: unknown, leaves: readonly Leaf[]): (leaf: Leaf) => string | null {
  const runs = kind === "execute";
  const isNamed = leaves.some((leaf) => has(leaf, COMMANDS));
  const file = languageOf(leaves.find((leaf) => has(leaf, PATHS) && isText(leaf.value))?.value);
  return (leaf) => {
    // Some agents have the command only in the title.
    if (has(leaf, COMMANDS) || (runs && !isNamed && leaf.names.includes("title"))) return runs ? "bash" : "";
    if (has(leaf, ["diff", "patch"])) return "diff";
    return has(leaf, ["newText", "content"]) ? file : has(leaf, [...CODE]) ? "" : null;
  };
}

function partsOf({ names, value, after }: Leaf, language: string | null): PagePart[] {
  if (after !== undefined) return changeParts(headOf(names), headOf(after.names), String(value), after.text);
  return isText(value) ? textField(headOf(names), value, language) : jsonField(headOf(names), value);
}

function minorParts(leaves: readonly Leaf[]): PagePart[] {
  return inLines(leaves.map(({ names, value }) => `${headOf(names)} = \`${JSON.stringify(value)}\``));
}

function inLines(fields: readonly string[]): PagePart[] {
  return Array.from({ length: Math.ceil(fields.length / MOST_MINOR) }, (_, at) => ({
    line: fields.slice(at * MOST_MINOR, (at + 1) * MOST_MINOR).join(" · "),
  }));
}

/*
 * A request that has a shape: what the verb acts on, whole; its text or its change; and everything else in small print.
 * What the sentence above it says is not said again.
 */

const SIGNS: Readonly<Record<ActVerb, string>> = {
  run: "▶️",
  write: "✏️",
  create: "✏️",
  change: "✏️",
  delete: "🗑️",
  move: "📦",
  read: "📖",
  fetch: "🌐",
  search: "🔍",
  plan_mode: "🔀",
  use: "🔧",
};
/** Before the second thing, and before a text that does not stand right below what it is of. */
const ONTO = "→";
const BELOW = "▾";
const NOTHING = '`""`';

export function shapeParts({ shape: { verb }, bindings }: ShapedRequest): PagePart[] {
  const { object = "", where = "" } = ACTED_ON[verb];
  const parts = [
    ...thingParts(SIGNS[verb], bindings.get(object), verb === "run"),
    ...thingParts(ONTO, bindings.get(where), false),
  ];
  for (const body of bodiesOf(bindings, languageOf(bindings.get(where) ?? bindings.get(object)))) {
    const last = parts.at(-1);
    const isNamed = last !== undefined && "line" in last && !last.line.startsWith(BELOW);
    parts.push(...(isNamed || "line" in body ? [] : [{ line: BELOW }]), body);
  }
  const main = [object, where, "text", "old", "new"];
  return [...parts, ...smallParts([...bindings].filter(([name]) => !main.includes(name.replace(/#\d+$/, ""))))];
}

/** What a verb acts on; the bash of a command needs no sign. */
function thingParts(sign: string, thing: unknown, isCommand: boolean): PagePart[] {
  if (!isText(thing)) return [];
  if (thing === "") return [{ line: `${sign} ${NOTHING}` }];
  if (isCommand) return [code("bash", texts(thing))];
  return isPlain(thing) && !thing.includes("`") && !thing.startsWith('"')
    ? [{ line: `${sign} \`${thing}\`` }]
    : [{ line: sign }, code("", texts(thing))];
}

/** Its texts and its changes. */
function bodiesOf(bindings: Bindings, language: string): PagePart[] {
  const [text, old, fresh] = ["text", "old", "new"].map((name) => bindings.get(name));
  const places = numbered(bindings, "old#").map((name) => [
    bindings.get(name),
    bindings.get(name.replace("old", "new")),
  ]);
  return [
    ...[...places, [old, fresh]].flatMap(([before, after = ""]) =>
      !isText(before) || !isText(after)
        ? []
        : before + after === ""
          ? [{ line: `${BELOW} ${NOTHING}` }]
          : [code("diff", () => differing(before, after))],
    ),
    ...(isText(text) ? [text === "" ? { line: `${BELOW} ${NOTHING}` } : code(language, texts(text))] : []),
  ];
}

/** By their names: texts first, then what stands on one line as JSON. */
function smallParts(others: readonly [name: string, value: unknown][]): PagePart[] {
  const fields = others.map(([name, value]) => {
    const head = headOf([name.replace(/#\d+$/, "")]);
    return isText(value) ? textField(head, value, name === "diff" ? name : null) : jsonField(head, value);
  });
  const minor = fields.filter((parts, at) => parts.length === 1 && !isText(others[at]?.[1]));
  const lines = minor.flatMap(([part]) => (part !== undefined && "line" in part ? [part.line] : []));
  return [...fields.filter((parts) => !minor.includes(parts)).flat(), ...inLines(lines)].map((part) =>
    "line" in part ? { line: `-# ${part.line}` } : part,
  );
}

/*
 * The fields of a request as parts of a page: each under its name, a short text after it, a longer one as code, a
 * change as a change, anything else as JSON. Nothing is left out, and each can be read back to exactly what it shows.
 */

/** The longest text shown as ordinary text, in characters. */
const TEXT_CHARS = 200;
const JSON_CHARS = 80;
const NAME = /^\w{1,60}$/;

/** Fields that are always code, however short. */
const CODE: ReadonlySet<string> = new Set([
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
function headOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

export function fieldParts(
  input: Record<string, unknown>,
  within: string,
  language: (field: string) => string,
): PagePart[] {
  const names = Object.keys(input);
  return names.flatMap((name, at): PagePart[] => {
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
function oddField(name: string, value: unknown): PagePart[] {
  return [{ line: "`{…}`" }, code("json", texts(JSON.stringify({ [name]: value }, null, 2)))];
}

/** @param language of the code; null: a text that looks the same as ordinary text is not code */
function textField(head: string, value: string, language: string | null): PagePart[] {
  if (value === "") return jsonField(head, value);
  if (isPlain(value) && language === null) return [{ line: `${head}: ${withoutMarkdown(value)}` }];
  return [{ line: head }, code(language ?? "", texts(value))];
}

/** A text that looks the same within a line. */
function isPlain(text: string): boolean {
  return text.length <= TEXT_CHARS && text === shownLine(text) && text === text.trim() && !/ {2}|\n|\u2068/.test(text);
}

function jsonField(head: string, value: unknown): PagePart[] {
  const json = JSON.stringify(value);
  if (json.length <= JSON_CHARS && json === shownLine(json) && !json.includes("`"))
    return [{ line: `${head} = \`${json}\`` }];
  return [{ line: `${head} =` }, code("json", texts(JSON.stringify(value, null, 2)))];
}

function changeParts(before: string, after: string, old: string, fresh: string): PagePart[] {
  return [{ line: `${before} → ${after}` }, code("diff", () => differing(old, fresh))];
}

function* differing(old: string, fresh: string): Paused<Row> {
  const [before, after] = [yield* linesOf(old), yield* linesOf(fresh)];
  for (const { sign, line } of differingLines(before, after)) yield { sign: `${sign} `, line };
}

function* linesOf(text: string): Generator<null, string[]> {
  const lines: string[] = [];
  for (const line of visibleLines(text)) {
    if (line === null) yield null;
    else lines.push(line);
  }
  return lines;
}

/** The line end at the end of a text is drawn as a sign: Discord shows none there. */
export function texts(text: string): Rows {
  return function* rows() {
    const last: string[] = [];
    for (const line of visibleLines(text)) {
      if (line === null) yield null;
      else if (last.push(line) > 2) yield { sign: "", line: last.shift() ?? "" };
    }
    if (last.length > 1 && last[1] === "") last.splice(0, 2, `${last[0]}↵`);
    for (const line of last) yield { sign: "", line };
  };
}

export function code(language: string, rows: Rows): PagePart {
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
