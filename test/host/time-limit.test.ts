/** Limits of time, also where Node has no files for the thread that keeps them. */
import { expect, test } from "vitest";
import { openWithin } from "../../src/host/time-limit.ts";
import { withoutFiles } from "./processes/without-files.ts";

test("what takes too long is ended, and the next work is done", () => {
  const within = openWithin();
  const endless = (): never => {
    for (;;);
  };
  expect(() => within(20, endless)).toThrow("it took longer than 20 ms");
  expect(within(1_000, () => "done")).toBe("done");
});

test.each([0, 3, 5, 6, 7, 8, 9])("the process does not end where %i more files can be opened", async (left) => {
  const done = await withoutFiles(`
    const within = (await load("host/time-limit.ts")).openWithin();
    exhaust(${left});
    say(within(1_000, () => "done"));
  `);
  expect(done).toBe("done");
});
