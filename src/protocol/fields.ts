/**
 * The fields that callers send, each with its limits once. A check's message is the name of what is wrong (`Fault`):
 * whoever refuses the value has its own sentences for them, see `refusal.ts` and `client/mcp/tool.ts`.
 */
import { isAbsolute } from "node:path";
import * as z from "zod";
import { isSnowflake } from "../base/ids.ts";

/**
 * - `text`, `list`, `flag`, `object`: another type; - `blank`: no words; - `long`: too many characters; - `many`: too
 * many entries; - `twice`: the same entry again; - `choice`: none of the values; - `seconds`, `interval`: not a time in its limits;
 * - `thread_text`: a thread's id that is no text; - `id`: not a Discord id; - `request_id`, `path`, `token`: not one;
 * - `strange`: a parameter that is not known.
 */
export type Fault = "text" | "list" | "flag" | "object" | "blank" | "long" | "many" | "twice" | "choice" | "seconds" | "interval" | "thread_text" | "id" | "request_id" | "path" | "token" | "strange";

/** A check's message, which must be a fault. */
export const fault = (name: Fault): Fault => name;

/** A text that may be empty. Half characters are replaced, because no file and no request may contain them. */
export const text = (most: number) => z.string(fault("text")).max(most, fault("long")).overwrite((value) => value.toWellFormed());

/** A text that is not blank. */
export const words = (most: number) => text(most).min(1, fault("blank")).refine((value) => value.trim() !== "", fault("blank"));

/** A list that is counted before its entries are read: a frame holds up to half a million of them. */
export const list = <T extends z.ZodType>(entry: T, most: number) => z.preprocess(counted(most), z.array(entry, fault("list")).max(most, fault("many")));

/** A list of texts that are not blank. */
export const texts = (most: number, longest: number) => list(words(longest), most);

/** The same, and no two are equal but for the blanks around them. */
export const distinctTexts = (most: number, longest: number) =>
  texts(most, longest).superRefine((all, context) => {
    const seen = new Set<string>();
    for (const [place, entry] of all.entries()) {
      if (seen.size === seen.add(entry.trim()).size) return context.addIssue({ code: "custom", message: fault("twice"), path: [place], input: entry });
    }
  });

export const flag = () => z.boolean(fault("flag"));

/** The longest pause between two looks of a watcher, in seconds. */
export const MOST_INTERVAL = 3_600;

/** Ten years. */
export const MOST_SECONDS = 315_360_000;

/** A time over zero; null: no limit. */
export const seconds = () => z.number(fault("seconds")).gt(0, fault("seconds")).max(MOST_SECONDS, fault("seconds")).nullable();

const id = (ofAnotherType: Fault) => z.string(fault(ofAnotherType)).refine(isSnowflake, fault("id"));

export const snowflake = id("id");

/** A thread's id; null and the empty text: none. A number is refused, because its last digits are already lost. */
export const threadId = () =>
  z
    .string(fault("thread_text"))
    .refine((value) => value === "" || isSnowflake(value), fault("id"))
    .nullable()
    .transform((value) => (value === "" ? null : value));

/** The same for each repetition of a call, so that it is done once. */
export const requestId = () => z.string(fault("request_id")).regex(/^[\w.:-]{8,100}$/, fault("request_id"));

/** A bot's token without `Bot `. */
export const token = () => z.string().regex(/^[\x21-\x7e]{8,400}$/, fault("token"));

export const absolutePath = () => z.string().refine((value) => isAbsolute(value) && !value.includes("\0"), fault("path"));

function counted(most: number) {
  return (value: unknown, context: z.RefinementCtx): unknown => {
    if (!Array.isArray(value) || value.length <= most) return value;
    context.addIssue({ code: "too_big", origin: "array", maximum: most, inclusive: true, message: fault("many"), input: value });
    return z.NEVER;
  };
}
