/**
 * Makes hidden characters visible: a character that is invisible, or that makes others look different, is written as
 * `⟨U+202E RLO⟩`. Two different texts never look the same afterwards, and every mark can be read back to exactly what
 * it stands for.
 */

/** More line ends in a row than this are counted: they push what follows out of sight. */
const NEWLINES = 4;

// In this order: blanks that are invisible at the end, and backticks that would close the code block; runs of blanks
// that push the rest away; the one selector that only changes how an emoji looks; tabs; everything without a shape of
// its own (controls, directions, joiners, tags, fillers, blanks other than a space, unassigned characters), the
// characters of our own marks (also `┆` and `↵` of `pages.ts`), and combining marks without a letter or stacked; and
// right-to-left letters.
const LOUD = new RegExp(
  [
    String.raw`(?<edge> +$|\x60{3,})`,
    String.raw`(?<run> {41,})`,
    String.raw`(?<plain>(?<=\p{Extended_Pictographic})\ufe0f)`,
    String.raw`(?<tab>\t)`,
    String.raw`(?<unseen>[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Me}\p{Default_Ignorable_Code_Point}\u{2800}\u{1d159}⟨⇥┆↵]|(?! )\p{Zs}|(?<![\p{L}\p{N}\p{M}])\p{M}|(?<=\p{M}{3})\p{M})`,
    String.raw`(?<leftwards>[[\u{590}-\u{8ff}\u{fb1d}-\u{fdff}\u{fe70}-\u{fefc}\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]--[\p{Cf}\p{Cn}\p{Default_Ignorable_Code_Point}]]+)`,
  ].join("|"),
  "gv",
);

/** Well-known names; other characters show only their number. */
const NAMES: Readonly<Record<number, string>> = {
  0x00: "NUL", 0x07: "BEL", 0x08: "BS", 0x0a: "LF", 0x0b: "VT", 0x0c: "FF", 0x0d: "CR", 0x1b: "ESC", 0x20: "SPACE", 0x60: "BACKTICK", 0x7f: "DEL",
  0xa0: "NBSP", 0xad: "SHY", 0x200b: "ZWSP", 0x200c: "ZWNJ", 0x200d: "ZWJ", 0x200e: "LRM", 0x200f: "RLM",
  0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO", 0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI",
  0x2068: "FSI", 0x2069: "PDI", 0x3000: "WIDE SPACE", 0xfeff: "BOM",
};

/**
 * The text as lines that show all of it. A tab is drawn as `⇥`; right-to-left letters are put between U+2068 and
 * U+2069, so that they do not reorder the rest. `prose`: for text in which trailing blanks, tabs and runs of backticks
 * are rendered with their meaning, so they stay as they are.
 */
export function shownLines(text: string, prose = false): string[] {
  return text.split(/(\n+)/).map((piece, at) => (at % 2 === 0 ? shown(piece, prose) : lineEnds(piece.length))).join("").split("\n");
}

/** The same on one line: a line end is marked too. */
export function shownLine(text: string): string {
  return text.split("\n").map((line) => shown(line, false)).join(markOf(0x0a, 1));
}

function lineEnds(count: number): string {
  return count > NEWLINES ? `${markOf(0x0a, count - 1)}\n` : "\n".repeat(count);
}

/** One line, without its end. */
function shown(line: string, prose: boolean): string {
  return line.replace(LOUD, (found, ...others) => {
    const { edge, run, plain, tab, leftwards }: Record<string, string | undefined> = others.at(-1);
    if (plain !== undefined || (prose && (edge ?? tab) !== undefined)) return found;
    if (tab !== undefined) return "⇥";
    if (leftwards !== undefined) return `\u2068${found}\u2069`;
    return markOf(found.codePointAt(0) ?? 0, (run ?? edge) === undefined ? 1 : found.length);
  });
}

function markOf(character: number, times: number): string {
  const name = NAMES[character];
  const number = character.toString(16).toUpperCase().padStart(4, "0");
  return `⟨U+${number}${name === undefined ? "" : ` ${name}`}${times === 1 ? "" : `×${times}`}⟩`;
}
