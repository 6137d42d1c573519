/**
 * Reads what was shown to the owner back to the bytes it was made from: written from the description of the marks
 * alone, so that it and what shows them agree only by being right.
 */
import { isDeepStrictEqual } from "node:util";
import { bytesOf, reviewText, type ReviewInput } from "../../../src/core/decisions/review-text.ts";
import { ACTED_ON, requestFrom, shapedRequest, SLOT, slotsIn, type Shape } from "../../../src/core/decisions/shapes.ts";
import type { Page } from "../../../src/core/decisions/pages.ts";

interface Block {
  language: string;
  rows: string[];
  /** Rows that stand first in their piece of it. */
  edges: number[];
}

/** A line of ours, and the block of code below it. */
interface Field {
  head: string;
  block: Block | null;
}

/** What the bytes are of: a tool's own input, or its call as an agent describes it. */
export type Whole = "input" | "call";

/** The bytes that these pages show. `tool`: its name, where the pages do not say it. */
export function readShown(pages: readonly Page[], tool?: string, whole: Whole = "input"): string {
  const prose = pages.flatMap((page) => (page.prose === "" ? [] : page.prose.split("\n")));
  const fields = fieldsOf(pages.flatMap(({ text }) => (text === "" ? [] : [text])));
  const [first] = fields;
  if (first?.head === "") return unmarked(textOf(first.block));
  const input: Record<string, unknown> = {};
  if (prose.length > 0) put(input, "plan", unmarked(joined(prose, "").join("\n")));
  const name = first?.head === "🔧" ? String(JSON.parse(unmarked(textOf(first.block)))) : tool;
  for (const field of first?.head === "🔧" ? fields.slice(1) : fields) putField(input, field);
  return JSON.stringify(
    name === undefined ? { plan: input } : { tool: name, [whole]: whole === "call" ? sorted(input) : input },
  );
}

/** The request that these pages of it show: by its shape, if it has one, and else by its fields. */
export function requestShown(pages: readonly Page[], request: ReviewInput): unknown {
  const shaped = "plan" in request ? null : shapedRequest(request);
  if ("plan" in request) return JSON.parse(readShown(pages));
  return shaped === null || shaped.shape.verb === "use"
    ? JSON.parse(readShown(pages, request.tool, "call" in request ? "call" : "input"))
    : requestFrom({ shape: shaped.shape, bindings: readSlots(pages, shaped.shape) });
}

/** The same for the pages that are made of it. */
export function shownAgain(request: ReviewInput): unknown {
  return requestShown(reviewText(bytesOf(request)).pages, request);
}

/** The same as bytes. In a request that has a shape, the order of its fields means nothing. */
export function bytesShown(pages: readonly Page[], request: ReviewInput): string {
  if ("plan" in request) return readShown(pages);
  const shown = requestShown(pages, request);
  if (shapedRequest(request) === null) return JSON.stringify(shown);
  return isDeepStrictEqual(shown, request) ? bytesOf(request) : JSON.stringify(shown);
}

/** What the pages of a request of this shape say, by the names of its slots. */
function readSlots(pages: readonly Page[], { verb, template }: Shape): Map<string, unknown> {
  const names = [...slotsIn(template)].map((slot) => slot[SLOT]);
  const read = new Map<string, unknown>();
  const add = (name: string, value: unknown): void => {
    let slot = name;
    for (let at = 0; names.includes(`${name}#`) && read.has((slot = `${name}#${at}`)); at += 1);
    if (read.has(slot)) throw new Error(`${slot} is shown twice`);
    read.set(slot, value);
  };
  const things = [ACTED_ON[verb].object, ACTED_ON[verb].where].filter((name) => name !== undefined);
  const bodies: (Block | null)[] = [];
  for (const { head, block } of fieldsOf(pages.map(({ text }) => text))) {
    const [, small] = /^-# (.*)$/su.exec(head) ?? [];
    const [, span] = /^\S+ `([^`]*)`$/u.exec(head) ?? [];
    if (head === "`{}`") continue;
    if (small !== undefined) {
      const input: Record<string, unknown> = {};
      putField(input, { head: small, block });
      for (const [name, value] of Object.entries(input)) add(name, value);
    } else if (head === "▾" || head === '▾ `""`') bodies.push(block);
    else {
      add(things.shift() ?? head, span === undefined ? unmarked(textOf(block)) : span === '""' ? "" : span);
      if (span !== undefined && block !== null) bodies.push(block);
    }
  }
  for (const body of bodies) {
    if (names.includes("text")) add("text", body === null ? "" : unmarked(textOf(body)));
    else {
      const [old, fresh] = body === null ? ["", ""] : changeIn(body);
      add("old", old);
      if (names.includes("new") || names.includes("new#")) add("new", fresh);
    }
  }
  return read;
}

/** What of a prompt's text is the page: up to the first empty line, or line of ours, outside of the code. */
export function pageIn(description: string): Page {
  const lines: string[] = [];
  let inBlock = false;
  for (const line of description.split("\n")) {
    if (!inBlock && (line === "" || /^(?:-# (?!`)|📄)/u.test(line))) break;
    lines.push(line);
    if (line.startsWith("```")) inBlock = !inBlock;
  }
  return { text: lines.join("\n"), prose: "" };
}

function fieldsOf(pages: readonly string[]): Field[] {
  const fields: Field[] = [];
  for (const page of pages) {
    let open: Block | null = null;
    for (const [at, line] of page.split("\n").entries()) {
      const last: Field | undefined = fields.at(-1);
      if (open !== null && line === "```") open = null;
      else if (open !== null) open.rows.push(line);
      else if (!line.startsWith("```")) fields.push({ head: line, block: null });
      else if (last?.block && at === 0) {
        // It goes on from the page before; there as here an empty row at the edge was drawn as a sign.
        open = last.block;
        if (open.rows.at(-1) === "↵") open.rows[open.rows.length - 1] = "";
        open.edges.push(open.rows.length);
      } else {
        open = { language: line.slice(3), rows: [], edges: [0] };
        if (last && last.block === null) last.block = open;
        else fields.push({ head: "", block: open });
      }
    }
    if (open !== null) throw new Error("a block goes on beyond its page");
  }
  return fields;
}

/** What was cut is put together again. */
function joined(rows: readonly string[], sign: string): string[] {
  const whole: string[] = [];
  for (const row of rows) {
    const mark = sign === "" ? "" : row.slice(0, 2);
    const rest = row.slice(mark.length);
    if (rest.startsWith("┆") && whole.length > 0) whole[whole.length - 1] += rest.slice(1);
    else whole.push(row);
  }
  return whole;
}

/** The text of a block: a sign stands for a line end that would not be seen. */
function textOf(block: Block | null): string {
  const { rows = [], edges = [] } = block ?? {};
  const clean = rows.map((row, at) => (row === "↵" && edges.includes(at) && at < rows.length - 1 ? "" : row));
  const whole = joined(clean, "").join("\n");
  return whole.endsWith("↵") ? `${whole.slice(0, -1)}\n` : whole;
}

function putField(input: Record<string, unknown>, { head, block }: Field): void {
  if (head === "`{}`") return;
  if (head === "`{…}`")
    return void Object.entries(JSON.parse(unmarked(textOf(block))) as object).forEach(([name, value]) =>
      put(input, name, value, true),
    );
  const [, kind] = /^(?:📖|✏️|🗑️|📦|🔍|▶️|💭|🌐|🔀|⚙️) `(\w+)`$/u.exec(head) ?? [];
  if (kind !== undefined) return put(input, "kind", kind);
  const [, old, fresh] = new RegExp(`^${NAMES} → ${NAMES}$`).exec(head) ?? [];
  if (old !== undefined && fresh !== undefined) {
    const [before, after] = changeIn(block ?? { language: "diff", rows: [], edges: [] });
    putAll(input, old, before);
    return putAll(input, fresh, after);
  }
  if (/` = `[^`]*` · `/.test(head))
    return head.split(/(?<=`) · (?=`)/).forEach((one) => putField(input, { head: one, block: null }));
  const [, names = "", how = "", value = ""] = new RegExp(`^${NAMES}(: | =|)(.*)$`, "su").exec(head) ?? [];
  if (how === ": ") putAll(input, names, value.replace(/\\([^0-9A-Za-z\s])/g, "$1"));
  else if (how === " =") putAll(input, names, JSON.parse(value === "" ? unmarked(textOf(block)) : value.slice(2, -1)));
  else putAll(input, names, unmarked(textOf(block)));
}

const NAMES = "(`[^`]+`(?:, `[^`]+`)*)";

/** The text before a change, and after it. */
function changeIn({ rows }: Block): [string, string] {
  const all = joined(rows, "+ ");
  const of = (signs: string): string =>
    unmarked(all.flatMap((row) => (signs.includes(row[0] ?? "?") ? [row.slice(2)] : [])).join("\n"));
  return [of(" -"), of(" +")];
}

function putAll(input: Record<string, unknown>, names: string, value: unknown): void {
  for (const [, path = ""] of names.matchAll(/`([^`]+)`/g)) put(input, path, value);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}

/** A path is a name, or leads to a field of an object or of one in a list. */
function put(input: Record<string, unknown>, path: string, value: unknown, isName = false): void {
  const steps = isName
    ? [path]
    : [...path.matchAll(/\[(\d+)\]|(\w+)/g)].map(([, at, name = ""]) => (at === undefined ? name : Number(at)));
  let into: object = input;
  for (const [place, step] of steps.entries()) {
    const next = steps[place + 1];
    const found: unknown = Object.hasOwn(into, step) ? Reflect.get(into, step) : undefined;
    const made = next === undefined ? value : (found ?? (typeof next === "number" ? [] : {}));
    if (next !== undefined && Array.isArray(made) !== (typeof next === "number"))
      throw new Error(`${path} is in no list`);
    Object.defineProperty(into, step, { value: made, enumerable: true, configurable: true, writable: true });
    into = made as object;
  }
}

function unmarked(text: string): string {
  return text
    .replace(/[\u2068\u2069]/g, "")
    .replaceAll("⇥", "\t")
    .replace(/⟨U\+([0-9A-F]{4,6})(?: [A-Z ]+)?(?:×(\d+))?⟩/g, (_, number: string, times = "1") =>
      String.fromCodePoint(Number.parseInt(number, 16)).repeat(Number(times)),
    );
}
