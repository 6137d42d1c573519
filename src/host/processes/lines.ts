/**
 * Splits bytes into lines, however they are chunked: a line is returned whole, as its own bytes without the newline, or
 * not at all. A line above the cap is dropped up to its newline and only counted, so an endless line costs no more
 * memory than the cap, and the next line is read normally.
 */
const NEWLINE = 0x0a;

/** A line, or the number of bytes dropped from an oversized one. */
export type Line = { bytes: Buffer } | { dropped: number };

export const LINE_CAP_BYTES = 8 * 1024 * 1024;

export class LineSplitter {
  readonly #cap: number;
  #parts: Buffer[] = [];
  #held = 0;
  #dropping = 0;

  /** @param cap the longest line that is kept, in bytes */
  constructor(cap: number = LINE_CAP_BYTES) {
    this.#cap = cap;
  }

  /** The lines that this chunk completes. */
  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, at));
      lines.push(this.#take());
      from = at + 1;
    }
    this.#hold(chunk.subarray(from));
    return lines;
  }

  /** What follows the last newline at the end of the stream: a truncated line, or nothing. */
  end(): Line[] {
    return this.#held > 0 || this.#dropping > 0 ? [this.#take()] : [];
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#dropping === 0 && this.#held + part.length <= this.#cap) {
      this.#parts.push(part);
      this.#held += part.length;
      return;
    }
    this.#dropping += this.#held + part.length;
    this.#parts = [];
    this.#held = 0;
  }

  #take(): Line {
    const line: Line =
      this.#dropping > 0
        ? { dropped: this.#dropping }
        : { bytes: this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts, this.#held) };
    this.#parts = [];
    this.#held = 0;
    this.#dropping = 0;
    return line;
  }
}
