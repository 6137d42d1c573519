/**
 * The sentence for an error, as a person reads it in Discord: the values of its placeholders come from outside and are
 * drawn as plain text; a placeholder without a value is not shown.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { inert } from "./body.ts";

const DETAIL_CHARS = 200;
const MENTION = /^<#\d{17,20}>$/;

/** @param details what the error carries; only what the sentence names is used */
export function sentence(locale: Locale, code: ErrorCode, details: ErrorDetails): string {
  const plain = Object.entries(details).map(([key, value]) => [
    key,
    typeof value !== "string" || key === "mend" || MENTION.test(value) ? value : inert(value, DETAIL_CHARS),
  ]);
  return say(locale, code, Object.fromEntries(plain)).replace(/(?<!\s)\s*\{\w+\}/g, "");
}
