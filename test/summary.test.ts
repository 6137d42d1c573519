/** The last line of a run, proved on real runs of small test files. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder: string;

beforeAll(() => {
  mkdirSync(`${root}node_modules/.cache`, { recursive: true });
  // Below the checkout, so that what the files import is found.
  folder = mkdtempSync(`${root}node_modules/.cache/summary-`);
  const summary = JSON.stringify(`${root}test/summary.ts`);
  write(
    "vitest.config.ts",
    `import { Summary } from ${summary}; export default { test: { include: ["*.case.ts"], reporters: [new Summary(process.env["BELLHOP_TEST_ALL"] === "1")] } };`,
  );
  const head = 'import { expect, test } from "vitest";\n';
  write("good.case.ts", `${head}test("one", () => expect(1).toBe(1)); test("two", () => expect(2).toBe(2));`);
  write(
    "skips.case.ts",
    `${head}test("needs a harp", ({ skip }) => skip("no harp in PATH")); test("one", () => expect(1).toBe(1));`,
  );
  write("bad.case.ts", `${head}test("wrong", () => expect(1).toBe(2));`);
  write("broken.case.ts", `${head}throw new Error("cannot be loaded");`);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);

function run(files: string[], env: Record<string, string> = {}): { status: number | null; lines: string[] } {
  const args = [`${root}node_modules/vitest/vitest.mjs`, "run", "--root", folder, ...files];
  const { BELLHOP_TEST_ALL: _, ...rest } = process.env;
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", env: { ...rest, ...env } });
  return { status, lines: stdout.trimEnd().split("\n") };
}

test("a good run ends with its count, alone on the last line", () => {
  const { status, lines } = run(["good"]);
  expect(status).toBe(0);
  expect(lines.at(-1)).toBe("2 passed, 0 failed, 0 skipped");
});

test("a skip is named with its reason, and fails a run that demands every test", () => {
  const tolerant = run(["good", "skips"]);
  expect(tolerant.status).toBe(0);
  expect(tolerant.lines.slice(-2)).toEqual([
    "skipped: skips.case.ts: needs a harp (no harp in PATH)",
    "3 passed, 0 failed, 1 skipped",
  ]);
  const strict = run(["good", "skips"], { BELLHOP_TEST_ALL: "1" });
  expect(strict.status).toBe(1);
  expect(strict.lines.at(-1)).toBe("3 passed, 0 failed, 1 skipped");
});

test("a failure and a file that cannot be loaded both count as failed", () => {
  const { status, lines } = run(["bad", "broken"]);
  expect(status).toBe(1);
  expect(lines.at(-1)).toBe("0 passed, 2 failed, 0 skipped");
});
