import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

import { nodeDisk } from "../../src/base/disk.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { idOf, long, numbers } from "./sample-state.ts";

const script = fileURLToPath(new URL("append-events.ts", import.meta.url));
let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bellhop-faults-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true });
});

function runs(command: string, ...argv: string[]): boolean {
  return spawnSync(command, argv, { stdio: "ignore" }).status === 0;
}

async function idsOnDisk(): Promise<number[]> {
  const ids: number[] = [];
  await readJournal({ disk: nodeDisk, dir, canRead: () => true, onEvent: (event) => ids.push(idOf(event)) });
  return ids;
}

/** What the process acknowledged, and how it ended. */
function outcome({ stdout, status }: { stdout: string; status: number | null }): {
  acked: number[];
  code: string | undefined;
  status: number | null;
} {
  const words = stdout.split("\n").filter((word) => word !== "");
  return {
    acked: words.filter((word) => /^\d+$/.test(word)).map(Number),
    code: words.find((word) => word.startsWith("E_")),
    status,
  };
}

test.for(["fsync", "fdatasync"])(
  "a %s that the system fails ends the process with its code, and nothing acknowledged is lost",
  { timeout: 900_000 },
  async (call, { skip }) => {
    if (!runs("strace", "-V") || !runs("strace", "-o", "/dev/null", "true"))
      return skip("strace is missing or may not trace here");
    for (const when of long ? numbers(20) : [1, 2, 9]) {
      const traced = [
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        `trace=${call}`,
        "-e",
        `inject=${call}:error=EIO:when=${when}`,
      ];
      // strace counts for each thread; with one there is one count.
      const child = spawnSync("strace", [...traced, process.execPath, script, dir, "60"], {
        encoding: "utf8",
        env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
      });
      const { acked, code, status } = outcome(child);
      const there = await idsOnDisk();
      expect(there).toEqual(expect.arrayContaining(acked));
      expect(there).toEqual(numbers(there.length));
      if (code !== undefined) expect([code, status]).toEqual(["E_JOURNAL_WRITE", 74]);
      else expect(call === "fsync" && acked.at(-1) === 60).toBe(true);
      rmSync(dir, { recursive: true });
      dir = mkdtempSync(join(tmpdir(), "bellhop-faults-"));
    }
  },
);

test(
  "on a disk that is really full nothing acknowledged is lost, and it continues when there is space again",
  { timeout: 900_000 },
  ({ skip }) => {
    if (!runs("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"))
      return skip("unshare or a mount of one's own is not to be had here");
    for (const kib of long ? numbers(50).map((step) => 8 + step * 4) : [12, 28]) {
      // All in one namespace: the tiny disk is gone with the process that mounted it.
      const story = `mount -t tmpfs -o size=${kib}k tmpfs "$1" && { "$2" "$3" "$1" 1500; echo "exit $?"; mount -o remount,size=64m "$1"; echo again; "$2" "$3" "$1" 1500; echo "exit $?"; }`;
      const { stdout } = spawnSync("unshare", ["-rm", "sh", "-c", story, "sh", dir, process.execPath, script], {
        encoding: "utf8",
      });
      const [first = "", second = ""] = stdout.split("again\n");
      expect(first).toMatch(/E_JOURNAL_WRITE\nexit 74\n$/);
      const acked = outcome({ stdout: first, status: 0 }).acked;
      const next = outcome({ stdout: second, status: 0 }).acked;
      // It goes on after the last event that is there, which is none before the last one acknowledged.
      expect(acked).toEqual(numbers(acked.length));
      expect(next[0]).toBeGreaterThan(acked.length);
      expect(next.at(-1)).toBe(1500);
      expect(second).toMatch(/exit 0\n$/);
    }
  },
);
