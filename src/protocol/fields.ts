/**
 * The fields that callers send, each with its check once; how much they may hold is in `limits.ts`. A check's message
 * is the name of what is wrong (`Fault`). What a caller sent is read with its schema before anything is done, or
 * refused with a sentence that says what was sent and what is expected: here, and for a model in `client/mcp/tool.ts`.
 */
import * as z from "zod";
import { isAbsolute } from "node:path";
import { isSnowflake } from "../base/ids.ts";
import { oneLine } from "../base/text.ts";
import { linkRefused } from "./frame.ts";

/**
 * - `text`, `list`, `flag`, `object`: of another type
 * - `blank`: no words; `long`: too many characters
 * - `many`: too many entries; `twice`: the same entry again
 * - `choice`: none of the values
 * - `seconds`, `interval`: not a time in its limits
 * - `thread_text`: a thread's id that is no text
 * - `id`, `request_id`, `path`, `token`: not one
 * - `strange`: a parameter that is not known
 */
type Fault =
  | "text"
  | "list"
  | "flag"
  | "object"
  | "blank"
  | "long"
  | "many"
  | "twice"
  | "choice"
  | "seconds"
  | "interval"
  | "thread_text"
  | "id"
  | "request_id"
  | "path"
  | "token"
  | "strange";

/** A check's message, which must be a fault. */
export const faultName = (name: Fault): Fault => name;

/** A text that may be empty. Half characters are replaced, because no file and no request may contain them. */
export const text = (most: number) =>
  z
    .string(faultName("text"))
    .max(most, faultName("long"))
    .overwrite((value) => value.toWellFormed());

/** A text that is not blank. */
export const nonBlankText = (most: number) =>
  text(most)
    .min(1, faultName("blank"))
    .refine((value) => value.trim() !== "", faultName("blank"));

/** A list that is counted before its entries are read: a frame holds up to half a million of them. */
export const list = <T extends z.ZodType>(entry: T, most: number) =>
  z.preprocess(counted(most), z.array(entry, faultName("list")).max(most, faultName("many")));

/** A list of texts that are not blank. */
export const texts = (most: number, longest: number) => list(nonBlankText(longest), most);

/** The same, and no two are equal but for the blanks around them. */
export const distinctTexts = (most: number, longest: number) =>
  texts(most, longest).superRefine((all, context) => {
    const seen = new Set<string>();
    for (const [place, entry] of all.entries()) {
      if (seen.size === seen.add(entry.trim()).size)
        return context.addIssue({ code: "custom", message: faultName("twice"), path: [place], input: entry });
    }
  });

export const flag = () => z.boolean(faultName("flag"));

/** A time over zero; null: no limit. */
export const seconds = () =>
  z.number(faultName("seconds")).gt(0, faultName("seconds")).max(MOST_SECONDS, faultName("seconds")).nullable();

const id = (ofAnotherType: Fault) => z.string(faultName(ofAnotherType)).refine(isSnowflake, faultName("id"));

export const snowflake = id("id");

/** A thread's id; null and the empty text: none. A number is refused, because its last digits are already lost. */
export const threadId = () =>
  z
    .string(faultName("thread_text"))
    .refine((value) => value === "" || isSnowflake(value), faultName("id"))
    .nullable()
    .transform((value) => (value === "" ? null : value));

/** The same for each repetition of a call, so that it is done once. */
export const requestId = () => z.string(faultName("request_id")).regex(/^[\w.:-]{8,100}$/, faultName("request_id"));

/** A bot's token without `Bot `. */
export const token = () => z.string().regex(/^[\x21-\x7e]{8,400}$/, faultName("token"));

export const absolutePath = () =>
  z.string().refine((value) => isAbsolute(value) && !value.includes("\0"), faultName("path"));

function counted(most: number) {
  return (value: unknown, context: z.RefinementCtx): unknown => {
    if (!Array.isArray(value) || value.length <= most) return value;
    context.addIssue({
      code: "too_big",
      origin: "array",
      maximum: most,
      inclusive: true,
      message: faultName("many"),
      input: value,
    });
    return z.NEVER;
  };
}

/** What is wrong with a value: the first thing that is. */
export interface Problem {
  fault: Fault;
  /** Such as `options[1]`; empty for the whole. */
  where: string;
  value: unknown;
  /** Of `long` and `many`. */
  most: number;
  /** Of `choice`. */
  values: readonly string[];
  /** Of `strange`. */
  key: string;
}

export function readFields<T>(schema: z.ZodType<T>, value: unknown): { data: T } | { problem: Problem } {
  const read = schema.safeParse(value, { reportInput: true });
  return read.success ? { data: read.data } : { problem: problemOf(read.error.issues) };
}

/** @throws E_LINK_REFUSED {why} for the first thing that is wrong */
export function readParams<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = readFields(schema, value);
  if ("data" in read) return read.data;
  throw linkRefused(sentence(read.problem));
}

/** A value as it was sent, on one line, shortened. */
export function shortValue(value: unknown): string {
  return value === undefined ? "not given" : oneLine(JSON.stringify(value) ?? String(value), 80);
}

export function lengthOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 0;
}

/** A parameter that is not known comes first: it may be the one that is missing, with another name. */
function problemOf(issues: readonly z.core.$ZodIssue[]): Problem {
  const [first] = issues;
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? first;
  if (issue === undefined) throw new TypeError("a value was refused without a reason");
  const where = issue.path
    .map((step, depth) => (typeof step === "number" ? `[${step}]` : `${depth === 0 ? "" : "."}${String(step)}`))
    .join("");
  return {
    fault: issue.message as Fault,
    where,
    value: issue.input,
    most: issue.code === "too_big" ? Number(issue.maximum) : 0,
    values: issue.code === "invalid_value" ? issue.values.map(String) : [],
    key: issue.code === "unrecognized_keys" ? (issue.keys[0] ?? "") : "",
  };
}

/** A token is not repeated, nor any part of it. */
function sentence({ fault: wrong, where, value, most, values, key }: Problem): string {
  const is = (): string => `${where === "" ? "the parameters are" : `${where} is`} ${shortValue(value)}`;
  switch (wrong) {
    case "text":
      return `${is()}; it must be a string`;
    case "list":
      return `${is()}; it must be a list of strings, empty for none`;
    case "flag":
      return `${is()}; it must be true or false`;
    case "object":
      return `${is()}; they must be an object`;
    case "blank":
      return `${where} is empty; it has to say something`;
    case "long":
      return `${where} has ${lengthOf(value)} characters; at most ${most} are allowed`;
    case "many":
      return `${where} has ${lengthOf(value)} entries; at most ${most} are allowed`;
    case "twice":
      return `${where} is there twice; all of them must differ`;
    case "choice":
      return `${is()}; it must be one of ${values.join(", ")}`;
    case "seconds":
      return `${is()}; it must be a number over 0 and up to ${MOST_SECONDS}, or null to wait as long as it takes`;
    case "interval":
      return `${is()}; it must be a number from 1 to ${MOST_INTERVAL}`;
    case "thread_text":
      return `${is()}; it must be a string of 17 to 20 digits, in quotes`;
    case "id":
      return `${is()}; a Discord id is 17 to 20 digits, as Copy Thread ID gives it`;
    case "request_id":
      return `${is()}; it is 8 to 100 letters, digits, or . _ : -`;
    case "path":
      return `${is()}; it must be an absolute path`;
    case "token":
      return `${where} is not a bot token; copy it from the Bot page of your application`;
    case "strange":
      return `there is no parameter ${shortValue(key)}`;
  }
}

/* How much callers of the socket and models may send at most. Texts are counted in characters (UTF-16 code units). */

export const MOST_QUESTION = 10_000;
export const MOST_CONTEXT = 100_000;

/** Options of one question, and the characters of each. */
export const MOST_OPTIONS = 100;
export const MOST_OPTION = 2_000;

/** A notification's message, a report's summary, and each of its details. */
export const MOST_MESSAGE = 200_000;
export const MOST_TITLE = 1_000;
/** Entries. */
export const MOST_DETAILS = 500;

/** The longest time to wait for an answer, in seconds: ten years. */
export const MOST_SECONDS = 315_360_000;

/** The longest pause between two looks of a watcher, in seconds. */
export const MOST_INTERVAL = 3_600;
