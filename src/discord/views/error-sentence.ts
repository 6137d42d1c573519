/**
 * The sentence for an error, as a person reads it in Discord: the values of its placeholders come from outside and are
 * drawn as plain text, or as code where the sentence has them as code; a placeholder without a value is not shown.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { code as asCode, inert } from "./body.ts";

const DETAIL_CHARS = 200;
const REASON_CHARS = 600;
const MENTION = /^<#\d{17,20}>$/;

/** @param details what the error carries; only what the sentence names is used */
export function sentence(locale: Locale, code: ErrorCode, details: ErrorDetails): string {
  const template = say(locale, code);
  const drawn = (key: string, value: string): string => (template.includes(`\`{${key}}\``) ? asCode(value, DETAIL_CHARS).slice(1, -1) : inert(value, DETAIL_CHARS));
  const plain = Object.entries(details).map(([key, value]) => [
    key,
    typeof value !== "string" || key === "mend" || MENTION.test(value) ? value : drawn(key, value),
  ]);
  return say(locale, code, Object.fromEntries(plain)).replace(/(?<!\s)\s*\{\w+\}/g, "");
}

/** The sentence with its code, then why, where the sentence does not say it, and what installs the agent. */
export function explained(locale: Locale, code: ErrorCode, details: ErrorDetails): string[] {
  const { reason, install } = details;
  const lines = [`${sentence(locale, code, details)} \`${code}\``];
  const isSaid = say(locale, code).includes("{reason}");
  if (typeof reason === "string" && !isSaid) lines.push(say(locale, install === undefined ? "end_reason" : "end_why", { reason: inert(reason, REASON_CHARS) }));
  if (typeof install === "string" && install !== "-") lines.push(say(locale, "end_install", { install: asCode(install, 300) }));
  return lines;
}
