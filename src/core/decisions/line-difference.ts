/**
 * The difference between two texts, line by line. It is complete: kept and removed lines are the old text, kept and
 * added lines the new one.
 */
import { diffArrays } from "diff";

export type Line = { sign: " " | "-" | "+"; line: string };

/** A longer way from one text to the other is not searched: the work grows with the changes times the lines. */
const STEPS = 2_000_000;
/** Changes that are found in texts of any length. */
const CHANGES = 100;

/** Beyond these limits it is all old lines between what is the same at both ends, then all new ones: only longer. */
export function lineDifference(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [
    ...signed(" ", before.slice(0, start)),
    ...between(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...signed(" ", before.slice(before.length - end)),
  ];
}

function between(before: string[], after: string[]): Line[] {
  const maxEditLength = Math.max(CHANGES, Math.floor(STEPS / (before.length + after.length)));
  const changes = diffArrays(before, after, { maxEditLength });
  if (changes === undefined) return [...signed("-", before), ...signed("+", after)];
  return changes.flatMap(({ value, added, removed }) => signed(added ? "+" : removed ? "-" : " ", value));
}

function signed(sign: Line["sign"], lines: readonly string[]): Line[] {
  return lines.map((line) => ({ sign, line }));
}
