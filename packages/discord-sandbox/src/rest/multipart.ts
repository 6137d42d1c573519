/**
 * `multipart/form-data` bodies, cut into named parts. Bytes are kept as they came; a body that does not parse is
 * refused as Discord does.
 */
import type { UploadedFile } from "../messages/message-form.ts";
import { badField } from "./refusals.ts";

export interface Multipart {
  /** The JSON text of `payload_json`, if there was one. */
  payload: string | null;
  /** Plain text fields, in the order given. */
  fields: Record<string, string>;
  files: UploadedFile[];
}

/** `boundary` comes from the content type's parameter. */
export function readMultipart(body: Buffer, boundary: string): Multipart {
  const result: Multipart = { payload: null, fields: {}, files: [] };
  for (const part of parts(body, boundary)) {
    const headEnd = part.indexOf("\r\n\r\n");
    if (headEnd === -1) throw broken();
    const headers = readHeaders(part.subarray(0, headEnd).toString("utf8"));
    const bytes = part.subarray(headEnd + 4);
    const disposition = headers["content-disposition"] ?? "";
    const field = parameter(disposition, "name");
    if (field === undefined) throw broken();
    const name = parameter(disposition, "filename");
    if (field === "payload_json") result.payload = bytes.toString("utf8");
    else if (name === undefined) result.fields[field] = bytes.toString("utf8");
    else result.files.push({ field, name, contentType: headers["content-type"] ?? null, bytes: Buffer.from(bytes) });
  }
  return result;
}

/** The boundary parameter of a content type; undefined where it is not multipart. */
export function boundaryOf(contentType: string): string | undefined {
  const match = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

function parts(body: Buffer, boundary: string): Buffer[] {
  const mark = Buffer.from(`--${boundary}`);
  const found: Buffer[] = [];
  let at = body.indexOf(mark);
  if (at === -1) throw broken();
  for (;;) {
    const start = at + mark.length;
    if (body.subarray(start, start + 2).toString("latin1") === "--") return found;
    const next = body.indexOf(Buffer.from(`\r\n--${boundary}`), start);
    if (next === -1) throw broken();
    found.push(body.subarray(start + 2, next));
    at = next + 2;
  }
}

function readHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  return headers;
}

function parameter(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, "i").exec(header);
  const text = match?.[1] ?? match?.[2];
  return text?.replace(/\\(.)/g, "$1").replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
}

function broken() {
  return badField("", "MULTIPART_INVALID", "The multipart body could not be read");
}
