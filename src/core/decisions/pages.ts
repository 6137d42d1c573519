/**
 * Lays out lines, code blocks and prose as pages of Discord's Markdown: each within its length, each block closed on
 * its page and reopened on the next, and no character or mark cut. What is too long for a page continues after a `┆`.
 */
import { longestBeginning } from "../../base/text.ts";
import type { Paused } from "../../base/hidden-characters.ts";

/** One page: the agent's own Markdown, if any, and below it ours. */
export interface Page {
  prose: string;
  text: string;
}

/** One row of a code block; the sign precedes it, and each piece of it if it is cut. */
export interface Row {
  sign: string;
  line: string;
}

/** Made while they are laid out, each time anew. */
export type Rows = () => Paused<Row>;

/** The lines of prose are made in the same way. */
export type PagePart = { line: string } | { language: string; rows: Rows } | { prose: () => Paused<string> };

/** Characters per page: it fits in an embed with what is around it. */
export const PAGE_CHARS = 3000;
const FENCE = "```";
/** Less room than this at the end of a page is left empty instead of beginning a long row there. */
const WORTH_CUTTING = 400;

/** Puts what both show on one page if it fits. */
export function joinedPages(prose: readonly Page[], others: readonly Page[]): Page[] {
  const [last, first] = [prose.at(-1), others[0]];
  if (!last || !first || others.length > 1 || last.prose.length + first.text.length >= PAGE_CHARS)
    return [...prose, ...others];
  return [...prose.slice(0, -1), { prose: last.prose, text: first.text }];
}

/** How long a page is, and how many there are at most. */
interface PageLimits {
  chars?: number;
  pages?: number;
}

/** It may pause after so many rows. */
const PAUSE_ROWS = 200;

/** At least one page, or null if there are too many. The parts are either all prose or all ours. */
export function* splitIntoPages(
  parts: readonly PagePart[],
  { chars = PAGE_CHARS, pages: most = Number.POSITIVE_INFINITY }: PageLimits = {},
): Generator<void, Page[] | null> {
  const pages = new Pages(chars);
  let rows = 0;
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1];
    if ("line" in part) pages.line(part.line, next !== undefined && "rows" in next ? yield* firstOf(next.rows) : null);
    else {
      const language = "rows" in part ? part.language : null;
      if (language !== null) pages.beginBlock(language);
      for (const row of "rows" in part ? part.rows() : part.prose()) {
        if (row !== null) yield* pages.row(typeof row === "string" ? { sign: "", line: row } : row, language);
        rows += 1;
        if (row === null || rows % PAUSE_ROWS === 0) yield;
        if (pages.count > most) return null;
      }
      if (language !== null) pages.endBlock();
    }
    if (pages.count > most) return null;
  }
  return pages.done(parts.some((part) => "prose" in part));
}

function* firstOf(rows: Rows): Generator<void, Row | null> {
  for (const row of rows()) {
    if (row !== null) return row;
    yield;
  }
  return null;
}

class Pages {
  readonly #most: number;
  /** Those before this one. */
  readonly #pages: string[] = [];
  #page: string[] = [];
  #length = 0;
  /** The open block, and how many of its rows are on this page. */
  #open: { rows: number } | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#pages.length + 1;
  }

  /**
   * A line of ours; it is on the same page as the beginning of the block it names. @param first the block's first row
   */
  line(line: string, first: Row | null): void {
    const below = first === null ? 0 : Math.min(WORTH_CUTTING, first.line.length) + 40;
    if (this.#length > 0 && this.#length + line.length + 1 + below > this.#most) this.#turn();
    this.#put(line);
  }

  /** @param language of the block the row belongs to; null: of none */
  *row({ sign, line }: Row, language: string | null): Generator<void, void> {
    let [left, goesOn] = [line, false];
    for (;;) {
      const mark = goesOn ? `${sign}┆` : sign;
      const room = this.#room() - mark.length;
      if (left.length <= room) return this.#row(`${mark}${left}`);
      if (
        this.#isFresh() ||
        (room >= WORTH_CUTTING && (this.#open?.rows === 0 || left.length > this.#most - WORTH_CUTTING))
      ) {
        const rowEnd = fitting(left, room);
        this.#row(`${mark}${left.slice(0, rowEnd)}`);
        [left, goesOn] = [left.slice(rowEnd), true];
      }
      this.#turn();
      if (language !== null) this.beginBlock(language);
      yield;
    }
  }

  done(prose: boolean): Page[] {
    return [...this.#pages, this.#page.join("\n")].map((text) =>
      prose ? { prose: text, text: "" } : { prose: "", text },
    );
  }

  #room(): number {
    return this.#most - this.#length - (this.#open === null ? 0 : FENCE.length + 1) - 1;
  }

  /** The page holds nothing but the beginning of a block. */
  #isFresh(): boolean {
    return this.#open === null ? this.#length === 0 : this.#open.rows === 0 && this.#page.length === 1;
  }

  beginBlock(language: string): void {
    if (this.#length + FENCE.length * 2 + language.length + 20 > this.#most) this.#turn();
    this.#put(`${FENCE}${language}`);
    this.#open = { rows: 0 };
  }

  /** Discord does not show an empty row at the edge of a block: it is drawn as a sign. */
  #row(text: string): void {
    if (this.#open !== null) this.#open.rows += 1;
    this.#put(text === "" && this.#open?.rows === 1 ? "↵" : text);
  }

  endBlock(): void {
    if (this.#open !== null && this.#open.rows > 0 && this.#page.at(-1) === "") this.#page[this.#page.length - 1] = "↵";
    this.#open = null;
    this.#put(FENCE);
  }

  /** Starts the next page. A block without rows does not begin on this one. */
  #turn(): void {
    if (this.#open !== null && this.#open.rows > 0) this.endBlock();
    else if (this.#open !== null) this.#page.pop();
    this.#open = null;
    if (this.#page.length > 0) this.#pages.push(this.#page.join("\n"));
    [this.#page, this.#length] = [[], 0];
  }

  #put(line: string): void {
    this.#page.push(line);
    this.#length += line.length + 1;
  }
}

/** How many characters of the line fit without cutting a mark or what people see as one character. At least one. */
function fitting(line: string, most: number): number {
  const end = Math.max(1, most);
  const mark = line.lastIndexOf("⟨", end - 1);
  if (mark > 0 && mark > line.lastIndexOf("⟩", end - 1)) return mark;
  const isBetween = line[end - 1] === "⟩" || (isPlain(line, end - 1) && isPlain(line, end));
  const whole = isBetween ? end : longestBeginning(line, end).length || end;
  // Between two words, if that is near; the blank goes to the second part, where it is visible.
  const blank = line.lastIndexOf(" ", whole - 1);
  return blank > whole - 20 && blank > 0 && line[blank - 1] !== " " && blank > line.lastIndexOf("⟩", whole - 1)
    ? blank
    : whole;
}

/** Between two of these there is always a boundary. */
function isPlain(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x20 && unit < 0x7f;
}
