/**
 * Removes secrets from everything that leaves the daemon. Each exact value is replaced as it is, URL-encoded, inside a
 * JSON string, escaped for Markdown, or anywhere within base64, also where it is broken into lines, even if a stream
 * splits it or an excerpt ends in it. Only exact values are known; a secret that an agent spells backwards is not
 * found.
 */
import { createHmac, randomBytes } from "node:crypto";
import { ByteSearch } from "./byte-search.ts";
import { withoutMarkdown } from "./text.ts";

const MARK = "[redacted]";
/**
 * How an excerpt ends: an ellipsis and closing marks. A secret's beginning before it is removed from the length below
 * on.
 */
const CUT = /…["'`)\]}]{0,3}$/;
const SHORTEST_BEGINNING = 4;

/** Removes secrets from everything that is kept or shown. */
export interface Redaction {
  /**
   * The text with a mark in place of every secret. Unpaired surrogates, which agents do write and which neither a file
   * nor Discord can hold, become U+FFFD, so that the text shown, stored and read again is the same.
   */
  redactText(text: string): string;
  /**
   * Redacts every text in a value, field names included; returns the same value if there is no secret. Plain JSON, no
   * cycles.
   */
  value<T>(value: T): T;
  /** Redacts bytes of any kind: read as Latin-1, all other bytes stay unchanged. */
  bytes(bytes: Uint8Array): Buffer;
  /** Tells two texts apart without revealing them, for the lifetime of this process; 64 hex digits. */
  fingerprint(text: string): string;
  /** A redactor for bytes that arrive in chunks. */
  stream(): RedactedStream;
}

/** Shorter values are ordinary words; replacing them would ruin every text and hide nothing. */
export const SHORTEST_SECRET = 8;

export class Redactor implements Redaction {
  /** Extended and never replaced, so that open streams also find secrets added later. */
  readonly #forms: Buffer[] = [];
  readonly #wrapped: Wrapped[] = [];
  readonly #search = new ByteSearch<SecretPattern>();
  readonly #secrets = new Set<string>();
  #texts: readonly string[] = [];
  /** Found in every text that holds a secret, and in hardly any other. */
  #sign: RegExp | null = null;
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
    const values = [...this.#secrets].flatMap((secret) => valuesOf(secret.toWellFormed()));
    const coded = new Set(values.flatMap(base64Forms));
    const forms = new Set([...values.flatMap(formsOf), ...coded]);
    const longestFirst = [...forms].sort((a, b) => b.length - a.length);
    const wrapped = [...new Set([...values, ...coded])]
      .filter((form) => form.length >= 2 * PROBE_CHARS && UNBROKEN.test(form))
      .map(wrappedForm);
    this.#texts = longestFirst;
    this.#forms.splice(0, Number.POSITIVE_INFINITY, ...longestFirst.map((form) => Buffer.from(form)));
    this.#wrapped.splice(0, Number.POSITIVE_INFINITY, ...wrapped);
    this.#search.setPatterns([
      ...this.#forms.map((bytes) => ({ bytes, of: null })),
      ...wrapped.flatMap((of) => of.probes.map((probe) => ({ bytes: Buffer.from(probe), of }))),
    ]);
    this.#sign = new RegExp([...longestFirst, ...wrapped.flatMap(({ probes }) => probes)].map(literally).join("|"));
  }

  redactText(text: string): string {
    return this.#replaced(text.toWellFormed());
  }

  value<T>(value: T): T {
    return this.#sign === null ? value : (this.#redactValue(value) as T);
  }

  bytes(bytes: Uint8Array): Buffer {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#sign === null ? whole : replace(whole, spansInBytes(whole, this.#search));
  }

  fingerprint(text: string): string {
    return createHmac("sha256", this.#key).update(text, "utf8").digest("hex");
  }

  #replaced(text: string): string {
    if (this.#sign === null) return text;
    const clean = this.#sign.test(text) ? marked(text, spansIn(text, this.#texts, this.#wrapped)) : text;
    if (!clean.includes("…")) return clean;
    const [end] = CUT.exec(clean) ?? [];
    return end === undefined ? clean : `${this.#withoutBeginning(clean.slice(0, -end.length))}${end}`;
  }

  /** An excerpt may end inside a secret: the part that is left is removed too. */
  #withoutBeginning(text: string): string {
    let longest = 0;
    const last = text.at(-1);
    for (const form of this.#texts) {
      for (
        let length = Math.min(form.length - 1, text.length);
        length > longest && length >= SHORTEST_BEGINNING;
        length -= 1
      ) {
        // Most lengths end here.
        if (form[length - 1] === last && text.endsWith(form.slice(0, length))) longest = length;
      }
    }
    return longest === 0 ? text : `${text.slice(0, -longest)}${MARK}`;
  }

  #redactValue(value: unknown): unknown {
    if (typeof value === "string") return this.#replaced(value);
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    if (Array.isArray(value)) {
      const items = value.map((one) => this.#redactValue(one));
      return items.some((one, at) => one !== value[at]) ? items : value;
    }
    let isClean = true;
    const entries: [string, unknown][] = Object.entries(value);
    for (const entry of entries) {
      const [name, one] = entry;
      const [clean, within] = [this.#replaced(name), this.#redactValue(one)];
      if (clean === name && within === one) continue;
      isClean = false;
      entry[0] = clean;
      entry[1] = within;
    }
    return isClean ? value : Object.fromEntries(entries);
  }

  stream(): RedactedStream {
    return new RedactedStream(this.#forms, this.#wrapped, this.#search);
  }
}

/** Passes each chunk on redacted; an end that may be the beginning of a secret is held back until the next chunk. */
export class RedactedStream {
  readonly #forms: readonly Buffer[];
  readonly #wrapped: readonly Wrapped[];
  readonly #search: ByteSearch<SecretPattern>;
  #held: Buffer = Buffer.alloc(0);

  constructor(forms: readonly Buffer[], wrapped: readonly Wrapped[], search: ByteSearch<SecretPattern>) {
    this.#forms = forms;
    this.#wrapped = wrapped;
    this.#search = search;
  }

  /** The result may be a view of the chunk. */
  write(chunk: Uint8Array): Buffer {
    const whole = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const data = this.#held.length > 0 ? Buffer.concat([this.#held, whole]) : whole;
    const found = spansInBytes(data, this.#search);
    const open = data.length - this.#openEnd(data);
    // A secret that overlaps the held-back bytes is held back whole; otherwise its rest would go out unredacted later.
    const crossing = found.filter(({ from, to }) => from < open && to > open);
    const cut = Math.min(open, ...crossing.map(({ from }) => from));
    this.#held = Buffer.from(data.subarray(cut));
    return replace(data.subarray(0, cut), found);
  }

  /** The bytes still held back, at the end of the stream. */
  flush(): Buffer {
    const data = this.#held;
    this.#held = Buffer.alloc(0);
    return replace(data, spansInBytes(data, this.#search));
  }

  /** How many bytes at the end could be the beginning of a secret. */
  #openEnd(data: Buffer): number {
    let longest = 0;
    for (const form of this.#forms) longest = Math.max(longest, openLength(data, form, longest));
    return Math.max(longest, this.#openLines(data));
  }

  /** The same for what is broken into lines. */
  #openLines(data: Buffer): number {
    const longest = Math.max(0, ...this.#wrapped.map(({ bytes }) => bytes.length));
    const { signs, at } = withoutBreaks(data, Math.max(0, data.length - longest * MOST_BYTES_A_SIGN));
    let open = 0;
    for (const { bytes } of this.#wrapped) open = Math.max(open, openLength(signs, bytes, open));
    return open === 0 ? 0 : data.length - (at[at.length - open] ?? data.length);
  }
}

/** A key, or base64, that may be broken into lines. */
interface Wrapped {
  bytes: Buffer;
  /** At most one break is in both together, so one of them is found. */
  probes: readonly string[];
  pattern: RegExp;
}

/** Lines are at least twice as long. */
const PROBE_CHARS = 16;
/** What consists of such signs only has no line ends of its own. */
const UNBROKEN = /^[\w+/=.~:-]+$/;
/** Between two signs, with what the next line is indented by; in JSON it is written with a backslash. */
const BREAK = String.raw`(?:(?:[\r\n]|\\[rn]){1,2}[ \t]{0,16})?`;
/** With the longest break. */
const MOST_BYTES_A_SIGN = 21;

function wrappedForm(form: string): Wrapped {
  const pattern = new RegExp([...form].map(literally).join(BREAK), "g");
  return {
    bytes: Buffer.from(form),
    probes: [form.slice(0, PROBE_CHARS), form.slice(PROBE_CHARS, 2 * PROBE_CHARS)],
    pattern,
  };
}

/**
 * The bytes from a place on without those that break and indent lines, and the place of each. The last may be half a
 * break.
 */
function withoutBreaks(data: Buffer, from: number): { signs: Buffer; at: number[] } {
  const at: number[] = [];
  let isBroken = false;
  for (let place = from; place < data.length; place += 1) {
    const byte = data[place];
    const next = byte === 92 ? (data[place + 1] ?? 110) : 0;
    const isEscaped = next === 110 || next === 114;
    isBroken = byte === 10 || byte === 13 || isEscaped || (isBroken && (byte === 32 || byte === 9));
    if (isEscaped) place += 1;
    else if (!isBroken) at.push(place);
  }
  return { signs: Buffer.from(at.map((place) => data[place] ?? 0)), at };
}

/** How many bytes at the end could be the beginning of the form; 0 if not more than `least`. */
function openLength(data: Buffer, form: Buffer, least: number): number {
  const last = data.at(-1);
  for (let length = Math.min(form.length - 1, data.length); length > least; length -= 1) {
    // Most lengths end here, without the two views that comparing all of it takes.
    if (form[length - 1] === last && form.subarray(0, length).equals(data.subarray(data.length - length)))
      return length;
  }
  return 0;
}

interface Span {
  from: number;
  to: number;
}

/** A form of a secret, or a probe of one that may be broken into lines. */
interface SecretPattern {
  bytes: Buffer;
  of: Wrapped | null;
}

/** The positions of secrets, ordered by start; they may overlap. */
function spansInBytes(data: Buffer, search: ByteSearch<SecretPattern>): Span[] {
  const found = search.find(data);
  const spans = found.flatMap(({ one: { bytes, of }, at }) =>
    of === null ? [{ from: at, to: at + bytes.length }] : [],
  );
  const broken = new Set(found.flatMap(({ one: { of } }) => of ?? []));
  return sorted(broken.size === 0 ? spans : [...spans, ...brokenIn(data.toString("latin1"), [...broken])]);
}

/** The same in a text. */
function spansIn(text: string, forms: readonly string[], wrapped: readonly Wrapped[]): Span[] {
  const broken = wrapped.filter(({ probes }) => probes.some((probe) => text.includes(probe)));
  const spans = brokenIn(text, broken);
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
      spans.push({ from: at, to: at + form.length });
    }
  }
  return sorted(spans);
}

/** Where these stand, broken into lines or not. */
function brokenIn(text: string, wrapped: readonly Wrapped[]): Span[] {
  return wrapped.flatMap(({ pattern }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ from: index, to: index + found.length })),
  );
}

function sorted(spans: Span[]): Span[] {
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

/** The same in a text. */
function marked(text: string, spans: readonly Span[]): string {
  let [clean, at] = ["", 0];
  for (const { from, to } of spans) {
    if (from >= at) clean += text.slice(at, from) + MARK;
    at = Math.max(at, to);
  }
  return clean + text.slice(at);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** A secret, and each line of one that has several. */
function valuesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 2 * SHORTEST_SECRET);
  return [secret, ...(lines.length > 1 ? lines : [])];
}

function formsOf(value: string): string[] {
  // The same with `%2f` for `%2F`: both are used.
  const coded = urlForms(value).flatMap((form) => [form, form.replace(/%../g, (code) => code.toLowerCase())]);
  return [value, ...coded, JSON.stringify(value).slice(1, -1), withoutMarkdown(value)];
}

/**
 * Programs differ in which signs they encode: all, all but slashes, those that mean something in a form or before a
 * host.
 */
function urlForms(value: string): string[] {
  const all = encodeURIComponent(value).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const before = new URL("http://host");
  before.password = value;
  return [
    encodeURIComponent(value),
    encodeURI(value),
    all,
    all.replaceAll("%2F", "/"),
    all.replaceAll("%20", "+"),
    before.password,
  ];
}

/**
 * Base64 of a text that contains the secret has one of three forms, depending on where in a group of three bytes the
 * secret begins. Each form omits the characters that also depend on neighbouring bytes.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const coded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/={1,2}$/, "");
    const first = before === 0 ? 0 : before + 1;
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    const inner = coded.slice(first, last);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
