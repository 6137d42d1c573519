/** What is given reaches the one reader whole and in order, and who gives too fast has to wait. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Feed } from "../../../src/agents/process/reading.ts";

/** Whether it has resolved, once everything that can go on without anybody's doing has gone on. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  let over = false;
  void promise.then(() => (over = true));
  await new Promise((resolve) => setImmediate(resolve));
  return over;
}

async function readAll<T>(feed: Feed<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of feed) all.push(one);
  return all;
}

test("everything that is given before the end is read once and in order, however it comes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer(), { maxLength: 4 }), { maxLength: 20 }),
      fc.nat(3),
      fc.nat(20),
      async (portions, most, early) => {
        const feed = new Feed<number>({ most });
        for (const portion of portions.slice(0, early)) void feed.give(...portion);
        const read = readAll(feed);
        for (const portion of portions.slice(early)) await feed.give(...portion);
        feed.close(-1);
        void feed.give(-2);
        expect(await read).toEqual([...portions.flat(), -1]);
      },
    ),
  );
});

test("a writer waits while more than so many are with the reader or wait for it", async () => {
  const feed = new Feed<string>({ most: 2 });
  expect(await isOver(feed.give("a", "b"))).toBe(true);
  const third = feed.give("c");
  expect(await isOver(third)).toBe(false);
  const reader = feed[Symbol.asyncIterator]();
  expect(await reader.next()).toEqual({ done: false, value: "a" });
  expect(await isOver(third)).toBe(false);
  expect(await reader.next()).toEqual({ done: false, value: "b" });
  expect(await isOver(third)).toBe(true);
});

test("one at a time: with none that may wait, the writer goes on when the reader asks for the next", async () => {
  const feed = new Feed<string>({ most: 0 });
  const given = feed.give("a");
  const reader = feed[Symbol.asyncIterator]();
  await reader.next();
  expect(await isOver(given)).toBe(false);
  const next = reader.next();
  expect(await isOver(given)).toBe(true);
  expect(await isOver(next)).toBe(false);
});

test("without a limit a writer never waits, and no longer once it is freed", async () => {
  expect(await isOver(new Feed<number>().give(...Array.from({ length: 10_000 }, (_, at) => at)))).toBe(true);
  const feed = new Feed<string>({ most: 0 });
  const given = feed.give("a");
  expect(await isOver(given)).toBe(false);
  feed.free();
  expect(await isOver(given)).toBe(true);
});

test("it is known when the reader has dealt with all that was given so far", async () => {
  const feed = new Feed<string>();
  void feed.give("a");
  const taken = feed.whenRead();
  void feed.give("b");
  const reader = feed[Symbol.asyncIterator]();
  await reader.next();
  expect(await isOver(taken)).toBe(false);
  await reader.next();
  expect(await isOver(taken)).toBe(true);
});

test("a reader that leaves early keeps nobody waiting, and is told of", async () => {
  let left = 0;
  const feed = new Feed<string>({ most: 0, onStop: () => (left += 1) });
  const given = feed.give("a", "b");
  for await (const one of feed) {
    expect(one).toBe("a");
    break;
  }
  expect(left).toBe(1);
  expect(await isOver(given)).toBe(true);
  expect(await isOver(feed.give("c"))).toBe(true);
});

test("a reader of everything has not left, and the last keeps nobody waiting", async () => {
  let left = 0;
  const feed = new Feed<string>({ most: 0, onStop: () => (left += 1) });
  const given = feed.give("a");
  feed.close("b");
  expect(await readAll(feed)).toEqual(["a", "b"]);
  expect(left).toBe(0);
  expect(await isOver(given)).toBe(true);
});
