/**
 * The protocol's connection with one agent, and the only place that uses its SDK. It is fed with the lines that the
 * host read, so their length is limited; what is no message of the protocol is reported and left out, so that no agent
 * can make the SDK fail or write to the daemon's output. Session updates and answers are told in the order of the
 * lines.
 */
import { client, methods, type AnyMessage, type ClientContext, type ParamsParser } from "@agentclientprotocol/sdk";
import { isModest, withShortStrings } from "../../base/json-size.ts";
import type { Child } from "../../host/processes/child.ts";
import type { OutputLine } from "../../host/processes/pipes.ts";
import type { LineLeftOut } from "../contract/updates.ts";
import { type Fields, fieldsOf, jsonLine, parseLine, inner, text } from "../process/fields.ts";
import type { RpcFailure } from "./errors.ts";

/** What the connection tells its user. */
export interface AcpListener {
  /** The params of a `session/update`. @param cut the bytes of one whose long texts were not read; absent: all was */
  update(params: Fields, cut?: number): void;
  /**
   * The agent asks; what this resolves with is sent as the result.
   * @param withdrawn aborts when the agent wants no answer any more
   * @param cut as in `update`
   */
  onRequest(
    kind: "permission" | "elicitation",
    params: Fields,
    { id, withdrawn, cut }: { id: string; withdrawn: AbortSignal; cut?: number },
  ): Promise<Fields>;
  /** The answer to a request of this method has come; everything told before came before it. */
  onResponse(method: string): void;
  /** A line that is no message of the protocol, or an unexpected message. */
  strange(what: string, line?: string): void;
  leftOut(left: LineLeftOut): void;
  /** Resolves when more may be told; until then nothing is read. */
  room(): Promise<void>;
}

type Id = string | number;

/** How a request begins; agents write their messages in this order. */
const REQUEST = /^\{"jsonrpc":"2\.0","id":("[\w-]{1,100}"|\d{1,15}),"method":"/;
const TOO_LARGE = {
  code: -32_600,
  message: "The request is too large or too deeply nested. Split it into several smaller ones",
};

/** Answers that wait for an agent to read them; beyond that, nothing more is read from it. */
const MOST_UNWRITTEN = 64;

export class AcpConnection {
  /** Resolves when the agent has closed its output or the connection was closed. */
  readonly closed: Promise<void>;
  readonly #child: Child;
  readonly #listener: AcpListener;
  readonly #agent: ClientContext;
  readonly #close: () => void;
  /** Requests of ours that are not answered yet: id → method. */
  readonly #sent = new Map<unknown, string>();
  /** Requests of the agent: its id → resolves with whether our answer was written. */
  readonly #answers = new Map<string, PromiseWithResolvers<boolean>>();
  #unwritten = 0;
  #wrote = Promise.withResolvers<void>();

  constructor(child: Child, listener: AcpListener) {
    this.#child = child;
    this.#listener = listener;
    const handle =
      (kind: "permission" | "elicitation") =>
      ({ params, requestId, signal }: { params: Fields; requestId: unknown; signal: AbortSignal }) =>
        listener.onRequest(kind, params, { id: nameOf(requestId), withdrawn: signal });
    const raw: ParamsParser<Fields> = (params) => fieldsOf(params) ?? {};
    const app = client({ name: "bellhop" })
      .onRequest<Fields, Fields>(methods.client.session.requestPermission, raw, handle("permission"))
      .onRequest<Fields, Fields>(methods.client.elicitation.create, raw, handle("elicitation"));
    const lines = child.lines;
    const connection = app.connect({
      readable: new ReadableStream<AnyMessage>(
        { pull: (controller) => this.#pull(lines, controller) },
        { highWaterMark: 0 },
      ),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#write(message as unknown as Fields) }),
    });
    this.#agent = connection.agent;
    this.#close = () => connection.close();
    this.closed = connection.closed.then(() => {
      for (const { resolve } of this.#answers.values()) resolve(false);
    });
  }

  /** @throws RpcFailure as the agent sent it; another error if the connection closes first */
  async request(method: string, params: Fields): Promise<Fields> {
    return fieldsOf(await this.#agent.request<unknown, Fields>(method, params)) ?? {};
  }

  async notify(method: string, params: Fields): Promise<void> {
    await this.#agent.notify<Fields>(method, params).catch(() => undefined);
  }

  /** Whether the answer to the agent's request with this id was written; waits until it is known. */
  whenAnswerWritten(id: string): Promise<boolean> {
    return this.#answers.get(id)?.promise ?? Promise.resolve(false);
  }

  close(): void {
    this.#close();
  }

  async #pull(
    lines: AsyncIterator<OutputLine>,
    controller: ReadableStreamDefaultController<AnyMessage>,
  ): Promise<void> {
    for (;;) {
      await this.#listener.room();
      while (this.#unwritten > MOST_UNWRITTEN) await this.#wrote.promise;
      const { value, done } = await lines.next();
      if (done === true) return controller.close();
      const short = "bytes" in value ? shortened(value.bytes) : null;
      if (short !== null && "bytes" in value) {
        this.#takeShort(short, value.bytes.length);
        continue;
      }
      const message = this.#read(value);
      if (message !== null && this.#isForSdk(message)) return controller.enqueue(message as unknown as AnyMessage);
    }
  }

  /** The SDK never sees it: what it is about is answered without. @param cut the bytes that it had */
  #takeShort(message: Fields, cut: number): void {
    if (!this.#isForSdk(message, cut)) return;
    const { id, method, params } = message;
    const kind = method === methods.client.session.requestPermission ? "permission" : "elicitation";
    const answer = this.#listener.onRequest(kind, fieldsOf(params) ?? {}, {
      id: nameOf(id),
      withdrawn: new AbortController().signal,
      cut,
    });
    void answer.then((result) => this.#write({ jsonrpc: "2.0", id, result }));
  }

  #read(line: OutputLine): Fields | null {
    if ("dropped" in line) {
      this.#listener.leftOut({ kind: "left_out", why: "long", bytes: line.dropped });
      this.#refuse(line.beginning.toString());
      return null;
    }
    const text = line.bytes.toString();
    const message = parseLine(text);
    const start = message === null ? text.trim() : "";
    if (start.startsWith("{") && !isModest(start)) {
      this.#listener.leftOut({ kind: "left_out", why: "deep", bytes: line.bytes.length });
      this.#refuse(start);
    } else if (start !== "") this.#listener.strange("not a line of the protocol", start);
    return message;
  }

  /** A request that was left out is answered all the same: its agent would wait for ever. */
  #refuse(line: string): void {
    const [, id] = REQUEST.exec(line) ?? [];
    if (id !== undefined) void this.#write({ jsonrpc: "2.0", id: JSON.parse(id) as unknown, error: TOO_LARGE });
  }

  /** Tells what has to be told in order, and keeps from the SDK what it would complain about. */
  #isForSdk(message: Fields, cut?: number): boolean {
    const { jsonrpc, method, id } = message;
    if (jsonrpc !== "2.0") return this.#odd("a message without a version");
    if (typeof method !== "string") return this.#isAnswer(id, message);
    if ("id" in message) {
      if (typeof id !== "string" && !(typeof id === "number" && Number.isFinite(id)))
        return this.#odd("a request without an id");
      if (this.#answers.has(nameOf(id))) return this.#odd("a request with an id in use");
      this.#answers.set(nameOf(id), Promise.withResolvers());
      return true;
    }
    if (method === methods.protocol.cancelRequest) return true;
    if (method === methods.client.session.update) this.#listener.update(fieldsOf(message["params"]) ?? {}, cut);
    else this.#odd(`notification ${method}`);
    return false;
  }

  #isAnswer(id: unknown, message: Fields): boolean {
    const method = this.#sent.get(id);
    if (method === undefined || "result" in message === "error" in message) return this.#odd("an answer to nothing");
    this.#sent.delete(id);
    this.#listener.onResponse(method);
    return true;
  }

  #odd(what: string): false {
    this.#listener.strange(what);
    return false;
  }

  async #write(message: Fields): Promise<void> {
    const { id, method } = message;
    if (typeof method === "string" && id !== undefined) this.#sent.set(id, method);
    this.#unwritten += 1;
    const written = (await this.#child.input?.write(jsonLine(message))) ?? false;
    this.#unwritten -= 1;
    this.#wrote.resolve();
    this.#wrote = Promise.withResolvers();
    if (typeof method === "string") return;
    this.#answers.get(nameOf(id))?.resolve(written);
    this.#answers.delete(nameOf(id));
  }
}

/** The error with which an agent refused a request; null for any other. */
export function rpcFailureOf(error: unknown): RpcFailure | null {
  const { code, message, data } = (error ?? {}) as { code?: unknown; message?: unknown; data?: unknown };
  return error instanceof Error && error.name === "RequestError" && typeof code === "number"
    ? { code, message: String(message), data }
    : null;
}

/** A number and a text are different ids. */
function nameOf(id: unknown): string {
  return JSON.stringify(id as Id) ?? "";
}

/*
 * An agent's longest lines, made short before they are parsed, where nothing but what they are about is wanted: a
 * request, which nobody could be shown, and what is told of a tool's call. Text that the agent says is never cut.
 */

/** No request that can be shown is longer, not even with every second character escaped. */
const LONG_BYTES = 2_000_000;

const REQUESTS: ReadonlySet<unknown> = new Set([
  methods.client.session.requestPermission,
  methods.client.elicitation.create,
]);

/** A message with its long texts cut; null for one that has to be read as it is. */
function shortened(line: Buffer): Fields | null {
  const short = line.length > LONG_BYTES ? withShortStrings(line) : null;
  const message = short === null ? null : parseLine(short.toString());
  if (message === null || REQUESTS.has(message["method"])) return message;
  const update = text(inner(inner(message, "params"), "update")["sessionUpdate"]);
  return message["method"] === methods.client.session.update && update.startsWith("tool_call") ? message : null;
}
