/**
 * The sentence for an error, as a person reads it in Discord: the values of its placeholders come from outside and are
 * drawn as plain text, or as code where the sentence has them as code; a placeholder without a value is not shown. Why
 * it failed is told in the reader's language where Bellhop says so, and in quotation marks where somebody else did.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { say, sayReason, type Locale, type WordKey } from "../../base/words/say.ts";
import { code as asCode, inert } from "./body.ts";

const DETAIL_CHARS = 200;
const REASON_CHARS = 600;
const MENTION = /^<#\d{17,20}>$/;

/** @param details what the error carries; only what the sentence names is used */
export function sentence(locale: Locale, code: ErrorCode, details: ErrorDetails): string {
  return filled(
    locale,
    code === "E_AGENT_LOGIN" && details["login"] === undefined
      ? details["ways"] === undefined
        ? "agent_login_own"
        : "agent_login_ways"
      : code,
    details,
  );
}

/** The sentence with its code, then why, where the sentence does not say it, and what installs the agent. */
export function explained(locale: Locale, code: ErrorCode, details: ErrorDetails): string[] {
  const { install } = details;
  const lines = [`${sentence(locale, code, details)} \`${code}\``];
  const reason = say(locale, code).includes("{reason}") ? undefined : reasonOf(locale, details, REASON_CHARS);
  if (reason !== undefined) lines.push(say(locale, "end_why", { reason }));
  if (typeof install === "string" && install !== "-")
    lines.push(say(locale, "end_install", { install: asCode(install, 300) }));
  return lines;
}

function filled(locale: Locale, key: WordKey, details: ErrorDetails): string {
  const template = say(locale, key);
  return template.replace(/(\s?)\{(\w+)\}/g, (_brace, space: string, name: string) => {
    const isCode = template.includes(`\`{${name}}\``);
    const value =
      name === "reason" && !isCode ? reasonOf(locale, details, DETAIL_CHARS) : drawn(name, details[name], isCode);
    return value === undefined ? "" : `${space}${value}`;
  });
}

function drawn(name: string, value: ErrorDetails[string] | undefined, isCode: boolean): string | undefined {
  if (typeof value !== "string") return value === undefined ? undefined : String(value);
  if (name === "mend" || MENTION.test(value)) return value;
  return isCode ? asCode(value, DETAIL_CHARS).slice(1, -1) : inert(value, DETAIL_CHARS);
}

function reasonOf(locale: Locale, { reason, ...details }: ErrorDetails, chars: number): string | undefined {
  return sayReason(locale, { ...details, ...(typeof reason === "string" && { reason: inert(reason, chars) }) }, (key) =>
    filled(locale, key, details),
  );
}
