/**
 * Reports what an agent writes to stderr among its lines as soon as it arrives, because the next line may be a minute
 * away. No line is lost for it, and of remarks that nobody reads only the first few are kept.
 */
import { LineSplitter } from "../../host/processes/lines.ts";
import type { Update } from "../contract/updates.ts";

const LINE_CAP_BYTES = 64 * 1024;
const MOST_WAITING = 50;

export class StderrEvents {
  readonly #hear: (line: string) => Update[];
  readonly #splitter = new LineSplitter(LINE_CAP_BYTES);
  #waiting: Update[] = [];
  #bell = Promise.withResolvers<void>();

  /** @param hear the updates that a line of stderr means */
  constructor(hear: (line: string) => Update[]) {
    this.#hear = hear;
  }

  push(chunk: Buffer): void {
    for (const line of this.#splitter.push(chunk)) {
      if (!("bytes" in line)) continue;
      this.#waiting.push(...this.#hear(line.bytes.toString()));
      const dropped = this.#waiting.splice(MOST_WAITING);
      this.#waiting.push(...dropped.filter(({ kind }) => kind === "end"));
    }
    if (this.#waiting.length > 0) this.#bell.resolve();
  }

  /** The updates not yet reported, including those of an unfinished last line of stderr. */
  rest(): Update[] {
    const last = this.#splitter.end().flatMap((line) => ("bytes" in line ? this.#hear(line.bytes.toString()) : []));
    return [...this.#waiting.splice(0), ...last];
  }

  /**
   * The lines, with the updates from stderr between them; ends with the lines, once all pending updates are reported.
   */
  async *among<L>(lines: AsyncIterableIterator<L>): AsyncGenerator<L | Update[], void> {
    let got: IteratorResult<L> | null = null;
    const ask = (): void =>
      void lines.next().then((result) => {
        got = result;
        this.#bell.resolve();
      });
    try {
      ask();
      for (;;) {
        await this.#bell.promise;
        // A new promise each time: racing one long-lived promise would keep every race in memory.
        this.#bell = Promise.withResolvers();
        if (this.#waiting.length > 0) yield this.#waiting.splice(0);
        const line = got as IteratorResult<L> | null;
        if (line === null) continue;
        if (line.done) return;
        got = null;
        yield line.value;
        ask();
      }
    } finally {
      void lines.return?.();
    }
  }
}
