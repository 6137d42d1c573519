/**
 * The runner: a keeper that sees to it that every running job has an agent, and that what the agent says becomes
 * facts in their right order: the answer on the disk, then the job's end in the journal, then the thread free.
 * It knows agents only by the driver contract and people not at all.
 */
import type { Clock } from "../base/clock.ts";
import { BellhopError, codeOf, type ErrorDetails } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { excerpt } from "../base/text.ts";
import type { Job } from "../core/job.ts";
import type { Progress, Usage as RecordedUsage } from "../core/run.ts";
import { keyName, sessionKey, type Session } from "../core/session.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobSignal, Signals } from "../engine/signals.ts";
import type { JobLog } from "../host/job-log.ts";
import type { Results } from "../host/results.ts";
import type { Driver, Run } from "./driver.ts";
import type { Outcome, Update, Usage } from "./updates.ts";

export interface RunnerOptions {
  engine: Engine;
  drivers: ReadonlyMap<string, Driver>;
  signals: Signals<JobSignal>;
  results: Results;
  clock: Clock;
  log: Log;
  /** The agent's whole environment. */
  environment(job: Job): Record<string, string>;
  /** Folders that the agent may use beside its project; they exist once its environment was asked for. */
  grants(job: Job): string[];
  openLog(jobId: string): JobLog;
  /** Takes the owner's secrets out of a text. */
  redact(text: string): string;
  /** The same for text that comes in pieces; what may be the beginning of a secret is held back. */
  redactStream(): { push(chunk: Uint8Array): Uint8Array };
  /** At once: it stands between a message and its agent. */
  isDirectory(path: string): boolean;
  /** How long an agent may say nothing at all, and how much of an answer the journal keeps. */
  limits(): { silenceMs: number; excerptChars: number };
}

export interface Runner {
  /** Looks at every thread once: for the start, when nothing has changed yet. */
  start(): void;
  /** Ends every agent; their jobs stay as they are in the journal. */
  close(): Promise<void>;
}

/** Told to the agent in its next prompt after a crash; the agent's language is its own affair. */
const INTERRUPTED =
  "[Note from Bellhop, which runs you, not from the user: the previous prompt of this conversation was cut off " +
  "when Bellhop or the machine stopped. Some of its work may be done and some not. Check before repeating any of it.]";

export function openRunner(options: RunnerOptions): Runner {
  const { engine, log } = options;
  const running = new Map<string, { run: Run | null; done: Promise<void> }>();
  let closed = false;

  function attend(threadId: string): void {
    const jobId = engine.state.threads[threadId]?.busy_job;
    const job = jobId ? engine.state.jobs[jobId] : undefined;
    const session = engine.state.sessions[threadId];
    if (closed || !job || !session || job.state !== "running" || running.has(job.job_id)) return;
    const entry: { run: Run | null; done: Promise<void> } = { run: null, done: Promise.resolve() };
    running.set(job.job_id, entry);
    entry.done = runJob({ ...options, stopping: () => closed }, job, session, (run) => (entry.run = run))
      .catch((error: unknown) => log.failure("a job's runner broke", error, { job_id: job.job_id }))
      .finally(() => running.delete(job.job_id));
  }

  const unwatch = engine.watch((topics) => topics.forEach(attend));
  return {
    start: () => Object.keys(engine.state.threads).forEach(attend),
    async close() {
      closed = true;
      unwatch();
      await Promise.all([...running.values()].map(({ run, done }) => run?.stop() ?? done));
    },
  };
}

interface Running extends RunnerOptions {
  /** Whether the daemon is going: an agent that it ends now was interrupted, not cancelled. */
  stopping(): boolean;
}

/** One job from its agent's start until nothing of it is left in the way. */
async function runJob(
  options: Running,
  job: Job,
  session: Session,
  started: (run: Run) => void,
): Promise<void> {
  const { engine } = options;
  const { job_id } = job;
  const jobLog = options.openLog(job_id);
  try {
    const run = startAgent(options, job, session, jobLog);
    started(run);
    const told = run.process.then(async (process) => {
      if (!process) return;
      const progress = { kind: "process", pid: process.pid, start_time: String(process.startTime) } as const;
      await engine.submit({ type: "progress", job_id, progress });
    });
    await listen(options, job, run);
    await told;
    await run.gone;
  } catch (error) {
    await conclude(options, job_id, new Heard(options.redactStream()), failure(error));
  } finally {
    await jobLog.close();
  }
  // A job without an end keeps its thread: the next start says what is not known of it.
  await engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
}

function startAgent(options: RunnerOptions, job: Job, session: Session, log: JobLog): Run {
  const driver = options.drivers.get(job.tool);
  const project = options.engine.state.projects[session.project_name];
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: session.project_name });
  if (!driver) throw new BellhopError("E_AGENT_START_FAILED", { tool: job.tool, install: "-" });
  if (!options.isDirectory(project.path)) throw new BellhopError("E_INVALID_PATH", { path: project.path });
  const interrupted = options.engine.state.runs[job.job_id]?.after_crash_of !== null;
  return driver.run({
    jobId: job.job_id,
    threadId: job.thread_id,
    prompt: interrupted ? `${INTERRUPTED}\n\n${job.prompt}` : job.prompt,
    cwd: project.path,
    args: project.default_args[job.tool] ?? [],
    resume: sessionKey(session),
    env: options.environment(job),
    grants: options.grants(job),
    log,
  });
}

/** What was heard of a run so far. */
class Heard {
  text = "";
  usage: Usage = {};
  readonly #shown: { push(chunk: Uint8Array): Uint8Array };

  constructor(shown: { push(chunk: Uint8Array): Uint8Array }) {
    this.#shown = shown;
  }

  #written: Promise<unknown> = Promise.resolve();

  /** A fact is on its way to the journal. */
  written(submitted: Promise<unknown>): void {
    this.#written = Promise.all([this.#written, submitted]);
    this.#written.catch(() => undefined);
  }

  /** Resolves when every fact is in the journal; rejects when the journal has failed. */
  async settled(): Promise<void> {
    await this.#written;
  }

  /** Takes more of the answer; returns what of it may be shown now. */
  add(delta: string): string {
    this.text += delta;
    return Buffer.from(this.#shown.push(Buffer.from(delta))).toString();
  }

  readonly tools = new Map<string, { name: string; title: string }>();
}

async function listen(options: Running, job: Job, run: Run): Promise<void> {
  const heard = new Heard(options.redactStream());
  const { project_name = "" } = options.engine.state.sessions[job.thread_id] ?? {};
  const folder = options.engine.state.projects[project_name]?.path ?? "";
  const silence = watchSilence(options, run);
  try {
    for await (const update of run.updates) {
      if (update.kind === "end") await conclude(options, job.job_id, heard, silence.verdict(update));
      else take(options, job, heard, inProject(update, folder));
    }
    await heard.settled();
  } finally {
    silence.stop();
  }
}

/** Facts go to the journal in their order, and nobody waits for each: what comes after them is written after them. */
function take(
  { engine, signals, redact }: RunnerOptions,
  job: Job,
  heard: Heard,
  update: Exclude<Update, { kind: "end" }>,
): void {
  const { job_id, thread_id } = job;
  const at = { job_id, thread_id };
  const learn = (progress: Progress): void => heard.written(engine.submit({ type: "progress", job_id, progress }));
  switch (update.kind) {
    case "text":
      return signals.send({ kind: "text", ...at, delta: heard.add(update.delta) });
    case "session_key": {
      return learn({ kind: "session_key", adapter_state: { [keyName(job.tool)]: update.key } });
    }
    case "usage":
      heard.usage = { ...heard.usage, ...update.usage };
      return;
    case "tool_started":
      heard.tools.set(update.id, { name: update.name, title: redact(update.title) });
      return signals.send({ kind: "tool_started", ...at, id: update.id, name: update.name, title: redact(update.title) });
    case "tool_finished": {
      const { name, title } = heard.tools.get(update.id) ?? { name: "?", title: "" };
      signals.send({ kind: "tool_ended", ...at, id: update.id, ok: update.ok });
      return learn({ kind: "tool", name, title, ok: update.ok });
    }
    case "denied":
      return signals.send({ kind: "denied", ...at, tool: update.tool, reason: redact(update.reason) });
    case "notice":
      return signals.send({ kind: "notice", ...at, code: update.code, text: redact(update.text) });
  }
}

/** A tool's title for people, who know in which directory the agent works. */
function inProject<U extends Update>(update: U, folder: string): U {
  if (update.kind !== "tool_started" || folder === "") return update;
  return { ...update, title: update.title.replaceAll(`${folder}/`, "") };
}

/** Puts the answer on the disk and then the end into the journal; a second end of a job changes nothing. */
async function conclude(options: Running, job_id: string, heard: Heard, outcome: Outcome): Promise<void> {
  const { engine, results } = options;
  if (engine.state.jobs[job_id]?.state !== "running") return;
  if (outcome.outcome === "cancelled") {
    if (options.stopping()) return;
    await engine.submit({ type: "cancelled", job_id });
    return;
  }
  const text = options.redact(outcome.outcome === "done" ? outcome.result : heard.text);
  const result_excerpt = excerpt(text, options.limits().excerptChars);
  const told = { job_id, model: heard.usage.model ?? null, usage: recorded(heard.usage) };
  if (outcome.outcome === "done") {
    const result_sha256 = await results.save(job_id, text);
    await engine.submit({ type: "complete", ...told, result_excerpt, result_sha256 });
    return;
  }
  const said = text === "" ? null : { result_excerpt, result_sha256: await results.save(job_id, text) };
  const { code, details } = outcome;
  if (details["resume"] === "unknown") {
    // The agent does not know that conversation any more: the next message begins a new one.
    await engine.submit({ type: "progress", job_id, progress: { kind: "session_key", adapter_state: {} } });
  }
  const partial = said ?? { result_excerpt: null, result_sha256: null };
  await engine.submit({ type: "fail", ...told, code, details: redacted(options, details), ...partial });
}

/** Stops an agent that has said nothing for too long; its end is then a timeout, not a cancellation. */
function watchSilence(
  { clock, limits }: RunnerOptions,
  run: Run,
): { verdict(outcome: Outcome): Outcome; stop(): void } {
  const { silenceMs } = limits();
  let timedOut = false;
  let forget = clock.after(silenceMs, check);
  function check(): void {
    const quietMs = clock.monotonic() - run.heardAt();
    if (quietMs < silenceMs) {
      forget = clock.after(silenceMs - quietMs, check);
      return;
    }
    timedOut = true;
    void run.stop();
  }
  return {
    verdict(outcome) {
      if (!timedOut || outcome.outcome !== "cancelled") return outcome;
      return { outcome: "failed", code: "E_CLI_TIMEOUT", details: { seconds: Math.round(silenceMs / 1000) } };
    },
    stop: () => forget(),
  };
}

function failure(error: unknown): Outcome {
  const details = error instanceof BellhopError ? error.details : { reason: String(error) };
  return { outcome: "failed", code: codeOf(error), details };
}

function redacted(options: RunnerOptions, details: ErrorDetails): ErrorDetails {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [key, typeof value === "string" ? options.redact(value) : value]),
  );
}

function recorded(usage: Usage): RecordedUsage | null {
  const pairs: [keyof RecordedUsage, number | undefined][] = [
    ["input_tokens", sum(usage.input, usage.cacheRead, usage.cacheWritten)],
    ["output_tokens", usage.output],
    ["cost_usd", usage.costUsd],
    ["duration_ms", usage.durationMs],
    ["context_used", usage.contextUsed],
    ["context_size", usage.contextSize],
  ];
  const known = pairs.filter(([, value]) => value !== undefined);
  return known.length === 0 ? null : (Object.fromEntries(known) as RecordedUsage);
}

function sum(...parts: (number | undefined)[]): number | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, part) => total + part, 0);
}

