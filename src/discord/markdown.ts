/**
 * Markdown read by a parser into a tree: where a text falls into blocks, what on a line belongs together, what a
 * table's cells are. The parser takes its time to load and to read, so this file is imported when there is first
 * something to read, is handed no more than a message at a time, and remembers what it has read.
 */
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { layTable, widthOf, type Alignment, type Cell, type Layout } from "./table.ts";

/** What lies before a line: the end of a block, of a part of a block such as a list's item, or of a line. */
export type Seam = "block" | "item" | "line";

export interface Range {
  from: number;
  to: number;
}

export interface LaidTable extends Layout {
  /** Of the source, from the table's first on. */
  lines: number;
}

export interface Markdown {
  /** For offsets where a line begins with a block or a part of one: which. */
  seams(text: string): ReadonlyMap<number, Seam>;
  /** What is better not parted: links, code, emphasis. Offsets in a text of one paragraph. */
  knots(text: string): readonly Range[];
  /** The table that begins in the text's first line; null where there is none. */
  table(text: string): LaidTable | null;
}

type Tree = ReturnType<typeof fromMarkdown>;
type Node = Tree | Tree["children"][number];

/** Readings that are kept; a running answer of many messages is read again and again. */
const REMEMBERED = 400;
/** A table's header and the line below it. */
const HEAD_LINES = 2;
const ROWS_AT_ONCE = 20;
/** Discord knows no HTML, and indentation makes no code there. */
const NOT_IN_DISCORD = ["htmlFlow", "htmlText", "codeIndented", "setextUnderline", "definition"];
/** What is inside a line does not matter for where blocks end, and takes most of the time. */
const INLINE = ["attention", "autolink", "characterEscape", "characterReference", "codeText", "labelEnd", "labelStartImage", "labelStartLink", "hardBreakEscape"];
const KNOTS = new Set(["inlineCode", "link", "linkReference", "image", "imageReference", "strong", "emphasis"]);

export function openMarkdown(): Markdown {
  const rows = remembering(rowsOf);
  return { seams: remembering(seamsOf), knots: remembering(knotsOf), table: (text) => tableOf(text, rows) };
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
  // A mark of the byte order would not be counted in the positions.
  return fromMarkdown(text.replace(/^\uFEFF/, " "), {
    extensions: [gfmTable(), { disable: { null: [...NOT_IN_DISCORD, ...without] } }],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
}

function seamsOf(text: string): ReadonlyMap<number, Seam> {
  const seams = new Map<number, Seam>();
  const visit = (node: Node): void => {
    if (node.type !== "root" && node.type !== "list" && node.type !== "listItem" && node.type !== "blockquote") return;
    let before: Node | null = null;
    for (const child of node.children) {
      const start = child.position?.start.offset ?? 0;
      const line = text.lastIndexOf("\n", start - 1) + 1;
      if (before !== null && !introduces(before, text)) seams.set(line, node.type === "root" ? "block" : "item");
      visit(child);
      before = child;
    }
  };
  visit(treeOf(text, INLINE));
  return seams;
}

/** Whether a block belongs above the next one: a heading, or a line that ends with a colon. */
function introduces(node: Node, text: string): boolean {
  if (node.type !== "paragraph") return node.type === "heading";
  return /[:：][*_]*$/.test(text.slice(0, node.position?.end.offset));
}

function knotsOf(text: string): readonly Range[] {
  const knots: Range[] = [];
  const visit = (node: { type: string; position?: Node["position"]; children?: unknown[] }): void => {
    if (KNOTS.has(node.type)) knots.push({ from: node.position?.start.offset ?? 0, to: node.position?.end.offset ?? 0 });
    else for (const child of node.children ?? []) visit(child as typeof node);
  };
  visit(treeOf(text));
  return knots;
}

/** A few rows are read at a time, so that a table that grows is not read again with each of its rows. */
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
  /** Of the source. */
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

/** What is left of formatted words when nothing is formatted: addresses stay readable. */
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
