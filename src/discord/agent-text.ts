/**
 * An agent's Markdown, made safe to show: links show where they lead, nothing looks like ours, and what is code for
 * us is code for Discord too, so that nothing hides in the difference. It works line by line, and a line that is
 * complete never changes again: what was shown while an answer grew stands as it is at the end.
 */

import { withoutControls } from "../base/text.ts";

/** A fence of three backticks, the longest run Discord knows. */
export const FENCE = "```";
const GAP = "\u200B";
const OPENER = /^( {0,3}> )?[ \t]*([-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})([^`]*)$/;
const CLOSER = /^(?: {0,3}> )?[ \t]*(`{3,}|~{3,})[ \t]*$/;
/** A quoted line as Discord knows it: without the space it is none. */
const QUOTED = /^ {0,3}> /;
const URL = /https?:\/\/[^\s<>`]{1,2000}/y;
const PLAIN = /(?:[^\\`\]<@\-h]|h(?!ttps?:))+/y;
const TARGET = /^(?: {0,3}> )?\s*(?=<?[a-z][a-z0-9+.-]*:)/i;
const MASKED = /\](?=\(\s*<?[a-z][a-z0-9+.-]*:)/gi;

/** An open fence as the agent opened it. */
interface Fence {
  mark: string;
  length: number;
  quote: string;
  /** Nothing in it yet. Discord would not see the end of an empty one, and take the prose below for its code. */
  empty: boolean;
  /** The line before ended in the middle of what could be a link. */
  dangling: boolean;
}

/**
 * The text as Discord is to show it. For texts that end with a line end: `agentText(a + b)` begins with
 * `agentText(a)`.
 */
export function agentText(text: string): string {
  const shown: string[] = [];
  let fence: Fence | null = null;
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  // What follows the last line end is no line yet.
  const rest = lines.at(-1) === "" ? lines.splice(-1) : [];
  for (const raw of lines) {
    const line = withoutControls(raw);
    if (fence?.quote && !QUOTED.test(line)) {
      shown.push(...ending(fence));
      fence = null;
    }
    if (fence === null) {
      const opener = OPENER.exec(line);
      fence = opener === null ? null : opened(opener);
      shown.push(...(opener === null ? [prose(line)] : opening(opener)));
    } else if (closes(line, fence)) {
      shown.push(...ending(fence));
      fence = null;
    } else {
      fence.empty &&= line.replace(QUOTED, "") === "";
      shown.push(fence.dangling && TARGET.test(line) ? inCode(line).replace(TARGET, `$&${GAP}`) : inCode(line));
      fence.dangling = /\]\(\s*$/.test(line) || (fence.dangling && line.replace(QUOTED, "").trim() === "");
    }
  }
  return [...shown, ...rest].join("\n");
}

/** How much of a growing text is decided: up to the last line end. */
export function completeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

function opened([, quote, , run = FENCE]: RegExpExecArray): Fence {
  return { mark: run.charAt(0), length: run.length, quote: quote ? "> " : "", empty: true, dangling: false };
}

/**
 * Fences stand at the beginning of a line. Inside a list item Discord ends a fence where the indentation ends,
 * whatever the agent meant, so a list's marker gets a line of its own.
 */
function opening([, quote, marker, , info = ""]: RegExpExecArray): string[] {
  const prefix = quote ? "> " : "";
  const fence = `${prefix}${FENCE}${language(info)}`;
  return marker ? [prefix + marker.trimEnd(), fence] : [fence];
}

function ending({ quote, empty }: Fence): string[] {
  return empty ? [quote + GAP, quote + FENCE] : [quote + FENCE];
}

function closes(line: string, fence: Fence): boolean {
  const run = CLOSER.exec(line)?.[1];
  return run !== undefined && run.startsWith(fence.mark) && run.length >= fence.length;
}

/** Discord takes one word for a language; more would become the first line of the code. */
function language(info: string): string {
  return /^[A-Za-z0-9_+\-.#]{1,40}(?=\s|$)/.exec(info.trim())?.[0] ?? "";
}

/**
 * Code as it is, but for two things that would matter if Discord took it for prose, as it does when emphasis that
 * began before the code ends inside it: a run of backticks that would end it, and a link that hides where it leads.
 */
function inCode(line: string): string {
  return line.replace(/`{3,}/g, (run) => run.split("").join(GAP)).replace(MASKED, `]${GAP}`);
}

/** One line outside a fence: its code spans as they are, everything else without teeth. */
function prose(line: string): string {
  const shown: string[] = [];
  for (let at = 0; at < line.length; ) {
    const part = plain(line, at) ?? escaped(line, at) ?? backticks(line, at) ?? link(line, at, shown.at(-1)) ?? marker(line, at);
    shown.push(part.shown);
    at += part.length;
  }
  return shown.join("");
}

interface Part {
  shown: string;
  length: number;
}

/** As much as means nothing to anybody, at once. */
function plain(line: string, at: number): Part | null {
  PLAIN.lastIndex = at;
  const run = PLAIN.exec(line)?.[0];
  return run === undefined ? null : { shown: run, length: run.length };
}

/** What the agent has escaped itself stays escaped. */
function escaped(line: string, at: number): Part | null {
  if (line[at] !== "\\" || !/[!-/:-@[-`{-~]/.test(line[at + 1] ?? "")) return null;
  // Not enough to keep these two from meaning something.
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

/** Where the span that opened before `from` ends, after its closing run; -1 where it does not. */
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

/** An address is put in angle brackets: it shows itself and is not fetched for a preview. */
function link(line: string, at: number, before: string | undefined): Part | null {
  if (line[at] !== "h") return null;
  URL.lastIndex = at;
  const written = URL.exec(line)?.[0].split("](", 1)[0];
  if (written === undefined) return null;
  const address = trimmed(written);
  // Discord would read on, over our next backslash.
  if (address === "") return { shown: `h${GAP}`, length: 1 };
  if (before === "<" && line[at + address.length] === ">") return { shown: address, length: address.length };
  // A backslash that stood before a letter would now escape our bracket.
  return { shown: `${before === "\\" ? "\\" : ""}<${address}>`, length: address.length };
}

/** Without the punctuation that belongs to the sentence around it. */
function trimmed(address: string): string {
  let end = address.length;
  let unclosed = 0;
  for (const character of address) unclosed += character === "(" ? 1 : character === ")" ? -1 : 0;
  for (; end > 0; end -= 1) {
    const last = address[end - 1] ?? "";
    if (last === ")" && unclosed < 0) unclosed += 1;
    else if (!".,:;!?\"'*_~|]\\".includes(last)) break;
  }
  return end <= "https://".length ? "" : address.slice(0, end);
}

/** Mentions, masked links and small print lose their meaning by one backslash, which Discord does not draw. */
function marker(line: string, at: number): Part {
  const here = line[at] ?? "";
  const next = line[at + 1] ?? "";
  if (here === "]" && next === "(") return { shown: "]\\(", length: 2 };
  if (here === "<" && /[@#:/a-z]/i.test(next) && !/^<https?:/.test(line.slice(at, at + 8))) {
    return { shown: "\\<", length: 1 };
  }
  if (here === "-" && next === "#") return { shown: "\\-", length: 1 };
  if (here === "@" && /^@(?:everyone|here)/.test(line.slice(at, at + 9))) return { shown: `@${GAP}`, length: 1 };
  return { shown: here, length: 1 };
}
