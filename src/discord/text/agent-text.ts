/**
 * Makes an agent's Markdown safe to show. What is code for us is code for Discord too, so nothing can hide in a
 * difference; tables, which Discord does not support, become columns or lists; every other line is `prose`. Decided
 * text never changes again: what is shown while an answer grows is the same at its end.
 */
import { withoutControls } from "../../base/text.ts";
import type { LaidTable, Markdown } from "./markdown.ts";

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

export interface RenderedText {
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

export interface AgentTextOptions {
  /**
   * Tables in this range are not laid out: after the first `from` characters as shown, and before character `to` of
   * the source.
   */
  unseen?: { from: number; to: number };
  /** The fence that is open where the text begins. */
  fence?: Fence | null;
}

/** The text as Discord is to show it. */
export function agentText(text: string, markdown: Markdown, reading: AgentTextOptions = {}): RenderedText {
  return new TextRenderer(oneLineEnd(text).split("\n"), markdown, reading).read();
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

class TextRenderer {
  readonly #lines: readonly string[];
  readonly #markdown: Markdown;
  readonly #unseen: AgentTextOptions["unseen"];
  readonly #shown: string[] = [];
  readonly #tables: TableSpan[] = [];
  #fence: Fence | null;
  /** Lines that were searched for the end of a table, and how many characters precede each of them. */
  #looked: { from: number; end: number; before: number[]; lastWide: number } | null = null;
  /** Characters read and shown so far. */
  #read = 0;
  #length = 0;
  #decided = 0;
  #resume: RenderedText["resume"];

  constructor(lines: readonly string[], markdown: Markdown, { unseen, fence = null }: AgentTextOptions) {
    this.#lines = lines;
    this.#markdown = markdown;
    this.#unseen = unseen;
    this.#fence = fence && { ...fence };
    this.#resume = { at: 0, fence };
  }

  read(): RenderedText {
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

/*
 * Makes one line of an agent's text harmless: links show where they lead, nobody is pinged, nothing looks like our
 * small print. Code stays code. Each line is read alone, so what is shown of a text never depends on what comes below
 * it.
 */

/** Invisible, and enough to separate two characters. */
export const GAP = "\u200B";
/**
 * Chinese, Japanese and Korean sentences continue after an address without a space; no address has their punctuation.
 */
const URL = /https?:\/\/[^\s<>`\u3000-\u303F\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65]{1,2000}/y;
const PLAIN = /(?:[^\\`\]<@\-h|]|h(?!ttps?:)|\|(?!\|))+/y;
const MASKED = /\](?=\(\s*<?[a-z][a-z0-9+.-]*:)/gi;
/** Discord draws headings of three sizes; of a smaller one it shows the number signs. */
const SMALL_HEADING = /^((?: {0,3}> )?)#{4,6}(?= +\S)/;
/** Discord draws no horizontal rules and no task boxes either. */
const ACROSS = /^((?: {0,3}> )?) {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const TASK = /^((?: {0,3}> )?[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[([ xX])\](?=[ \t])/;

/** One line outside code: its code spans unchanged, everything else without meaning to Discord except emphasis. */
export function prose(source: string): string {
  const line = source
    .replace(SMALL_HEADING, "$1###")
    .replace(ACROSS, `$1${"─".repeat(12)}`)
    .replace(TASK, (_, before: string, mark: string) => before + (mark === " " ? "☐" : "☑"));
  const shown: string[] = [];
  for (let at = 0; at < line.length;) {
    const part =
      plain(line, at) ?? escaped(line, at) ?? backticks(line, at) ?? link(line, at, shown.at(-1)) ?? marker(line, at);
    shown.push(part.shown);
    at += part.length;
  }
  return shown.join("");
}

/**
 * A line of code, unchanged except for two things that would matter if Discord took it for prose, as it does when
 * emphasis that began before the code ends inside it: a run of backticks that would end it, and a link that hides
 * where it leads.
 */
export function inCode(line: string): string {
  return line.replace(/`{3,}/g, (run) => run.split("").join(GAP)).replace(MASKED, `]${GAP}`);
}

interface InlinePart {
  shown: string;
  length: number;
}

/** The longest run without special characters, at once. */
function plain(line: string, at: number): InlinePart | null {
  PLAIN.lastIndex = at;
  const run = PLAIN.exec(line)?.[0];
  return run === undefined ? null : { shown: run, length: run.length };
}

/** What the agent has escaped stays escaped. */
function escaped(line: string, at: number): InlinePart | null {
  if (line[at] !== "\\" || !/[!-/:-@[-`{-~]/.test(line[at + 1] ?? "")) return null;
  // A backslash alone does not neutralise these two.
  const guard = line.startsWith("](", at + 1) ? "\\" : line[at + 1] === "@" ? GAP : "";
  return { shown: line.slice(at, at + 2) + guard, length: 2 };
}

/** A span closed on the same line is code; any other run of backticks could pair with one further down. */
function backticks(line: string, at: number): InlinePart | null {
  if (line[at] !== "`") return null;
  const run = /^`+/.exec(line.slice(at, at + 100))?.[0].length ?? 1;
  const end = run > 3 ? -1 : spanEnd(line, at + run, run);
  if (end < 0) return { shown: "\\`".repeat(run), length: run };
  const inside = line.slice(at + run, end - run).replace(MASKED, `]${GAP}`);
  const mark = "`".repeat(run);
  return { shown: mark + inside + mark, length: end - at };
}

/** Where the span that opened before `from` ends, after its closing run; -1 if it does not end. */
function spanEnd(line: string, from: number, run: number): number {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let next = runs.exec(line); next; next = runs.exec(line)) {
    if (next[0].length === run) return next.index + run;
    // Discord would close a span of three at any run of three or more.
    if (run === 3 && next[0].length > 3) return -1;
  }
  return -1;
}

/** Puts an address in angle brackets: it stays visible and is not fetched for a preview. */
function link(line: string, at: number, before: string | undefined): InlinePart | null {
  if (line[at] !== "h") return null;
  URL.lastIndex = at;
  const written = URL.exec(line)?.[0].split("](", 1)[0];
  if (written === undefined) return null;
  const address = trimmed(written);
  // Discord would read on past our next backslash.
  if (address === "") return { shown: `h${GAP}`, length: 1 };
  if (before === "<" && line[at + address.length] === ">") return { shown: address, length: address.length };
  // A backslash before the address would now escape our bracket.
  return { shown: `${before === "\\" ? "\\" : ""}<${address}>`, length: address.length };
}

/** Without the punctuation of the sentence around it, and without what follows a bracket that closes it. */
function trimmed(written: string): string {
  const address = written.slice(0, closedAt(written));
  let end = address.length;
  while (end > 0 && ".,:;!?\"'*_~|]\\".includes(address[end - 1] ?? "")) end -= 1;
  return end <= "https://".length ? "" : address.slice(0, end);
}

/** Where a bracket closes that was opened before the address; the address's length if there is none. */
function closedAt(address: string): number {
  let open = 0;
  for (let at = 0; at < address.length; at += 1) {
    if (address[at] === "(") open += 1;
    else if (address[at] === ")" && (open -= 1) < 0) return at;
  }
  return address.length;
}

/** One backslash, which Discord does not draw, neutralises mentions, masked links, spoilers and small print. */
function marker(line: string, at: number): InlinePart {
  const here = line[at] ?? "";
  const next = line[at + 1] ?? "";
  if (here === "]" && next === "(") return { shown: "]\\(", length: 2 };
  if (here === "<" && /[@#:/a-z]/i.test(next) && !/^<https?:/.test(line.slice(at, at + 8))) {
    return { shown: "\\<", length: 1 };
  }
  if (here === "|" && next === "|") return { shown: "\\|\\|", length: 2 };
  if (here === "-" && next === "#") return { shown: "\\-", length: 1 };
  if (here === "@" && /^@(?:everyone|here)/.test(line.slice(at, at + 9))) return { shown: `@${GAP}`, length: 1 };
  return { shown: here, length: 1 };
}
