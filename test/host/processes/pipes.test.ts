import { Writable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter, LineQueue, Ring, ChildInput, type OutputLine } from "../../../src/host/processes/pipes.ts";
import { marks, quick, scripted, textOf } from "../scene.ts";

function split(chunks: readonly Uint8Array[], cap?: number): OutputLine[] {
  const splitter = new LineSplitter(cap);
  return [...chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk))), ...splitter.lastLine()];
}

describe("lines", () => {
  it("are the same however the bytes were cut into chunks, invalid UTF-8 and NUL included", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 30 })), (parts) => {
        const whole = Buffer.concat(parts.flatMap((part) => [part, Buffer.from("\n")]));
        const chunked = parts.flatMap((part) => [
          ...Array.from(part, (byte) => Uint8Array.of(byte)),
          Buffer.from("\n"),
        ]);
        expect(split(chunked)).toEqual(split([whole]));
        const lines = split([whole]).map((line) => ("bytes" in line ? line.bytes : null));
        expect(Buffer.concat(lines.flatMap((line) => [line!, Buffer.from("\n")]))).toEqual(whole);
      }),
    );
  });

  it("keep a character whose bytes came in two chunks", () => {
    const bytes = Buffer.from("안녕 \u{1F600}\n");
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(split([bytes.subarray(0, at), bytes.subarray(at)]).map(textOf)).toEqual(["안녕 \u{1F600}"]);
    }
  });

  it("beyond the cap are left out and counted, and the next line is whole", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 12 }), (length, chunk) => {
        const bytes = Buffer.from(`${"x".repeat(length)}\nnext\n`);
        const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, i) =>
          bytes.subarray(i * chunk, (i + 1) * chunk),
        );
        const expected =
          length > 20 ? { dropped: length, beginning: expect.any(Buffer) } : { bytes: Buffer.from("x".repeat(length)) };
        expect(split(chunks, 20)).toEqual([expected, { bytes: Buffer.from("next") }]);
      }),
    );
  });

  it("beyond the cap are told with their beginning, however they come", () => {
    const bytes = Buffer.from(`${"0123456789".repeat(60)}\n`);
    const chunks = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
    for (const all of [chunks, [bytes]])
      expect(split(all, 300)).toEqual([{ dropped: 600, beginning: bytes.subarray(0, 256) }]);
  });

  it("that were cut off by the end of the stream are given as they are", () => {
    expect(split([Buffer.from("a\nb")]).map(textOf)).toEqual(["a", "b"]);
    expect(split([Buffer.from("a\n")]).map(textOf)).toEqual(["a"]);
    expect(split([Buffer.alloc(30)], 20)).toEqual([{ dropped: 30, beginning: Buffer.alloc(30) }]);
  });

  it("of 100 MB and more cost no more memory than the cap", async () => {
    const processes = quick();
    const bytes = process.env["BELLHOP_TEST_LONG"] ? 600_000_000 : 100_000_000;
    const peak = { start: process.memoryUsage.rss(), top: 0 };
    const child = processes.spawn({
      file: process.execPath,
      args: [scripted, `giant:${bytes}`, "print:next"],
      cwd: "/",
      env: marks(),
      onStdout: () => (peak.top = Math.max(peak.top, process.memoryUsage.rss())),
    });
    const lines: string[] = [];
    for await (const line of child.lines) lines.push(textOf(line));
    expect(lines).toEqual([`<${bytes} dropped>`, "next"]);
    // The cap, and what the collector leaves lying about (it comes by every 64 MB of buffers), however long the line.
    expect(peak.top - peak.start).toBeLessThan(96 * 1024 * 1024);
    await child.gone;
  }, 60_000);
});

describe("the queue of lines", () => {
  const line = (text: string): OutputLine => ({ bytes: Buffer.from(text) });
  const queue = (limitBytes: number): { lines: LineQueue; told: string[] } => {
    const told: string[] = [];
    const lines = new LineQueue({ limitBytes, onFull: () => told.push("full"), onRoom: () => told.push("room") });
    return { lines, told };
  };

  it("gives every line once, in order, to a reader that came first or late", async () => {
    const { lines } = queue(1e6);
    const early = lines.next();
    lines.push(line("a"));
    lines.push(line("b"));
    lines.close();
    lines.push(line("after the end"));
    expect(textOf((await early).value)).toBe("a");
    expect(textOf((await lines.next()).value)).toBe("b");
    expect((await lines.next()).done).toBe(true);
  });

  it("gives each long line in a turn of its own", async () => {
    const { lines } = queue(1e7);
    const long = "x".repeat(300_000);
    for (const text of [long, long, "short"]) lines.push(line(text));
    const order: string[] = [];
    for (const name of ["first", "second"]) {
      setImmediate(() => order.push("others"));
      expect(textOf((await lines.next()).value)).toBe(long);
      order.push(name);
    }
    expect(textOf((await lines.next()).value)).toBe("short");
    expect(order).toEqual(["others", "first", "others", "second"]);
  });

  it("says once that it is full, and once that it has space again", async () => {
    const { lines, told } = queue(300);
    for (let i = 0; i < 10; i += 1) lines.push(line("x"));
    expect(told).toEqual(["full"]);
    for (let i = 0; i < 10; i += 1) await lines.next();
    expect(told).toEqual(["full", "room"]);
  });

  it("whose reader went away holds nothing up", async () => {
    const { lines, told } = queue(100);
    for (let i = 0; i < 10; i += 1) lines.push(line("x"));
    for await (const first of lines) {
      expect(textOf(first)).toBe("x");
      break;
    }
    for (let i = 0; i < 10; i += 1) lines.push(line("x"));
    expect(told).toEqual(["full", "room"]);
    expect((await lines.next()).done).toBe(true);
  });
});

describe("the ring", () => {
  it("keeps exactly the last bytes, whatever the chunks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme-ascii", maxLength: 20 })),
        fc.integer({ min: 1, max: 30 }),
        (parts, cap) => {
          const ring = new Ring(cap);
          for (const part of parts) ring.add(Buffer.from(part));
          expect(ring.text()).toBe(parts.join("").slice(-cap));
        },
      ),
    );
  });
});

/** A pipe whose other end takes something only when told to. */
class Pipe extends Writable {
  readonly taken: string[] = [];
  #next: (() => void) | null = null;

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.taken.push(chunk.toString());
    this.#next = done;
  }

  take(): void {
    this.#next?.();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a child's stdin", () => {
  it("holds little of a long write until the child takes it, and gives all of it in order", async () => {
    const pipe = new Pipe();
    const input = new ChildInput(pipe);
    const text = Array.from({ length: 500_000 }, (_, i) => String(i % 10)).join("");
    let taken: boolean | null = null;
    void input.write(text).then((all) => (taken = all));
    void input.write("the end");
    while (pipe.taken.at(-1) !== "the end") {
      await turn();
      expect(pipe.writableLength).toBeLessThanOrEqual(64 * 1024 + "the end".length);
      expect(taken).toBe(pipe.taken.join("").length >= text.length ? taken : null);
      pipe.take();
    }
    await turn();
    expect(taken).toBe(true);
    expect(pipe.taken.join("")).toBe(`${text}the end`);
  });

  it("has a write at once where none waits, and the next one after it", async () => {
    const pipe = new Pipe();
    const input = new ChildInput(pipe);
    void input.write("one");
    expect(pipe.taken).toEqual(["one"]);
    const second = input.write("two");
    pipe.take();
    await second;
    expect(pipe.taken).toEqual(["one", "two"]);
  });

  it("that breaks in the middle of a write is a write not taken", async () => {
    const pipe = new Pipe();
    const input = new ChildInput(pipe);
    const written = input.write("x".repeat(200_000));
    await turn();
    pipe.destroy(new Error("EPIPE"));
    expect(await written).toBe(false);
    expect(await input.write("more")).toBe(false);
  });
});
