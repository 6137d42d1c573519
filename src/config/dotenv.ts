/**
 * Reads the text of a `.env` file. Its values go to whoever asked and are never put into the process's own
 * environment, where every child could read them.
 */

const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/;

/**
 * Names and values, later lines winning. Takes `NAME=value`, `export NAME=value`, comments, single quotes
 * (exactly what is between them), double quotes (with \n, \t, \" and \\) and unquoted values up to ` #`.
 * A value stands on one line; lines of any other form are returned by number, from 1.
 */
export function parseDotenv(text: string): { values: Map<string, string>; strange: number[] } {
  const values = new Map<string, string>();
  const strange: number[] = [];
  for (const [index, raw] of text.replace(/^\uFEFF/, "").split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, name, rest] = LINE.exec(line) ?? [];
    const value = rest === undefined ? undefined : unquoted(rest);
    if (name === undefined || value === undefined) strange.push(index + 1);
    else values.set(name, value);
  }
  return { values, strange };
}

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t" };

/** The value, or undefined when a quote is not closed or something follows it. */
function unquoted(rest: string): string | undefined {
  const quote = rest[0];
  if (quote === "'") return /^'([^']*)'\s*(?:#.*)?$/.exec(rest)?.[1];
  if (quote === '"') {
    const inner = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(rest)?.[1];
    return inner?.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);
  }
  return rest.replace(/(?:^|\s+)#.*$/, "").trimEnd();
}
