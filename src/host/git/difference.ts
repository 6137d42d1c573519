/**
 * Parses git's answers about the difference of two trees: how much, where, and all of it as a patch. Names may contain
 * anything, line ends too, so nothing that matters is parsed by lines.
 */
import { beginning } from "../../base/text.ts";
import type { GitAnswer } from "./git-process.ts";

export interface Difference {
  files: number;
  /** Lines; 0 for a binary file. */
  added: number;
  removed: number;
  /** As printed by `git diff --stat`; at most 4,000 characters. */
  stat: string;
  /** At most 8 MiB, then the last line says that it was cut; null if it is unavailable or nothing changed. */
  patch: Buffer | null;
}

export const PATCH_BYTES = 8 * 1024 * 1024;
const STAT_CHARS = 4_000;
const CUT = "\\ Cut here: the whole patch is larger than 8 MiB.\n";

/**
 * Parses `--numstat -z`: for each file `added TAB removed TAB name NUL`, or for a renamed one both names after a NUL.
 */
export function readTotals({ code, stdout }: GitAnswer): Pick<Difference, "files" | "added" | "removed"> | null {
  if (code !== 0) return null;
  const fields = stdout.toString("latin1").split("\0");
  const totals = { files: 0, added: 0, removed: 0 };
  for (let at = 0; at < fields.length - 1; at += 1) {
    const [added = "", removed = "", name] = (fields[at] ?? "").split("\t");
    totals.files += 1;
    totals.added += Number(added) || 0;
    totals.removed += Number(removed) || 0;
    if (name === "") at += 2;
  }
  return totals;
}

export function readStat({ code, stdout }: GitAnswer): string {
  return code === 0 ? beginning(stdout.toString("utf8").trimEnd(), STAT_CHARS) : "";
}

export function readPatch({ code, stdout, cut }: GitAnswer): Buffer | null {
  if (cut) return Buffer.concat([stdout.subarray(0, stdout.lastIndexOf("\n", PATCH_BYTES - CUT.length - 1) + 1), Buffer.from(CUT)]);
  return code === 0 && stdout.length > 0 ? stdout : null;
}
