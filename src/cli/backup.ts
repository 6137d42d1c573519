/**
 * `bellhop backup [FILE] [--overwrite]` copies what a state directory needs to go on elsewhere to one `.tar.gz`, beside
 * a running daemon too; `bellhop backup --restore FILE` puts it into an empty one, whole or not at all. Exits with 65 for
 * a damaged journal, 66 if there is none, 73 if a file or the directory is refused.
 */
import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, readdir, realpath, rename, rm, rmdir, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { createGzip } from "node:zlib";
import { createTarDecoder, createTarPacker } from "modern-tar";
import { isoTime, systemClock } from "../base/clock.ts";
import { errnoOf, isTemporary, lacksRoom, nodeDisk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { say, type Locale, type WordArgs, type WordKey } from "../base/words/say.ts";
import { checkConfig } from "../config/config-file.ts";
import { configHome } from "../config/homes.ts";
import { openOwn, type OwnFile } from "../host/files/own-file.ts";
import { lockHolder } from "../journal/lock.ts";
import { readJournal, type ReadResult } from "../journal/reader.ts";
import { prepareStateDirectory } from "../journal/state-directory.ts";
import { verifyJournal } from "../journal/verify.ts";
import { fileTime, listJournal, LIVE } from "../journal/writer.ts";
import { asTyped, localeOf, type Io } from "./io.ts";
import { readOptions, WrongCall } from "./options.ts";
import { places } from "./start/daemons.ts";

const CONFIG = "config.json";
/** What a session needs besides the journal. Everything else is made anew, or belongs to this machine. */
const FOLDERS = ["results", "decisions", "configurations", "uploads", "outputs"];
const FILES = /^(?:config\.json|events(?:-\d{12,})?\.ndjson)$/;
const CHUNK_BYTES = 256 * 1024;

/** How often a journal is read that changes meanwhile. */
const TRIES = 3;

type Why = WordKey extends infer Key ? (Key extends `cli.backup.why.${infer Name}` ? Name : never) : never;

/**
 * @param argv what follows `bellhop backup`
 * @throws BellhopError E_BACKUP_REFUSED {path, why}; E_JOURNAL_MISSING; E_JOURNAL_CORRUPT; E_CONFIG_INVALID
 */
export async function backup(argv: readonly string[], io: Io): Promise<number> {
  const { values, words } = readOptions(argv, { restore: { type: "string" }, overwrite: { type: "boolean" } }, 1);
  const { restore: from, overwrite = false } = values;
  if (from !== undefined && (words.length > 0 || overwrite || from === ""))
    throw new WrongCall("cli.wrong.value", { option: "--restore" });
  const named = resolve(places(io, false)[0]?.stateDir ?? "");
  const dir = existsSync(named) && from === undefined ? await realpath(named) : named;
  const lines = from === undefined ? await copy(dir, words[0], overwrite, io) : await restore(dir, resolve(from), io);
  for (const [key, args] of lines) io.stdout.write(`${asTyped(io, say(localeOf(io.env), key, args))}\n`);
  return 0;
}

type Lines = (readonly [WordKey, WordArgs])[];

async function copy(dir: string, named: string | undefined, overwrite: boolean, io: Io): Promise<Lines> {
  const locale = localeOf(io.env);
  const file = resolve(named ?? `bellhop-backup-${fileTime(isoTime(systemClock.now()))}.tar.gz`);
  if (file.startsWith(dir + sep)) throw refusal(locale, file, "inside");
  const assertFree = (): void => {
    if (!overwrite && existsSync(file)) throw refusal(locale, file, "exists");
  };
  assertFree();
  const journal = await openJournal(dir, locale);
  const left: string[] = [];
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(8).toString("hex")}.tmp`);
  try {
    const files = await pack(temporary, sources(dir, journal, left, locale));
    assertFree();
    await rename(temporary, file);
    await nodeDisk.syncDirectory(dirname(file));
    const { size } = await stat(file);
    return [
      ["cli.backup.done", { file, events: journal.read.last.seq, files, kilobytes: Math.ceil(size / 1000) }],
      ...left.map((path) => ["cli.backup.left_out", { path }] as const),
      ["cli.backup.also", { config: join(configHome(io.env), "bellhop") }],
      ["cli.backup.then", {}],
    ];
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw asRefusal(locale, file, error);
  } finally {
    await journal.live?.close();
  }
}

interface OpenJournal {
  read: ReadResult;
  /** Held open: a daemon may make a segment of it, and begin another. */
  live: OwnFile["file"] | undefined;
}

/** Reads the whole journal, so that no damage is copied unseen. What is written later is not copied. */
async function openJournal(dir: string, locale: Locale): Promise<OpenJournal> {
  const { segments, live: begun } = existsSync(dir) ? await listJournal(nodeDisk, dir) : { segments: [], live: false };
  if (segments.length === 0 && !begun)
    throw new BellhopError("E_JOURNAL_MISSING", { path: dir, command: "bellhop start" });
  for (let tries = lockHolder(dir) === undefined ? 1 : TRIES; ; tries -= 1) {
    const opened = await openOwn(join(dir, LIVE));
    if (opened !== "missing" && typeof opened === "string") throw refusal(locale, join(dir, LIVE), "unreadable");
    const live = opened === "missing" ? undefined : opened.file;
    try {
      const read = await readJournal({ disk: nodeDisk, dir, canRead: () => true, onEvent: () => undefined });
      const there = await stat(join(dir, LIVE)).catch(() => undefined);
      if (there?.ino !== (await live?.stat())?.ino) throw new BellhopError("E_INTERNAL");
      // The copy has nothing that a power cut may still take from the original.
      await live?.sync();
      return { read, live };
    } catch (error) {
      await live?.close();
      // A daemon may close a segment between two reads; real damage is found again.
      if (tries <= 1) throw error;
    }
  }
}

interface Source {
  name: string;
  file: OwnFile["file"];
  size: number;
}

/** One open file after the other; the journal first, because what it speaks of was written before. */
async function* sources(
  dir: string,
  { read, live }: OpenJournal,
  left: string[],
  locale: Locale,
): AsyncGenerator<Source> {
  for (const { name, firstSeq } of (await listJournal(nodeDisk, dir)).segments)
    if (firstSeq !== read.live.firstSeq && firstSeq <= read.last.seq) yield* source(dir, name, left, locale);
  const lacksNewline = read.tail.kind === "whole" ? read.tail.length : 0;
  if (live !== undefined) yield { name: LIVE, file: live, size: read.live.bytes + lacksNewline };
  yield* source(dir, CONFIG, left, locale);
  for (const folder of FOLDERS) yield* sourcesIn(dir, folder, left, locale);
}

async function* sourcesIn(dir: string, folder: string, left: string[], locale: Locale): AsyncGenerator<Source> {
  const entries = await readdir(join(dir, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  });
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* sourcesIn(dir, name, left, locale);
    else if (!isTemporary(entry.name)) yield* source(dir, name, left, locale);
  }
}

/** Nothing, if it is gone by now. */
async function* source(dir: string, name: string, left: string[], locale: Locale): AsyncGenerator<Source> {
  const opened = await openOwn(join(dir, name));
  if (opened === "unreadable") throw refusal(locale, join(dir, name), "unreadable");
  if (opened === "outside" || opened === "no_file") left.push(join(dir, name));
  if (typeof opened === "string") return;
  try {
    yield { name, ...opened };
  } finally {
    await opened.file.close();
  }
}

/** Writes the archive, synced. @returns the number of files in it */
async function pack(path: string, files: AsyncIterable<Source>): Promise<number> {
  const { readable, controller } = createTarPacker();
  const archive = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  const written = pipeline(Readable.fromWeb(readable as ReadableStream), createGzip(), archive);
  let count = 0;
  const filled = (async () => {
    try {
      for await (const { name, file, size } of files) {
        const body = controller.add({ name, size, mode: 0o600 }).getWriter();
        for (let at = 0; at < size;) {
          // Of a file that has become shorter meanwhile, the rest is zeros, as in every such archive.
          const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - at));
          const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
          const bytes = bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead);
          await body.write(bytes);
          at += bytes.length;
        }
        await body.close();
        count += 1;
      }
      controller.finalize();
    } catch (error) {
      controller.error(error);
      throw error;
    }
  })();
  for (const one of await Promise.allSettled([written, filled])) if (one.status === "rejected") throw one.reason;
  return count;
}

async function restore(dir: string, file: string, io: Io): Promise<Lines> {
  const locale = localeOf(io.env);
  await prepareStateDirectory(dir);
  if ((await readdir(dir)).length > 0) throw refusal(locale, dir, "not_empty");
  const aside = join(dirname(dir), `.${basename(dir)}.${randomBytes(8).toString("hex")}.tmp`);
  try {
    await mkdir(aside, { mode: 0o700 });
    const files = await unpack(file, aside, locale);
    const report = await verifyJournal(nodeDisk, aside);
    if (report.files === 0) throw refusal(locale, file, "no_journal");
    if (report.damage !== undefined) throw refusal(locale, file, "damaged", { ...report.damage });
    // Neither step removes anything: whatever is there by now makes it fail.
    await rmdir(dir);
    await rename(aside, dir);
    await nodeDisk.syncDirectory(dirname(dir));
    const { findings } = await checkConfig(join(dir, CONFIG), locale);
    return [
      ["cli.backup.restored", { dir, events: report.events, files }],
      ...findings.filter(({ verdict }) => verdict !== "good").map(({ says, args = {} }) => [says, args] as const),
      ["cli.backup.next", { config: join(configHome(io.env), "bellhop") }],
    ];
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw asRefusal(locale, dir, error, file);
  }
}

/** Only what a backup has, and nothing outside the folder, whatever the archive says. @returns the number of files */
async function unpack(archive: string, into: string, locale: Locale): Promise<number> {
  const bytes = Readable.toWeb(createReadStream(archive)) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const entries = bytes.pipeThrough(new DecompressionStream("gzip")).pipeThrough(createTarDecoder({ strict: true }));
  const folders = new Set([into]);
  let count = 0;
  for await (const { header, body } of entries) {
    const path = resolve(into, header.name);
    if (header.type !== "file" || !isOurs(header.name) || !path.startsWith(into + sep))
      throw refusal(locale, archive, "entry", { name: header.name });
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await pipeline(
      Readable.fromWeb(body as ReadableStream),
      createWriteStream(path, { flags: "wx", mode: 0o600, flush: true }),
    );
    count += 1;
  }
  for (const folder of folders) await nodeDisk.syncDirectory(folder);
  return count;
}

function isOurs(name: string): boolean {
  const [first = "", ...rest] = name.split("/");
  const goesDown = (part: string): boolean => !["", ".", ".."].includes(part) && !part.includes("\0");
  return rest.length === 0 ? FILES.test(name) : FOLDERS.includes(first) && rest.every(goesDown);
}

function refusal(locale: Locale, path: string, why: Why, args: WordArgs = {}): BellhopError {
  return new BellhopError("E_BACKUP_REFUSED", { path, why: say(locale, `cli.backup.why.${why}`, args) });
}

/** What the system said about the path that it names, or else this one; what else went wrong is the archive's. */
function asRefusal(locale: Locale, path: string, error: unknown, archive?: string): unknown {
  if (error instanceof BellhopError) return error;
  const { syscall, path: named = path } = Object(error) as NodeJS.ErrnoException;
  if (lacksRoom(error)) return refusal(locale, path, "full");
  if (syscall !== undefined) return refusal(locale, named, "system", { reason: `${syscall}: ${errnoOf(error)}` });
  return archive === undefined ? error : refusal(locale, archive, "archive");
}
