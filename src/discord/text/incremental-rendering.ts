/**
 * Renders a growing text and reads each part once: decided text that fills whole messages is not read again, however
 * long the text becomes and however often it is shown. The result never depends on earlier calls.
 */
import { agentText, oneLineEnd, type Fence, type RenderedText } from "./agent-text.ts";
import type { Markdown } from "./markdown.ts";
import { BEGINNING, contentOf, MESSAGE_LIMIT, split, type Boundary, type TextWithTables } from "./split.ts";

/** Limit for a line that is still being written: what exceeds it is in a message that is not shown yet. */
const ENOUGH_OF_A_LINE = 4 * MESSAGE_LIMIT;
const NOTHING: TextWithTables = { text: "", tables: [] };

export class IncrementalRendering {
  readonly #markdown: Markdown;
  /** The source that was read for good, as it was written, and the fence that is open at its end. */
  #source = "";
  #fence: Fence | null = null;
  /** The messages it has filled, the text after them, and the context where that text begins. */
  #full: string[] = [];
  #rest = NOTHING;
  #start: Boundary = BEGINNING;

  constructor(markdown: Markdown) {
    this.#markdown = markdown;
  }

  /**
   * The text as messages, at most `most`. `decided`: the number of messages with text that is read the same whatever
   * is appended; all but the last of these are final.
   */
  read(written: string, most: number): { contents: string[]; decided: number } {
    const source = oneLineEnd(written);
    if (!source.startsWith(this.#source)) this.#forget();
    if (this.#full.length >= most) return { contents: this.#full.slice(0, most), decided: this.#full.length };
    const unread = source.slice(this.#source.length);
    const enough = unread.includes("\n") ? unread : unread.slice(0, ENOUGH_OF_A_LINE);
    const page = agentText(enough, this.#markdown, { fence: this.#fence });
    const shown = joined(this.#rest, page);
    const decided = this.#rest.text.length + page.decided;
    const messages = [...split(part(shown, 0, decided), this.#markdown, MESSAGE_LIMIT, this.#start)];
    const full = messages.slice(0, -1);
    const next = full.at(-1)?.next ?? this.#start;
    this.#source = source.slice(0, this.#source.length + page.resume.at);
    this.#fence = page.resume.fence;
    this.#full.push(...full.map(contentOf));
    this.#rest = part(shown, next.at, decided);
    this.#start = { ...next, at: 0 };
    const open = this.#open(part(shown, next.at, shown.text.length), most - this.#full.length);
    return {
      contents: [...this.#full.slice(0, most), ...open],
      decided: this.#full.length + Math.min(messages.length, 1),
    };
  }

  /** The messages after the full ones, at most `most`. */
  #open(text: TextWithTables, most: number): string[] {
    const contents: string[] = [];
    if (most <= 0) return contents;
    for (const message of split(text, this.#markdown, MESSAGE_LIMIT, this.#start)) {
      if (contents.push(contentOf(message)) >= most) break;
    }
    return contents;
  }

  #forget(): void {
    this.#source = "";
    this.#fence = null;
    this.#full = [];
    this.#rest = NOTHING;
    this.#start = BEGINNING;
  }
}

function joined(before: TextWithTables, after: TextWithTables): TextWithTables {
  const tables = after.tables.map((table) => moved(table, before.text.length));
  return { text: before.text + after.text, tables: [...before.tables, ...tables] };
}

function part({ text, tables }: TextWithTables, from: number, to: number): TextWithTables {
  const inside = tables.filter((table) => table.to > from && table.from < to);
  return { text: text.slice(from, to), tables: inside.map((table) => moved(table, -from)) };
}

function moved(table: RenderedText["tables"][number], by: number): RenderedText["tables"][number] {
  return { ...table, from: table.from + by, to: table.to + by };
}
