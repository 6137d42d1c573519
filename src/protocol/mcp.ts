/**
 * The methods that agents' clients call over the socket: what they send and what they get back, made from the tools'
 * own schemas; and the variables in their hello.
 */
import * as z from "zod";
import { once } from "../base/once.ts";
import { absolutePath, faultName, requestId, snowflake, token, nonBlankText, readParams } from "./fields.ts";
import {
  askInput,
  askOutput,
  clearInboxInput,
  notifyInput,
  readInboxInput,
  reportInput,
  type clearedOutput,
  type inboxOutput,
  type pendingOutput,
  type postedOutput,
} from "./tools.ts";

/** Fields that a method does not know are left out: a later client may send more. */
const params = <T extends z.ZodRawShape>(shape: T) => z.object(shape, faultName("object"));

const askParams = once(() => params(askInput().shape));
/** The tool's result was written to its client: asking the same again is a new question from now on. */
const deliveredParams = once(() => params({ question_id: nonBlankText(200) }));
const notifyParams = once(() =>
  params({ ...notifyInput().shape, level: notifyInput().shape.level.unwrap(), request_id: requestId() }),
);
const reportParams = once(() => params({ ...reportInput().shape, request_id: requestId() }));
const readInboxParams = once(() =>
  params({
    unread_only: readInboxInput().shape.unread_only.unwrap(),
    mark_read: readInboxInput().shape.mark_read.unwrap(),
  }),
);
const clearInboxParams = once(() => params({ read_only: clearInboxInput().shape.read_only.unwrap() }));

/** Sent again whenever one of them changes; `thread_id` is null until there is a thread. */
const askPart = () =>
  z.object({
    question_id: z.string(),
    thread_id: z.string().nullable(),
    state: z.enum(["open", "disconnected", "answered", "lapsed", "aborted", "void"]),
  });
/** `placeless`: it was given up because Discord has no place left for it. */
const askResult = () => askOutput().extend({ placeless: z.literal(true).optional() });

export type AskParams = z.output<ReturnType<typeof askParams>>;
export type AskPart = z.output<ReturnType<typeof askPart>>;
export type AskResult = z.output<ReturnType<typeof askResult>>;
export type DeliveredParams = z.output<ReturnType<typeof deliveredParams>>;
export type NotifyParams = z.output<ReturnType<typeof notifyParams>>;
export type ReportParams = z.output<ReturnType<typeof reportParams>>;
export type PostedResult = z.output<ReturnType<typeof postedOutput>>;
export type PendingResult = z.output<ReturnType<typeof pendingOutput>>;
export type PendingQuestion = PendingResult["pending_questions"][number];
export type ResolvedQuestion = PendingResult["resolved_questions"][number];
export type ReadInboxParams = z.output<ReturnType<typeof readInboxParams>>;
export type InboxResult = z.output<ReturnType<typeof inboxOutput>>;
export type ClearInboxParams = z.output<ReturnType<typeof clearInboxParams>>;
export type ClearedResult = z.output<ReturnType<typeof clearedOutput>>;

/** @throws E_LINK_REFUSED {why}, like all of these */
export const readAsk = (given: unknown): AskParams => readParams(askParams(), given);
export const readDelivered = (given: unknown): DeliveredParams => readParams(deliveredParams(), given);
export const readNotify = (given: unknown): NotifyParams => readParams(notifyParams(), given);
export const readReport = (given: unknown): ReportParams => readParams(reportParams(), given);
export const readInboxQuery = (given: unknown): ReadInboxParams => readParams(readInboxParams(), given);
export const readInboxClearing = (given: unknown): ClearInboxParams => readParams(clearInboxParams(), given);

/** What a client was started with. */
export interface ClientVariables {
  /** Without `Bot `; null: the daemon's own. A secret: never journaled, never logged. */
  token: string | null;
  channelId: string | null;
  /** `PROJECT_NAME`, in full. */
  project: string;
  /** Absolute; null: the daemon's own directory. */
  pendingDir: string | null;
}

/** The project if `PROJECT_NAME` is not set. */
const PROJECT = "project";
const PROJECT_CHARS = 100;

const clientVariables = once(() => {
  /** Blank is the same as not set. */
  const variable = z
    .string()
    .optional()
    .transform((value) => value?.trim() || null);
  const botToken = variable.transform((value) => value?.replace(/^Bot\s+/i, "") ?? null).pipe(token().nullable());
  return z.object({
    DISCORD_BOT_TOKEN: botToken,
    DISCORD_TOKEN: botToken,
    DISCORD_CHANNEL_ID: variable.pipe(snowflake.nullable()),
    PROJECT_NAME: variable.transform((name) => (name ?? PROJECT).slice(0, PROJECT_CHARS)),
    PENDING_DIR: variable.pipe(absolutePath().nullable()),
  });
});

/** @throws E_LINK_REFUSED {why}, without any part of the token */
export function readVariables(variables: Readonly<Record<string, string>>): ClientVariables {
  const {
    DISCORD_BOT_TOKEN,
    DISCORD_TOKEN,
    DISCORD_CHANNEL_ID: channelId,
    PROJECT_NAME: project,
    PENDING_DIR: pendingDir,
  } = readParams(clientVariables(), variables);
  return { token: DISCORD_BOT_TOKEN ?? DISCORD_TOKEN, channelId, project, pendingDir };
}
