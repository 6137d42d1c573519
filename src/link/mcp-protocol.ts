/**
 * What an agent's face says over the socket and what it is told, method by method, and the variables it brings with
 * its hello. Everything is read before anything is done: what is wrong is refused with a sentence that says what
 * stands there and what belongs there, never with half of it done.
 */
import { isAbsolute } from "node:path";
import { isSnowflake } from "../base/ids.ts";
import { oneLine } from "../base/text.ts";
import type { DecisionState } from "../core/decision.ts";
import { refused } from "./frame.ts";

export type Level = "info" | "warning" | "success" | "error";
export const levels: readonly Level[] = ["info", "warning", "success", "error"];

/** Seed A's `discord_ask_decision`. */
export interface AskParams {
  question: string;
  context: string;
  /** Empty: any text is an answer. */
  options: string[];
  /** Seconds until it lapses; null: it waits for ever. */
  timeout_seconds: number | null;
  /** A thread to ask in; null: one is made. */
  thread_id: string | null;
}

/** Told again whenever one of them changes. */
export interface AskPart {
  question_id: string;
  /** Null until there is a thread. */
  thread_id: string | null;
  state: DecisionState;
}

/** Seed A's fields, and where it was asked. */
export interface AskResult {
  success: boolean;
  answer: string | null;
  selected_option: string | null;
  question_id: string;
  timed_out: boolean;
  aborted: boolean;
  thread_id: string | null;
}

/** The tool's result was written to its client: asking the same again is a new question from here on. */
export interface DeliveredParams {
  question_id: string;
}

export interface NotifyParams {
  message: string;
  level: Level;
  thread_id: string | null;
  /** The same for each repetition of one call, 8 to 100 characters: it is posted once. */
  request_id: string;
}

export interface ReportParams {
  title: string;
  summary: string;
  details: string[];
  thread_id: string | null;
  request_id: string;
}

export interface PostedResult {
  success: true;
  message_id: string;
  /** Null: it stands in the channel itself. */
  thread_id: string | null;
}

/** Seed A's `discord_check_pending`, and what was answered without anybody hearing it; to be told of is to be delivered. */
export interface PendingResult {
  has_pending: boolean;
  pending_questions: PendingQuestion[];
  resolved_questions: ResolvedQuestion[];
}

export interface PendingQuestion {
  question_id: string;
  question: string;
  thread_id: string;
  /** To the second, with `Z`. */
  asked_at: string;
  status: "pending" | "disconnected";
}

export interface ResolvedQuestion {
  question_id: string;
  question: string;
  answer: string;
  selected_option: string | null;
  thread_id: string;
  asked_at: string;
  resolved_at: string;
}

export interface ReadInboxParams {
  unread_only: boolean;
  mark_read: boolean;
}

export interface ClearInboxParams {
  read_only: boolean;
}

/** What a face was started with. */
export interface FaceVariables {
  /** Without `Bot `; null: the daemon's own is meant. A secret: never journaled, never logged. */
  token: string | null;
  channelId: string | null;
  /** `PROJECT_NAME`, whole. */
  project: string;
  /** Absolute; null: where the daemon keeps its own. */
  pendingDir: string | null;
  /** The thread of the session whose agent asks, by `BELLHOP_SESSION`. */
  session: string | null;
}

const MAX = { question: 10_000, context: 100_000, option: 2_000, options: 99, message: 200_000, title: 1_000, details: 500, name: 100, seconds: 315_360_000 };
/** Seed A 3.2. */
const PROJECT = "project";
const TOKEN = /^[\x21-\x7e]{8,400}$/;
const REQUEST_ID = /^[\w.:-]{8,100}$/;

/** @throws E_LINK_REFUSED {why}, as all of these */
export function readAsk(params: unknown): AskParams {
  const given = fields(params);
  const options = texts(given, "options", { most: MAX.options, longest: MAX.option });
  const blank = options.findIndex((option) => option.trim() === "");
  if (blank >= 0) throw refused(`options[${blank}] is empty; each option is a text of its own`);
  const twice = options.findIndex((option, place) => options.findIndex((other) => other.trim() === option.trim()) < place);
  if (twice >= 0) throw refused(`options[${twice}] stands there twice; two options must differ`);
  return {
    question: filled(given, "question", MAX.question),
    context: text(given, "context", MAX.context),
    options,
    timeout_seconds: seconds(given["timeout_seconds"]),
    thread_id: threadId(given),
  };
}

export function readDelivered(params: unknown): DeliveredParams {
  return { question_id: filled(fields(params), "question_id", 200) };
}

export function readNotify(params: unknown): NotifyParams {
  const given = fields(params);
  const level = levels.find((name) => name === given["level"]);
  if (level === undefined) throw refused(`level is ${shown(given["level"])}; it is one of ${levels.join(", ")}`);
  return { message: filled(given, "message", MAX.message), level, thread_id: threadId(given), request_id: requestId(given) };
}

export function readReport(params: unknown): ReportParams {
  const given = fields(params);
  return {
    title: filled(given, "title", MAX.title),
    summary: text(given, "summary", MAX.message),
    details: texts(given, "details", { most: MAX.details, longest: MAX.message }),
    thread_id: threadId(given),
    request_id: requestId(given),
  };
}

export function readInboxQuery(params: unknown): ReadInboxParams {
  const given = fields(params);
  return { unread_only: flag(given, "unread_only"), mark_read: flag(given, "mark_read") };
}

export function readInboxClearing(params: unknown): ClearInboxParams {
  return { read_only: flag(fields(params), "read_only") };
}

/** @throws E_LINK_REFUSED {why}, without a letter of the token */
export function readVariables(variables: Readonly<Record<string, string>>): FaceVariables {
  const of = (name: string): string | null => variables[name]?.trim() || null;
  const token = (of("DISCORD_BOT_TOKEN") ?? of("DISCORD_TOKEN"))?.replace(/^Bot\s+/i, "") ?? null;
  if (token !== null && !TOKEN.test(token)) throw refused("DISCORD_BOT_TOKEN is no bot token; copy it from the Bot page of your application");
  const pendingDir = of("PENDING_DIR");
  if (pendingDir !== null && (!isAbsolute(pendingDir) || pendingDir.includes("\0"))) {
    throw refused(`PENDING_DIR is ${shown(pendingDir)}; it is an absolute path`);
  }
  return {
    token,
    channelId: id(of("DISCORD_CHANNEL_ID"), "DISCORD_CHANNEL_ID"),
    project: (of("PROJECT_NAME") ?? PROJECT).slice(0, MAX.name),
    pendingDir,
    session: id(of("BELLHOP_SESSION"), "BELLHOP_SESSION"),
  };
}

type Given = Readonly<Record<string, unknown>>;

function fields(params: unknown): Given {
  if (typeof params !== "object" || params === null || Array.isArray(params)) throw refused(`the parameters are ${shown(params)}; they are an object`);
  return params as Given;
}

function text(given: Given, name: string, longest: number): string {
  const value = given[name];
  if (typeof value !== "string") throw refused(`${name} is ${shown(value)}; it is a text`);
  if (value.length > longest) throw refused(`${name} has ${value.length} characters; ${longest} are the most`);
  return value.toWellFormed();
}

function filled(given: Given, name: string, longest: number): string {
  const value = text(given, name, longest);
  if (value.trim() === "") throw refused(`${name} is empty; it has to say something`);
  return value;
}

function texts(given: Given, name: string, { most, longest }: { most: number; longest: number }): string[] {
  const value = given[name];
  if (!Array.isArray(value)) throw refused(`${name} is ${shown(value)}; it is a list of texts, empty for none`);
  if (value.length > most) throw refused(`${name} has ${value.length} entries; ${most} are the most`);
  return value.map((entry: unknown, place) => text({ [`${name}[${place}]`]: entry }, `${name}[${place}]`, longest));
}

function flag(given: Given, name: string): boolean {
  const value = given[name];
  if (typeof value !== "boolean") throw refused(`${name} is ${shown(value)}; it is true or false`);
  return value;
}

function seconds(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" && value > 0 && value <= MAX.seconds) return value;
  throw refused(`timeout_seconds is ${shown(value)}; it is a number over 0 and up to ${MAX.seconds}, or null to wait as long as it takes`);
}

function threadId(given: Given): string | null {
  const value = given["thread_id"];
  if (value === null || value === undefined || value === "") return null;
  // As a number its last digits would be gone.
  if (typeof value !== "string") throw refused(`thread_id is ${shown(value)}; it is a text of 17 to 20 digits, in quotes`);
  return id(value, "thread_id");
}

function id(value: string | null, name: string): string | null {
  if (value === null || isSnowflake(value)) return value;
  throw refused(`${name} is ${shown(value)}; a Discord id is 17 to 20 digits, as Copy Thread ID gives it`);
}

function requestId(given: Given): string {
  const value = given["request_id"];
  if (typeof value === "string" && REQUEST_ID.test(value)) return value;
  throw refused(`request_id is ${shown(value)}; it is 8 to 100 letters, digits, or . _ : -`);
}

function shown(value: unknown): string {
  return value === undefined ? "not given" : oneLine(JSON.stringify(value) ?? String(value), 80);
}
