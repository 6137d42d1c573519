/**
 * What a vendor's model API is to the fake model: a reading of its requests and a writing of its answers. A new
 * vendor is a new file with one of these in it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Asked, Reply } from "./script.ts";

export interface Exchange {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

export interface ModelApi {
  /** Whether the path is one of this API's. */
  owns(path: string): boolean;
  /** Requests that need no script: an answer in full, or null for a turn of the model. */
  aside(exchange: Exchange): unknown;
  read(body: Record<string, unknown>): Asked;
  answer(exchange: Exchange, response: ServerResponse, reply: Reply): Promise<void>;
  /**
   * An error of this API; its message is `words`, or `mock error STATUS`. With `resetsAt` (seconds since the epoch) it is this
   * vendor's usage limit, where the API has a form for one.
   */
  fail(response: ServerResponse, status: number, how: Pick<Reply, "resetsAt" | "words">): void;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
