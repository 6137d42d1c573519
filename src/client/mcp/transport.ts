/**
 * The client's pipes. Beyond the SDK's transport, it knows when the answer to a request has been written to the pipe. A
 * result counts as delivered from then on, not when it was handed over for sending.
 */
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

type Message = Parameters<StdioServerTransport["send"]>[0];
type RequestId = string | number;

export class Wire extends StdioServerTransport {
  readonly #written = new Map<RequestId, () => void>();

  constructor(stdin: Readable, stdout: Writable) {
    super(stdin, stdout);
  }

  /** Calls back when the answer to this request has been written; never if it is not. */
  onWritten(id: RequestId, call: () => void): void {
    this.#written.set(id, call);
  }

  /** No answer to this request will be written. */
  forget(id: RequestId): void {
    this.#written.delete(id);
  }

  override async send(message: Message): Promise<void> {
    await super.send(message);
    if (!("id" in message) || message.id === undefined || message.id === null || "method" in message) return;
    const call = this.#written.get(message.id);
    this.#written.delete(message.id);
    if ("result" in message) call?.();
  }
}
