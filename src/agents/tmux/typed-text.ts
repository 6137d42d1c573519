/**
 * A prompt as it is typed into Claude's prompt box: what Claude itself would make of it when it is pasted, so that what
 * Claude confirms is what was typed. What its terminal would read as a command is not typed at all. Pure.
 */
import { asPastes } from "../../host/terminal/paste.ts";

/** Text to type, or what would make it a command: its first character, or the one word that it is. */
export type Typed = { text: string } | { command: string };

/** The first character opens Claude's shell, runs one of its commands, or sends it elsewhere. */
const COMMANDS = new Set(["!", "/", "&"]);
/** Each of these alone ends Claude, in exactly these letters (2.1.329). */
const ENDINGS = new Set(["exit", "quit", ":q", ":q!", ":wq", ":wq!"]);
/**
 * Claude has no command with a second `/` in its name, so this is text to it. With a `:` it could be one of a folder's.
 */
const PATH = /^\/[^\s/:]+\/[^\s:]*(?:\s|$)/;

/**
 * Longer pastes are put aside and given to the model in a wrapping of Claude's own. So is what has this word of its own
 * in one piece, and the path of a picture in one piece becomes that picture.
 */
const PIECE = { chars: 700, lines: 2, end: /ultra(?=plan)|\.(?=png|jpe?g|gif|webp)/gi } as const;

export function typedText(prompt: string): Typed {
  const text = visible(prompt.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n").replaceAll("\t", "    ")).trimEnd();
  const bare = text.trim();
  const first = bare[0] ?? "";
  if (ENDINGS.has(bare)) return { command: bare };
  return COMMANDS.has(first) && !PATH.test(bare) ? { command: first } : { text };
}

/**
 * The bytes that type it. The blank at the end closes a list of suggestions, in which Enter would choose one; Claude
 * drops it.
 */
export function keysFor(text: string): string {
  return asPastes(`${text} `, PIECE);
}

/** Whether Claude confirms this very text, whatever it did to blanks and to characters that nobody sees. */
export function isSame(typed: string, confirmed: string): boolean {
  return compared(typed) === compared(confirmed);
}

/** Whether it is a part of what Claude confirms, because its owner typed something beside it in the same moment. */
export function isWithin(typed: string, confirmed: string): boolean {
  return compared(confirmed).includes(compared(typed));
}

function compared(text: string): string {
  return visible(text).replace(/\s+/g, " ").trim();
}

/** Whether Claude has prompted itself, because what it does in the background has ended, and nobody has typed this. */
export function isReport(prompt: string): boolean {
  return prompt.startsWith("<task-notification>");
}

/**
 * Without control and format characters, except where one joins two pictographs, and without those of plane 14, which
 * Claude drops.
 */
function visible(text: string): string {
  return text
    .replace(/[^\P{Cc}\n]|[\u{e0000}-\u{e0fff}]/gu, "")
    .replace(/(?<!\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D|(?!\u200D)\p{Cf}/gu, "")
    .toWellFormed()
    .normalize("NFC");
}
