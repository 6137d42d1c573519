/**
 * Splits Markdown into messages that each read well alone. Greedy, and decided only by what has been written up to
 * a boundary: while a text grows, a boundary never moves once there is text behind it, so what was posted while an
 * answer streamed is what its end posts too. No character is lost, and none is added but what opens and closes code.
 */
import { FENCE } from "./agent-text.ts";

/** One message: `before + body + after`. The bodies joined are the text. */
export interface Chunk {
  /** Opens again the code that the cut went through, or the quote. */
  before: string;
  body: string;
  after: string;
}

/** Discord's limit on a message, in UTF-16 units. */
export const MESSAGE_LIMIT = 2000;

/** Where in the Markdown a position is. */
interface Context {
  fence: { quote: string; language: string } | null;
  /** The length of the backtick run of an open code span, 0 for none. */
  span: number;
  /** In the middle of a line, and whether that line is quoted. */
  midLine: boolean;
  quoted: boolean;
}

interface Boundary {
  at: number;
  context: Context;
}

const START: Context = { fence: null, span: 0, midLine: false, quoted: false };
const FENCE_LINE = /^(> )?```([^`]*)$/;
const LONGEST_CLOSING = "\n> ```".length;
/** Longer runs of backticks open no code in Discord. */
const LONGEST_SPAN = 3;
const GAP = "\u200B";
const EMPTY_REST = /(?:(?:> )?\n)*(?:> )?```/y;
/** The end of the window leaves open whether the code ends right there. */
const UNDECIDED_REST = /(?:(?:> )?\n)*>? ?`{0,3}$/y;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Messages of at most `limit` UTF-16 units (at least 100). None for an empty text. */
export function split(text: string, limit = MESSAGE_LIMIT): Chunk[] {
  const chunks: Chunk[] = [];
  let here: Boundary = { at: 0, context: START };
  while (here.at < text.length) {
    const before = opening(text, here);
    const next = boundaryAfter(text, here, limit - before.length - LONGEST_CLOSING);
    const body = text.slice(here.at, next.at);
    chunks.push({ before, body, after: closing(next.context, body) });
    here = next;
  }
  return chunks;
}

export function contentOf(chunk: Chunk): string {
  return chunk.before + chunk.body + chunk.after;
}

/** Where a chunk ends that begins at `start` and has `room` for its body. */
function boundaryAfter(text: string, start: Boundary, room: number): Boundary {
  const window = text.slice(start.at, start.at + room);
  const { boundaries, last } = lineEnds(window, start);
  if (start.at + room >= text.length) return { at: text.length, context: endOf(window, start.at, last) };
  return atLine(boundaries, start.at, room) ?? insideLine(text, window, start.at, last);
}

interface LineEnd extends Boundary {
  kind: "paragraph" | "line" | "code" | "edge";
}

/** Every line end in the window with what holds there, and where its last, unfinished line begins. */
function lineEnds(window: string, start: Boundary): { boundaries: LineEnd[]; last: Boundary } {
  const boundaries: LineEnd[] = [];
  let from = 0;
  let context = start.context;
  for (let end = window.indexOf("\n"); end >= 0; end = window.indexOf("\n", from)) {
    const line = window.slice(from, end);
    const before = context;
    context = afterLine(context, line);
    from = end + 1;
    boundaries.push({ at: start.at + from, context, kind: kindOf(window, from, line, before, context) });
  }
  return { boundaries, last: { at: start.at + from, context } };
}

function afterLine(context: Context, line: string): Context {
  const mark = context.midLine ? null : FENCE_LINE.exec(line);
  if (mark === null) return { ...START, fence: context.fence };
  const fence = { quote: mark[1] ?? "", language: (mark[2] ?? "").slice(0, 40) };
  return { ...START, fence: context.fence === null ? fence : null };
}

/** A cut right behind the fence's opening or right before its end would leave an empty piece of code. */
function kindOf(window: string, from: number, line: string, before: Context, after: Context): LineEnd["kind"] {
  if (after.fence === null) return line.trim() === "" ? "paragraph" : "line";
  EMPTY_REST.lastIndex = from;
  UNDECIDED_REST.lastIndex = from;
  return before.fence === null || EMPTY_REST.test(window) || UNDECIDED_REST.test(window) ? "edge" : "code";
}

/** The best line end: between paragraphs, else between lines, else between lines of code; not too early. */
function atLine(boundaries: LineEnd[], start: number, room: number): Boundary | undefined {
  const latest = (kinds: LineEnd["kind"][], share: number): Boundary | undefined =>
    boundaries.findLast(({ at, kind }) => kinds.includes(kind) && at - start >= room * share);
  return latest(["paragraph"], 1 / 2) ?? latest(["paragraph", "line"], 1 / 3) ?? latest(["code"], 1 / 3);
}

/** A line too long for one message: cut between sentences, else words, else characters as people count them. */
function insideLine(text: string, window: string, start: number, line: Boundary): Boundary {
  const room = window.length;
  if (line.at === start + room) return line;
  const spans = line.context.fence ? [] : spansOf(text, line, start + room);
  const open = (end: number): number => spans[start + end - line.at] ?? 0;
  const fits = (end: number): boolean =>
    start + end > line.at && open(end) === 0 && isBetweenCharacters(text, start + end, start);
  const sentences = line.context.fence ? [] : ends(window, /[.!?…]["'”’)\]]*\s+|[。！？]["”’」』）]*/g, room / 2);
  const end =
    sentences.findLast(fits) ??
    ends(window, /\s+/g, room / 3).findLast(fits) ??
    beforeCharacter(text, start + room, line.at) - start;
  const quoted = line.context.midLine ? line.context.quoted : /^ {0,3}> /.test(text.slice(line.at, line.at + 5));
  return { at: start + end, context: { fence: line.context.fence, span: open(end), midLine: true, quoted } };
}

/** Where the pattern's matches end, from `least` on. */
function ends(window: string, pattern: RegExp, least: number): number[] {
  return [...window.matchAll(pattern)].map((match) => match.index + match[0].length).filter((end) => end >= least);
}

/** For each position from the line's beginning on, the run of the code span it is in, 0 for none. */
function spansOf(text: string, line: Boundary, end: number): number[] {
  let open = line.context.span;
  const spans = [open];
  for (let at = line.at; at < end; ) {
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

/** The last place at or before `at` that is between two characters as people count them; code points at worst. */
function beforeCharacter(text: string, at: number, start: number): number {
  for (let place = at; place > Math.max(start, at - 400); place -= 1) {
    if (isGentle(text, place) && isBetweenCharacters(text, place, start)) return place;
  }
  return isLow(text, at) && at - 1 > start ? at - 1 : at;
}

/** Not behind a backslash and what it escapes, and not inside a run of backticks. */
function isGentle(text: string, place: number): boolean {
  return text[place - 1] !== "\\" && !(text[place - 1] === "`" && text[place] === "`");
}

function isBetweenCharacters(text: string, place: number, start: number): boolean {
  if (isPlain(text, place - 1) && isPlain(text, place)) return true;
  let from = place;
  while (from > start && !(isPlain(text, from) && isPlain(text, from - 1))) from -= 1;
  const inside = segmenter.segment(text.slice(from, place + 2)).containing(place - from);
  return inside === undefined || inside.index === place - from;
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0;
}

/** Between two of these there is always a boundary. */
function isPlain(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x20 && unit < 0x7f;
}

/** What holds at the end of the whole text. */
function endOf(window: string, start: number, line: Boundary): Context {
  const rest = window.slice(line.at - start);
  if (line.context.fence !== null || FENCE_LINE.test(rest)) return afterLine(line.context, rest);
  const spans = spansOf(rest, { at: 0, context: line.context }, rest.length);
  return { ...START, span: spans.at(-1) ?? 0 };
}

function opening(text: string, { at, context }: Boundary): string {
  const { fence, span, midLine, quoted } = context;
  if (fence === null) return (quoted ? "> " : "") + "`".repeat(span);
  const reopened = `${fence.quote}${FENCE}${fence.language}\n`;
  if (midLine) return reopened + fence.quote;
  EMPTY_REST.lastIndex = at;
  return EMPTY_REST.test(text) ? `${reopened}${fence.quote}${GAP}\n` : reopened;
}

function closing({ fence, span }: Context, body: string): string {
  if (fence === null) return "`".repeat(span);
  return `${body.endsWith("\n") ? "" : "\n"}${fence.quote}${FENCE}`;
}
