/**
 * What an agent says beside its stream, on stderr, told among its lines when it is said and not at the next line,
 * which may be a minute away. A line is never lost for it, and of remarks that nobody reads only the first few wait.
 */
import { LineSplitter } from "../host/lines.ts";
import type { Update } from "./updates.ts";

const LINE_CAP_BYTES = 64 * 1024;
const MOST_WAITING = 50;

export class Asides {
  readonly #hear: (line: string) => Update[];
  readonly #splitter = new LineSplitter(LINE_CAP_BYTES);
  #waiting: Update[] = [];
  #bell = Promise.withResolvers<void>();

  /** @param hear what a line of stderr tells */
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

  /** What has not been told among the lines, an unfinished last line of stderr included. */
  rest(): Update[] {
    const last = this.#splitter.end().flatMap((line) => ("bytes" in line ? this.#hear(line.bytes.toString()) : []));
    return [...this.#waiting.splice(0), ...last];
  }

  /** The lines, and between them what was said aside; it ends when the lines do, with nothing left unsaid. */
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
        // A new one each time: racing against one long promise would keep every race.
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
