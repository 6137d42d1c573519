/**
 * Code in cells, as a terminal draws it: what is twice as wide there (Chinese, Japanese, Korean, emoji) is told
 * apart, so that the page can give it two columns whatever font it comes from. No character is added or lost.
 */
export interface Cells {
  text: string;
  /** One character as people count them, which takes two columns. */
  wide: boolean;
}

const PLAIN = /^[\u0000-\u10FF]*$/;
const WIDE = new RegExp(
  [
    "^(?:\\p{Emoji_Presentation}|\\p{Regional_Indicator}{2}|\\p{Emoji}\\uFE0F",
    "[\\u1100-\\u115F\\u2E80-\\u303E\\u3041-\\u4DBF\\u4E00-\\uA4CF\\uA960-\\uA97C\\uAC00-\\uD7A3\\uF900-\\uFAFF\\uFE30-\\uFE6F\\uFF01-\\uFF60\\uFFE0-\\uFFE6\\u{20000}-\\u{3FFFD}])",
  ].join("|"),
  "u",
);
const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The texts joined are the text again. */
export function cellsOf(text: string): Cells[] {
  if (PLAIN.test(text)) return text === "" ? [] : [{ text, wide: false }];
  const cells: Cells[] = [];
  for (const { segment } of characters.segment(text)) {
    const wide = WIDE.test(segment);
    const last = cells.at(-1);
    if (!wide && last && !last.wide) last.text += segment;
    else cells.push({ text: segment, wide });
  }
  return cells;
}
