/**
 * A Discord message as the inbox keeps it: who wrote it, when, and what it says. Only what Discord itself tells goes
 * in, and what it does not tell stays empty.
 */
import type { APIMessage } from "discord-api-types/v10";
import type { Letter } from "../core/inbox.ts";

const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** `words`: what it says by now. */
export function letterOf(message: APIMessage, words: string): Letter {
  const { id, author, timestamp } = message;
  // Files are named below the words, because an agent that reads it later gets no more of them.
  const content = [...(words === "" ? [] : [words]), ...namesOf(message).map((name) => `[file: ${name}]`)].join("\n");
  return { author: nameOf(author), author_id: author?.id ?? "", timestamp: toTheSecond(id, timestamp), content };
}

/** Of the files that came with it. */
export function namesOf({ attachments }: Pick<APIMessage, "attachments">): string[] {
  return Array.isArray(attachments) ? attachments.map(({ filename }) => String(filename).replaceAll(/\s+/g, " ")) : [];
}

function nameOf(author: Partial<APIMessage["author"]> | undefined): string {
  const name = author?.username;
  return typeof name === "string" ? name : "";
}

/** Seed A 7: ISO 8601 to the second with `Z`. A snowflake tells its own time where no other is told. */
function toTheSecond(id: string, timestamp: string | undefined): string {
  const told = Date.parse(timestamp ?? "");
  const ms = Number.isNaN(told) ? Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS : told;
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
