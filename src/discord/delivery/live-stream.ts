/**
 * The live text of running jobs and outside turns: collects the agents' live events for the view, and what is posted
 * below their messages meanwhile. It has the post sync look at a thread no more often than a message may be edited,
 * with at most one timer per thread, however fast an agent writes. Nothing here has to outlive the process.
 */
import { isRunning } from "../../core/decisions/asker.ts";
import { openOf } from "../../core/decisions/decision.ts";
import { jobOrTurn, workersIn } from "../../core/jobs/job-or-turn.ts";
import type { JobLiveEvent } from "../../engine/live.ts";
import type { BotContext } from "../api/bot-context.ts";
import type { Below, Live } from "../views/message.ts";
import { isThreadOfBot } from "../../core/sessions/thread.ts";

export interface Stream {
  /**
   * What this running job has written so far; undefined if nothing. Once it has ended, its answer's file has all of
   * it, and here is its plan, and its last words.
   */
  liveText(jobId: string): Live | undefined;
  /** A message was posted in this channel, by anybody. */
  onMessagePosted(channelId: string, messageId: string): void;
  /** What was posted while this job ran or was the last of its thread, oldest first. */
  below(jobId: string): readonly Below[];
  close(): void;
}

/** More than is ever shown of an unfinished answer; all of it comes from its file. */
const KEPT_CHARS = 200_000;
const KEPT_THOUGHT_CHARS = 2_000;
const KEPT_TOOLS = 50;
const KEPT_BELOW = 200;
const LAST_CHARS = 400;
/** How long a tool that ended well stays on its card; those that failed or were refused stay. */
const ENDED_TOOL_MS = 5_000;
/** Notices of what holds an agent up; others only go to the log. */
const SHOWN_NOTICES: ReadonlySet<string> = new Set([
  "model_retry",
  "told",
  "mode_changed",
  "form_declined",
  "opens_later",
  "quiet",
]);
/** Text that arrives together is shown together: a first message of one token helps nobody. */
const GATHER_MS = 30;

/** The events with something to show. */
type ShownEvent = Exclude<JobLiveEvent, { kind: "written" }>;

interface ThreadLook {
  lookedAt: number;
  forgetLook: (() => void) | null;
}

/** @param changed there is something new to show in this thread */
export function openStream(context: BotContext, changed: (threadId: string) => void): Stream {
  return new LiveStream(context, changed);
}

class LiveStream implements Stream {
  readonly #context: BotContext;
  readonly #changed: (threadId: string) => void;
  readonly #lives = new Map<string, Live>();
  /** Tools that ended well and still stand on the card of their job, in the order in which they ended. */
  readonly #ended = new Map<string, { id: string; at: number }[]>();
  readonly #sweeps = new Map<string, () => void>();
  readonly #below = new Map<string, Below[]>();
  readonly #threads = new Map<string, ThreadLook>();
  readonly #stops: (() => void)[];

  constructor(context: BotContext, changed: (threadId: string) => void) {
    this.#context = context;
    this.#changed = changed;
    const { engine, liveEvents } = context;
    const follow = (topic: string): void => this.#follow(topic);
    this.#stops = [
      liveEvents.listen((event) => this.#onJobEvent(event)),
      engine.watch(["run", "end", "session"], (topics) => topics.forEach(follow)),
    ];
    Object.keys(engine.state.threads).forEach(follow);
  }

  liveText(jobId: string): Live | undefined {
    return this.#lives.get(jobId);
  }

  below(jobId: string): readonly Below[] {
    return this.#below.get(jobId) ?? [];
  }

  onMessagePosted(channelId: string, messageId: string): void {
    const { state } = this.#context.engine;
    for (const [jobId, { text }] of this.#lives) {
      const { thread_id = "" } = jobOrTurn(state, jobId) ?? {};
      const thread = state.threads[thread_id];
      const where = thread?.place === "parent" ? thread.channel_id : thread_id;
      if (text === "" || where !== channelId || !isRunning(state, jobId)) continue;
      const all = this.#below.get(jobId) ?? [];
      this.#below.set(jobId, [...all, { id: messageId, at: text.length }].slice(-KEPT_BELOW));
    }
  }

  close(): void {
    for (const stop of this.#stops) stop();
    for (const threadId of this.#threads.keys()) this.#forget(threadId);
    for (const forgetSweep of this.#sweeps.values()) forgetSweep();
  }

  #onJobEvent(event: JobLiveEvent): void {
    const { job_id, thread_id } = event;
    const { engine, log } = this.#context;
    if (!isRunning(engine.state, job_id) || !this.#isOurs(thread_id)) return;
    if (event.kind === "written") return this.#lookNow(thread_id);
    let live = this.#lives.get(job_id);
    if (!live) this.#lives.set(job_id, (live = { text: "", tools: [] }));
    if (event.kind === "notice") log.info(event.text, { job_id, thread_id, code: event.code });
    if (apply(live, event)) this.#lookSoon(thread_id);
    if (event.kind !== "tool_ended" || !event.ok) return;
    const ended = this.#ended.get(job_id) ?? [];
    if (ended.length === 0) this.#sweepLater(job_id, ENDED_TOOL_MS);
    ended.push({ id: event.id, at: this.#context.clock.monotonic() });
    this.#ended.set(job_id, ended);
  }

  /** One timer for each job, however many tools it uses. */
  #sweepLater(jobId: string, ms: number): void {
    this.#sweeps.set(
      jobId,
      this.#context.clock.after(Math.ceil(ms), () => this.#sweep(jobId)),
    );
  }

  #sweep(jobId: string): void {
    const { engine, clock } = this.#context;
    const live = this.#lives.get(jobId);
    const ended = this.#ended.get(jobId);
    this.#sweeps.delete(jobId);
    if (!live || !ended) return void this.#ended.delete(jobId);
    // What was done last helps its owner to answer.
    if (openOf(engine.state, jobId).length > 0) return this.#sweepLater(jobId, ENDED_TOOL_MS);
    const due = new Set(ended.filter(({ at }) => at + ENDED_TOOL_MS <= clock.monotonic()).map(({ id }) => id));
    const left = live.tools.filter(({ id, state }) => state !== "ok" || !due.has(id));
    live.toolsBefore = (live.toolsBefore ?? 0) + live.tools.length - left.length;
    live.tools = left;
    const others = ended.filter(({ id }) => !due.has(id));
    this.#ended.set(jobId, others);
    const [next] = others;
    if (next) this.#sweepLater(jobId, next.at + ENDED_TOOL_MS - clock.monotonic());
    this.#lookSoon(jobOrTurn(engine.state, jobId)?.thread_id ?? "");
  }

  #isOurs(threadId: string): boolean {
    return isThreadOfBot(this.#context.engine.state, threadId, this.#context);
  }

  get #editIntervalMs(): number {
    return this.#context.config().limits.status_edit_min_interval_ms;
  }

  #threadOf(threadId: string): ThreadLook {
    let thread = this.#threads.get(threadId);
    if (!thread) this.#threads.set(threadId, (thread = { lookedAt: Number.NEGATIVE_INFINITY, forgetLook: null }));
    return thread;
  }

  #lookSoon(threadId: string): void {
    const { clock } = this.#context;
    const thread = this.#threadOf(threadId);
    if (thread.forgetLook) return;
    const wait = Math.max(GATHER_MS, thread.lookedAt + this.#editIntervalMs - clock.monotonic());
    thread.forgetLook = clock.after(Math.ceil(wait), () => this.#showText(threadId, thread));
  }

  /** Nothing more comes that could be gathered: what is new is shown at once, unless it would be an edit too soon. */
  #lookNow(threadId: string): void {
    const thread = this.#threads.get(threadId);
    if (!thread?.forgetLook || thread.lookedAt + this.#editIntervalMs > this.#context.clock.monotonic()) return;
    thread.forgetLook();
    this.#showText(threadId, thread);
  }

  #showText(threadId: string, thread: ThreadLook): void {
    thread.forgetLook = null;
    thread.lookedAt = this.#context.clock.monotonic();
    this.#changed(threadId);
  }

  /** The state of a thread has changed: a job runs there, or none does any more. */
  #follow(topic: string): void {
    const { state } = this.#context.engine;
    const session = state.sessions[topic];
    if (!session || !this.#isOurs(topic)) return;
    if (workersIn(state, topic).length === 0) this.#forget(topic);
    // Until the next job runs there, the end of an answer and of a card may still have to be posted.
    for (const jobId of this.#below.keys()) if (this.#isLongOver(jobId)) this.#below.delete(jobId);
    for (const [jobId, live] of this.#lives) {
      if (isRunning(state, jobId)) continue;
      const left = leftOf(live);
      if (left === null || this.#isLongOver(jobId)) this.#lives.delete(jobId);
      else this.#lives.set(jobId, left);
    }
  }

  #isLongOver(jobId: string): boolean {
    const { state } = this.#context.engine;
    const threadId = jobOrTurn(state, jobId)?.thread_id;
    const now = workersIn(state, threadId ?? "");
    return threadId === undefined || (now.length > 0 && !now.includes(jobId));
  }

  #forget(threadId: string): void {
    const thread = this.#threads.get(threadId);
    thread?.forgetLook?.();
    this.#threads.delete(threadId);
  }
}

/** What its end still shows of it; null: nothing. */
function leftOf({
  text,
  toolAt,
  plan,
  lastWords = text.slice(toolAt ?? text.length, LAST_CHARS + (toolAt ?? 0)),
}: Live): Live | null {
  if (lastWords.trim() === "" && plan === undefined) return null;
  return { text: "", tools: [], ...(plan && { plan }), ...(lastWords.trim() !== "" && { lastWords }) };
}

/** Applies a live event; returns whether there is anything new to show. */
function apply(live: Live, event: ShownEvent): boolean {
  const endsNotice = live.notice !== undefined && event.kind !== "notice";
  if (endsNotice) delete live.notice;
  if (event.kind === "text" || event.kind === "tool_started") delete live.thought;
  if (event.kind === "tool_started" || event.kind === "tool_ended") live.toolAt = live.text.length;
  return applyContent(live, event) || endsNotice;
}

function applyContent(live: Live, event: ShownEvent): boolean {
  switch (event.kind) {
    case "text":
      if (live.text.length >= KEPT_CHARS) return false;
      live.text += event.delta;
      return event.delta !== "";
    case "thought":
      live.thought = `${live.thought ?? ""}${event.delta}`.slice(-KEPT_THOUGHT_CHARS);
      return event.delta !== "";
    case "tool_started":
      addTool(live, { id: event.id, name: event.name, title: event.title, state: "running" });
      return true;
    case "tool_ended": {
      const tool = live.tools.findLast(({ id }) => id === event.id);
      if (tool?.state !== "running") return false;
      tool.state = event.ok ? "ok" : "failed";
      return true;
    }
    case "denied": {
      const { tool: name, reason } = event;
      const tool = live.tools.findLast(
        (one) => one.name === name && (one.state === "running" || one.state === "failed"),
      );
      if (tool) Object.assign(tool, { state: "denied", reason });
      else addTool(live, { id: "", name, title: "", state: "denied", reason });
      return true;
    }
    case "plan":
      live.plan = event.entries;
      return true;
    case "notice":
      if (!SHOWN_NOTICES.has(event.code)) return false;
      live.notice = { code: event.code, text: event.text };
      return true;
  }
}

function addTool(live: Live, tool: Live["tools"][number]): void {
  live.tools.push(tool);
  if (live.tools.length <= KEPT_TOOLS) return;
  live.tools.shift();
  live.toolsBefore = (live.toolsBefore ?? 0) + 1;
}
