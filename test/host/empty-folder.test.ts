/** The folder that an action uses for nothing, and what is left of it when the process does not live to remove it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { withEmptyFolder } from "../../src/host/empty-folder.ts";

const source = pathToFileURL(join(import.meta.dirname, "../../src/host/empty-folder.ts")).href;

/** Temporary folders are made here. */
function place(): string {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-test-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  vi.stubEnv("TMPDIR", dir);
  onTestFinished(() => void vi.unstubAllEnvs());
  return dir;
}

/** Another process that uses a folder in two ways at once until it ends like that. */
async function another(dir: string, end: string): Promise<void> {
  const script = `const { withEmptyFolder } = await import(${JSON.stringify(source)});
    const both = [1, 2].map(() => new Promise((made) => withEmptyFolder(() => new Promise(() => made()))));
    await Promise.all(both);
    ${end};`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { TMPDIR: dir, PATH: "" },
    stdio: "ignore",
  });
  await once(child, "exit");
}

test("is there while it is used, and then is not, whatever is in it", async () => {
  const dir = place();
  const path = await withEmptyFolder(async (folder) => {
    writeFileSync(join(folder, "file"), "x");
    return folder;
  });
  expect(path.startsWith(dir)).toBe(true);
  await expect(withEmptyFolder(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(readdirSync(dir)).toEqual([]);
});

test("a process that exits while it uses some leaves none", async () => {
  const dir = place();
  await another(dir, "process.exit(0)");
  expect(readdirSync(dir)).toEqual([]);
});

test("those of a killed process are removed by the next use, once they are too old for anybody to use them", async () => {
  const dir = place();
  await another(dir, "process.kill(process.pid, 'SIGKILL')");
  const [old = "", recent = "", ...others] = readdirSync(dir);
  expect([existsSync(join(dir, old)), existsSync(join(dir, recent)), others]).toEqual([true, true, []]);
  const before = Date.now() / 1000 - 2 * 60 * 60;
  utimesSync(join(dir, old), before, before);
  await withEmptyFolder(() => Promise.resolve());
  expect(readdirSync(dir)).toEqual([recent]);
});
