/** What the system does not let this user do with a file or a directory is its owner's matter, and no bug. */
import { BellhopError, theirWords } from "./errors.ts";

const REFUSALS = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR"]);

/** E_PATH_REFUSED {path, reason} for such an error of `node:fs`. */
export function pathRefusal(error: unknown): BellhopError | undefined {
  const { code = "", path, syscall = "" } = Object(error) as NodeJS.ErrnoException;
  if (!REFUSALS.has(code) || path === undefined) return undefined;
  return new BellhopError("E_PATH_REFUSED", { path, reason: theirWords(`${syscall}: ${code}`) }, { cause: error });
}
