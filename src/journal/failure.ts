/**
 * The journal's failures: damage (what is on disk is not what was written) or a disk that refuses. Both name the file,
 * so that a person can look at it.
 */
import { errnoOf } from "../base/disk.ts";
import { BellhopError, theirWords } from "../base/errors.ts";

/** Where the journal is damaged. */
export interface Damage {
  readonly file: string;
  /** Bytes from the start of the file to the start of the wrong line. */
  readonly offset: number;
  /** The sequence number expected there. */
  readonly seq: number;
  /** What is there instead, in a few words. */
  readonly found: string;
}

export function corrupt(damage: Damage): BellhopError {
  return new BellhopError("E_JOURNAL_CORRUPT", { ...damage });
}

/** A failed disk call; `operation` is its verb: open, read, write, sync, rename. */
export function diskFailed(file: string, operation: string, error: unknown): BellhopError {
  if (error instanceof BellhopError) return error;
  const reason = theirWords(`${operation} ${file}: ${errnoOf(error)}`);
  return new BellhopError("E_JOURNAL_WRITE", { file, operation, reason }, { cause: error });
}

/** A disk call whose failure names the file. @throws E_JOURNAL_WRITE */
export async function attempt<T>(file: string, operation: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw diskFailed(file, operation, error);
  }
}
