/**
 * A regular expression as a tree, for counting what it costs. What a single character may be, be it a class, an
 * escape or a letter, is left to the engine itself: only the shape around it is read here.
 */

export type Pattern =
  /** One character. `of` says which. */
  | { type: "one"; of: (char: string) => boolean; source: string }
  | { type: "sequence"; parts: Pattern[] }
  | { type: "either"; branches: Pattern[] }
  | { type: "repeat"; what: Pattern; least: number; most: number; lazy: boolean }
  | { type: "group"; number: number; what: Pattern }
  | { type: "look"; behind: boolean; not: boolean; what: Pattern }
  | { type: "back"; number: number }
  | { type: "edge"; kind: "^" | "$" | "b" | "B" };

const BOUNDS: Record<string, [number, number]> = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] };
/** A repetition that may be longer counts as one without an end: what grows up to there has grown enough. */
const MANY = 16;

/** @throws where it meets what it does not know, so that nothing is judged by half */
export function parsePattern({ source, flags }: Pick<RegExp, "source" | "flags">): Pattern {
  return new Parser(source, flags.replace(/[^iusv]/g, "")).read();
}

class Parser {
  readonly #source: string;
  readonly #flags: string;
  readonly #names: string[];
  readonly #sets = new Map<string, (char: string) => boolean>();
  #at = 0;
  #groups = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
    this.#names = [...source.matchAll(/\((?!\?)|\(\?<([A-Za-z]\w*)>/g)].map(([, name]) => name ?? "");
  }

  read(): Pattern {
    const pattern = this.#either();
    if (this.#at < this.#source.length) throw this.#unknown();
    return pattern;
  }

  #either(): Pattern {
    const branches = [this.#sequence()];
    while (this.#take("|")) branches.push(this.#sequence());
    return branches.length === 1 ? branches[0]! : { type: "either", branches };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!))
      parts.push(this.#repeated(this.#atom()));
    return { type: "sequence", parts };
  }

  #repeated(what: Pattern): Pattern {
    const [written, counted, least, comma, most] = /^(?:[*+?]|(\{(\d+)(,?)(\d*)\}))/.exec(
      this.#source.slice(this.#at),
    ) ?? [""];
    if (written === "") return what;
    this.#at += written.length;
    const [from, to] =
      counted === undefined
        ? BOUNDS[written]!
        : [Number(least), most ? Number(most) : comma ? Infinity : Number(least)];
    return {
      type: "repeat",
      what,
      least: from!,
      most: from !== to && to! > MANY ? Infinity : to!,
      lazy: this.#take("?"),
    };
  }

  #atom(): Pattern {
    for (const [look, behind, not] of [
      ["(?=", false, false],
      ["(?!", false, true],
      ["(?<=", true, false],
      ["(?<!", true, true],
    ] as const) {
      if (this.#take(look)) return { type: "look", behind, not, what: this.#closed() };
    }
    if (this.#take("(?:")) return this.#closed();
    const opening = /^\((?:\?<\w+>)?/.exec(this.#source.slice(this.#at))?.[0];
    if (opening !== undefined) {
      this.#at += opening.length;
      const number = (this.#groups += 1);
      return { type: "group", number, what: this.#closed() };
    }
    if (this.#take("^")) return { type: "edge", kind: "^" };
    if (this.#take("$")) return { type: "edge", kind: "$" };
    return this.#source[this.#at] === "\\"
      ? this.#escape()
      : this.#one(this.#source[this.#at] === "[" ? this.#class() : this.#letter());
  }

  #closed(): Pattern {
    const inside = this.#either();
    if (!this.#take(")")) throw this.#unknown();
    return inside;
  }

  #escape(): Pattern {
    const rest = this.#source.slice(this.#at);
    const [written = "", edge, number, name] = /^\\(?:([bB])|([1-9])|k<(\w+)>)/.exec(rest) ?? [];
    if (written !== "") {
      this.#at += written.length;
      if (edge !== undefined) return { type: "edge", kind: edge as "b" | "B" };
      return { type: "back", number: number === undefined ? this.#names.indexOf(name ?? "") + 1 : Number(number) };
    }
    const whole = /^\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|[pP]\{[^}]+\}|c[A-Z]|[^])/iu.exec(rest)?.[0] ?? "";
    if (whole === "") throw this.#unknown();
    return this.#one(whole);
  }

  #class(): string {
    let depth = 0;
    let end = this.#at;
    do {
      const char = this.#source[end];
      if (char === undefined) throw this.#unknown();
      if (char === "\\") end += 1;
      // Only in the newest mode does a class stand in a class.
      else if (char === "[" && (depth === 0 || this.#flags.includes("v"))) depth += 1;
      else if (char === "]") depth -= 1;
      end += 1;
    } while (depth > 0);
    return this.#source.slice(this.#at, end);
  }

  #letter(): string {
    const wide = /[uv]/.test(this.#flags);
    return wide ? String.fromCodePoint(this.#source.codePointAt(this.#at)!) : this.#source[this.#at]!;
  }

  #one(written: string): Pattern {
    this.#at += written.length;
    const source = /^[{}\]/]$/.test(written) ? `\\${written}` : written;
    let of = this.#sets.get(source);
    if (!of) this.#sets.set(source, (of = membership(new RegExp(`^(?:${source})$`, this.#flags))));
    return { type: "one", of, source };
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #unknown(): Error {
    return new Error(`cannot read /${this.#source}/ at ${this.#at}`);
  }
}

function membership(set: RegExp): (char: string) => boolean {
  const known = new Map<string, boolean>();
  return (char) => {
    let is = known.get(char);
    if (is === undefined) known.set(char, (is = set.test(char)));
    return is;
  };
}
