/**
 * Names an option by words that stand in it and in no other, or by words near to these where nothing else is near.
 * Never by words that stand in any text, by a plain yes or no, or by words that the rest of the option takes back.
 */
import { endings, littleWords, negation, particles, pronouns, saysNothing, takingBack } from "./lexicon.ts";

/** A place among the options; `several` if it may be more than one of them; null: no option has this name. */
export type OptionMatch = number | "several" | null;

/** Only the first so many characters of an option are split into words. */
const READ_CHARS = 1000;
/** Shorter words are near to too many others. */
const NEAR_LETTERS = 5;
/** How much of a word its beginning must be: "postgres" is near to "postgresql", "over" is not near to "overwrite". */
const NEAR_PART = 0.6;

const WORD =
  /\p{Script=Hangul}+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+|(?:(?![\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々])[\p{L}\p{M}\p{N}'])+/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u;
const segmenter = new Intl.Segmenter("ja", { granularity: "word" });

/** What a piece of a phrase is in an option's words; null if it is not there. */
type Find = (words: readonly Word[], piece: string) => readonly string[] | null;

/** `ends`: in a script without spaces, where the words in it begin and end. */
interface Word {
  text: string;
  ends: ReadonlySet<number> | null;
}

export class OptionWords {
  readonly #texts: readonly string[];
  #words: readonly (readonly Word[])[] | null = null;

  /** @param texts of the options, without what marks them and without a yes or no before a comma */
  constructor(texts: readonly string[]) {
    this.#texts = texts.map((text) => text.slice(0, READ_CHARS));
  }

  /** By words that all stand in this one and in no other. */
  one(phrase: string): OptionMatch {
    return this.#only(phrase, standing);
  }

  /** By a name written apart or together, or with words that are near to those that stand there. */
  near(phrase: string): OptionMatch {
    const closed = closedUp(phrase);
    const same = this.#texts.flatMap((text, place) =>
      /[a-z]{3}/.test(closed) && closedUp(text) === closed ? [place] : [],
    );
    return same.length === 1
      ? (same[0] ?? null)
      : this.#only(phrase, (words, piece) => standing(words, piece) ?? nearest(words, piece));
  }

  #only(phrase: string, find: Find): OptionMatch {
    const pieces = wordsOf(phrase).filter((piece) => !pronouns.has(piece));
    if (saysNothing.has(phrase) || !pieces.some(isName)) return null;
    this.#words ??= this.#texts.map((text) =>
      wordsOf(text).map((word) => ({ text: word, ends: UNSPACED.test(word) ? endsIn(word) : null })),
    );
    const found = this.#words.flatMap((words, place) => {
      const taken = pieces.map((piece) => find(words, piece));
      return taken.includes(null) ? [] : [{ place, taken: taken.flatMap((one) => one ?? []) }];
    });
    const [only, ...others] = found;
    // "without tests" may deny "tests", unless an option begins with it.
    const denies = phrase.search(negation) >= 0;
    if (only === undefined || (denies && !beginsWith(this.#texts[only.place] ?? "", phrase))) return null;
    if (others.length > 0) return "several";
    return this.#takesBack(only.place, only.taken) ? null : only.place;
  }

  /**
   * "Delete" does not name "Do not delete", nor "the table" "Delete the table", unless every option is about deleting.
   */
  #takesBack(place: number, taken: readonly string[]): boolean {
    const left = (this.#words?.[place] ?? []).flatMap(({ text }) => (taken.includes(text) ? [] : [text])).join(" ");
    const rest = `${taken.filter((word) => UNSPACED.test(word) || /^[가-힣]/.test(word)).reduce((text, word) => text.replaceAll(word, " "), left)} `;
    return [...rest.matchAll(takingBack)].some(([word]) => !this.#texts.every((text) => text.includes(word.trim())));
  }
}

function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

function isName(piece: string): boolean {
  return /\p{L}{2}/u.test(piece) && !littleWords.has(piece) && !saysNothing.has(piece);
}

function beginsWith(text: string, phrase: string): boolean {
  return text.startsWith(phrase) && !(/[a-z\d]$/.test(phrase) && /^[a-z\d]/.test(text.slice(phrase.length)));
}

/**
 * As a whole word; in Korean as the beginning of one; in Chinese and Japanese, which have no spaces, between two words.
 */
function standing(words: readonly Word[], piece: string): readonly string[] | null {
  if (words.some(({ text }) => text === piece)) return [piece];
  if (/^[가-힣]{2}/.test(piece)) {
    const form = [piece, piece.replace(endings, "")].find((one) => words.some(({ text }) => text.startsWith(one)));
    return form === undefined ? null : [form];
  }
  if (!UNSPACED.test(piece)) return null;
  if (piece.length > 1 && words.some((word) => isWithin(word, piece))) return [piece];
  const parts = segmentsOf(piece).filter((part) => !particles.has(part));
  const name =
    parts.length > 1 && parts.some(isName) && parts.every((part) => words.some((word) => isWithin(word, part)));
  return name ? parts : null;
}

/** Whether it stands there from the beginning of a word to the end of one: "東京", but not "京都", in "東京都". */
function isWithin({ text, ends }: Word, piece: string): boolean {
  if (ends === null) return false;
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1))
    if (ends.has(at) && ends.has(at + piece.length)) return true;
  return false;
}

function endsIn(text: string): Set<number> {
  let end = 0;
  return new Set([0, ...segmentsOf(text).map(({ length }) => (end += length))]);
}

function segmentsOf(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

function nearest(words: readonly Word[], piece: string): readonly string[] | null {
  const near = words.flatMap(({ text }) => (isNear(piece, text) ? [text] : []));
  return near.length === 0 ? null : near;
}

/** The beginning of a word, its plural, or the word with a letter too many, one missing, or two swapped. */
function isNear(piece: string, word: string): boolean {
  if (
    piece.length < NEAR_LETTERS ||
    word.length < NEAR_LETTERS ||
    piece[0] !== word[0] ||
    !/^[a-z]+$/.test(piece + word)
  )
    return false;
  return (word.startsWith(piece) && piece.length >= word.length * NEAR_PART) || isSlip(piece, word);
}

function isSlip(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (long.length === short.length + 1) return long.slice(at + 1) === short.slice(at);
  return (
    long.length === short.length &&
    long[at] === short[at + 1] &&
    long[at + 1] === short[at] &&
    long.slice(at + 2) === short.slice(at + 2)
  );
}

/** Words that are written together by some and apart by others. */
function closedUp(text: string): string {
  return text.replace(/[ -]+/g, "");
}
