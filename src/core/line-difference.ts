/**
 * The difference between two texts, line by line. It is complete: kept and removed lines are the old text, kept and
 * added lines the new one.
 */
import { diffArrays } from "diff";

export type DiffLine = { sign: " " | "-" | "+"; line: string };

/** A longer way from one text to the other is not searched: the work grows with the changes times the lines. */
const STEPS = 2_000_000;
/** Changes that are found in texts of any length, and in any text at most: the search is done without a pause. */
const FEW_CHANGES = 100;
const MOST_CHANGES = 300;

/** Beyond these limits it is all old lines between what is the same at both ends, then all new ones: only longer. */
export function lineDifference(before: readonly string[], after: readonly string[]): DiffLine[] {
  return [...differingLines(before, after)];
}

/** The same line by line, for texts of so many that it takes long to go through them. */
export function* differingLines(before: readonly string[], after: readonly string[]): Generator<DiffLine, void> {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end))
    end += 1;
  yield* signed(" ", before.slice(0, start));
  yield* between(before.slice(start, before.length - end), after.slice(start, after.length - end));
  yield* signed(" ", before.slice(before.length - end));
}

function* between(before: string[], after: string[]): Generator<DiffLine, void> {
  const maxEditLength = Math.min(
    MOST_CHANGES,
    Math.max(FEW_CHANGES, Math.floor(STEPS / (before.length + after.length))),
  );
  const changes = diffArrays(before, after, { maxEditLength });
  for (const { value, added, removed } of changes ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ])
    yield* signed(added ? "+" : removed ? "-" : " ", value);
}

function* signed(sign: DiffLine["sign"], lines: readonly string[]): Generator<DiffLine, void> {
  for (const line of lines) yield { sign, line };
}
