/**
 * The keeper of reminders: says when the owner is due to be reminded of what still waits for his answer. Each step of
 * the ladder is on disk before it is posted, so a restart neither repeats nor loses one; however the clock is moved,
 * one step at most comes early and none is waited for longer than it says (rule J9).
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/config-file.ts";
import { isOpen, type Decision } from "../core/decision.ts";
import type { Engine } from "../engine/engine.ts";
import { quietUntil } from "./quiet-hours.ts";

export interface RemindersOptions {
  engine: Pick<Engine, "state" | "submit" | "watch">;
  clock: Clock;
  log: Log;
  /** What is asked through another bot is another room's. */
  botId: string;
  config(): Pick<Config, "reminders" | "quiet_hours">;
}

interface Due {
  step: number;
  by: Config["reminders"][number]["by"];
  gapMs: number;
  /** By the wall clock: a machine that slept reminds when it wakes. */
  at: number;
  /** By the monotonic clock: a wall clock that is put back keeps nobody waiting. */
  latest: number;
}

/** A timer does not count while the machine sleeps, and the settings may change: so long it waits at most. */
const LOOK_MS = 60_000;
const MINUTE_MS = 60_000;

export function openReminders({ engine, clock, log, botId, config }: RemindersOptions): { close(): void } {
  const known = new Map<string, Due>();
  let forget: (() => void) | null = null;
  let closed = false;

  function attend(): void {
    const { reminders } = config();
    const all = Object.values(engine.state.decisions).filter((one) => waits(one));
    const open = new Set(all.map(({ decision_id }) => decision_id));
    for (const id of known.keys()) if (!open.has(id)) known.delete(id);
    for (const decision of all) {
      const due = dueOf(decision, reminders);
      const before = known.get(decision.decision_id);
      if (due === null) known.delete(decision.decision_id);
      else if (before?.step !== due.step || before.gapMs !== due.gapMs || before.by !== due.by) known.set(decision.decision_id, due);
    }
  }

  /** Nobody is reminded of what he could not see yet. */
  function waits(one: Decision): boolean {
    return isOpen(one) && one.shown !== null && one.thread_id !== null && engine.state.threads[one.thread_id]?.bot_id === botId;
  }

  function dueOf({ asked_at, reminders: done }: Decision, ladder: Config["reminders"]): Due | null {
    const next = ladder[done.length];
    if (!next) return null;
    const gapMs = Math.max(1, next.after_minutes - (ladder[done.length - 1]?.after_minutes ?? 0)) * MINUTE_MS;
    const now = clock.now();
    const since = Date.parse(done.at(-1)?.at ?? asked_at);
    // A time that lies further ahead than we would wait comes from a clock that was wrong then or is wrong now.
    const left = since - now > gapMs ? 0 : Math.min(Math.max(since + gapMs - now, 0), gapMs);
    return { step: done.length + 1, by: next.by, gapMs, at: now + left, latest: clock.monotonic() + left };
  }

  function look(): void {
    forget?.();
    forget = null;
    if (closed) return;
    attend();
    if (known.size === 0) return;
    const quiet = quietUntil(clock.now(), config().quiet_hours);
    if (quiet === null) for (const [id, due] of known) if (leftOf(due) <= 0) remind(id, due);
    const left = quiet === null ? [...known.values()].map(leftOf).filter((ms) => ms > 0) : [quiet - clock.now()];
    forget = clock.after(Math.min(LOOK_MS, ...left), look);
  }

  function leftOf({ at, latest }: Due): number {
    return Math.ceil(Math.min(at - clock.now(), latest - clock.monotonic()));
  }

  /** It stays known until it is on disk, so that it is not begun anew; said twice it counts once. */
  function remind(decision_id: string, { step, by }: Due): void {
    engine.submit({ type: "remind", decision_id, step, by }).catch((error: unknown) => log.failure("the owner could not be reminded", error, { decision_id }));
  }

  const unwatch = engine.watch(look);
  look();
  return {
    close() {
      closed = true;
      unwatch();
      forget?.();
    },
  };
}
