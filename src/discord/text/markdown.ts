/**
 * Reads Markdown with a parser: how a text divides into blocks, what belongs together within a line, and the cells of
 * a table. The parser is slow to load and to read, so this file is imported when there is first something to read, is
 * given at most one message at a time, and caches its results. Its time is limited, whatever it is given.
 */
import stringWidth from "string-width";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { openWithin, type Within } from "../../host/time-limit.ts";

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
function tableOf(text: string, read: (few: string) => TableRows | null): LaidTable | null {
  const lines = text.split("\n");
  const head = lines.slice(0, HEAD_LINES);
  const rows: Cell[][] = [];
  let align: TableRows["align"] = [];
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

interface TableRows {
  /** The header first. */
  rows: Cell[][];
  align: readonly Alignment[];
  /** Lines of the source. */
  lines: number;
}

function rowsOf(text: string): TableRows | null {
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

/*
 * Lays out a Markdown table for Discord, which draws none: as columns of one width if they fit on a phone, else as a
 * list of its rows with a heading each. Widths are counted as a terminal counts them, so Korean, Japanese, Chinese and
 * emoji align. No cell's text is left out.
 */

export interface Cell {
  /** As it is written, on one line. */
  source: string;
  /** Its text without formatting. */
  plain: string;
  /** The columns that `plain` takes, by `widthOf`. */
  width: number;
}

export type Alignment = "left" | "right" | "center" | null;

/** Lines to show: with `columns`, as code, `head` above `body`; else as Markdown. */
export interface Layout {
  columns: boolean;
  head: string[];
  body: string[];
}

/** Columns of characters that fit on one line of a desktop, and of a phone held sideways. */
const WIDEST = 56;
/** UTF-16 units of a line: combining characters take no width but do take room in a message. */
const LONGEST = 240;
const BETWEEN = "  ";

/** Format characters that can be seen; `string-width` fails on one with nothing behind it. */
const VISIBLE_FORMAT = /[\p{Cf}--\p{Default_Ignorable_Code_Point}]/gv;

/** Columns a text takes, as a terminal counts them. */
export function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text.replace(VISIBLE_FORMAT, ""));
}

/** The first row is the header. Rows may have fewer cells than it, or more. */
export function layTable(rows: readonly Cell[][], align: readonly Alignment[]): Layout {
  // Empty columns would be an empty code block, which Discord reads as only its beginning.
  if (rows.every((row) => row.every(({ plain }) => plain === ""))) return { columns: false, head: [], body: [""] };
  return columnsOf(rows, align) ?? { columns: false, head: [], body: listOf(rows) };
}

function columnsOf(rows: readonly Cell[][], align: readonly Alignment[]): Layout | null {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: count }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.width ?? 0), 1),
  );
  const total = widths.reduce((sum, width) => sum + width, 0) + BETWEEN.length * (count - 1);
  if (total > WIDEST) return null;
  const lineOf = (row: readonly Cell[]): string =>
    widths
      .map((width, column) => padded(row[column], width, align[column] ?? null))
      .join(BETWEEN)
      .trimEnd();
  const [header = "", ...body] = rows.map(lineOf);
  const rule = widths.map((width) => "-".repeat(width)).join(BETWEEN);
  if ([header, ...body].some((line) => line.length > LONGEST)) return null;
  // A header without text is there only because Markdown requires one.
  return { columns: true, head: header === "" ? [] : [header, rule], body };
}

function padded(cell: Cell | undefined, width: number, align: Alignment): string {
  const room = width - (cell?.width ?? 0);
  const before = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
  return " ".repeat(before) + (cell?.plain ?? "") + " ".repeat(room - before);
}

/** Each row under its first cell; a table of one column as its cells alone. */
function listOf([header = [], ...rows]: readonly Cell[][]): string[] {
  const labels = header.map(({ plain }) => bold(plain));
  if (rows.length === 0) return [labels.filter((label) => label !== "").join(" · ")];
  if (header.length < 2 && rows.every((row) => row.length < 2)) {
    return [...labels, ...rows.map(([cell]) => `- ${cell?.source || "–"}`)];
  }
  const barren = new Set([...labels.keys()].filter((column) => rows.every((row) => !row[column]?.source)));
  return rows.flatMap((row, index) =>
    index === 0 ? record(row, labels, barren) : ["", ...record(row, labels, barren)],
  );
}

/** `barren`: columns in which only the header has text. */
function record(cells: readonly Cell[], labels: readonly string[], barren: ReadonlySet<number>): string[] {
  const named = [labels[0] ?? "", bold(cells[0]?.plain ?? "")].filter((part) => part !== "").join(" ");
  const columns = Array.from({ length: Math.max(cells.length, labels.length) }, (_, column) => column).slice(1);
  const fields = columns.flatMap((column) => {
    const label = labels[column] ?? "";
    const source = cells[column]?.source || (barren.has(column) ? "–" : "");
    if (source === "" || (label === "" && barren.has(column))) return [];
    return [label === "" ? `- ${source}` : `- ${label}: ${source}`];
  });
  return named === "" && fields.length === 0 ? [] : [named, ...fields];
}

/** In an address, a backslash would be part of it. */
const ADDRESS_OR_MARK = /https?:\/\/[^\s<>]+|[\\`*_~|]/g;

function bold(text: string): string {
  return text === ""
    ? ""
    : `**${text.replace(ADDRESS_OR_MARK, (found) => (found.length > 1 ? found.replaceAll("*", "%2A") : `\\${found}`))}**`;
}

/*
 * Renders agents' text, and gives a post up if that fails or takes too long; what is shown in its place says so. An
 * unforeseen text costs a moment, once, and never delays the other threads.
 */

/**
 * The result of `render`, or of `instead` if it throws or takes too long; from then on it is not tried again.
 * `subject`: the job or the decision. `chars`: how much text is rendered.
 */
export type Attempt = <T>(subject: string, chars: number, render: () => T, instead: () => T) => T;

/** Many times what the longest answer takes. */
export const LONGEST_MS = 3_000;

/**
 * Text of this length fits into one message. It is rendered without a limit of its own, because a limit costs a thread
 * and most looks at a thread render no more than that; where it is parsed, the parser has one (`markdown.ts`).
 */
const SHORT_CHARS = 2_000;

export interface RenderingOptions {
  within: Within;
  /** Called once for each subject. */
  givenUp(subject: string, error: unknown): void;
}

export function openRendering({ within, givenUp }: RenderingOptions): Attempt {
  const hopeless = new Set<string>();
  return (subject, chars, render, instead) => {
    if (hopeless.has(subject)) return instead();
    try {
      return chars <= SHORT_CHARS ? render() : within(LONGEST_MS, render);
    } catch (error) {
      hopeless.add(subject);
      givenUp(subject, error);
      return instead();
    }
  };
}

/** Gives nothing up: for a view whose caller handles failures itself. */
export const always: Attempt = (_subject, _chars, render) => render();
