/**
 * Where the socket is: in `$XDG_RUNTIME_DIR/bellhop` where that is ours alone, else in STATE_DIR. A private file in
 * STATE_DIR, `link.json`, says which, so a caller with another environment finds it too. Nothing is made, removed or
 * followed that somebody else could have put there.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import fs from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { errnoOf, nodeDisk, writeAtomically } from "../base/disk.ts";
import { roles, type Role } from "./protocol.ts";
import { refused } from "./frame.ts";

/** What `link.json` holds. */
export interface Address {
  /** Absolute path of the socket. */
  socket: string;
  pid: number;
  /** For each role, what its callers show. */
  capabilities: Readonly<Record<Role, string>>;
}

const ADDRESS = "link.json";
const MAX_ADDRESS_BYTES = 64 * 1024;
/** `sun_path` with its NUL is 108 bytes on Linux and 104 on the BSDs and macOS. */
const LONGEST_PATH = process.platform === "linux" ? 107 : 103;

/**
 * The directories that may hold the socket of this state directory, the best first, with the name it has there.
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
  const name = createHash("sha256").update(await fs.realpath(stateDir)).digest("hex").slice(0, 24);
  return [join(folder, `${name}.sock`), own];
}

/**
 * Removes what a daemon that is gone left at this path. To be called by the holder of the state directory's lock.
 * @throws E_LINK_REFUSED where something else than a socket of ours stands there
 */
export async function clearStale(path: string): Promise<void> {
  const stats = await statOf(path);
  if (stats === undefined) return;
  if (!stats.isSocket() || !isOurs(stats.uid)) throw refused(`${path} is there and is no socket of ours`);
  await fs.unlink(path);
}

/** A path that fits into a socket's address, good until it is released. */
export interface ShortPath {
  readonly name: string;
  release(): void;
}

/**
 * The path itself where it is short enough. A longer one is reached over its open directory, which Linux lets one
 * name in few bytes.
 * @throws E_LINK_REFUSED for a path that is too long on a system that has no such way
 */
export function shortPath(path: string): ShortPath {
  if (Buffer.byteLength(path) <= LONGEST_PATH) return { name: path, release: () => undefined };
  if (process.platform !== "linux") throw refused(`the path ${path} is longer than ${LONGEST_PATH} bytes; set a shorter STATE_DIR`);
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return { name: join("/proc/self/fd", String(folder), basename(path)), release: () => closeSync(folder) };
}

/** @throws what the disk throws */
export async function writeAddress(stateDir: string, address: Address): Promise<void> {
  await writeAtomically(nodeDisk, join(stateDir, ADDRESS), Buffer.from(`${JSON.stringify({ version: 1, ...address })}\n`));
}

/** That of a daemon that ended without removing it. Its socket's place may be the next one's, which knows nobody it let in. */
export async function removeStaleAddress(stateDir: string): Promise<void> {
  await fs.rm(join(stateDir, ADDRESS), { force: true });
}

/** Only if it is still the one of this process. */
export async function removeAddress(stateDir: string, pid: number): Promise<void> {
  const address = await readAddress(stateDir).catch(() => undefined);
  if (address?.pid === pid) await fs.rm(join(stateDir, ADDRESS), { force: true });
}

/**
 * Undefined where there is none.
 * @throws E_LINK_REFUSED where it, or the socket it names, is not ours alone
 */
export async function readAddress(stateDir: string): Promise<Address | undefined> {
  const path = join(stateDir, ADDRESS);
  const text = await readPrivate(path);
  if (text === undefined) return undefined;
  const address = parseAddress(text);
  if (address === undefined) throw refused(`${path} is damaged`);
  return address;
}

/** @throws E_LINK_REFUSED unless the path is a socket of ours in a directory of ours alone; false where nothing is there */
export async function isOurSocket(path: string): Promise<boolean> {
  const stats = await statOf(path);
  if (stats === undefined) return false;
  if (!stats.isSocket() || !isOurs(stats.uid)) throw refused(`${path} is no socket of ours`);
  await assertOurs(dirname(path));
  return true;
}

async function readPrivate(path: string): Promise<string | undefined> {
  let file: fs.FileHandle;
  try {
    file = await fs.open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw refused(`${path}: ${errnoOf(error)}`);
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile() || !isOurs(stats.uid) || isOpenToOthers(stats.mode)) throw refused(`${path} is not ours alone (mode 0600)`);
    if (stats.size > MAX_ADDRESS_BYTES) throw refused(`${path} is too long`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function parseAddress(text: string): Address | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    const { socket, pid, capabilities } = value as Record<string, unknown>;
    if (typeof socket !== "string" || !isAbsolute(socket) || typeof pid !== "number") return undefined;
    if (typeof capabilities !== "object" || capabilities === null) return undefined;
    const given = capabilities as Record<string, unknown>;
    return roles.every((role) => typeof given[role] === "string") ? { socket, pid, capabilities: given as Address["capabilities"] } : undefined;
  } catch {
    return undefined;
  }
}

async function assertOurs(folder: string): Promise<void> {
  const stats = await fs.lstat(folder);
  if (!stats.isDirectory() || !isOurs(stats.uid) || isOpenToOthers(stats.mode)) throw refused(`${folder} is not ours alone (mode 0700)`);
}

async function statOf(path: string) {
  try {
    return await fs.lstat(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Windows has no user ids; there the profile is private by its own means. */
function isOurs(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function isOpenToOthers(mode: number): boolean {
  return process.getuid !== undefined && (mode & 0o077) !== 0;
}
