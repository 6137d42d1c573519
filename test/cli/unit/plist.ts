/**
 * A strict reader of property lists, as far as launchd's files go: what is no such list, has a second value anywhere
 * or a sign that should have been written as an entity is refused.
 */
export type Plist = string | number | boolean | Plist[] | { [key: string]: Plist };

const TOKEN =
  /^\s*(?:<!--(?:(?!--)[\s\S])*-->|<\?xml[^>]*\?>|<!DOCTYPE[^>]*>|(<\/?[a-z]+(?: version="1\.0")?\/?>)|([^<>]+))/;

/** The value of the list. @throws for anything else than one */
export function readPlist(text: string): Plist {
  const tokens: string[] = [];
  for (let rest = text.trimEnd(); rest !== "";) {
    const [whole, tag, words] = TOKEN.exec(rest) ?? [];
    if (whole === undefined) throw new Error(`no property list: ${rest.slice(0, 40)}`);
    if (tag ?? words) tokens.push(tag ?? words ?? "");
    rest = rest.slice(whole.length);
  }
  const next = (): string => tokens.shift() ?? "";
  const expect = (tag: string): void => {
    const found = next();
    if (found !== tag) throw new Error(`${found} where ${tag} belongs`);
  };
  const words = (end: string): string => {
    if (tokens[0] === end) {
      next();
      return "";
    }
    const found = next();
    if (found.startsWith("<") || /&(?!(amp|lt|gt);)/.test(found)) throw new Error(`${found} where words belong`);
    expect(end);
    return found.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
  };
  const value = (): Plist => {
    const tag = next();
    if (tag === "<string>") return words("</string>");
    if (tag === "<integer>") return Number.parseInt(words("</integer>"), 10);
    if (tag === "<true/>" || tag === "<false/>") return tag === "<true/>";
    if (tag === "<array>") return collect("</array>", value);
    if (tag === "<dict>") return Object.fromEntries(collect("</dict>", pair));
    throw new Error(`${tag} where a value belongs`);
  };
  const pair = (): [string, Plist] => {
    expect("<key>");
    return [words("</key>"), value()];
  };
  const collect = <T>(end: string, one: () => T): T[] => {
    const all: T[] = [];
    while (tokens[0] !== end) all.push(one());
    next();
    return all;
  };
  expect('<plist version="1.0">');
  const read = value();
  expect("</plist>");
  if (tokens.length > 0) throw new Error(`more after the list: ${tokens.join("")}`);
  return read;
}
