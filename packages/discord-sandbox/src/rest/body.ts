/**
 * Reads a request's body: JSON, or multipart with `payload_json` and files, never more than Discord takes.
 */
import type { IncomingMessage } from "node:http";
import { limits } from "../limits.ts";
import type { UploadedFile } from "../messages/message-form.ts";
import { boundaryOf, readMultipart } from "./multipart.ts";
import { badField, Code, refuse } from "./refusals.ts";

/** A little more than the files themselves, for the form around them. */
const MOST_BYTES = limits.requestBytes + 1024 * 1024;

export interface Body {
  json: unknown;
  /** Whether there was a body at all. */
  sent: boolean;
  files: UploadedFile[];
}

/** Throws 40005 where it is too long, 50109 for broken JSON, 50035 for another kind of content. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const bytes = await readBytes(request);
  const type = request.headers["content-type"] ?? "";
  if (bytes.length === 0) return { json: {}, sent: false, files: [] };
  const boundary = boundaryOf(type);
  if (boundary !== undefined) {
    const { payload, fields, files } = readMultipart(bytes, boundary);
    if (files.reduce((sum, file) => sum + file.bytes.length, 0) > limits.requestBytes)
      throw refuse(Code.RequestEntityTooLarge);
    return { json: payload === null ? fields : parse(payload), sent: true, files };
  }
  if (!/^application\/json\b/i.test(type)) {
    throw badField("", "CONTENT_TYPE_INVALID", `Expected "Content-Type" header to be one of {'application/json'}.`);
  }
  return { json: parse(bytes.toString("utf8")), sent: true, files: [] };
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is read and thrown away, so that the sender gets to see the answer.
    if (length <= MOST_BYTES) chunks.push(chunk);
  }
  if (length > MOST_BYTES) throw refuse(Code.RequestEntityTooLarge);
  return Buffer.concat(chunks);
}

/** Numbers that may be too long for JavaScript's own. */
const LONG_NUMBER = /[:[,]\s*\d{16,}/;

/** Some libraries write ids as numbers, as Discord allows. They stay exact here by staying text. */
function exactly(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && /^\d{16,20}$/.test(source)
    ? source
    : value;
}

function parse(text: string): unknown {
  try {
    return LONG_NUMBER.test(text)
      ? JSON.parse(text, exactly as (key: string, value: unknown) => unknown)
      : (JSON.parse(text) as unknown);
  } catch {
    throw refuse(Code.RequestBodyContainsInvalidJSON);
  }
}
