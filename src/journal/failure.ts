/**
 * How the journal's room says that it cannot go on: damage (what stands on disk is not what was
 * written) or a refusal of the disk. Both name the file, so that a person can go and look.
 */
import { errnoOf } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";

/** Where the journal stopped making sense. */
export interface Damage {
  readonly file: string;
  /** Bytes from the start of the file to the start of the line that is wrong. */
  readonly offset: number;
  /** The sequence number that should stand there. */
  readonly seq: number;
  /** What stands there instead, in a few words. */
  readonly found: string;
}

export function corrupt(damage: Damage): BellhopError {
  return new BellhopError("E_JOURNAL_CORRUPT", { ...damage });
}

/** A call of the disk that failed; `operation` is its verb: open, read, write, sync, rename. */
export function diskFailed(file: string, operation: string, error: unknown): BellhopError {
  if (error instanceof BellhopError) return error;
  const reason = `${operation} ${file}: ${errnoOf(error)}`;
  return new BellhopError("E_JOURNAL_WRITE", { file, operation, reason }, { cause: error });
}
