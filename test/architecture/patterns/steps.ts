/**
 * How many characters a regular expression looks at for an input, counted by doing what a backtracking engine does.
 * A count is the same on every machine and at every hour, which no clock is.
 */
import type { Pattern } from "./parse.ts";

/** Nothing that is asked of it here is worth more. */
const ENOUGH = 50_000;

/** For all matches of it, as a split or a replacement asks for them; `Infinity` beyond what is worth counting. */
export function stepsOf(pattern: Pattern, flags: string, input: string): number {
  const chars = /[uv]/.test(flags) ? [...input] : input.split("");
  const search = new Search(chars, flags.includes("m"));
  try {
    for (let from = 0; from <= chars.length;) {
      const end = search.matchAt(pattern, from);
      if (end === null && flags.includes("y")) break;
      from = end === null || end === from ? from + 1 : end;
    }
  } catch (error) {
    if (error === TOO_MANY) return Infinity;
    throw error;
  }
  return search.steps;
}

const TOO_MANY = new Error("too many steps");

type Then = (at: number) => boolean;

class Search {
  steps = 0;
  readonly #chars: readonly string[];
  readonly #lines: boolean;
  readonly #groups: ([number, number] | undefined)[] = [];

  constructor(chars: readonly string[], lines: boolean) {
    this.#chars = chars;
    this.#lines = lines;
  }

  matchAt(pattern: Pattern, from: number): number | null {
    let end: number | null = null;
    this.#match(pattern, from, 1, (at) => ((end = at), true));
    return end;
  }

  #match(pattern: Pattern, at: number, way: 1 | -1, then: Then): boolean {
    if ((this.steps += 1) > ENOUGH) throw TOO_MANY;
    switch (pattern.type) {
      case "one": {
        const char = this.#chars[way === 1 ? at : at - 1];
        return char !== undefined && pattern.of(char) && then(at + way);
      }
      case "sequence":
        return this.#sequence(way === 1 ? pattern.parts : pattern.parts.toReversed(), 0, at, way, then);
      case "either":
        return pattern.branches.some((branch) => this.#match(branch, at, way, then));
      case "repeat":
        return this.#repeat(pattern, 0, at, way, then);
      case "group":
        return this.#group(pattern, at, way, then);
      case "look": {
        const is = this.#match(pattern.what, at, pattern.behind ? -1 : 1, () => true);
        return is !== pattern.not && then(at);
      }
      case "back": {
        const [from, to] = this.#groups[pattern.number] ?? [0, 0];
        const [start, end] = way === 1 ? [at, at + to - from] : [at - to + from, at];
        const same = this.#chars.slice(start, end).join("") === this.#chars.slice(from, to).join("");
        return same && then(way === 1 ? end : start);
      }
      case "edge":
        return this.#isEdge(pattern.kind, at) && then(at);
    }
  }

  #sequence(parts: readonly Pattern[], index: number, at: number, way: 1 | -1, then: Then): boolean {
    const part = parts[index];
    return part === undefined
      ? then(at)
      : this.#match(part, at, way, (next) => this.#sequence(parts, index + 1, next, way, then));
  }

  #repeat(pattern: Extract<Pattern, { type: "repeat" }>, done: number, at: number, way: 1 | -1, then: Then): boolean {
    const { what, least, most, lazy } = pattern;
    const again = (): boolean =>
      done < most &&
      this.#match(
        what,
        at,
        way,
        (next) => (next !== at || done < least) && this.#repeat(pattern, done + 1, next, way, then),
      );
    if (done < least) return again();
    return lazy ? then(at) || again() : again() || then(at);
  }

  #group({ number, what }: Extract<Pattern, { type: "group" }>, at: number, way: 1 | -1, then: Then): boolean {
    const before = this.#groups[number];
    return this.#match(what, at, way, (next) => {
      this.#groups[number] = [Math.min(at, next), Math.max(at, next)];
      if (then(next)) return true;
      this.#groups[number] = before;
      return false;
    });
  }

  #isEdge(kind: "^" | "$" | "b" | "B", at: number): boolean {
    const [before, after] = [this.#chars[at - 1], this.#chars[at]];
    switch (kind) {
      case "^":
        return at === 0 || (this.#lines && before === "\n");
      case "$":
        return at === this.#chars.length || (this.#lines && after === "\n");
      default:
        return (isWord(before) !== isWord(after)) === (kind === "b");
    }
  }
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char);
}
