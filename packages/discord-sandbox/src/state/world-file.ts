/**
 * Keeps the world in a file: written whole, to a temporary name and renamed, a moment after the last change and at the
 * end. Private to the owner. A file that cannot be read stops the start; it is never overwritten. Tokens are not in it,
 * because whoever can read the file could act as the owner with one; everybody gets a new token at each start.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject } from "../rest/form.ts";
import { newToken, type World } from "./world.ts";

const QUIET_MS = 200;
/** At most this part of the time goes into saving, however large the world has grown. */
const SHARE = 0.05;

/** The world in the file; null where there is none yet. */
export function readWorld(file: string): World | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || value["version"] !== 1) throw new Error(`${file} is not a sandbox world of version 1`);
  const world = value as unknown as World;
  // An earlier version's file has them, and what was read there may have been read by others.
  for (const user of Object.values(world.users)) user.token = newToken(user.id);
  return world;
}

function withoutTokens(world: World): object {
  const users = Object.entries(world.users).map(([id, { token: _token, ...user }]) => [id, user]);
  return { ...world, users: Object.fromEntries(users) as object };
}

export class Store {
  readonly #file: string;
  readonly #world: () => World;
  #timer: NodeJS.Timeout | null = null;
  #tookMs = 0;

  constructor(file: string, world: () => World) {
    this.#file = file;
    this.#world = world;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  }

  /** Saves in a moment; further changes until then are saved with it. */
  soon(): void {
    this.#timer ??= setTimeout(() => this.now(), Math.max(QUIET_MS, this.#tookMs / SHARE)).unref();
  }

  now(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const began = performance.now();
    const temporary = `${this.#file}.new`;
    const handle = openSync(temporary, "w", 0o600);
    try {
      writeFileSync(handle, JSON.stringify(withoutTokens(this.#world())));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, this.#file);
    this.#tookMs = performance.now() - began;
  }
}
