/**
 * The answers: `STATE_DIR/results/<job_id>.md`, the full and redacted text of an agent's answer. While the agent
 * writes, it is in a file beside that name, so what was written before a crash is kept; at the end it is synced and
 * renamed before the journal records the job's end with its digest. However long it is, only a little of it is in
 * memory. The patch of what the job changed is beside it.
 *
 * When the agent has ended well, that is noted (`end-notes.ts`) before the answer is synced, with the digest of the
 * whole answer: after a kill, the note tells whether the answer is complete. With the job's end it is forgotten.
 *
 * If somebody removes the folder while the daemon runs, the next answer makes it again.
 *
 * What the disk does not take of an answer stays in memory until it is posted (`answer-writing.ts`).
 */
import { createHash } from "node:crypto";
import { join, isAbsolute, normalize, sep } from "node:path";
import {
  inFolder,
  openIfThere,
  errnoOf,
  openFolder,
  readWhole,
  writeNew,
  type Disk,
  type DiskFile,
  writeAll,
} from "../../base/disk.ts";
import {
  BEGINNING_BYTES,
  END_BYTES,
  PART,
  WAITING_BYTES,
  WHOLE_BYTES,
  wholeCharacters,
  Writing,
  type AnswerFile,
  type AnswerText,
  type KeptAnswer,
} from "./answer-writing.ts";
import { realpath } from "node:fs/promises";
import { openOwn, type OpenFailure } from "./own-file.ts";

export interface Results {
  /** Begins a new answer, replacing one of the job that was never recorded. No file is made before its first bytes. */
  beginAnswer(jobId: string): AnswerFile;
  /** Jobs whose answers were being written when the last process ended. @throws what the disk throws */
  unfinished(): Promise<string[]>;
  /**
   * Renames one of those to its final name as it is; null, and it is removed, if nothing is in it. @throws what the
   * disk throws
   */
  recover(jobId: string): Promise<KeptAnswer | null>;
  /** Removes one of those. @throws what the disk throws */
  drop(jobId: string): Promise<void>;
  /** What was written of an answer before this process began; empty if nothing was. @throws what the disk throws */
  writtenBefore(jobId: string): Promise<string>;
  /**
   * Jobs with a note that their agent has ended well, including some notes that are forgotten. @throws what the disk
   * throws
   */
  jobsWithEndNote(): Promise<string[]>;
  /**
   * The note of the end, and the answer under its final name and durable; undefined if the answer is incomplete.
   * @throws what the disk throws
   */
  notedEnd(jobId: string): Promise<NotedEnd | undefined>;
  /** The note is not needed any more. Never rejects. */
  forgetEnd(jobId: string): Promise<void>;
  /** The text to show, or undefined if there is no such answer. @throws what the disk throws */
  read(jobId: string): Promise<AnswerText | undefined>;
  /** Answers that the disk has not taken, and that only this process has; `whole`: their agents have ended well. */
  unsaved(): Promise<{ jobId: string; answer: AnswerText; whole: boolean }[]>;
  /** One of those is posted, and needed no more. Never rejects. */
  releaseAnswer(jobId: string): Promise<void>;
  /**
   * `<job_id>.patch`, what the job changed: writes and syncs, and returns the SHA-256 of the file as 64 hex digits.
   * @throws what the disk throws
   */
  savePatch(jobId: string, patch: Uint8Array): Promise<string>;
  readPatch(jobId: string): Promise<Buffer | undefined>;
  /**
   * Stores the current file as the `place`-th that the job sends, `<job_id>.file-<place>`. Null, or why not.
   * @throws what the disk throws
   */
  attach(jobId: string, place: number, file: Sent): Promise<NotTaken | null>;
  readAttached(jobId: string, place: number): Promise<Buffer | undefined>;
  /** The stored files. @throws what the disk throws */
  attached(): Promise<{ jobId: string; place: number }[]>;
  /** Removes one of them. @throws what the disk throws, except for a missing file */
  dropAttached(jobId: string, place: number): Promise<void>;
}

/** A file of this name in a folder, and how secrets are removed from it. */
interface Sent {
  folder: string;
  name: string;
  redactBytes(bytes: Buffer): Buffer;
}

interface NotedEnd {
  /** As it was noted, not validated. */
  end: Record<string, unknown>;
  answer: KeptAnswer;
}

/** @param stateDir absolute; its folder `results` is made if missing. @throws what the disk throws */
export async function openResults(disk: Disk, stateDir: string): Promise<Results> {
  const folder = await openFolder(disk, stateDir, "results");
  const pathOf = (jobId: string): string => join(folder, `${jobId}.md`);
  const attachedOf = (jobId: string, place: number): string => join(folder, `${jobId}.file-${place}`);
  const patchOf = (jobId: string): string => join(folder, `${jobId}.patch`);
  const ends = openEndNotes(disk, join(folder, "ends"));
  const there = <T>(act: () => Promise<T>): Promise<T> => inFolder(disk, folder, act, () => ends.fileRemoved());
  const named = async (ending: string): Promise<string[]> =>
    (await disk.readdir(folder)).filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
  const writings = new Map<string, Writing>();
  async function recover(jobId: string): Promise<KeptAnswer> {
    const kept = await digest(disk, pathOf(jobId) + PART);
    await disk.rename(pathOf(jobId) + PART, pathOf(jobId));
    await disk.syncDirectory(folder);
    return kept;
  }
  return {
    beginAnswer: (jobId) =>
      new Writing(disk, {
        folder,
        path: pathOf(jobId),
        open: () => there(() => openAnew(disk, pathOf(jobId) + PART)),
        writeEndNote: (end) => ends.add(jobId, end),
        begun: (writing) => void writings.set(jobId, writing),
        onReleased: () => void writings.delete(jobId),
      }),
    unfinished: () => named(`.md${PART}`),
    async recover(jobId) {
      if ((await disk.stat(pathOf(jobId) + PART)).size > 0) return recover(jobId);
      await disk.unlink(pathOf(jobId) + PART);
      return null;
    },
    writtenBefore: async (jobId) =>
      Buffer.from(
        (await readWhole(disk, pathOf(jobId) + PART)) ?? (await readWhole(disk, pathOf(jobId))) ?? [],
      ).toString("utf8"),
    jobsWithEndNote: async () => [...(await ends.all()).keys()],
    async notedEnd(jobId) {
      const end = (await ends.all()).get(jobId);
      if (end === undefined) return undefined;
      const isPart = (await named(`.md${PART}`)).includes(jobId);
      const { sha256 } = await digest(disk, isPart ? pathOf(jobId) + PART : pathOf(jobId));
      if (sha256 !== end["sha256"]) return undefined;
      return { end, answer: isPart ? await recover(jobId) : await digest(disk, pathOf(jobId)) };
    },
    forgetEnd: (jobId) => ends.removeNote(jobId),
    drop: (jobId) => disk.unlink(pathOf(jobId) + PART),
    read: async (jobId) => (await writings.get(jobId)?.unsaved()) ?? readEnds(disk, pathOf(jobId)),
    unsaved: () => unsavedOf(writings),
    releaseAnswer: async (jobId) => writings.get(jobId)?.discard(),
    async savePatch(jobId, patch) {
      await there(() => writeNew(disk, patchOf(jobId), patch));
      return createHash("sha256").update(patch).digest("hex");
    },
    readPatch: (jobId) => readWhole(disk, patchOf(jobId)),
    async attach(jobId, place, { folder: from, name, redactBytes: redact }) {
      const taken = await takeAttachment(from, name);
      if (typeof taken === "string") return taken;
      await there(() => writeNew(disk, attachedOf(jobId, place), redact(taken)));
      return null;
    },
    readAttached: (jobId, place) => readWhole(disk, attachedOf(jobId, place)),
    async attached() {
      const names = (await disk.readdir(folder)).map((name) => /^(.+)\.file-(\d+)$/.exec(name));
      return names.flatMap((found) => (found ? [{ jobId: found[1] ?? "", place: Number(found[2]) }] : []));
    },
    async dropAttached(jobId, place) {
      await disk.unlink(attachedOf(jobId, place)).catch((error: unknown) => {
        if (errnoOf(error) !== "ENOENT") throw error;
      });
    },
  };
}

async function unsavedOf(writings: ReadonlyMap<string, Writing>): ReturnType<Results["unsaved"]> {
  const all = [...writings].map(async ([jobId, writing]) => ({
    jobId,
    answer: await writing.unsaved(),
    whole: writing.isComplete,
  }));
  return (await Promise.all(all)).flatMap(({ answer, ...one }) => (answer ? [{ ...one, answer }] : []));
}

/** Replaces a file left by an earlier run. */
async function openAnew(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.open(path, "wx");
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    await disk.unlink(path);
    return disk.open(path, "wx");
  }
}

/** Reads the file once from end to end, and syncs it. */
async function digest(disk: Disk, path: string): Promise<KeptAnswer> {
  const file = await disk.open(path, "r+");
  const sha256 = createHash("sha256");
  let beginning = Buffer.alloc(0);
  try {
    const bytes = Buffer.allocUnsafe(WAITING_BYTES);
    for (let at = 0; ;) {
      const got = await file.read(bytes, 0, bytes.length, at);
      if (got === 0) break;
      sha256.update(bytes.subarray(0, got));
      if (at === 0) beginning = Buffer.from(bytes.subarray(0, Math.min(got, BEGINNING_BYTES)));
      at += got;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: sha256.digest("hex"), beginning: wholeCharacters(beginning) };
}

async function readEnds(disk: Disk, path: string): Promise<AnswerText | undefined> {
  const file = await openIfThere(disk, path);
  if (file === undefined) return undefined;
  try {
    const size = await file.size();
    if (size <= WHOLE_BYTES) return { text: (await readAt(file, 0, size)).toString("utf8"), left: 0 };
    const [first, last] = [await readAt(file, 0, END_BYTES), await readAt(file, size - END_BYTES, END_BYTES)];
    return { text: `${wholeCharacters(first)}\n\n${wholeCharacters(last)}`, left: size - 2 * END_BYTES };
  } finally {
    await file.close();
  }
}

async function readAt(file: DiskFile, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const read = await file.read(bytes, got, length - got, from + got);
    if (read === 0) break;
    got += read;
  }
  return bytes.subarray(0, got);
}

/*
 * Files that agents send: taken only from the session's own folder, whatever their name says and whatever is there.
 */

/** Why a file was not taken. */
type NotTaken = OpenFailure | "too_large";

/** The most that Discord accepts anywhere; this server's limit is applied when the file is posted. */
const LARGEST_BYTES = 100 * 1024 * 1024;

/** The content of the file of this name in `folder`, or why it is not taken. Never rejects. */
export async function takeAttachment(folder: string, name: string): Promise<Buffer | NotTaken> {
  try {
    return await readInside(folder, name);
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? "missing" : "unreadable";
  }
}

async function readInside(folder: string, name: string): Promise<Buffer | NotTaken> {
  const plain = normalize(name);
  if (name === "" || name.includes("\0") || isAbsolute(plain) || plain === ".." || plain.startsWith(`..${sep}`))
    return "outside";
  const opened = await openOwn(join(await realpath(folder), plain));
  if (typeof opened === "string") return opened;
  const { file, size } = opened;
  try {
    if (size > LARGEST_BYTES) return "too_large";
    // Its current size: what is appended meanwhile is not sent.
    const bytes = Buffer.alloc(size);
    let got = 0;
    for (let read = -1; read !== 0 && got < bytes.length; got += read)
      read = (await file.read(bytes, got, bytes.length - got, got)).bytesRead;
    return bytes.subarray(0, got);
  } finally {
    await file.close();
  }
}

/*
 * `results/ends`: one line for each agent that has ended well and whose whole answer is written. A start after a kill
 * finds here what the journal could not be told any more. One file holds all of them, because making and removing one
 * for each job costs more than writing its answer.
 */

interface EndNotes {
  /** Survives a kill, not a power cut. Rejects with what the disk throws. */
  add(jobId: string, end: object): Promise<void>;
  /**
   * The last note of each job, as it was written, not validated; some of them may be forgotten. @throws what the disk
   * throws
   */
  all(): Promise<Map<string, Record<string, unknown>>>;
  /** The file is gone with its folder: the next note makes another one. */
  fileRemoved(): void;
  /** The note is not needed any more. Never rejects. */
  removeNote(jobId: string): Promise<void>;
}

/** The file is emptied from this size on, when no note in it is needed. */
const FULL_BYTES = 64 * 1024;

function openEndNotes(disk: Disk, path: string): EndNotes {
  const needed = new Set<string>();
  let line: Promise<unknown> = Promise.resolve();
  let file: DiskFile | null = null;
  let size = 0;

  /** One operation at a time: a note must not be written into a file that is being emptied. */
  function inOrder(act: (file: DiskFile) => Promise<void>): Promise<void> {
    const done = line.then(async () => act((file ??= await opened())));
    line = done.catch(() => undefined);
    return done;
  }

  async function opened(): Promise<DiskFile> {
    const there = await disk.open(path, "a");
    size = await there.size();
    return there;
  }

  return {
    add(jobId, end) {
      needed.add(jobId);
      // The line break comes first, so that half a note before it, from a full disk, spoils no other.
      const bytes = Buffer.from(`\n${JSON.stringify([jobId, end])}`);
      return inOrder(async (notes) => {
        size += bytes.length;
        await writeAll(notes, bytes);
      });
    },
    async all() {
      const text = Buffer.from((await readWhole(disk, path)) ?? []).toString("utf8");
      return new Map(text.split("\n").flatMap(parsed));
    },
    fileRemoved() {
      line = line.then(() => {
        void file?.close().catch(() => undefined);
        file = null;
      });
    },
    async removeNote(jobId) {
      needed.delete(jobId);
      if (file !== null && size < FULL_BYTES) return;
      await inOrder(async (notes) => {
        if (needed.size > 0) return;
        await notes.truncate(0);
        size = 0;
      }).catch(() => undefined);
    },
  };
}

/** A note that a power cut truncated counts as none. */
function parsed(line: string): [string, Record<string, unknown>][] {
  try {
    const [jobId, end] = JSON.parse(line) as [unknown, unknown];
    return typeof jobId === "string" && typeof end === "object" && end !== null
      ? [[jobId, end as Record<string, unknown>]]
      : [];
  } catch {
    return [];
  }
}
