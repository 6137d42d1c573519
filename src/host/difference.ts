/**
 * What git says lies between two trees, read from its answers: how much, where, and the whole of it as a patch. Names
 * may hold anything, line ends too, so nothing is read by lines where it matters.
 */
import { beginning } from "../base/text.ts";
import type { GitAnswer } from "./git-process.ts";

export interface Difference {
  files: number;
  /** Lines; a binary file has none. */
  added: number;
  removed: number;
  /** As `git diff --stat` draws it; at most 4,000 characters. */
  stat: string;
  /** At most 8 MiB, the last line then says that it was cut; null where it could not be had or nothing changed. */
  patch: Buffer | null;
}

export const PATCH_BYTES = 8 * 1024 * 1024;
const STAT_CHARS = 4_000;
const CUT = "\\ Cut here: the whole patch is larger than 8 MiB.\n";

/** From `--numstat -z`: for each file `added TAB removed TAB name NUL`, or with both names of a renamed one after a NUL. */
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
