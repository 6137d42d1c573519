/**
 * Lays out a Markdown table for Discord, which draws none: as columns of one width if they fit on a phone, else as a
 * list of its rows with a heading each. Widths are counted as a terminal counts them, so Korean, Japanese, Chinese and
 * emoji align. No cell's text is left out.
 */
import stringWidth from "string-width";

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
