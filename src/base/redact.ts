/**
 * Secrets leave nothing: each is replaced wherever it stands exactly, be it as it is, URL-encoded, inside a JSON
 * string, or anywhere within base64, and also where a stream cuts it in two. Only exact values are known here;
 * a secret that an agent spells backwards is beyond it.
 */
const MARK = "[redacted]";

/** Shorter ones are words of the language; replacing them would ruin every text and hide nothing. */
export const SHORTEST_SECRET = 8;

export class Redactor {
  /** Added to and never replaced: streams that have begun look for what comes later too. */
  readonly #forms: Buffer[] = [];
  readonly #secrets = new Set<string>();
  #pattern: RegExp | null = null;

  /** @param secrets exact values; those under eight characters are not looked for */
  constructor(secrets: readonly string[]) {
    this.add(secrets);
  }

  /** From now on these are replaced as well. */
  add(secrets: readonly string[]): void {
    for (const secret of secrets) if (secret.length >= SHORTEST_SECRET) this.#secrets.add(secret);
    const forms = new Set([...this.#secrets].flatMap((secret) => formsOf(secret.toWellFormed())));
    const longestFirst = [...forms].sort((a, b) => b.length - a.length);
    this.#forms.splice(0, Number.POSITIVE_INFINITY, ...longestFirst.map((form) => Buffer.from(form)));
    this.#pattern = longestFirst.length > 0 ? new RegExp(longestFirst.map(literally).join("|"), "g") : null;
  }

  /**
   * The text with a mark in place of every secret. Half of a character, which agents do write and which neither a file
   * nor Discord can keep, becomes U+FFFD here, so that what is shown, kept and read again is one and the same.
   */
  text(text: string): string {
    const whole = text.toWellFormed();
    return this.#pattern === null ? whole : whole.replace(this.#pattern, MARK);
  }

  /** A redactor for bytes that come in pieces. */
  stream(): RedactedStream {
    return new RedactedStream(this.#forms);
  }
}

/** Gives each chunk on redacted, except an end that may be the beginning of a secret, which waits for the next. */
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
    // A secret that reaches into what is held back is held back whole, or its rest would go out bare later.
    const crossing = found.filter(({ from, to }) => from < open && to > open);
    const cut = Math.min(open, ...crossing.map(({ from }) => from));
    this.#held = Buffer.from(data.subarray(cut));
    return replace(data.subarray(0, cut), found);
  }

  /** What was held back, when nothing more comes. */
  end(): Buffer {
    const data = this.#held;
    this.#held = Buffer.alloc(0);
    return replace(data, this.#find(data));
  }

  /** Where secrets stand, in order of their beginnings; they may overlap. */
  #find(data: Buffer): Span[] {
    const spans: Span[] = [];
    for (const form of this.#forms) {
      for (let at = data.indexOf(form); at !== -1; at = data.indexOf(form, at + 1)) {
        spans.push({ from: at, to: at + form.length });
      }
    }
    return spans.sort((a, b) => a.from - b.from);
  }

  /** How many bytes at the end could be the beginning of a secret. */
  #openEnd(data: Buffer): number {
    let longest = 0;
    for (const form of this.#forms) {
      for (let length = Math.min(form.length - 1, data.length); length > longest; length -= 1) {
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

/** One mark for each stretch of secrets that overlap. Spans beyond the data are another chunk's. */
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
    // The same with `%2f` for `%2F`: both are in use.
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(value),
  ]);
}

/**
 * Base64 of a text that holds the secret shows it in one of three shapes, by where in a group of three bytes it
 * begins. Each shape is kept without the characters that its neighbours have a part in.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const coded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64").replace(/=+$/, "");
    const first = before === 0 ? 0 : before + 1;
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    const inner = coded.slice(first, last);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
