/** A message as Discord sends it, live or read back, in one form: what is null there is absent here. */
import type { APIMessage } from "discord-api-types/v10";
import type { Wordless } from "../../core/jobs/job.ts";

/** Null says the same as absent, except that a `referenced_message` of null was deleted. */
export function withoutNulls<T extends object>(payload: T): T {
  const known = Object.entries(payload).filter(([key, value]) => value !== null || key === "referenced_message");
  return Object.fromEntries(known) as T;
}

/** The same for a whole message, which always has a content. */
export function incomingMessage<T extends Pick<APIMessage, "content">>(payload: T): T {
  const message = withoutNulls(payload);
  return typeof message.content === "string" ? message : { ...message, content: "" };
}

/** What a message without words is; undefined: nothing at all, as where Discord keeps its words from us. */
export function wordlessOf({ content, sticker_items, poll }: APIMessage): Wordless | undefined {
  if (Array.isArray(sticker_items) && sticker_items.length > 0) return "sticker";
  if (poll !== undefined) return "poll";
  return content === "" ? undefined : "blank";
}
