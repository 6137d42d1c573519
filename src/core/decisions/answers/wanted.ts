/** What an answer has to be, where not every one counts: a number, a text of some form, or so many of the options. */
import { hasMatch } from "./pattern.ts";

/** Absent: no bound. */
interface Bounds {
  minimum?: number;
  maximum?: number;
}

export interface NumberWanted extends Bounds {
  is: "number";
  integer: boolean;
}

/** Its bounds are a number of characters. */
export interface TextWanted extends Bounds {
  is: "text";
  format?: TextFormat;
  /** A regular expression with a match in it. */
  pattern?: string;
}

/** How many options may be chosen. */
export interface ChoiceWanted extends Bounds {
  is: "choice";
}

export type AnswerFormat = NumberWanted | TextWanted | ChoiceWanted;
export type TextFormat = (typeof FORMATS)[number];

export const FORMATS = ["email", "uri", "date", "date-time"] as const;

/**
 * Whether an answer that is none of nothing is what was wanted. A pattern that cannot be tried is left to the agent.
 */
export function fitsConstraint(
  wanted: AnswerFormat | undefined,
  { places, words }: { places: readonly number[]; words: string | null },
): boolean {
  if (wanted === undefined) return true;
  if (wanted.is === "choice") return places.length === 0 || isWithin(places.length, wanted);
  if (words === null) return true;
  return wanted.is === "number" ? numberIn(words, wanted) !== null : isText(words, wanted);
}

/** The number that the text is; null if it is none, or none that fits. */
export function numberIn(text: string, { integer, ...bounds }: NumberWanted): number | null {
  const value = /^[+-]?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) && (!integer || Number.isSafeInteger(value)) && isWithin(value, bounds) ? value : null;
}

function isText(text: string, { format, pattern, ...bounds }: TextWanted): boolean {
  if (!isWithin([...text].length, bounds)) return false;
  return (format === undefined || isOf[format](text)) && (pattern === undefined || hasMatch(pattern, text) !== false);
}

function isWithin(value: number, { minimum = value, maximum = value }: Bounds): boolean {
  return value >= minimum && value <= maximum;
}

const isOf: Readonly<Record<TextFormat, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text),
  date: isDate,
  "date-time": (text) => {
    const [, date = "", hours, minutes, seconds] =
      /^(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.exec(text) ?? [];
    return isDate(date) && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) <= 60;
  },
};

function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (days[month - 1] ?? 0);
}
