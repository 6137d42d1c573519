/**
 * Checks whether text that may be JSON is safe to parse: endless nesting, or far more values than any real message has,
 * costs many times its bytes once parsed, and code that walks through it runs out of stack. And makes a long line short
 * where only what it is about is wanted.
 */

const DEEPEST = 200;
const MOST_VALUES = 500_000;

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
] as const;

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

/** Strings of at most so many bytes stay whole, and of a longer one this much at most. */
const KEPT_BYTES = 400;
/** More strings would take longer than parsing them. */
const MOST_STRINGS = 20_000;

/**
 * The same JSON with all long strings cut, each with an ellipsis at its end; null if it has too many strings. It is
 * much cheaper than parsing: nothing long is copied or decoded.
 */
export function withShortStrings(json: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  let [from, strings] = [0, 0];
  for (let open = json.indexOf(QUOTE); open >= 0; open = json.indexOf(QUOTE, from)) {
    const close = endOfBytes(json, open + 1);
    strings += 1;
    if (strings > MOST_STRINGS) return null;
    if (close - open <= KEPT_BYTES) parts.push(json.subarray(from, close + 1));
    else parts.push(json.subarray(from, wholeBefore(json, open + 1, open + KEPT_BYTES)), ELLIPSIS);
    from = close + 1;
  }
  return Buffer.concat([...parts, json.subarray(from)]);
}

const ELLIPSIS = Buffer.from('…"');

/** The last place up to `end` at which neither a character nor an escape is cut. */
function wholeBefore(json: Buffer, start: number, end: number): number {
  const escape = json.subarray(start, end).indexOf(BACKSLASH);
  let at = escape < 0 ? end : start + escape;
  while (at > start && ((json[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}

/** Byte by byte from the first escape on: all of them may be escaped quotes. */
function endOfBytes(json: Buffer, from: number): number {
  const quote = json.indexOf(QUOTE, from);
  const end = quote < 0 ? json.length : quote;
  const escape = json.subarray(from, end).indexOf(BACKSLASH);
  if (escape < 0) return end;
  let at = from + escape;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
