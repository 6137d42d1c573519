/**
 * What the journal's speed claims rest on. Each figure is a ratio to a floor measured in the same run on the
 * same disk: group commit to a bare write + fdatasync loop, replay to a bare split + JSON.parse.
 * `node bench/journal.ts` prints them; `BENCH_EVENTS` makes the long ones shorter.
 */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  write,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../src/base/clock.ts";
import { nodeDisk } from "../src/base/disk.ts";
import { type EventDraft, type JournalEvent, encode } from "../src/journal/format.ts";
import { openJournal } from "../src/journal/journal.ts";
import { LIVE, segmentName, openWriter } from "../src/journal/writer.ts";
import { writeSnapshot } from "../src/journal/snapshot.ts";

export interface Figure {
  name: string;
  /** What was reached, in words with units. */
  reached: string;
  /** The figure that is held against the bar. */
  value: number;
  bar: string;
  holds: boolean;
}

/** The events a replay is measured with, and what the state does with each. */
export interface Replayed {
  draft(index: number): EventDraft;
  begin(): { apply(event: JournalEvent): void };
}

const PRODUCERS = 64;
const LINE_BYTES = 300;
const SEGMENT_BYTES = 64 * 1024 * 1024;

/**
 * 64 producers that each wait for their own line, against 64 lines a write and sync. The floor waits without
 * blocking, as anything must that serves people meanwhile; the loop that blocks is measured beside it.
 */
export async function groupCommit(rounds = 41, batches = 40): Promise<Figure> {
  return withDirectory(async (dir) => {
    const ours: number[] = [];
    const bare: number[] = [];
    const blocking: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await bareLoop(join(dir, `bare-${round}`), batches));
      ours.push(await producers(dir, round, batches));
      blocking.push(blockingLoop(join(dir, `blocking-${round}`), batches));
    }
    const ratio = median(ours.map((rate, index) => rate / (bare[index] ?? Number.NaN)));
    const toBlocking = median(ours.map((rate, index) => rate / (blocking[index] ?? Number.NaN)));
    return {
      name: `group commit, ${PRODUCERS} producers, lines of ${LINE_BYTES} B`,
      reached: `${Math.round(median(ours))} lines/s, bare loop ${Math.round(median(bare))} lines/s, ratio ${ratio.toFixed(2)}; to the blocking loop ${toBlocking.toFixed(2)}`,
      value: ratio,
      bar: "≥ 0.8 of the bare loop",
      holds: ratio >= 0.8,
    };
  });
}

async function bareLoop(path: string, batches: number): Promise<number> {
  const batch = Buffer.concat(Array.from({ length: PRODUCERS }, (_, index) => line(index + 1)));
  const fd = openSync(path, "a");
  const start = performance.now();
  for (let count = 0; count < batches; count += 1) {
    await promisify(write)(fd, batch);
    await promisify(fdatasync)(fd);
  }
  const rate = (batches * PRODUCERS * 1000) / (performance.now() - start);
  closeSync(fd);
  rmSync(path);
  return rate;
}

function blockingLoop(path: string, batches: number): number {
  const batch = Buffer.concat(Array.from({ length: PRODUCERS }, (_, index) => line(index + 1)));
  const fd = openSync(path, "a");
  const start = performance.now();
  for (let count = 0; count < batches; count += 1) {
    writeSync(fd, batch);
    fdatasyncSync(fd);
  }
  const rate = (batches * PRODUCERS * 1000) / (performance.now() - start);
  closeSync(fd);
  rmSync(path);
  return rate;
}

async function producers(dir: string, round: number, batches: number): Promise<number> {
  const home = mkdtempSync(join(dir, `ours-${round}-`));
  const live = { exists: false, bytes: 0, firstSeq: undefined };
  const writer = await openWriter({ disk: nodeDisk, dir: home, live, segmentBytes: SEGMENT_BYTES });
  const lines = Array.from({ length: PRODUCERS }, (_, index) => line(index + 1));
  const start = performance.now();
  await Promise.all(
    lines.map(async (bytes) => {
      for (let count = 0; count < batches; count += 1) await writer.append(bytes, 1);
    }),
  );
  const rate = (batches * PRODUCERS * 1000) / (performance.now() - start);
  await writer.close();
  rmSync(home, { recursive: true });
  return rate;
}

function line(seq: number): Buffer {
  const bare = encode({ type: "JobProgress", payload: { text: "" } }, seq, "2026-02-26T14:21:00.000Z").line.length;
  return encode(
    { type: "JobProgress", payload: { text: "x".repeat(LINE_BYTES - bare) } },
    seq,
    "2026-02-26T14:21:00.000Z",
  ).line;
}

/** Start from the journal alone, against splitting the same files and parsing each line; then start from a snapshot. */
export async function replay(events = 1_000_000, replayed: Replayed = threads(), rounds = 3): Promise<Figure[]> {
  return withDirectory(async (dir) => {
    const last = writeJournal(dir, events, replayed);
    const bare: number[] = [];
    const ours: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(splitAndParse(dir));
      ours.push(await start(dir, replayed));
    }
    const rss = process.memoryUsage.rss() / 1024 / 1024;
    const ratio = median(ours.map((ms, index) => ms / (bare[index] ?? Number.NaN)));
    await writeSnapshot(nodeDisk, dir, last, { threads: {} });
    const fromSnapshot = median([await start(dir, replayed), await start(dir, replayed), await start(dir, replayed)]);
    return [
      {
        name: `replay of ${events} events, checks and evolve included`,
        reached: `${Math.round(median(ours))} ms, bare split + parse ${Math.round(median(bare))} ms, ratio ${ratio.toFixed(2)}, rss ${Math.round(rss)} MB`,
        value: ratio,
        bar: "≤ 2.5 × bare",
        holds: ratio <= 2.5,
      },
      {
        name: `start from a snapshot behind ${events} events`,
        reached: `${Math.round(fromSnapshot)} ms`,
        value: fromSnapshot,
        bar: "≤ 1000 ms",
        holds: fromSnapshot <= 1000,
      },
    ];
  });
}

/** The time of every event in it. */
export const HISTORY_TS = "2026-02-26T14:21:00.000Z";

export function writeJournal(dir: string, events: number, replayed: Replayed): { seq: number; crc: string } {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let first = 1;
  let crc = "";
  const flush = (name: string): void => {
    const fd = openSync(join(dir, name), "wx", 0o600);
    writeSync(fd, Buffer.concat(chunks));
    closeSync(fd);
    chunks = [];
    bytes = 0;
  };
  for (let seq = 1; seq <= events; seq += 1) {
    if (bytes >= SEGMENT_BYTES) {
      flush(segmentName(first));
      first = seq;
    }
    const encoded = encode(replayed.draft(seq), seq, HISTORY_TS);
    crc = encoded.crc;
    chunks.push(encoded.line);
    bytes += encoded.line.length;
  }
  flush(LIVE);
  return { seq: events, crc };
}

/** What any reader of NDJSON must do at the least. */
function splitAndParse(dir: string): number {
  const begin = performance.now();
  let seen = 0;
  for (const name of readdirSync(dir).filter((entry) => entry.endsWith(".ndjson"))) {
    const bytes = readFileSync(join(dir, name));
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf(10, from);
      const event: unknown = JSON.parse(bytes.toString("utf8", from, end));
      if (event !== null) seen += 1;
      from = end + 1;
    }
  }
  if (seen === 0) throw new Error("nothing was read");
  return performance.now() - begin;
}

async function start(dir: string, replayed: Replayed): Promise<number> {
  const { apply } = replayed.begin();
  const begin = performance.now();
  const journal = await openJournal({
    dir,
    disk: nodeDisk,
    clock: systemClock,
    canRead: () => true,
    restore: () => undefined,
    apply,
  });
  const took = performance.now() - begin;
  await journal.close();
  return took;
}

/** Events like a busy day's: four kinds over a hundred threads, kept as counts and a bounded list of jobs. */
function threads(): Replayed {
  const kinds = ["JobEnqueued", "JobStarted", "JobProgress", "JobCompleted"];
  return {
    draft: (index) => ({
      type: kinds[index % 4] ?? "JobProgress",
      payload: {
        job_id: `job_20260226_${String(index >> 2).padStart(4, "0")}`,
        thread_id: String(1_359_000_000_000_000_000n + BigInt((index >> 2) % 100)),
        discord_message_id: String(1_359_000_000_001_000_000n + BigInt(index)),
        note: "what there is to say about it",
      },
    }),
    begin() {
      const jobs = new Map<unknown, string>();
      const perThread = new Map<unknown, unknown[]>();
      return {
        apply({ type, payload }) {
          const { job_id, thread_id } = payload as Record<string, unknown>;
          if (type === "JobEnqueued") {
            const list = perThread.get(thread_id) ?? [];
            list.push(job_id);
            if (list.length > 50) jobs.delete(list.shift());
            perThread.set(thread_id, list);
          }
          jobs.set(job_id, type);
        },
      };
    },
  };
}

async function withDirectory<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
  try {
    return await use(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

if (import.meta.main) {
  const events = Number(process.env["BENCH_EVENTS"] ?? 1_000_000);
  for (const figure of [await groupCommit(), ...(await replay(events))]) {
    process.stdout.write(`${figure.holds ? "ok  " : "MISS"} ${figure.name}: ${figure.reached} (${figure.bar})\n`);
  }
}
