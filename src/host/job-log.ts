/**
 * The raw record of one job: what its agent wrote, byte for byte after redaction, in `LOG_DIR/job/<job_id>.log`.
 * It is for people who look for the cause of a failure; nothing in the house reads it back, and a log that
 * cannot be written never stops a job. The file is private (0600) and has a cap, which it says when it is reached.
 */
import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { join } from "node:path";
import type { RedactedStream, Redactor } from "../base/redact.ts";

export const JOB_LOG_CAP_BYTES = 64 * 1024 * 1024;

/** Unwritten bytes beyond this are left out: a disk that hangs must not fill the memory. */
const BACKLOG_BYTES = 4 * 1024 * 1024;

export interface JobLog {
  /** Output of the agent, as it came. */
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  /** A line of ours, marked `bellhop:`: what was started, what could not be read. */
  note(text: string): void;
  /** Writes what is held back and closes the file. Nothing may be written afterwards. Never rejects. */
  close(): Promise<void>;
}

export interface JobLogRequest {
  /** `LOG_DIR`; its folder `job` is made where missing. */
  directory: string;
  jobId: string;
  redactor: Redactor;
  capBytes?: number;
  /** Told once if the file cannot be opened or written. */
  onFailure: (error: Error) => void;
}

/** Opens (or goes on with) the log of a job. */
export function openJobLog(request: JobLogRequest): JobLog {
  return new FileJobLog(request);
}

class FileJobLog implements JobLog {
  readonly #file: WriteStream;
  readonly #out: RedactedStream;
  readonly #err: RedactedStream;
  readonly #redactor: Redactor;
  readonly #cap: number;
  readonly #closed: Promise<void>;
  #written = 0;
  #full = false;
  #left = 0;

  constructor({ directory, jobId, redactor, capBytes, onFailure }: JobLogRequest) {
    const folder = join(directory, "job");
    this.#redactor = redactor;
    this.#out = redactor.stream();
    this.#err = redactor.stream();
    this.#cap = capBytes ?? JOB_LOG_CAP_BYTES;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // Opening the file in it fails next, and that failure is told.
    }
    this.#file = createWriteStream(join(folder, `${jobId}.log`), { flags: "a", mode: 0o600 });
    this.#file.once("error", onFailure);
    this.#closed = new Promise((resolve) => this.#file.once("close", resolve));
  }

  stdout(chunk: Uint8Array): void {
    this.#write(this.#out.push(chunk));
  }

  stderr(chunk: Uint8Array): void {
    this.#write(this.#err.push(chunk));
  }

  note(text: string): void {
    this.#write(Buffer.from(`bellhop: ${this.#redactor.text(text)}\n`));
  }

  close(): Promise<void> {
    if (this.#file.writable) {
      this.#write(this.#out.end());
      this.#write(this.#err.end());
      if (this.#left > 0) this.#file.write(`\nbellhop: ${this.#left} bytes were left out: the disk was too slow\n`);
      this.#file.end();
    }
    return this.#closed;
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0 || this.#full || !this.#file.writable) return;
    if (this.#file.writableLength > BACKLOG_BYTES) {
      this.#left += bytes.length;
      return;
    }
    const room = this.#cap - this.#written;
    this.#written += bytes.length;
    this.#file.write(bytes.length > room ? bytes.subarray(0, room) : bytes);
    if (bytes.length <= room) return;
    this.#full = true;
    this.#file.write(`\nbellhop: this log is full (${this.#cap} bytes); what follows is left out\n`);
  }
}
