/**
 * A file of lines with a limited size: when full it becomes `<name>.1`, the former `.1` becomes `<name>.2`, and the
 * oldest is deleted. When `write` returns, the whole line is in the file, so the lines just before a crash are there;
 * only a power cut may lose the last seconds.
 */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "./disk.ts";

export interface RotatingFileRequest {
  /** Absolute; its directory is created with mode 0700 if missing, the file with 0600. */
  path: string;
  /** The file is rotated before a line that would make it longer than this. */
  capBytes: number;
  /** How many full files are kept beside it. */
  kept: number;
  /** Called for the first failure of each kind; lines are then lost, but later ones are still tried. */
  onFailure(error: Error): void;
  /** The system's own by default. */
  disk?: LogDisk;
}

/** The calls that a failing disk makes fail. */
export interface LogDisk {
  open(path: string): number;
  write(fd: number, bytes: Buffer, offset: number): number;
  rename(from: string, to: string): void;
}

const systemDisk: LogDisk = {
  open: (path) => openSync(path, "a", 0o600),
  write: (fd, bytes, offset) => writeSync(fd, bytes, offset),
  rename: (from, to) => renameSync(from, to),
};

export interface RotatingFile {
  /** Writes one line, which includes its newline. Never throws. */
  write(line: string): void;
  close(): void;
}

/** The names of the file and of the full ones kept beside it, newest first, whether or not they exist. */
export function rotatedNames(path: string, kept: number): string[] {
  return [path, ...Array.from({ length: kept }, (_, index) => `${path}.${index + 1}`)];
}

/** @throws what the system throws when the directory or the file cannot be created */
export function openRotatingFile(request: RotatingFileRequest): RotatingFile {
  mkdirSync(dirname(request.path), { recursive: true, mode: 0o700 });
  return new LineFile(request);
}

class LineFile implements RotatingFile {
  readonly #request: RotatingFileRequest;
  readonly #disk: LogDisk;
  readonly #failed = new Set<string>();
  /** Raised when the file could not be rotated, so that rotation is not retried for every line. */
  #cap: number;
  #fd: number;
  #size: number;
  /** A full disk cut a line short: the next line must not be read as its end. */
  #torn = false;
  #open = true;

  constructor(request: RotatingFileRequest) {
    this.#request = request;
    this.#disk = request.disk ?? systemDisk;
    this.#cap = request.capBytes;
    this.#fd = this.#disk.open(request.path);
    this.#size = fstatSync(this.#fd).size;
  }

  write(line: string): void {
    if (!this.#open) return;
    const bytes = Buffer.from(this.#torn ? `\n${line}` : line);
    if (this.#size > 0 && this.#size + bytes.length > this.#cap) this.#rotate();
    let out = 0;
    try {
      while (out < bytes.length) out += this.#writeSome(bytes, out);
      this.#torn = false;
    } catch (error) {
      this.#torn ||= out > 0;
      this.#fail(error);
    }
    this.#size += out;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }

  #writeSome(bytes: Buffer, from: number): number {
    const took = this.#disk.write(this.#fd, bytes, from);
    if (took <= 0) throw Object.assign(new Error("EIO: the disk accepted no bytes"), { code: "EIO" });
    return took;
  }

  /**
   * If a rename fails, the current file keeps growing: a long log is better than none. The new file is created before
   * any rename, so that no rename is in vain.
   */
  #rotate(): void {
    const { path, kept, capBytes } = this.#request;
    const fresh = `${path}.new`;
    let fd: number | null = null;
    try {
      fd = this.#disk.open(fresh);
      const names = rotatedNames(path, kept);
      for (let index = names.length - 1; index > 0; index -= 1)
        this.#move(names[index - 1] ?? path, names[index] ?? path);
      this.#disk.rename(fresh, path);
      closeSync(this.#fd);
      this.#fd = fd;
      this.#size = fstatSync(fd).size;
      this.#cap = capBytes;
      this.#torn = false;
    } catch (error) {
      if (fd !== null) closeSync(fd);
      this.#cap = this.#size + capBytes;
      this.#fail(error);
    }
  }

  #move(from: string, to: string): void {
    try {
      this.#disk.rename(from, to);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
    }
  }

  #fail(error: unknown): void {
    const kind = errnoOf(error);
    if (this.#failed.has(kind)) return;
    this.#failed.add(kind);
    this.#request.onFailure(error instanceof Error ? error : new Error(kind));
  }
}
