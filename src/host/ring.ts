/**
 * The last bytes of a stream that may be endless: what a failed agent said at the end is kept, and no more
 * than that.
 */
export class Ring {
  readonly #cap: number;
  #parts: Buffer[] = [];
  #held = 0;

  /** @param cap how many of the last bytes are kept */
  constructor(cap: number) {
    this.#cap = cap;
  }

  push(chunk: Uint8Array): void {
    const tail = Buffer.from(chunk.subarray(Math.max(0, chunk.length - this.#cap)));
    this.#parts.push(tail);
    this.#held += tail.length;
    while (this.#held - this.#parts[0]!.length >= this.#cap) this.#held -= this.#parts.shift()!.length;
  }

  /** What is kept, as text; a character cut at the beginning is replaced. */
  text(): string {
    const all = Buffer.concat(this.#parts, this.#held);
    return new TextDecoder().decode(all.subarray(Math.max(0, all.length - this.#cap)));
  }
}
