/**
 * Changes single members in the text of a JSON file and leaves every other byte as its owner wrote it: order,
 * indentation, numbers too large for JavaScript, keys we do not know. The text must be valid JSON.
 */
interface Member {
  key: string;
  /** From the key's opening quote to the end of the value. */
  from: number;
  valueFrom: number;
  to: number;
}

export type Path = readonly string[];

/** The text with the member at `path` set; objects on the way that are missing are made. */
export function setMember(source: string, path: Path, value: unknown): string {
  let at = skipSpace(source, 0);
  for (const [depth, key] of path.entries()) {
    // Of a key written twice, JSON.parse believes the last.
    const member = membersOf(source, at).findLast((candidate) => candidate.key === key);
    const rest = path.slice(depth + 1);
    if (member === undefined) return insert(source, at, key, rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value));
    const isObject = source[member.valueFrom] === "{";
    if (rest.length === 0 || !isObject) {
      const wanted = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      return splice(source, member.valueFrom, member.to, written(wanted, indentAt(source, member.from)));
    }
    at = member.valueFrom;
  }
  return source;
}

/** The text without the member at `path`; unchanged where there is none. */
export function removeMember(source: string, path: Path): string {
  let at = skipSpace(source, 0);
  for (const key of path.slice(0, -1)) {
    const member = membersOf(source, at).findLast((candidate) => candidate.key === key);
    if (member === undefined || source[member.valueFrom] !== "{") return source;
    at = member.valueFrom;
  }
  const members = membersOf(source, at);
  const index = members.findLastIndex((member) => member.key === path.at(-1));
  const member = members[index];
  if (member === undefined) return source;
  const next = members[index + 1];
  const before = members[index - 1];
  // The comma after it goes too, or for the last one the comma before; the only one leaves `{}`.
  const shorter = next
    ? splice(source, member.from, next.from, "")
    : before
      ? splice(source, before.to, member.to, "")
      : splice(source, at, endOf(source, at), "{}");
  return removeMember(shorter, path);
}

/** Where JSON.parse stopped: line and column from 1, and what stands there. */
export function placeOf(source: string, error: unknown): { line: number; column: number; near: string | undefined } {
  const said = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  const position = said === undefined ? source.length : Number(said);
  const before = source.slice(0, position).split("\n");
  const near = source.slice(position, position + 20).split("\n")[0];
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, near: near === "" ? undefined : near };
}

/** The members of the object that opens at `at`; none where no object opens there. */
function membersOf(source: string, at: number): Member[] {
  const members: Member[] = [];
  if (source[at] !== "{") return members;
  let from = skipSpace(source, at + 1);
  while (source[from] === '"') {
    const keyEnd = endOf(source, from);
    const valueFrom = skipSpace(source, skipSpace(source, keyEnd) + 1);
    const to = endOf(source, valueFrom);
    members.push({ key: JSON.parse(source.slice(from, keyEnd)) as string, from, valueFrom, to });
    const after = skipSpace(source, to);
    if (source[after] !== ",") break;
    from = skipSpace(source, after + 1);
  }
  return members;
}

function insert(source: string, at: number, key: string, value: unknown): string {
  const last = membersOf(source, at).at(-1);
  const outer = indentAt(source, at);
  if (last === undefined) {
    const member = `${JSON.stringify(key)}: ${written(value, `${outer}  `)}`;
    return splice(source, at, endOf(source, at), `{\n${outer}  ${member}\n${outer}}`);
  }
  const ownLine = /\n[ \t]*$/.test(source.slice(0, last.from));
  const indent = ownLine ? indentAt(source, last.from) : outer;
  return splice(source, last.to, last.to, `,${ownLine ? `\n${indent}` : " "}${JSON.stringify(key)}: ${written(value, indent)}`);
}

/** The value as JSON, its inner lines indented under `indent`. */
function written(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}

/** The white space that begins the line of `at`. */
function indentAt(source: string, at: number): string {
  const line = source.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(source.slice(line, at))?.[0] ?? "";
}

function splice(source: string, from: number, to: number, between: string): string {
  return source.slice(0, from) + between + source.slice(to);
}

function skipSpace(source: string, at: number): number {
  let next = at;
  while (" \t\r\n\uFEFF".includes(source[next] ?? "x")) next += 1;
  return next;
}

const STRING = /"(?:[^"\\]|\\.)*"/y;
const PLAIN = /[^,\]}\s]*/y;

/** The end of the value that begins at `at`. */
function endOf(source: string, at: number): number {
  const open = source[at];
  if (open === '"') return matched(STRING, source, at);
  if (open !== "{" && open !== "[") return matched(PLAIN, source, at);
  let depth = 0;
  for (let next = at; next < source.length; next += 1) {
    const letter = source[next];
    if (letter === '"') next = matched(STRING, source, next) - 1;
    else if (letter === "{" || letter === "[") depth += 1;
    else if ((letter === "}" || letter === "]") && --depth === 0) return next + 1;
  }
  return source.length;
}

function matched(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  pattern.exec(source);
  return pattern.lastIndex;
}
