/** A log that is rotated: no line is lost or cut on the way, and no more is kept than was said. */
import {
  existsSync,
  mkdirSync,
  openSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  renameSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openRotatingFile, rotatedNames, type LogDisk, type RotatingFile } from "../../src/base/rotating-file.ts";

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

test("a file that cannot be moved continues growing, and that is said once", () => {
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

/** A disk that does the real thing, or fails, as the list says call by call; a number is how many bytes it takes. */
function failing(plan: readonly (string | number | null)[]): LogDisk {
  let call = 0;
  const fault = (): string | number | null => plan[call++] ?? null;
  const orFail = <T>(doIt: (most: number) => T): T => {
    const what = fault();
    if (typeof what === "string") throw Object.assign(new Error(`${what}: as planned`), { code: what });
    return doIt(what ?? Infinity);
  };
  return {
    open: (path) => orFail(() => openSync(path, "a", 0o600)),
    rename: (from, to) => orFail(() => renameSync(from, to)),
    write: (fd, bytes, offset) => orFail((most) => writeSync(fd, bytes, offset, Math.min(most, bytes.length - offset))),
  };
}

test("whatever a disk fails in, no line is ever mixed with another, none comes twice, and each failure is told once", () => {
  const fault = fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    fc.constantFrom("ENOSPC", "EIO", "EACCES", "EMFILE"),
    fc.integer({ min: 0, max: 9 }),
  );
  fc.assert(
    fc.property(fc.array(fault, { maxLength: 40, size: "max" }), fc.integer({ min: 30, max: 120 }), (plan, cap) => {
      rmSync(join(home, "logs"), { recursive: true, force: true });
      failures = [];
      const lines = Array.from({ length: 40 }, (_, index) => `<${index} ${"x".repeat(index % 13)}>`);
      const file = openRotatingFile({
        path: join(home, "logs", "app.ndjson"),
        capBytes: cap,
        kept: 3,
        onFailure: (error) => failures.push(error.message),
        disk: failing([null, ...plan]),
      });
      for (const line of lines) file.write(`${line}\n`);
      file.close();
      const whole = read().filter((line) => line.endsWith(">"));
      // What a failing write left of a line stands alone, and is the beginning of one.
      for (const line of read())
        expect(
          lines.some((one) => one.startsWith(line)),
          line,
        ).toBe(true);
      expect(whole).toEqual(lines.filter((line) => whole.includes(line)));
      // A disk that is well again is written to again.
      expect(whole.at(-1)).toBe(lines.at(-1));
      expect(new Set(failures).size).toBe(failures.length);
    }),
    { numRuns: 120 },
  );
});

test("a disk that cannot make the new file keeps every line, old and new, and is asked again only when as much has come", () => {
  const asked: string[] = [];
  const disk = failing([null]);
  const file = openRotatingFile({
    path: join(home, "logs", "app.ndjson"),
    capBytes: 30,
    kept: 2,
    onFailure: (error) => failures.push(error.message),
    disk: {
      ...disk,
      open(path) {
        if (!path.endsWith(".new")) return disk.open(path);
        asked.push(path);
        throw Object.assign(new Error("EMFILE: too many"), { code: "EMFILE" });
      },
    },
  });
  for (let index = 0; index < 12; index += 1) file.write(`line ${index} ......\n`);
  file.close();
  expect(read().map((line) => line.slice(0, 7).trim())).toEqual(
    Array.from({ length: 12 }, (_, index) => `line ${index}`),
  );
  expect(asked.length).toBeLessThan(7);
  expect(failures).toEqual(["EMFILE: too many"]);
});
