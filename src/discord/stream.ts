/**
 * What running jobs are saying, and that they are running: gathers the agents' signals for the view, has the outbox
 * look at a thread no oftener than a message may be edited, and keeps the typing indicator alive. One timer a
 * thread at most, however fast an agent writes; nothing here outlives the process or needs to.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobSignal, Signals } from "../engine/signals.ts";
import type { Live } from "./owed.ts";
import type { Rest } from "./rest.ts";

export interface StreamOptions {
  engine: Pick<Engine, "state" | "watch">;
  signals: Signals<JobSignal>;
  rest: Pick<Rest, "call">;
  /** There is something new to show in this thread. */
  changed(threadId: string): void;
  clock: Clock;
  log: Log;
  /** Only this bot's threads are shown to type. */
  botId: string;
  /** `status_edit_min_interval_ms`. */
  editIntervalMs(): number;
}

export interface Stream {
  /** What this running job has said so far; undefined when it has said nothing. Once it is over its answer's file has it all. */
  live(jobId: string): Live | undefined;
  close(): Promise<void>;
}

/** More than is ever shown of an unfinished answer; the whole of it comes from its file. */
const KEPT_CHARS = 200_000;
const KEPT_TOOLS = 50;
/** Notices of what an agent is held up by; others are for the log. */
const SHOWN_NOTICES: ReadonlySet<string> = new Set(["model_retry", "told"]);
/** Discord shows "is typing" for ten seconds. */
const TYPING_EVERY_MS = 8000;
/** Words that come together are shown together: a first message of one token helps nobody. */
const GATHER_MS = 50;

interface Thread {
  lookedAt: number;
  forgetLook: (() => void) | null;
  forgetTyping: (() => void) | null;
}

export function openStream(options: StreamOptions): Stream {
  return new Talk(options);
}

class Talk implements Stream {
  readonly #options: StreamOptions;
  readonly #lives = new Map<string, Live>();
  readonly #threads = new Map<string, Thread>();
  readonly #ending = new AbortController();
  readonly #stops: (() => void)[];

  constructor(options: StreamOptions) {
    this.#options = options;
    const { engine, signals } = options;
    const attend = (topic: string): void => this.#attend(topic);
    this.#stops = [signals.listen((signal) => this.#hear(signal)), engine.watch((topics) => topics.forEach(attend))];
    Object.keys(engine.state.threads).forEach(attend);
  }

  live(jobId: string): Live | undefined {
    return this.#lives.get(jobId);
  }

  close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#ending.abort();
    for (const threadId of this.#threads.keys()) this.#fallSilent(threadId);
    return Promise.resolve();
  }

  #hear(signal: JobSignal): void {
    const { job_id, thread_id } = signal;
    const { engine, log } = this.#options;
    if (engine.state.jobs[job_id]?.state !== "running" || !this.#isOurs(thread_id)) return;
    let live = this.#lives.get(job_id);
    if (!live) this.#lives.set(job_id, (live = { text: "", tools: [] }));
    if (signal.kind === "notice") log.info(signal.text, { job_id, thread_id, code: signal.code });
    if (take(live, signal)) this.#lookSoon(thread_id);
  }

  #isOurs(threadId: string): boolean {
    return this.#options.engine.state.threads[threadId]?.bot_id === this.#options.botId;
  }

  #threadOf(threadId: string): Thread {
    let thread = this.#threads.get(threadId);
    if (!thread) this.#threads.set(threadId, (thread = { lookedAt: Number.NEGATIVE_INFINITY, forgetLook: null, forgetTyping: null }));
    return thread;
  }

  #lookSoon(threadId: string): void {
    const { clock } = this.#options;
    const thread = this.#threadOf(threadId);
    if (thread.forgetLook) return;
    const wait = Math.max(GATHER_MS, thread.lookedAt + this.#options.editIntervalMs() - clock.monotonic());
    thread.forgetLook = clock.after(Math.ceil(wait), () => {
      thread.forgetLook = null;
      thread.lookedAt = clock.monotonic();
      this.#options.changed(threadId);
    });
  }

  /** The state of a thread has changed: a job runs there, or none does any more. */
  #attend(topic: string): void {
    const { state } = this.#options.engine;
    const session = state.sessions[topic];
    if (!session || !this.#isOurs(topic)) return;
    if (session.running_job_id !== null) this.#type(topic);
    else this.#fallSilent(topic);
    for (const jobId of this.#lives.keys()) if (state.jobs[jobId]?.state !== "running") this.#lives.delete(jobId);
  }

  /** Shows the bot typing, and again before Discord takes it away, for as long as a job runs. */
  #type(threadId: string): void {
    const { engine, rest, clock } = this.#options;
    const thread = this.#threadOf(threadId);
    if (thread.forgetTyping) return;
    thread.forgetTyping = clock.after(TYPING_EVERY_MS, () => {
      thread.forgetTyping = null;
      if (engine.state.sessions[threadId]?.running_job_id) this.#type(threadId);
    });
    if (engine.state.threads[threadId]?.place !== "thread") return;
    const path = `/channels/${threadId}/typing` as const;
    // Whether it is seen or not, nobody waits for it.
    rest.call({ method: "POST", path, lane: "cosmetic", key: path, signal: this.#ending.signal }).catch(() => undefined);
  }

  #fallSilent(threadId: string): void {
    const thread = this.#threads.get(threadId);
    thread?.forgetTyping?.();
    thread?.forgetLook?.();
    this.#threads.delete(threadId);
  }
}

/** Takes a signal in; returns whether there is anything new to show. */
function take(live: Live, signal: JobSignal): boolean {
  const goesOn = live.notice !== undefined && signal.kind !== "notice";
  if (goesOn) delete live.notice;
  return takeIn(live, signal) || goesOn;
}

function takeIn(live: Live, signal: JobSignal): boolean {
  switch (signal.kind) {
    case "text":
      if (live.text.length >= KEPT_CHARS) return false;
      live.text += signal.delta;
      return signal.delta !== "";
    case "tool_started":
      live.tools.push({ id: signal.id, name: signal.name, title: signal.title, state: "running" });
      if (live.tools.length > KEPT_TOOLS) {
        live.tools.shift();
        live.toolsBefore = (live.toolsBefore ?? 0) + 1;
      }
      return true;
    case "tool_ended": {
      const tool = live.tools.findLast(({ id }) => id === signal.id);
      if (tool?.state !== "running") return false;
      tool.state = signal.ok ? "ok" : "failed";
      return true;
    }
    case "denied": {
      const { tool: name, reason } = signal;
      const tool = live.tools.findLast((one) => one.name === name && (one.state === "running" || one.state === "failed"));
      if (tool) Object.assign(tool, { state: "denied", reason });
      else live.tools.push({ id: "", name, title: "", state: "denied", reason });
      return true;
    }
    case "plan":
      live.plan = signal.entries;
      return true;
    case "notice":
      if (!SHOWN_NOTICES.has(signal.code)) return false;
      live.notice = { code: signal.code, text: signal.text };
      return true;
  }
}
