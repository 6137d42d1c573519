/**
 * Looks at a directory that somebody wants to work in: whether it exists and is readable, and its real path. The answer
 * is about this moment, so the caller that starts work in it looks again.
 */
import { constants, existsSync, realpathSync, statSync } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { sep } from "node:path";

export type Directory =
  /** `path` contains no links. `wide`: it holds the whole home directory, or the whole machine. */
  | { is: "directory"; path: string; wide: boolean }
  /** `closed`: it exists but is not readable. `ours`: it holds Bellhop's state directory or is inside it. */
  | { is: "absent" | "file" | "closed" | "ours" };

export interface Around {
  /** The home directory of the user Bellhop runs as, if there is one. */
  home: string | undefined;
  /** Absolute. */
  stateDir: string;
}

/** Never throws. @param path absolute */
export async function lookAtDirectory(path: string, { home, stateDir }: Around): Promise<Directory> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isDirectory()) return { is: "file" };
    await access(real, constants.R_OK | constants.X_OK);
    if (isOurs(real, stateDir)) return { is: "ours" };
    return {
      is: "directory",
      path: real,
      wide: holds(real, home === undefined ? "/" : await realpath(home).catch(() => home)),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { is: code === "EACCES" || code === "EPERM" ? "closed" : "absent" };
  }
}

/** The same synchronously, for where a job is to run: its real path, or null if there is no directory. */
export function standingDirectory(path: string, stateDir: string): { path: string; ours: boolean } | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? { path: real, ours: isOurs(real, stateDir) } : null;
  } catch {
    return null;
  }
}

/** An agent that works there could write Bellhop's own state. */
function isOurs(real: string, stateDir: string): boolean {
  // Before the first start there is none.
  const own = existsSync(stateDir) ? realpathSync(stateDir) : stateDir;
  return holds(real, own) || holds(own, real);
}

function holds(outer: string, inner: string): boolean {
  return outer === inner || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}
