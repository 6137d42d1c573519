/**
 * Discord's Markdown as a tree of blocks. Pure and total: any text gives a tree, in time that grows with
 * its length times a fixed depth, and the tree holds text and checked links only, never markup.
 */
import { parseInline, type Inline } from "./markdown-inline.ts";

export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "heading"; level: 1 | 2 | 3; children: Inline[] }
  | { kind: "subtext"; children: Inline[] }
  | { kind: "quote"; children: Block[] }
  | { kind: "list"; ordered: boolean; start: number; items: Block[][] }
  | { kind: "code"; language: string; text: string };

/** Deeper nesting is shown as plain text. */
const MAX_DEPTH = 6;

export function parseMarkdown(text: string): Block[] {
  return parseBlocks(text.replaceAll("\r\n", "\n"), 0);
}

/** Splits off fenced code first: inside a fence nothing else has a meaning. */
function parseBlocks(text: string, depth: number): Block[] {
  const blocks: Block[] = [];
  let from = 0;
  while (from < text.length) {
    const fence = findFence(text, from);
    const end = fence?.start ?? text.length;
    parseLines(trimBreak(text.slice(from, end), from > 0, fence !== undefined), depth, blocks);
    if (!fence) break;
    blocks.push({ kind: "code", language: fence.language, text: fence.text });
    from = fence.end;
  }
  return blocks;
}

interface Fence {
  start: number;
  end: number;
  language: string;
  text: string;
}

/**
 * A fence opens anywhere, also within a line, as in Discord; without its end it is plain text. A quoted one belongs to
 * its quote.
 */
function findFence(text: string, from: number): Fence | undefined {
  let start = text.indexOf("```", from);
  while (start >= 0) {
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    if (!/^ *>/.test(text.slice(lineStart, start))) break;
    start = text.indexOf("```", start + 3);
  }
  if (start < 0) return undefined;
  let close = text.indexOf("```", start + 3);
  if (close < 0) return undefined;
  while (text[close + 3] === "`") close += 1;
  const inside = text.slice(start + 3, close);
  if (inside.trim() === "") return undefined;
  const named = /^([A-Za-z0-9_+\-.#]*)\n/.exec(inside);
  const body = named ? inside.slice(named[0].length) : inside;
  return { start, end: close + 3, language: (named?.[1] ?? "").toLowerCase(), text: body.replace(/\n$/, "") };
}

/** The line breaks around a fence belong to it, not to the text. */
function trimBreak(text: string, afterFence: boolean, beforeFence: boolean): string {
  const begun = afterFence && text.startsWith("\n") ? text.slice(1) : text;
  return beforeFence && begun.endsWith("\n") ? begun.slice(0, -1) : begun;
}

function parseLines(text: string, depth: number, blocks: Block[]): void {
  if (text === "") return;
  const lines = text.split("\n");
  let plain: string[] = [];
  const flush = (): void => {
    if (plain.some((line) => line !== "")) blocks.push({ kind: "paragraph", children: parseInline(plain.join("\n")) });
    plain = [];
  };
  for (let at = 0; at < lines.length;) {
    const taken = depth < MAX_DEPTH ? takeBlock(lines, at, depth) : undefined;
    if (!taken) {
      plain.push(lines[at] ?? "");
      at += 1;
      continue;
    }
    flush();
    blocks.push(taken.block);
    at = taken.next;
  }
  flush();
}

interface Taken {
  block: Block;
  next: number;
}

function takeBlock(lines: string[], at: number, depth: number): Taken | undefined {
  const line = lines[at] ?? "";
  if (line.startsWith(">>> ")) {
    const rest = [line.slice(4), ...lines.slice(at + 1)].join("\n");
    return { block: { kind: "quote", children: parseBlocks(rest, depth + 1) }, next: lines.length };
  }
  if (isQuoted(line)) return takeQuote(lines, at, depth);
  const heading = /^(#{1,3})\s+(\S.*)$/.exec(line);
  if (heading) {
    const level = (heading[1] ?? "#").length as 1 | 2 | 3;
    return { block: { kind: "heading", level, children: parseInline((heading[2] ?? "").trim()) }, next: at + 1 };
  }
  const subtext = /^-#\s+(\S.*)$/.exec(line);
  if (subtext) return { block: { kind: "subtext", children: parseInline(subtext[1] ?? "") }, next: at + 1 };
  return bulletOf(line) ? takeList(lines, at, depth) : undefined;
}

function isQuoted(line: string): boolean {
  return line.startsWith("> ") || line === ">";
}

function takeQuote(lines: string[], at: number, depth: number): Taken {
  let next = at;
  const inside: string[] = [];
  while (next < lines.length && isQuoted(lines[next] ?? "")) {
    inside.push((lines[next] ?? "").slice(2));
    next += 1;
  }
  return { block: { kind: "quote", children: parseBlocks(inside.join("\n"), depth + 1) }, next };
}

interface Bullet {
  indent: number;
  ordered: boolean;
  number: number;
  text: string;
}

function bulletOf(line: string): Bullet | undefined {
  const match = /^( *)(?:([-*])|(\d{1,9})\.) +(\S.*)$/.exec(line);
  if (!match) return undefined;
  return {
    indent: (match[1] ?? "").length,
    ordered: match[3] !== undefined,
    number: Number(match[3] ?? 1),
    text: match[4] ?? "",
  };
}

/** Items of one indentation; deeper lines belong to the item above them. */
function takeList(lines: string[], at: number, depth: number): Taken {
  const first = bulletOf(lines[at] ?? "") as Bullet;
  const items: string[][] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    const bullet = bulletOf(line);
    const deeper = /^ */.exec(line)?.[0].length ?? 0;
    if (bullet && bullet.indent <= first.indent && bullet.ordered === first.ordered) items.push([bullet.text]);
    else if (line.trim() !== "" && deeper > first.indent)
      items.at(-1)?.push(line.slice(Math.min(deeper, first.indent + 2)));
    else break;
  }
  const parsed = items.map((item) => {
    const blocks: Block[] = [];
    const [head = "", ...rest] = item;
    blocks.push({ kind: "paragraph", children: parseInline(head) });
    parseLines(rest.join("\n"), depth + 1, blocks);
    return blocks;
  });
  return { block: { kind: "list", ordered: first.ordered, start: first.number, items: parsed }, next };
}
