/**
 * Where the socket is: in `$XDG_RUNTIME_DIR/bellhop` if that is private to us, else in STATE_DIR. A private file in
 * STATE_DIR, `link.json`, says which, so a caller with another environment finds it too. Nothing that another user
 * could have put there is created, removed or followed.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import fs from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { errnoOf, nodeDisk, writeAtomically } from "../base/disk.ts";
import { readAddressFile, type Address } from "../protocol/messages.ts";
import { linkRefused } from "../protocol/frame.ts";

const ADDRESS = "link.json";
const MAX_ADDRESS_BYTES = 64 * 1024;
/** `sun_path` with its NUL is 108 bytes on Linux and 104 on the BSDs and macOS. */
const LONGEST_PATH = process.platform === "linux" ? 107 : 103;

/**
 * The directories that may hold the socket of this state directory, the preferred first, with its name there.
 * @param stateDir exists and is ours (see `journal/state-directory.ts`)
 */
export async function socketPlaces(stateDir: string, runtimeDir: string | undefined): Promise<string[]> {
  const own = join(stateDir, "bellhop.sock");
  if (process.getuid === undefined || runtimeDir === undefined || !isAbsolute(runtimeDir)) return [own];
  const folder = join(runtimeDir, "bellhop");
  try {
    await assertOurs(runtimeDir);
    await fs.mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (errnoOf(error) !== "EEXIST") throw error;
    });
    await assertOurs(folder);
  } catch {
    return [own];
  }
  const name = createHash("sha256")
    .update(await fs.realpath(stateDir))
    .digest("hex")
    .slice(0, 24);
  return [join(folder, `${name}.sock`), own];
}

/**
 * Removes a dead daemon's socket at this path. Only the holder of the state directory's lock may call it.
 * @throws E_LINK_REFUSED if something else than a socket of ours is there
 */
export async function clearStale(path: string): Promise<void> {
  const stats = await statOf(path);
  if (stats === undefined) return;
  if (!stats.isSocket() || !isOurs(stats.uid)) throw linkRefused(`${path} exists and is not a socket of Bellhop`);
  await fs.unlink(path);
}

/** A path that fits into a socket's address, valid until it is released. */
export interface ShortPath {
  readonly name: string;
  removeLink(): void;
}

/**
 * The path itself if it is short enough. A longer one is reached through its open directory, which has a short name on
 * Linux.
 * @throws E_LINK_REFUSED for a path that is too long on other systems
 */
export function shortPath(path: string): ShortPath {
  if (Buffer.byteLength(path) <= LONGEST_PATH) return { name: path, removeLink: () => undefined };
  if (process.platform !== "linux")
    throw linkRefused(`the path ${path} is longer than ${LONGEST_PATH} bytes; set a shorter STATE_DIR`);
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return { name: join("/proc/self/fd", String(folder), basename(path)), removeLink: () => closeSync(folder) };
}

/** @throws what the disk throws */
export async function writeAddress(stateDir: string, address: Address): Promise<void> {
  await writeAtomically(
    nodeDisk,
    join(stateDir, ADDRESS),
    Buffer.from(`${JSON.stringify({ version: 1, ...address })}\n`),
  );
}

/**
 * Removes the address of a daemon that ended without doing so. The next daemon may use the same socket path, and does
 * not know the old capabilities.
 */
export async function removeStaleAddress(stateDir: string): Promise<void> {
  await fs.rm(join(stateDir, ADDRESS), { force: true });
}

/** Removes it only if it is still this process's. */
export async function removeAddress(stateDir: string, pid: number): Promise<void> {
  const address = await readAddress(stateDir).catch(() => undefined);
  if (address?.pid === pid) await fs.rm(join(stateDir, ADDRESS), { force: true });
}

/**
 * Undefined if there is none.
 * @throws E_LINK_REFUSED if it, or the socket it names, is not private to us
 */
export async function readAddress(stateDir: string): Promise<Address | undefined> {
  const path = join(stateDir, ADDRESS);
  const text = await readPrivate(path);
  if (text === undefined) return undefined;
  const address = readAddressFile(text);
  if (address === undefined) throw linkRefused(`${path} is damaged`);
  return address;
}

/** False if nothing is there. @throws E_LINK_REFUSED unless it is a socket of ours in a directory private to us */
export async function isOurSocket(path: string): Promise<boolean> {
  const stats = await statOf(path);
  if (stats === undefined) return false;
  if (!stats.isSocket() || !isOurs(stats.uid)) throw linkRefused(`${path} is not a socket of Bellhop`);
  await assertOurs(dirname(path));
  return true;
}

async function readPrivate(path: string): Promise<string | undefined> {
  let file: fs.FileHandle;
  try {
    file = await fs.open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw linkRefused(`${path}: ${errnoOf(error)}`);
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile() || !isOurs(stats.uid) || isOpenToOthers(stats.mode))
      throw linkRefused(`${path} is not private to this user (mode 0600)`);
    if (stats.size > MAX_ADDRESS_BYTES) throw linkRefused(`${path} is too long`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

async function assertOurs(folder: string): Promise<void> {
  const stats = await fs.lstat(folder);
  if (!stats.isDirectory() || !isOurs(stats.uid) || isOpenToOthers(stats.mode))
    throw linkRefused(`${folder} is not private to this user (mode 0700)`);
}

async function statOf(path: string) {
  try {
    return await fs.lstat(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Windows has no user ids; there the profile is private by other means. */
function isOurs(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function isOpenToOthers(mode: number): boolean {
  return process.getuid !== undefined && (mode & 0o077) !== 0;
}
