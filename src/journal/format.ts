/**
 * One event per line: `{"seq":n,"ts":"…","type":"…","payload":{…},"crc":"xxxxxxxx"}` and a newline. The crc is computed
 * over the line's own bytes before `,"crc"` plus `}`, and is compared with the bytes as they were read, before anything
 * is parsed: what decodes is what was written, byte for byte.
 */
import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";

/** What the core passes on to be written. */
export interface EventDraft {
  readonly type: string;
  /** Plain JSON: no undefined, no NaN, no Date; anything else is refused, because a replay would differ. */
  readonly payload: object;
}

/** An event with its sequence number and time, as on disk. */
export interface JournalEvent extends EventDraft {
  readonly seq: number;
  /** ISO 8601 with milliseconds and `Z`; for people only, never for order. */
  readonly ts: string;
}

/** A position in the journal: the sequence number and the crc (8 hex digits) of one line. */
export interface Position {
  readonly seq: number;
  readonly crc: string;
}

/** Before the first event. */
export const BEGINNING: Position = { seq: 0, crc: "00000000" };

/** The longest line, newline included: far above any event of ours, and small enough to hold in memory. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** `,"crc":"xxxxxxxx"}` */
export const SEAL_BYTES = 18;

const HEAD =
  /^\{"seq":([1-9][0-9]{0,15}),"ts":"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)","type":"([A-Z][A-Za-z0-9]{0,63})","payload":(?=\{)/;
const SEAL = Buffer.from(',"crc":"');

/**
 * The line's bytes, newline included, and its crc.
 * @throws TypeError or RangeError for what a replay could not restore exactly
 */
export function encode(event: EventDraft, seq: number, ts: string): { line: Buffer; crc: string } {
  refuseInexact(event.payload, "payload");
  const open = `{"seq":${seq},"ts":"${ts}","type":"${event.type}","payload":${JSON.stringify(event.payload)}`;
  if (!Number.isSafeInteger(seq) || !HEAD.test(open)) throw new TypeError(`not an event: ${open.slice(0, 120)}`);
  const { text, crc } = seal(`${open}}`);
  const line = Buffer.from(`${text}\n`);
  if (line.length > MAX_LINE_BYTES) throw new RangeError(`an event of ${line.length} bytes; at most ${MAX_LINE_BYTES}`);
  return { line, crc };
}

/** Adds the crc of a JSON object's text to it as the last field. */
export function seal(object: string): { text: string; crc: string } {
  const crc = hex(crc32(object));
  return { text: `${object.slice(0, -1)},"crc":"${crc}"}`, crc };
}

/**
 * The crc (as a number) of the sealed object in `bytes[start, end)`, or -1 if the seal is missing or broken. Looks only
 * at the bytes.
 */
export function checkSeal(bytes: Buffer, start: number, end: number): number {
  const seal = end - SEAL_BYTES;
  // `{"a":1` is the shortest text before a seal.
  if (seal - start < 6 || !startsWith(bytes, seal, SEAL) || bytes[end - 2] !== 0x22 || bytes[end - 1] !== 0x7d)
    return -1;
  const crc = withBrace(crc32(bytes.subarray(start, seal)));
  return parseHex(bytes, seal + 8) === crc ? crc : -1;
}

/**
 * Whether exactly these bytes are there. Compared byte by byte here and below: a string per line would cost more than
 * the crc.
 */
export function startsWith(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index += 1) if (bytes[at + index] !== expected[index]) return false;
  return true;
}

/** The crc of the same bytes followed by `}`: one step of CRC-32, bit by bit. */
function withBrace(crc: number): number {
  let next = ~crc ^ 0x7d;
  for (let bit = 0; bit < 8; bit += 1) next = next & 1 ? (next >>> 1) ^ 0xedb88320 : next >>> 1;
  return ~next >>> 0;
}

/** The number in eight lower-case hex digits; NaN for anything else. */
function parseHex(bytes: Buffer, at: number): number {
  let value = 0;
  for (let index = at; index < at + 8; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) value = value * 16 + byte - 0x30;
    else if (byte >= 0x61 && byte <= 0x66) value = value * 16 + byte - 0x57;
    else return Number.NaN;
  }
  return value;
}

/**
 * The event in one sealed line whose seal was checked and whose bytes are known to be UTF-8; `undefined` if its form is
 * not exactly ours. The head is matched by a pattern and only the payload is parsed, so a duplicate, missing or
 * reordered key cannot pass.
 */
export function parseLine(line: string): JournalEvent | undefined {
  const head = HEAD.exec(line);
  if (head === null) return undefined;
  const seq = Number(head[1]);
  if (!Number.isSafeInteger(seq)) return undefined;
  const payload = parseObject(line.slice(head[0].length, -SEAL_BYTES));
  return payload && { seq, ts: head[2] ?? "", type: head[3] ?? "", payload };
}

/**
 * One line without its newline, with all checks.
 * @returns the event and its crc, or what is wrong with the bytes, in a few words
 */
export function decode(line: Buffer): { event: JournalEvent; crc: string } | { wrong: string } {
  const crc = checkSeal(line, 0, line.length);
  if (crc < 0) return { wrong: "crc" };
  if (!isUtf8(line)) return { wrong: "not UTF-8" };
  const event = parseLine(line.toString("utf8"));
  return event === undefined ? { wrong: "not an event" } : { event, crc: hex(crc) };
}

export function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

function parseObject(text: string): object | undefined {
  if (!text.endsWith("}")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON.stringify silently drops or changes some values; the live state would then differ from the replayed one. */
export function refuseInexact(value: unknown, at: string): void {
  const wrong = inexactIn(value);
  if (wrong !== null) throw new TypeError(`${at}${wrong.place} is not JSON: ${wrong.is}`);
}

/** The place is put together only where something is wrong: each event is looked at twice. */
function inexactIn(value: unknown): { place: string; is: string } | null {
  if (value === null || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number" && Number.isFinite(value)) return null;
  if (Array.isArray(value)) {
    // Not forEach: it skips a hole, which JSON turns into null.
    for (let index = 0; index < value.length; index += 1) {
      const wrong = inexactIn(value[index]);
      if (wrong !== null) return { ...wrong, place: `[${index}]${wrong.place}` };
    }
    return null;
  }
  if (typeof value !== "object" || !isPlain(value)) return { place: "", is: typeof value };
  for (const key of Object.keys(value)) {
    const wrong = inexactIn((value as Record<string, unknown>)[key]);
    if (wrong !== null) return { ...wrong, place: `.${key}${wrong.place}` };
  }
  return null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
