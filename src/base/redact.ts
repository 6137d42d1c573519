/**
 * Removes secrets from everything that leaves the daemon. Each exact value is replaced as it is, URL-encoded, inside a
 * JSON string, or anywhere within base64, even if a stream splits it or an excerpt ends in it. Only exact values are
 * known; a secret that an agent spells backwards is not found.
 */
import { createHmac, randomBytes } from "node:crypto";

const MARK = "[redacted]";
/**
 * How an excerpt ends: an ellipsis and closing marks. A secret's beginning before it is removed from the length below
 * on.
 */
const CUT = /…["'`)\]}]{0,3}$/;
const SHORTEST_BEGINNING = 4;

/** Removes secrets from everything that is kept or shown. */
export type Redaction = Pick<Redactor, "text" | "value" | "bytes">;

/** Shorter values are ordinary words; replacing them would ruin every text and hide nothing. */
export const SHORTEST_SECRET = 8;

export class Redactor {
  /** Extended and never replaced, so that open streams also find secrets added later. */
  readonly #forms: Buffer[] = [];
  readonly #secrets = new Set<string>();
  #texts: readonly string[] = [];
  #pattern: RegExp | null = null;
  /** New in each process, so a fingerprint means nothing outside it. */
  readonly #key = randomBytes(32);

  /** @param secrets exact values; those under eight characters are ignored */
  constructor(secrets: readonly string[]) {
    this.add(secrets);
  }

  /** From now on these are replaced as well. */
  add(secrets: readonly string[]): void {
    const fresh = secrets.filter((secret) => secret.length >= SHORTEST_SECRET && !this.#secrets.has(secret));
    if (fresh.length === 0) return;
    for (const secret of fresh) this.#secrets.add(secret);
    const forms = new Set([...this.#secrets].flatMap((secret) => formsOf(secret.toWellFormed())));
    const longestFirst = [...forms].sort((a, b) => b.length - a.length);
    this.#texts = longestFirst;
    this.#forms.splice(0, Number.POSITIVE_INFINITY, ...longestFirst.map((form) => Buffer.from(form)));
    this.#pattern = longestFirst.length > 0 ? new RegExp(longestFirst.map(literally).join("|"), "g") : null;
  }

  /**
   * The text with a mark in place of every secret. Unpaired surrogates, which agents do write and which neither a file
   * nor Discord can hold, become U+FFFD, so that the text shown, stored and read again is the same.
   */
  text(text: string): string {
    return this.#replaced(text.toWellFormed());
  }

  /**
   * Redacts every text in a value, field names included; returns the same value if there is no secret. Plain JSON, no
   * cycles.
   */
  value<T>(value: T): T {
    return this.#pattern === null ? value : (this.#within(value) as T);
  }

  /** Redacts bytes of any kind: read as Latin-1, all other bytes stay unchanged. */
  bytes(bytes: Uint8Array): Buffer {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#pattern === null ? whole : replace(whole, spansIn(whole, this.#forms));
  }

  /** Tells two texts apart without revealing them, for the lifetime of this process; 64 hex digits. */
  fingerprint(text: string): string {
    return createHmac("sha256", this.#key).update(text, "utf8").digest("hex");
  }

  #replaced(text: string): string {
    if (this.#pattern === null) return text;
    const clean = text.replace(this.#pattern, MARK);
    if (!clean.includes("…")) return clean;
    const [end] = CUT.exec(clean) ?? [];
    return end === undefined ? clean : `${this.#withoutBeginning(clean.slice(0, -end.length))}${end}`;
  }

  /** An excerpt may end inside a secret: the part that is left is removed too. */
  #withoutBeginning(text: string): string {
    let longest = 0;
    for (const form of this.#texts) {
      for (let length = Math.min(form.length - 1, text.length); length > longest && length >= SHORTEST_BEGINNING; length -= 1) {
        if (text.endsWith(form.slice(0, length))) longest = length;
      }
    }
    return longest === 0 ? text : `${text.slice(0, -longest)}${MARK}`;
  }

  #within(value: unknown): unknown {
    if (typeof value === "string") return this.#replaced(value);
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    if (Array.isArray(value)) {
      const items = value.map((one) => this.#within(one));
      return items.some((one, at) => one !== value[at]) ? items : value;
    }
    let isClean = true;
    const entries: [string, unknown][] = [];
    for (const [name, one] of Object.entries(value)) {
      const entry: [string, unknown] = [this.#replaced(name), this.#within(one)];
      isClean &&= entry[0] === name && entry[1] === one;
      entries.push(entry);
    }
    return isClean ? value : Object.fromEntries(entries);
  }

  /** A redactor for bytes that arrive in chunks. */
  stream(): RedactedStream {
    return new RedactedStream(this.#forms);
  }
}

/** Passes each chunk on redacted; an end that may be the beginning of a secret is held back until the next chunk. */
export class RedactedStream {
  readonly #forms: readonly Buffer[];
  #held: Buffer = Buffer.alloc(0);

  constructor(forms: readonly Buffer[]) {
    this.#forms = forms;
  }

  /** The result may be a view of the chunk. */
  push(chunk: Uint8Array): Buffer {
    const whole = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const data = this.#held.length > 0 ? Buffer.concat([this.#held, whole]) : whole;
    const found = this.#find(data);
    const open = data.length - this.#openEnd(data);
    // A secret that overlaps the held-back bytes is held back whole; otherwise its rest would go out unredacted later.
    const crossing = found.filter(({ from, to }) => from < open && to > open);
    const cut = Math.min(open, ...crossing.map(({ from }) => from));
    this.#held = Buffer.from(data.subarray(cut));
    return replace(data.subarray(0, cut), found);
  }

  /** The bytes still held back, at the end of the stream. */
  end(): Buffer {
    const data = this.#held;
    this.#held = Buffer.alloc(0);
    return replace(data, this.#find(data));
  }

  #find(data: Buffer): Span[] {
    return spansIn(data, this.#forms);
  }

  /** How many bytes at the end could be the beginning of a secret. */
  #openEnd(data: Buffer): number {
    const last = data.at(-1);
    let longest = 0;
    for (const form of this.#forms) {
      for (let length = Math.min(form.length - 1, data.length); length > longest; length -= 1) {
        // Most lengths end here, without the two views that comparing all of it takes.
        if (form[length - 1] !== last) continue;
        if (form.subarray(0, length).equals(data.subarray(data.length - length))) longest = length;
      }
    }
    return longest;
  }
}

interface Span {
  from: number;
  to: number;
}

/** The positions of secrets, ordered by start; they may overlap. */
function spansIn(data: Buffer, forms: readonly Buffer[]): Span[] {
  const spans: Span[] = [];
  for (const form of forms) {
    for (let at = data.indexOf(form); at !== -1; at = data.indexOf(form, at + 1)) {
      spans.push({ from: at, to: at + form.length });
    }
  }
  return spans.sort((a, b) => a.from - b.from);
}

/** One mark for each run of overlapping secrets. Spans beyond the data belong to another chunk. */
function replace(data: Buffer, spans: readonly Span[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { from, to } of spans) {
    if (from >= data.length) break;
    if (at === 0 || from >= at) parts.push(data.subarray(at, from), Buffer.from(MARK));
    at = Math.max(at, to);
  }
  return at === 0 ? data : Buffer.concat([...parts, data.subarray(at)]);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function formsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 2 * SHORTEST_SECRET);
  const plain = [secret, ...(lines.length > 1 ? lines : [])];
  return plain.flatMap((value) => [
    value,
    encodeURIComponent(value),
    // The same with `%2f` for `%2F`: both are used.
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(value),
  ]);
}

/**
 * Base64 of a text that contains the secret has one of three forms, depending on where in a group of three bytes the
 * secret begins. Each form omits the characters that also depend on neighbouring bytes.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const coded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64").replace(/={1,2}$/, "");
    const first = before === 0 ? 0 : before + 1;
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    const inner = coded.slice(first, last);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
