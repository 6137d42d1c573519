/**
 * The framing of messages on the socket: one JSON object per line, at most 1 MiB each. Pure: bytes in, objects out.
 * Anything else is refused at once, because the rest of that stream cannot be trusted either.
 */
import { BellhopError } from "../base/errors.ts";
import { isModest } from "../base/json-size.ts";

export const FRAME_CAP_BYTES = 1024 * 1024;

export type Frame = Readonly<Record<string, unknown>>;

const NEWLINE = 10;

/** @throws E_LINK_REFUSED for a frame that is too long */
export function encodeFrame(message: Frame): Buffer {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  if (bytes.length > FRAME_CAP_BYTES)
    throw linkRefused(`a frame of ${bytes.length} bytes; at most ${FRAME_CAP_BYTES} are allowed`);
  return bytes;
}

/** Reassembles the frames of one connection, however its bytes were split. */
export class FrameReader {
  #parts: Buffer[] = [];
  #waiting = 0;

  /**
   * The frames that this chunk completes, in order.
   * @throws E_LINK_REFUSED for a line that is too long, not UTF-8 or not a JSON object; nothing may be pushed after it
   */
  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#addBytes(chunk.subarray(start, end));
      frames.push(parse(this.#takeBytes()));
      start = end + 1;
    }
    this.#addBytes(chunk.subarray(start));
    return frames;
  }

  /** Counted before anything is copied: a line without an end must not fill the memory. */
  #addBytes(bytes: Buffer): void {
    this.#waiting += bytes.length;
    if (this.#waiting >= FRAME_CAP_BYTES) throw linkRefused(`a frame of more than ${FRAME_CAP_BYTES} bytes`);
    if (bytes.length > 0) this.#parts.push(bytes);
  }

  #takeBytes(): Buffer {
    const line = this.#parts.length === 1 ? this.#parts[0] : undefined;
    const bytes = line ?? Buffer.concat(this.#parts);
    this.#parts = [];
    this.#waiting = 0;
    return bytes;
  }
}

export function linkRefused(why: string): BellhopError {
  return new BellhopError("E_LINK_REFUSED", { why });
}

function parse(line: Buffer): Frame {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
    const value: unknown = isModest(text) ? JSON.parse(text) : null;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Frame;
  } catch {
    // Reported below without its content, which helps nobody and may be a secret sent to the wrong place.
  }
  throw linkRefused("a line that is not a JSON object");
}
