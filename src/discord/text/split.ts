/**
 * Splits Markdown into messages that each read well alone: between blocks if possible, else between list items, lines,
 * sentences, words. A boundary depends only on the text written up to it: while a text grows, a boundary never moves
 * once text follows it, so the messages posted while an answer streams are also those of its end. No character is
 * lost, and none is added except to open and close code and to repeat a table's head.
 */
import { graphemes } from "../../base/text.ts";
import { FENCE, type RenderedText, GAP } from "./agent-text.ts";
import type { Markdown, BreakPoint } from "./markdown.ts";

/** One message: `before + body + after`. The joined bodies are the text. */
export interface Chunk {
  /** Reopens the code that was cut, with the head of its table, or the quote. */
  before: string;
  body: string;
  after: string;
  /** Where the next message begins, and the context there. */
  next: Boundary;
}

/** Discord's limit on a message, in UTF-16 units. */
export const MESSAGE_LIMIT = 2000;

/** The Markdown context of a position. */
interface Context {
  fence: { quote: string; language: string } | null;
  /** The length of the backtick run of an open code span, 0 for none. */
  span: number;
  /** Whether it is in the middle of a line, and whether that line is quoted. */
  midLine: boolean;
  quoted: boolean;
}

/** A boundary between two messages: an offset in the text, and the context there. */
export interface Boundary {
  at: number;
  context: Context;
}

interface LineEnd extends Boundary {
  /** `edge`: a cut here would leave an empty code block, or a table's head alone. */
  kind: BreakPoint | "code" | "edge";
}

const START: Context = { fence: null, span: 0, midLine: false, quoted: false };
/** The beginning of every text. */
export const BEGINNING: Boundary = { at: 0, context: START };
const FENCE_LINE = /^(> )?```([^`]*)$/;
const LONGEST_CLOSING = "\n> ```".length;
/** Longer runs of backticks open no code in Discord. */
const LONGEST_SPAN = 3;
/** Longest text that reopens what was opened within a line. */
const LONGEST_OPENING = 60;
/** A blank line of code, quoted or not. */
const NO_CODE = /^(?:> )?$/;
const EMPTY_REST = /(?:(?:> )?\n)*(?:> )?```/y;
/** At the window's end it is still open whether the code ends right there. */
const UNDECIDED_REST = /(?:(?:> )?\n)*>? ?`{0,3}$/y;

export type TextWithTables = Pick<RenderedText, "text" | "tables">;

/**
 * Messages of at most `limit` UTF-16 units (at least 100), made as they are asked for. None for an empty text. `from`:
 * the `next` of a message that is left out; the text before it is not read.
 */
export function* split(
  shown: TextWithTables,
  markdown: Markdown,
  limit = MESSAGE_LIMIT,
  from = BEGINNING,
): Generator<Chunk, undefined> {
  const { text } = shown;
  let here = from;
  while (here.at < text.length) {
    const before = opening(shown, here, limit);
    const next = boundaryAfter(shown, markdown, here, { before, room: limit - before.length - LONGEST_CLOSING });
    const body = text.slice(here.at, next.at);
    yield { before, body, after: closing(next.context, body), next };
    here = next;
  }
}

/**
 * The end of a text in at most `limit` UTF-16 units: it begins with a block if possible, else with a line, else with a
 * word, and not before `from`.
 */
export function lastChunk(shown: TextWithTables, markdown: Markdown, from: number, limit: number): Chunk {
  const { text, tables } = shown;
  const least = Math.max(from, text.length - limit);
  const lines = lineEnds(text, BEGINNING, tables, new Map()).boundaries;
  const places = lines.filter(({ at }) => at >= least && at < text.length);
  const fits = (place: Boundary): boolean =>
    opening(shown, place, limit).length + text.length - place.at + LONGEST_CLOSING <= limit;
  const breakPoints = breakPointsOf(
    text.slice(places[0]?.at ?? text.length),
    places[0]?.context ?? START,
    "",
    markdown,
  );
  const begins = (place: Boundary): boolean => breakPoints.get(place.at - (places[0]?.at ?? 0)) === "block";
  const start =
    places.find((place) => fits(place) && begins(place)) ??
    places.find((place) => fits(place) && place.kind !== "edge") ??
    inLastLine(text, lines.findLast(({ at }) => at < least) ?? BEGINNING, least + LONGEST_OPENING);
  const body = text.slice(start.at);
  const context = endOf(body, start);
  return {
    before: opening(shown, start, limit),
    body,
    after: closing(context, body),
    next: { at: text.length, context },
  };
}

export function contentOf(chunk: Chunk): string {
  return chunk.before + chunk.body + chunk.after;
}

/** Where a chunk ends that begins at `start` and has `room` for its body after `before`. */
function boundaryAfter(
  shown: TextWithTables,
  markdown: Markdown,
  start: Boundary,
  { before, room }: { before: string; room: number },
): Boundary {
  const { text, tables } = shown;
  const window = text.slice(start.at, start.at + room);
  if (start.at + room >= text.length) return { at: text.length, context: endOf(window, start) };
  const breakPoints = breakPointsOf(window, start.context, before, markdown);
  const { boundaries, last } = lineEnds(window, start, tables, breakPoints);
  return (
    atLine(boundaries, start.at, room) ?? insideLine(text, markdown, { start: start.at, room: window.length }, last)
  );
}

/** For each offset in the window where a line begins: its break point. */
function breakPointsOf(
  window: string,
  { fence, midLine }: Context,
  before: string,
  markdown: Markdown,
): ReadonlyMap<number, BreakPoint> {
  if (!window.includes("\n")) return new Map();
  const reopened = before !== "" || fence === null ? before : `${fence.quote}${FENCE}\n`;
  const breakPoints = markdown.breakPoints(reopened + window);
  const shifted = new Map([...breakPoints].map(([at, breakPoint]) => [at - reopened.length, breakPoint]));
  if (midLine) shifted.delete(0);
  return shifted;
}

/** Every line end in the window with its context, and where the last, unfinished line begins. */
function lineEnds(
  window: string,
  start: Boundary,
  tables: TextWithTables["tables"],
  breakPoints: ReadonlyMap<number, BreakPoint>,
): { boundaries: LineEnd[]; last: Boundary } {
  const boundaries: LineEnd[] = [];
  let from = 0;
  let context = start.context;
  let hasCode = false;
  for (let end = window.indexOf("\n"); end >= 0; end = window.indexOf("\n", from)) {
    const line = window.slice(from, end);
    hasCode = context.fence !== null && (hasCode || !NO_CODE.test(line));
    context = afterLine(context, line);
    from = end + 1;
    const at = start.at + from;
    const kind =
      context.fence === null
        ? outsideCode(window, from, line, breakPoints)
        : hasCode && isBeforeCode(window, from) && !isJustBefore(tables, at)
          ? "code"
          : "edge";
    boundaries.push({ at, context, kind });
  }
  return { boundaries, last: { at: start.at + from, context } };
}

function afterLine(context: Context, line: string): Context {
  const mark = context.midLine ? null : FENCE_LINE.exec(line);
  if (mark === null) return { ...START, fence: context.fence };
  const fence = { quote: mark[1] ?? "", language: (mark[2] ?? "").slice(0, 40) };
  return { ...START, fence: context.fence === null ? fence : null };
}

/** What follows a blank line at the window's end is not visible from here. */
function outsideCode(
  window: string,
  from: number,
  line: string,
  breakPoints: ReadonlyMap<number, BreakPoint>,
): BreakPoint {
  return breakPoints.get(from) ?? (line.trim() === "" && from === window.length ? "block" : "line");
}

/** A cut with nothing but blank lines before the closing fence would leave an empty code block. */
function isBeforeCode(window: string, from: number): boolean {
  EMPTY_REST.lastIndex = from;
  UNDECIDED_REST.lastIndex = from;
  return !EMPTY_REST.test(window) && !UNDECIDED_REST.test(window);
}

/** Whether a table's rows would be cut off from its head here. */
function isJustBefore(tables: TextWithTables["tables"], at: number): boolean {
  return tables.some((table) => at <= table.from && at > table.from - table.head.length);
}

/** The best line end: between blocks, else between their parts, else lines, else lines of code; not too early. */
function atLine(boundaries: LineEnd[], start: number, room: number): Boundary | undefined {
  const latest = (kinds: LineEnd["kind"][], share: number): Boundary | undefined =>
    boundaries.findLast(({ at, kind }) => kinds.includes(kind) && at - start >= room * share);
  return (
    latest(["block"], 1 / 2) ??
    latest(["block", "item"], 1 / 2) ??
    latest(["block", "item", "line"], 1 / 3) ??
    latest(["code"], 1 / 3)
  );
}

/** The part of the text that one message may hold. */
interface TextWindow {
  start: number;
  room: number;
}

/** A line too long for one message: cut between sentences, else between words, else between graphemes. */
function insideLine(text: string, markdown: Markdown, { start, room }: TextWindow, line: Boundary): Boundary {
  const window = text.slice(start, start + room);
  const { fence } = line.context;
  UNDECIDED_REST.lastIndex = line.at - start;
  // What may be the end of the code is not split: half of it would end nothing.
  const isEnd = fence !== null && line.at > start && UNDECIDED_REST.test(window);
  // A line of code is not parted from its line end alone: the next message would begin with an empty code block.
  const most = fence !== null && text[start + room] === "\n" ? room - 1 : room;
  if (line.at === start + room || line.at === start + most || isEnd) return line;
  const spans = fence ? [] : spansOf(text, line, start + room);
  const unbreakable = fence ? [] : markdown.unbreakable(text.slice(line.at, start + room));
  const offset = start - line.at;
  const isFree = (end: number): boolean =>
    end + offset > 0 &&
    end <= most &&
    (spans[end + offset] ?? 0) === 0 &&
    isBetweenCharacters(text, start + end, start);
  const isLoose = (end: number): boolean =>
    isFree(end) && !unbreakable.some(({ from, to }) => from < end + offset && end + offset < to);
  const sentences = fence ? [] : ends(window, /[.!?…]["'”’)\]]*\s+|[。！？]["”’」』）]*/g, room / 2);
  const words = ends(window, /\s+/g, room / 3);
  const end =
    sentences.findLast(isLoose) ??
    words.findLast(isLoose) ??
    words.findLast(isFree) ??
    beforeCharacter(text, start + most, { start: line.at, spans }) - start;
  return withinLine(text, line, start + end, spans[end + offset] ?? 0);
}

/** Where to begin in a last line that is too long to be shown from its start. */
function inLastLine(text: string, line: Boundary, least: number): Boundary {
  const spans = line.context.fence ? [] : spansOf(text, line, text.length);
  const word = ends(text.slice(least, least + 400), /\s+/g, 1).map((end) => least + end);
  const at =
    word.find((end) => end < text.length && (spans[end - line.at] ?? 0) === 0) ??
    beforeCharacter(text, least, { start: line.at, spans });
  return withinLine(text, line, at, spans[at - line.at] ?? 0);
}

function withinLine(text: string, { at, context }: Boundary, place: number, span: number): Boundary {
  const quoted = context.midLine ? context.quoted : /^ {0,3}> /.test(text.slice(at, at + 5));
  return { at: place, context: { fence: context.fence, span, midLine: true, quoted } };
}

/** Where the pattern's matches end, from `least` on. */
function ends(window: string, pattern: RegExp, least: number): number[] {
  return [...window.matchAll(pattern)].map((match) => match.index + match[0].length).filter((end) => end >= least);
}

/** For each position from the line's beginning on, the backtick run of the code span it is in, 0 for none. */
function spansOf(text: string, line: Boundary, end: number): number[] {
  let open = line.context.span;
  const spans = [open];
  for (let at = line.at; at < end;) {
    const run = text[at] === "`" ? runAt(text, at, end) : 0;
    const escapes = open === 0 && text[at] === "\\";
    const length = run || (escapes ? 2 : 1);
    const opened = open;
    if (run > 0 && run <= LONGEST_SPAN) open = open === 0 ? run : open === run ? 0 : open;
    for (let inside = 1; inside < length; inside += 1) spans.push(opened);
    spans.push(open);
    at += length;
  }
  return spans;
}

function runAt(text: string, at: number, end: number): number {
  let length = 0;
  while (at + length < end && text[at + length] === "`") length += 1;
  return length;
}

/** The context at the end of the whole text; `rest` is the part of it that begins at `start`. */
function endOf(rest: string, start: Boundary): Context {
  const { last } = lineEnds(rest, start, [], new Map());
  const line = rest.slice(last.at - start.at);
  if (last.context.fence !== null || (!last.context.midLine && FENCE_LINE.test(line)))
    return afterLine(last.context, line);
  const spans = spansOf(line, { at: 0, context: last.context }, line.length);
  return { ...START, span: spans.at(-1) ?? 0 };
}

function opening({ text, tables }: TextWithTables, { at, context }: Boundary, limit: number): string {
  const { fence, span, midLine, quoted } = context;
  if (fence === null) return (quoted ? "> " : "") + "`".repeat(span);
  const reopened = `${fence.quote}${FENCE}${fence.language}\n`;
  if (midLine) return reopened + fence.quote;
  const head = tables.find(({ from, to }) => from < at && at < to)?.head ?? "";
  if (head !== "" && head.length < limit / 3) return reopened + head;
  EMPTY_REST.lastIndex = at;
  return EMPTY_REST.test(text) ? `${reopened}${fence.quote}${GAP}\n` : reopened;
}

function closing({ fence, span }: Context, body: string): string {
  if (fence === null) return "`".repeat(span);
  return `${body.endsWith("\n") ? "" : "\n"}${fence.quote}${FENCE}`;
}

/** No real text joins more than this into one character, or so many flags that their pairing begins further up. */
const LOOKED_BACK = 4_000;

/**
 * The last place at or before `at` that is between two graphemes; between two code points at worst. `spans`: from
 * `start` on.
 */
function beforeCharacter(
  text: string,
  at: number,
  { start, spans }: { start: number; spans: readonly number[] },
): number {
  for (let place = at; place > Math.max(start, at - 400); place -= 1) {
    if (isGentle(text, place, spans[place - start] ?? 0) && isBetweenCharacters(text, place, start)) return place;
  }
  return isLow(text, at) && at - 1 > start ? at - 1 : at;
}

/**
 * Not between a backslash and what it escapes, and not inside a run of backticks. In a code span not beside a backtick
 * either: the marks that close and reopen the span would join it.
 */
function isGentle(text: string, place: number, span: number): boolean {
  const [before, after] = [text[place - 1], text[place]];
  if (span > 0 && (before === "`" || after === "`")) return false;
  return before !== "\\" && !(before === "`" && after === "`");
}

function isBetweenCharacters(text: string, place: number, start: number): boolean {
  if (isPlain(text, place - 1) && isPlain(text, place)) return true;
  let from = place;
  while (from > Math.max(start, place - LOOKED_BACK) && !(isPlain(text, from) && isPlain(text, from - 1))) from -= 1;
  const inside = graphemes(text.slice(from, place + 2)).containing(place - from);
  return inside === undefined || inside.index === place - from;
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0;
}

/** There is always a boundary between two of these. */
function isPlain(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x20 && unit < 0x7f;
}
