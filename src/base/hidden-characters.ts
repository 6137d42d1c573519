/**
 * Makes hidden characters visible: a character that is invisible, or that makes others look different, is written as
 * `⟨U+202E RLO⟩`. Two different texts never look the same afterwards, and every mark can be read back to exactly what
 * it stands for. Which characters these are is told by their Unicode properties, so that those of later versions are
 * among them too.
 */
import { UNSEEN } from "./unseen.ts";

/** More line ends in a row than this are counted: they push what follows out of sight. */
const NEWLINES = 4;

// In this order: blanks that are invisible at the end, and backticks that would close the code block; runs of blanks
// that push the rest away; the one selector that only changes how an emoji looks; tabs; everything without a shape of
// its own, the characters of our own marks (also `┆` and `↵` of `pages.ts`), combining marks without a letter, stacked,
// or of another script than the letter's; and right-to-left letters.
const LOUD = new RegExp(
  [
    String.raw`(?<edge> +$|\x60{3,})`,
    String.raw`(?<run> {41,})`,
    String.raw`(?<plain>(?<=\p{Extended_Pictographic})\ufe0f)`,
    String.raw`(?<tab>\t)`,
    String.raw`(?<unseen>[${UNSEEN}\p{Me}⟨⇥┆↵]|(?<![\p{L}\p{N}\p{M}])\p{M}|(?<=\p{M}{3})\p{M}|(?<=[A-Za-z0-9])[\p{M}--[\p{Script=Inherited}\p{Script_Extensions=Latin}]])`,
    String.raw`(?<leftwards>[[\u{590}-\u{8ff}\u{fb1d}-\u{fdff}\u{fe70}-\u{fefc}\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]--[\p{Cf}\p{Cn}\p{Default_Ignorable_Code_Point}]]+)`,
  ].join("|"),
  "gv",
);

/** Most lines: nothing in them is marked, but for a run of blanks. */
const ORDINARY = /^(?:[ -_a-~]*[!-_a-~])?$/;
const RUN = " ".repeat(41);

/** Well-known names; other characters show only their number. */
const NAMES: Readonly<Record<number, string>> = {
  0x00: "NUL",
  0x07: "BEL",
  0x08: "BS",
  0x0a: "LF",
  0x0b: "VT",
  0x0c: "FF",
  0x0d: "CR",
  0x1b: "ESC",
  0x20: "SPACE",
  0x60: "BACKTICK",
  0x7f: "DEL",
  0xa0: "NBSP",
  0xad: "SHY",
  0x200b: "ZWSP",
  0x200c: "ZWNJ",
  0x200d: "ZWJ",
  0x200e: "LRM",
  0x200f: "RLM",
  0x202a: "LRE",
  0x202b: "RLE",
  0x202c: "PDF",
  0x202d: "LRO",
  0x202e: "RLO",
  0x2060: "WJ",
  0x2066: "LRI",
  0x2067: "RLI",
  0x2068: "FSI",
  0x2069: "PDI",
  0x3000: "WIDE SPACE",
  0xfeff: "BOM",
};

/** Work that makes one thing after the other, with a null wherever it may pause (see `base/slices.ts`). */
export type Paused<T> = Generator<T | null, void>;

/** The result of work that may pause, without a pause: for what is short. */
export function runToEnd<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** It may pause after so many characters, or so many marks of a piece that cannot be cut. */
const PAUSE_CHARS = 4_000;
const PAUSE_MARKS = 400;
/** Of a long line. */
const PIECE_CHARS = 2_000;
/** Begins with what hangs on, or runs on from, the character before. */
const LEANS = /^[\p{M}\ufe0f\udc00-\udfff `]/v;

/**
 * The text as lines that show all of it, with a null wherever the work may pause. A tab is drawn as `⇥`; right-to-left
 * letters are put between U+2068 and U+2069, so that they do not reorder the rest. `prose`: for text in which trailing
 * blanks, tabs and runs of backticks are rendered with their meaning, so they stay as they are.
 */
export function* visibleLines(text: string, prose = false): Paused<string> {
  let since = 0;
  for (let from = 0; ;) {
    const end = text.indexOf("\n", from);
    const line = yield* shown(end < 0 ? text.slice(from) : text.slice(from, end), prose);
    if (end < 0) return yield line;
    let next = end;
    while (text[next] === "\n") next += 1;
    const count = next - end;
    if (count > NEWLINES) yield `${line}${markOf(0x0a, count - 1)}`;
    else for (let more = 0; more < count; more += 1) yield more === 0 ? line : "";
    since += next - from;
    if (since > PAUSE_CHARS) [since] = [0, yield null];
    from = next;
  }
}

/** The same without a pause, for what is short. */
export function shownLines(text: string): string[] {
  return [...visibleLines(text)].filter((line) => line !== null);
}

/** The same on one line: a line end is marked too. */
export function shownLine(text: string): string {
  return text
    .split("\n")
    .map((line) => runToEnd(shown(line, false)))
    .join(markOf(0x0a, 1));
}

/** One line, without its end, piece by piece. */
function* shown(line: string, prose: boolean): Generator<null, string> {
  if (line.length <= PIECE_CHARS) return yield* shownPiece(line, prose);
  let whole = "";
  for (let from = 0; from < line.length; yield null) {
    const end = pieceEnd(line, from + PIECE_CHARS);
    whole += yield* shownPiece(line.slice(from, end), prose);
    from = end;
  }
  return whole;
}

function* shownPiece(piece: string, prose: boolean): Generator<null, string> {
  if (ORDINARY.test(piece) && !piece.includes(RUN)) return piece;
  const parts: string[] = [];
  // Where there are many, most are one and the same character.
  let [from, marks, last, mark] = [0, 0, "", ""];
  for (const found of piece.matchAll(LOUD)) {
    const { 0: character, groups = {} } = found;
    if (character !== last)
      [last, mark] = [groups["unseen"] === undefined ? "" : character, drawn(character, groups, prose)];
    parts.push(piece.slice(from, found.index), mark);
    from = found.index + found[0].length;
    marks += 1;
    if (marks % PAUSE_MARKS === 0) yield null;
  }
  return from === 0 ? piece : parts.join("") + piece.slice(from);
}

/** The first place from here on at which a line can be cut without a piece being shown differently from the line. */
function pieceEnd(line: string, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    const before = line[at - 1];
    if (before !== " " && before !== "`" && !LEANS.test(line.slice(at, at + 2))) return at;
  }
  return line.length;
}

function drawn(
  found: string,
  { edge, run, plain, tab, leftwards }: Record<string, string | undefined>,
  prose: boolean,
): string {
  if (plain !== undefined || (prose && (edge ?? tab) !== undefined)) return found;
  if (tab !== undefined) return "⇥";
  if (leftwards !== undefined) return `\u2068${found}\u2069`;
  return markOf(found.codePointAt(0) ?? 0, (run ?? edge) === undefined ? 1 : found.length);
}

function markOf(character: number, times: number): string {
  const name = NAMES[character];
  const number = character.toString(16).toUpperCase().padStart(4, "0");
  return `⟨U+${number}${name === undefined ? "" : ` ${name}`}${times === 1 ? "" : `×${times}`}⟩`;
}
