/**
 * Reads and changes the text of a `.env` file. Its values are returned to the caller and never put into the process's
 * own environment, where every child could read them.
 */

const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;

/**
 * Names and values; later lines win. Takes `NAME=value`, `export NAME=value`, comments, single quotes (literal), double
 * quotes (with \n, \t, \" and \\) and unquoted values up to ` #`. A value is on one line; lines of any other form are
 * returned by number, from 1.
 */
export function parseDotenv(text: string): { values: Map<string, string>; strange: number[] } {
  const values = new Map<string, string>();
  const strange: number[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, name, rest] = LINE.exec(line) ?? [];
    const value = rest === undefined ? undefined : unquoted(rest.trimStart());
    if (name === undefined || value === undefined) strange.push(index + 1);
    else values.set(name, value);
  }
  return { values, strange };
}

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t" };

/** The value, or undefined if a quote is not closed or something follows it. */
function unquoted(rest: string): string | undefined {
  const quote = rest[0];
  if (quote === "'") return /^'([^']*)'\s*(?:#.*)?$/.exec(rest)?.[1];
  if (quote === '"') {
    const inner = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(rest)?.[1];
    return inner?.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);
  }
  return rest.replace(/(?:^|\s)#.*$/s, "").trimEnd();
}

/**
 * The text with these values set: lines that would not change stay as they are, comments too.
 * @param values none of them with a line break or a single quote
 * @param gone names whose lines are removed
 */
export function withVariables(text: string, values: Readonly<Record<string, string>>, gone: readonly string[]): string {
  const left = new Map(Object.entries(values));
  const known = parseDotenv(text).values;
  const kept = text
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => {
      const name = LINE.exec(line.trim())?.[1] ?? "";
      if (gone.includes(name)) return [];
      const value = left.get(name);
      left.delete(name);
      return value === undefined || known.get(name) === value ? [line] : [`${name}='${value}'`];
    });
  return `${[...kept, ...[...left].map(([name, value]) => `${name}='${value}'`)].join("\n")}\n`;
}

/** Whether systemd, Node and Bellhop all read it the same: between single quotes, on one line. */
export function fitsInQuotes(value: string): boolean {
  return !/['\0-\x1f\x7f]/.test(value);
}
