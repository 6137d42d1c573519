/**
 * The folders that a session's agents are granted: there before they start, and where an earlier version kept files,
 * too.
 */
import { lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sessionFolders } from "../../../src/host/files/session-folders.ts";

test("both folders of the session are made for its owner alone; the message's own of an earlier version is granted while it is there", () => {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-folders-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const folders = sessionFolders(dir);
  const own = [join(dir, "outputs", "1"), join(dir, "uploads", "1")];
  expect(folders.granted("1", "7")).toEqual(own);
  for (const folder of own) expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  expect(folders.outputs("1")).toBe(own[0]);
  mkdirSync(join(dir, "uploads", "7"));
  expect(folders.granted("1", "7")).toEqual([...own, join(dir, "uploads", "7")]);
});
