/**
 * Reads what was shown to the owner back to the bytes it was made from: written from the description of the marks
 * alone, so that it and what shows them agree only by being right.
 */
interface Row {
  gutter: string;
  line: string;
}

/** The bytes that these pages show. */
export function readShown(pages: readonly string[]): string {
  const lines = pages.flatMap((page) => page.split("\n"));
  if (!lines[0]?.startsWith("●")) return JSON.stringify({ plan: unmarked(joined(lines.map((line) => (line.startsWith("┆") ? { gutter: "┆", line: line.slice(1) } : { gutter: "", line }))).map(({ line }) => line)) });
  const [first, ...rows] = joined(lines.map(rowOf));
  const input: Record<string, unknown> = {};
  while (rows.length > 0) {
    const head = rows.shift()?.line ?? "";
    const to = rows.findIndex(({ gutter }) => gutter === "");
    putField(input, head, rows.splice(0, to < 0 ? rows.length : to));
  }
  return JSON.stringify({ tool: unmarked([(first?.line ?? "").slice(2)]), input });
}

function rowOf(line: string): Row {
  if (line.startsWith("┆")) return { gutter: "┆", line: line.slice(1) };
  const [, gutter, goesOn, rest] = /^([│+\- ])([ ┆])(.*)$/u.exec(line) ?? [];
  if (gutter === undefined) return { gutter: "", line };
  return { gutter: goesOn === "┆" ? "┆" : gutter, line: rest ?? "" };
}

/** What was cut is put together again. */
function joined(rows: readonly Row[]): Row[] {
  const whole: Row[] = [];
  for (const { gutter, line } of rows) {
    const last = whole.at(-1);
    if (gutter === "┆" && last) last.line += line;
    else whole.push({ gutter, line });
  }
  return whole;
}

function putField(input: Record<string, unknown>, head: string, rows: readonly Row[]): void {
  const change = / → /.exec(unquoted(head));
  if (change) {
    put(input, head.slice(0, change.index), unmarked(of(rows, " -")));
    put(input, head.slice(change.index + 3), unmarked(of(rows, " +")));
  } else if (head.endsWith(" =")) put(input, head.slice(0, -2), JSON.parse(unmarked(of(rows, "│"))));
  else put(input, head, unmarked(of(rows, "│")));
}

/** What is in quotes is a name, whatever it says. */
function unquoted(head: string): string {
  return head.replace(/"(?:[^"\\]|\\.)*"/g, (name) => "x".repeat(name.length));
}

function of(rows: readonly Row[], gutters: string): string[] {
  return rows.flatMap(({ gutter, line }) => (gutters.includes(gutter) ? [line] : []));
}

/** A path is a name, or one of a list of changes. */
function put(input: Record<string, unknown>, path: string, value: unknown): void {
  const nested = /^(\w+|"(?:[^"\\]|\\.)*")\[(\d+)\]\.(.*)$/su.exec(path);
  if (!nested) return void Object.defineProperty(input, nameOf(path), { value, enumerable: true, configurable: true, writable: true });
  const [, name = "", at = "", rest = ""] = nested;
  const key = nameOf(name);
  if (!Object.hasOwn(input, key)) Object.defineProperty(input, key, { value: [], enumerable: true, configurable: true, writable: true });
  const list = input[key];
  if (!Array.isArray(list)) throw new Error(`${path} is in no list`);
  put((list[Number(at)] ??= {}), rest, value);
}

function nameOf(shown: string): string {
  return shown.startsWith('"') ? String(JSON.parse(unmarked([shown]))) : shown;
}

function unmarked(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replace(/[\u2068\u2069]/g, "")
    .replaceAll("⇥", "\t")
    .replace(/⟨U\+([0-9A-F]{4,6})(?: [A-Z ]+)?(?:×(\d+))?⟩/g, (_, number: string, times = "1") => String.fromCodePoint(Number.parseInt(number, 16)).repeat(Number(times)));
}
