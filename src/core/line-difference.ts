/**
 * What a change does to a text, line by line. Nothing is left out: the lines that stay and those that went are the
 * old text, those that stay and those that came are the new one.
 */

export type Line = { sign: " " | "-" | "+"; line: string };

/** Above so many comparisons it is all of the old and then all of the new: still true, only longer. */
const COMPARED = 1_000_000;

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

function between(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length * after.length > COMPARED) return [...signed("-", before), ...signed("+", after)];
  const common = lengths(before, after);
  const width = after.length + 1;
  const lines: Line[] = [];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [old, fresh] = [before[left], after[right]];
    if (old !== undefined && old === fresh) {
      lines.push({ sign: " ", line: old });
      left += 1;
      right += 1;
    } else if (old !== undefined && (fresh === undefined || (common[(left + 1) * width + right] ?? 0) >= (common[left * width + right + 1] ?? 0))) {
      lines.push({ sign: "-", line: old });
      left += 1;
    } else {
      lines.push({ sign: "+", line: fresh ?? "" });
      right += 1;
    }
  }
  return lines;
}

/** How many lines the rests from each pair of places on have in common, in order. */
function lengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = after.length - 1; right >= 0; right -= 1) {
      const [down, across] = [table[(left + 1) * width + right] ?? 0, table[left * width + right + 1] ?? 0];
      table[left * width + right] = before[left] === after[right] ? (table[(left + 1) * width + right + 1] ?? 0) + 1 : Math.max(down, across);
    }
  }
  return table;
}

function signed(sign: Line["sign"], lines: readonly string[]): Line[] {
  return lines.map((line) => ({ sign, line }));
}
