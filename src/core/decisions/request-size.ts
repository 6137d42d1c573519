/**
 * Whether a request can be shown to its owner at all. It is counted before anything is made of it, in one pass that
 * copies nothing: what is longer is refused, and its agent told so, because laying it out would hold everybody up, no
 * file of it would fit into Discord, and nobody would read it.
 */
import { groupDigits } from "../../base/text.ts";
import { charsToShow } from "../../base/unseen.ts";
import type { DecisionKind } from "./decision.ts";
import type { Excess } from "./voided.ts";
import { PAGE_CHARS } from "./pages.ts";
import { MOST_PAGES } from "./review-text.ts";

/**
 * Of all its texts. As pages they are a file that fits into every server's limit: `MOST_PAGES` of 3,000 characters are
 * less than 5 MB.
 */
export const MOST_BYTES = 1_000_000;
/** A value of its own takes a line. */
const MOST_VALUES = 3_000;
/** Counted at a time. */
const PIECE_CHARS = 20_000;

/** What the agent is told of one that cannot be shown. */
export function tooLong(kind: DecisionKind, { of, count, most }: Excess): string {
  const size = `${groupDigits(count)} ${of}; the limit is ${groupDigits(most)}`;
  if (kind === "question")
    return `Not asked: this is too long to show to the owner (${size}). Ask again in fewer words.`;
  const limit = `${groupDigits(MOST_BYTES)} bytes and ${MOST_PAGES} pages`;
  return `Not allowed: this request is too long to show to the owner (${size}), so nobody was asked. Split it into several smaller ones, or write a smaller file: each must fit into ${limit}, on which a character that nobody can see takes the room of ten.`;
}

/** Null if it can be shown, as far as can be told without laying it out. Plain JSON. It may pause at each yield. */
export function* excessIn(request: unknown): Generator<null, Excess | null> {
  let [values, bytes, longest] = [0, 0, 0];
  const waiting: unknown[] = [request];
  const take = function* (text: string): Generator<null, void> {
    // Of a longer one not even the bytes are counted.
    if (bytes + text.length > MOST_BYTES) return void (bytes += text.length);
    let shown = 0;
    for (let from = 0; from < text.length; from += PIECE_CHARS) {
      const piece = text.slice(from, from + PIECE_CHARS);
      [bytes, shown] = [bytes + bytesOfText(piece), shown + charsToShow(piece)];
      yield null;
    }
    longest = Math.max(longest, shown);
  };
  while (waiting.length > 0) {
    const value = waiting.pop();
    values += 1;
    if (typeof value === "string") yield* take(value);
    else if (typeof value === "object" && value !== null) {
      const inside = Object.values(value);
      if (values + waiting.length + inside.length > MOST_VALUES)
        return { of: "values", count: values + waiting.length + inside.length, most: MOST_VALUES };
      if (!Array.isArray(value)) for (const name of Object.keys(value)) yield* take(name);
      waiting.push(...inside);
    }
  }
  if (bytes > MOST_BYTES) return { of: "bytes", count: bytes, most: MOST_BYTES };
  // Texts may repeat each other and are shown once then; so one alone is counted.
  return tooManyPages(Math.ceil(longest / PAGE_CHARS));
}

/** What a request has in excess that takes at least so many pages; null: nothing. */
export function tooManyPages(pages: number): Excess | null {
  return pages > MOST_PAGES ? { of: "pages", count: pages, most: MOST_PAGES } : null;
}

/** In UTF-8. A lone surrogate is replaced by a character of three. */
function bytesOfText(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // Each half of a pair counts as two of its four.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
