/** The words that open a locked Bellhop: one that was shown, once and for a while, or the one that was set. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../../src/base/disk.ts";
import { lockedSince } from "../../src/core/jobs/lock.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openUnlockWords, saveUnlockWord, SHOWN_MS, type UnlockWords } from "../../src/engine/unlock-words.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";
import { createMemoryJournal } from "../fakes/memory-journal.ts";
import { asItIs } from "../fakes/no-secrets.ts";

const ID = "200000000000000001";

async function locked(): Promise<{ words: UnlockWords; engine: Engine; clock: FakeClock; dir: string }> {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-words-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const clock = createFakeClock(Date.UTC(2026, 2, 1, 12));
  const { engine } = createMemoryJournal(clock, {}, asItIs).open();
  await engine.submit({ type: "lock", by: "machine" });
  return { words: openUnlockWords({ engine, clock, disk: nodeDisk, stateDir: dir }), engine, clock, dir };
}

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "opened",
    (error: { code?: string }) => error.code,
  );

test("a word that is shown opens it as a phone types it, and only once", async () => {
  const { words, engine } = await locked();
  const word = words.showWord();
  expect(await code(words.unlock(` ${word.toUpperCase().replace("-", " ")} `, ID))).toBe("opened");
  expect(lockedSince(engine.state)).toBeNull();
  expect(await code(words.unlock(word, ID))).toBe("E_NOT_LOCKED");
  await engine.submit({ type: "lock", by: "machine" });
  expect(await code(words.unlock(word, ID))).toBe("E_WORD_WRONG");
});

test("a word that is shown is good for ten minutes, or until the next one", async () => {
  const { words, clock } = await locked();
  const [first, second] = [words.showWord(), words.showWord()];
  expect(await code(words.unlock(first, ID))).toBe("E_WORD_WRONG");
  await clock.advance(SHOWN_MS);
  expect(await code(words.unlock(second, ID))).toBe("E_WORD_WRONG");
  const third = words.showWord();
  await clock.advance(SHOWN_MS - 1);
  expect(await code(words.unlock(third, ID))).toBe("opened");
});

test("of many tries at once five count, and the right word among the others opens nothing", async () => {
  const { words, engine } = await locked();
  const word = words.showWord();
  const tries = [..."12345678"].map((one) => code(words.unlock(`wrong ${one}`, ID)));
  const right = code(words.unlock(word, ID));
  expect(await Promise.all(tries)).toEqual([
    ...Array.from({ length: 4 }, () => "E_WORD_WRONG"),
    ...Array.from({ length: 4 }, () => "E_WORD_CLOSED"),
  ]);
  expect(await right).toBe("E_WORD_CLOSED");
  expect(engine.state.lock?.wrong).toBe(5);
});

test("of the word that was set only a salted hash is kept, which differs each time", async () => {
  const { words, dir } = await locked();
  const read = (): string => readFileSync(join(dir, "unlock-word.json"), "utf8");
  await saveUnlockWord(nodeDisk, dir, "correct horse");
  const before = read();
  await saveUnlockWord(nodeDisk, dir, "Correct Horse");
  expect(read()).not.toBe(before);
  expect(read()).not.toMatch(/horse/i);
  expect(await code(words.unlock("correct  horse", ID))).toBe("E_WORD_WRONG");
  expect(await code(words.unlock("correct horse ", ID))).toBe("opened");
});
