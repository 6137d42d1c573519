/** Whatever is thrown and logged as a failure has a code of the table, in the file and in what callers are told. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { BellhopError, errors, type ErrorCode } from "../../src/base/errors.ts";
import { openLog, type LoggedFailure } from "../../src/base/log.ts";
import { Redactor } from "../../src/base/redact.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

const SECRET = "the-token-of-nobody-at-all";

test("every failure's record has a code of the table, whatever was thrown and whatever fields came along", () => {
  const directory = mkdtempSync(join(tmpdir(), "bellhop-codes-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const told: LoggedFailure[] = [];
  let shown = "";
  const log = openLog({
    directory,
    stderr: { write: (line) => (shown += line) },
    redactor: new Redactor([SECRET]),
    clock: createFakeClock(),
    onFailure: (failure) => told.push(failure),
  });
  const code = fc.constantFrom(...(Object.keys(errors) as ErrorCode[]));
  const thrown = fc.oneof(
    code.map((one) => new BellhopError(one, { path: SECRET })),
    fc.string().map((text) => new Error(text + SECRET)),
    fc.anything(),
    fc.constantFrom<unknown>(
      { toString: 0 },
      Object.create(null),
      Symbol("s"),
      1n,
      new Error("x", { cause: { toString: null } }),
    ),
    fc.constant(Object.assign(new Error("odd"), { stack: undefined, code: "E_NONSENSE" })),
  );
  const fields = fc.dictionary(
    fc.string(),
    fc.oneof(fc.string(), fc.constant("E_NONSENSE"), fc.bigInt(), fc.constant(SECRET)),
  );
  let count = 0;
  fc.assert(
    fc.property(thrown, fields, fc.string(), (error, more, text) => {
      log.module("a module").failure(text, error, { ...more, error_code: "E_NONSENSE" });
      count += 1;
    }),
    { numRuns: 300 },
  );
  log.close();
  const text = readFileSync(join(directory, "app.ndjson"), "utf8");
  const records = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(records).toHaveLength(count);
  expect(told).toHaveLength(count);
  expect(shown.trimEnd().split("\n")).toHaveLength(count);
  expect(shown).not.toContain(SECRET);
  for (const { level, error_code, module } of records)
    expect({ level, known: Object.hasOwn(errors, String(error_code)), module }).toEqual({
      level: "error",
      known: true,
      module: "a module",
    });
  expect(told.every(({ error_code }) => Object.hasOwn(errors, error_code))).toBe(true);
  expect(text).not.toContain(SECRET);
  expect(JSON.stringify(told)).not.toContain(SECRET);
});

test("nothing is written at the level of a failure but by `failure`, which asks for what was thrown", () => {
  const src = join(import.meta.dirname, "..", "..", "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const around = files.filter((name) => /from "pino"|\bconsole\.\w+\(/.test(readFileSync(join(src, name), "utf8")));
  expect(around).toEqual([join("base", "log.ts")]);
});
