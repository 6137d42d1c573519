/**
 * The journal as the rest of Bellhop uses it: opened once (snapshot, replay, repair of what a crash left at the end),
 * then appended to. It does not know what events mean; it calls back with each of them in order and promises that what
 * `append` acknowledged is there after any crash.
 * A crash may keep the first events of one append and lose the rest, so every beginning of an append must be a state
 * that can be continued from.
 */
import { join } from "node:path";
import { isoTime, type Clock } from "../base/clock.ts";
import { errnoOf, removeTemporaries, type Disk } from "../base/disk.ts";
import type { BellhopError, ErrorDetails } from "../base/errors.ts";
import { diskFailed, SNAPSHOT, openWriter, type Writer } from "./writer.ts";
import { encode, type EventDraft, type JournalEvent, type Position } from "./format.ts";
import { mendTail } from "./tail.ts";
import { readJournal } from "./reader.ts";
import {
  SNAPSHOT_RHYTHM,
  snapshotTaker,
  snapshotPolicy,
  loadSnapshot,
  writeSnapshot,
  type SnapshotRhythm,
  type Taking,
  type SnapshotState,
} from "./snapshot.ts";

/** Something a person should know, though nothing was lost. */
export interface JournalNotice {
  kind: "torn_tail_set_aside" | "newline_added" | "snapshot_rebuilt" | "snapshot_failed";
  details: ErrorDetails;
}

export interface JournalOptions extends SnapshotOptions {
  /** The state directory, which exists and is locked by us (`lock.ts`). */
  dir: string;
  disk: Disk;
  clock: Clock;
  canRead(event: JournalEvent): boolean;
  /** Called before any event, with a snapshot's state or with null to start empty. It may throw to refuse a state. */
  restore(state: SnapshotState | null): void;
  /** Called for each event after that, in order, while opening; not for events appended later. */
  apply(event: JournalEvent): void;
  /** Called at once with everything that is also in `notices`. */
  onNotice?(notice: JournalNotice): void;
  /** The size in bytes after which a new segment begins; by default 64 MiB. */
  segmentBytes?: number;
}

/** When and where the state is written beside the events. */
interface SnapshotOptions {
  rhythm?: SnapshotRhythm;
  /** Where snapshots are written, if not with `disk`: they may fail where an append must not. */
  snapshotDisk?: Disk;
  /** Whether a snapshot may be taken now. Absent: always. */
  maySnapshot?(): boolean;
  /**
   * Writes the snapshot at this position without the state in memory: from the last one and the events since. Used
   * where turning the state into text would hold up everything else; if absent, that is done all the same.
   * @returns its size in bytes
   */
  writeApart?(at: Position): Promise<number>;
}

export interface Journal {
  /**
   * Assigns numbers to the events at once, in call order, and the time they were decided at (ISO 8601; now by default);
   * `durable` is as for `append`.
   * @throws TypeError for events that are not plain JSON; nothing is written then
   */
  stage(events: readonly EventDraft[], ts?: string): { events: JournalEvent[]; durable: Promise<{ seq: number }> };
  /**
   * Resolves with the last event's number when all are on disk; rejects with E_JOURNAL_WRITE, permanently, once the
   * disk has failed.
   */
  append(events: readonly EventDraft[], ts?: string): Promise<{ seq: number }>;
  /**
   * To be called whenever durable events were applied: takes a snapshot when one is due, now or later. `take` is called
   * at that moment and returns the state and the number of the last event in it, which must be the last of an append.
   */
  snapshotSoon(take: () => { seq: number; state: object }): void;
  /**
   * Takes a snapshot now and closes the live file. When it resolves, everything up to the number that it returns is in
   * closed segments, and no start needs it.
   * @throws what the disk throws; E_DISK_FULL while no snapshot may be taken
   */
  closeHistory(take: () => { seq: number; state: object }): Promise<number>;
  /** The last event on disk. */
  readonly last: Position;
  readonly notices: readonly JournalNotice[];
  /** The failure that ended it, if any. */
  readonly failed: BellhopError | undefined;
  /** Waits for appends, takes a last snapshot if one is missing, closes the file. */
  close(): Promise<void>;
}

type Notify = (kind: JournalNotice["kind"], details: ErrorDetails) => void;

const SEGMENT_BYTES = 64 * 1024 * 1024;
/** How many ends of appends are remembered for snapshots; the state is never that far behind. */
const REMEMBERED = 4096;

/**
 * A snapshot that may be larger than this is written apart. Each megabyte takes some 6 ms in which nothing else is
 * done, and what writes it apart has a state of its own meanwhile: 20 MB and more of memory, of which some 3 MB stay
 * with the process. A few hundred jobs should not cost that.
 */
const HEAVY_BYTES = 3 * 1024 * 1024;
/** Of an event that was replayed; only to guess how large a snapshot will be. */
const EVENT_BYTES = 250;

/** A disk that refuses every snapshot for a week must not fill the memory with notices. */
const NOTICES = 100;

/**
 * Loads the snapshot, replays, repairs the end and opens the writer, in this order.
 * @throws BellhopError E_JOURNAL_CORRUPT {file, offset, seq, found}, E_JOURNAL_WRITE {file, operation, reason}
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { dir, disk, clock } = options;
  const notices: JournalNotice[] = [];
  const notify: Notify = (kind, details) => {
    if (notices.length < NOTICES) notices.push({ kind, details });
    options.onNotice?.({ kind, details });
  };
  await tidy(disk, dir);
  const { read, covered, bytes } = await replay(options, notify);
  const { live, notice } = await mendTail(disk, dir, read, isoTime(clock.now()));
  if (notice !== undefined) notify(notice.kind, notice.details);
  const writer = await openWriter({ disk, dir, live, segmentBytes: options.segmentBytes ?? SEGMENT_BYTES });
  const weight = bytes + (read.last.seq - covered) * EVENT_BYTES;
  return makeJournal(options, { writer, last: read.last, covered, weight, notices, notify });
}

/** Removes what a crash during a `writeAtomically` left; nobody else writes here, because we hold the lock. */
async function tidy(disk: Disk, dir: string): Promise<void> {
  try {
    await removeTemporaries(disk, dir);
  } catch (error) {
    throw diskFailed(dir, "tidy", error);
  }
}

async function replay(options: JournalOptions, notify: Notify) {
  const { disk, dir, canRead: knows } = options;
  const from = await restoreSnapshot(options, notify);
  const read = await readJournal({
    disk,
    dir,
    canRead: knows,
    onEvent: (event) => options.apply(event),
    ...(from && { from }),
  });
  return { read, covered: from?.seq ?? 0, bytes: from?.bytes ?? 0 };
}

/** The position the snapshot brought us to, and its size; undefined if everything is to be replayed. */
async function restoreSnapshot(
  { disk, dir, restore }: JournalOptions,
  notify: Notify,
): Promise<(Position & { bytes: number }) | undefined> {
  const loaded = await loadSnapshot(disk, dir);
  let found = loaded.kind === "unusable" ? loaded.found : undefined;
  if (loaded.kind === "good") {
    try {
      restore(loaded.state);
      return { ...loaded.at, bytes: loaded.bytes };
    } catch (error) {
      found = errnoOf(error);
    }
  }
  if (found !== undefined) notify("snapshot_rebuilt", { file: join(dir, SNAPSHOT), found });
  restore(null);
  return undefined;
}

interface JournalParts {
  writer: Writer;
  last: Position;
  /** The last event in the snapshot we began from. */
  covered: number;
  /** How large a snapshot would be at most, in bytes: the last one and all events since. */
  weight: number;
  notices: JournalNotice[];
  notify: Notify;
}

function makeJournal(
  { disk, snapshotDisk = disk, dir, clock, rhythm, writeApart, maySnapshot }: JournalOptions,
  { writer, last, covered, notices, notify, ...opened }: JournalParts,
): Journal {
  let durable = last;
  let { weight } = opened;
  let closing = false;
  let seq = last.seq;
  const ends = new Map<number, string>([[last.seq, last.crc]]);
  const policy = snapshotPolicy(clock, rhythm ?? SNAPSHOT_RHYTHM, covered);
  const snapshots = snapshotTaker(
    clock,
    policy,
    (error) => {
      notify("snapshot_failed", { file: join(dir, SNAPSHOT), error: errnoOf(error) });
    },
    maySnapshot,
  );
  snapshots.recordSynced(last.seq);

  function stage(
    drafts: readonly EventDraft[],
    ts = isoTime(clock.now()),
  ): { events: JournalEvent[]; durable: Promise<{ seq: number }> } {
    const { events, lines, end } = encodeAll(drafts, seq, ts);
    if (end === undefined) return { events, durable: Promise.resolve({ seq }) };
    const written = writer.append(lines, seq + 1);
    weight += lines.length;
    seq = end.seq;
    remember(end);
    return { events, durable: written.then(() => confirm(end)) };
  }

  function confirm(end: Position): { seq: number } {
    durable = end;
    snapshots.recordSynced(end.seq);
    return { seq: end.seq };
  }

  function remember(end: Position): void {
    ends.set(end.seq, end.crc);
    const [oldest] = ends.keys();
    if (ends.size > REMEMBERED && oldest !== undefined) ends.delete(oldest);
  }

  function takeSnapshot({ seq: at, state }: { seq: number; state: object }): Taking {
    const crc = ends.get(at);
    if (crc === undefined || at > durable.seq) throw new Error(`no durable append ends at ${at}`);
    forgetBefore(ends, at);
    const isHeavy = weight > HEAVY_BYTES && !closing;
    const before = weight;
    async function write(): Promise<void> {
      const bytes = await (isHeavy && writeApart
        ? writeApart({ seq: at, crc: crc ?? "" })
        : writeSnapshot(snapshotDisk, dir, { seq: at, crc: crc ?? "" }, state));
      weight += bytes - before;
    }
    return { seq: at, write };
  }

  return {
    stage,
    append: async (events, ts) => stage(events, ts).durable,
    snapshotSoon: (take) => snapshots.takeWhenDue(() => takeSnapshot(take())),
    async closeHistory(take) {
      const { seq: through } = durable;
      await snapshots.takeNow(() => takeSnapshot(take()));
      await writer.rotate();
      return through;
    },
    get last() {
      return durable;
    },
    notices,
    get failed() {
      return writer.failed;
    },
    async close() {
      // Nobody is served any more.
      closing = true;
      await writer.close();
      await snapshots.close(writer.failed === undefined);
    },
  };
}

/** The state never goes back, so no later snapshot ends there. */
function forgetBefore(ends: Map<number, string>, at: number): void {
  for (const seq of ends.keys()) {
    if (seq >= at) return;
    ends.delete(seq);
  }
}

function encodeAll(
  drafts: readonly EventDraft[],
  before: number,
  ts: string,
): { events: JournalEvent[]; lines: Buffer; end: Position | undefined } {
  const events = drafts.map((draft, index) => ({
    seq: before + index + 1,
    ts,
    type: draft.type,
    payload: draft.payload,
  }));
  const encoded = events.map((event) => encode(event, event.seq, ts));
  const final = encoded.at(-1);
  const end = final && { seq: before + events.length, crc: final.crc };
  return { events, lines: Buffer.concat(encoded.map(({ line }) => line)), end };
}
