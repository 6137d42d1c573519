/**
 * The reconciler of reminders: decides when to remind the owner of open decisions. Each step of the ladder is on disk
 * before it is posted, so a restart neither repeats nor loses one; if the system clock is changed, at most one step
 * comes early and none is later than configured. What a terminal asks too has a step of its own, and an early one where
 * the owner sits in front of it, because its prompt is silent then. While the owner has snoozed a question, the ladder
 * pauses; afterwards the owner is mentioned once more.
 */
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../config/config-file.ts";
import { isAtTerminal } from "../../core/decisions/asker.ts";
import { lapseSeconds } from "../../config/session-settings.ts";
import { WINDOW_TOOL } from "../../core/sessions/windows.ts";
import { isOpen, type Decision, type OpenDecision } from "../../core/decisions/decision.ts";
import { reconcile } from "../../engine/reconcile.ts";
import type { BotContext } from "../api/bot-context.ts";
import { quietUntil } from "../views/rings.ts";
import { isThreadOfBot } from "../../core/sessions/thread.ts";

interface Rung {
  /** After it was asked. */
  afterMs: number;
  by: Config["reminders"][number]["by"];
}

interface DueReminder {
  step: number;
  by: Config["reminders"][number]["by"];
  /** The end of the owner's snooze; absent: the next step of the ladder. */
  snoozed_until?: string;
  gapMs: number;
  /** Wall clock: a machine that slept reminds when it wakes. */
  at: number;
  /** Monotonic clock: setting the wall clock back does not delay a reminder. */
  latest: number;
}

/** Longest wait: a timer does not run while the machine sleeps, and the settings may change. */
const LOOK_MS = 60_000;
const MINUTE_MS = 60_000;
/** How long a dialog stands at its terminal before its owner is called in Discord. */
const AT_TERMINAL_MS = 10_000;

export function openReminders(context: BotContext): { close(): Promise<void> } {
  const { engine, clock, log, config } = context;
  const known = new Map<string, DueReminder>();

  /** A decision that has not been shown yet is not reminded of. */
  function waits(one: Decision): one is OpenDecision {
    return (
      isOpen(one) &&
      one.shown.first !== null &&
      one.thread_id !== null &&
      isThreadOfBot(engine.state, one.thread_id, context)
    );
  }

  function ladderOf(decision: Decision): Rung[] {
    const { reminders, mention } = config();
    const rungs: Rung[] = reminders.map(({ after_minutes, by }) => ({ afterMs: after_minutes * MINUTE_MS, by }));
    const afterMs = thereAfter(decision);
    return afterMs !== null && mention.includes("waiting")
      ? [{ afterMs, by: "mention" as const }, ...rungs].toSorted((a, b) => a.afterMs - b.afterMs)
      : rungs;
  }

  /** When the owner is told once more that the terminal asks too; null: it does not. */
  function thereAfter({ asker, kind }: Decision): number | null {
    if (isAtTerminal(engine.state.turns, asker)) return AT_TERMINAL_MS;
    const seconds = asker.by === "hook" && kind !== "question" ? lapseSeconds(config(), kind, WINDOW_TOOL) : undefined;
    return seconds === undefined ? null : seconds * 1000;
  }

  /** The settings may have changed since the last look. */
  function step(decision_id: string): Promise<unknown> | number | null {
    const decision = engine.state.decisions[decision_id];
    const next = decision && waits(decision) ? dueOf(decision, ladderOf(decision), clock) : null;
    if (next === null) return (known.delete(decision_id), null);
    const due = stillDue(known.get(decision_id), next);
    known.set(decision_id, due);
    const quiet = quietUntil(clock.now(), config().quiet_hours, config().time_zone);
    const leftMs =
      quiet === null ? Math.min(due.at - clock.now(), due.latest - clock.monotonic()) : quiet - clock.now();
    return leftMs > 0 ? Math.min(leftMs, LOOK_MS) : remind(decision_id, due);
  }

  function remind(decision_id: string, { step: number, by, snoozed_until }: DueReminder): Promise<unknown> {
    return engine.submit({
      type: "remind",
      decision_id,
      step: number,
      by,
      ...(snoozed_until !== undefined && { snoozed_until }),
    });
  }

  const reminders = reconcile({
    engine,
    clock,
    log,
    failure: "the owner could not be reminded",
    details: (decision_id) => ({ decision_id }),
    follows: "decisions",
    step,
  });
  reminders.start();
  return reminders;
}

/** The time of the same reminder is computed once. */
function stillDue(before: DueReminder | undefined, next: DueReminder): DueReminder {
  const same =
    before?.step === next.step &&
    before.gapMs === next.gapMs &&
    before.by === next.by &&
    before.snoozed_until === next.snoozed_until;
  return before && same ? before : next;
}

/** A snooze ends at the chosen time, whatever the ladder says; the ladder continues after it. */
function dueOf(
  { asked_at, reminders: done, meanwhile: { snooze } }: OpenDecision,
  ladder: readonly Rung[],
  clock: Clock,
): DueReminder | null {
  const step = done.length + 1;
  if (snooze)
    return {
      step,
      by: "mention",
      snoozed_until: snooze.until,
      ...dueIn(Math.max(MINUTE_MS, Date.parse(snooze.until) - Date.parse(snooze.at)), snooze.at, clock),
    };
  const climbed = done.filter(({ after_snooze }) => !after_snooze).length;
  const next = ladder[climbed];
  if (!next) return null;
  const gapMs = Math.max(Math.min(MINUTE_MS, next.afterMs), next.afterMs - (ladder[climbed - 1]?.afterMs ?? 0));
  return { step, by: next.by, ...dueIn(gapMs, done.at(-1)?.at ?? asked_at, clock) };
}

function dueIn(gapMs: number, sinceTime: string, clock: Clock): Pick<DueReminder, "gapMs" | "at" | "latest"> {
  const now = clock.now();
  const since = Date.parse(sinceTime);
  // A start time more than the gap ahead comes from a clock that was wrong then or is wrong now.
  const left = since - now > gapMs ? 0 : Math.min(Math.max(since + gapMs - now, 0), gapMs);
  return { gapMs, at: now + left, latest: clock.monotonic() + left };
}
