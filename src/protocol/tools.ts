/**
 * What the tools for agents take and return, each once: their types, the JSON Schemas that clients and their models
 * see, the methods of the socket (`mcp.ts`), and the table in `docs/mcp.md` are all made from these. A schema is made
 * when it is first used: making them all took a twentieth of the daemon's start.
 */
import * as z from "zod";
import { once } from "../base/once.ts";
import {
  distinctTexts,
  faultName,
  flag,
  seconds,
  text,
  texts,
  threadId,
  nonBlankText,
  MOST_CONTEXT,
  MOST_DETAILS,
  MOST_MESSAGE,
  MOST_OPTION,
  MOST_OPTIONS,
  MOST_QUESTION,
  MOST_TITLE,
} from "./fields.ts";

/** A tool's input. What it does not know is refused: a misspelt parameter would be lost. */
const parameters = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, { error: ({ code }) => faultName(code === "unrecognized_keys" ? "strange" : "object") });

const levels = ["info", "warning", "success", "error"] as const;

const writtenIn = () =>
  threadId()
    .prefault(null)
    .describe("The thread to write in, as an earlier result named it. null writes in the default channel.");

export const askInput = once(() =>
  parameters({
    question: nonBlankText(MOST_QUESTION).describe("The one question to decide, in one or two sentences."),
    context: text(MOST_CONTEXT).describe(
      "What the owner needs to know to decide: the work at hand, what was found, what each option leads to, what " +
        "you recommend. Markdown; may be long.",
    ),
    options: distinctTexts(MOST_OPTIONS, MOST_OPTION)
      .prefault([])
      .describe(
        'The choices, such as ["A) Run it now", "B) Staging first", "C) Hold"]. Left out or empty: a free answer.',
      ),
    timeout_seconds: seconds()
      .default(null)
      .describe(
        "Seconds to wait at most. null, the default, waits as long as it takes; prefer it, because a decision that " +
          "was not made must not be replaced by yours.",
      ),
    thread_id: threadId()
      .prefault(null)
      .describe(
        "The thread to ask in, as an earlier result named it, to keep what belongs together in one place. null " +
          "makes a new one.",
      ),
  }),
);

export const askOutput = once(() =>
  z.object({
    success: z.boolean().describe("Whether the owner has answered."),
    answer: z
      .string()
      .nullable()
      .describe("The chosen option's full text, or the owner's own words; null without an answer."),
    selected_option: z
      .string()
      .nullable()
      .describe("The chosen option's full text; null for an answer in the owner's own words."),
    question_id: z.string(),
    timed_out: z.boolean().describe("timeout_seconds went by without an answer."),
    aborted: z
      .boolean()
      .describe(
        "It ended without an answer: what was replied was not understood three times, or there was nowhere left to " +
          "ask.",
      ),
    thread_id: z
      .string()
      .nullable()
      .describe("The thread it was asked in. Send it with what belongs to the same matter."),
  }),
);

export const notifyInput = once(() =>
  parameters({
    message: nonBlankText(MOST_MESSAGE).describe("What happened, in one or two sentences. Markdown."),
    level: z
      .enum(levels, faultName("choice"))
      .default("info")
      .describe(
        'What kind of news it is: "info", "success", "warning" (he may want to look), "error" (something is broken).',
      ),
    thread_id: writtenIn(),
  }),
);

export const reportInput = once(() =>
  parameters({
    title: nonBlankText(MOST_TITLE).describe('What it is about, such as "Migration to v2 finished".'),
    summary: nonBlankText(MOST_MESSAGE).describe("The result in a few sentences. Markdown."),
    details: texts(MOST_DETAILS, MOST_MESSAGE)
      .prefault([])
      .describe('Single items, such as ["14 files changed", "212 tests pass", "Left: the changelog"].'),
    thread_id: writtenIn(),
  }),
);

/** The result of anything that was posted. */
export const postedOutput = once(() =>
  z.object({
    success: z.boolean(),
    message_id: z.string().describe("The message on Discord."),
    thread_id: z.string().nullable().describe("The thread it is in; null where it is in the channel itself."),
  }),
);

const caughtUp = () =>
  z
    .boolean()
    .describe(
      "Whether all that was written on Discord up to now has been read. false: something may be missing; call again " +
        "in a minute.",
    );

const asked = () => ({ question_id: z.string(), question: z.string(), thread_id: z.string().nullable() });
/** To the second, with `Z`. */
const at = () => z.string();

export const pendingInput = once(() => parameters({}));

/** Reporting an answer delivers it. */
export const pendingOutput = once(() =>
  z.object({
    has_pending: z.boolean(),
    pending_questions: z.array(
      z.object({
        ...asked(),
        asked_at: at(),
        status: z
          .string()
          .describe('"pending", or "disconnected" where whoever asked is gone; the owner can answer both.'),
      }),
    ),
    resolved_questions: z.array(
      z.object({
        ...asked(),
        answer: z.string(),
        selected_option: z.string().nullable(),
        asked_at: at(),
        resolved_at: at(),
      }),
    ),
    caught_up: caughtUp(),
  }),
);

export const readInboxInput = once(() =>
  parameters({
    unread_only: flag().default(true).describe("Only what was not marked as read yet."),
    mark_read: flag().default(false).describe("Mark what this call returns as read."),
  }),
);

/** A message of the inbox: exactly the fields of its mirrored file. */
export const inboxMessage = once(() =>
  z.object({
    message_id: z.string(),
    channel_id: z.string(),
    thread_id: z.string().nullable(),
    author: z.string(),
    author_id: z.string(),
    content: z.string(),
    timestamp: z.string(),
    read: z.boolean(),
  }),
);

/** `unread_count`: all unread messages, before this call marked any. */
export const inboxOutput = once(() =>
  z.object({ messages: z.array(inboxMessage()), unread_count: z.int(), caught_up: caughtUp() }),
);

export const clearInboxInput = once(() =>
  parameters({
    read_only: flag().default(true).describe("Delete only what was marked as read. false deletes everything."),
  }),
);

export const clearedOutput = once(() => z.object({ success: z.boolean(), cleared_count: z.int() }));

export type Parameters = z.ZodObject<z.ZodRawShape>;
export type ParameterValues<T extends Parameters> = z.output<T>;
export type OutputSchema = z.ZodObject<z.ZodRawShape>;

/** The names of the parameters that have a default. */
export function defaultsOf({ shape }: Parameters): ReadonlySet<string> {
  return new Set(
    Object.keys(shape).filter((name) => shape[name] instanceof z.ZodDefault || shape[name] instanceof z.ZodPrefault),
  );
}

/** What this parameter is for. */
export function describedIn({ shape }: Parameters, name: string): string {
  const field = shape[name];
  return field instanceof z.ZodType ? (field.description ?? "") : "";
}

/** A schema as clients read it. A text that may be null is one of two types there, as all of them understand it. */
export function jsonSchema(schema: z.ZodType): { type: "object"; [key: string]: unknown } {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema: one }) => plain(one),
  });
  return { required: [], ...made, type: "object" };
}

function plain(one: Record<string, unknown>): void {
  const { anyOf, minimum, maximum } = one;
  if (Array.isArray(anyOf) && anyOf.length === 2 && (anyOf[1] as { type?: unknown }).type === "null") {
    const [value] = anyOf as [Record<string, unknown>];
    delete one["anyOf"];
    Object.assign(one, value, { type: [value["type"], "null"] });
  }
  // Every number in JSON is in these.
  if (minimum === Number.MIN_SAFE_INTEGER) delete one["minimum"];
  if (maximum === Number.MAX_SAFE_INTEGER) delete one["maximum"];
}
