/**
 * The words that open a locked Bellhop: the one its owner has set before, of which only a salted hash is on disk, and
 * one that `bellhop unlock` shows at the machine, which is only in memory. Words are tried one after the other, and a
 * wrong one is on disk before it is answered, so that nobody tries more of them than he may.
 */
import { randomBytes, randomInt, scrypt, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { isoTime, type Clock } from "../base/clock.ts";
import { readWhole, writeAtomically, type Disk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { MOST_WRONG, requireOpenable, type OpenedBy } from "../core/jobs/lock.ts";
import type { RecordedEvent } from "../core/state.ts";
import type { Engine } from "./engine.ts";

export interface UnlockWords {
  /**
   * A new word, which replaces the last one and is good for one use within `SHOWN_MS`.
   * @throws BellhopError E_NOT_LOCKED, E_WORD_CLOSED
   */
  showWord(): string;
  /** Whether a word may be given now. @throws BellhopError E_NOT_LOCKED, E_WORD_CLOSED */
  requireOpen(): void;
  /**
   * Unlocks if it is one of the words.
   * @throws BellhopError E_NOT_LOCKED, E_WORD_CLOSED, E_WORD_WRONG; what the disk throws
   */
  unlock(typed: string, interactionId: string): Promise<readonly RecordedEvent[]>;
}

/** How long a word that was shown is good. */
export const SHOWN_MS = 10 * 60_000;
export const SHORTEST_WORD = 8;
/** Typed in a modal, whose limit for one line is above this. */
export const LONGEST_WORD = 200;

/** In the state directory. */
const FILE = "unlock-word.json";
/** Lower-case letters and digits without those that look alike. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
/** Nearly five random bits each. */
const SHOWN_CHARS = 10;
const COST = { N: 2 ** 15, r: 8, p: 1 };
const BYTES = 32;
const FORM = /^\{"salt":"([0-9a-f]{32})","hash":"([0-9a-f]{64})"\}\n$/;

export function openUnlockWords(options: { engine: Engine; clock: Clock; disk: Disk; stateDir: string }): UnlockWords {
  const { engine, clock, disk, stateDir } = options;
  let shown: { word: string; until: number } | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const requireOpen = (): void => requireOpenable(engine.state, isoTime(clock.now()));

  async function wordBy(typed: string): Promise<OpenedBy | null> {
    if (shown !== null && clock.monotonic() < shown.until && isSame(bare(typed), bare(shown.word))) return "shown";
    return (await isSetWord(disk, stateDir, typed)) ? "set" : null;
  }

  async function attempt(typed: string, interaction_id: string): Promise<readonly RecordedEvent[]> {
    requireOpen();
    const by = await wordBy(typed);
    if (by !== null) {
      shown = null;
      return engine.submit({ type: "unlock", by, interaction_id });
    }
    await engine.submit({ type: "refuse_word" });
    const left = MOST_WRONG - (engine.state.lock?.wrong ?? MOST_WRONG);
    if (left > 0) throw new BellhopError("E_WORD_WRONG", { left });
    shown = null;
    return (requireOpen(), []);
  }

  return {
    requireOpen,
    showWord() {
      requireOpen();
      const all = Array.from({ length: SHOWN_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)] ?? "").join("");
      const word = `${all.slice(0, SHOWN_CHARS / 2)}-${all.slice(SHOWN_CHARS / 2)}`;
      shown = { word, until: clock.monotonic() + SHOWN_MS };
      return word;
    },
    unlock(typed, interactionId) {
      const one = last.then(() => attempt(typed, interactionId));
      last = one.catch(() => undefined);
      return one;
    },
  };
}

/** Sets the word; nobody can read it back. @throws what the disk throws */
export async function saveUnlockWord(disk: Disk, stateDir: string, word: string): Promise<void> {
  const salt = randomBytes(16);
  const hash = await hashed(word, salt);
  const text = JSON.stringify({ salt: salt.toString("hex"), hash: hash.toString("hex") });
  await writeAtomically(disk, join(stateDir, FILE), Buffer.from(`${text}\n`));
}

/** What a phone does to a word by itself, such as a capital at its beginning, does not make it another one. */
export function unlockWordIn(typed: string): string {
  return typed.normalize("NFKC").trim().toLowerCase();
}

async function isSetWord(disk: Disk, stateDir: string, typed: string): Promise<boolean> {
  const bytes = await readWhole(disk, join(stateDir, FILE));
  const known = bytes === undefined ? undefined : keptIn(bytes.toString());
  // Without one it takes as long.
  const salt = Buffer.from(known?.salt ?? "", "hex");
  const hash = await hashed(typed, salt);
  return known !== undefined && isSame(hash, Buffer.from(known.hash, "hex"));
}

/** Undefined for what is no such file: no word is set then. */
function keptIn(text: string): { salt: string; hash: string } | undefined {
  const [, salt, hash] = FORM.exec(text) ?? [];
  return salt === undefined || hash === undefined ? undefined : { salt, hash };
}

function hashed(word: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(unlockWordIn(word), salt, BYTES, { ...COST, maxmem: 2 * 128 * COST.N * COST.r }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** A shown word without what divides it. */
function bare(word: string): Buffer {
  return Buffer.from(unlockWordIn(word).replaceAll(/[\s-]/g, ""));
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
