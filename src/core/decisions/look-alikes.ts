/**
 * Words of a command or a path that mix scripts: a Cyrillic `а` in `cаt` names another program and looks the same. What
 * Unicode calls highly restrictive (UTS 39) is no mixture: one script, and Latin with the scripts that Japanese,
 * Chinese or Korean is written in.
 */

/** A word, and those of its letters that are not of the script of most. */
export interface MixedWord {
  word: string;
  /**
   * Codes of ISO 15924: the script of most letters, and those of the others; `Zyyy` for forms of Latin letters that
   * belong to none.
   */
  scripts: string[];
  /** `at`: which letter of the word it is, from 1; `code`: its number in Unicode. */
  letters: { at: number; code: number }[];
}

/** More are not named. */
const MOST_WORDS = 3;
const MOST_LETTERS = 5;
/** Of a longer word only the beginning is named. */
const MOST_CHARS = 60;
/** More than anybody reads is not looked through. */
const MOST_TEXT = 100_000;

const WORD = /[\p{L}\p{M}\p{N}]+/gv;
const NOT_ASCII = /[^\0-\x7f]/;
/** In place of a script: what belongs to none. */
const FORMS = "Zyyy";
/** Forms of Latin letters and digits for East Asian and mathematical texts. */
const FORM = /^[\uff10-\uff5a\u{1d400}-\u{1d7ff}]$/v;
/** Scripts by their codes, as far as anybody writes in them today, and some in which look-alikes are found. */
const SCRIPTS =
  "Latn Cyrl Grek Armn Hebr Arab Syrc Thaa Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Thai Laoo Tibt Mymr Geor Hang Ethi Cher Cans Ogam Runr Khmr Mong Hira Kana Bopo Hani Yiii Goth Copt Tfng Lisu Vaii Bamu Nkoo Java Bali Cakm Osge Adlm Dsrt Glag"
    .split(" ")
    .map((code) => ({ code, pattern: new RegExp(`^\\p{sc=${code}}$`, "v") }));
const BESIDE_LATIN =
  /^[\p{scx=Latn}\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Zyyy}\p{scx=Zinh}]+$|^[\p{scx=Latn}\p{scx=Hani}\p{scx=Bopo}\p{scx=Zyyy}\p{scx=Zinh}]+$|^[\p{scx=Latn}\p{scx=Hani}\p{scx=Hang}\p{scx=Zyyy}\p{scx=Zinh}]+$/v;
const EAST_ASIAN = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]/v;

/** Fields that hold a command, a path or an address. */
const NAMING: ReadonlySet<string> = new Set(
  "command cmd script path file_path filePath filepath abs_path absolute_path notebook_path cwd url uri title".split(
    " ",
  ),
);

/** The texts of a request that name what is run, read or written. */
export function namingTexts(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "string" ? (NAMING.has(name) ? [value] : []) : namingTexts(value),
  );
}

/** The first such words of the texts, each once. */
export function mixedWords(texts: readonly string[]): MixedWord[] {
  const found = new Map<string, MixedWord>();
  for (const text of texts) {
    for (const [word] of text.slice(0, MOST_TEXT).matchAll(WORD)) {
      if (found.size === MOST_WORDS) return [...found.values()];
      const mixed = NOT_ASCII.test(word) && !found.has(word) ? mixture(word) : null;
      if (mixed !== null) found.set(word, mixed);
    }
  }
  return [...found.values()];
}

function mixture(word: string): MixedWord | null {
  const letters = Array.from(word.slice(0, MOST_CHARS), (letter, at) => ({
    at: at + 1,
    letter,
    script: scriptOf(letter, word),
  })).flatMap(({ script, ...one }) => (script === null ? [] : [{ ...one, script }]));
  const counts = Map.groupBy(
    letters.filter(({ script }) => script !== FORMS),
    ({ script }) => script,
  );
  // Equally many: the first of them.
  const [main = "Latn"] = [...counts].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  const foreign = letters.filter(({ script }) => script !== main);
  if (foreign.length === 0 || (BESIDE_LATIN.test(word) && !foreign.some(({ script }) => script === FORMS))) return null;
  return {
    word: word.length > MOST_CHARS ? `${word.slice(0, MOST_CHARS).toWellFormed()}…` : word,
    scripts: [main, ...new Set(foreign.map(({ script }) => script))],
    letters: foreign.slice(0, MOST_LETTERS).map(({ at, letter }) => ({ at, code: letter.codePointAt(0) ?? 0 })),
  };
}

/** Null for what belongs to every script, and for one that is not known here. */
function scriptOf(letter: string, word: string): string | null {
  // Beside Han, kana and Hangul these are usual.
  if (FORM.test(letter)) return EAST_ASIAN.test(word) ? null : FORMS;
  return SCRIPTS.find(({ pattern }) => pattern.test(letter))?.code ?? null;
}
