/**
 * The queue of lines between a pipe and its reader: in order, and with a limit. When the reader is behind, the pipe is
 * paused until there is room again, so a fast writer blocks in its own `write` instead of filling our memory.
 */
import type { Line } from "./lines.ts";

/** Approximate cost of a waiting line besides its bytes. */
const LINE_OVERHEAD_BYTES = 64;

export interface QueueRequest {
  /** Waiting bytes above which `onFull` is called. */
  limitBytes: number;
  onFull: () => void;
  onRoom: () => void;
}

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
