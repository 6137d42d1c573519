/**
 * Makes one line of an agent's text harmless: links show where they lead, nobody is pinged, nothing looks like our
 * small print. Code stays code. Each line is read alone, so what is shown of a text never depends on what comes below
 * it.
 */

/** Invisible, and enough to separate two characters. */
export const GAP = "\u200B";
/**
 * Chinese, Japanese and Korean sentences continue after an address without a space; no address has their punctuation.
 */
const URL = /https?:\/\/[^\s<>`\u3000-\u303F\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65]{1,2000}/y;
const PLAIN = /(?:[^\\`\]<@\-h|]|h(?!ttps?:)|\|(?!\|))+/y;
const MASKED = /\](?=\(\s*<?[a-z][a-z0-9+.-]*:)/gi;
/** Discord draws headings of three sizes; of a smaller one it shows the number signs. */
const SMALL_HEADING = /^((?: {0,3}> )?)#{4,6}(?= +\S)/;
/** Discord draws no horizontal rules and no task boxes either. */
const ACROSS = /^((?: {0,3}> )?) {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const TASK = /^((?: {0,3}> )?[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[([ xX])\](?=[ \t])/;

/** One line outside code: its code spans unchanged, everything else without meaning to Discord except emphasis. */
export function prose(source: string): string {
  const line = source
    .replace(SMALL_HEADING, "$1###")
    .replace(ACROSS, `$1${"─".repeat(12)}`)
    .replace(TASK, (_, before: string, mark: string) => before + (mark === " " ? "☐" : "☑"));
  const shown: string[] = [];
  for (let at = 0; at < line.length;) {
    const part =
      plain(line, at) ?? escaped(line, at) ?? backticks(line, at) ?? link(line, at, shown.at(-1)) ?? marker(line, at);
    shown.push(part.shown);
    at += part.length;
  }
  return shown.join("");
}

/**
 * A line of code, unchanged except for two things that would matter if Discord took it for prose, as it does when
 * emphasis that began before the code ends inside it: a run of backticks that would end it, and a link that hides
 * where it leads.
 */
export function inCode(line: string): string {
  return line.replace(/`{3,}/g, (run) => run.split("").join(GAP)).replace(MASKED, `]${GAP}`);
}

interface Part {
  shown: string;
  length: number;
}

/** The longest run without special characters, at once. */
function plain(line: string, at: number): Part | null {
  PLAIN.lastIndex = at;
  const run = PLAIN.exec(line)?.[0];
  return run === undefined ? null : { shown: run, length: run.length };
}

/** What the agent has escaped stays escaped. */
function escaped(line: string, at: number): Part | null {
  if (line[at] !== "\\" || !/[!-/:-@[-`{-~]/.test(line[at + 1] ?? "")) return null;
  // A backslash alone does not neutralise these two.
  const guard = line.startsWith("](", at + 1) ? "\\" : line[at + 1] === "@" ? GAP : "";
  return { shown: line.slice(at, at + 2) + guard, length: 2 };
}

/** A span closed on the same line is code; any other run of backticks could pair with one further down. */
function backticks(line: string, at: number): Part | null {
  if (line[at] !== "`") return null;
  const run = /^`+/.exec(line.slice(at, at + 100))?.[0].length ?? 1;
  const end = run > 3 ? -1 : spanEnd(line, at + run, run);
  if (end < 0) return { shown: "\\`".repeat(run), length: run };
  const inside = line.slice(at + run, end - run).replace(MASKED, `]${GAP}`);
  const mark = "`".repeat(run);
  return { shown: mark + inside + mark, length: end - at };
}

/** Where the span that opened before `from` ends, after its closing run; -1 if it does not end. */
function spanEnd(line: string, from: number, run: number): number {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let next = runs.exec(line); next; next = runs.exec(line)) {
    if (next[0].length === run) return next.index + run;
    // Discord would close a span of three at any run of three or more.
    if (run === 3 && next[0].length > 3) return -1;
  }
  return -1;
}

/** Puts an address in angle brackets: it stays visible and is not fetched for a preview. */
function link(line: string, at: number, before: string | undefined): Part | null {
  if (line[at] !== "h") return null;
  URL.lastIndex = at;
  const written = URL.exec(line)?.[0].split("](", 1)[0];
  if (written === undefined) return null;
  const address = trimmed(written);
  // Discord would read on past our next backslash.
  if (address === "") return { shown: `h${GAP}`, length: 1 };
  if (before === "<" && line[at + address.length] === ">") return { shown: address, length: address.length };
  // A backslash before the address would now escape our bracket.
  return { shown: `${before === "\\" ? "\\" : ""}<${address}>`, length: address.length };
}

/** Without the punctuation of the sentence around it, and without what follows a bracket that closes it. */
function trimmed(written: string): string {
  const address = written.slice(0, closedAt(written));
  let end = address.length;
  while (end > 0 && ".,:;!?\"'*_~|]\\".includes(address[end - 1] ?? "")) end -= 1;
  return end <= "https://".length ? "" : address.slice(0, end);
}

/** Where a bracket closes that was opened before the address; the address's length if there is none. */
function closedAt(address: string): number {
  let open = 0;
  for (let at = 0; at < address.length; at += 1) {
    if (address[at] === "(") open += 1;
    else if (address[at] === ")" && (open -= 1) < 0) return at;
  }
  return address.length;
}

/** One backslash, which Discord does not draw, neutralises mentions, masked links, spoilers and small print. */
function marker(line: string, at: number): Part {
  const here = line[at] ?? "";
  const next = line[at + 1] ?? "";
  if (here === "]" && next === "(") return { shown: "]\\(", length: 2 };
  if (here === "<" && /[@#:/a-z]/i.test(next) && !/^<https?:/.test(line.slice(at, at + 8))) {
    return { shown: "\\<", length: 1 };
  }
  if (here === "|" && next === "|") return { shown: "\\|\\|", length: 2 };
  if (here === "-" && next === "#") return { shown: "\\-", length: 1 };
  if (here === "@" && /^@(?:everyone|here)/.test(line.slice(at, at + 9))) return { shown: `@${GAP}`, length: 1 };
  return { shown: here, length: 1 };
}
