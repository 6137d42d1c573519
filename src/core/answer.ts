/**
 * What a typed message means as the answer to something that was asked. It is read as an option only where nothing
 * else can be meant: the option's own words, letter or number, with nothing around it but what changes nothing. What
 * denies, doubts, asks back or names two is told apart and is asked again; nothing here ever guesses.
 */
import * as lexicon from "./answer-lexicon.ts";

export interface Asked {
  /** As they are shown. None: any text is an answer. */
  options: readonly string[];
  /** Several may be chosen. */
  many?: boolean;
  /** The option that a mere yes, or a mere no, stands for; where not given, the one that begins with such a word. */
  yes?: number;
  no?: number;
  /** An answer in the owner's own words counts. */
  words: boolean;
}

export type Unclear = "nothing" | "several" | "negated" | "unsure" | "question" | "unknown";

export type Reading =
  /** Places in `options`, ascending; one unless many may be chosen. */
  | { kind: "options"; places: number[] }
  | { kind: "words" }
  | { kind: "unclear"; why: Unclear };

/** An answer in one's own words has as many characters, or as many letters of a script that needs fewer. */
const WORDS_CHARS = 15;
const WORDS_LETTERS = 3;
/** Around an option there may be as many characters before it is no longer worth looking for it. */
const AROUND_CHARS = 60;
const STEPS = 7;

/** Never throws. */
export function readAnswer(text: string, asked: Asked): Reading {
  const even = evened(text);
  const bare = stripped(even);
  if (asked.options.length === 0) return /[^\s\p{Cf}]/u.test(even) ? { kind: "words" } : unclear("nothing");
  const names = new Names(asked);
  const asksBack = /\?[!?]*$/.test(even);
  const exact = names.exact(even) ?? (asksBack ? null : names.exact(bare));
  if (exact) return chosen(exact, asked, false);
  if (bare === "" && !asksBack) return unclear("nothing");
  const plain = bare.length > names.longest + AROUND_CHARS ? null : readPhrase(bare, asksBack, names, asked);
  if (plain) return plain;
  if (asked.words && inOwnWords(bare)) return { kind: "words" };
  return unclear(asksBack ? "question" : "unknown");
}

/** What a phrase says that is hardly longer than an option; null where it is none of what is looked for. */
function readPhrase(bare: string, asksBack: boolean, names: Names, asked: Asked): Reading | null {
  if (lexicon.questionWords.has(bare)) return unclear("question");
  if (lexicon.unsureWords.has(bare)) return unclear("unsure");
  if (lexicon.noneWords.has(bare)) return unclear("negated");
  const unasked = bare.replace(lexicon.asking, "");
  const said = readPlain(unasked, names, asked);
  if (said) return asksBack || unasked !== bare ? unclear("question") : said;
  if (isDenied(bare, names, asked)) return unclear("negated");
  const undoubted = bare.replace(lexicon.doubt, "");
  if (undoubted !== bare && readPlain(undoubted, names, asked)) return unclear("unsure");
  return null;
}

/** Options, or a yes or no, said plainly. */
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
  for (const phrase of peeled(bare)) {
    const found = names.of(phrase) ?? everything(phrase, asked);
    if (found) return chosen(found, asked, false);
  }
  for (const phrase of peeled(bare)) {
    const list = phrase.replace(lexicon.beforeAList, "");
    for (const separator of lexicon.between) {
      const places = list.split(separator).map((piece) => firstOf(piece, names));
      if (places.length > 1 && places.every((place) => place !== null)) return chosen(places.flat(), asked, lexicon.choosing.test(phrase));
    }
  }
  return null;
}

/** "Yes, A" and "A, yes" say A, unless A is the no. */
function readWithYes(bare: string, names: Names, asked: Asked): Reading | null {
  const [first = "", ...others] = bare.split(/[, ]+/);
  const last = others.at(-1) ?? "";
  for (const [word, rest] of [[first, bare.slice(first.length)], [last, bare.slice(0, -last.length)]] as const) {
    // "안 해줘" is no yes.
    const polarity = lexicon.manner.test(word) ? null : polarityOf(word, names);
    const said = polarity === null || polarity === "both" ? null : readOptions(trimmed(rest), names, asked);
    if (said?.kind !== "options") continue;
    const [place] = said.places;
    if (polarity === "yes") return place === names.no ? unclear("several") : said;
    if (said.places.length === 1 && place === names.no && lexicon.mereNo.has(word)) return said;
  }
  return null;
}

function everything(phrase: string, { options }: Asked): number[] | null {
  if (lexicon.allWords.has(phrase) || lexicon.bothWords.has(phrase)) {
    const both = lexicon.bothWords.has(phrase);
    return both && options.length !== 2 ? [0, 1, Number.NaN] : options.map((_, place) => place);
  }
  return null;
}

/** @param open it was left open which of them */
function chosen(found: readonly number[], { many = false, options }: Asked, open: boolean): Reading {
  const places = [...new Set(found)].toSorted((one, other) => one - other);
  if (places.some(Number.isNaN)) return unclear("several");
  if (places.some((place) => place >= options.length)) return unclear("unknown");
  if (places.length > 1 && (open || !many)) return unclear("several");
  return { kind: "options", places };
}

/** Whether something that could be said plainly stands beside a word that turns it round. */
function isDenied(bare: string, names: Names, asked: Asked): boolean {
  const pieces = bare.split(lexicon.negation);
  if (pieces.length < 2) return false;
  const isPlain = (piece: string): boolean => piece === "" || readPlain(piece, names, asked) !== null;
  return pieces.map(trimmed).every((piece) => isPlain(piece) || piece.split(lexicon.insteadOf).map(trimmed).every(isPlain));
}

/** Whether it is made of words for yes, for no, or of both. */
function polarityOf(bare: string, names: Names): "yes" | "no" | "both" | null {
  if (lexicon.yesSigns.includes(bare)) return "yes";
  if (lexicon.noSigns.includes(bare)) return "no";
  for (const phrase of peeled(bare)) {
    if (names.isOne(phrase)) return null;
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

/** The words for yes and no that the phrase is made of; null where there is anything else in it. */
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

/** The phrase, and what is left of it when what changes nothing is taken away around it, bit by bit. */
function peeled(phrase: string): Set<string> {
  const known = new Set([phrase]);
  let edge = [phrase];
  for (let step = 0; step < STEPS && edge.length > 0; step += 1) {
    edge = edge.flatMap((one) => [...lexicon.before, ...lexicon.behind].map((pattern) => trimmed(one.replace(pattern, "")))).filter((one) => one !== "" && !known.has(one));
    for (const one of edge) known.add(one);
  }
  return known;
}

function firstOf(piece: string, names: Names): number[] | null {
  for (const phrase of peeled(trimmed(piece))) {
    const found = names.of(phrase);
    if (found) return found;
  }
  return null;
}

const LABEL = /^\(?([a-z]|\d{1,2})[).:] *(.+)$/;

/** Everything by which an option may be called. */
class Names {
  readonly yes: number | undefined;
  readonly no: number | undefined;
  /** Characters of the longest. */
  readonly longest: number;
  readonly #texts = new Map<string, Set<number>>();
  readonly #labels: readonly string[] | null;
  readonly #count: number;

  constructor({ options, yes, no }: Asked) {
    this.#count = options.length;
    const even = options.map(evened);
    const labels = even.map((option) => LABEL.exec(option));
    this.#labels = labels.every((label) => label !== null) ? labels.map((label) => label?.[1] ?? "") : null;
    const own = even.map((option, place) => (this.#labels ? (labels[place]?.[2] ?? option) : option));
    const alone = options.length === 1 ? 0 : undefined;
    this.yes = yes ?? onlyOne(own, lexicon.yesWords) ?? alone;
    this.no = no ?? onlyOne(own, lexicon.noWords);
    own.forEach((option, place) => {
      for (const name of [even[place] ?? "", option, withoutPolarity(option)]) {
        for (const written of [name, stripped(name), closedUp(name)]) if (written !== "") this.#texts.set(written, (this.#texts.get(written) ?? new Set()).add(place));
      }
    });
    this.longest = Math.max(0, ...even.map(({ length }) => length));
  }

  /** By the option's own words alone. */
  exact(text: string): number[] | null {
    const places = this.#texts.get(text);
    const label = places === undefined ? null : this.#byLabel(text);
    return places === undefined ? null : [...new Set([...places, ...(label === null ? [] : [label])])];
  }

  isOne(phrase: string): boolean {
    return this.of(phrase)?.every((place) => place < this.#count) ?? false;
  }

  /** By any name; a place beyond the last for a name that no option has. */
  of(phrase: string): number[] | null {
    const exact = this.exact(phrase);
    if (exact) return exact;
    const label = this.#byLabel(phrase);
    if (label !== null) return [label];
    const [, name = "", rest = ""] = /^(.{1,3}?)(?: *[):.,] *| +- +)(.+)$/.exec(phrase) ?? [];
    const named = name === "" ? null : this.#byLabel(name);
    return named !== null && this.exact(rest)?.includes(named) ? [named] : null;
  }

  #byLabel(text: string): number | null {
    if (this.#labels?.includes(text)) return this.#labels.indexOf(text);
    if (/^[a-z]$/.test(text)) return text.charCodeAt(0) - 97;
    // Zero and what is far beyond is a number like any other, not a place.
    if (/^\d{1,2}$/.test(text)) return text === "0" ? this.#count : Number(text) - 1;
    if (lexicon.lastWords.has(text)) return this.#count - 1;
    const place = lexicon.counted.findIndex((words) => words.includes(text));
    return place < 0 ? null : place;
  }
}

function onlyOne(options: readonly string[], words: readonly string[]): number | undefined {
  const begin = options.flatMap((option, place) => (words.some((word) => option.startsWith(word) && /^(?:$|[,.:! ])/.test(option.slice(word.length))) ? [place] : []));
  return begin.length === 1 ? begin[0] : undefined;
}

/** "Yes, deploy" is called "deploy" as well. */
function withoutPolarity(option: string): string {
  const [, first = "", rest = ""] = /^([^,:]+)[,:] *(.+)$/.exec(option) ?? [];
  return lexicon.yesWords.includes(first) || lexicon.noWords.includes(first) ? rest : "";
}

/** Korean is written with and without spaces. */
function closedUp(name: string): string {
  return /[가-힣]/.test(name) ? name.replaceAll(" ", "") : "";
}

/** Case, width, quotes and white space evened out, and what nobody sees taken out. */
function evened(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\p{Cc}\p{Cf}]|\u{fe0f}|[\u{1f3fb}-\u{1f3ff}]/gu, (sign) => (/\s/.test(sign) ? " " : ""))
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[、，]/g, ",")
    .replace(/。/g, ".")
    .replace(/\s+/g, " ")
    .trim();
}

/** Not what takes back what it stands around: a line through it, or a programmer's "not". */
const EDGES = /^(?:[\s*_'"“”«»「」『』()[\]{}<>.,;:…—–]|-(?!\d))+|[\s*_'"“”«»「」『』()[\]{}<>.,!?;:…—–-]+$/gu;
const SIGNS = /[\s\p{Extended_Pictographic}]+$/u;

/** Without marks around it, and without pictures behind words that do not turn them round. */
function stripped(even: string): string {
  const words = /[\p{L}\p{N}]/u.test(even) && !lexicon.noSigns.some((sign) => even.includes(sign)) ? even.replace(SIGNS, "") : even;
  return words.replace(EDGES, "");
}

function trimmed(text: string): string {
  return text.replace(/^[\s,.:;]+|[\s,.:;!]+$/g, "");
}

function inOwnWords(bare: string): boolean {
  const letters = bare.match(/[가-힣]|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Han}/gu)?.length ?? 0;
  return letters >= WORDS_LETTERS || ([...bare].length >= WORDS_CHARS && /\p{L}/u.test(bare));
}

function unclear(why: Unclear): Reading {
  return { kind: "unclear", why };
}
