/**
 * What the tools need of the daemon, each as one promise. Whoever serves them hands in a connection that outlives a
 * restart of the daemon, so that a tool never knows there was one: what it asked is asked again and answered once.
 */
import type { InboxMessage } from "../core/inbox.ts";

/** There is no daemon to ask; the message says why and what to do, for the model and its user. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** @param why what the daemon said, or what is known of its end */
export function notRunning(why: string): Unavailable {
  return new Unavailable(`The Bellhop daemon, through which the owner is reached on Discord, could not be started: ${why}. Nothing was sent. Tell the user; \`bellhop start\` in a terminal says more. Do not decide in the owner's place meanwhile.`);
}

export function noToken(): Unavailable {
  return new Unavailable(
    "No Bellhop daemon is running and there is no bot token to start one with. Nothing was sent. Ask the user to put DISCORD_BOT_TOKEN (or DISCORD_TOKEN_FILE) into the env of this server in .mcp.json, or to run `bellhop start`.",
  );
}

/** @param sentence which setting is wrong and how to mend it */
export function wrongSettings(sentence: string): Unavailable {
  return new Unavailable(`This server's settings are wrong, so nothing was sent. ${sentence} Ask the user to mend that in the env of this server in .mcp.json, or in .env.`);
}

export interface Daemon {
  /** Resolves with the owner's answer, or an end without one, however long that takes. */
  ask(question: Question, listen: { signal: AbortSignal; part(state: Asking): void }): Promise<Outcome>;
  /** The answer has been written to the client: asking the same again is a new question from here on. */
  delivered(questionId: string): Promise<void>;
  notify(note: Note, signal: AbortSignal): Promise<Posted>;
  report(report: Report, signal: AbortSignal): Promise<Posted>;
  pending(signal: AbortSignal): Promise<Pending>;
  readInbox(query: { unread_only: boolean; mark_read: boolean }, signal: AbortSignal): Promise<Inbox>;
  clearInbox(query: { read_only: boolean }, signal: AbortSignal): Promise<Cleared>;
}

export interface Question {
  question: string;
  context: string;
  /** Empty: any text is an answer. */
  options: string[];
  /** Null: for ever. */
  timeout_seconds: number | null;
  /** Null: a thread is made for it. */
  thread_id: string | null;
}

/** How a question stands; told whenever that changes. */
export interface Asking {
  question_id: string;
  thread_id: string | null;
  state: string;
}

export interface Outcome {
  success: boolean;
  /** The option's full text, or the owner's own words. */
  answer: string | null;
  selected_option: string | null;
  question_id: string;
  timed_out: boolean;
  aborted: boolean;
  thread_id: string | null;
}

export type Level = "info" | "warning" | "success" | "error";

interface Post {
  thread_id: string | null;
  /** The same for each repetition of one call, so that it is posted once. */
  request_id: string;
}

export interface Note extends Post {
  message: string;
  level: Level;
}

export interface Report extends Post {
  title: string;
  summary: string;
  details: string[];
}

export interface Posted {
  success: boolean;
  message_id: string;
  thread_id: string | null;
}

export interface Pending {
  has_pending: boolean;
  pending_questions: { question_id: string; question: string; thread_id: string | null; asked_at: string; status: string }[];
  /** Answered while nobody was there to hear it; told once. */
  resolved_questions: { question_id: string; question: string; answer: string; selected_option: string | null; thread_id: string | null }[];
}

export interface Inbox {
  messages: InboxMessage[];
  unread_count: number;
}

export interface Cleared {
  success: boolean;
  cleared_count: number;
}
