/** The reserve is there from the start, is given up for the first write without room, and comes back by itself. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeDisk, writeAll, type Disk } from "../../src/base/disk.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { checkReserve, openReserve, withReserve, type Reserve } from "../../src/journal/reserve.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";

const MEBIBYTE = 1024 * 1024;

/** A disk of so many bytes. What is synced on it may be refused all the same. */
class Small {
  readonly dir = mkdtempSync(join(tmpdir(), "bellhop-reserve-"));
  readonly clock: FakeClock = createFakeClock();
  readonly notices: string[] = [];
  error = "ENOSPC";
  syncs = true;
  used = 0;
  size: number;
  constructor(size: number) {
    this.size = size;
    onTestFinished(() => rmSync(this.dir, { recursive: true }));
  }

  readonly disk: Disk = {
    ...nodeDisk,
    open: async (path, flags) => {
      const file = await nodeDisk.open(path, flags);
      return {
        ...file,
        write: async (bytes, from) => {
          const room = Math.min(bytes.length - from, this.size - this.used);
          if (room <= 0) throw this.#refusal();
          this.used += room;
          await writeAll(
            { ...file, write: (_bytes, at) => file.write(bytes.subarray(0, from + room), from + at) },
            bytes.subarray(from, from + room),
          );
          return room;
        },
        datasync: () => (this.syncs ? file.datasync() : Promise.reject(this.#refusal())),
      };
    },
    unlink: async (path) => {
      const { size } = await nodeDisk.stat(path);
      await nodeDisk.unlink(path);
      this.used -= size;
    },
  };

  #refusal(): Error {
    return Object.assign(new Error(this.error), { code: this.error });
  }

  async reserve(free = (): number | null => this.size - this.used): Promise<Reserve> {
    const reserve = await openReserve({
      dir: this.dir,
      disk: this.disk,
      clock: this.clock,
      onNotice: (kind) => void this.notices.push(kind),
      free: async () => free(),
    });
    onTestFinished(() => reserve.close());
    return reserve;
  }

  get stands(): boolean {
    const path = join(this.dir, "reserve");
    return existsSync(path) && statSync(path).size === MEBIBYTE;
  }

  /** Writes so many bytes through a disk that gives up the reserve. */
  async write(reserve: Reserve, bytes: number, again: "again" | "fails" = "again"): Promise<void> {
    const file = await withReserve(this.disk, reserve, again).open(join(this.dir, "file"), "a");
    await writeAll(file, Buffer.alloc(bytes, "x")).finally(() => file.close());
  }
}

/** What is made then is made on a real disk, for which no clock of the test's waits. */
async function comesBack(small: Small, reserve: Reserve, afterMs: number): Promise<void> {
  const back = Promise.withResolvers<void>();
  reserve.watch(() => (reserve.full ? undefined : back.resolve()));
  await small.clock.advance(afterMs);
  await back.promise;
}

test.each(["ENOSPC", "EDQUOT"])(
  "is given up at the first %s, so that the write goes on; and comes back when there is room for it twice over",
  async (error) => {
    const small = new Small(3 * MEBIBYTE);
    small.error = error;
    const reserve = await small.reserve();
    expect([reserve.full, small.stands]).toEqual([false, true]);
    const changes: boolean[] = [];
    reserve.watch(() => changes.push(reserve.full));
    await small.write(reserve, 2 * MEBIBYTE + 100);
    expect(statSync(join(small.dir, "file")).size).toBe(2 * MEBIBYTE + 100);
    expect([reserve.full, small.stands]).toEqual([true, false]);
    await small.clock.advance(60_000);
    expect(reserve.full).toBe(true);
    small.size = small.used + 2 * MEBIBYTE;
    await comesBack(small, reserve, 2_000);
    expect([small.stands, changes, small.notices]).toEqual([true, [true, false], ["full", "made"]]);
    expect(small.clock.armed).toBe(0);
  },
);

test("is not used by what may fail, but the disk counts as full from then on", async () => {
  const small = new Small(2 * MEBIBYTE);
  const reserve = await small.reserve();
  await expect(small.write(reserve, MEBIBYTE + 1, "fails")).rejects.toMatchObject({ code: "ENOSPC" });
  expect([reserve.full, small.stands]).toEqual([true, false]);
});

test("is given up once for many writes at the same time, and none of them fails", async () => {
  const small = new Small(3 * MEBIBYTE);
  const reserve = await small.reserve();
  const disk = withReserve(small.disk, reserve, "again");
  const files = await Promise.all(
    Array.from({ length: 20 }, (_, number) => disk.open(join(small.dir, `file-${number}`), "a")),
  );
  await Promise.all(files.map((file) => writeAll(file, Buffer.alloc(120_000, "x"))));
  expect(small.notices).toEqual(["full"]);
});

test("a quota that no look sees: each try waits longer, and the one that fits ends it", async () => {
  const small = new Small(MEBIBYTE / 2);
  small.error = "EDQUOT";
  const reserve = await small.reserve(() => null);
  expect([reserve.full, small.stands, small.used]).toEqual([true, false, 0]);
  small.size = 2 * MEBIBYTE;
  await comesBack(small, reserve, 4_000);
  expect(small.stands).toBe(true);
});

test("one that cannot be made for another reason holds nothing up", async () => {
  const small = new Small(4 * MEBIBYTE);
  small.size = 0;
  small.error = "EACCES";
  const reserve = await small.reserve(() => null);
  expect([reserve.full, small.notices]).toEqual([false, ["unmade"]]);
});

test("the journal goes on in its room, and only a sync that fails ends it", async () => {
  const small = new Small(2 * MEBIBYTE);
  const reserve = await small.reserve();
  const journal = await openJournal({
    dir: small.dir,
    disk: withReserve(small.disk, reserve, "again"),
    clock: small.clock,
    canRead: () => true,
    restore: () => undefined,
    apply: () => undefined,
    maySnapshot: () => !reserve.full,
  });
  small.size = small.used;
  for (let number = 1; number <= 100; number += 1) await journal.append([{ type: "Noted", payload: { number } }]);
  expect([reserve.full, small.stands, journal.last.seq, journal.failed]).toEqual([true, false, 100, undefined]);
  small.syncs = false;
  await expect(journal.append([{ type: "Noted", payload: {} }])).rejects.toMatchObject({ code: "E_JOURNAL_WRITE" });
  await expect(journal.append([{ type: "Noted", payload: {} }])).rejects.toMatchObject({ code: "E_JOURNAL_WRITE" });
  await journal.close();
});

test("doctor misses it only where a daemon has been", async () => {
  const small = new Small(2 * MEBIBYTE);
  expect(await checkReserve(small.dir)).toEqual([]);
  writeFileSync(join(small.dir, "events.ndjson"), "");
  expect(await checkReserve(small.dir)).toMatchObject([{ verdict: "bad", says: "doctor.disk.reserve" }]);
  await small.reserve(() => null);
  expect(await checkReserve(small.dir)).toEqual([]);
});
