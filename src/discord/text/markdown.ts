/**
 * Reads Markdown with a parser: how a text divides into blocks, what belongs together within a line, and the cells of
 * a table. The parser is slow to load and to read, so this file is imported when there is first something to read, is
 * given at most one message at a time, and caches its results. Its time is limited, whatever it is given.
 */
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { openWithin, type Within } from "../../host/time-limit.ts";
import { LONGEST_MS } from "./rendering-limit.ts";
import { layTable, widthOf, type Alignment, type Cell, type Layout } from "./table.ts";

/** What ends before a line: a block, a part of a block such as a list item, or a line. */
export type BreakPoint = "block" | "item" | "line";

export interface Range {
  from: number;
  to: number;
}

export interface LaidTable extends Layout {
  /** Lines of the source, from the table's first line on. */
  lines: number;
}

export interface Markdown {
  /** For each offset where a line begins a block or a part of one: which. */
  breakPoints(text: string): ReadonlyMap<number, BreakPoint>;
  /** Ranges that are better not split: links, code, emphasis. Offsets in a text of one paragraph. */
  unbreakable(text: string): readonly Range[];
  /** The table that begins in the text's first line; null if there is none. */
  table(text: string): LaidTable | null;
}

type Tree = ReturnType<typeof fromMarkdown>;
type Node = Tree | Tree["children"][number];

/** Results that are cached; a running answer of many messages is read again and again. */
const REMEMBERED = 400;
/** A table's header and the line below it. */
const HEAD_LINES = 2;
const ROWS_AT_ONCE = 20;
/** Discord supports no HTML, and indentation makes no code there. */
const NOT_IN_DISCORD = ["htmlFlow", "htmlText", "codeIndented", "setextUnderline", "definition"];
/** The contents of a line do not affect where blocks end, and take most of the time. */
const INLINE = [
  "attention",
  "autolink",
  "characterEscape",
  "characterReference",
  "codeText",
  "labelEnd",
  "labelStartImage",
  "labelStartLink",
  "hardBreakEscape",
];
const KNOTS = new Set(["inlineCode", "link", "linkReference", "image", "imageReference", "strong", "emphasis"]);

/** `within`: the caller's own limiter, if it has one. */
export function openMarkdown(within: Within = openWithin()): Markdown {
  const limited = <T>(read: (text: string) => T): ((text: string) => T) =>
    remembering((text) => within(LONGEST_MS, () => read(text)));
  const rows = limited(rowsOf);
  return {
    breakPoints: limited(breakPointsOf),
    unbreakable: limited(unbreakableOf),
    table: (text) => tableOf(text, rows),
  };
}

function remembering<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = read(text);
    known.set(text, found);
    if (known.size > REMEMBERED) known.delete(known.keys().next().value ?? text);
    return found;
  };
}

function treeOf(text: string, without: readonly string[] = []): Tree {
  // A byte order mark would not be counted in the positions.
  return fromMarkdown(text.replace(/^\uFEFF/, " "), {
    extensions: [gfmTable(), { disable: { null: [...NOT_IN_DISCORD, ...without] } }],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
}

function breakPointsOf(text: string): ReadonlyMap<number, BreakPoint> {
  const breakPoints = new Map<number, BreakPoint>();
  const visit = (node: Node): void => {
    if (node.type !== "root" && node.type !== "list" && node.type !== "listItem" && node.type !== "blockquote") return;
    let before: Node | null = null;
    for (const child of node.children) {
      const start = child.position?.start.offset ?? 0;
      const line = text.lastIndexOf("\n", start - 1) + 1;
      if (before !== null && !introduces(before, text)) breakPoints.set(line, node.type === "root" ? "block" : "item");
      visit(child);
      before = child;
    }
  };
  visit(treeOf(text, INLINE));
  return breakPoints;
}

/** Whether a block belongs above the next one: a heading, or a line that ends with a colon. */
function introduces(node: Node, text: string): boolean {
  if (node.type !== "paragraph") return node.type === "heading";
  return /[:：][*_]*$/.test(text.slice(0, node.position?.end.offset));
}

function unbreakableOf(text: string): readonly Range[] {
  const unbreakable: Range[] = [];
  const visit = (node: { type: string; position?: Node["position"]; children?: unknown[] }): void => {
    if (KNOTS.has(node.type))
      unbreakable.push({ from: node.position?.start.offset ?? 0, to: node.position?.end.offset ?? 0 });
    else for (const child of node.children ?? []) visit(child as typeof node);
  };
  visit(treeOf(text));
  return unbreakable;
}

/** Reads a few rows at a time, so that a growing table is not read again with each of its rows. */
function tableOf(text: string, read: (few: string) => Rows | null): LaidTable | null {
  const lines = text.split("\n");
  const head = lines.slice(0, HEAD_LINES);
  const rows: Cell[][] = [];
  let align: Rows["align"] = [];
  for (let at = HEAD_LINES; at === HEAD_LINES || at < lines.length; at += ROWS_AT_ONCE) {
    const few = lines.slice(at, at + ROWS_AT_ONCE);
    const found = read([...head, ...few].join("\n"));
    if (found === null) return null;
    align = found.align;
    rows.push(...found.rows.slice(at === HEAD_LINES ? 0 : 1));
    if (found.lines < head.length + few.length) break;
  }
  return { ...layTable(rows, align), lines: rows.length + 1 };
}

interface Rows {
  /** The header first. */
  rows: Cell[][];
  align: readonly Alignment[];
  /** Lines of the source. */
  lines: number;
}

function rowsOf(text: string): Rows | null {
  const table = firstTable(treeOf(text));
  if (table === null || table.position?.start.line !== 1) return null;
  const rows = table.children.map((row) => row.children.map((cell) => cellOf(cell, text)));
  return { rows, align: table.align ?? [], lines: table.position.end.line };
}

type Table = Extract<Node, { type: "table" }>;

function firstTable(node: Node): Table | null {
  if (node.type === "table") return node;
  const [first] = "children" in node ? node.children : [];
  return first === undefined ? null : firstTable(first as Node);
}

function cellOf(cell: Table["children"][number]["children"][number], text: string): Cell {
  const [first, last] = [cell.children[0], cell.children.at(-1)];
  const source = text.slice(first?.position?.start.offset ?? 0, first ? last?.position?.end.offset : 0);
  const plain = plainOf(cell).replace(/\s+/g, " ").trim();
  return { source: source.replaceAll("\\|", "|").trim(), plain, width: widthOf(plain) };
}

interface Inline {
  type: string;
  value?: string;
  alt?: string | null;
  url?: string;
  children?: unknown[];
}

/** The words without formatting; addresses stay readable. */
function plainOf(node: Inline): string {
  const inside = (node.children ?? []).map((child) => plainOf(child as Inline)).join("");
  switch (node.type) {
    case "break":
      return " ";
    case "link":
      return inside === node.url || node.url === `mailto:${inside}` ? inside : `${inside} (${node.url ?? ""})`;
    case "image":
      return `${node.alt ?? ""} (${node.url ?? ""})`.trim();
    default:
      return node.value ?? inside;
  }
}
