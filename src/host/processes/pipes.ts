/**
 * The pipes of a child. What it prints is split into lines, which wait in a queue for their reader; of an endless
 * stream only the end is kept. What it reads is written no faster than it reads. However fast or slow the child is, it
 * costs little memory.
 */
import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";

const NEWLINE = 0x0a;

/**
 * A line, or the number of bytes dropped from an oversized one, and how it began. `cut`: how many bytes it had before
 * its reader cut long texts in it.
 */
export type OutputLine = { bytes: Buffer; cut?: number } | { dropped: number; beginning: Buffer };

/** How much of an oversized line is kept. */
const BEGINNING_BYTES = 256;

export const LINE_CAP_BYTES = 8 * 1024 * 1024;

/** A longer line is put together while it comes: eight megabytes at its end would hold everybody up. */
const LONG_BYTES = 256 * 1024;

/**
 * Splits bytes into lines, however they are chunked: a line is returned whole, as its own bytes without the newline, or
 * not at all. A line above the cap is dropped up to its newline and only counted, so an endless line costs no more
 * memory than the cap, and the next line is read normally.
 */
export class LineSplitter {
  readonly #cap: number;
  #parts: Buffer[] = [];
  #held = 0;
  /** The beginning of a long line; its parts are none then. Memory is taken as far as it is filled. */
  #long: Buffer | null = null;
  #dropping = 0;
  #beginning: Buffer = Buffer.alloc(0);

  /** @param cap the longest line that is kept, in bytes */
  constructor(cap: number = LINE_CAP_BYTES) {
    this.#cap = cap;
  }

  /** The lines that this chunk completes. */
  push(chunk: Buffer): OutputLine[] {
    const lines: OutputLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#addPart(chunk.subarray(from, at));
      lines.push(this.#takeLine());
      from = at + 1;
    }
    this.#addPart(chunk.subarray(from));
    return lines;
  }

  /** What follows the last newline at the end of the stream: a truncated line, or nothing. */
  lastLine(): OutputLine[] {
    return this.#held > 0 || this.#dropping > 0 ? [this.#takeLine()] : [];
  }

  #addPart(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#dropping === 0 && this.#held + part.length <= this.#cap) return this.#storePart(part);
    if (this.#dropping === 0)
      this.#beginning = beginningOf([
        ...(this.#long === null ? this.#parts : [this.#long.subarray(0, this.#held)]),
        part,
      ]);
    this.#dropping += this.#held + part.length;
    this.#forget();
  }

  #storePart(part: Buffer): void {
    if (this.#long === null && this.#held + part.length > LONG_BYTES) {
      this.#long = Buffer.allocUnsafeSlow(this.#cap);
      let at = 0;
      for (const one of this.#parts) at += one.copy(this.#long, at);
      this.#parts = [];
    }
    if (this.#long === null) this.#parts.push(part);
    else part.copy(this.#long, this.#held);
    this.#held += part.length;
  }

  #takeLine(): OutputLine {
    const line: OutputLine =
      this.#dropping > 0 ? { dropped: this.#dropping, beginning: this.#beginning } : { bytes: this.#whole() };
    this.#forget();
    this.#dropping = 0;
    return line;
  }

  #whole(): Buffer {
    if (this.#long !== null) return this.#long.subarray(0, this.#held);
    return this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts, this.#held);
  }

  #forget(): void {
    this.#parts = [];
    this.#long = null;
    this.#held = 0;
  }
}

function beginningOf(parts: readonly Buffer[]): Buffer {
  const short = parts.map((part) => part.subarray(0, BEGINNING_BYTES));
  return Buffer.concat(
    short,
    Math.min(
      BEGINNING_BYTES,
      short.reduce((sum, { length }) => sum + length, 0),
    ),
  );
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
export class LineQueue implements AsyncIterableIterator<OutputLine> {
  readonly #request: QueueRequest;
  #limit: number;
  #waiting: OutputLine[] = [];
  #head = 0;
  #bytes = 0;
  #full = false;
  #ended = false;
  #discarding = false;
  #reader: ((result: IteratorResult<OutputLine>) => void) | null = null;

  constructor(request: QueueRequest) {
    this.#request = request;
    this.#limit = request.limitBytes;
  }

  push(line: OutputLine): void {
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
  close(): void {
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

  next(): Promise<IteratorResult<OutputLine>> {
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
    // Each long one is read in a turn of its own.
    return cost(line) > LONG_BYTES
      ? setImmediate({ value: line, done: false as const })
      : Promise.resolve({ value: line, done: false });
  }

  return(): Promise<IteratorResult<OutputLine>> {
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

function cost(line: OutputLine): number {
  return LINE_OVERHEAD_BYTES + ("bytes" in line ? line.bytes.length : 0);
}

const SLICE_BYTES = 64 * 1024;

/**
 * A child's stdin. A write waits until the child has read it, so a child that never reads costs a few kilobytes of
 * memory; for one that has closed its end the result is false, never an error.
 */
export class ChildInput {
  readonly #stream: Writable;
  #last: Promise<boolean> = Promise.resolve(true);
  /** Writes that are not over. */
  #waiting = 0;
  #open = true;

  constructor(stream: Writable) {
    this.#stream = stream;
    // EPIPE arrives as an event; without a listener it would end the daemon.
    stream.on("error", () => (this.#open = false));
    stream.on("close", () => (this.#open = false));
  }

  /**
   * Writes after all earlier writes, at once if there are none. Resolves with whether the pipe took all of it; never
   * rejects.
   */
  write(text: string): Promise<boolean> {
    const bytes = Buffer.from(text);
    const sent = this.#waiting === 0 ? this.#send(bytes) : this.#last.then(() => this.#send(bytes));
    this.#waiting += 1;
    this.#last = sent.finally(() => (this.#waiting -= 1));
    return this.#last;
  }

  /** Closes stdin after all writes. */
  close(): void {
    void this.#last.then(() => this.#stream.end());
  }

  async #send(bytes: Buffer): Promise<boolean> {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      // A destroyed stream drops writes silently (nothing receives ERR_STREAM_DESTROYED), so it is checked first.
      if (!this.#open || !this.#stream.writable) return false;
      if (!this.#stream.write(bytes.subarray(at, at + SLICE_BYTES))) await this.#drained();
    }
    return this.#open;
  }

  #drained(): Promise<void> {
    if (!this.#open || !this.#stream.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#stream.off("drain", done);
        this.#stream.off("close", done);
        resolve();
      };
      this.#stream.on("drain", done);
      this.#stream.on("close", done);
    });
  }
}

/** The last bytes of a possibly endless stream: what a failed agent printed at the end is kept, and no more. */
export class Ring {
  readonly #cap: number;
  #parts: Buffer[] = [];
  #held = 0;

  /** @param cap how many of the last bytes are kept */
  constructor(cap: number) {
    this.#cap = cap;
  }

  add(chunk: Uint8Array): void {
    const tail = Buffer.from(chunk.subarray(Math.max(0, chunk.length - this.#cap)));
    this.#parts.push(tail);
    this.#held += tail.length;
    while (this.#held - this.#parts[0]!.length >= this.#cap) this.#held -= this.#parts.shift()!.length;
  }

  /** The kept bytes as text; a character cut at the beginning is replaced. */
  text(): string {
    const all = Buffer.concat(this.#parts, this.#held);
    return new TextDecoder().decode(all.subarray(Math.max(0, all.length - this.#cap)));
  }
}
