/**
 * An answer while its agent writes it: into a file beside its final name, which it gets at the end, with little of it
 * in memory. From the first failure of the disk on, the rest is kept in memory instead. Then all of it can be read from
 * here as long as this process lives: first what the file has taken, then the rest.
 */
import { createHash } from "node:crypto";
import { readWhole, writeAll, type Disk, type DiskFile } from "../../base/disk.ts";

export interface AnswerFile {
  /** Appends. Resolves when there is room for more; what the disk does not take stays in memory. */
  write(bytes: Uint8Array): Promise<void>;
  /** The agent has ended well, and all of it is written. */
  complete(): void;
  /**
   * Notes that the agent has ended well and has written all its bytes, with this data. Survives a kill, not a power
   * cut.
   */
  noteEnd(end: object): void;
  /**
   * Syncs it and gives it its final name. What the disk does not take can be read until it is released. Never rejects.
   */
  finish(): Promise<KeptAnswer | UnkeptAnswer>;
  /** Removes all of it. Never rejects. */
  discard(): Promise<void>;
}

export interface KeptAnswer {
  /** SHA-256 of the file, as 64 hex digits. */
  sha256: string;
  /** Its first characters. */
  beginning: string;
}

/** An answer that could not be written. */
export interface UnkeptAnswer {
  sha256: null;
  beginning: string;
  /** What the disk threw. */
  error: unknown;
}

export interface AnswerText {
  /** The whole answer; if it is too long for any message, its beginning and its end. */
  text: string;
  /** Bytes left out between the two; 0 for a whole answer. */
  left: number;
  /** It is in no file. Absent: it is. */
  unkept?: true;
}

/** The ending of a file that is not whole. */
export const PART = ".part";
/** Bytes that may wait for the disk before the agent has to wait. */
export const WAITING_BYTES = 1024 * 1024;
/** Of each answer, in memory. */
export const BEGINNING_BYTES = 64 * 1024;
/** Longer answers are too large for a Discord file and for memory. */
export const WHOLE_BYTES = 10 * 1024 * 1024;
export const END_BYTES = 512 * 1024;

export interface WritingOptions {
  folder: string;
  /** Its final name. */
  path: string;
  open(): Promise<DiskFile>;
  writeEndNote(end: object): Promise<void>;
  /** Called whenever there is more of it. */
  begun(writing: Writing): void;
  /** Called when it is on the disk, or discarded: nothing of it is needed here any more. */
  onReleased(): void;
}

export class Writing implements AnswerFile {
  isComplete = false;
  readonly #disk: Disk;
  readonly #options: WritingOptions;
  readonly #sha256 = createHash("sha256");
  #file: DiskFile | null = null;
  #beginning = Buffer.alloc(0);
  #line: Promise<void> = Promise.resolve();
  #waiting = 0;
  #failure: { error: unknown } | null = null;
  /** Bytes that the file has taken. */
  #taken = 0;
  /** What it has not taken, up to a limit. */
  readonly #rest: Uint8Array[] = [];
  #restBytes = 0;
  /** Bytes beyond that limit, which nobody has. */
  #lost = 0;

  constructor(disk: Disk, options: WritingOptions) {
    this.#disk = disk;
    this.#options = options;
  }

  write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return Promise.resolve();
    this.#options.begun(this);
    this.#sha256.update(bytes);
    const room = BEGINNING_BYTES - this.#beginning.length;
    if (room > 0) this.#beginning = Buffer.concat([this.#beginning, bytes.subarray(0, room)]);
    this.#waiting += bytes.length;
    this.#line = this.#line.then(async () => {
      await this.#put(bytes);
      this.#waiting -= bytes.length;
    });
    return this.#waiting > WAITING_BYTES ? this.#line : Promise.resolve();
  }

  complete(): void {
    this.isComplete = true;
  }

  noteEnd(end: object): void {
    const note = { ...end, sha256: this.#sha256.copy().digest("hex") };
    // Without the note it is unknown later whether the answer was whole; nothing else is lost.
    this.#line = this.#line.then(() => this.#writeEndNote(note)).catch(() => undefined);
  }

  async finish(): Promise<KeptAnswer | UnkeptAnswer> {
    this.#options.begun(this);
    await this.#line;
    const beginning = wholeCharacters(this.#beginning);
    const { path, folder } = this.#options;
    try {
      if (this.#failure !== null) throw this.#failure.error;
      const file = await this.#open();
      await file.sync();
      await this.#disk.rename(path + PART, path);
      await this.#disk.syncDirectory(folder);
      this.#options.onReleased();
      return { sha256: this.#sha256.digest("hex"), beginning };
    } catch (error) {
      this.#failure ??= { error };
      return { sha256: null, beginning, error };
    } finally {
      void this.#file?.close().catch(() => undefined);
    }
  }

  async discard(): Promise<void> {
    await this.#line;
    this.#options.onReleased();
    if (this.#file === null) return;
    await this.#file.close().catch(() => undefined);
    await this.#disk.unlink(this.#options.path + PART).catch(() => undefined);
  }

  /** What of it can be had, if the disk has not taken all that was written so far. Never rejects. */
  async unsaved(): Promise<AnswerText | undefined> {
    await this.#line;
    if (this.#failure === null) return undefined;
    const first = Buffer.from(await this.#first());
    const rest = Buffer.concat(this.#rest);
    const all = Buffer.concat([first, rest]);
    const total = this.#taken + this.#restBytes + this.#lost;
    if (all.length === total && total <= WHOLE_BYTES) return { text: all.toString("utf8"), left: 0 };
    const hasGap = first.length < this.#taken;
    const ends = hasGap ? [first, rest.subarray(-END_BYTES)] : [all.subarray(0, END_BYTES), all.subarray(-END_BYTES)];
    return {
      text: ends.map(wholeCharacters).join("\n\n"),
      left: total - ends.reduce((sum, { length }) => sum + length, 0),
    };
  }

  /** What the file has taken: from memory if that is all of it, as somebody may have removed the file. */
  async #first(): Promise<Uint8Array> {
    if (this.#taken <= this.#beginning.length) return this.#beginning.subarray(0, this.#taken);
    const { path } = this.#options;
    const there = (await this.#read(path + PART)) ?? (await this.#read(path));
    return there?.subarray(0, this.#taken) ?? this.#beginning;
  }

  #read(path: string): Promise<Buffer | undefined> {
    return readWhole(this.#disk, path).catch(() => undefined);
  }

  async #put(bytes: Uint8Array): Promise<void> {
    if (this.#failure === null) {
      try {
        await writeAll(await this.#open(), bytes);
        this.#taken += bytes.length;
        return;
      } catch (error) {
        this.#failure = { error };
      }
    }
    const fits = this.#restBytes + bytes.length <= WHOLE_BYTES;
    if (fits) this.#rest.push(bytes);
    if (fits) this.#restBytes += bytes.length;
    else this.#lost += bytes.length;
  }

  /** Even an empty answer has its file by now. */
  async #writeEndNote(end: object): Promise<void> {
    if (this.#failure !== null) return;
    await this.#open();
    await this.#options.writeEndNote(end);
  }

  async #open(): Promise<DiskFile> {
    return (this.#file ??= await this.#options.open());
  }
}

/** Drops partial characters at either end. */
export function wholeCharacters(bytes: Buffer): string {
  let from = 0;
  while (from < Math.min(3, bytes.length) && isMiddle(bytes[from])) from += 1;
  let to = bytes.length;
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isMiddle(byte)) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (needed > back) to = bytes.length - back;
    break;
  }
  return bytes.subarray(from, to).toString("utf8");
}

function isMiddle(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
