/**
 * The beginnings and ends of turns that hooks kept in files because no daemon took them, oldest first. Each is removed
 * when it has been taken, and what cannot be read is removed too, so that no file is read for ever.
 */
import { constants } from "node:fs";
import fs from "node:fs/promises";
import { join } from "node:path";

export interface Spooled {
  /** The two lines by which a hook says where it comes from. */
  origin: string;
  tmux: string;
  body: string;
  remove(): Promise<void>;
}

/** The folder of the files, in the hooks' own. */
export const SPOOL = "spool";
/** As in `scripts/hook.sh`, with the lines above the payload. */
const MOST_BYTES = 1024 * 1024 + 8192;
const MOST_FILES = 200;
const NAME = /^\d{14}-\d+$/;

/**
 * @param folder of `openHookFolder`
 * @param isAgain files that are being written are left alone; the first time they are what killed hooks left
 * @throws what the disk throws
 */
export async function* readSpool(folder: string, isAgain: boolean): AsyncGenerator<Spooled> {
  const spool = join(folder, SPOOL);
  const names = (await fs.readdir(spool)).filter((name) => !isAgain || !name.startsWith(".")).slice(0, 2 * MOST_FILES);
  const times = await Promise.all(
    names.map(async (name) => ({ name, at: (await fs.lstat(join(spool, name), { bigint: true })).mtimeNs })),
  );
  for (const { name } of times.sort((a, b) => Number(a.at - b.at))) {
    const path = join(spool, name);
    const remove = (): Promise<void> => fs.rm(path, { force: true, recursive: true });
    const text = NAME.test(name) ? await read(path).catch(() => undefined) : undefined;
    const [, origin, tmux, body] = /^([^\n]*)\n([^\n]*)\n([^]*)$/.exec(text ?? "") ?? [];
    if (origin === undefined || tmux === undefined || body === undefined) await remove();
    else yield { origin, tmux, body, remove };
  }
}

/** Undefined for anything but a file of ours in its limits. */
async function read(path: string): Promise<string | undefined> {
  const file = await fs.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    const isOurs = process.getuid === undefined || stats.uid === process.getuid();
    return stats.isFile() && isOurs && stats.size <= MOST_BYTES ? await file.readFile("utf8") : undefined;
  } finally {
    await file.close();
  }
}
