/**
 * A project's files that make its agents run code, at one moment, and the difference between two moments, for a person:
 * every added or removed line, with hidden characters made visible.
 */
import { say, type Locale } from "../../base/words/say.ts";
import { shownLine } from "../../base/hidden-characters.ts";
import { lineDifference, type DiffLine } from "../line-difference.ts";

/** One file or link, or a place that could not be read. */
export interface ConfigurationEntry {
  /** Its path below the project; for a link itself `link:` and its path. Unique. */
  name: string;
  /** What identifies its content: a file's SHA-256, a link's target, or what else is known. */
  is: string;
  /** For a text file small enough to be shown; without what an agent writes there itself. */
  text?: string;
  /** For a file, in bytes. */
  size?: number;
  /** Why nothing better is known of it. */
  why?: Unknown;
}

/**
 * Neither a file nor a folder; it cannot be read; so many files from this one on are beyond the limits, and known only
 * by sizes and times; or there are more than can be looked at, so it is never what it was.
 */
export type Unknown =
  | { because: "special" }
  | { because: "unreadable"; code: string }
  | { because: "beyond"; count: number; first: string }
  | { because: "endless"; most: number };

export interface Configuration {
  /** SHA-256 over the names and `is` of the entries; 64 hex digits. */
  digest: string;
  /** Sorted by name. */
  entries: ConfigurationEntry[];
  /** The rules of what is allowed without asking that Claude has written down itself: not in the digest. Sorted. */
  allowed: string[];
}

const CONTEXT = 3;

/**
 * The whole difference. A heading begins with `=`, which no line of a file does here: those begin with a blank, `+` or
 * `-`.
 * @param was null if it is no longer known
 */
export function configurationDifference(
  was: readonly ConfigurationEntry[] | null,
  is: readonly ConfigurationEntry[],
  locale: Locale,
): string {
  const before = new Map((was ?? []).map((entry) => [entry.name, entry]));
  const after = new Map(is.map((entry) => [entry.name, entry]));
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const changed = names.filter((name) => before.get(name)?.is !== after.get(name)?.is);
  const lines = changed.flatMap((name) => [...fileDifference(before.get(name), after.get(name), locale), ""]);
  return [...(was === null ? [say(locale, "configuration_unknown"), ""] : []), ...lines].join("\n").trimEnd();
}

function fileDifference(
  was: ConfigurationEntry | undefined,
  is: ConfigurationEntry | undefined,
  locale: Locale,
): string[] {
  const name = shownLine((is ?? was)?.name ?? "");
  const key =
    was === undefined ? "configuration_new" : is === undefined ? "configuration_gone" : "configuration_changed";
  const heading = `=== ${say(locale, key, { name })}`;
  const isText = (was === undefined || was.text !== undefined) && (is === undefined || is.text !== undefined);
  const shown = isDotenv((is ?? was)?.name ?? "") ? (line: string) => shownVariable(line, locale) : shownLine;
  if (isText) return [heading, ...hunks(lineDifference(linesOf(was?.text), linesOf(is?.text)), shown)];
  return [heading, ...lines("-", was, locale), ...lines("+", is, locale)];
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.replace(/\n$/, "").split("\n");
}

/** For anything but a short text: its size and `is`, which the owner can check on the machine. */
function lines(sign: "+" | "-", entry: ConfigurationEntry | undefined, locale: Locale): string[] {
  if (entry === undefined) return [];
  const { name: _name, is, size, why } = entry;
  if (why !== undefined) {
    const { because, ...args } = why;
    return [
      `${sign} ${say(locale, `configuration_${because}`, { ...args, ...("first" in args && { first: shownLine(args.first) }) })}`,
    ];
  }
  return [
    `${sign} ${size === undefined ? shownLine(is) : say(locale, "configuration_not_shown", { bytes: size, digest: is })}`,
  ];
}

function isDotenv(name: string): boolean {
  return name === ".env" || name.endsWith("/.env");
}

/** By these, programs load code or are sent elsewhere. */
const TELLING =
  /^(?:BASH_|CODE_ASSIST_|DYLD_|GEMINI_|GIT_|GOOGLE_|HTTPS?_PROXY$|LD_|NODE_|NPM_|OTEL_|PATH$|PYTHON|SHELL$)/;
const SECRET = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH/;

/**
 * A line of an `.env` file: secrets are what such files are for, so most values are not shown, nor is what is no
 * variable.
 */
function shownVariable(line: string, locale: Locale): string {
  const hidden = say(locale, "configuration_hidden");
  const [, before, name = "", value] = /^(\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=)(.*)$/.exec(line) ?? [];
  if (before !== undefined)
    return value === "" || (TELLING.test(name) && !SECRET.test(name)) ? shownLine(line) : `${before}${hidden}`;
  return line.trim() === "" ? "" : line.trimStart().startsWith("#") ? `# ${hidden}` : hidden;
}

/** The added and removed lines, each with a few lines around it. */
function hunks(lines: readonly DiffLine[], shown: (line: string) => string): string[] {
  const near = new Set<number>();
  lines.forEach(({ sign }, at) => {
    if (sign !== " ") for (let line = at - CONTEXT; line <= at + CONTEXT; line += 1) near.add(line);
  });
  const drawn: string[] = [];
  lines.forEach(({ sign, line }, at) => {
    if (!near.has(at)) return;
    if (at > 0 && !near.has(at - 1)) drawn.push("  ⋯");
    drawn.push(`${sign} ${shown(line)}`);
  });
  return drawn;
}
