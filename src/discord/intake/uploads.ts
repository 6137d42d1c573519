/**
 * Downloads the files of a message at intake, before its job is acknowledged, only from Discord's own addresses. Bytes
 * are counted as they arrive, whatever size was announced; a file is kept whole or not at all. A refused file is named
 * with its reason and never keeps the message from running. Of a large picture a smaller copy is fetched as well, where
 * its agent needs one; Discord does not document how it makes them, so what comes is checked, and there may be none.
 */
import { createHash } from "node:crypto";
import type { APIMessage } from "discord-api-types/v10";
import type { Clock } from "../../base/clock.ts";
import { errnoOf } from "../../base/disk.ts";
import type { Log } from "../../base/log.ts";
import { longestBeginning } from "../../base/text.ts";
import { say, type Locale, type WordKey } from "../../base/words/say.ts";
import { readPictureHeader, HEADER_BYTES, type PictureHeader, type PictureSize } from "../../base/picture-header.ts";
import { LARGEST_SIDE, type PictureCopy } from "../../core/jobs/pictures.ts";
import type { UploadedFile } from "../../core/jobs/run.ts";
import type { Files, Folder, NewFile } from "../../host/files/files.ts";
import type { State } from "../../core/state.ts";
import type { Engine } from "../../engine/engine.ts";

export interface UploadsOptions {
  files: Files;
  /** Base address of the REST API; files may also come from its origin if that is this machine. */
  api: string;
  clock: Clock;
  log: Log;
  locale: Locale;
  /** The message as it is now, with URLs that have not expired. */
  refetchMessage(channelId: string, messageId: string): Promise<APIMessage>;
  fetch?: (url: URL, init: RequestInit) => Promise<Response>;
}

/** A message, as far as its files are concerned. */
export type Attaching = Pick<APIMessage, "attachments">;

export interface UploadResult {
  /** In the message's order; each file is synced. */
  files: UploadedFile[];
  refused: { name: string; why: string }[];
  /** The files of the message that it points at; absent: none were wanted. */
  quoted?: UploadedFile[];
}

/** A message and, of the one that it points at, the files that are wanted too. */
export type WithFiles = Pick<APIMessage, "id" | "attachments"> & {
  quoted?: APIMessage["attachments"];
  /** Its agent needs smaller copies of large pictures. Absent: it does not. */
  smaller?: boolean;
};

export interface Uploads {
  /**
   * @param session the session they are for
   * @throws only if it is closed meanwhile: then nothing was taken or refused
   */
  download(session: string, channelId: string, message: WithFiles): Promise<UploadResult>;
  /** The text of a downloaded file; null if it is not UTF-8. */
  readText(file: UploadedFile): Promise<string | null>;
  /** Aborts downloads in progress. */
  close(): void;
}

const MEGABYTE = 1024 * 1024;
const LONGEST_MS = 30_000;
/** A copy is worth less than an answer soon. */
const COPY_MS = 10_000;
const LARGEST_BYTES = 50 * MEGABYTE;
const MOST_FILES = 20;
/**
 * Limit per hour for all messages together: a script of the owner's, or somebody using the owner's account, must not
 * fill the disk.
 */
const HOUR_MS = 3_600_000;
const BYTES_AN_HOUR = 2048 * MEGABYTE;
const NAME_CHARS = 100;
const ENDING = /\.[A-Za-z0-9]{1,16}$/;

const HOSTS = new Set(["cdn.discordapp.com", "media.discordapp.net"]);
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);
/** The stand-in's media proxy has no host of its own. */
const PATH = /^(?:\/media)?\/(?:ephemeral-)?attachments\/\d/;

/** Why a file was not taken. `stale`: a fresh URL may still work. */
class UploadError extends Error {
  readonly why: WordKey;
  readonly args: Record<string, string | number>;
  readonly stale: boolean;

  constructor(why: WordKey, args: Record<string, string | number> = {}, stale = false) {
    super(why);
    this.why = why;
    this.args = args;
    this.stale = stale;
  }
}

interface Attached {
  id: string;
  name: string;
  url: string;
  /** The address of its smaller copies. */
  proxy: string;
  /** Of a picture, as Discord shows it: turned as its camera was. Null: Discord does not say. */
  size: PictureSize | null;
}

/** Where a file of a message goes. */
interface FilePlace {
  index: number;
  folder: Folder;
}

/** A file as it was kept. */
interface Kept {
  file: UploadedFile;
  /** Its beginning. */
  head: Buffer;
}

export function openUploads(options: UploadsOptions): Uploads {
  const ending = new AbortController();
  const downloads = new Downloads(options, ending.signal);
  return {
    async download(session, channelId, message) {
      const taken = await downloads.download(session, channelId, message);
      ending.signal.throwIfAborted();
      return taken;
    },
    readText: ({ path }) => options.files.readText(path),
    close: () => ending.abort(),
  };
}

/** The URL if it may be fetched, else null: Discord's own over https, or the local sandbox's. Nothing else. */
export function allowedAddress(text: string, api: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.username !== "" || url.password !== "" || !PATH.test(url.pathname)) return null;
  if (url.protocol === "https:" && url.port === "" && HOSTS.has(url.hostname)) return url;
  const home = URL.canParse(api) ? new URL(api) : null;
  return home && LOOPBACK.has(home.hostname) && url.origin === home.origin ? url : null;
}

class Downloads {
  readonly #options: UploadsOptions;
  readonly #ending: AbortSignal;
  #spent: { at: number; bytes: number }[] = [];

  constructor(options: UploadsOptions, ending: AbortSignal) {
    this.#options = options;
    this.#ending = ending;
  }

  async download(session: string, channelId: string, message: WithFiles): Promise<UploadResult> {
    const own = attachedTo(message);
    const all = [...own, ...attachedTo({ attachments: message.quoted ?? [] })];
    if (all.length === 0) return { files: [], refused: [] };
    const folder = await this.#options.files
      .createFolder(session, message.id)
      .catch((error: unknown) => this.#saveRefusal(error));
    let fresh: Promise<APIMessage> | null = null;
    const refetch = (): Promise<APIMessage> => (fresh ??= this.#options.refetchMessage(channelId, message.id));
    const smaller = message.smaller === true;
    const got = await Promise.all(
      all.map((one, index) =>
        folder instanceof UploadError ? folder : this.#one(one, { index, folder }, { refetch, smaller }),
      ),
    );
    const kept = (of: typeof got): UploadedFile[] => of.flatMap((one) => (one instanceof UploadError ? [] : [one]));
    const [files, quoted] = [kept(got.slice(0, own.length)), kept(got.slice(own.length))];
    const refused = got.flatMap((one, index) =>
      one instanceof UploadError ? [this.#refusalToShow(all[index]?.name ?? "", one)] : [],
    );
    if (folder instanceof UploadError) return { files, refused, quoted };
    await (kept(got).length > 0 ? folder.sync() : folder.remove()).catch((error: unknown) =>
      this.#options.log.failure("an upload's folder", error),
    );
    return { files, refused, quoted };
  }

  async #one(
    file: Attached,
    place: FilePlace,
    { refetch, smaller }: { refetch: () => Promise<APIMessage>; smaller: boolean },
  ): Promise<UploadedFile | UploadError> {
    if (place.index >= MOST_FILES) return new UploadError("file_why_many", { limit: MOST_FILES });
    const first = await this.#fetch(file, place);
    if (!(first instanceof UploadError)) return this.#measured(first, file, place, smaller);
    if (!first.stale || this.#ending.aborted) return first;
    // Signed URLs expire, and reading the message again returns new ones.
    const renewed = await refetch().then(
      (now) => [...attachedTo(now), ...(now.referenced_message ? attachedTo(now.referenced_message) : [])],
      () => [],
    );
    const now = renewed.find(({ id }) => id === file.id);
    const second = now ? await this.#fetch({ ...file, url: now.url }, place) : first;
    return second instanceof UploadError ? second : this.#measured(second, now ?? file, place, smaller);
  }

  /** The file, and if it is a large picture, its size and its copy. */
  async #measured({ file, head }: Kept, attached: Attached, place: FilePlace, smaller: boolean): Promise<UploadedFile> {
    const header = readPictureHeader(head);
    const size = header?.size ?? attached.size;
    if (!header || !size || Math.max(size.width, size.height) <= LARGEST_SIDE) return file;
    const copy = smaller ? await this.#copyOf(attached, { kind: header.kind, size }, place) : null;
    return { ...file, large: { ...size, copy } };
  }

  /** What Discord makes of the picture in the size that agents are given; null if that is not what comes. */
  async #copyOf(
    attached: Attached,
    { kind, size }: PictureHeader & { size: PictureSize },
    place: FilePlace,
  ): Promise<PictureCopy | null> {
    let came: PictureHeader | null | undefined;
    const isCopy = (head: Buffer): boolean => {
      came = readPictureHeader(head);
      return came?.kind === kind && came.size !== null && isSmaller(came.size, size);
    };
    const wanted = {
      ...attached,
      name: `${LARGEST_SIDE}px-${attached.name}`,
      url: smallerAt(attached.proxy, attached.size ?? size),
    };
    const got = await this.#fetch(wanted, place, { withinMs: COPY_MS, isWanted: isCopy });
    if (!(got instanceof UploadError)) return came?.size ? { ...got.file, ...came.size } : null;
    const { why, args } = got;
    this.#options.log.info("a large picture has no smaller copy", {
      name: attached.name,
      ...(came === undefined ? { why, ...args } : { why: "something else came", came }),
    });
    return null;
  }

  async #fetch(
    file: Attached,
    { index, folder }: FilePlace,
    { withinMs = LONGEST_MS, isWanted = () => true }: { withinMs?: number; isWanted?: (head: Buffer) => boolean } = {},
  ): Promise<Kept | UploadError> {
    const url = allowedAddress(file.url, this.#options.api);
    if (!url) return new UploadError("file_why_address");
    const late = new AbortController();
    const forget = this.#options.clock.after(withinMs, () => late.abort());
    let kept: NewFile | null = null;
    try {
      const response = await this.#open(url, AbortSignal.any([late.signal, this.#ending]));
      const made = await folder
        .create(index + 1, file.name)
        .catch((error: unknown) => Promise.reject<NewFile>(this.#saveRefusal(error)));
      kept = made;
      const { sha256, head } = await this.#store(response, made, isWanted);
      return { file: { path: made.path, sha256 }, head };
    } catch (error) {
      await kept?.discard().catch(() => undefined);
      if (error instanceof UploadError) return error;
      if (late.signal.aborted) return new UploadError("file_why_slow", { seconds: withinMs / 1000 });
      return new UploadError("file_why_network", {}, true);
    } finally {
      forget();
    }
  }

  /** Opens the response. A redirect is not followed and is not the file. */
  async #open(url: URL, signal: AbortSignal): Promise<Response> {
    const ask = this.#options.fetch ?? ((to: URL, init: RequestInit) => fetch(to, init));
    const response = await ask(url, {
      redirect: "manual",
      signal,
      headers: { "accept-encoding": "identity" },
      credentials: "omit",
    });
    if (response.status === 200 && response.body) return response;
    await response.body?.cancel().catch(() => undefined);
    throw new UploadError("file_why_gone", { status: response.status }, true);
  }

  /** Resolves with the digest and the beginning of what was received. */
  async #store(
    response: Response,
    file: NewFile,
    isWanted: (head: Buffer) => boolean,
  ): Promise<{ sha256: string; head: Buffer }> {
    const hash = createHash("sha256");
    const head: Uint8Array[] = [];
    const tooLarge = new UploadError("file_why_size", { limit: LARGEST_BYTES / MEGABYTE });
    const reader = response.body?.getReader();
    let bytes = 0;
    try {
      // The headers are not trusted: only the received bytes count.
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        if (bytes < HEADER_BYTES) head.push(part.value.subarray(0, HEADER_BYTES - bytes));
        bytes += part.value.byteLength;
        if (bytes > LARGEST_BYTES) throw tooLarge;
        this.#spend(part.value.byteLength);
        hash.update(part.value);
        await file.write(part.value).catch((error: unknown) => Promise.reject(this.#saveRefusal(error)));
      }
    } finally {
      await reader?.cancel().catch(() => undefined);
    }
    const beginning = Buffer.concat(head);
    if (!isWanted(beginning)) throw new Error("it is something else");
    await file.finish().catch((error: unknown) => Promise.reject(this.#saveRefusal(error)));
    return { sha256: hash.digest("hex"), head: beginning };
  }

  #spend(bytes: number): void {
    const now = this.#options.clock.monotonic();
    this.#spent = this.#spent.filter(({ at }) => at > now - HOUR_MS);
    const last = this.#spent.at(-1);
    // One entry holds a minute's bytes: chunks are small and many.
    if (last && last.at > now - 60_000) last.bytes += bytes;
    else this.#spent.push({ at: now, bytes });
    const sum = this.#spent.reduce((total, one) => total + one.bytes, 0);
    if (sum > BYTES_AN_HOUR) throw new UploadError("file_why_hour", { limit: BYTES_AN_HOUR / MEGABYTE });
  }

  #saveRefusal(error: unknown): UploadError {
    this.#options.log.failure("a file could not be saved", error);
    return new UploadError("file_why_disk", { reason: errnoOf(error).slice(0, 40) });
  }

  #refusalToShow(name: string, { why, args }: UploadError): { name: string; why: string } {
    this.#options.log.warn("a file was not accepted", { error_code: "E_ATTACHMENT_REFUSED", name, why });
    return { name, why: say(this.#options.locale, why, args) };
  }
}

/** The message's attachments, as far as valid; invalid ones get an address that is refused. */
function attachedTo(message: Attaching): Attached[] {
  const all: readonly unknown[] = Array.isArray(message.attachments) ? message.attachments : [];
  return all.map((one) => {
    const { id, filename, title, url, proxy_url, width, height } = (
      typeof one === "object" && one !== null ? one : {}
    ) as Record<string, unknown>;
    return {
      id: String(id),
      name: attachmentName({ filename, title }),
      url: typeof url === "string" ? url : "",
      proxy: typeof proxy_url === "string" ? proxy_url : "",
      size: isLength(width) && isLength(height) ? { width, height } : null,
    };
  });
}

function isLength(pixels: unknown): pixels is number {
  return typeof pixels === "number" && Number.isInteger(pixels) && pixels > 0;
}

/** The address of the picture with no side longer than wanted. Its signature is of what stands in it already. */
function smallerAt(proxy: string, { width, height }: PictureSize): string {
  const share = LARGEST_SIDE / Math.max(width, height);
  const to = (length: number): number => Math.max(1, Math.round(length * share));
  const joint = !proxy.includes("?") ? "?" : /[?&]$/.test(proxy) ? "" : "&";
  return `${proxy}${joint}width=${to(width)}&height=${to(height)}`;
}

/** Whether a picture of this size can be that one, made smaller and perhaps turned. */
function isSmaller(found: PictureSize, whole: PictureSize): boolean {
  const sides = ({ width, height }: PictureSize): [number, number] => [
    Math.max(width, height),
    Math.min(width, height),
  ];
  const [long, short] = sides(found);
  const [wholeLong, wholeShort] = sides(whole);
  return (
    long <= LARGEST_SIDE &&
    long >= LARGEST_SIDE / 2 &&
    Math.abs(short - Math.max(1, (long * wholeShort) / wholeLong)) <= 1
  );
}

/**
 * What its sender called an attachment. In `filename` Discord keeps only ASCII; the name as it was, without its ending,
 * is then its `title`.
 */
export function attachmentName({ filename, title }: { filename?: unknown; title?: unknown }): string {
  const kept = typeof filename === "string" ? filename : "";
  const ending = ENDING.exec(kept)?.[0] ?? "";
  const called = typeof title === "string" ? title.trim() : "";
  const isWhole = ending !== "" && called.toLowerCase().endsWith(ending.toLowerCase());
  const stem = isWhole ? called.slice(0, -ending.length) : called || kept.slice(0, kept.length - ending.length);
  // Agents tell a picture by its ending.
  return `${longestBeginning(stem, NAME_CHARS - ending.length)}${ending}` || "file";
}

/*
 * The reconciler of uploads: `uploads/<session>/<message>/`. A message's
 * files are kept while one of its jobs, or the question that it answered, is in the live state, and removed by the next
 * sweep after that. Files of a message that never became a job because of a crash are removed too, and fetched again.
 */

interface UploadRemovalOptions {
  engine: Pick<Engine, "state">;
  files: Pick<Files, "sweep">;
  /** Whether a message's files are being fetched. */
  isUnderWay(messageId: string): boolean;
  clock: Clock;
  log: Log;
}

interface UploadRemoval {
  close(): void;
}

/** Matches the message id in the path of an uploaded file. */
const UPLOADED = /\/uploads\/\d{1,20}\/(\d{17,20})\//g;
const LOOK_EVERY_MS = 6 * 3_600_000;

/** Sweeps once, and then every six hours. Resolves after the first sweep; no files should be fetched before it. */
export async function keepUploads({
  engine,
  files,
  isUnderWay,
  clock,
  log,
}: UploadRemovalOptions): Promise<UploadRemoval> {
  let forget = (): void => undefined;
  let closed = false;

  async function look(): Promise<void> {
    const { jobs, threads, channels } = engine.state;
    const messages = Object.values(jobs).map(({ discord_message_id }) => discord_message_id);
    const needed = new Set([
      ...messages,
      ...answersWithFiles(engine.state),
      ...Object.keys(threads),
      ...Object.keys(channels),
    ]);
    try {
      const removed = await files.sweep((id) => needed.has(id) || isUnderWay(id));
      if (removed > 0) log.info("files of jobs that are gone were removed", { messages: removed });
    } catch (error) {
      log.failure("files of jobs that are gone could not be removed", error);
    }
    if (!closed) forget = clock.after(LOOK_EVERY_MS, () => void look());
  }

  await look();
  return {
    close() {
      closed = true;
      forget();
    },
  };
}

/** The ids of messages whose files are named in answers. */
function answersWithFiles({ decisions }: State): string[] {
  const words = Object.values(decisions).flatMap(({ answers }) => answers.map((answer) => answer?.words ?? ""));
  return words.flatMap((text) => [...text.matchAll(UPLOADED)].map(([, id = ""]) => id));
}
