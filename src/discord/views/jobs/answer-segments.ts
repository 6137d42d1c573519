/**
 * Cuts a growing answer where something else was posted below it: what was written by then stays above, and what
 * follows goes into new messages below, so that a thread reads in the order in which things happened.
 */
import { createHash } from "node:crypto";
import { compareSnowflakes } from "../../../base/ids.ts";
import type { Post, Upto } from "../../../core/posts/post.ts";
import { WHOLE_ANSWER, type Segment } from "./answer.ts";
import type { Below } from "../desired-posts.ts";

const FENCE = /^ {0,3}(?:> ?)?(`{3,}|~{3,})/;
const ANSWER = /^answer:(\d+)$/;

type Parts = Readonly<Record<string, Post>>;

/**
 * Where the answer continues, by the record of its messages. If this text does not begin with what they contain, it is
 * another text, and all of it goes below them. `text` null: not known.
 */
export function segmentOf(posts: Parts, text: string | null): Segment {
  let segment = WHOLE_ANSWER;
  let shown: Upto | undefined;
  for (const { number, post } of answers(posts)) {
    if (!post.upto || number < segment.first) continue;
    segment = { from: post.upto.chars, first: number + 1 };
    shown = post.upto;
  }
  return shown && text !== null && digest(text.slice(0, shown.chars)) !== shown.sha256 ? { ...segment, from: 0 } : segment;
}

/** What is written of an answer. */
interface Written {
  text: string;
  /** Its agent writes nothing now: it waits, or runs a tool. */
  paused: boolean;
}

/** Up to where the segment stays above what was posted below its last message; null if nothing was. */
export function cutOf(posts: Parts, { from, first }: Segment, below: readonly Below[], { text, paused }: Written): number | null {
  const ids = answers(posts).flatMap(({ number, post }) => (number >= first && post.message_id !== null ? [post.message_id] : []));
  const last = ids.sort(compareSnowflakes).at(-1);
  const next = last === undefined ? undefined : below.find(({ id, at }) => compareSnowflakes(id, last) > 0 && at > from);
  // Text that is being written is not cut before more of it follows.
  if (next === undefined || (!paused && text.length <= next.at)) return null;
  const cut = cutAt(text, from, Math.min(next.at, text.length), paused);
  return cut !== null && cut > from ? cut : null;
}

export function uptoOf(text: string, chars: number): Upto {
  return { chars, sha256: digest(text.slice(0, chars)) };
}

/** At the end of a line outside code if there is one; null while an open code block fills the segment. */
function cutAt(text: string, from: number, at: number, paused: boolean): number | null {
  if (paused || text[at] === "\n") return at;
  const { lineEnd, open } = readUpTo(text.slice(from, at));
  if (lineEnd > 0) return from + lineEnd;
  if (open) return null;
  const blank = text.slice(from, at).search(/\s\S*$/);
  return blank > 0 ? from + blank : at;
}

/** The last line end outside code, and whether code is open at the end. */
function readUpTo(text: string): { lineEnd: number; open: boolean } {
  let open = false;
  let lineEnd = 0;
  let from = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
    if (FENCE.test(text.slice(from, end))) open = !open;
    from = end + 1;
    if (!open) lineEnd = from;
  }
  return { lineEnd, open: FENCE.test(text.slice(from)) ? !open : open };
}

/** The messages of an answer by their number, lowest first. */
export function answers(posts: Parts): { number: number; post: Post }[] {
  return Object.entries(posts)
    .flatMap(([part, post]) => {
      const number = ANSWER.exec(part)?.[1];
      return number === undefined ? [] : [{ number: Number(number), post }];
    })
    .sort((a, b) => a.number - b.number);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest().toString("hex", 0, 16);
}
