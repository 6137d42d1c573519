/**
 * Inputs that make a regular expression work the most: something it likes, over and over, behind what leads it there
 * and before what disappoints it. All of it is made from the expression itself, so none has to be thought of.
 */
import { parsePattern, type Pattern } from "./parse.ts";
import { stepsOf } from "./steps.ts";

/** One kind of character each, as far as the expressions here tell them apart. */
const USUAL = [
  ..." \t\n\ra0A_-.,:;!?|>`~'\"()[]{}<*=#/\\@+&%^$",
  "\0",
  "\x1b",
  "\x9b",
  "é",
  "가",
  "か",
  "好",
  "。",
  "・",
  "😀",
  "\u200d",
  "\u0301",
  "\ufe0f",
  "\u05d0",
];
/** Characters of the smaller input; twice as many may cost so much more. */
const CHARS = 90;
const MOST_TIMES = 50;
const MOST_GROWTH = 2.5;
/** Looks at each character that cannot be a growth beyond measure at this size: so most inputs are judged at once. */
const FEW_LOOKS = 6;

/** An input for which twice as much of it costs more than two and a half times the work; null where there is none. */
export function hostileTo(regex: Pick<RegExp, "source" | "flags">): string | null {
  const pattern = parsePattern(regex);
  if (!repeatsOf(pattern).some(({ most }) => most === Infinity)) return null;
  const alphabet = alphabetOf(pattern);
  const strange = strangeTo(pattern, alphabet);
  const ends = ["", strange, "\n", `${strange}\n${strange}`];
  const pumps = pumpsOf(pattern);
  for (const before of leadsTo(pattern)) {
    for (const again of pumps) {
      // What begins like a repetition's own characters may disappoint it as well.
      const all =
        again.length === 1 && before.length < 2 && alphabet.length <= FEW_LETTERS ? [...ends, ...alphabet] : ends;
      const after = all.find((end) => grows(pattern, regex.flags, before, again, end));
      if (after !== undefined) return JSON.stringify([before, again, after]);
    }
  }
  return null;
}

function grows(pattern: Pattern, flags: string, before: string, again: string, after: string): boolean {
  const times = Math.min(MOST_TIMES, Math.ceil(CHARS / again.length));
  const steps = (repetitions: number): number => stepsOf(pattern, flags, before + again.repeat(repetitions) + after);
  const twice = steps(2 * times);
  if (twice === Infinity) return true;
  if (twice <= FEW_LOOKS * 2 * times * again.length) return false;
  // What it costs to begin is no growth.
  const none = Math.min(steps(0), steps(1));
  return twice - none > MOST_GROWTH * (steps(times) - none);
}

/** Beyond these an expression is a list of words, which the repetitions and wholes below stand for. */
const MOST_LETTERS = 24;
const FEW_LETTERS = 14;
/** Of those longer than two characters. */
const MOST_PUMPS = 30;

function repeatsOf(pattern: Pattern): Extract<Pattern, { type: "repeat" }>[] {
  const inside = partsOf(pattern).flatMap(repeatsOf);
  return pattern.type === "repeat" ? [pattern, ...inside] : inside;
}

function partsOf(pattern: Pattern): Pattern[] {
  switch (pattern.type) {
    case "sequence":
      return pattern.parts;
    case "either":
      return pattern.branches;
    case "repeat":
    case "group":
    case "look":
      return [pattern.what];
    default:
      return [];
  }
}

/** The characters it tells apart, one of each kind, and one it does not know where there is one. */
function alphabetOf(pattern: Pattern): string[] {
  const ones = onesOf(pattern);
  const written = ones.flatMap(({ source }) => (source.length === 1 ? [source] : []));
  const kinds = new Map<string, string>();
  for (const char of [...USUAL, ...written]) {
    // Where a line or a word ends may matter though no class asks for it.
    const kind = [char === "\n", /\w/.test(char), ...ones.map(({ of }) => of(char))].map(Number).join("");
    if (!kinds.has(kind)) kinds.set(kind, char);
  }
  return [...kinds.values()].slice(0, MOST_LETTERS);
}

function onesOf(pattern: Pattern): Extract<Pattern, { type: "one" }>[] {
  return pattern.type === "one" ? [pattern] : partsOf(pattern).flatMap(onesOf);
}

/** What may be repeated: characters, pairs of them, and what the expression itself repeats or is. */
function pumpsOf(pattern: Pattern): Set<string> {
  const alphabet = alphabetOf(pattern);
  const pairs = alphabet.length > 9 ? [] : alphabet.flatMap((a) => alphabet.map((b) => a + b));
  const wholes = shortest(pattern, alphabet);
  const bodies = repeatsOf(pattern)
    .filter(({ most }) => most === Infinity)
    .flatMap(({ what }) => shortest(what, alphabet, 6));
  const few = [...new Set([...bodies, ...wholes, ...wholes.map((whole) => whole.slice(0, -1))])].slice(0, MOST_PUMPS);
  return new Set([...alphabet, ...few, ...pairs].filter((pump) => pump !== ""));
}

/** What it does not know, where there is such a thing. */
function strangeTo(pattern: Pattern, alphabet: readonly string[]): string {
  const ones = onesOf(pattern);
  return alphabet.find((char) => !ones.some(({ of }) => of(char))) ?? "\0";
}

/** Short texts that it matches, a few for each way through it. */
function shortest(pattern: Pattern, alphabet: readonly string[], few = 12): string[] {
  switch (pattern.type) {
    case "one": {
      const char = alphabet.find((candidate) => pattern.of(candidate));
      return char === undefined ? [] : [char];
    }
    case "sequence":
      return pattern.parts.reduce<string[]>((all, part) => join(all, shortest(part, alphabet, few), few), [""]);
    case "either":
      return pattern.branches.flatMap((branch) => shortest(branch, alphabet, few)).slice(0, few);
    case "repeat": {
      const once = shortest(pattern.what, alphabet, few);
      const least = once.map((one) => one.repeat(pattern.least));
      return [...new Set(pattern.least === 0 ? ["", ...once] : least)].slice(0, few);
    }
    case "group":
      return shortest(pattern.what, alphabet, few);
    default:
      return [""];
  }
}

function join(before: readonly string[], after: readonly string[], few: number): string[] {
  return before.flatMap((one) => after.map((other) => one + other)).slice(0, few);
}

/** What leads to each of its repetitions. */
function leadsTo(pattern: Pattern): Set<string> {
  const alphabet = alphabetOf(pattern);
  // Behind something strange nothing is at the beginning.
  const leads = new Set(["", strangeTo(pattern, alphabet)]);
  const visit = (part: Pattern, before: readonly string[]): void => {
    if (part.type === "repeat" && part.most === Infinity) for (const lead of before.slice(0, 3)) leads.add(lead);
    if (part.type !== "sequence") return partsOf(part).forEach((inner) => visit(inner, before));
    let here = before;
    for (const inner of part.parts) {
      visit(inner, here);
      here = join(here, shortest(inner, alphabet, 3), 6);
    }
  };
  visit(pattern, [""]);
  return leads;
}
