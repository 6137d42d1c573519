/**
 * A project's files that make its agents run code, at one moment, and the difference between two moments, for a person:
 * every added or removed line, with hidden characters made visible.
 */
import { say, type Locale } from "../../base/words/say.ts";
import { shownLine } from "../decisions/hidden-characters.ts";
import { lineDifference, type Line } from "../decisions/line-difference.ts";

/** One file or link, or a place that could not be read. */
export interface Entry {
  /** Its path below the project; for a link itself `link:` and its path. Unique. */
  name: string;
  /** What identifies its content: a file's SHA-256, a link's target, or what else is known. */
  is: string;
  /** For a text file small enough to be shown; a `settings.json` without the lists of allowed tools. */
  text?: string;
  /** For a file, in bytes. */
  size?: number;
}

export interface Configuration {
  /** SHA-256 over the names and `is` of the entries; 64 hex digits. */
  digest: string;
  /** Sorted by name. */
  entries: Entry[];
}

const CONTEXT = 3;

/**
 * The whole difference. A heading begins with `=`, which no line of a file does here: those begin with a blank, `+` or
 * `-`.
 * @param was null if it is no longer known
 */
export function configurationDifference(was: readonly Entry[] | null, is: readonly Entry[], locale: Locale): string {
  const before = new Map((was ?? []).map((entry) => [entry.name, entry]));
  const after = new Map(is.map((entry) => [entry.name, entry]));
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const changed = names.filter((name) => before.get(name)?.is !== after.get(name)?.is);
  const lines = changed.flatMap((name) => [...fileDifference(before.get(name), after.get(name), locale), ""]);
  return [...(was === null ? [say(locale, "configuration_unknown"), ""] : []), ...lines].join("\n").trimEnd();
}

function fileDifference(was: Entry | undefined, is: Entry | undefined, locale: Locale): string[] {
  const name = shownLine((is ?? was)?.name ?? "");
  const key = was === undefined ? "configuration_new" : is === undefined ? "configuration_gone" : "configuration_changed";
  const heading = `=== ${say(locale, key, { name })}`;
  const isText = (was === undefined || was.text !== undefined) && (is === undefined || is.text !== undefined);
  if (isText) return [heading, ...hunks(lineDifference(linesOf(was?.text), linesOf(is?.text)))];
  return [heading, ...lines("-", was, locale), ...lines("+", is, locale)];
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.replace(/\n$/, "").split("\n");
}

/** For anything but a short text: its size and `is`, which the owner can check on the machine. */
function lines(sign: "+" | "-", entry: Entry | undefined, locale: Locale): string[] {
  if (entry === undefined) return [];
  const what = entry.size === undefined ? shownLine(entry.is) : say(locale, "configuration_not_shown", { bytes: entry.size, digest: entry.is });
  return [`${sign} ${what}`];
}

/** The added and removed lines, each with a few lines around it. */
function hunks(lines: readonly Line[]): string[] {
  const near = new Set<number>();
  lines.forEach(({ sign }, at) => {
    if (sign !== " ") for (let line = at - CONTEXT; line <= at + CONTEXT; line += 1) near.add(line);
  });
  const drawn: string[] = [];
  lines.forEach(({ sign, line }, at) => {
    if (!near.has(at)) return;
    if (at > 0 && !near.has(at - 1)) drawn.push("  ⋯");
    drawn.push(`${sign} ${shownLine(line)}`);
  });
  return drawn;
}
