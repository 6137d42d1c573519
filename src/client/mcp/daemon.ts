/**
 * What the tools need from the daemon, each as one promise. The connection behind it outlives restarts of the daemon,
 * so a tool never notices one: its calls are repeated and answered once.
 */
import type {
  AskParams,
  AskPart,
  AskResult,
  ClearedResult,
  ClearInboxParams,
  InboxResult,
  NotifyParams,
  PendingResult,
  PostedResult,
  ReadInboxParams,
  ReportParams,
} from "../../protocol/mcp.ts";

/** No daemon is available; the message says why and what to do, for the model and its user. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** @param why the daemon's message, or what is known of its end */
export function notRunning(why: string): Unavailable {
  return new Unavailable(
    `The Bellhop daemon, through which the owner is reached on Discord, could not be started: ${why.replace(/(?<![.\s])[.\s]+$/, "")}. Nothing was sent. Tell the user; \`bellhop start\` in a terminal says more. Do not decide in the owner's place meanwhile.`,
  );
}

export function noToken(): Unavailable {
  return new Unavailable(
    "No Bellhop daemon is running and there is no bot token to start one with. Nothing was sent. Ask the user to " +
      "put DISCORD_BOT_TOKEN (or DISCORD_TOKEN_FILE) into the env of this server in .mcp.json, or to run `bellhop " +
      "start`.",
  );
}

/** @param sentence which setting is wrong and how to fix it */
export function wrongSettings(sentence: string): Unavailable {
  return new Unavailable(
    `This server's settings are wrong, so nothing was sent. ${sentence} Ask the user to fix that in the env of this server in .mcp.json, or in .env.`,
  );
}

export interface Daemon {
  /** Resolves with the owner's answer, or an end without one, however long that takes; `part`: it has changed. */
  ask(question: AskParams, listen: { signal: AbortSignal; part(state: AskPart): void }): Promise<AskResult>;
  /** The answer has been written to the client: asking the same again is a new question from now on. */
  delivered(questionId: string): Promise<void>;
  notify(note: NotifyParams, signal: AbortSignal): Promise<PostedResult>;
  report(report: ReportParams, signal: AbortSignal): Promise<PostedResult>;
  pending(signal: AbortSignal): Promise<PendingResult>;
  readInbox(query: ReadInboxParams, signal: AbortSignal): Promise<InboxResult>;
  clearInbox(query: ClearInboxParams, signal: AbortSignal): Promise<ClearedResult>;
}
