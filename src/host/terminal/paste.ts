/**
 * Text as the pastes of a terminal: each piece between the marks that a program asks for to tell what is pasted from
 * what is typed (bracketed paste, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). In pieces, because programs
 * put a long paste aside instead of showing it.
 */
import { graphemes } from "../../base/text.ts";

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";
const LONGEST_CHARACTER = 50;

/** The longest piece, in UTF-16 units and in lines. */
export interface PieceLimit {
  chars: number;
  lines: number;
  /** A piece ends where a match of it does; global. */
  end: RegExp;
}

/** @param text without control characters other than `\n` and `\t`, so that it cannot end a paste by itself */
export function asPastes(text: string, limit: PieceLimit): string {
  return pieces(text, limit)
    .map((piece) => `${BEGIN}${piece}${END}`)
    .join("");
}

function pieces(text: string, { chars, lines, end }: PieceLimit): string[] {
  const all: string[] = [];
  const ends = [...text.matchAll(end)].map(({ index, 0: { length } }) => index + length);
  for (let from = 0, next = 0; from < text.length;) {
    while ((ends[next] ?? text.length) <= from) next += 1;
    let to = Math.min(ends[next] ?? text.length, from + chars);
    const newline = nthNewline(text, { from, to, count: lines });
    if (newline !== -1) to = newline + 1;
    else if (to < text.length && to !== ends[next]) to = boundary(text, from, to);
    all.push(text.slice(from, to));
    from = to;
  }
  return all;
}

function nthNewline(text: string, { from, to, count }: { from: number; to: number; count: number }): number {
  let at = from - 1;
  for (let left = count; left > 0; left -= 1) {
    at = text.indexOf("\n", at + 1);
    if (at === -1 || at >= to) return -1;
  }
  return at;
}

/** Between words if there are any, else between characters that do not belong together. */
function boundary(text: string, from: number, to: number): number {
  const blank = text.lastIndexOf(" ", to - 1);
  if (blank > from) return blank + 1;
  const character = graphemes(text.slice(from, to + LONGEST_CHARACTER)).containing(to - from)?.index ?? 0;
  if (character > 0) return from + character;
  return /[\uD800-\uDBFF]/.test(text[to - 1] ?? "") && to - 1 > from ? to - 1 : to;
}
