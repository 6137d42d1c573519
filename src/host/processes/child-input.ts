/**
 * A child's stdin. A write waits until the child has read it, so a child that never reads costs a few kilobytes of
 * memory; for one that has closed its end the result is false, never an error.
 */
import type { Writable } from "node:stream";

const SLICE_BYTES = 64 * 1024;

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

  /** Writes after all earlier writes, at once if there are none. Resolves with whether the pipe took all of it; never rejects. */
  write(text: string): Promise<boolean> {
    const bytes = Buffer.from(text);
    const sent = this.#waiting === 0 ? this.#send(bytes) : this.#last.then(() => this.#send(bytes));
    this.#waiting += 1;
    this.#last = sent.finally(() => (this.#waiting -= 1));
    return this.#last;
  }

  /** Closes stdin after all writes. */
  end(): void {
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
