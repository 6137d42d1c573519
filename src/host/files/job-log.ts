/**
 * The raw record of one job: what its agent wrote, byte for byte after redaction, in `LOG_DIR/job/<job_id>.log`. Lines
 * of its two streams take turns, and a line stays whole up to 64 kB. The log is for people who look for the cause of a
 * failure; nothing in Bellhop reads it, and a log that cannot be written never stops a job. The file is private (0600)
 * and has a size limit, which it notes when it is reached.
 */
import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { join } from "node:path";
import type { RedactedStream, Redactor } from "../../base/redact.ts";

export const JOB_LOG_CAP_BYTES = 64 * 1024 * 1024;

/** Unwritten bytes beyond this are dropped: a hanging disk must not fill the memory. */
const BACKLOG_BYTES = 4 * 1024 * 1024;

/** A line that is longer is written before it has ended. */
const LONGEST_HELD_BYTES = 64 * 1024;

export interface JobLog {
  /** Output of the agent, as received. */
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  /** A line of Bellhop's, marked `bellhop:`: what was started, what could not be read. */
  writeNote(text: string): void;
  /** Writes what is buffered and closes the file. Nothing may be written afterwards. Never rejects. */
  close(): Promise<void>;
}

export interface JobLogRequest {
  /** `LOG_DIR`; the log's folder in it is made if missing. */
  directory: string;
  redactor: Redactor;
  capBytes?: number;
  /** Called once if the file cannot be opened or written. */
  onFailure: (error: Error) => void;
}

/** Opens the log of a job, or continues it. */
export function openJobLog({ jobId, ...request }: JobLogRequest & { jobId: string }): JobLog {
  return new FileJobLog(request, "job", jobId);
}

/** The same for what a session's agent writes between its jobs, in `LOG_DIR/sessions/<thread_id>.log`. */
export function openSessionLog({ threadId, ...request }: JobLogRequest & { threadId: string }): JobLog {
  return new LateLog(() => new FileJobLog(request, "sessions", threadId));
}

/** A log whose file is made with the first thing that is written. */
class LateLog implements JobLog {
  readonly #open: () => JobLog;
  #log: JobLog | null = null;

  constructor(open: () => JobLog) {
    this.#open = open;
  }

  stdout(chunk: Uint8Array): void {
    (this.#log ??= this.#open()).stdout(chunk);
  }

  stderr(chunk: Uint8Array): void {
    (this.#log ??= this.#open()).stderr(chunk);
  }

  writeNote(text: string): void {
    (this.#log ??= this.#open()).writeNote(text);
  }

  async close(): Promise<void> {
    await this.#log?.close();
  }
}

/**
 * One of the agent's streams, redacted: holds back a line until it has ended, so that the other one does not write into
 * it.
 */
class WholeLines {
  readonly #clean: RedactedStream;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(clean: RedactedStream) {
    this.#clean = clean;
  }

  /** The result may be a view of the chunk. */
  write(chunk: Uint8Array): Buffer {
    const bytes = this.#clean.write(chunk);
    const endOfLines = this.#heldBytes + bytes.length > LONGEST_HELD_BYTES ? bytes.length : bytes.lastIndexOf("\n") + 1;
    if (endOfLines === 0) {
      this.#copyPart(bytes);
      return Buffer.alloc(0);
    }
    const ended = bytes.subarray(0, endOfLines);
    const lines = this.#held.length === 0 ? ended : Buffer.concat([...this.#held, ended]);
    [this.#held, this.#heldBytes] = [[], 0];
    this.#copyPart(bytes.subarray(endOfLines));
    return lines;
  }

  flush(): Buffer {
    return Buffer.concat([...this.#held, this.#clean.flush()]);
  }

  /** A copy: the bytes may be a view of a chunk that is used again. */
  #copyPart(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#held.push(Buffer.from(bytes));
    this.#heldBytes += bytes.length;
  }
}

class FileJobLog implements JobLog {
  readonly #file: WriteStream;
  readonly #out: WholeLines;
  readonly #err: WholeLines;
  readonly #redactor: Redactor;
  readonly #cap: number;
  readonly #closed: Promise<void>;
  #written = 0;
  #full = false;
  #left = 0;

  constructor({ directory, redactor, capBytes, onFailure }: JobLogRequest, kind: "job" | "sessions", name: string) {
    const folder = join(directory, kind);
    this.#redactor = redactor;
    this.#out = new WholeLines(redactor.stream());
    this.#err = new WholeLines(redactor.stream());
    this.#cap = capBytes ?? JOB_LOG_CAP_BYTES;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // Opening the file in it fails next, and that failure is reported.
    }
    this.#file = createWriteStream(join(folder, `${name}.log`), { flags: "a", mode: 0o600 });
    this.#file.once("error", onFailure);
    this.#closed = new Promise((resolve) => this.#file.once("close", resolve));
  }

  stdout(chunk: Uint8Array): void {
    this.#write(this.#out.write(chunk));
  }

  stderr(chunk: Uint8Array): void {
    this.#write(this.#err.write(chunk));
  }

  writeNote(text: string): void {
    this.#write(Buffer.from(`bellhop: ${this.#redactor.redactText(text)}\n`));
  }

  close(): Promise<void> {
    if (this.#file.writable) {
      this.#write(this.#out.flush());
      this.#write(this.#err.flush());
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
