/**
 * Reads lines that somebody else wrote, and fields of them: what is there in the expected form is given, all else
 * is absent. Cheap on purpose, for it is done for every piece of streamed text.
 */
export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** The record under `key`; an empty one where there is none. */
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

/** Only the entries that are known, for records whose fields may be absent but not undefined. */
export function known<T extends object>(pairs: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/**
 * One line of JSON, its end included. All that could end a line is escaped: JSON does so for the ASCII ones, but
 * leaves the two separators of Unicode, at which some readers of lines end one too.
 */
export function jsonLine(fields: Fields): string {
  return `${JSON.stringify(fields).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

/**
 * A line of the stream, or null: not an object in JSON. Only what begins with `{` and ends with `}` is tried, so
 * that ordinary words among the lines cost nothing.
 */
export function parseLine(line: string): Fields | null {
  const trimmed = line.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return null;
  try {
    return fieldsOf(JSON.parse(trimmed));
  } catch {
    return null;
  }
}
