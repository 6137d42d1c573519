/**
 * The lock: from `Locked` to `Unlocked` everything is ended, nothing starts and nothing is allowed, whoever asks. This
 * is the one place that says what each command may still do. What was written before the lock was opened is never
 * taken, however late it is heard: whoever had the account may have written it.
 */
import { BellhopError } from "../../base/errors.ts";
import { compareSnowflakes, isOlderThan } from "../../base/ids.ts";
import { laterBy, minutesBetween } from "../../base/text.ts";
import { openDecisions, refOf, type Decision } from "../decisions/decision.ts";
import { isHandled, markHandled } from "../inbox/redelivered-messages.ts";
import { ref, type WaitEvent } from "./job.ts";
import { forgetPosts } from "../posts/post.ts";
import type { Wait } from "../projects/checkout.ts";
import { waitingSessions } from "../sessions/session.ts";
import { busyThreads, oweNotice, outsideThreads, windowlessThreads } from "../sessions/thread.ts";
import { follow } from "../indexed.ts";
import { each, type Slice } from "../slice.ts";
import type { Command, Event } from "../slices.ts";
import type { State } from "../state.ts";

/** In Discord, or in a shell on the machine. */
export type LockedBy = "discord" | "machine";
/** The word that was set before, or one that the machine has shown. */
export type OpenedBy = "set" | "shown";

export interface LockState {
  /** ISO 8601. */
  since: string;
  by: LockedBy;
  /** The wrong words since it was locked, or since they were last too many. */
  wrong: number;
  /** No word is taken until then. Absent: none was, or it is over. */
  closed_until?: string;
  /** Threads that were told, since it was locked or opened, that a message was not taken. */
  told: string[];
  /** Absent: it is locked. `through`: what is no newer than this id, a message or an interaction, is not taken. */
  opened?: { at: string; through: string };
}

export type LockEvent =
  | { type: "Locked"; payload: { by: LockedBy } }
  | { type: "Unlocked"; payload: { by: OpenedBy; through: string } }
  /** `wrong`: how many that makes; `closed_until`: they are too many. */
  | { type: "WordRefused"; payload: { wrong: number; closed_until?: string } }
  /** The message is not taken: it was written, or heard, while it was locked, or before. */
  | { type: "MessageKeptOut"; payload: { thread_id: string; discord_message_id: string } };

export type LockCommand =
  /** Without an effect if it is locked. */
  | { type: "lock"; by: LockedBy }
  /** The right word was given with this interaction. */
  | { type: "unlock"; by: OpenedBy; interaction_id: string }
  | { type: "refuse_word" };

/** So many wrong words close `/unlock` for a while. */
export const MOST_WRONG = 5;
const CLOSED_MS = 15 * 60_000;

/** When it was locked; null: it is not. */
export function lockedSince({ lock }: Pick<State, "lock">): string | null {
  return lock !== undefined && lock.opened === undefined ? lock.since : null;
}

/** Whether what has this id, a message or an interaction, is not to be taken. */
export function isKeptOut({ lock }: Pick<State, "lock">, id: string): boolean {
  return lock !== undefined && (lock.opened === undefined || compareSnowflakes(id, lock.opened.through) <= 0);
}

/** Whether a change of a message is not to be taken. @param at by Discord's clock, ISO 8601; null: it has none */
export function isChangeKeptOut({ lock }: Pick<State, "lock">, at: string | null | undefined): boolean {
  if (lock?.opened === undefined) return lock !== undefined;
  return at != null && !isOlderThan(lock.opened.through, at);
}

/** Whether a word may be given now. @param at ISO 8601 @throws BellhopError E_NOT_LOCKED, E_WORD_CLOSED {minutes} */
export function requireOpenable(state: Pick<State, "lock">, at: string): void {
  if (lockedSince(state) === null) throw new BellhopError("E_NOT_LOCKED");
  const minutes = minutesBetween(at, state.lock?.closed_until ?? at);
  if (minutes > 0) throw new BellhopError("E_WORD_CLOSED", { minutes });
}

/** What a command does while it is locked: all of it; nothing, without a word; or it is refused. */
type LockRule = "goes_on" | "ignored" | "refused";
type LockRules = {
  readonly [Type in Command["type"]]: LockRule | ((command: Extract<Command, { type: Type }>) => LockRule);
};

/** The first are what its owner or an agent asks for; then what comes by itself; then what is only recorded, or ends. */
export const whileLocked: LockRules = {
  accept_changed: "refused",
  add_rule: "refused",
  answer: "refused",
  ask: "refused",
  ask_by_rules: "refused",
  ask_there: "refused",
  change_tool: "refused",
  choose_budget: "refused",
  choose_effort: "refused",
  choose_model: "refused",
  choose_settings: "refused",
  clear_inbox: "refused",
  clear_queue: "refused",
  continue: "refused",
  decline: "refused",
  discard: "refused",
  drop_forward: "refused",
  finish_job: "refused",
  forget_session: "refused",
  // Read anew for its button; as it is written it is kept out.
  hear: "refused",
  move_first: "refused",
  open_session: "refused",
  raise_budget: "refused",
  read_inbox: "refused",
  remove_worktree: "refused",
  reopen_session: "refused",
  request_window: "refused",
  retry: "refused",
  send_forward: "refused",
  send_now: "refused",
  snooze: "refused",
  start_session: "refused",
  switch_project: "refused",
  take_back: "refused",
  want_conversation: "refused",

  adopt: ({ adopted }) => (adopted ? "ignored" : "goes_on"),
  begin_outside_turn: ({ origin }) => (origin === "terminal" ? "ignored" : "goes_on"),
  edit_message: "ignored",
  hold_forward: "ignored",
  lift_limit: "ignored",
  offer_adoption: "ignored",
  receive: "ignored",
  reconnect: "ignored",
  remind: "ignored",
  set_mode: ({ by }) => (by === "owner" ? "refused" : "goes_on"),
  // By config.json; a thread may be made by whoever has the account.
  take_place: ({ kind }) => (kind === "channel" ? "goes_on" : "ignored"),
  unpark: ({ by }) => (by === "time" || by === "terminal" ? "ignored" : "refused"),

  adopt_projects: "goes_on",
  answer_delivered: "goes_on",
  answer_stands: "goes_on",
  archive_done: "goes_on",
  archive_thread: "goes_on",
  ask_archive: "goes_on",
  cancel_job: "goes_on",
  cancelled: "goes_on",
  channel_read: "goes_on",
  clear_window: "goes_on",
  close_session: "goes_on",
  close_window: "goes_on",
  complete: "goes_on",
  create_project: "goes_on",
  delete_message: "goes_on",
  disconnect: "goes_on",
  drop_start: "goes_on",
  end_outside_turn: "goes_on",
  fail: "goes_on",
  forgetting_done: "goes_on",
  find_orphan: "goes_on",
  find_thread: "goes_on",
  import_terminal_state: "goes_on",
  know_owner: "goes_on",
  lapse: "goes_on",
  leave_decision: "goes_on",
  lock: "goes_on",
  lose_thread: "goes_on",
  lose_worktree: "goes_on",
  made_worktree: "goes_on",
  name_session: "goes_on",
  not_sent: "goes_on",
  note_agent_post: "goes_on",
  note_background: "goes_on",
  note_rules: "goes_on",
  note_told: "goes_on",
  notice: "goes_on",
  open_channel: "goes_on",
  open_window: "goes_on",
  park: "goes_on",
  place_decision: "goes_on",
  progress: "goes_on",
  projects_saved: "goes_on",
  put_back: "goes_on",
  queue_checked: "goes_on",
  ready_start: "goes_on",
  record_post: "goes_on",
  refuse_window: "goes_on",
  refuse_word: "goes_on",
  release: "goes_on",
  remove_rule: "goes_on",
  removed_worktree: "goes_on",
  reopen_thread: "goes_on",
  restart: "goes_on",
  revoke_grant: "goes_on",
  see_page: "goes_on",
  see_project: "goes_on",
  see_worktree: "goes_on",
  sent: "goes_on",
  settings_refused: "goes_on",
  settings_saved: "goes_on",
  start_waiting: "goes_on",
  stop_at_budget: "goes_on",
  take_over: "goes_on",
  unlock: "goes_on",
  void: "goes_on",
};

/** What becomes of a command because of the lock; null: it is decided as ever. @throws BellhopError E_LOCKED */
export function decideByLock(state: State, command: Command): LockEvent[] | null {
  if (state.lock === undefined) return null;
  if (isWritten(command) && isKeptOut(state, command.discord_message_id)) return keptOut(state, command);
  if (command.type === "edit_message" && isChangeKeptOut(state, command.edited_at)) return [];
  if (lockedSince(state) === null) return null;
  const rule = ruleFor(command);
  if (rule === "refused") throw new BellhopError("E_LOCKED");
  return rule === "ignored" ? [] : null;
}

function ruleFor(command: Command): LockRule {
  const rule = whileLocked[command.type] as LockRule | ((one: Command) => LockRule);
  return typeof rule === "string" ? rule : rule(command);
}

/** A message as it was written, not one that is read anew because its owner has pressed a button. */
function isWritten(command: Command): command is Extract<Command, { type: "hear" | "hold_forward" }> {
  if (command.type === "hear") return !command.reopens && !command.anyway;
  return command.type === "hold_forward";
}

function keptOut(
  state: State,
  { thread_id, discord_message_id }: { thread_id: string; discord_message_id: string },
): LockEvent[] {
  const isListened = state.threads[thread_id] !== undefined || state.channels[thread_id] !== undefined;
  return !isListened || isHandled(state, thread_id, discord_message_id)
    ? []
    : [{ type: "MessageKeptOut", payload: { thread_id, discord_message_id } }];
}

/**
 * While it is locked: the next thing that is to end; null: nothing runs, is asked or is to begin any more. Asked after
 * every command, so that what a crash or a race has left ends like the rest.
 */
export function nextEnd(state: State): Event | null {
  if (lockedSince(state) === null) return null;
  const decision = openDecisions(state)[0] ?? Object.values(state.decisions).find(mayStillAllow);
  if (decision !== undefined) return { type: "DecisionVoided", payload: { ...refOf(decision), why: "locked" } };
  for (const { busy_job } of busyThreads(state)) {
    const job = state.jobs[busy_job ?? ""];
    if (job?.state === "running" && state.sessions[job.thread_id] && state.runs[job.job_id]?.cancelling !== true)
      return { type: "JobCancelRequested", payload: ref(job) };
  }
  for (const { outside = "", thread_id } of outsideThreads(state))
    if (state.sessions[thread_id] && state.runs[outside]?.cancelling === false)
      return { type: "JobCancelRequested", payload: { job_id: outside, thread_id } };
  for (const request_id of Object.keys(state.starts))
    return { type: "SessionRequestDropped", payload: { request_id, code: "E_LOCKED" } };
  return null;
}

/** Whether it was allowed, and its hook would hear that only later. */
function mayStillAllow({ state, asker, kind, ...one }: Decision): boolean {
  return state === "answered" && asker.by === "hook" && kind !== "question" && "delivered" in one && !one.delivered;
}

function decideLock(state: State, command: LockCommand, at: string): (LockEvent | WaitEvent)[] {
  switch (command.type) {
    case "lock":
      return lockedSince(state) === null ? [{ type: "Locked", payload: { by: command.by } }] : [];
    case "refuse_word":
      return wrongWord(state, at);
    case "unlock":
      requireOpenable(state, at);
      return [...parked(state), { type: "Unlocked", payload: { by: command.by, through: command.interaction_id } }];
  }
}

/** @throws BellhopError E_NOT_LOCKED, E_WORD_CLOSED */
function wrongWord(state: State, at: string): LockEvent[] {
  requireOpenable(state, at);
  const { wrong: before = 0, closed_until: closed } = state.lock ?? {};
  const wrong = (closed === undefined ? before : 0) + 1;
  const payload = { wrong, ...(wrong >= MOST_WRONG && { closed_until: laterBy(at, CLOSED_MS) }) };
  return [{ type: "WordRefused", payload }];
}

/** What waits from before goes on only when its owner says so. They go first: a crash may keep only the beginning. */
function parked(state: State): WaitEvent[] {
  const since = state.lock?.since ?? "";
  return waitingSessions(state).flatMap(({ thread_id, queue: [job_id = ""] }) => {
    const { hold = null, wait = null, closed } = state.threads[thread_id] ?? {};
    if (hold !== null || closed !== undefined || (wait !== null && !endsByItself(wait))) return [];
    const own: Wait = { kind: "stuck", job_id, cause: "locked", code: "E_LOCKED", details: {}, since };
    return [{ type: "SessionParked", payload: { thread_id, job_id, wait: own } }];
  });
}

function endsByItself(wait: Wait): boolean {
  switch (wait.kind) {
    case "limit":
      return wait.lifted !== true;
    case "terminal":
      return true;
    case "stuck":
      return wait.until !== undefined;
    case "budget":
      return wait.until !== undefined && wait.stopped !== true;
    case "changed":
      return false;
  }
}

function evolveLock(state: State, event: LockEvent, at: string): void {
  const { lock } = state;
  switch (event.type) {
    case "Locked":
      if (lock !== undefined) forgetPosts(state.posts, lockSubject(lock), undefined);
      state.lock = { since: at, by: event.payload.by, wrong: 0, told: [] };
      for (const thread_id of Object.keys(state.grants)) delete state.grants[thread_id];
      return;
    case "Unlocked": {
      if (lock === undefined) return;
      const { since, by } = lock;
      state.lock = { since, by, wrong: 0, told: [], opened: { at, through: event.payload.through } };
      for (const thread of windowlessThreads(state)) {
        delete thread.window;
        follow(state.threads, thread.thread_id);
      }
      return;
    }
    case "WordRefused": {
      if (lock === undefined) return;
      const { wrong, closed_until } = event.payload;
      const { closed_until: _before, ...rest } = lock;
      state.lock = { ...rest, wrong, ...(closed_until !== undefined && { closed_until }) };
      return;
    }
    case "MessageKeptOut":
      return evolveKeptOut(state, event.payload, at);
  }
}

/** Its writer is told once in each thread, while it is locked and after that. */
function evolveKeptOut(
  state: State,
  { thread_id, discord_message_id }: { thread_id: string; discord_message_id: string },
  at: string,
): void {
  markHandled(state, thread_id, discord_message_id);
  const { lock } = state;
  const hasNotices = state.threads[thread_id] !== undefined || state.channels[thread_id]?.kind === "direct";
  if (lock === undefined || !hasNotices || lock.told.includes(thread_id)) return;
  lock.told.push(thread_id);
  const code = lock.opened === undefined ? "E_LOCKED" : "E_KEPT_OUT";
  oweNotice(state, { subject: discord_message_id, thread_id, discord_message_id, change: null, code, details: {}, at });
}

/** The name under which its post is recorded. */
export function lockSubject({ since }: Pick<LockState, "since">): string {
  return `lock:${since}`;
}

export const LOCK_TOPIC = "lock";

export const lockSlice: Slice<LockCommand, LockEvent> = {
  decide: each(decideLock, "lock", "unlock", "refuse_word"),
  evolve: each(evolveLock, "Locked", "Unlocked", "WordRefused", "MessageKeptOut"),
  kinds: { Locked: "daemon", Unlocked: "daemon", WordRefused: "daemon", MessageKeptOut: "notice" },
  topic: (_state, { payload }) => ("thread_id" in payload ? payload.thread_id : LOCK_TOPIC),
};
