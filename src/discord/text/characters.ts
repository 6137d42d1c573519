/**
 * Where a text may be cut so that nobody sees a broken character: between graphemes, and not between a backslash and
 * what it escapes.
 */
import { graphemes } from "../../base/text.ts";

/** No real text joins more than this into one character, or so many flags that their pairing begins further up. */
const LOOKED_BACK = 4_000;

/** The last place at or before `at` that is between two graphemes; between two code points at worst. */
export function beforeCharacter(text: string, at: number, start: number): number {
  for (let place = at; place > Math.max(start, at - 400); place -= 1) {
    if (isGentle(text, place) && isBetweenCharacters(text, place, start)) return place;
  }
  return isLow(text, at) && at - 1 > start ? at - 1 : at;
}

/** Not between a backslash and what it escapes, and not inside a run of backticks. */
function isGentle(text: string, place: number): boolean {
  return text[place - 1] !== "\\" && !(text[place - 1] === "`" && text[place] === "`");
}

export function isBetweenCharacters(text: string, place: number, start: number): boolean {
  if (isPlain(text, place - 1) && isPlain(text, place)) return true;
  let from = place;
  while (from > Math.max(start, place - LOOKED_BACK) && !(isPlain(text, from) && isPlain(text, from - 1))) from -= 1;
  const inside = graphemes(text.slice(from, place + 2)).containing(place - from);
  return inside === undefined || inside.index === place - from;
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0;
}

/** There is always a boundary between two of these. */
function isPlain(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x20 && unit < 0x7f;
}
