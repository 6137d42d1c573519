/**
 * A raw caller of an agent's client: what the client says over the socket, without the client. It waits for a daemon
 * that is started again, as the client does.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { openCaller } from "../../../src/client/call.ts";
import type { AskParams, AskPart, AskResult, PendingResult, PostedResult } from "../../../src/protocol/mcp.ts";
import { appears, inFolder, type World } from "../world.ts";

export interface Asker {
  /** `parts` are added to as they come. */
  ask(params: Partial<AskParams>, more?: { parts?: AskPart[]; signal?: AbortSignal }): Promise<AskResult>;
  delivered(question_id: string): Promise<void>;
  notify(params: Record<string, unknown>): Promise<PostedResult>;
  report(params: Record<string, unknown>): Promise<PostedResult>;
  pending(): Promise<PendingResult>;
  /** Reads all that is unread. */
  readInbox(): Promise<unknown>;
  close(): void;
}

/**
 * Variables as a `.mcp.json` gives them; without a channel of their own where `DISCORD_CHANNEL_ID` is empty.
 * `capability`: a session's.
 */
export async function openAsker(
  world: World,
  variables: Record<string, string> = {},
  capability?: string,
): Promise<Asker> {
  const caller = await openCaller({
    stateDir: world.stateDir,
    role: "mcp",
    clock: systemClock,
    wait: { forMs: 60_000 },
    ...(capability !== undefined && { capability }),
    variables: {
      DISCORD_BOT_TOKEN: `Bot ${world.sandbox.botToken}`,
      DISCORD_CHANNEL_ID: world.sandbox.channelId,
      PROJECT_NAME: "app",
      ...variables,
    },
  });
  onTestFinished(() => caller.close());
  return {
    ask: (params, { parts, signal } = {}) => {
      const whole = {
        question: "Deploy?",
        context: "",
        options: [],
        timeout_seconds: null,
        thread_id: null,
        ...params,
      };
      const part = (value: unknown): void => void parts?.push(value as AskPart);
      return caller.call("mcp_ask", whole, { part, ...(signal && { signal }) }) as Promise<AskResult>;
    },
    async delivered(question_id) {
      await caller.call("mcp_delivered", { question_id });
    },
    notify: (params) =>
      caller.call("mcp_notify", {
        level: "info",
        thread_id: null,
        request_id: "request-0001",
        ...params,
      }) as Promise<PostedResult>,
    report: (params) =>
      caller.call("mcp_report", {
        summary: "…",
        details: [],
        thread_id: null,
        request_id: "request-0001",
        ...params,
      }) as Promise<PostedResult>,
    readInbox: () => caller.call("mcp_read_inbox", { unread_only: true, mark_read: true }),
    pending: () => caller.call("mcp_pending", {}) as Promise<PendingResult>,
    close: () => caller.close(),
  };
}

/** Resolves with the thread of the only question with these words, once there is one. */
export function threadOf(world: World, question: string): Promise<string> {
  return world.sandbox.until(({ threads }) => {
    const named = threads().filter(({ name }) => name === question);
    if (named.length > 1) throw new Error(`${named.length} threads for one question`);
    return named[0]?.id;
  });
}

/** Resolves with the thread once our prompt stands in it, so that what is written below it is an answer. */
export async function promptOf(world: World, question: string): Promise<string> {
  const thread = await threadOf(world, question);
  await world.sandbox.until(({ messages }) =>
    messages(thread).some(
      ({ author, content, embeds, components }) =>
        author.bot && JSON.stringify([content, embeds, components]).includes(question),
    ),
  );
  return thread;
}

/** The file that mirrors a question, once it has this status and holds what is asked of it. */
export async function mirror(
  world: World,
  question_id: string,
  status: string,
  isSo: (file: Record<string, unknown>) => boolean = () => true,
): Promise<Record<string, unknown>> {
  const folder = join(world.home, ".claude", "pending_decisions");
  const file = join(folder, `${question_id}.json`);
  await appears(file);
  const read = (): Record<string, unknown> => JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  await inFolder(folder, () => read()["status"] === status && isSo(read()));
  return read();
}

/** Every file below a folder that holds a text. */
export function filesHolding(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}
