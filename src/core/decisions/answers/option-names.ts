/**
 * All names of an option: its full text, its label, its place. A full text wins. A bare number or letter is a place
 * only if it cannot be read as a text: if options are amounts or single letters, it is their text; and if it occurs in
 * the text of an option other than the one at that place, it names neither.
 */
import { counted, lastWords, mereNo, mereYes, noSigns, noWords, numerals, yesSigns, yesWords } from "./lexicon.ts";
import { OptionWords, type OptionMatch } from "./option-words.ts";

/** What marks an option in a list; for each script the characters used for counting. */
const MARK =
  "[a-z]|\\d{1,3}|[ivx]{1,4}|[가나다라마바사아자차카타파하]|[ㄱ-ㅎ]|[ア-ン]|[甲乙丙丁戊己庚辛壬癸]|[一二三四五六七八九十]";
const LABEL = new RegExp(
  `^(?:[([【](${MARK})[)\\]】][.:,]?|(${MARK})(?:[)\\]]|[.:](?!\\d)|(?<=[甲乙丙丁戊己庚辛壬癸一二三四五六七八九十]),)) *([^ ].*)$`,
  "s",
);
/** Labels not separated from the text by a sign: only if they are the first letters in order. */
const LETTER = /^([a-z]) +([^ ].*)$/s;
const CIRCLED = /^\s*(?:([①-⑳])|(\d)\u{fe0f}?\u{20e3})\s*/u;
const HANGUL = "가나다라마바사아자차카타파하";

const UNIT =
  "[%개명번대분초월년회배台個个人件秒時时天週周月日年回倍次]|시간|[kmgt]i?b\\b|ms\\b|[smhd]\\b|(?:sec|min|minute|second|hour|day|week|month|year|replica|node|cop(?:y|ie)|instance|worker|thread|time|user|item|byte|core|cpu)s?\\b";
const AMOUNT = new RegExp(`^(?:[-+~≈<>≤≥=]? ?[$€£¥₩]?|v|第)\\d|\\d ?(?:${UNIT})`);

/** Says that what follows, or precedes, is a place. */
const PLACE_BEFORE =
  "#|n[or]\\. ?(?=\\d)|number |option |choice |answer |옵션 ?|선택지 ?|オプション ?|選択肢 ?|プラン ?|第|選項 ?|选项 ?|方案 ?";
const PLACE_BEHIND = " ?번(?:째)?(?: ?(?:옵션|거|것|걸))?| ?옵션| ?안| ?番目?| ?つ目|[號号項项種种個个案]| option";
const PLACE = new RegExp(`^(${PLACE_BEFORE})?([1-9]\\d?|[a-z])(${PLACE_BEHIND})?$`);

export class Names {
  /** Whether the options are a yes and a no, and the option that a plain yes, or a plain no, then means. */
  readonly isPolar: boolean;
  readonly yes: number | undefined;
  readonly no: number | undefined;
  readonly count: number;
  /** By words that stand in one of them. */
  readonly words: OptionWords;
  /** Length of the longest text in characters. */
  readonly longest: number;
  readonly #options: readonly string[];
  readonly #raw: readonly string[];
  readonly #labels: readonly string[] | null;
  readonly #own: readonly string[];
  readonly #texts = new Map<string, Set<number>>();
  readonly #names = new Map<string, Set<number>>();
  readonly #amounts: boolean;
  readonly #entries: boolean;
  /** What stands in each option: read when it is first asked for, and once, however many of them a message names. */
  #numbers: readonly ReadonlySet<number>[] | null = null;
  #letters: readonly ReadonlySet<string>[] | null = null;
  #words: readonly string[] | null = null;

  constructor(options: readonly string[]) {
    this.count = options.length;
    this.#raw = options.map((option) => option.trim());
    const { labels, own, even } = labelled(options);
    this.#options = even;
    this.#labels = labels;
    this.#own = own;
    own.forEach((text, place) => this.#addNames(this.#options[place] ?? "", text, place));
    this.#entries = own.some((text) => /^[a-z]$/.test(text));
    this.#amounts =
      own.some((text) => AMOUNT.test(text)) || (own.length > 0 && own.every((text) => leadingNumber(text) !== null));
    this.longest = Math.max(0, ...this.#options.map(({ length }) => length));
    const plain = own.map((text) => withoutPictures(text));
    const { isPolar, yes, no } = polarity(plain, own);
    this.isPolar = isPolar;
    this.yes = yes;
    this.no = no;
    this.words = new OptionWords(plain.map((text) => withoutPolarity(text) || text));
  }

  /** By a full text, as typed. */
  complete(text: string): OptionMatch {
    const typed = text.trim();
    const same = this.#raw.flatMap((option, place) => (option === typed ? [place] : []));
    return same.length === 1 ? (same[0] ?? null) : only(this.#texts.get(normalizeText(text)));
  }

  /** By its own text, or by the label if all options have one. */
  byText(phrase: string): OptionMatch {
    const complete = only(this.#texts.get(phrase));
    if (complete !== null) return complete;
    const number = this.#amounts ? inDigits(phrase) : phrase;
    const places = new Set([
      ...(this.#names.get(phrase) ?? []),
      ...(this.#texts.get(number) ?? []),
      ...(this.#names.get(number) ?? []),
    ]);
    const label = this.#labels?.indexOf(phrase) ?? -1;
    return only(label < 0 ? places : places.add(label));
  }

  /** By a place: a number, a letter or a number word. One beyond the last is the number of options. */
  place(phrase: string): OptionMatch {
    if (lastWords.has(phrase)) return this.#unlessSaid(this.count - 1, phrase);
    const ordinal = counted.findIndex((words) => words.includes(phrase));
    if (ordinal >= 0) return this.#unlessSaid(ordinal, phrase);
    const hangul = /^([가-힣])(?:번|안)$/.exec(phrase)?.[1];
    if (hangul !== undefined && HANGUL.includes(hangul)) return HANGUL.indexOf(hangul);
    const cardinal = numerals.findIndex((words) => words.includes(phrase));
    if (cardinal >= 0) return this.#byNumber(cardinal + 1, false);
    const [, before, name = "", behind] = PLACE.exec(phrase) ?? [];
    const marked = before !== undefined || behind !== undefined;
    if (name === "") return null;
    return /\d/.test(name) ? this.#byNumber(Number(name), marked) : this.#byLetter(name);
  }

  /** By a list sign with its mark: `나)`. */
  marked(even: string): OptionMatch {
    const sign = this.#labels === null ? /^[([]?([가-힣])[)\].]$/.exec(even)?.[1] : undefined;
    return sign !== undefined && HANGUL.includes(sign) ? HANGUL.indexOf(sign) : null;
  }

  /** Whether the phrase occurs as whole words in an option's own text. */
  isPart(phrase: string): boolean {
    return this.#options.some((option) => isPartOf(option, phrase, inWords));
  }

  /** A number word may occur in the text of another option. */
  #unlessSaid(place: number, word: string): OptionMatch {
    const words = (this.#words ??= this.#own.map(inWords));
    return this.#own.some((text, at) => at !== place && isPartOf(text, word, () => words[at] ?? ""))
      ? "several"
      : place;
  }

  #addNames(whole: string, own: string, place: number): void {
    add(this.#texts, whole, place);
    const bare = withoutPictures(own);
    const pictures = picturesOf(own);
    const tight = own.replace(/(?<=\p{Extended_Pictographic}) +/gu, "");
    for (const name of new Set([
      whole,
      own,
      bare,
      tight,
      withoutPolarity(bare),
      /^v\d/.test(bare) ? bare.slice(1) : bare,
      pictures,
    ])) {
      for (const written of [name, stripPunctuation(name), closedUp(name)])
        if (written !== "") add(this.#names, written, place);
    }
  }

  #byNumber(number: number, marked: boolean): OptionMatch {
    const label = this.#labels?.indexOf(String(number)) ?? -1;
    if (label >= 0) return label;
    if (this.#labels?.some((one) => /^\d/.test(one)) === true) return this.count;
    const place = number - 1;
    this.#numbers ??= this.#own.map((text) => new Set(numbersIn(text, this.#amounts)));
    const bearing = this.#numbers.flatMap((numbers, at) => (numbers.has(number) ? [at] : []));
    if (place >= this.count) return this.count;
    if (bearing.some((at) => at !== place)) return "several";
    return marked || !this.#amounts || bearing.includes(place) ? place : this.count;
  }

  #byLetter(entry: string): OptionMatch {
    const label = this.#labels?.indexOf(entry) ?? -1;
    if (label >= 0) return label;
    if (this.#entries) return null;
    if (this.#labels?.some((one) => /^[a-z]/.test(one)) === true) return this.count;
    const place = entry.charCodeAt(0) - 97;
    if (place >= this.count) return this.count;
    this.#letters ??= this.#raw.map((option) => new Set(lettersIn(option)));
    return this.#letters.some((letters, at) => at !== place && letters.has(entry)) ? "several" : place;
  }
}

/**
 * What each is called in a hint: its label or own text if a letter would be ambiguous, else a letter, else a number.
 */
export function calledBy(options: readonly string[]): { name: string; shown: boolean }[] {
  const { labels, own } = labelled(options);
  if (labels !== null) return options.map((option) => ({ name: labelOf(option) ?? option, shown: true }));
  if (own.some((text) => /^[a-z]$/.test(text))) return options.map((option) => ({ name: option, shown: true }));
  if (options.length <= 26) return options.map((_, place) => ({ name: String.fromCharCode(65 + place), shown: false }));
  const isNumber = own.some((text) => AMOUNT.test(text));
  return options.map((option, place) => ({ name: isNumber ? option : String(place + 1), shown: isNumber }));
}

/** The label as written; null if there is none. */
function labelOf(option: string): string | null {
  const circled = CIRCLED.exec(option)?.[0];
  if (circled !== undefined) return circled.trim();
  return /^\s*[([【]?([^\s)\].:、,】]{1,4})/u.exec(option)?.[1] ?? null;
}

/** The options as they are compared; the labels if each has a different one, and the texts without them. */
function labelled(options: readonly string[]): { even: string[]; labels: string[] | null; own: string[] } {
  const even = options.map(normalizeText);
  const marked = options.map((option, place) =>
    LABEL.exec(CIRCLED.test(option) ? normalizeText(uncircled(option)) : (even[place] ?? "")),
  );
  const entries = even.map((option) => LETTER.exec(option));
  const inOrder = new Set(entries.flatMap((entry) => entry?.[1] ?? []));
  const areLetters =
    options.length > 1 &&
    inOrder.size === options.length &&
    [...inOrder].every((entry) => entry.charCodeAt(0) - 97 < options.length);
  const found = marked.every((label) => label !== null)
    ? marked.map((label) => [label[1] ?? label[2] ?? "", label[3] ?? ""] as const)
    : areLetters
      ? entries.map((entry) => [entry?.[1] ?? "", entry?.[2] ?? ""] as const)
      : null;
  if (found === null || found.length === 0 || new Set(found.map(([label]) => label)).size < found.length)
    return { even, labels: null, own: even };
  return { even, labels: found.map(([label]) => label), own: found.map(([, own]) => own) };
}

/** With a plain number in place of a circled one. */
function uncircled(option: string): string {
  return option.replace(CIRCLED, (_, sign?: string, key?: string) => `${(sign ?? key ?? "").normalize("NFKC")}) `);
}

/**
 * What yes and no mean: the options that begin with one, where one says yes and another no. "Approve" and "Reject", or
 * "Delete" and "Keep", do not: which of them a yes means depends on how the question was put.
 */
function polarity(
  plain: readonly string[],
  own: readonly string[],
): { isPolar: boolean; yes: number | undefined; no: number | undefined } {
  const saying = (words: readonly string[], signs: readonly string[]): number[] =>
    plain.flatMap((text, place) => (begins(text, words) || signs.includes(own[place] ?? "") ? [place] : []));
  const [yes, no] = [saying(mereYes, yesSigns), saying(mereNo, noSigns)];
  const isPolar = yes.length > 0 && no.length > 0;
  return {
    isPolar,
    yes: isPolar && yes.length === 1 ? yes[0] : undefined,
    no: isPolar && no.length === 1 ? no[0] : undefined,
  };
}

/** A letter may begin any name, so it must stand by itself. */
function begins(text: string, words: readonly string[]): boolean {
  return words.some(
    (word) =>
      text.startsWith(word) &&
      (/^[yn]$/.test(word) ? /^(?:$|[,.:;!(—–])/ : /^(?:$|[ ,.:;!(—–])/).test(text.slice(word.length)),
  );
}

/** "Yes, deploy" can also be called "deploy". */
function withoutPolarity(option: string): string {
  const [, first = "", rest = ""] = /^([^,:—–]+?)(?:[,:—–]| - ) *([^ ].*)$/s.exec(option) ?? [];
  return yesWords.includes(first.trim()) || noWords.includes(first.trim()) ? rest : "";
}

/** Korean is written with and without spaces. */
function closedUp(name: string): string {
  return /[가-힣]/.test(name) ? name.replaceAll(" ", "") : "";
}

function only(places: ReadonlySet<number> | undefined): OptionMatch {
  if (places === undefined || places.size === 0) return null;
  const [place = null] = places;
  return places.size === 1 ? place : "several";
}

function add(names: Map<string, Set<number>>, name: string, place: number): void {
  const places = names.get(name);
  if (places) places.add(place);
  else names.set(name, new Set([place]));
}

/** @param words of the option, see `inWords` */
function isPartOf(option: string, phrase: string, words: (option: string) => string): boolean {
  return /^[ -~]*$/.test(phrase) ? words(option).includes(` ${phrase} `) : option.includes(phrase);
}

/** The words of a text, each between two blanks. */
function inWords(text: string): string {
  return ` ${text.replace(/[^a-z\d]+/g, " ")} `;
}

function numbersIn(text: string, words: boolean): number[] {
  const leading = words ? leadingNumber(text) : null;
  return [...(text.match(/\d+/g)?.map(Number) ?? []), ...(leading === null ? [] : [leading])];
}

/** Letters that stand alone as a name: not an article, not "I", not what an apostrophe cuts off. */
function lettersIn(option: string): string[] {
  const text = option.normalize("NFKC");
  return [...text.matchAll(/(?<![A-Za-z\d'’])[A-Za-z](?![A-Za-z\d'’])/g)].flatMap(({ 0: entry, index }) => {
    const isWord = (index === 0 || /[ai]/.test(entry)) && /^[AaIi] [A-Za-z]/.test(text.slice(index, index + 3));
    return isWord ? [] : [entry.toLowerCase()];
  });
}

/** The number at the beginning of a text, in digits or as a word. */
function leadingNumber(text: string): number | null {
  const digits = /^[^\p{L}\d]{0,2}(\d+)/u.exec(text)?.[1];
  if (digits !== undefined) return Number(digits);
  const place = numerals.findIndex((words) => words.some((word) => text === word || text.startsWith(`${word} `)));
  return place < 0 ? null : place + 1;
}

/** Writes a number word at the beginning in digits. */
function inDigits(phrase: string): string {
  const number = /^\d/.test(phrase) ? null : leadingNumber(phrase);
  if (number === null) return phrase;
  const word = numerals[number - 1]?.find((one) => phrase === one || phrase.startsWith(`${one} `)) ?? "";
  return word === "" ? phrase : `${number}${trimSeparators(phrase) === word ? "" : phrase.slice(word.length)}`;
}

/*
 * Makes typed text and option texts comparable: the same case and width, without invisible characters and without
 * punctuation and emoji around them. Every function runs in linear time.
 */

/** Normalizes case, width, quotes and white space, and removes invisible characters. */
export function normalizeText(text: string): string {
  return text
    .replace(/[🅰🅱]/gu, (sign) => (sign === "🅰" ? "A" : "B"))
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\p{Cc}\p{Cf}]|[\u{fe0f}\u{20e3}]|[\u{1f3fb}-\u{1f3ff}]/gu, (sign) => (/\s/.test(sign) ? " " : ""))
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[、，]/g, ",")
    .replace(/。/g, ".")
    .replace(/\s+/g, " ")
    .trim();
}

const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
/** Excludes what negates the text it surrounds: a strikethrough, or a programmer's "not". */
const BEFORE = /[\s*_'"“”«»「」『』()[\]{}<>.,;:…—–]/;
const BEHIND = /[\s*_'"“”«»「」『』()[\]{}<>.,!?;:…—–-]/;

/** Without punctuation around it, and without emoji after words whose meaning they do not change. */
export function stripPunctuation(even: string): string {
  const isPlain = /[\p{L}\p{N}]/u.test(even) && !noSigns.some((sign) => even.includes(sign));
  const signs = [...even];
  let end = signs.length;
  if (isPlain) while (end > 0 && /[\s\p{Extended_Pictographic}]/u.test(signs[end - 1] ?? "")) end -= 1;
  while (end > 0 && BEHIND.test(signs[end - 1] ?? "")) end -= 1;
  let start = 0;
  while (
    start < end &&
    (BEFORE.test(signs[start] ?? "") || (signs[start] === "-" && !/\d/.test(signs[start + 1] ?? "")))
  )
    start += 1;
  return signs.slice(start, end).join("");
}

/** Without the punctuation between the parts of a phrase. */
export function trimSeparators(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s,.:;!]/.test(text[end - 1] ?? "")) end -= 1;
  let start = 0;
  while (start < end && /[\s,.:;(]/.test(text[start] ?? "")) start += 1;
  return text.slice(start, end);
}

/** Whether it ends as a question does. */
export function endsInQuestion(even: string): boolean {
  let end = even.length;
  while (end > 0 && even[end - 1] === "!") end -= 1;
  return even[end - 1] === "?";
}

export function withoutPictures(even: string): string {
  return [...even]
    .filter((sign) => !PICTURE.test(sign))
    .join("")
    .replace(/ +/g, " ")
    .trim();
}

export function picturesOf(even: string): string {
  return [...even].filter((sign) => PICTURE.test(sign)).join("");
}
