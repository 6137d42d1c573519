/** A file that an agent names leaves its folder only if it really is a file of that folder. */
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { takeAttachment } from "../../../src/host/files/results.ts";

function place(): { folder: string; outside: string } {
  const root = mkdtempSync(join(tmpdir(), "bellhop-sent-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, "outputs");
  mkdirSync(join(folder, "sub"), { recursive: true });
  const outside = join(root, "secret");
  writeFileSync(outside, "secret");
  writeFileSync(join(folder, "a.txt"), "a");
  writeFileSync(join(folder, "sub", "b.txt"), "b");
  return { folder, outside };
}

test.each([
  ["a.txt", "a"],
  ["sub/b.txt", "b"],
  ["./sub/../a.txt", "a"],
])("%s is a file of the folder", async (name, content) => {
  expect(String(await takeAttachment(place().folder, name))).toBe(content);
});

test.each(["../secret", "/etc/passwd", "sub/../../secret", "..", "", "a\0b"])("%j is not", async (name) => {
  expect(await takeAttachment(place().folder, name)).toBe("outside");
});

test("links out of it, of either kind, and folders that are links, lead nowhere", async () => {
  const { folder, outside } = place();
  symlinkSync(outside, join(folder, "link"));
  linkSync(outside, join(folder, "hard"));
  symlinkSync(join(outside, ".."), join(folder, "up"));
  for (const name of ["link", "hard", "up/secret"]) expect(await takeAttachment(folder, name)).toBe("outside");
});

test("what is no file, too large or not there is said, and nobody waits for a pipe", async () => {
  const { folder } = place();
  execFileSync("mkfifo", [join(folder, "pipe")]);
  writeFileSync(join(folder, "large"), "");
  truncateSync(join(folder, "large"), 100 * 1024 * 1024 + 1);
  expect(await takeAttachment(folder, "pipe")).toBe("no_file");
  expect(await takeAttachment(folder, "sub")).toBe("no_file");
  expect(await takeAttachment(folder, "large")).toBe("too_large");
  expect(await takeAttachment(folder, "none")).toBe("missing");
});
