/**
 * The known name nearest to an unknown one, for a helpful warning. Distance counts single-letter edits and swapped
 * neighbours; a name too far from all of them gets no suggestion.
 */

/** Unrelated names may share a beginning shorter than this. */
const SHORTEST_BEGINNING = 5;

/** The nearest of `known`; undefined if all differ in more than a third of the letters and none begins alike. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const edits = cost(name.toLowerCase(), candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

function cost(a: string, b: string): number {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  // Half a name is more often a shortened name than another one.
  return shorter.length >= SHORTEST_BEGINNING && longer.startsWith(shorter) ? 1 : distance(a, b);
}

/** How many letters to insert, delete, replace, or swap with a neighbour to get from `a` to `b`. */
function distance(a: string, b: string): number {
  let twoBack: number[] = [];
  let back = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const here = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min(
        (back[column] ?? 0) + 1,
        (here[column - 1] ?? 0) + 1,
        (back[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) edits = Math.min(edits, (twoBack[column - 2] ?? 0) + 1);
      here.push(edits);
    }
    [twoBack, back] = [back, here];
  }
  return back[b.length] ?? 0;
}
