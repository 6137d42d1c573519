import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unavailable } from "../../src/config/config-file.ts";

test("a project is unavailable exactly when its path is no directory now", async () => {
  const home = mkdtempSync(join(tmpdir(), "bellhop-projects-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, "here"));
  writeFileSync(join(home, "file"), "");
  const projects = ["here", "gone", "file"].map((name) => ({ name, path: join(home, name) }));
  expect((await unavailable(projects)).map(({ name }) => name)).toEqual(["gone", "file"]);
});
