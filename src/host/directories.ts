/**
 * Looks at a directory that somebody wants to work in: whether it is one, may be read, and where it really is. The
 * answer is about this moment; a directory may be gone the next, so whoever starts work in it looks again.
 */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { sep } from "node:path";

export type Directory =
  /** `path` has no links in it any more. `wide`: it holds the whole home directory, or the whole machine. */
  | { is: "directory"; path: string; wide: boolean }
  /** `closed`: it is there, but we may not read it. */
  | { is: "absent" | "file" | "closed" };

/** Never throws. @param path absolute @param home the home directory of whom we run as, if there is one */
export async function lookAtDirectory(path: string, home: string | undefined): Promise<Directory> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isDirectory()) return { is: "file" };
    await access(real, constants.R_OK | constants.X_OK);
    return { is: "directory", path: real, wide: holds(real, home === undefined ? "/" : await realpath(home).catch(() => home)) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { is: code === "EACCES" || code === "EPERM" ? "closed" : "absent" };
  }
}

function holds(outer: string, inner: string): boolean {
  return outer === inner || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}
