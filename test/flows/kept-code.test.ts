/**
 * Compiled code that is kept between starts is run as it is found, so it is found only where nobody else can have put
 * it.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openWorld } from "./world.ts";

const root = join(import.meta.dirname, "..", "..");
const PRIVATE = 0o700;

/** The built program, as somebody has it whose umask lets everybody write. */
function program(): { files: string; kept: string; run(): void } {
  const files = mkdtempSync(join(tmpdir(), "bellhop-kept-"));
  onTestFinished(() => rmSync(files, { recursive: true, force: true }));
  for (const part of ["bin", "dist", "package.json"]) cpSync(join(root, part), join(files, part), { recursive: true });
  const kept = join(files, "dist", ".compiled");
  rmSync(kept, { recursive: true, force: true });
  return {
    files,
    kept,
    run() {
      const command = `umask 0; exec "$0" "$1" status`;
      const { stdout, stderr } = spawnSync("sh", ["-c", command, process.execPath, join(files, "bin", "bellhop.cjs")], {
        encoding: "utf8",
        env: { PATH: "/usr/bin:/bin", HOME: files, XDG_CACHE_HOME: join(files, "cache"), BELLHOP_LOCALE: "en" },
      });
      expect([stdout, stderr]).toEqual([expect.stringContaining("is not running") as string, ""]);
    },
  };
}

const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

describe("the folder of compiled code", () => {
  test("is made for its owner alone, whatever the umask, and the next start takes it from there", () => {
    const { files, kept, run } = program();
    run();
    expect([modeOf(kept), readdirSync(kept).length]).toEqual([PRIVATE, 1]);
    expect(existsSync(join(files, "cache"))).toBe(false);
    const [version = ""] = readdirSync(kept);
    const before = readdirSync(join(kept, version));
    run();
    expect(readdirSync(join(kept, version))).toEqual(before);
    expect(before).not.toEqual([]);
  });

  test.each([0o777, 0o770, 0o755, 0o702])(
    "that is its owner's and was open to others (%o) is emptied and closed",
    (mode) => {
      const { kept, run } = program();
      mkdirSync(join(kept, "planted"), { recursive: true });
      writeFileSync(join(kept, "planted", "code"), "");
      chmodSync(kept, mode);
      run();
      expect([modeOf(kept), readdirSync(kept).includes("planted"), readdirSync(kept).length]).toEqual([
        PRIVATE,
        false,
        1,
      ]);
    },
  );
});

describe("what stands in its place is left alone, and the daemon says so once:", () => {
  const places: [string, (kept: string, aside: string) => void][] = [
    ["a link, even to a folder of the same owner", (kept, aside) => symlinkSync(aside, kept)],
    ["a link that leads nowhere", (kept, aside) => symlinkSync(join(aside, "missing"), kept)],
    ["a file", (kept) => writeFileSync(kept, "")],
    // Only root can give a folder away.
    ...(process.getuid?.() === 0
      ? [
          [
            "a folder of somebody else",
            (kept: string) => (mkdirSync(kept, PRIVATE), chownSync(kept, 65_534, 65_534)),
          ] as [string, (kept: string) => void],
        ]
      : []),
  ];
  test.each(places)("%s", async (_what, put) => {
    const { files, kept } = program();
    const aside = join(files, "aside");
    mkdirSync(aside, PRIVATE);
    put(kept, aside);
    const before = lstatSync(kept);
    const world = await openWorld({ agent: "none" });
    const daemon = world.daemon({ files });
    await daemon.ready;
    expect(
      daemon
        .stderr()
        .split("\n")
        .filter((line) => line.includes(kept)),
    ).toEqual([expect.stringContaining("is not kept between starts") as string]);
    const { ino, mode, uid, size } = lstatSync(kept);
    expect([ino, mode, uid, size]).toEqual([before.ino, before.mode, before.uid, before.size]);
    expect(readdirSync(aside)).toEqual([]);
  });
});
