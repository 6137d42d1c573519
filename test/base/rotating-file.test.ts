/** A log that is rotated: no line is lost or cut on the way, and no more is kept than was said. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openRotatingFile, rotatedNames, type RotatingFile } from "../../src/base/rotating-file.ts";

let home: string;
let failures: string[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bellhop-rotating-"));
  failures = [];
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(capBytes: number, kept = 3, path = join(home, "logs", "app.ndjson")): RotatingFile {
  return openRotatingFile({ path, capBytes, kept, onFailure: (error) => failures.push(error.message) });
}

function read(kept = 3): string[] {
  const names = rotatedNames(join(home, "logs", "app.ndjson"), kept).filter((name) => existsSync(name));
  return names.reverse().flatMap((name) => readFileSync(name, "utf8").split("\n").slice(0, -1));
}

test("whatever the lines, the newest are there whole and in order, and no file is longer than its cap", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 60 }), { minLength: 1, maxLength: 60 }), (texts) => {
      rmSync(join(home, "logs"), { recursive: true, force: true });
      const lines = texts.map((text, index) => JSON.stringify({ index, text }));
      let file = open(200);
      lines.forEach((line, index) => {
        // A daemon that is started again goes on in the same file.
        if (index % 7 === 6) file = (file.close(), open(200));
        file.write(`${line}\n`);
      });
      file.close();
      const kept = read();
      expect(kept).toEqual(lines.slice(lines.length - kept.length));
      const names = rotatedNames(join(home, "logs", "app.ndjson"), 4);
      expect(existsSync(names[4] ?? "")).toBe(false);
      for (const name of names.filter((one) => existsSync(one))) {
        const { size, mode } = statSync(name);
        expect(size <= 200 || readFileSync(name, "utf8").split("\n").length === 2).toBe(true);
        expect(mode & 0o777).toBe(0o600);
      }
    }),
    { numRuns: 60 },
  );
  expect(failures).toEqual([]);
});

test("a file that cannot be moved goes on growing, and that is said once", () => {
  const file = open(20);
  for (const number of [2, 3]) mkdirSync(join(home, "logs", `app.ndjson.${number}`, "in the way"), { recursive: true });
  for (let index = 0; index < 10; index += 1) file.write(`line number ${index}\n`);
  file.close();
  expect(readFileSync(join(home, "logs", "app.ndjson"), "utf8").split("\n")).toHaveLength(11);
  expect(failures).toHaveLength(1);
});

test.skipIf(process.platform !== "linux")("a full disk loses lines, says so once, and never throws", () => {
  mkdirSync(join(home, "logs"));
  symlinkSync("/dev/full", join(home, "logs", "app.ndjson"));
  const file = open(1_000_000);
  file.write("one\n");
  file.write("two\n");
  file.close();
  file.write("after it was closed\n");
  expect(failures).toEqual([expect.stringContaining("ENOSPC")]);
});
