/**
 * What Claude suggests in its prompt box is dim, but for its first character, on which the cursor stands: that is inverse.
 * Pure.
 */

// eslint-disable-next-line no-control-regex -- the sequences of a terminal begin with one
const STYLE = /(\u001b\[[0-9;:]*m)/;
/** How many numbers of a colour follow the kind that it is given in. */
const COLOUR_NUMBERS: Readonly<Record<string, number>> = { "5": 1, "2": 3 };

interface Style {
  dim: boolean;
  inverse: boolean;
}

/** The screen's lines without it. A style lasts beyond the end of its line. */
export function withoutSuggestions(lines: readonly string[]): string[] {
  let style: Style = { dim: false, inverse: false };
  return lines.map((line) => {
    const kept: string[] = [];
    let isUnderCursor = false;
    for (const part of line.split(STYLE)) {
      if (STYLE.test(part)) style = after(style, part.slice(2, -1));
      else if (part !== "" && style.dim) {
        if (isUnderCursor) kept.pop();
        isUnderCursor = false;
      } else if (part !== "") {
        kept.push(part);
        isUnderCursor = style.inverse;
      }
    }
    return kept.join("");
  });
}

function after(style: Style, numbers: string): Style {
  let { dim, inverse } = style;
  const all = numbers.split(";");
  for (let at = 0; at < all.length; at += 1) {
    const one = all[at] ?? "";
    if (one === "38" || one === "48" || one === "58") at += 1 + (COLOUR_NUMBERS[all[at + 1] ?? ""] ?? 0);
    else if (one === "" || one === "0") [dim, inverse] = [false, false];
    else if (one === "2") dim = true;
    else if (one === "22") dim = false;
    else if (one === "7") inverse = true;
    else if (one === "27") inverse = false;
  }
  return { dim, inverse };
}
