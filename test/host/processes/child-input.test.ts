import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { ChildInput } from "../../../src/host/processes/child-input.ts";

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
