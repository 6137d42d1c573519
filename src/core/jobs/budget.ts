/**
 * Budgets: how much agents may use in a session, and in all of them on one day, in money or in tokens. What an agent
 * tells counts when it tells it, once, and in its own unit only: amounts of two units are never added or compared. Once
 * a budget is used up, its owner is asked, and until he answers nothing new starts in the session or, for a day's, in
 * any. A day lasts from midnight to midnight where the owner is, so what was told is kept by quarters of an hour: no
 * time zone begins its day within one.
 */
import { BellhopError } from "../../base/errors.ts";
import { voidedWith, type DecisionEvent } from "../decisions/decision.ts";
import type { BudgetWait } from "../projects/checkout.ts";
import { waitingSessions } from "../sessions/session.ts";
import { busyThreads, outsideThreads, parkedThreads, type Thread } from "../sessions/thread.ts";
import { each, type Slice } from "../slice.ts";
import type { Command, Event } from "../slices.ts";
import type { State } from "../state.ts";
import { costIn } from "./cost.ts";
import type { JobEvent, JobRef, Rules, WaitEvent } from "./job.ts";
import { jobOrTurn } from "./job-or-turn.ts";
import type { BudgetNote, Run, Usage } from "./run.ts";

/** By unit: `tokens`, or a currency's three capital letters. */
export type Amounts = Record<string, number>;

export const TOKENS = "tokens";

export interface BudgetRules {
  /** Of each session that has none of its own. */
  session: Amounts;
  day: Amounts;
  /** What runs is ended too. */
  stops_now: boolean;
  /** The day of an instant where the owner is, ISO 8601: from midnight to midnight. */
  dayAt(at: string): { from: string; until: string };
}

/** What was told in all sessions lately. */
export interface DaysUse {
  /** By the quarter of an hour, ISO 8601, in which it was told. */
  spent: Record<string, Amounts>;
  /** By unit: how far the owner has raised the day's budget, and when; it holds for that day. */
  raised: Record<string, { to: number; at: string }>;
}

/** One budget that holds in a thread now. */
export interface Budget {
  of: BudgetWait["of"];
  unit: string;
  /** As it was set. */
  base: number;
  /** The same, or as far as its owner has raised it. */
  limit: number;
  used: number;
  /** When its day is over. Absent: it has none. */
  until?: string;
}

export type BudgetEvent =
  /** For this session; null: what config.json sets; without an amount: none. What was raised in it ends. */
  | { type: "BudgetChosen"; payload: { thread_id: string; budget: Amounts | null } }
  | { type: "BudgetRaised"; payload: { thread_id: string; of: BudgetWait["of"]; unit: string; to: number } }
  /** The owner stopped here: nothing goes on in this session until he says so. */
  | { type: "BudgetStopped"; payload: JobRef }
  /** At the end of a job, or of an outside turn: a budget is nearly used up, or does not count it. */
  | { type: "BudgetNoted"; payload: JobRef & { notes: BudgetNote[] } };

export type BudgetCommand =
  | { type: "choose_budget"; thread_id: string; budget: Amounts | null }
  /** `to` absent: by the budget once more. Ignored unless the thread waits for exactly this. */
  | { type: "raise_budget"; thread_id: string; job_id: string; since: string; to?: number }
  | { type: "stop_at_budget"; thread_id: string; job_id: string; since: string };

/** From this part of it on, the end of a job says how much is used. */
const NEARLY = 0.8;
/** Two days of quarters, and some. */
const KEPT_QUARTERS = 200;

type ToldUsage = { usage?: Usage | null };
type EndingCommand = Extract<Command, { type: "complete" | "fail" | "cancelled" | "end_outside_turn" }>;

/** What counts of an agent's usage; nothing for a unit that it does not tell. */
export function amountsOf(usage: Usage | null | undefined): Amounts {
  const { input_tokens, output_tokens } = usage ?? {};
  const cost = costIn(usage);
  return {
    ...((input_tokens ?? output_tokens) !== undefined && { [TOKENS]: (input_tokens ?? 0) + (output_tokens ?? 0) }),
    ...(cost && { [cost.currency]: cost.amount }),
  };
}

/** The budgets that hold in a thread. @param more what was just told, and is not in the state yet */
export function budgetsIn(
  state: State,
  thread_id: string,
  rules: Pick<Rules, "budget">,
  at: string,
  more: Amounts = {},
): Budget[] {
  return [...ofSession(state, thread_id, rules, more), ...ofDay(state, rules, at, more)];
}

function ofSession(state: State, thread_id: string, { budget: rules }: Pick<Rules, "budget">, more: Amounts): Budget[] {
  const { spent = {}, raised = {}, budget = rules?.session ?? {} } = state.threads[thread_id] ?? {};
  return Object.entries(budget).map(([unit, base]) => {
    const used = rounded((spent[unit] ?? 0) + (more[unit] ?? 0));
    return { of: "session", unit, base, limit: Math.max(base, raised[unit] ?? 0), used };
  });
}

function ofDay({ use }: State, { budget: rules }: Pick<Rules, "budget">, at: string, more: Amounts): Budget[] {
  const all = Object.entries(rules?.day ?? {});
  if (rules === undefined || all.length === 0) return [];
  const { from, until } = rules.dayAt(at);
  const isIn = (time: string): boolean => time >= from && time < until;
  const today = Object.entries(use.spent).flatMap(([quarter, amounts]) => (isIn(quarter) ? [amounts] : []));
  return all.map(([unit, base]) => {
    const { to = 0, at: raisedAt = "" } = use.raised[unit] ?? {};
    const used = rounded(today.reduce((sum, amounts) => sum + (amounts[unit] ?? 0), more[unit] ?? 0));
    return { of: "day", unit, base, limit: Math.max(base, isIn(raisedAt) ? to : 0), used, until };
  });
}

/** More than anybody has; an agent may tell anything. */
const MOST = 1e15;

/** Sums of fractions that cannot be written exactly differ in their last digits. */
function rounded(amount: number): number {
  return Math.round(Math.min(amount, MOST) * 1e9) / 1e9;
}

export function isUsedUp({ used, limit }: Budget): boolean {
  return used >= limit;
}

/** Whether what an agent tells before its turn is over can use up a budget. */
export function countsMeanwhile(state: State, thread_id: string, { budget: rules }: Rules, amounts: Amounts): boolean {
  const own = state.threads[thread_id]?.budget ?? rules?.session ?? {};
  return Object.keys(amounts).some((unit) => own[unit] !== undefined || rules?.day[unit] !== undefined);
}

/** What of these amounts, told of a run so far, is new. */
function news(run: Run | undefined, amounts: Amounts): Amounts {
  const before = run?.begun?.used ?? {};
  return Object.fromEntries(
    Object.entries(amounts).map(([unit, amount]) => [unit, Math.max(0, amount - (before[unit] ?? 0))]),
  );
}

/** The next thing that a budget makes of what waits; null: nothing. Asked after every command, before anything starts. */
export function nextByBudget(
  state: State,
  rules: Rules,
  at: string,
  canRun: (thread: Thread) => boolean,
): WaitEvent | null {
  let day: Budget[] | undefined;
  const budgets = (thread_id: string): Budget[] => [
    ...ofSession(state, thread_id, rules, {}),
    ...(day ??= ofDay(state, rules, at, {})),
  ];
  for (const { thread_id, wait } of parkedThreads(state)) {
    if (wait?.kind !== "budget" || wait.stopped) continue;
    const { job_id, of, unit, until = "" } = wait;
    if (budgets(thread_id).some((one) => one.of === of && one.unit === unit && isUsedUp(one))) continue;
    const by = of === "day" && until <= at ? "time" : "owner";
    return { type: "SessionUnparked", payload: { thread_id, job_id, by } };
  }
  for (const { thread_id, queue } of waitingSessions(state)) {
    const thread = state.threads[thread_id];
    const [job_id] = queue;
    if (job_id === undefined || thread?.busy_job !== null || !canRun(thread)) continue;
    const reached = budgets(thread_id).find(isUsedUp);
    if (reached) return parkedBy(state, { job_id, thread_id }, reached, at);
  }
  return null;
}

/** A day's budget asks in one thread. */
function parkedBy(state: State, { job_id, thread_id }: JobRef, budget: Budget, at: string): WaitEvent {
  const { of, unit, base: more, limit, used, until } = budget;
  const isAsked = parkedThreads(state).some(
    ({ wait }) => wait?.kind === "budget" && wait.of === "day" && wait.unit === unit && wait.asks,
  );
  const wait: BudgetWait = {
    kind: "budget",
    job_id,
    of,
    unit,
    used,
    limit,
    more,
    since: at,
    ...(until !== undefined && { until }),
    ...((of === "session" || !isAsked) && { asks: true }),
  };
  return { type: "SessionParked", payload: { thread_id, job_id, wait } };
}

/** Ends what runs: in this thread, or in all. @param but what is ending already */
function stopping(state: State, thread_id: string | null, but?: string): (JobEvent | DecisionEvent)[] {
  const threads = [...busyThreads(state), ...outsideThreads(state)];
  const works = threads.flatMap((one) =>
    thread_id === null || one.thread_id === thread_id ? [one.busy_job, one.outside] : [],
  );
  return [...new Set(works)].flatMap((id): (JobEvent | DecisionEvent)[] => {
    const work = jobOrTurn(state, id ?? "");
    if (work?.state !== "running" || work.job_id === but || state.runs[work.job_id]?.cancelling !== false) return [];
    const { job_id } = work;
    return [
      { type: "JobCancelRequested", payload: { job_id, thread_id: work.thread_id } },
      ...voidedWith(state, job_id),
    ];
  });
}

/** The owner is asked when a budget is used up; and what runs is ended, if that is his rule. */
function whenUsedUp(
  state: State,
  work: JobRef,
  { budgets, at, rules, but }: { budgets: readonly Budget[]; at: string; rules: Rules; but?: string },
): (WaitEvent | JobEvent | DecisionEvent)[] {
  const { wait, closed } = state.threads[work.thread_id] ?? {};
  const reached = budgets.find(isUsedUp);
  if (reached === undefined || wait !== null || closed !== undefined) return [];
  const stops = rules.budget?.stops_now === true;
  return [
    parkedBy(state, work, reached, at),
    ...(stops ? stopping(state, reached.of === "day" ? null : work.thread_id, but) : []),
  ];
}

/** What an agent tells before its turn is over. */
function decideMeanwhile(
  state: State,
  { job_id, progress }: Extract<Command, { type: "progress" }>,
  at: string,
  rules: Rules,
): Event[] {
  const work = jobOrTurn(state, job_id);
  if (progress.kind !== "used" || work?.state !== "running") return [];
  const { thread_id } = work;
  const budgets = budgetsIn(state, thread_id, rules, at, news(state.runs[job_id], progress.amounts));
  return whenUsedUp(state, { job_id, thread_id }, { budgets, at, rules });
}

function decideAtEnd(state: State, command: EndingCommand, at: string, rules: Rules): Event[] {
  const id = "turn_id" in command ? command.turn_id : command.job_id;
  const work = jobOrTurn(state, id);
  if (work?.state !== "running") return [];
  const { thread_id } = work;
  const ref = { job_id: id, thread_id };
  const amounts = amountsOf((command as ToldUsage).usage);
  const budgets = budgetsIn(state, thread_id, rules, at, news(state.runs[id], amounts));
  const notes: BudgetNote[] = [
    ...budgets.flatMap(({ of, unit, used, limit }) =>
      used >= NEARLY * limit ? [{ kind: "used", of, unit, used, limit } as const] : [],
    ),
    ...(command.type === "complete" ? uncounted(state, work, { budgets, amounts }) : []),
  ];
  return [
    ...(notes.length > 0 ? [{ type: "BudgetNoted", payload: { ...ref, notes } } as const] : []),
    ...whenUsedUp(state, ref, { budgets, at, rules, but: id }),
  ];
}

/** The budgets in units that the agent does not tell; said once for each tool of a session. */
function uncounted(
  { threads }: State,
  { thread_id, tool }: { thread_id: string; tool: string },
  { budgets, amounts }: { budgets: readonly Budget[]; amounts: Amounts },
): BudgetNote[] {
  const [tells = null] = Object.keys(amounts).filter((unit) => unit !== TOKENS);
  // A command of the agent's own may use nothing, and then tells no costs.
  if (tells === null && amounts[TOKENS] === 0) return [];
  const { uncounted: said = [], spent = {} } = threads[thread_id] ?? {};
  const units = new Set(budgets.map(({ unit }) => unit).filter((unit) => (amounts[unit] ?? spent[unit]) === undefined));
  return [...units]
    .filter((unit) => !said.includes(uncountedName(tool, unit)))
    .map((unit) => ({ kind: "uncounted", unit, tells: unit === TOKENS ? null : tells }));
}

function uncountedName(tool: string, unit: string): string {
  return `${tool} ${unit}`;
}

/** @throws BellhopError E_BUDGET_USED {used, unit} for a limit that is used up already */
function decideBudget(
  state: State,
  command: BudgetCommand,
  at: string,
  rules: Rules,
): (BudgetEvent | JobEvent | DecisionEvent)[] {
  const { thread_id } = command;
  const thread = state.threads[thread_id];
  if (command.type === "choose_budget") {
    const { budget } = command;
    const isSame = JSON.stringify(thread?.budget ?? null) === JSON.stringify(budget) && thread?.raised === undefined;
    return !thread || isSame ? [] : [{ type: "BudgetChosen", payload: { thread_id, budget } }];
  }
  const wait = thread?.wait;
  if (wait?.kind !== "budget" || wait.job_id !== command.job_id || wait.since !== command.since) return [];
  const { job_id, of, unit } = wait;
  if (command.type === "stop_at_budget")
    return wait.stopped
      ? []
      : [{ type: "BudgetStopped", payload: { thread_id, job_id } }, ...stopping(state, thread_id)];
  const { used, base } = budgetsIn(state, thread_id, rules, at).find((one) => one.of === of && one.unit === unit) ?? {
    used: wait.used,
    base: wait.more,
  };
  const to = command.to ?? rounded(used + base);
  if (to <= used) throw new BellhopError("E_BUDGET_USED", { used, unit });
  return [{ type: "BudgetRaised", payload: { thread_id, of, unit, to } }];
}

function evolveBudget(state: State, event: BudgetEvent, at: string): void {
  const thread = state.threads[event.payload.thread_id];
  if (event.type === "BudgetRaised" && event.payload.of === "day")
    state.use.raised[event.payload.unit] = { to: event.payload.to, at };
  if (!thread) return;
  switch (event.type) {
    case "BudgetChosen": {
      const { budget } = event.payload;
      goOn(thread);
      delete thread.raised;
      if (budget === null) delete thread.budget;
      else thread.budget = { ...budget };
      return;
    }
    case "BudgetRaised":
      goOn(thread);
      if (event.payload.of === "session") thread.raised = { ...thread.raised, [event.payload.unit]: event.payload.to };
      return;
    case "BudgetStopped":
      if (thread.wait?.kind === "budget") thread.wait = { ...thread.wait, stopped: true };
      return;
    case "BudgetNoted": {
      const { job_id, notes } = event.payload;
      const run = state.runs[job_id];
      if (run) run.budget = structuredClone(notes);
      const tool = jobOrTurn(state, job_id)?.tool ?? "";
      const said = notes.flatMap((note) => (note.kind === "uncounted" ? [uncountedName(tool, note.unit)] : []));
      if (said.length > 0) thread.uncounted = [...(thread.uncounted ?? []), ...said];
    }
  }
}

/** What was stopped goes on as soon as the budget has something left. */
function goOn(thread: Thread): void {
  if (thread.wait?.kind !== "budget") return;
  const { stopped: _stopped, ...wait } = thread.wait;
  thread.wait = wait;
}

/** The beginning of its quarter of an hour. Both are in ISO 8601. */
function quarterOf(at: string): string {
  const minute = Math.floor(Number(at.slice(14, 16)) / 15) * 15;
  return `${at.slice(0, 14)}${String(minute).padStart(2, "0")}:00.000Z`;
}

/** What an agent has told counts for its session, and for the day on which it told it. */
function add(state: State, { job_id, thread_id }: JobRef, told: Amounts, at: string): void {
  const fresh = Object.entries(news(state.runs[job_id], told)).filter(([, amount]) => amount > 0);
  const thread = state.threads[thread_id];
  if (fresh.length === 0 || !thread) return;
  const plus = (before: Amounts = {}): Amounts => ({
    ...before,
    ...Object.fromEntries(fresh.map(([unit, amount]) => [unit, rounded((before[unit] ?? 0) + amount)])),
  });
  thread.spent = plus(thread.spent);
  const quarter = quarterOf(at);
  const { spent } = state.use;
  spent[quarter] = plus(spent[quarter]);
  const kept = Object.keys(spent).toSorted();
  for (const old of kept.slice(0, Math.max(0, kept.length - KEPT_QUARTERS))) delete spent[old];
}

function addEnd(state: State, { payload }: { payload: JobRef & ToldUsage }, at: string): void {
  add(state, payload, amountsOf(payload.usage), at);
}

export const budgetSlice: Slice<BudgetCommand, BudgetEvent> = {
  decide: each(decideBudget, "choose_budget", "raise_budget", "stop_at_budget"),
  alsoDecides: {
    progress: decideMeanwhile,
    ...each(decideAtEnd, "complete", "fail", "cancelled", "end_outside_turn"),
  },
  evolve: each(evolveBudget, "BudgetChosen", "BudgetRaised", "BudgetStopped", "BudgetNoted"),
  alsoEvolves: {
    ...each(addEnd, "JobCompleted", "JobFailed", "JobCancelled"),
    OutsideTurnEnded: (state, { payload: { turn_id, ...end } }, at) =>
      addEnd(state, { payload: { ...end, job_id: turn_id } }, at),
    JobProgress: (state, { payload }, at) =>
      payload.kind === "used" ? add(state, payload, payload.amounts, at) : undefined,
  },
  kinds: { BudgetChosen: "wait", BudgetRaised: "wait", BudgetStopped: "wait", BudgetNoted: "end" },
};
