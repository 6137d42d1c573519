/**
 * What a bot's gateway connection keeps on disk between two runs of the daemon: the IDENTIFYs of the last day, so that
 * a crash loop cannot use them up, and the session, so that a killed daemon resumes instead of spending another; and
 * when the next IDENTIFY may be sent. It only saves IDENTIFYs: a file that is damaged or cannot be written is logged
 * and ignored.
 */
import type { APIGatewaySessionStartLimit } from "discord-api-types/v10";
import { isoTime, type Clock } from "../../../base/clock.ts";
import { errnoOf, readWhole, writeAtomically, type Disk } from "../../../base/disk.ts";
import type { Log } from "../../../base/log.ts";
import type { GatewaySession } from "./handshake.ts";

export interface GatewayFile {
  /** The session of the previous run, if it may still be resumed. */
  readonly session: GatewaySession | null;
  /** How long the next IDENTIFY has to wait, in milliseconds; null: it may be sent now. */
  wait(limit: APIGatewaySessionStartLimit): { ms: number; why: IdentifyDelay } | null;
  /** Resolves when one more is recorded on disk; only then may it be sent. */
  spend(): Promise<void>;
  /** The connection has lasted: what came before is no crash loop. */
  lasted(): void;
  /** The session that could be resumed from now on; null: none. */
  saveSession(session: GatewaySession | null): void;
  /** Resolves when what was kept is on disk. */
  close(): Promise<void>;
}

export interface GatewayFileOptions {
  disk: Disk;
  path: string;
  clock: Clock;
  log: Log;
}

const DAY_MS = 24 * 60 * 60_000;
/** As many as Discord allows in a day. */
const KEPT = 1000;

/** Never rejects. */
export async function openGatewayFile(options: GatewayFileOptions): Promise<GatewayFile> {
  const { disk, path, clock, log } = options;
  const read = await readKept(options);
  let { past, session } = read;
  let writing: Promise<void> = Promise.resolve();

  function write(): Promise<void> {
    const start = clock.now() - clock.monotonic();
    past = past.filter((one) => one.at > clock.monotonic() - DAY_MS).slice(-KEPT);
    const identifies = past.map(({ at, lasted }) => ({ at: isoTime(start + at), lasted }));
    const bytes = Buffer.from(`${JSON.stringify({ version: 1, identifies, session }, null, 2)}\n`);
    const failed = (error: unknown): void =>
      log.warn("the count of IDENTIFYs cannot be saved", { path, reason: errnoOf(error) });
    writing = writing.then(() => writeAtomically(disk, path, bytes)).catch(failed);
    return writing;
  }

  return {
    session,
    wait: (limit) => identifyWait(past, limit, clock.monotonic()),
    spend() {
      past.push({ at: clock.monotonic(), lasted: false, earlier: false });
      session = null;
      return write();
    },
    lasted() {
      const last = past.at(-1);
      if (!last || last.lasted) return;
      last.lasted = true;
      void write();
    },
    saveSession(next) {
      if (next === null && session === null) return;
      session = next;
      void write();
    },
    close: () => writing,
  };
}

async function readKept({
  disk,
  path,
  clock,
  log,
}: GatewayFileOptions): Promise<{ past: Identify[]; session: GatewaySession | null }> {
  try {
    const bytes = await readWhole(disk, path);
    if (bytes === undefined) return { past: [], session: null };
    const { identifies, session } = JSON.parse(bytes.toString("utf8")) as { identifies?: unknown; session?: unknown };
    const listed: readonly unknown[] = Array.isArray(identifies) ? identifies : [];
    return { past: listed.flatMap((one) => readIdentify(one, clock)), session: readSession(session) };
  } catch (error) {
    log.warn("the count of IDENTIFYs cannot be read; it starts again at zero", { path, reason: errnoOf(error) });
    return { past: [], session: null };
  }
}

/** A time in the future was written under another wall clock: it counts as sent just now. */
function readIdentify(value: unknown, clock: Clock): Identify[] {
  const { at, lasted } = (value ?? {}) as { at?: unknown; lasted?: unknown };
  const age = Math.max(0, clock.now() - Date.parse(String(at)));
  return age < DAY_MS ? [{ at: clock.monotonic() - age, lasted: lasted === true, earlier: true }] : [];
}

function readSession(value: unknown): GatewaySession | null {
  const { id, resumeUrl, sequence } = (value ?? {}) as { id?: unknown; resumeUrl?: unknown; sequence?: unknown };
  return typeof id === "string" && typeof resumeUrl === "string" && typeof sequence === "number"
    ? { id, resumeUrl, sequence }
    : null;
}

/** One IDENTIFY that was sent. */
export interface Identify {
  /** Milliseconds on the monotonic clock; may be negative, for a time before this run began. */
  at: number;
  /** Whether the connection that followed lasted; then it does not count against us. */
  lasted: boolean;
  /** Sent by an earlier run of the daemon. */
  earlier: boolean;
}

export type IdentifyDelay = "day" | "restarts" | "short_sessions" | "pace";

/** Below this many left today we wait for Discord's new count: others may use the same token. */
const RESERVE = 50;
/** This many in a row are free, for somebody who is trying things out. */
const FREE = 10;
const FIRST_WAIT_MS = { restarts: 2 * 60_000, short_sessions: 30_000 };
/** We have to end a restart loop; short sessions may be an outage of Discord's that ends by itself. */
const LONGEST_WAIT_MS = { restarts: 8 * 60 * 60_000, short_sessions: 15 * 60_000 };
/** Minimum time between two, if only one may identify at a time. */
const PACE_MS = 5_000;

/**
 * How long the next IDENTIFY has to wait from `now`, in milliseconds, and why; null: it may be sent. Discord allows
 * 1,000 a day, and a bot that spends them all loses its token. So a daemon that its supervisor starts again and again,
 * or a session that never lasts, gets slower and slower: never more than 20 a day by restarting. `past` is in order of
 * time.
 */
export function identifyWait(
  past: readonly Identify[],
  limit: APIGatewaySessionStartLimit,
  now: number,
): { ms: number; why: IdentifyDelay } | null {
  if (limit.remaining < RESERVE) return { ms: Math.max(1_000, limit.reset_after), why: "day" };
  const last = past.at(-1);
  if (!last) return null;
  const why = last.earlier ? "restarts" : "short_sessions";
  const inRow = past
    .slice(past.findLastIndex((one) => one.lasted) + 1)
    .filter((one) => one.at > now - DAY_MS && one.earlier === last.earlier).length;
  const wait = inRow < FREE ? 0 : Math.min(LONGEST_WAIT_MS[why], FIRST_WAIT_MS[why] * 2 ** (inRow - FREE));
  const ms = last.at + wait - now;
  if (ms > 0) return { ms, why };
  const pace = limit.max_concurrency > 1 ? 0 : last.at + PACE_MS - now;
  return pace > 0 ? { ms: pace, why: "pace" } : null;
}
