/**
 * The inline part of Discord's Markdown: emphasis, code, spoilers, links, mentions, timestamps, emoji.
 * Links are kept only when they are http or https; everything else stays the text it was.
 */
import { emojiNamed } from "./emoji.ts";

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "strong" | "em" | "underline" | "strike" | "spoiler"; children: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "link"; href: string; title?: string; children: Inline[] }
  | { kind: "user" | "role" | "channel"; id: string }
  | { kind: "everyone"; text: string }
  | { kind: "command"; name: string; id: string }
  | { kind: "emoji"; name: string; id?: string }
  | { kind: "time"; seconds: number; style: string };

const MAX_DEPTH = 10;

export function parseInline(text: string): Inline[] {
  return parse(text, 0, false);
}

/** The address as the platform writes it, if it is a whole one of http or https; anything else is no link. */
export function safeHref(raw: string): string | undefined {
  return /^https?:\/\//i.test(raw) && URL.canParse(raw) ? new URL(raw).href : undefined;
}

interface Cursor {
  text: string;
  depth: number;
  /** Inside a link's text: no further links. */
  inLink: boolean;
  /**
   * Delimiters known to have no end in the rest of the text: keeps hostile input from being searched again and again.
   */
  unclosed: Set<string>;
  /** Up to here, `[` is known to begin no link. */
  noLinkBefore: number;
}

type Rule = (cursor: Cursor, at: number) => { node: Inline; end: number } | undefined;

function parse(text: string, depth: number, inLink: boolean): Inline[] {
  const cursor: Cursor = { text, depth, inLink, unclosed: new Set(), noLinkBefore: 0 };
  const nodes: Inline[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? "";
    if (char === "\\" && /[^\sA-Za-z0-9]/.test(text[at + 1] ?? "")) {
      plain += text[at + 1];
      at += 2;
      continue;
    }
    const found = depth < MAX_DEPTH ? rules[char]?.(cursor, at) : undefined;
    if (!found) {
      plain += char;
      at += 1;
      continue;
    }
    if (plain) nodes.push({ kind: "text", text: plain });
    plain = "";
    nodes.push(found.node);
    at = found.end;
  }
  if (plain) nodes.push({ kind: "text", text: plain });
  return nodes;
}

const rules: Record<string, Rule> = {
  "*": (c, at) => wrapped(c, at, "**", "strong") ?? star(c, at),
  _: (c, at) => wrapped(c, at, "__", "underline") ?? underscore(c, at),
  "~": (c, at) => wrapped(c, at, "~~", "strike"),
  "|": (c, at) => wrapped(c, at, "||", "spoiler"),
  "`": code,
  "[": maskedLink,
  "<": angle,
  h: bareLink,
  "@": everyone,
  ":": shortcode,
};

type Wrap = Extract<Inline, { children: Inline[] }>["kind"];

function wrapped(c: Cursor, at: number, mark: string, kind: Exclude<Wrap, "link">): ReturnType<Rule> {
  if (!c.text.startsWith(mark, at)) return undefined;
  let close = closing(c, at + mark.length, mark);
  if (close === undefined || close === at + mark.length) return undefined;
  // `***both***`: the outer pair is the last one of the run.
  while (mark !== "||" && c.text[close + mark.length] === mark[0]) close += 1;
  return {
    node: { kind, children: parse(c.text.slice(at + mark.length, close), c.depth + 1, c.inLink) },
    end: close + mark.length,
  };
}

/** `*x*`: no space just inside either star, so that a bullet or a product is not emphasis. */
function star(c: Cursor, at: number): ReturnType<Rule> {
  if (c.text[at + 1] === "*" || /^\s?$/.test(c.text[at + 1] ?? "")) return undefined;
  const close = single(c, at + 1, "*", (i) => !/\s/.test(c.text[i - 1] ?? " "));
  return close === undefined ? undefined : emphasis(c, at, close);
}

/** `_x_` only at word boundaries: snake_case_names stay whole. */
function underscore(c: Cursor, at: number): ReturnType<Rule> {
  if (isWord(c.text[at - 1]) || c.text[at + 1] === "_") return undefined;
  const close = single(c, at + 1, "_", (i) => !isWord(c.text[i + 1]));
  return close === undefined || close === at + 1 ? undefined : emphasis(c, at, close);
}

function emphasis(c: Cursor, at: number, close: number): ReturnType<Rule> {
  return { node: { kind: "em", children: parse(c.text.slice(at + 1, close), c.depth + 1, c.inLink) }, end: close + 1 };
}

/** Where `mark` comes again, not escaped and not inside inline code. */
function closing(c: Cursor, from: number, mark: string): number | undefined {
  if (c.unclosed.has(mark)) return undefined;
  for (let i = from; i < c.text.length; i += 1) {
    if (c.text[i] === "\\") i += 1;
    else if (c.text[i] === "`") i = afterCode(c, i) - 1;
    else if (c.text.startsWith(mark, i)) return i;
  }
  c.unclosed.add(mark);
  return undefined;
}

/** The same for a one-character mark; doubled marks belong to another rule and are stepped over. */
function single(c: Cursor, from: number, mark: string, fits: (at: number) => boolean): number | undefined {
  if (c.unclosed.has(mark)) return undefined;
  for (let i = from; i < c.text.length; i += 1) {
    if (c.text[i] === "\\") i += 1;
    else if (c.text[i] === "`") i = afterCode(c, i) - 1;
    else if (c.text.startsWith(mark + mark, i)) i += 1;
    else if (c.text[i] === mark && fits(i)) return i;
  }
  c.unclosed.add(mark);
  return undefined;
}

function afterCode(c: Cursor, at: number): number {
  return code(c, at)?.end ?? at + 1;
}

function code(c: Cursor, at: number): ReturnType<Rule> {
  let run = 1;
  while (c.text[at + run] === "`") run += 1;
  const mark = "`".repeat(run);
  if (c.unclosed.has(mark)) return undefined;
  for (let i = c.text.indexOf(mark, at + run); i >= 0; i = c.text.indexOf(mark, i + run)) {
    let end = i;
    while (c.text[end] === "`") end += 1;
    if (end - i !== run) {
      i = end - run;
      continue;
    }
    const inside = c.text.slice(at + run, i);
    const trimmed = /^ +[^ ].* $/s.test(inside) ? inside.slice(1, -1) : inside;
    return { node: { kind: "code", text: trimmed }, end };
  }
  c.unclosed.add(mark);
  return undefined;
}

function maskedLink(c: Cursor, at: number): ReturnType<Rule> {
  if (c.inLink || at < c.noLinkBefore) return undefined;
  const middle = closing(c, at + 1, "](");
  if (middle === undefined || middle === at + 1) return undefined;
  const match = /^<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"([^"]*)")?\)/.exec(
    c.text.slice(middle + 2, middle + 2600),
  );
  const href = match ? safeHref(match[1] ?? "") : undefined;
  if (!match || !href) {
    c.noLinkBefore = middle;
    return undefined;
  }
  const children = parse(c.text.slice(at + 1, middle), c.depth + 1, true);
  return {
    node: { kind: "link", href, children, ...(match[2] ? { title: match[2] } : {}) },
    end: middle + 2 + match[0].length,
  };
}

function bareLink(c: Cursor, at: number): ReturnType<Rule> {
  if (c.inLink || isWord(c.text[at - 1])) return undefined;
  const match = /^https?:\/\/[^\s<]+/.exec(c.text.slice(at, at + 2048));
  if (!match) return undefined;
  const shown = withoutTail(match[0]);
  const href = safeHref(shown);
  return href
    ? { node: { kind: "link", href, children: [{ kind: "text", text: shown }] }, end: at + shown.length }
    : undefined;
}

/** Sentence marks, closing emphasis and an unpaired bracket after an address do not belong to it. */
function withoutTail(address: string): string {
  let end = address.length;
  for (;;) {
    const last = address[end - 1] ?? "";
    const unpaired = last === ")" && !address.slice(0, end).includes("(");
    if (!unpaired && !/[.,;:!?"'*|~\]]/.test(last)) return address.slice(0, end);
    end -= 1;
  }
}

/** Mentions, timestamps, custom emoji, and `<https://…>`. */
function angle(c: Cursor, at: number): ReturnType<Rule> {
  const match =
    /^<(?:@!?(\d{17,20})|@&(\d{17,20})|#(\d{17,20})|t:(-?\d{1,13})(?::([tTdDfFRsS]))?|a?:(\w{2,32}):(\d{17,20})|\/([^:<>\n]{1,98}):(\d{17,20})|(https?:\/\/[^\s<>]{1,2048}))>/.exec(
      c.text.slice(at, at + 2060),
    );
  if (!match) return undefined;
  const node = angled(match, c.inLink);
  return node ? { node, end: at + match[0].length } : undefined;
}

function angled(match: RegExpExecArray, inLink: boolean): Inline | undefined {
  const [, user, role, channel, seconds, style, emoji, emojiId, command, commandId, address] = match;
  if (user) return { kind: "user", id: user };
  if (role) return { kind: "role", id: role };
  if (channel) return { kind: "channel", id: channel };
  if (seconds)
    return Math.abs(Number(seconds)) <= 8.64e12
      ? { kind: "time", seconds: Number(seconds), style: style ?? "f" }
      : undefined;
  if (emoji && emojiId) return { kind: "emoji", name: emoji, id: emojiId };
  if (command && commandId) return { kind: "command", name: command, id: commandId };
  const href = address && !inLink ? safeHref(address) : undefined;
  return href ? { kind: "link", href, children: [{ kind: "text", text: address ?? href }] } : undefined;
}

function everyone(c: Cursor, at: number): ReturnType<Rule> {
  const match = /^@(?:everyone|here)\b/.exec(c.text.slice(at, at + 10));
  return match ? { node: { kind: "everyone", text: match[0] }, end: at + match[0].length } : undefined;
}

function shortcode(c: Cursor, at: number): ReturnType<Rule> {
  const match = /^:([a-z0-9_+-]{1,32}):/.exec(c.text.slice(at, at + 36));
  const character = match ? emojiNamed(match[1] ?? "") : undefined;
  return match && character ? { node: { kind: "emoji", name: character }, end: at + match[0].length } : undefined;
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}_]/u.test(char);
}
