/**
 * Reads a typed message as an answer. It counts as an option only if nothing else can be meant: the option's own words,
 * letter or number, surrounded only by words that change nothing. Negation, doubt, counter-questions and two options
 * are recognized separately and asked again; nothing here ever guesses.
 */
import * as lexicon from "./lexicon.ts";
import { Names, endsInQuestion, normalizeText, stripPunctuation, trimSeparators } from "./option-names.ts";
import type { OptionMatch } from "./option-words.ts";
import { fitsConstraint, type AnswerFormat } from "./wanted.ts";

export interface AnswerRules {
  /** As shown to the owner. Empty: any text is an answer. */
  options: readonly string[];
  /** Several may be chosen. */
  many?: boolean;
  /** An answer in the owner's own words counts. */
  words: boolean;
  /** What the answer has to be; absent: any. */
  wanted?: AnswerFormat;
}

/**
 * `later`: a request for more time; `question`: a counter-question. Neither is an answer, and neither was
 * misunderstood. `which`: a plain yes or no to options that are not yes and no. `unfit`: an answer, and not one that
 * was wanted.
 */
export type Unclear =
  | "which"
  | "nothing"
  | "several"
  | "negated"
  | "unsure"
  | "question"
  | "later"
  | "unknown"
  | "unfit";

export type AnswerReading =
  /** Places in `options`, ascending; one unless many may be chosen. */
  { kind: "options"; places: number[] } | { kind: "words" } | { kind: "unclear"; why: Unclear };

/** The least length of an answer in one's own words, in characters or in letters of a script that needs fewer. */
const WORDS_CHARS = 15;
const WORDS_LETTERS = 3;
/** An option is looked for in a text with at most this many characters around it. */
const AROUND_CHARS = 60;
/** A longer text is recognized only as a whole. */
const NAME_CHARS = 200;
const STEPS = 7;
/** A text of nothing but yes and no is hardly longer. */
const POLAR_CHARS = 400;
/** Longer texts are more than a request for time or a counter-question. */
const NOT_YET_CHARS = 120;

/** Never throws. */
export function readAnswer(text: string, asked: AnswerRules): AnswerReading {
  const read = readAny(text, asked);
  if (read.kind === "unclear") return read;
  return fitsConstraint(
    asked.wanted,
    read.kind === "words" ? { places: [], words: text.trim() } : { places: read.places, words: null },
  )
    ? read
    : unclear("unfit");
}

function readAny(text: string, asked: AnswerRules): AnswerReading {
  const even = normalizeText(text);
  const bare = stripPunctuation(even);
  const asks = endsInQuestion(even);
  if (asked.options.length === 0) return readOpen(even, bare, asks);
  const names = new Names(asked.options);
  const complete =
    names.complete(text) ?? (asks ? null : (names.byText(even) ?? names.byText(bare) ?? names.marked(even)));
  if (complete !== null) return chosen(complete, asked, false);
  if (bare === "" && !asks) return unclear("nothing");
  const isShort = bare.length <= Math.min(names.longest, NAME_CHARS) + AROUND_CHARS;
  const plain = isShort ? readPhrase(bare, asks, names, asked) : byPolarity(polarityOf(bare, names), names);
  if (plain) return plain;
  if (wishesForTime(bare, true)) return unclear(names.isPart(bare) ? "unknown" : "later");
  if (asksBack(bare, true, asks)) return unclear("question");
  const near = isShort ? byWords((phrase) => names.words.near(phrase), bare) : null;
  if (near !== null) return chosen(near, asked, false);
  return asked.words && inOwnWords(bare) && !names.isPart(bare) ? { kind: "words" } : unclear("unknown");
}

/** Any text is an answer, except what is almost certainly not one. */
function readOpen(even: string, bare: string, asks: boolean): AnswerReading {
  if (!/[^\s\p{Cf}]/u.test(even)) return unclear("nothing");
  if (wishesForTime(bare, false)) return unclear("later");
  return asksBack(bare, false, asks) ? unclear("question") : { kind: "words" };
}

/** @param asked whether there are options to choose from */
function wishesForTime(bare: string, asked: boolean): boolean {
  if (bare.length > NOT_YET_CHARS) return false;
  const wish = trimSeparators(bare.replace(lexicon.manners, ""));
  return [bare, wish, trimSeparators(wish.replace(lexicon.hedges, ""))].some(
    (text) =>
      lexicon.wishes.has(text) ||
      (asked && lexicon.whens.has(text)) ||
      lexicon.wishing.some((pattern) => pattern.test(text)),
  );
}

/** @param bare without its punctuation; @param marked whether it ended as a question does */
function asksBack(bare: string, asked: boolean, marked: boolean): boolean {
  if (lexicon.plainQuestions.has(bare)) return true;
  if (!asked || lexicon.requests.some((pattern) => pattern.test(bare))) return false;
  return marked || (bare.length <= NOT_YET_CHARS && lexicon.asksBack.some((pattern) => pattern.test(bare)));
}

/** Reads a phrase hardly longer than an option; null if it matches nothing. */
function readPhrase(bare: string, asks: boolean, names: Names, asked: AnswerRules): AnswerReading | null {
  if (lexicon.questionWords.has(bare)) return unclear("question");
  const isNone = lexicon.noneWords.has(bare);
  if (isNone || lexicon.unsureWords.has(bare)) {
    const named = names.words.one(bare);
    return typeof named === "number" ? chosen(named, asked, false) : unclear(isNone ? "negated" : "unsure");
  }
  const unasked = bare.replace(lexicon.asking, "");
  const answer = readPlain(unasked, names, asked);
  if (answer) return asks || unasked !== bare ? unclear("question") : answer;
  if (isDenied(bare, names, asked)) return wishesForTime(bare, true) ? null : unclear("negated");
  const undoubted = bare.replace(lexicon.doubt, "");
  if (undoubted !== bare && readPlain(undoubted, names, asked)) return unclear("unsure");
  return null;
}

/** Options, by their names or else by words of theirs, or a yes or no, stated plainly. */
function readPlain(bare: string, names: Names, asked: AnswerRules): AnswerReading | null {
  const named = readOptions(bare, names, asked) ?? readWithYes(bare, names, asked);
  if (named?.kind === "options" || (named?.kind === "unclear" && named.why === "several")) return named;
  const words = byWords((phrase) => names.words.one(phrase), bare);
  if (typeof words === "number") return chosen(words, asked, false);
  return byPolarity(polarityOf(bare, names), names) ?? named ?? (words === null ? null : unclear("several"));
}

function byPolarity(polarity: Polarity | null, names: Names): AnswerReading | null {
  if (polarity === null) return null;
  if (polarity === "both") return unclear("several");
  const place = polarity === "nod" ? undefined : names[polarity];
  return place === undefined ? unclear("which") : { kind: "options", places: [place] };
}

/** The option that the most of the phrase names. */
function byWords(named: (phrase: string) => OptionMatch, bare: string): OptionMatch {
  const found = [...peeled(bare)].toSorted((one, other) => other.length - one.length).map(named);
  return found.find((one) => typeof one === "number") ?? found.find((one) => one !== null) ?? null;
}

function readOptions(bare: string, names: Names, asked: AnswerRules): AnswerReading | null {
  const found = oneOf(bare, names);
  if (found !== null) return chosen(found, asked, false);
  for (const phrase of peeled(bare)) {
    const all = everything(phrase, asked);
    if (all !== null) return chosen(all, asked, false);
  }
  for (const phrase of peeled(bare)) {
    const list = phrase.replace(lexicon.beforeAList, "");
    for (const separator of lexicon.between) {
      const places = list.split(separator).map((piece) => oneOf(trimSeparators(piece), names));
      if (places.length < 2 || places.includes(null)) continue;
      return chosen(
        places.includes("several") ? "several" : places.filter((place) => typeof place === "number"),
        asked,
        lexicon.choosing.test(phrase),
      );
    }
  }
  return null;
}

/** "Yes, A" and "A, yes" say A, unless A is the no; so does "no, A", unless A is the yes or is called by its place. */
function readWithYes(bare: string, names: Names, asked: AnswerRules): AnswerReading | null {
  const [first = "", ...others] = bare.split(/[, ]+/);
  const last = others.at(-1) ?? "";
  for (const [word, rest] of [
    [first, trimSeparators(bare.slice(first.length))],
    [last, trimSeparators(bare.slice(0, -last.length))],
  ] as const) {
    // "안 해줘" is not a yes.
    const polarity = lexicon.manner.test(word) ? null : polarityOf(trimSeparators(word), names);
    if (polarity === null || polarity === "both") continue;
    const answer = readOptions(rest, names, asked);
    const words =
      answer === null && !wishesForTime(bare, true) ? byWords((phrase) => names.words.one(phrase), rest) : null;
    if (answer?.kind !== "options" && typeof words !== "number") continue;
    const places = answer?.kind === "options" ? answer.places : [Number(words)];
    const [place] = places;
    if (polarity !== "no") return place === names.no ? unclear("several") : { kind: "options", places };
    const isOther =
      !names.isPolar &&
      word === first &&
      lexicon.noAndThen.test(bare) &&
      ![...peeled(rest)].some((phrase) => names.place(phrase) !== null);
    if (places.length === 1 && (isOther || (place === names.no && lexicon.plainNo.has(word))))
      return { kind: "options", places };
  }
  return null;
}

function everything(phrase: string, { options }: AnswerRules): number[] | "several" | null {
  const both = lexicon.bothWords.has(phrase);
  if (!both && !lexicon.allWords.has(phrase)) return null;
  return both && options.length !== 2 ? "several" : options.map((_, place) => place);
}

/** @param open it leaves open which of them */
function chosen(
  found: number | readonly number[] | "several",
  { many = false, options }: AnswerRules,
  open: boolean,
): AnswerReading {
  if (found === "several") return unclear("several");
  const places = [...new Set([found].flat())].toSorted((one, other) => one - other);
  if (places.some((place) => place >= options.length)) return unclear("unknown");
  if (places.length > 1 && (open || !many)) return unclear("several");
  return { kind: "options", places };
}

/** Whether something that could be a plain answer is next to a word that negates it. */
function isDenied(bare: string, names: Names, asked: AnswerRules): boolean {
  const pieces = bare.split(lexicon.negation);
  if (pieces.length < 2) return false;
  const isPlain = (piece: string): boolean => piece === "" || readPlain(piece, names, asked) !== null;
  return pieces
    .map(trimSeparators)
    .every((piece) => isPlain(piece) || piece.split(lexicon.insteadOf).map(trimSeparators).every(isPlain));
}

type Polarity = "yes" | "no" | "both" | "nod";

/**
 * Whether it consists of words for yes, for no, or of both; a request is one only where the options are a yes and a no.
 */
function polarityOf(bare: string, names: Names): Polarity | null {
  if (isAllOf(bare, lexicon.yesSigns)) return "yes";
  if (isAllOf(bare, lexicon.noSigns)) return "no";
  // "ㅇㅋ" is a word itself.
  const even = yesWords.has(bare) ? bare : withoutTone(bare);
  const phrases = bare.length > POLAR_CHARS ? [even] : peeled(even);
  for (const phrase of phrases) {
    // "不要執行" is not a plain "不要" if an option is called "執行".
    if (phrase !== even && isNamed(trimSeparators(even.replace(phrase, "")), names)) return null;
    const words = polarWordsOf(phrase) ?? polarWordsOf(phrase.replace(/(\p{L})\1{2,}/gu, "$1"));
    if (words) return polarityOfWords(words, names);
  }
  return null;
}

/** Without a drawn-out end or a Korean laugh (ㅋ, ㅎ, ㅠ, ㅜ as they are once normalized), unless it is struck through. */
function withoutTone(bare: string): string {
  let end = bare.length;
  while (end > 0 && /[\s~^\u110f\u1112\u1172\u116e]/.test(bare[end - 1] ?? "")) end -= 1;
  return bare.startsWith("~") ? bare : bare.slice(0, end);
}

function isNamed(phrase: string, names: Names): boolean {
  return names.byText(phrase) !== null || names.words.one(phrase) !== null;
}

function isAllOf(bare: string, signs: readonly string[]): boolean {
  return bare !== "" && [...bare].every((sign) => signs.includes(sign));
}

function polarityOfWords(words: readonly string[], { isPolar, words: others }: Names): Polarity | null {
  if (!isPolar && words.every((word) => lexicon.pleas.has(word))) return null;
  const forbids = words.some((word) => lexicon.forbids.test(word));
  if (forbids && words.some((word) => !lexicon.forbids.test(word) && !lexicon.plainNo.has(word))) return null;
  const [yes, no] = [words.some((word) => yesWords.has(word)), words.some((word) => noWords.has(word))];
  if (yes && no) return "both";
  // Under a permission or a plan a nod is no yes, not even beside one.
  if (others === null && words.some((word) => nods.has(word))) return null;
  return yes ? "yes" : no ? "no" : "nod";
}

const yesWords = new Set(lexicon.yesWords);
const noWords = new Set(lexicon.noWords);
const nods = new Set(lexicon.nods);
const polarWords = [...yesWords, ...noWords, ...nods].toSorted((one, other) => other.length - one.length);

/** The words for yes and no that the phrase consists of; null if it contains anything else. */
function polarWordsOf(phrase: string): string[] | null {
  const hopeless = new Set<number>();
  const from = (at: number, apart: boolean): string[] | null => {
    const text = phrase.slice(at);
    for (const word of hopeless.has(at) ? [] : polarWords) {
      if (!text.startsWith(word) || (!apart && lexicon.manner.test(word))) continue;
      const rest = text.slice(word.length);
      if (rest === "") return [word];
      if (/[a-z]$/.test(word) && /^[\p{L}\p{N}'-]/u.test(rest)) continue;
      const [between = ""] = /^[, .!]+(?:and |or )?/.exec(rest) ?? [];
      const more = from(at + word.length + between.length, between !== "");
      if (more) return [word, ...more];
    }
    hopeless.add(at);
    return null;
  };
  return phrase.length > POLAR_CHARS ? null : from(0, true);
}

/** The phrase, and what remains as words that change nothing are removed around it one by one. */
function peeled(phrase: string): Set<string> {
  const known = new Set([phrase]);
  let edge = [phrase];
  for (let step = 0; step < STEPS && edge.length > 0; step += 1) {
    edge = edge
      .flatMap((one) =>
        [...lexicon.before, ...lexicon.behind].map((pattern) => trimSeparators(one.replace(pattern, ""))),
      )
      .filter((one) => one !== "" && !known.has(one));
    for (const one of edge) known.add(one);
  }
  return known;
}

/**
 * The one option that a phrase names: the longest text in it, before any place. If a place is given as well and is
 * another, as with "1번" for an option that is called 1 and is not the first, it names none.
 */
function oneOf(bare: string, names: Names): OptionMatch {
  let place: OptionMatch = null;
  let text: { named: OptionMatch; length: number } = { named: null, length: 0 };
  for (const phrase of peeled(bare)) {
    const named = names.byText(phrase);
    if (named !== null && phrase.length > text.length) text = { named, length: phrase.length };
    if (text.named === null) place ??= names.place(phrase) ?? twice(phrase, names);
  }
  const isAnother = place !== null && place !== text.named && (place === "several" || place < names.count);
  return text.named === null ? place : isAnother ? "several" : text.named;
}

/** A name followed by the text of what it names: "A - Execute now". */
function twice(phrase: string, names: Names): OptionMatch {
  const [, name = "", rest = ""] = /^(.{1,3}?)(?: *[):.,] *| +- +)([^ ].*)$/s.exec(phrase) ?? [];
  const place = name === "" ? null : (names.byText(name) ?? names.place(name));
  return place !== null && names.byText(rest) === place ? place : null;
}

function inOwnWords(bare: string): boolean {
  const entries = bare.match(/[가-힣]|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Han}/gu)?.length ?? 0;
  return entries >= WORDS_LETTERS || ([...bare].length >= WORDS_CHARS && /\p{L}/u.test(bare));
}

function unclear(why: Unclear): AnswerReading {
  return { kind: "unclear", why };
}
