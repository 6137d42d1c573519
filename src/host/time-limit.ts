/**
 * Limits the time of synchronous work. The engine aborts a loop or a regular expression alike, so nothing that is
 * rendered or parsed can block the daemon for longer.
 */
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { createContext, Script } from "node:vm";

/**
 * Returns what `work` returns; it must be synchronous, and an object it was changing when aborted must not be used
 * again. Within other work of the same limiter, that one's limit applies. Each limit costs a thread of Node's; while
 * too many files are open for one, there is no limit.
 * @throws what it throws, or an Error if it took too long
 */
export type Within = <T>(ms: number, work: () => T) => T;

const OVERDUE = "ERR_SCRIPT_EXECUTION_TIMEOUT";

export function openWithin(): Within {
  // Made on first use: it takes some milliseconds.
  let call: ((ms: number, work: () => unknown) => unknown) | undefined;
  let limited = false;
  return <T>(ms: number, work: () => T): T => {
    if (limited || !hasRoomForThread()) return work();
    limited = true;
    try {
      return (call ??= caller())(ms, work) as T;
    } catch (error) {
      // The engine's own error is from another realm.
      if ((error as { code?: unknown } | null)?.code === OVERDUE)
        throw new Error(`it took longer than ${ms} ms`, { cause: error });
      throw error;
    } finally {
      limited = false;
    }
  };
}

/** Node's thread opens six files of its own; where it cannot, Node aborts the whole process. */
const THREADS_FILES = 8;

function hasRoomForThread(): boolean {
  const files: number[] = [];
  try {
    while (files.length < THREADS_FILES) files.push(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** Only code run from a script can have a timeout, which covers everything it calls. */
function caller(): (ms: number, work: () => unknown) => unknown {
  const script = new Script("work()");
  const context = createContext({ work: undefined });
  return (timeout, work) => {
    context["work"] = work;
    try {
      return script.runInContext(context, { timeout });
    } finally {
      context["work"] = undefined;
    }
  };
}
