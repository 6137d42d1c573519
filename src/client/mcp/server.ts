/**
 * The MCP server `discord-decision-mcp`: six tools over the client's pipes. Any failure in a tool becomes an answer
 * that the model can act on, never a broken protocol; when the client is gone, its calls are cancelled at once.
 */
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { Server, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { withTimeout, type Clock, pause } from "../../base/clock.ts";
import { BellhopError } from "../../base/errors.ts";
import { say, sayWithReason } from "../../base/words/say.ts";
import { nearest } from "../../config/config-file.ts";
import { jsonSchema } from "../../protocol/tools.ts";
import { Unavailable, type Daemon } from "./daemon.ts";
import {
  WrongInput,
  type Done,
  type Home,
  type McpTool,
  type Use,
  askDecision,
  checkPending,
  notify,
  readInbox,
  clearInbox,
  reportProgress,
} from "./tools.ts";

interface ServerOptions {
  stdin: Readable;
  stdout: Writable;
  clock: Clock;
  daemon: Daemon;
  home: Home;
  /** Our version. */
  bellhop: string;
  /** The owner is being waited for, until the returned function is called. */
  onWaiting(): () => void;
  /** Takes failures outside of any call, for standard error. */
  onError(error: Error): void;
}

export interface McpServer {
  /** Resolves when the client is gone, or after `close`. */
  readonly closed: Promise<void>;
  /** Cancels open calls. Resolves when the daemon knows what was written to the client, or cannot be told. */
  close(): Promise<void>;
}

export const SERVER_NAME = "discord-decision-mcp";
export const tools: readonly McpTool[] = [askDecision, notify, reportProgress, checkPending, readInbox, clearInbox];

const INSTRUCTIONS = `Through this server the owner of this machine is reached on Discord while he is away from it. At the start of a session call discord_check_pending. When a decision is his, ask with discord_ask_decision and wait; never decide in his place because he is slow. Tell him what he would want to know with discord_notify, and what came of a task with discord_report_progress. Look into discord_read_inbox between two pieces of work.`;

/** How long to wait for the daemon to learn what was delivered. */
const LAST_WORDS_MS = 1_000;

export function serveTools(options: ServerOptions): McpServer {
  const wire = new StdioWire(options.stdin, options.stdout);
  const gone = Promise.withResolvers<void>();
  const telling = new Set<Promise<void>>();
  const handle = serveStdio(
    () => {
      const server = new Server(
        { name: SERVER_NAME, version: options.bellhop },
        { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
      );
      server.setRequestHandler("tools/list", () => ({ tools: tools.map(described) }));
      server.setRequestHandler("tools/call", ({ params }, context) =>
        answer(params.name, params.arguments ?? {}, context),
      );
      return server;
    },
    { transport: wire, onerror: options.onError },
  );
  // The SDK owns the transport's events, so the end of the pipes is observed beside it.
  for (const event of ["end", "close"] as const) options.stdin.once(event, () => gone.resolve());
  options.stdout.once("error", () => gone.resolve());

  async function answer(
    name: string,
    given: Readonly<Record<string, unknown>>,
    context: ServerContext,
  ): Promise<CallToolResult> {
    const { id, signal } = context.mcpReq;
    try {
      const done = await toolNamed(name).use(given, useOf(options, context));
      const { onWritten: written } = done;
      if (written !== undefined && !signal.aborted) {
        wire.onWritten(id, () => tell(written));
        signal.addEventListener("abort", () => wire.dropAnswer(id), { once: true });
      }
      return resultOf(done);
    } catch (error) {
      // A cancelled call is not answered, whatever is returned here.
      if (!signal.aborted && !isExpected(error))
        options.onError(error instanceof Error ? error : new Error(String(error)));
      return { isError: true, content: [{ type: "text", text: sentenceOf(error) }] };
    }
  }

  function tell(written: () => Promise<void>): void {
    const one = written()
      .catch(() => undefined)
      .finally(() => telling.delete(one));
    telling.add(one);
  }

  async function close(): Promise<void> {
    gone.resolve();
    await handle.close().catch(() => undefined);
    await withTimeout(options.clock, LAST_WORDS_MS, Promise.all(telling));
  }

  return { closed: gone.promise, close };
}

/** What a tool gets for one call. */
function useOf({ daemon, home, clock, onWaiting }: ServerOptions, { mcpReq }: ServerContext): Use {
  const token = mcpReq._meta?.progressToken;
  const progress = (seconds: number, message: string): void => {
    if (token === undefined || mcpReq.signal.aborted) return;
    mcpReq
      .notify({ method: "notifications/progress", params: { progressToken: token, progress: seconds, message } })
      .catch(() => undefined);
  };
  return {
    daemon,
    home,
    signal: mcpReq.signal,
    requestId: () => randomUUID(),
    async waiting(work) {
      const end = onWaiting();
      try {
        return await withKeepAlive(clock, progress, work);
      } finally {
        end();
      }
    },
  };
}

/** @throws WrongInput for an unknown name */
function toolNamed(name: string): McpTool {
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const names = tools.map((tool) => tool.name);
  const near = nearest(name, names);
  throw new WrongInput(
    `There is no tool ${JSON.stringify(name.slice(0, 80))}.${near === undefined ? "" : ` Did you mean ${near}?`} There are: ${names.join(", ")}.`,
  );
}

function described({ name, title, description, input, output, destructive = false }: McpTool) {
  return {
    name,
    title,
    description,
    inputSchema: jsonSchema(input),
    outputSchema: jsonSchema(output),
    annotations: { title, readOnlyHint: false, destructiveHint: destructive, openWorldHint: true },
  };
}

function resultOf({ result, remark }: Done): CallToolResult {
  const texts = [JSON.stringify(result), ...(remark === undefined ? [] : [remark])];
  return { content: texts.map((text) => ({ type: "text", text })), structuredContent: { ...result } };
}

function isExpected(error: unknown): boolean {
  return error instanceof WrongInput || error instanceof Unavailable || error instanceof BellhopError;
}

/** An error for the model: what is wrong and what to do. */
function sentenceOf(error: unknown): string {
  if (error instanceof WrongInput || error instanceof Unavailable) return error.message;
  if (!(error instanceof BellhopError)) return `E_INTERNAL: ${say("en", "E_INTERNAL")}`;
  const { code, details } = error;
  // The refusal of a parameter already says what was sent and what is expected.
  return code === "E_LINK_REFUSED" && details["why"] !== undefined
    ? String(details["why"])
    : `${code}: ${sayWithReason("en", code, details)}`;
}

type McpMessage = Parameters<StdioServerTransport["send"]>[0];
type RequestId = string | number;

/**
 * The client's pipes. Beyond the SDK's transport, it knows when the answer to a request has been written to the pipe. A
 * result counts as delivered from then on, not when it was handed over for sending.
 */
class StdioWire extends StdioServerTransport {
  readonly #written = new Map<RequestId, () => void>();

  constructor(stdin: Readable, stdout: Writable) {
    super(stdin, stdout);
  }

  /** Calls back when the answer to this request has been written; never if it is not. */
  onWritten(id: RequestId, call: () => void): void {
    this.#written.set(id, call);
  }

  /** No answer to this request will be written. */
  dropAnswer(id: RequestId): void {
    this.#written.delete(id);
  }

  override async send(message: McpMessage): Promise<void> {
    await super.send(message);
    if (!("id" in message) || message.id === undefined || message.id === null || "method" in message) return;
    const call = this.#written.get(message.id);
    this.#written.delete(message.id);
    if ("result" in message) call?.();
  }
}

/* The progress notifications by which a client knows that a call of a tool still waits for its answer. */

/** Less than the minute after which clients take silence for a dead call. */
export const TOLD_EVERY_MS = 15_000;
/** The minimum time between the last progress message and the result. */
export const APART_MS = 25;

/**
 * Runs the work and tells the client meanwhile that its call is alive: many clients give up on a call that is silent
 * for a minute. The last progress message precedes the result by some time, because older clients forget a call with
 * its result and fail on progress that arrives with it. `note` changes the progress text and sends it at once.
 * @param tell `seconds` since the start, increasing with each call; never rejects
 */
async function withKeepAlive<T>(
  clock: Clock,
  tell: (seconds: number, text: string) => void,
  work: (note: (text: string) => void) => Promise<T>,
): Promise<T> {
  const began = clock.monotonic();
  let told = { at: Number.NEGATIVE_INFINITY, seconds: 0 };
  let text = "Asking the owner on Discord.";
  let forget = (): void => undefined;
  const report = (): void => {
    const seconds = Math.max(told.seconds + 0.001, (clock.monotonic() - began) / 1000);
    told = { at: clock.monotonic(), seconds };
    tell(seconds, text);
  };
  const again = (): void => {
    forget = clock.after(TOLD_EVERY_MS, () => {
      report();
      again();
    });
  };
  again();
  try {
    return await work((next) => {
      if (next === text) return;
      text = next;
      report();
    });
  } finally {
    forget();
    const wait = told.at + APART_MS - clock.monotonic();
    if (wait > 0) await pause(clock, wait);
  }
}
