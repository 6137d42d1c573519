/**
 * The last bytes of a possibly endless stream: what a failed agent printed at the end is kept, and no more.
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

  /** The kept bytes as text; a character cut at the beginning is replaced. */
  text(): string {
    const all = Buffer.concat(this.#parts, this.#held);
    return new TextDecoder().decode(all.subarray(Math.max(0, all.length - this.#cap)));
  }
}
