/**
 * Makes typed text and option texts comparable: the same case and width, without invisible characters and without
 * punctuation and emoji around them. Every function runs in linear time.
 */
import { noSigns } from "./lexicon.ts";

/** Normalizes case, width, quotes and white space, and removes invisible characters. */
export function evened(text: string): string {
  return text
    .replace(/[🅰🅱]/gu, (sign) => (sign === "🅰" ? "A" : "B"))
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\p{Cc}\p{Cf}]|[\u{fe0f}\u{20e3}]|[\u{1f3fb}-\u{1f3ff}]/gu, (sign) => (/\s/.test(sign) ? " " : ""))
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[、，]/g, ",")
    .replace(/。/g, ".")
    .replace(/\s+/g, " ")
    .trim();
}

const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
/** Excludes what negates the text it surrounds: a strikethrough, or a programmer's "not". */
const BEFORE = /[\s*_'"“”«»「」『』()[\]{}<>.,;:…—–]/;
const BEHIND = /[\s*_'"“”«»「」『』()[\]{}<>.,!?;:…—–-]/;

/** Without punctuation around it, and without emoji after words whose meaning they do not change. */
export function stripped(even: string): string {
  const isPlain = /[\p{L}\p{N}]/u.test(even) && !noSigns.some((sign) => even.includes(sign));
  const signs = [...even];
  let end = signs.length;
  if (isPlain) while (end > 0 && /[\s\p{Extended_Pictographic}]/u.test(signs[end - 1] ?? "")) end -= 1;
  while (end > 0 && BEHIND.test(signs[end - 1] ?? "")) end -= 1;
  let start = 0;
  while (
    start < end &&
    (BEFORE.test(signs[start] ?? "") || (signs[start] === "-" && !/\d/.test(signs[start + 1] ?? "")))
  )
    start += 1;
  return signs.slice(start, end).join("");
}

/** Without the punctuation between the parts of a phrase. */
export function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s,.:;!]/.test(text[end - 1] ?? "")) end -= 1;
  let start = 0;
  while (start < end && /[\s,.:;(]/.test(text[start] ?? "")) start += 1;
  return text.slice(start, end);
}

/** Whether it ends as a question does. */
export function endsInQuestion(even: string): boolean {
  let end = even.length;
  while (end > 0 && even[end - 1] === "!") end -= 1;
  return even[end - 1] === "?";
}

export function withoutPictures(even: string): string {
  return [...even]
    .filter((sign) => !PICTURE.test(sign))
    .join("")
    .replace(/ +/g, " ")
    .trim();
}

export function picturesOf(even: string): string {
  return [...even].filter((sign) => PICTURE.test(sign)).join("");
}
