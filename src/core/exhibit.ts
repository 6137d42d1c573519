/**
 * What the owner is shown of a tool's input or a plan before he settles it: all of it, in an order for people, and
 * nothing that hides. What is shown can be read back to the exact bytes that are kept, digested and executed; so a
 * yes means these bytes and no others.
 */
import { beginning } from "../base/text.ts";
import { shownLine, shownLines } from "./hidden.ts";
import { lineDifference } from "./line-difference.ts";

export type Shown = { tool: string; input: Record<string, unknown> } | { plan: string };

/** Characters of a page: with its frame it has room in an embed. */
const PAGE_CHARS = 3000;
/**
 * Columns of a row, as many as Discord has room for: what it would break itself would go on at the edge, without a
 * gutter, and could pass for the name of the next field.
 */
const ROW_COLUMNS = 56;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** What stands before a row: a text, JSON, a line of a change; `┆` in place of the blank: the row before goes on. */
type Row = { gutter: "│" | "+" | "-" | " "; line: string } | { gutter: ""; line: string };

/** What people look for first, of the tools that are known; the rest follows as the agent sent it. */
const FIRST: ReadonlyMap<string, readonly string[]> = new Map([
  ["Bash", ["command"]],
  ["Edit", ["file_path", "old_string", "new_string"]],
  ["MultiEdit", ["file_path", "edits"]],
  ["NotebookEdit", ["notebook_path", "new_source"]],
  ["Write", ["file_path", "content"]],
]);

/** The exact JSON text that is kept, digested and executed. */
export function bytesOf(subject: Shown): string {
  if ("plan" in subject) return JSON.stringify({ plan: subject.plan });
  const { tool, input } = subject;
  const first = (FIRST.get(tool) ?? []).filter((name) => Object.hasOwn(input, name));
  const ordered = [...first, ...Object.keys(input).filter((name) => !first.includes(name))];
  return JSON.stringify({ tool, input: Object.fromEntries(ordered.map((name) => [name, input[name]])) });
}

/**
 * All of what the bytes say, as pages of plain text for a frame of code, a plan's as its Markdown; at least one. Never throws: what is no input
 * of a tool and no plan is shown as it stands.
 */
export function exhibit(bytes: string): { pages: string[] } {
  const subject = read(bytes);
  if (subject === null) return { pages: paged(texts(bytes), ROW_COLUMNS) };
  if ("plan" in subject) return { pages: paged(shownLines(subject.plan, true).map((line) => ({ gutter: "", line })), PAGE_CHARS) };
  const { tool, input } = subject;
  return { pages: paged([{ gutter: "", line: `● ${shownLine(tool)}` }, ...fields(input, "")], ROW_COLUMNS) };
}

function read(bytes: string): Shown | null {
  try {
    const value: unknown = JSON.parse(bytes);
    if (!isObject(value)) return null;
    const names = Object.keys(value).join();
    if (names === "plan" && typeof value.plan === "string") return { plan: value.plan };
    if (names === "tool,input" && typeof value.tool === "string" && isObject(value.input)) return { tool: value.tool, input: value.input };
  } catch {
    // Shown as it stands.
  }
  return null;
}

/** Each field under its name: a text as its lines, a change as one, anything else as JSON. */
function fields(input: Record<string, unknown>, within: string): Row[] {
  const names = Object.keys(input);
  return names.flatMap((name, at): Row[] => {
    const value = input[name];
    const [path, next] = [within + named(name), names[at + 1] ?? ""];
    if (name === "old_string" && next === "new_string" && isText(value) && isText(input[next])) return change(path, within + next, value, input[next]);
    if (name === "new_string" && names[at - 1] === "old_string" && isText(value) && isText(input.old_string)) return [];
    if (isText(value)) return [head(path), ...texts(value)];
    if (isEdits(value)) return value.flatMap((edit, place) => fields(edit, `${path}[${place}].`));
    return [head(`${path} =`), ...texts(JSON.stringify(value, null, 2))];
  });
}

function change(before: string, after: string, old: string, fresh: string): Row[] {
  const lines = lineDifference(shownLines(old), shownLines(fresh));
  return [head(`${before} → ${after}`), ...lines.map(({ sign, line }): Row => ({ gutter: sign, line }))];
}

/** A name that is no plain word is written as JSON, so that it cannot pass for something else. */
function named(name: string): string {
  return /^\w+$/.test(name) ? name : shownLine(JSON.stringify(name));
}

function head(line: string): Row {
  return { gutter: "", line };
}

function texts(text: string): Row[] {
  return shownLines(text).map((line) => ({ gutter: "│", line }));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Changes that belong together. Others are JSON, among them none at all, which would not be seen. */
function isEdits(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && isText(one.old_string) && isText(one.new_string));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function paged(rows: readonly Row[], columns: number): string[] {
  const pages: string[] = [];
  let page: string[] = [];
  let length = 0;
  for (const row of rows.flatMap((one) => pieces(one, columns))) {
    if (length > 0 && length + row.length + 1 > PAGE_CHARS) {
      pages.push(page.join("\n"));
      [page, length] = [[], 0];
    }
    page.push(row);
    length += row.length + 1;
  }
  return [...pages, page.join("\n")];
}

/** A row as text; one that is too wide goes on in further ones, cut where no character and no mark is broken. */
function pieces({ gutter, line }: Row, columns: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < line.length || found.length === 0; ) {
    const piece = line.slice(at, at + fitting(line.slice(at, at + columns), columns - 3, line.length - at));
    found.push(`${gutter}${found.length > 0 ? "┆" : gutter === "" ? "" : " "}${piece}`);
    at += piece.length;
  }
  return found;
}

/** How many characters of the line fit into so many columns; `left`: as many as there are. At least one. */
function fitting(line: string, columns: number, left: number): number {
  let [width, end] = [0, 0];
  for (const character of line) {
    width += WIDE.test(character) ? 2 : 1;
    if (width > columns || end + character.length > columns) break;
    end += character.length;
  }
  if (end >= left) return left;
  const mark = line.lastIndexOf("⟨", end - 1);
  if (mark > 0 && mark > line.lastIndexOf("⟩", end - 1)) return mark;
  const isBetween = line[end - 1] === "⟩" || (isPlain(line, end - 1) && isPlain(line, end));
  const whole = isBetween ? end : beginning(line, end).length || end;
  // Between two words, if that is near; the blank goes with the second, where it is seen.
  const blank = line.lastIndexOf(" ", whole - 1);
  return blank > whole - 20 && blank > 0 && line[blank - 1] !== " " && blank > line.lastIndexOf("⟩", whole - 1) ? blank : whole;
}

/** Between two of these there is always a boundary. */
function isPlain(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x20 && unit < 0x7f;
}
