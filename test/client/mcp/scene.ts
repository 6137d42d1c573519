/**
 * The server of tools with a client at its other end that is a few lines of JSON, and a daemon that does what a test
 * tells it: so every byte that goes over the pipes is seen, in its order.
 */
import { PassThrough } from "node:stream";
import type { Daemon } from "../../../src/client/mcp/daemon.ts";
import type { AskPart, AskResult } from "../../../src/protocol/mcp.ts";
import { serveTools, type McpServer } from "../../../src/client/mcp/server.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";

export type Line = {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: unknown;
};

export interface Result {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
}

/** A question that was asked of the daemon and is answered by the test. */
export interface Asked {
  params: unknown;
  signal: AbortSignal;
  part(state: AskPart): void;
  answer(outcome: Partial<AskResult>): void;
  fail(error: Error): void;
}

export interface Scene {
  server: McpServer;
  clock: FakeClock;
  stdin: PassThrough;
  stdout: PassThrough;
  /** What the daemon was asked, by method. */
  asked: { method: string; params: unknown }[];
  /** Resolves with the next question. */
  nextQuestion(): Promise<Asked>;
  delivered: string[];
  /** How many wait for the owner now. */
  waiting(): number;
  failures: Error[];
  send(line: object): void;
  /** Resolves with the first line, of those not taken yet, that fits. */
  line(fits: (line: Line) => boolean): Promise<Line>;
  /** Every line so far. */
  lines: Line[];
  /** Calls a tool; resolves with its result. */
  call(name: string, args: unknown, more?: { id?: number; progressToken?: string | number }): Promise<Result>;
}

export const OUTCOME: AskResult = {
  success: true,
  answer: "A) Now",
  selected_option: "A) Now",
  question_id: "app_20260301_abc123",
  timed_out: false,
  aborted: false,
  thread_id: "900000000000000001",
};

export async function openScene({
  daemon = {},
  known = true,
}: { daemon?: Partial<Daemon>; known?: boolean } = {}): Promise<Scene> {
  const [stdin, stdout, clock] = [new PassThrough(), new PassThrough(), createFakeClock()];
  const asked: Scene["asked"] = [];
  const questions: Asked[] = [];
  const takers: ((question: Asked) => void)[] = [];
  const delivered: string[] = [];
  const failures: Error[] = [];
  let waiting = 0;
  const note =
    <T>(method: string, result: T) =>
    (params: unknown): Promise<T> => {
      asked.push({ method, params });
      return Promise.resolve(result);
    };
  const posted = { success: true, message_id: "900000000000000002", thread_id: null };
  const fake: Daemon = {
    ask: (params, { signal, part }) =>
      new Promise((resolve, reject) => {
        asked.push({ method: "ask", params });
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        const question: Asked = {
          params,
          signal,
          part,
          answer: (outcome) => resolve({ ...OUTCOME, ...outcome }),
          fail: reject,
        };
        const taker = takers.shift();
        if (taker) taker(question);
        else questions.push(question);
      }),
    delivered: async (id) => void delivered.push(id),
    notify: note("notify", posted),
    report: note("report", posted),
    pending: () =>
      note("pending", { has_pending: false, pending_questions: [], resolved_questions: [], caught_up: true })({}),
    readInbox: note("readInbox", { messages: [], unread_count: 0, caught_up: true }),
    clearInbox: note("clearInbox", { success: true, cleared_count: 0 }),
    ...daemon,
  };
  const server = serveTools({
    stdin,
    stdout,
    clock,
    daemon: fake,
    home: { known },
    bellhop: "0.0.0",
    onWaiting: () => (waiting++, () => void waiting--),
    onError: (error) => failures.push(error),
  });
  const { lines, line } = readLines(stdout);
  let last = 100;
  const send = (message: object): void => void stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  });
  await line(({ id }) => id === 1);
  send({ method: "notifications/initialized" });
  return {
    server,
    clock,
    stdin,
    stdout,
    asked,
    nextQuestion: () =>
      new Promise((resolve) => (questions[0] ? resolve(questions.shift() as Asked) : void takers.push(resolve))),
    delivered,
    waiting: () => waiting,
    failures,
    send,
    line,
    lines,
    async call(name, args, { id = ++last, progressToken } = {}) {
      send({
        id,
        method: "tools/call",
        params: { name, arguments: args, ...(progressToken !== undefined && { _meta: { progressToken } }) },
      });
      const answer = await line((one) => one.id === id && one.method === undefined);
      if (answer.result === undefined) throw new Error(JSON.stringify(answer.error));
      return answer.result as unknown as Result;
    },
  };
}

function readLines(stdout: PassThrough): Pick<Scene, "lines" | "line"> {
  const lines: Line[] = [];
  const waiters = new Set<() => void>();
  const taken = new Set<Line>();
  let rest = "";
  stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((text) => JSON.parse(text) as Line));
    for (const look of [...waiters]) look();
  });
  return {
    lines,
    line: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find((one) => !taken.has(one) && fits(one));
          if (found === undefined) return;
          taken.add(found);
          waiters.delete(look);
          resolve(found);
        };
        waiters.add(look);
        look();
      }),
  };
}

/** The words of a result. */
export function wordsOf({ content }: Result): string {
  return content.map(({ text }) => text).join("\n");
}
