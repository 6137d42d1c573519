/** Tells apart from bugs what the system refuses to do with a file or a directory: its owner has to mend that. */
import { BellhopError, theirWords, type ReasonKey } from "./errors.ts";

const REFUSALS = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR"]);

/** Why a file is refused, in words where they say what to do; else by the system's code. */
const WHY: Readonly<Record<string, ReasonKey | null>> = {
  ...Object.fromEntries([...REFUSALS, "EIO", "ENOENT"].map((code) => [code, null])),
  ENOSPC: "why_disk_full",
  EDQUOT: "why_disk_full",
  EMFILE: "why_no_more_files",
  ENFILE: "why_no_more_files",
};

/** E_PATH_REFUSED {path, reason} for such an error of `node:fs`. */
export function pathRefusal(error: unknown): BellhopError | undefined {
  const { code = "", path, syscall = "" } = Object(error) as NodeJS.ErrnoException;
  if (!REFUSALS.has(code) || path === undefined) return undefined;
  return new BellhopError("E_PATH_REFUSED", { path, reason: theirWords(`${syscall}: ${code}`) }, { cause: error });
}

/** E_FILE_REFUSED {errno, because or reason} for such an error under a running daemon, where it may name no path. */
export function fileRefusal(error: unknown): BellhopError | undefined {
  const { code: errno = "", path, syscall } = Object(error) as NodeJS.ErrnoException;
  const because = Object.hasOwn(WHY, errno) ? WHY[errno] : undefined;
  if (because === undefined) return undefined;
  const why =
    because === null ? { reason: theirWords(`${[syscall, path].filter(Boolean).join(" ")}: ${errno}`) } : { because };
  return new BellhopError("E_FILE_REFUSED", { errno, ...why }, { cause: error });
}
