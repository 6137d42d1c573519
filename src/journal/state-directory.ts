/**
 * The state directory must be private (mode 0700, our user's, no symlink), or it is refused: anyone who can write to it
 * can write our agents' prompts.
 */
import fs from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { type Disk, errnoOf, nodeDisk } from "../base/disk.ts";
import { BellhopError, theirWords } from "../base/errors.ts";
import { diskFailed } from "./writer.ts";

/**
 * Creates the directory durably, with missing parents; checks it if it exists.
 * @throws BellhopError E_CONFIG_INVALID {where, found, expected, mend}; E_PATH_REFUSED {path, reason}
 */
export async function prepareStateDirectory(dir: string, disk: Pick<Disk, "syncDirectory"> = nodeDisk): Promise<void> {
  const path = resolve(dir);
  try {
    const made = await fs.mkdir(path, { recursive: true, mode: 0o700 });
    if (made !== undefined) await syncNames(disk, made, path);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST")
      throw new BellhopError("E_PATH_REFUSED", { path, reason: theirWords(errnoOf(error)) }, { cause: error });
  }
  await checkStateDirectory(path);
}

/** Syncs the names of all directories from the topmost one that was created down to `path`. */
async function syncNames(disk: Pick<Disk, "syncDirectory">, made: string, path: string): Promise<void> {
  let parent = dirname(made);
  for (const step of relative(parent, path).split(sep)) {
    await disk.syncDirectory(parent);
    parent = resolve(parent, step);
  }
}

/** Whether it is private. @throws BellhopError E_CONFIG_INVALID {where, found, expected, mend} */
export async function checkStateDirectory(path: string): Promise<void> {
  const refuse = (found: string, expected: string, mend: string): never => {
    throw new BellhopError("E_CONFIG_INVALID", { where: `STATE_DIR ${path}`, found, expected, mend });
  };
  const stats = await fs.lstat(path).catch((error: unknown) => {
    throw diskFailed(path, "stat", error);
  });
  if (stats.isSymbolicLink()) refuse("symlink", "directory", `STATE_DIR=${await fs.realpath(path).catch(() => "…")}`);
  if (!stats.isDirectory()) refuse("file", "directory", "STATE_DIR=…");
  // Windows has neither; there the user's profile is private by other means.
  if (process.getuid === undefined) return;
  if (stats.uid !== process.getuid())
    refuse(`uid ${stats.uid}`, `uid ${process.getuid()}`, `chown ${process.getuid()} '${path}'`);
  const mode = stats.mode & 0o777;
  if ((mode & 0o077) !== 0) refuse(`mode 0${mode.toString(8)}`, "mode 0700", `chmod 700 '${path}'`);
}
