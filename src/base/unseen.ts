/**
 * Characters without a shape of their own, told by their Unicode properties: controls and formats, surrogates, private
 * and unassigned characters, what may be ignored (variation selectors, fillers, tags), separators and blanks other than
 * a space. Four have no such property and show nothing all the same: the blank of Braille, a note without a head, the
 * placeholder for an object, and the joiner of Tifinagh; and the formats of hieroglyphs have several.
 */

import { once } from "./once.ts";

/** For a class in a regular expression with the flag `v`. */
export const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}[\p{Zs}--\u0020]\u2800\u2d7f\ufffc\u{13430}-\u{13455}\u{16fe4}\u{1d159}`;

/** The first code unit of the characters of the last planes: all are tags, selectors, private or unassigned. */
const LAST_PLANES = 0xdb40;
/** The characters of the shortest mark of one that is unseen (`base/hidden-characters.ts`). */
const MARK_CHARS = 8;
/** What may be shown together, as one mark, or as it is. */
const UNCOUNTED = new Set(Array.from("\n\t `\ufe0f", (character) => character.charCodeAt(0)));

const UNKNOWN = 0xff;
/** By the code unit; each is looked up when it is first met. */
const weights = new Uint8Array(0x10000).fill(UNKNOWN);
const unseen = once(() => new RegExp(`[${UNSEEN}]`, "v"));

/** How many characters it takes at least to show a text with a mark for each unseen character. Cheap. */
export function charsToShow(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const known = weights[unit] ?? 0;
    count += known === UNKNOWN ? (weights[unit] = weightOf(unit)) : known;
  }
  return count;
}

function weightOf(unit: number): number {
  if (UNCOUNTED.has(unit)) return 0;
  if (unit >= 0xd800 && unit <= 0xdfff) return unit >= LAST_PLANES && unit < 0xdc00 ? MARK_CHARS : 1;
  return unseen().test(String.fromCharCode(unit)) ? MARK_CHARS : 1;
}
