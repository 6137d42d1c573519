/**
 * Uploaded files: kept in memory, or beside the world's file when there is one, and served from a local path
 * with a signed link that expires, as Discord's CDN does. Its media proxy, which makes pictures smaller, has a path of
 * its own.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Clock } from "../clock.ts";
import type { AttachmentDraft, UploadedFile } from "../messages/message-form.ts";
import type { Snowflakes } from "./snowflakes.ts";
import { pictureSize, smallerPicture } from "./pictures.ts";
import type { Attachment } from "./world.ts";

/** What the paths of the media proxy begin with. */
export const PROXY = "/media";

const LINK_LIFE_MS = 24 * 60 * 60_000;

const kinds: Record<string, string> = {
  ".txt": "text/plain; charset=utf-8",
  ".log": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".diff": "text/x-diff; charset=utf-8",
  ".patch": "text/x-diff; charset=utf-8",
  ".ts": "text/plain; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".pdf": "application/pdf",
  ".zip": "application/zip",
};

export class AttachmentStore {
  readonly #clock: Clock;
  readonly #key: string;
  readonly #origin: string;
  readonly #dir: string | null;
  readonly #memory = new Map<string, Buffer>();

  /** `dir`: where files stand between runs; null keeps them in memory. */
  constructor(options: { clock: Clock; key: string; origin: string; dir: string | null }) {
    this.#clock = options.clock;
    this.#key = options.key;
    this.#origin = options.origin;
    this.#dir = options.dir;
    if (this.#dir !== null) mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
  }

  keep(ids: Snowflakes, channelId: string, file: UploadedFile, draft?: AttachmentDraft): Attachment {
    const given = draft?.filename ?? file.name;
    const name = safeName(given);
    const picture = pictureSize(file.bytes);
    const attachment: Attachment = {
      id: ids.next(),
      channelId,
      filename: name,
      ...(isAscii(given) ? {} : { title: given.slice(0, given.length - extname(given).length) }),
      size: file.bytes.length,
      contentType: kinds[extname(name).toLowerCase()] ?? file.contentType,
      description: draft?.description ?? null,
      ...(picture && { picture }),
      ephemeral: false,
    };
    if (this.#dir === null) this.#memory.set(attachment.id, file.bytes);
    else writeFileSync(join(this.#dir, attachment.id), file.bytes, { mode: 0o600 });
    return attachment;
  }

  forget(attachment: Attachment): void {
    this.#memory.delete(attachment.id);
    if (this.#dir !== null) rmSync(join(this.#dir, attachment.id), { force: true });
  }

  /** The signed link, valid for a day from now. */
  link(attachment: Attachment): string {
    const issued = Math.floor(this.#clock.now() / 1000);
    const expires = issued + LINK_LIFE_MS / 1000;
    const path = `/attachments/${attachment.channelId}/${attachment.id}/${encodeURIComponent(attachment.filename)}`;
    const [ex, is] = [expires.toString(16), issued.toString(16)];
    return `${this.#origin}${path}?ex=${ex}&is=${is}&hm=${this.#sign(path, ex, is)}`;
  }

  /** The same at the media proxy. */
  proxyLink(attachment: Attachment): string {
    return this.link(attachment).replace(this.#origin, `${this.#origin}${PROXY}`);
  }

  /**
   * What the proxy answers: the picture at most as large as the link asks; a status: it has none, or cannot make it so.
   */
  openProxied(path: string, query: URLSearchParams): Buffer | 404 | 415 {
    const bytes = this.open(path.slice(PROXY.length), query);
    const size = bytes && pictureSize(bytes);
    if (!bytes || !size) return bytes ? 415 : 404;
    const wanted = (name: "width" | "height"): number =>
      /^[1-9]\d{0,4}$/.test(query.get(name) ?? "") ? Number(query.get(name)) : size[name];
    return smallerPicture(bytes, { width: wanted("width"), height: wanted("height") }) ?? 415;
  }

  /** The bytes behind a link's id; undefined where the signature is wrong, has expired, or the file is gone. */
  open(path: string, query: URLSearchParams): Buffer | undefined {
    const [ex, is, hm] = [query.get("ex") ?? "", query.get("is") ?? "", query.get("hm") ?? ""];
    const expected = Buffer.from(this.#sign(path, ex, is));
    const given = Buffer.from(hm);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    if (Number.parseInt(ex, 16) * 1000 < this.#clock.now()) return undefined;
    const id = /^\/attachments\/\d+\/(\d+)\//.exec(path)?.[1];
    return id === undefined ? undefined : this.#read(id);
  }

  #read(id: string): Buffer | undefined {
    if (this.#dir === null) return this.#memory.get(id);
    try {
      return readFileSync(join(this.#dir, id));
    } catch {
      return undefined;
    }
  }

  #sign(path: string, ex: string, is: string): string {
    return createHmac("sha256", this.#key).update(`${path}?ex=${ex}&is=${is}`).digest("hex");
  }
}

/** Only an image or plain text is shown in place by a browser; everything else is a download. */
export function attachmentHeaders(filename: string): Record<string, string> {
  const kind = kinds[extname(filename).toLowerCase()] ?? "application/octet-stream";
  const inline = /^(?:image\/(?:png|jpeg|gif|webp)|text\/plain)/.test(kind);
  return {
    "content-type": inline || kind === "application/pdf" ? kind : "application/octet-stream",
    "content-disposition": `${inline ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(filename)}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=3600",
  };
}

/**
 * Discord keeps the ASCII letters, digits, dots, dashes and underscores of a name. Where nothing but the ending would
 * be left, the rest becomes a digest.
 */
function safeName(name: string): string {
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  const kept = isAscii(stem)
    ? stem
    : stem.replace(/[^\x20-\x7e]/g, "").trim() || createHash("sha256").update(stem).digest("hex").slice(0, 16);
  const safe = `${kept}${ending}`.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^\.+/, "");
  return safe === "" ? "file" : safe.slice(-255);
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}
