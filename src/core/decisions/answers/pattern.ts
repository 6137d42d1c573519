/**
 * Whether a text has a match of a regular expression that somebody else wrote. JavaScript's own search tries one way
 * after the other, for years where the expression is made for that; here all ways are followed at once, as sets of
 * places in the text, and the work is limited. The same text and expression always give the same result.
 */

/** A longer expression, or one that takes more work, is not looked into. */
const MOST_CHARS = 1_000;
const MOST_WORK = 500_000;

interface Search {
  /** The characters of the text. */
  chars: readonly string[];
  /** @throws TooMuch */
  work(): void;
}

type TextPositions = ReadonlySet<number>;
/** Where a part of the expression may end, if it begins at one of these places. */
type PatternPart = (search: Search, from: TextPositions) => Set<number>;

class TooMuch extends Error {}
class NotUnderstood extends Error {}

/** Null where that cannot be said: the expression is not understood, or takes too much work. Never throws. */
export function hasMatch(pattern: string, text: string): boolean | null {
  if (pattern.length > MOST_CHARS) return null;
  const chars = [...text];
  let left = MOST_WORK;
  const work = (): void => {
    left -= 1;
    if (left < 0) throw new TooMuch();
  };
  try {
    const whole = new PatternParser(pattern).read();
    return whole({ chars, work }, new Set([...chars.keys(), chars.length])).size > 0;
  } catch (error) {
    if (error instanceof TooMuch || error instanceof NotUnderstood) return null;
    throw error;
  }
}

/** What may stand before `{`, `*` and the like is one character, a class of characters or a group. */
class PatternParser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): PatternPart {
    const part = this.#alternatives();
    if (this.#at < this.#pattern.length) throw new NotUnderstood();
    return part;
  }

  #alternatives(): PatternPart {
    const all = [this.#sequence()];
    while (this.#match(/\|/y) !== null) all.push(this.#sequence());
    return (search, from) => new Set(all.flatMap((part) => [...part(search, from)]));
  }

  #sequence(): PatternPart {
    const parts: PatternPart[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at] ?? "")) parts.push(this.#repeated());
    return (search, from) =>
      parts.reduce<Set<number>>((at, part) => (at.size === 0 ? at : part(search, at)), new Set(from));
  }

  #repeated(): PatternPart {
    const part = this.#one();
    const [, sign, least, comma, most] = this.#match(/(?:([*+?])|\{(\d{1,6})(,?)(\d{0,6})\})\??/y) ?? [];
    if (sign !== undefined) return repeated(part, sign === "+" ? 1 : 0, sign === "?" ? 1 : Infinity);
    if (least === undefined) return part;
    return repeated(part, Number(least), comma === "" ? Number(least) : most === "" ? Infinity : Number(most));
  }

  #one(): PatternPart {
    const group = this.#match(/\((?:\?(?:[:=!]|<\w+>))?/y);
    if (group !== null) return this.#group(group[0]);
    if (this.#match(/\^/y) !== null) return where((_, place) => place === 0);
    if (this.#match(/\$/y) !== null) return where(({ chars }, place) => place === chars.length);
    const [, edge] = this.#match(/\\([bB])/y) ?? [];
    if (edge !== undefined) return where((search, place) => isEdge(search, place) === (edge === "b"));
    const [, escaped] =
      this.#match(/\\(u\{[\da-f]{1,6}\}|u[\da-f]{4}|x[\da-f]{2}|[pP]\{[\w=]+\}|[dDwWsSnrtfv0]|[^\da-z])/iy) ?? [];
    if (escaped !== undefined) return oneOf(`\\${escaped}`);
    const set = this.#match(/\[\^?(?:[^\]\\]|\\.)*\]|\./suy);
    if (set !== null) return oneOf(set[0]);
    const plain = this.#match(/[^\\()[\]*+?{}|^$]|[\]}]/suy);
    if (plain === null) throw new NotUnderstood();
    return charThat((char) => char === plain[0]);
  }

  #group(opening: string): PatternPart {
    const part = this.#alternatives();
    if (this.#match(/\)/y) === null) throw new NotUnderstood();
    if (!/[=!]$/.test(opening)) return part;
    return where((search, place) => part(search, new Set([place])).size > 0 === opening.endsWith("="));
  }

  #match(next: RegExp): RegExpExecArray | null {
    next.lastIndex = this.#at;
    const found = next.exec(this.#pattern);
    if (found !== null) this.#at = next.lastIndex;
    return found;
  }
}

function repeated(part: PatternPart, least: number, most: number): PatternPart {
  return (search, from) => {
    let at = new Set(from);
    for (let times = 0; times < least && at.size > 0; times += 1) {
      search.work();
      at = part(search, at);
    }
    const all = new Set(at);
    for (let times = least; times < most && at.size > 0; times += 1) {
      // A place that was reached with fewer repeats leads to all that it leads to with more.
      at = new Set([...part(search, at)].filter((place) => !all.has(place)));
      for (const place of at) all.add(place);
    }
    return all;
  };
}

function where(holds: (search: Search, place: number) => boolean): PatternPart {
  return (search, from) => new Set([...from].filter((place) => (search.work(), holds(search, place))));
}

function charThat(fits: (char: string) => boolean): PatternPart {
  return (search, from) =>
    new Set(
      [...where(({ chars }, place) => place < chars.length && fits(chars[place] ?? ""))(search, from)].map(
        (place) => place + 1,
      ),
    );
}

/** The engine itself reads what stands for one character: on one character it has nothing to try twice. */
function oneOf(source: string): PatternPart {
  const regex = regexFor(source, "u") ?? regexFor(source, "");
  if (regex === null) throw new NotUnderstood();
  return charThat((char) => regex.test(char));
}

function regexFor(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(`^${source}$`, flags);
  } catch {
    return null;
  }
}

function isEdge({ chars }: Search, place: number): boolean {
  return /\w/.test(chars[place - 1] ?? "") !== /\w/.test(chars[place] ?? "");
}
