/**
 * Changes single members in the text of a JSON file and leaves every other byte as its owner wrote it: order,
 * indentation, numbers too large for JavaScript, unknown keys. The text must be valid JSON.
 */
import {
  applyEdits,
  findNodeAtLocation,
  format,
  modify,
  parseTree,
  type Edit,
  type FormattingOptions,
  type Node,
} from "jsonc-parser";

/** A number is a place in an array. */
export type JsonPath = readonly (string | number)[];

/** The text with the member at `path` set; missing objects on the way are created. */
export function setMember(source: string, path: JsonPath, value: unknown): string {
  const [mark, text] = single(source, path);
  const root = parseTree(text);
  // What is no object on the way is replaced by one.
  const depth = path.findIndex((key, at) => {
    const needed = typeof key === "number" ? "array" : "object";
    return at > 0 && root !== undefined && (findNodeAtLocation(root, path.slice(0, at))?.type ?? needed) !== needed;
  });
  const to = depth === -1 ? path : path.slice(0, depth);
  const wanted = path.slice(to.length).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return mark + edited(text, modify(text, [...to], wanted, {}));
}

/** The text without the member at `path`; unchanged if there is none. */
export function removeMember(source: string, path: JsonPath): string {
  const [mark, text] = single(source, path);
  const root = parseTree(text);
  const parent = root && findNodeAtLocation(root, path.slice(0, -1));
  const member = root && findNodeAtLocation(root, [...path])?.parent;
  if (parent?.children === undefined || member === undefined) return source;
  // Without its only member an object is `{}`, not two braces on lines of their own.
  if (parent.children.length === 1)
    return mark + applyEdits(text, [{ offset: parent.offset, length: parent.length, content: "{}" }]);
  return mark + without(text, parent.children, parent.children.indexOf(member));
}

/** The text with one more item at the end of the array at `path`, which is made if there is none. */
export function appendItem(source: string, path: JsonPath, value: unknown): string {
  const [mark, text] = single(source, path);
  const root = parseTree(text);
  const array = root && findNodeAtLocation(root, [...path]);
  if (array?.type !== "array") return setMember(source, path, [value]);
  const last = array.children?.at(-1);
  const [at, content] = last
    ? [last.offset + last.length, `, ${JSON.stringify(value)}`]
    : [array.offset + 1, JSON.stringify(value)];
  return mark + text.slice(0, at) + content + text.slice(at);
}

/** The text without the item at this place of the array at `path`. */
export function removeItem(source: string, path: JsonPath, place: number): string {
  const [mark, text] = single(source, path);
  const root = parseTree(text);
  const { children = [] } = (root && findNodeAtLocation(root, [...path])) ?? {};
  return mark + without(text, children, place);
}

/** Without this member or item, and the comma that it needed; the others stay on their lines. */
function without(text: string, all: readonly Node[], place: number): string {
  const [before, one, after] = [all[place - 1], all[place], all[place + 1]];
  if (one === undefined) return text;
  const from = before ? before.offset + before.length : one.offset;
  const to = before || !after ? one.offset + one.length : after.offset;
  return text.slice(0, from) + text.slice(to);
}

/** Where JSON.parse stopped: line and column from 1, and the text there. */
export function placeOf(source: string, error: unknown): { line: number; column: number; near: string | undefined } {
  const found = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  const position = found === undefined ? source.length : Number(found);
  const before = source.slice(0, position).split("\n");
  const near = source.slice(position, position + 20).split("\n")[0];
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, near: near === "" ? undefined : near };
}

/**
 * The byte order mark, and the text in which no key on the path occurs twice: JSON.parse takes the last, the editor the
 * first.
 */
function single(source: string, path: JsonPath): [mark: string, text: string] {
  const mark = source.startsWith("\uFEFF") ? "\uFEFF" : "";
  let text = source.slice(mark.length);
  for (let depth = 0; depth < path.length; depth += 1) {
    const to = path.slice(0, depth + 1);
    while (occurrences(text, to) > 1) text = applyEdits(text, modify(text, [...to], undefined, {}));
  }
  return [mark, text];
}

function occurrences(text: string, path: JsonPath): number {
  const root = parseTree(text);
  const parent = root && findNodeAtLocation(root, path.slice(0, -1));
  return parent?.type === "object"
    ? (parent.children ?? []).filter(({ children }) => children?.[0]?.value === path.at(-1)).length
    : 0;
}

/** The edits, and what they insert indented as the text around it; nothing else is formatted. */
function edited(text: string, edits: Edit[]): string {
  let result = text;
  for (const { offset, length, content } of edits.toReversed()) {
    result = applyEdits(result, [{ offset, length, content }]);
    // The first member of an object moves its braces apart.
    const first = result[offset - 1] === "{" && result[offset + content.length] === "}" ? 1 : 0;
    result = applyEdits(
      result,
      format(result, { offset: offset - first, length: content.length + 2 * first }, styleOf(text)),
    );
  }
  return result;
}

function styleOf(text: string): FormattingOptions {
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "  ";
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.startsWith("\t") ? 1 : indent.length, eol: "\n" };
}
