/**
 * Reads lines from other programs and their fields: a field with the expected type is returned, anything else is
 * absent. It has to be cheap, because it runs for every piece of streamed text.
 */
import { isModest } from "../../base/json-size.ts";
import { longestBeginning, excerpt, oneLine as line } from "../../base/text.ts";

export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** The record under `key`; an empty one if there is none. */
export function inner(fields: Fields, key: string): Fields {
  return fieldsOf(fields[key]) ?? {};
}

export function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.flatMap((one): Fields[] => (fieldsOf(one) ? [one as Fields] : [])) : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Only the defined entries, for records whose fields may be absent but not undefined. */
export function definedEntries<T extends object>(pairs: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/**
 * One line of JSON with its line end. Everything that could end a line is escaped: JSON escapes the ASCII characters,
 * but not Unicode's two separators, at which some readers also split lines.
 */
export function jsonLine(fields: Fields): string {
  return `${JSON.stringify(fields).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

/** What a program writes for a terminal, such as a window's title: escape sequences and control characters. */
// oxlint-disable-next-line no-control-regex
const FOR_TERMINAL =
  /^(?:\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-Z^-~])|[\0-\u001f\u007f])+/;

/**
 * A line of the stream, or null if it is not a JSON object or is excessively large. Only text that starts with `{` and
 * ends with `}` is parsed, so that plain text between the lines costs nothing; what is for a terminal may stand before
 * it.
 */
export function parseLine(line: string): Fields | null {
  const said = line.trim();
  const trimmed = said.startsWith("{") ? said : said.replace(FOR_TERMINAL, "");
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}") || !isModest(trimmed)) return null;
  try {
    return fieldsOf(JSON.parse(trimmed));
  } catch {
    return null;
  }
}

/*
 * What people see of a tool: one line that says what it is about to do, and the start of its output. Both are for
 * reading only; permissions are decided on the whole input.
 */

const LINE_CHARS = 200;
const SUMMARY_CHARS = 400;
/** More is not read for one line, even where most of it shows nothing. */
const READ_CHARS = 20_000;

/** On one line, at most 200 characters. */
export function oneLine(text: string): string {
  return line(longestBeginning(text, READ_CHARS), LINE_CHARS);
}

/** The start of a tool's output, at most 400 characters. */
export function summary(text: string): string {
  return excerpt(text.trim(), SUMMARY_CHARS);
}
