/**
 * Makes an agent's Markdown safe to show. What is code for us is code for Discord too, so nothing can hide in a
 * difference; tables, which Discord does not support, become columns or lists; every other line is `prose`. Decided
 * text never changes again: what is shown while an answer grows is the same at its end.
 */
import { withoutControls } from "../../base/text.ts";
import type { LaidTable, Markdown } from "./markdown.ts";
import { GAP, inCode, prose } from "./prose.ts";

/** A fence of three backticks, the longest run that Discord recognises. */
export const FENCE = "```";
const OPENER = /^( {0,3}> )?[ \t]*([-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,}(?!~))([^`]*)$/;
const CLOSER = /^(?: {0,3}> )?[ \t]*(`{3,}|~{3,})[ \t]*$/;
/** A quoted line as Discord reads it: without the space it is not a quote. */
const QUOTED = /^ {0,3}> /;
/** Nested quotes: Discord draws only one level. */
const DEEPER = /^ {0,3}>(?: {0,3}>)+ ?/;
const TARGET = /^(?: {0,3}> )?\s*(?=<?[a-z][a-z0-9+.-]*:)/i;
/** The second line of a table, in a quote or not. */
const RULE = /^[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
const LIST_MARKER = /^(?: {0,3}> )?[ \t]*([-*+]|\d{1,9}[.)])[ \t]/;
/** Larger tables are left to the file, and rows with more cells fit no screen: both stay as they were written. */
const TABLE_CHARS = 20_000;
const ROW_BARS = 64;

/** Rows of a table in the shown text, and the lines that are repeated above them in every further message. */
export interface TableSpan {
  from: number;
  to: number;
  head: string;
}

export interface Shown {
  text: string;
  /** In order. */
  tables: TableSpan[];
  /** This many characters of the text are final, whatever is appended. */
  decided: number;
  /**
   * Where the source of the undecided rest begins, each line end counted as one character, and the fence open there.
   */
  resume: { at: number; fence: Fence | null };
}

export interface Reading {
  /**
   * Tables in this range are not laid out: after the first `from` characters as shown, and before character `to` of
   * the source.
   */
  unseen?: { from: number; to: number };
  /** The fence that is open where the text begins. */
  fence?: Fence | null;
}

/** The text as Discord is to show it. */
export function agentText(text: string, markdown: Markdown, reading: Reading = {}): Shown {
  return new Page(oneLineEnd(text).split("\n"), markdown, reading).read();
}

/** The text with every line end as one character, as they are counted. */
export function oneLineEnd(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** An open fence as the agent opened it. */
export interface Fence {
  mark: string;
  length: number;
  quote: string;
  /** Depth of quotes. */
  depth: number;
  /** Nothing in it yet. Discord would not see the end of an empty one, and would read the prose below as its code. */
  empty: boolean;
  /** The previous line ended inside what could be a link. */
  dangling: boolean;
}

class Page {
  readonly #lines: readonly string[];
  readonly #markdown: Markdown;
  readonly #unseen: Reading["unseen"];
  readonly #shown: string[] = [];
  readonly #tables: TableSpan[] = [];
  #fence: Fence | null;
  /** Lines that were searched for the end of a table, and how many characters precede each of them. */
  #looked: { from: number; end: number; before: number[]; lastWide: number } | null = null;
  /** Characters read and shown so far. */
  #read = 0;
  #length = 0;
  #decided = 0;
  #resume: Shown["resume"];

  constructor(lines: readonly string[], markdown: Markdown, { unseen, fence = null }: Reading) {
    this.#lines = lines;
    this.#markdown = markdown;
    this.#unseen = unseen;
    this.#fence = fence && { ...fence };
    this.#resume = { at: 0, fence };
  }

  read(): Shown {
    const last = this.#lines.length - 1;
    for (let at = 0; at <= last;) {
      const table = this.#fence === null ? this.#tableAt(at) : null;
      const next = at + (table?.lines ?? 1);
      if (table !== null) this.#showTable(table, at);
      // What follows the last line end is not a line yet.
      else if (at < last || this.#lines[at] !== "") this.#showLine(at);
      else this.#show("");
      for (; at < next; at += 1) this.#read += (this.#lines[at]?.length ?? 0) + 1;
      if (next < last || (next === last && !this.#isOpen(table, last))) this.#decide();
    }
    return { text: this.#shown.join("\n"), tables: this.#tables, decided: this.#decided, resume: this.#resume };
  }

  #decide(): void {
    this.#decided = this.#length;
    this.#resume = { at: this.#read, fence: this.#fence && { ...this.#fence } };
  }

  /**
   * Whether the text up to the last line end may still turn out to be something else: a table may continue or begin.
   */
  #isOpen(table: LaidTable | null, last: number): boolean {
    return table !== null || (this.#fence === null && (this.#lines[last - 1] ?? "").includes("|"));
  }

  #showLine(at: number): void {
    const written = withoutControls(this.#lines[at] ?? "");
    if (this.#fence && !isIn(this.#fence, written)) this.#endFence(this.#fence);
    const fence = this.#fence;
    const line = shallow(written, fence?.depth);
    if (fence === null) {
      const opener = OPENER.exec(line);
      if (opener === null) return this.#show(prose(line));
      this.#fence = opened(opener, (/^(?: {0,3}>)*/.exec(written)?.[0].match(/>/g) ?? []).length);
      this.#show(...opening(opener));
    } else if (closes(line, fence)) {
      this.#endFence(fence);
    } else {
      fence.empty &&= line.replace(QUOTED, "") === "";
      this.#show(fence.dangling && TARGET.test(line) ? inCode(line).replace(TARGET, `$&${GAP}`) : inCode(line));
      fence.dangling = /\]\(\s*$/.test(line) || (fence.dangling && line.replace(QUOTED, "").trim() === "");
    }
  }

  #endFence({ empty, quote }: Fence): void {
    this.#fence = null;
    if (empty) this.#show(quote + GAP);
    this.#show(quote + FENCE);
  }

  /** The table that begins at this line. */
  #tableAt(at: number): LaidTable | null {
    const header = shallow(this.#lines[at] ?? "");
    if (!header.includes("|") || !RULE.test(this.#lines[at + 1] ?? "") || OPENER.test(header)) return null;
    if (this.#unseen && this.#length > this.#unseen.from && this.#read < this.#unseen.to) return null;
    const end = this.#tableEnd(at + 2);
    if (end === null || isWide(header)) return null;
    return this.#markdown.table(
      this.#lines
        .slice(at, end)
        .map((line) => shallow(withoutControls(line)))
        .join("\n"),
    );
  }

  /** Where a table ends whose rows begin at this line; null if it is too large. Each line is read once. */
  #tableEnd(from: number): number | null {
    if (this.#looked === null || from < this.#looked.from || from > this.#looked.end) {
      const looked = { from, end: from, before: [0], lastWide: -1 };
      for (; looked.end < this.#lines.length; looked.end += 1) {
        const line = this.#lines[looked.end] ?? "";
        if (/^[\s>]*$/.test(line) || OPENER.test(shallow(line))) break;
        if (isWide(line)) looked.lastWide = looked.end;
        looked.before.push((looked.before.at(-1) ?? 0) + line.length);
      }
      this.#looked = looked;
    }
    const { from: first, end, before, lastWide } = this.#looked;
    const size = (before[end - first] ?? 0) - (before[from - first] ?? 0);
    return size > TABLE_CHARS || lastWide >= from ? null : end;
  }

  #showTable({ columns, head, body }: LaidTable, at: number): void {
    const line = shallow(this.#lines[at] ?? "");
    const quote = QUOTED.test(line) ? "> " : "";
    const marker = LIST_MARKER.exec(line)?.[1];
    if (marker !== undefined) this.#show(quote + marker);
    if (!columns) return this.#show(...[...head, ...body].map((one) => quote + prose(one)));
    const above = head.map((one) => quote + inCode(one));
    this.#show(quote + FENCE, ...above);
    const from = this.#length;
    this.#show(...body.map((one) => quote + inCode(one)));
    this.#tables.push({ from, to: this.#length, head: above.map((one) => `${one}\n`).join("") });
    this.#show(quote + FENCE);
  }

  #show(...lines: string[]): void {
    for (const line of lines) {
      this.#shown.push(line);
      this.#length += line.length + 1;
    }
  }
}

function isWide(line: string): boolean {
  let bars = 0;
  for (let at = line.indexOf("|"); at >= 0 && bars <= ROW_BARS; at = line.indexOf("|", at + 1)) bars += 1;
  return bars > ROW_BARS;
}

/** The line with nested quotes reduced to one. `depth`: of the fence it is in; what follows those quotes is code. */
function shallow(line: string, depth?: number): string {
  if (!/^ {0,3}>/.test(line) || depth === 0 || depth === 1) return line;
  return line.replace(depth === undefined ? DEEPER : levels(depth), "> ");
}

function levels(depth: number): RegExp {
  return new RegExp(`^(?: {0,3}>){${depth}} ?`);
}

function isIn({ depth }: Fence, line: string): boolean {
  return depth === 0 || (depth === 1 ? QUOTED : levels(depth)).test(line);
}

function opened([, quote, , run = FENCE]: RegExpExecArray, depth: number): Fence {
  return { mark: run.charAt(0), length: run.length, quote: quote ? "> " : "", depth, empty: true, dangling: false };
}

/**
 * Fences begin at the start of a line. Inside a list item Discord ends a fence where the indentation ends, whatever
 * the agent meant, so a list marker gets a line of its own.
 */
function opening([, quote, marker, , info = ""]: RegExpExecArray): string[] {
  const prefix = quote ? "> " : "";
  const fence = `${prefix}${FENCE}${language(info)}`;
  return marker ? [prefix + marker.trimEnd(), fence] : [fence];
}

function closes(line: string, fence: Fence): boolean {
  const run = CLOSER.exec(line)?.[1];
  return run !== undefined && run.startsWith(fence.mark) && run.length >= fence.length;
}

/** Discord accepts one word as a language; more would become the first line of the code. */
function language(info: string): string {
  return /^[A-Za-z0-9_+\-.#]{1,40}(?=\s|$)/.exec(info.trim())?.[0] ?? "";
}
