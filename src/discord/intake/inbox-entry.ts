/**
 * A Discord message as an inbox entry: who wrote it, when, and what it says. Only data from Discord itself is used;
 * what it does not send stays empty.
 */
import { snowflakeTime } from "../../base/ids.ts";
import type { APIMessage } from "discord-api-types/v10";
import type { WrittenMessage } from "../../core/inbox/inbox.ts";


/** `words`: its current text. */
export function inboxEntryOf(message: APIMessage, words: string): WrittenMessage {
  const { id, author, timestamp } = message;
  // Files are listed below the words, because an agent that reads it later gets nothing else of them.
  const content = [...(words === "" ? [] : [words]), ...namesOf(message).map((name) => `[file: ${name}]`)].join("\n");
  return { author: nameOf(author), author_id: author?.id ?? "", timestamp: toTheSecond(id, timestamp), content };
}

/** The names of its files. */
export function namesOf({ attachments }: Pick<APIMessage, "attachments">): string[] {
  return Array.isArray(attachments) ? attachments.map(({ filename }) => String(filename).replaceAll(/\s+/g, " ")) : [];
}

function nameOf(author: Partial<APIMessage["author"]> | undefined): string {
  const name = author?.username;
  return typeof name === "string" ? name : "";
}

/** ISO 8601 to the second with `Z`. Without a timestamp, the time comes from the snowflake. */
function toTheSecond(id: string, timestamp: string | undefined): string {
  const sentAt = Date.parse(timestamp ?? "");
  const ms = Number.isNaN(sentAt) ? snowflakeTime(id) : sentAt;
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
