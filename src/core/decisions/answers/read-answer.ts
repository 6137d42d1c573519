/**
 * Reads a typed message as an answer. It counts as an option only if nothing else can be meant: the option's own words,
 * letter or number, surrounded only by words that change nothing. Negation, doubt, counter-questions and two options
 * are recognized separately and asked again; nothing here ever guesses.
 */
import * as lexicon from "./lexicon.ts";
import { Names, type Named } from "./option-names.ts";
import { endsInQuestion, evened, stripped, trimmed } from "./normalize.ts";

/** A number, where a question takes nothing else. */
export interface NumberWanted {
  integer: boolean;
  /** Absent: no bound. */
  minimum?: number;
  maximum?: number;
}

export interface Asked {
  /** As shown to the owner. Empty: any text is an answer. */
  options: readonly string[];
  /** The question's text, if there is one. */
  question?: string;
  /** Several may be chosen. */
  many?: boolean;
  /** The option that a plain yes, or a plain no, means; by default the one that says so or clearly means it. */
  yes?: number;
  no?: number;
  /** An answer in the owner's own words counts. */
  words: boolean;
  /** Those words must be a number. */
  number?: NumberWanted;
}

/**
 * `later`: a request for more time; `question`: a counter-question. Neither is an answer, and neither was
 * misunderstood.
 */
export type Unclear = "nothing" | "several" | "negated" | "unsure" | "question" | "later" | "unknown" | "number";

export type Reading =
  /** Places in `options`, ascending; one unless many may be chosen. */
  | { kind: "options"; places: number[] }
  | { kind: "words" }
  | { kind: "unclear"; why: Unclear };

/** The least length of an answer in one's own words, in characters or in letters of a script that needs fewer. */
const WORDS_CHARS = 15;
const WORDS_LETTERS = 3;
/** An option is looked for in a text with at most this many characters around it. */
const AROUND_CHARS = 60;
/** A longer text is recognized only as a whole. */
const NAME_CHARS = 200;
const STEPS = 7;
/** Longer texts are more than a request for time or a counter-question. */
const NOT_YET_CHARS = 120;

/** Never throws. */
export function readAnswer(text: string, asked: Asked): Reading {
  const even = evened(text);
  const bare = stripped(even);
  const asks = endsInQuestion(even);
  if (asked.options.length === 0) {
    const read = readOpen(even, bare, asks);
    return read.kind === "words" && asked.number !== undefined && numberIn(text, asked.number) === null ? unclear("number") : read;
  }
  const names = new Names(asked);
  const complete = names.complete(text) ?? (asks ? null : (names.text(even) ?? names.text(bare) ?? names.marked(even)));
  if (complete !== null) return chosen(complete, asked, false);
  if (bare === "" && !asks) return unclear("nothing");
  const plain = bare.length > Math.min(names.longest, NAME_CHARS) + AROUND_CHARS ? null : readPhrase(bare, asks, names, asked);
  if (plain) return plain;
  if (wishesForTime(bare, true)) return unclear(names.isPart(bare) ? "unknown" : "later");
  if (asksBack(bare, true, asks)) return unclear("question");
  return asked.words && inOwnWords(bare) && !names.isPart(bare) ? { kind: "words" } : unclear("unknown");
}

/** Any text is an answer, except what is almost certainly not one. */
function readOpen(even: string, bare: string, asks: boolean): Reading {
  if (!/[^\s\p{Cf}]/u.test(even)) return unclear("nothing");
  if (wishesForTime(bare, false)) return unclear("later");
  return asksBack(bare, false, asks) ? unclear("question") : { kind: "words" };
}

/** @param asked whether there are options to choose from */
function wishesForTime(bare: string, asked: boolean): boolean {
  if (bare.length > NOT_YET_CHARS) return false;
  const wish = trimmed(bare.replace(lexicon.manners, ""));
  return [bare, wish, trimmed(wish.replace(lexicon.hedges, ""))].some((text) => lexicon.wishes.has(text) || (asked && lexicon.whens.has(text)) || lexicon.wishing.some((pattern) => pattern.test(text)));
}

/** @param bare without its punctuation; @param marked whether it ended as a question does */
function asksBack(bare: string, asked: boolean, marked: boolean): boolean {
  if (lexicon.plainQuestions.has(bare)) return true;
  if (!asked || lexicon.requests.some((pattern) => pattern.test(bare))) return false;
  return marked || (bare.length <= NOT_YET_CHARS && lexicon.asksBack.some((pattern) => pattern.test(bare)));
}

/** Reads a phrase hardly longer than an option; null if it matches nothing. */
function readPhrase(bare: string, asks: boolean, names: Names, asked: Asked): Reading | null {
  if (lexicon.questionWords.has(bare)) return unclear("question");
  if (lexicon.unsureWords.has(bare)) return unclear("unsure");
  if (lexicon.noneWords.has(bare)) return unclear("negated");
  const unasked = bare.replace(lexicon.asking, "");
  const answer = readPlain(unasked, names, asked);
  if (answer) return asks || unasked !== bare ? unclear("question") : answer;
  if (isDenied(bare, names, asked)) return unclear("negated");
  const undoubted = bare.replace(lexicon.doubt, "");
  if (undoubted !== bare && readPlain(undoubted, names, asked)) return unclear("unsure");
  return null;
}

/** Options, or a yes or no, stated plainly. */
function readPlain(bare: string, names: Names, asked: Asked): Reading | null {
  const polarity = polarityOf(bare, names);
  if (polarity !== null) return polarity === "both" ? unclear("several") : byPolarity(polarity, names);
  return readOptions(bare, names, asked) ?? readWithYes(bare, names, asked);
}

function byPolarity(polarity: "yes" | "no", names: Names): Reading {
  const place = names[polarity];
  return place === undefined ? unclear("unknown") : { kind: "options", places: [place] };
}

function readOptions(bare: string, names: Names, asked: Asked): Reading | null {
  const found = oneOf(bare, names);
  if (found !== null) return chosen(found, asked, false);
  for (const phrase of peeled(bare)) {
    const all = everything(phrase, asked);
    if (all !== null) return chosen(all, asked, false);
  }
  for (const phrase of peeled(bare)) {
    const list = phrase.replace(lexicon.beforeAList, "");
    for (const separator of lexicon.between) {
      const places = list.split(separator).map((piece) => oneOf(trimmed(piece), names));
      if (places.length < 2 || places.includes(null)) continue;
      return chosen(places.includes("several") ? "several" : places.filter((place) => typeof place === "number"), asked, lexicon.choosing.test(phrase));
    }
  }
  return null;
}

/** "Yes, A" and "A, yes" say A, unless A is the no. */
function readWithYes(bare: string, names: Names, asked: Asked): Reading | null {
  const [first = "", ...others] = bare.split(/[, ]+/);
  const last = others.at(-1) ?? "";
  for (const [word, rest] of [[first, bare.slice(first.length)], [last, bare.slice(0, -last.length)]] as const) {
    // "안 해줘" is not a yes.
    const polarity = lexicon.manner.test(word) ? null : polarityOf(word, names);
    const answer = polarity === null || polarity === "both" ? null : readOptions(trimmed(rest), names, asked);
    if (answer?.kind !== "options") continue;
    const [place] = answer.places;
    if (polarity === "yes") return place === names.no ? unclear("several") : answer;
    if (answer.places.length === 1 && place === names.no && lexicon.mereNo.has(word)) return answer;
  }
  return null;
}

function everything(phrase: string, { options }: Asked): number[] | "several" | null {
  const both = lexicon.bothWords.has(phrase);
  if (!both && !lexicon.allWords.has(phrase)) return null;
  return both && options.length !== 2 ? "several" : options.map((_, place) => place);
}

/** @param open it leaves open which of them */
function chosen(found: number | readonly number[] | "several", { many = false, options }: Asked, open: boolean): Reading {
  if (found === "several") return unclear("several");
  const places = [...new Set([found].flat())].toSorted((one, other) => one - other);
  if (places.some((place) => place >= options.length)) return unclear("unknown");
  if (places.length > 1 && (open || !many)) return unclear("several");
  return { kind: "options", places };
}

/** Whether something that could be a plain answer is next to a word that negates it. */
function isDenied(bare: string, names: Names, asked: Asked): boolean {
  const pieces = bare.split(lexicon.negation);
  if (pieces.length < 2) return false;
  const isPlain = (piece: string): boolean => piece === "" || readPlain(piece, names, asked) !== null;
  return pieces.map(trimmed).every((piece) => isPlain(piece) || piece.split(lexicon.insteadOf).map(trimmed).every(isPlain));
}

/** Whether it consists of words for yes, for no, or of both. */
function polarityOf(bare: string, names: Names): "yes" | "no" | "both" | null {
  if (lexicon.yesSigns.includes(bare)) return "yes";
  if (lexicon.noSigns.includes(bare)) return "no";
  const phrases = peeled(bare);
  if ([...phrases].some((phrase) => names.text(phrase) !== null)) return null;
  for (const phrase of phrases) {
    // "진행해주세요" is the option "진행", and "不要執行" is not a plain "不要" if an option is called "執行".
    if (isOne(phrase, names) || (phrase !== bare && names.text(trimmed(bare.replace(phrase, ""))) !== null)) return null;
    const words = polarWordsOf(phrase, true, STEPS);
    if (words) return polarityOfWords(words);
  }
  return null;
}

function polarityOfWords(words: readonly string[]): "yes" | "no" | "both" | null {
  const forbids = words.some((word) => lexicon.forbids.test(word));
  if (forbids && words.some((word) => !lexicon.forbids.test(word) && !lexicon.mereNo.has(word))) return null;
  const yes = words.filter((word) => yesWords.has(word)).length;
  if (yes === words.length) return "yes";
  return yes === 0 ? "no" : "both";
}

const yesWords = new Set(lexicon.yesWords);
const polarWords = [...lexicon.yesWords, ...lexicon.noWords].toSorted((one, other) => other.length - one.length);

/** The words for yes and no that the phrase consists of; null if it contains anything else. */
function polarWordsOf(phrase: string, apart: boolean, steps: number): string[] | null {
  if (steps === 0) return null;
  for (const word of polarWords) {
    if (!phrase.startsWith(word) || (!apart && lexicon.manner.test(word))) continue;
    const rest = phrase.slice(word.length);
    if (rest === "") return [word];
    if (/[a-z]$/.test(word) && /^[\p{L}\p{N}'-]/u.test(rest)) continue;
    const next = rest.replace(/^(?:[, ]+(?:and |or )?)/, "");
    const more = polarWordsOf(next, next !== rest, steps - 1);
    if (more) return [word, ...more];
  }
  return null;
}

/** The phrase, and what remains as words that change nothing are removed around it one by one. */
function peeled(phrase: string): Set<string> {
  const known = new Set([phrase]);
  let edge = [phrase];
  for (let step = 0; step < STEPS && edge.length > 0; step += 1) {
    edge = edge.flatMap((one) => [...lexicon.before, ...lexicon.behind].map((pattern) => trimmed(one.replace(pattern, "")))).filter((one) => one !== "" && !known.has(one));
    for (const one of edge) known.add(one);
  }
  return known;
}

/**
 * The one option that a phrase names. A text wins over a place; if both are given and differ, as with "1번" for an
 * option that is called 1 and is not the first, it names none.
 */
function oneOf(bare: string, names: Names): Named {
  let one: Named = null;
  for (const phrase of peeled(bare)) {
    const text = names.text(phrase);
    if (text !== null) return one === null || one === text || (one !== "several" && one >= names.count) ? text : "several";
    one ??= names.place(phrase) ?? named(phrase, names);
  }
  return one;
}

/** A name followed by the text of what it names: "A - Execute now". */
function named(phrase: string, names: Names): Named {
  const [, name = "", rest = ""] = /^(.{1,3}?)(?: *[):.,] *| +- +)([^ ].*)$/s.exec(phrase) ?? [];
  const place = name === "" ? null : (names.text(name) ?? names.place(name));
  return place !== null && names.text(rest) === place ? place : null;
}

function isOne(phrase: string, names: Names): boolean {
  const one = names.text(phrase) ?? names.place(phrase);
  return one === "several" || (one !== null && one < names.count);
}

function inOwnWords(bare: string): boolean {
  const entries = bare.match(/[가-힣]|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Han}/gu)?.length ?? 0;
  return entries >= WORDS_LETTERS || ([...bare].length >= WORDS_CHARS && /\p{L}/u.test(bare));
}

function unclear(why: Unclear): Reading {
  return { kind: "unclear", why };
}

/** The number that the text is; null if it is none, or none that fits. */
export function numberIn(text: string, { integer, minimum, maximum }: NumberWanted): number | null {
  const value = /^[+-]?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  const fits = Number.isFinite(value) && (!integer || Number.isSafeInteger(value)) && value >= (minimum ?? value) && value <= (maximum ?? value);
  return fits ? value : null;
}
