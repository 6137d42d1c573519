/**
 * Pure text helpers: cut text without breaking characters, and remove what a terminal would obey instead of show.
 */
import { once } from "./once.ts";

/** It takes 20 ms, a tenth of a start, and most starts cut no text. */
const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

/** Longer clusters of joined characters, in code units, are cut anyway. */
const LONGEST_CLUSTER = 128;

/**
 * The beginning of a text, at most `max` UTF-16 code units including the ellipsis that marks a cut. A cut never splits
 * what a person sees as one character, unless that alone is longer than `LONGEST_CLUSTER`.
 */
export function excerpt(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return "";
  return `${longestBeginning(text, max - 1).trimEnd()}…`;
}

/** The longest beginning of at most `max` UTF-16 code units that ends between two graphemes. */
export function longestBeginning(text: string, max: number): string {
  if (text.length <= max) return text;
  // Only the text around the cut is segmented, so a megabyte costs no more than a line.
  const start = betweenSurrogates(text, Math.max(0, max - LONGEST_CLUSTER));
  const cluster = graphemes(text.slice(start, max + LONGEST_CLUSTER)).containing(max - start);
  const whole = cluster !== undefined && cluster.segment.length <= LONGEST_CLUSTER;
  return text.slice(0, whole ? start + cluster.index : betweenSurrogates(text, max));
}

/** The longest end of at most `max` UTF-16 code units that begins a line; of a single line that is longer, its end. */
export function lastLines(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  const line = text.indexOf("\n", start - 1) + 1;
  return text.slice(line > 0 && line < text.length ? line : betweenSurrogates(text, start + 1));
}

// ESC sequences first (CSI, those that carry a text up to a terminator, any other two-character form), then single
// controls. An unterminated sequence hides nothing after it. Newline and tab stay. Marks that change the writing
// direction are removed too, because they make a line read as something else.
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** The text without escape sequences; carriage returns become newlines. */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCES, "").replace(/\r\n?/g, "\n");
}

/** The text without anything a terminal would act on; newlines and tabs stay. */
export function withoutControls(text: string): string {
  return withoutSequences(text).replace(CONTROLS, "");
}

/** The text on one line, safe for a terminal, cut to `max` code units between whole characters. */
export function oneLine(text: string, max: number): string {
  return excerpt(beginningOfLine(text, max) ?? lineOf(text), max);
}

function lineOf(text: string): string {
  return withoutControls(text).toWellFormed().replace(/\s+/g, " ").trim();
}

/**
 * One line made of a long text's beginning only, so that a megabyte costs no more than a page. Its first characters are
 * those that the whole text would give. Null where they may not be: an escape sequence may go on after the beginning,
 * or removing blanks leaves too little.
 */
function beginningOfLine(text: string, max: number): string | null {
  const first = text.slice(0, 4 * (max + LONGEST_CLUSTER));
  if (first.length === text.length || /[\x1b\x9b\x9d]/.test(first)) return null;
  const line = lineOf(first);
  return line.length > max + 2 * LONGEST_CLUSTER ? line : null;
}

/**
 * A count of 0 or more with its digits in threes, as our languages all write it. Node's own way takes 50 ms when it is
 * first used.
 */
export function groupDigits(count: number): string {
  const digits = String(count);
  const first = digits.length % 3 || 3;
  return [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])].join(",");
}

/** One word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Escapes each character that Discord reads as formatting with a backslash; the text shows literally, on one line. */
export function withoutMarkdown(text: string): string {
  return text.replace(/[\\`*_~|<>[\]()#@:-]/g, "\\$&");
}

/** Segments that a person sees as one character each. */
export function graphemes(text: string): Intl.Segments {
  return segmenter().segment(text);
}

function betweenSurrogates(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

/* Arithmetic on times as they are on disk, ISO 8601 with milliseconds. Pure: it reads no clock. */

/** ECMA-262 has no dates beyond this. */
const LAST_MS = 8.64e15;

/** `at` plus the time from `from` to `to`; `to` itself if one of them is not a valid time. */
export function asMuchLater(at: string, from: string, to: string): string {
  const ms = Date.parse(at) + Date.parse(to) - Date.parse(from);
  return Math.abs(ms) <= LAST_MS ? new Date(ms).toISOString() : to;
}

/** `at` and so many milliseconds. */
export function laterBy(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

/** The minutes from one time to another, one that is begun as a whole one; none if it is not later. */
export function minutesBetween(from: string, to: string): number {
  return Math.max(0, Math.ceil((Date.parse(to) - Date.parse(from)) / 60_000));
}

/** Whether the first time is not after the second; the first in milliseconds since the epoch. */
export function isBy(ms: number, at: string): boolean {
  return ms <= Date.parse(at);
}
