/**
 * A tool call as an agent of the Agent Client Protocol describes it, in an order for people: its kind, its title, the
 * command or the path, its changes, and then everything else. A text that the agent repeats is shown once, under all
 * its names.
 */
import {
  changeParts,
  CODE,
  headOf,
  isObject,
  isText,
  jsonField,
  languageOf,
  NAME,
  oddField,
  textField,
} from "./field-parts.ts";
import type { Part } from "./pages.ts";

interface Kind {
  sign: string;
  /** The fields that people look for first. */
  first: readonly string[];
}

const COMMANDS = ["command", "cmd", "script"];
const PATHS = ["path", "file_path", "filePath", "filepath", "abs_path", "absolute_path", "notebook_path"];

/** The protocol's kinds of tools. */
const KINDS: ReadonlyMap<unknown, Kind> = new Map([
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

export function callParts(call: Record<string, unknown>): Part[] {
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

function rankOf(leaf: Leaf, kind: Kind | undefined): number {
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

function partsOf({ names, value, after }: Leaf, language: string | null): Part[] {
  if (after !== undefined) return changeParts(headOf(names), headOf(after.names), String(value), after.text);
  return isText(value) ? textField(headOf(names), value, language) : jsonField(headOf(names), value);
}

function minorParts(leaves: readonly Leaf[]): Part[] {
  const fields = leaves.map(({ names, value }) => `${headOf(names)} = \`${JSON.stringify(value)}\``);
  return Array.from({ length: Math.ceil(fields.length / MOST_MINOR) }, (_, at) => ({
    line: fields.slice(at * MOST_MINOR, (at + 1) * MOST_MINOR).join(" · "),
  }));
}
