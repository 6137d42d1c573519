/**
 * The documented rules for what a message says: its text, its embeds, its poll, whom it mentions. The OpenAPI
 * description is looser here (content 4000) or silent (6000 over all embeds). Source: resources/message.mdx.
 */
import { isRecord, items, wrong, type Finding } from "../finding.ts";

/** Characters as Discord counts them: code points. */
export function lengthOf(value: unknown): number {
  return typeof value === "string" ? [...value].length : 0;
}

/** The rules of `content`, `embeds`, `nonce`, `allowed_mentions` and `poll`, in any message body. */
export function textFindings(message: Record<string, unknown>, at: string): Finding[] {
  return [
    ...tooLong(message["content"], 2000, `${at}/content`),
    ...embedFindings(items(message["embeds"]), `${at}/embeds`),
    ...nonceFindings(message, at),
    ...mentionFindings(message["allowed_mentions"], `${at}/allowed_mentions`),
    ...pollFindings(message["poll"], `${at}/poll`),
  ];
}

/** A text over its limit, in characters. */
export function tooLong(value: unknown, limit: number, at: string): Finding[] {
  const length = lengthOf(value);
  return length <= limit ? [] : [{ at, found: `${length} characters`, expected: `at most ${limit} characters` }];
}

function embedFindings(embeds: unknown[], at: string): Finding[] {
  const total = embeds.filter(isRecord).reduce((sum, embed) => sum + embedLength(embed), 0);
  if (total <= 6000) return [];
  return [{ at, found: `${total} characters in all embeds together`, expected: "at most 6000" }];
}

function embedLength(embed: Record<string, unknown>): number {
  const { footer, author } = embed;
  const fields = items(embed["fields"]).filter(isRecord);
  const fieldLength = fields.reduce((sum, field) => sum + lengthOf(field["name"]) + lengthOf(field["value"]), 0);
  const footerLength = isRecord(footer) ? lengthOf(footer["text"]) : 0;
  const authorLength = isRecord(author) ? lengthOf(author["name"]) : 0;
  return lengthOf(embed["title"]) + lengthOf(embed["description"]) + fieldLength + footerLength + authorLength;
}

function nonceFindings(message: Record<string, unknown>, at: string): Finding[] {
  const { nonce, enforce_nonce: enforced } = message;
  if (enforced === true && (nonce === undefined || nonce === null))
    return [wrong(`${at}/nonce`, nonce, "a nonce, since enforce_nonce asks for one")];
  return tooLong(typeof nonce === "number" ? String(nonce) : nonce, 25, `${at}/nonce`);
}

/** A kind that is parsed out of the text cannot be listed by id too. */
function mentionFindings(mentions: unknown, at: string): Finding[] {
  if (!isRecord(mentions)) return [];
  const parsed = items(mentions["parse"]);
  return ["users", "roles"]
    .filter((kind) => parsed.includes(kind) && items(mentions[kind]).length > 0)
    .map((kind) => wrong(`${at}/${kind}`, mentions[kind], `no list, since parse names ${kind}`));
}

function pollFindings(poll: unknown, at: string): Finding[] {
  if (!isRecord(poll)) return [];
  const question = isRecord(poll["question"]) ? poll["question"]["text"] : undefined;
  const answers = items(poll["answers"]).map((answer) =>
    isRecord(answer) && isRecord(answer["poll_media"]) ? answer["poll_media"]["text"] : undefined,
  );
  return [
    ...tooLong(question, 300, `${at}/question/text`),
    ...answers.flatMap((text, index) => tooLong(text, 55, `${at}/answers/${index}/poll_media/text`)),
  ];
}
