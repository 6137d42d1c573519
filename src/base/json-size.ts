/**
 * Checks whether text that may be JSON is safe to parse: endless nesting, or far more values than any real message has,
 * costs many times its bytes once parsed, and code that walks through it runs out of stack.
 */

const DEEPEST = 200;
const MOST_VALUES = 500_000;

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = ['"', "\\", ",", "[", "]", "{", "}"].map((sign) => sign.charCodeAt(0));

/** Looks at each character once; rejecting invalid JSON is left to the parser. */
export function isModest(text: string): boolean {
  if (text.length <= DEEPEST) return true;
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at + 1);
    else if (sign === COMMA) values += 1;
    else if (sign === OPEN || sign === OPEN_OBJECT) [depth, values] = [depth + 1, values + 1];
    else if (sign === CLOSE || sign === CLOSE_OBJECT) depth -= 1;
    if (depth > DEEPEST || values > MOST_VALUES) return false;
  }
  return true;
}

/** The index of the closing quote, or the end of the text. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
