/** The folders that a session's agents are granted are there before they start. */
import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sessionFolders } from "../../../src/host/files/session-folders.ts";

test("both folders of the session are made for its owner alone", () => {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-folders-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const folders = sessionFolders(dir);
  const own = [join(dir, "outputs", "1"), join(dir, "uploads", "1")];
  expect(folders.granted("1")).toEqual(own);
  for (const folder of own) expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  expect(folders.outputs("1")).toBe(own[0]);
});
