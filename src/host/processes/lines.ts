/**
 * Splits bytes into lines, however they are chunked: a line is returned whole, as its own bytes without the newline, or
 * not at all. A line above the cap is dropped up to its newline and only counted, so an endless line costs no more
 * memory than the cap, and the next line is read normally. And the queue in which lines wait for their reader.
 */

const NEWLINE = 0x0a;

/** A line, or the number of bytes dropped from an oversized one, and how it began. */
export type Line = { bytes: Buffer } | { dropped: number; beginning: Buffer };

/** How much of an oversized line is kept. */
const BEGINNING_BYTES = 256;

export const LINE_CAP_BYTES = 8 * 1024 * 1024;

export class LineSplitter {
  readonly #cap: number;
  #parts: Buffer[] = [];
  #held = 0;
  #dropping = 0;
  #beginning: Buffer = Buffer.alloc(0);

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
    if (this.#dropping === 0) this.#beginning = beginningOf([...this.#parts, part]);
    this.#dropping += this.#held + part.length;
    this.#parts = [];
    this.#held = 0;
  }

  #take(): Line {
    const line: Line =
      this.#dropping > 0
        ? { dropped: this.#dropping, beginning: this.#beginning }
        : { bytes: this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts, this.#held) };
    this.#parts = [];
    this.#held = 0;
    this.#dropping = 0;
    return line;
  }
}

function beginningOf(parts: readonly Buffer[]): Buffer {
  const short = parts.map((part) => part.subarray(0, BEGINNING_BYTES));
  return Buffer.concat(short, Math.min(BEGINNING_BYTES, short.reduce((sum, { length }) => sum + length, 0)));
}

/** Approximate cost of a waiting line besides its bytes. */
const LINE_OVERHEAD_BYTES = 64;

interface QueueRequest {
  /** Waiting bytes above which `onFull` is called. */
  limitBytes: number;
  onFull: () => void;
  onRoom: () => void;
}

/**
 * The queue of lines between a pipe and its reader: in order, and with a limit. When the reader is behind, the pipe is
 * paused until there is room again, so a fast writer blocks in its own `write` instead of filling our memory.
 */
export class LineQueue implements AsyncIterableIterator<Line> {
  readonly #request: QueueRequest;
  #limit: number;
  #waiting: Line[] = [];
  #head = 0;
  #bytes = 0;
  #full = false;
  #ended = false;
  #discarding = false;
  #reader: ((result: IteratorResult<Line>) => void) | null = null;

  constructor(request: QueueRequest) {
    this.#request = request;
    this.#limit = request.limitBytes;
  }

  push(line: Line): void {
    if (this.#ended || this.#discarding) return;
    if (this.#reader) {
      const give = this.#reader;
      this.#reader = null;
      return give({ value: line, done: false });
    }
    this.#waiting.push(line);
    this.#bytes += cost(line);
    if (this.#full || this.#bytes <= this.#limit) return;
    this.#full = true;
    this.#request.onFull();
  }

  /** No more lines will be pushed; waiting ones can still be read. */
  end(): void {
    this.#ended = true;
    this.#reader?.({ value: undefined, done: true });
    this.#reader = null;
  }

  /** Nothing will be read any more: further lines are dropped, and the pipe is not paused. */
  discard(): void {
    this.#discarding = true;
    this.#waiting = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#makeRoom();
    this.#reader?.({ value: undefined, done: true });
    this.#reader = null;
  }

  /** Sets a new limit, for when the writer has ended and the pipe must be emptied. */
  limit(bytes: number): void {
    this.#limit = bytes;
    this.#makeRoom();
  }

  next(): Promise<IteratorResult<Line>> {
    const line = this.#waiting[this.#head];
    if (line === undefined) {
      if (this.#ended || this.#discarding) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve) => (this.#reader = resolve));
    }
    this.#head += 1;
    this.#bytes -= cost(line);
    if (this.#head === this.#waiting.length) {
      this.#waiting = [];
      this.#head = 0;
    }
    if (this.#bytes <= this.#limit / 2) this.#makeRoom();
    return Promise.resolve({ value: line, done: false });
  }

  return(): Promise<IteratorResult<Line>> {
    this.discard();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #makeRoom(): void {
    if (!this.#full || this.#bytes > this.#limit) return;
    this.#full = false;
    this.#request.onRoom();
  }
}

function cost(line: Line): number {
  return LINE_OVERHEAD_BYTES + ("bytes" in line ? line.bytes.length : 0);
}
