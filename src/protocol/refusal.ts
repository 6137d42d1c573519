/**
 * Reads what a caller sent with its schema, or refuses it with a sentence that says what was sent and what is expected.
 * Everything is read before anything is done, so nothing is half done.
 */
import type * as z from "zod";
import { oneLine } from "../base/text.ts";
import { MOST_INTERVAL, MOST_SECONDS, type Fault } from "./fields.ts";
import { refused } from "./frame.ts";

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
  throw refused(sentence(read.problem));
}

/** A value as it was sent, on one line, shortened. */
export function shown(value: unknown): string {
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
  const where = issue.path.map((step, depth) => (typeof step === "number" ? `[${step}]` : `${depth === 0 ? "" : "."}${String(step)}`)).join("");
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
function sentence({ fault, where, value, most, values, key }: Problem): string {
  const is = (): string => `${where === "" ? "the parameters are" : `${where} is`} ${shown(value)}`;
  switch (fault) {
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
      return `there is no parameter ${shown(key)}`;
  }
}
