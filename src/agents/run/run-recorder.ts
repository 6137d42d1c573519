/**
 * Records one turn: its answer, its tools, its usage; and turns each update into a journal fact or a live event. Facts
 * are submitted in order, without waiting for each.
 */
import type { RedactedStream } from "../../base/redact.ts";
import { amountsOf, type Amounts } from "../../core/jobs/budget.ts";
import { costKey } from "../../core/jobs/cost.ts";
import type { Job } from "../../core/jobs/job.ts";
import { jobOrTurn } from "../../core/jobs/job-or-turn.ts";
import type { Progress, Usage as RecordedUsage, Warning } from "../../core/jobs/run.ts";
import type { AnswerFile, KeptAnswer, UnkeptAnswer } from "../../host/files/answer-writing.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { Turn } from "../contract/driver.ts";
import type { RunContext } from "./run-context.ts";
import type { RequestWithdrawn, TurnEnded, Update, TurnUsage, DecisionRequest } from "../contract/updates.ts";

export class RunRecorder {
  /** Whether the agent has said anything. */
  said = false;
  usage: TurnUsage = {};
  /** As it was when it was last told. */
  #told = this.usage;
  readonly tools = new Map<string, { name: string; title: string }>();
  readonly #shown: RedactedStream;
  readonly #thoughts: RedactedStream;
  readonly #answer: AnswerFile;
  /** The first half of a character that was split between two pieces. */
  #half = "";
  readonly #markers: Markers;
  /** The number of files to send so far. */
  #sent = 0;
  #caughtUp: Promise<void> = Promise.resolve();
  #written: Promise<unknown> = Promise.resolve();
  /** Resolves when every fact before the turn's end is written. */
  #learnt: Promise<unknown> | null = null;
  #found: Promise<void> = Promise.resolve();

  constructor({ engine, redactor, results, folders }: RunContext, jobId: string) {
    const threadId = jobOrTurn(engine.state, jobId)?.thread_id;
    this.#markers = new Markers(threadId === undefined ? null : folders.outputs(threadId));
    this.#shown = redactor.stream();
    this.#thoughts = redactor.stream();
    this.#answer = results.beginAnswer(jobId);
  }

  /** Takes more of what the agent thinks, which is not kept; returns what of it may be shown now. */
  think(delta: string): string {
    return Buffer.from(this.#thoughts.write(Buffer.from(delta))).toString();
  }

  /** What the agent has used so far; null: it has told nothing since this was last asked. */
  newAmounts(): Amounts | null {
    if (this.usage === this.#told) return null;
    this.#told = this.usage;
    const amounts = amountsOf(recordedUsage(this.usage));
    return Object.keys(amounts).length === 0 ? null : amounts;
  }

  /** Adds a fact that is on its way to the journal. */
  addSubmission(submitted: Promise<unknown>): void {
    this.#written = Promise.all([this.#written, submitted]);
    this.#written.catch(() => undefined);
  }

  /** Adds the fact of the turn's end, which is the last. */
  ended(submitted: Promise<unknown>): void {
    this.#learnt = this.#written;
    this.addSubmission(submitted);
  }

  /** Adds a fact that must be determined first; such facts keep their order. */
  inOrder(find: () => Promise<void>): void {
    this.#found = this.#found.then(find);
    this.addSubmission(this.#found);
  }

  /** Resolves when every fact is in the journal; rejects when the journal has failed. */
  async whenRecorded(): Promise<void> {
    await this.#written;
  }

  /** Takes more of the agent's text: returns what may be shown now, and the files it sends, each with its place. */
  addText(delta: string): { shown: string; files: { name: string; place: number }[] } {
    this.said ||= delta !== "";
    const { text, names } = this.#markers.cut(delta);
    return { shown: this.add(text), files: names.map((name) => ({ name, place: this.#sent++ })) };
  }

  /** Takes more of the answer; returns what of it may be shown now. */
  add(delta: string): string {
    this.said ||= delta !== "";
    const whole = this.#half + delta;
    this.#half = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? "";
    return this.#writeBytes(this.#shown.write(Buffer.from(whole.slice(0, whole.length - this.#half.length))));
  }

  /** Resolves when the disk has nearly caught up with the text; the agent may wait until then. */
  caughtUp(): Promise<void> {
    return this.#caughtUp;
  }

  /** Nothing more is said: returns the file that is all of the answer, if it is one. */
  endText(): { name: string; place: number } | null {
    const { text, names } = this.#markers.end();
    this.add(text);
    const [name] = names;
    return name === undefined ? null : { name, place: this.#sent++ };
  }

  /**
   * Writes everything said to disk. `end`: the turn succeeded, and this is known of it. Rejects when the journal has
   * failed.
   */
  async finishAnswer(end?: object): Promise<KeptAnswer | UnkeptAnswer> {
    this.#writeBytes(this.#shown.write(Buffer.from(this.#half)));
    this.#writeBytes(this.#shown.flush());
    if (end) {
      this.#answer.complete();
      // A later start takes the note to mean that the job is done, so everything else must be written by then.
      await (this.#learnt ?? this.#written);
      this.#answer.noteEnd(end);
    }
    // The files it sends are recorded before its end.
    await this.whenRecorded();
    return this.#answer.finish();
  }

  /** Discards what was said. */
  discardAnswer(): Promise<void> {
    return this.#answer.discard();
  }

  #writeBytes(bytes: Uint8Array): string {
    // The buffer is reused, so a view of it would change while it waits for the disk.
    const kept = Buffer.from(bytes);
    this.#caughtUp = this.#answer.write(kept);
    return kept.toString();
  }
}

/** The fact that identifies a turn: its process, its name, and whether its agent can be spoken to. */
export function processOf({ promptId, steer }: Turn, { pid, startTime }: ProcessIdentity): Progress {
  return {
    kind: "process",
    pid,
    start_time: String(startTime),
    ...(promptId != null && { prompt_id: promptId }),
    ...(steer && { steers: true as const }),
  };
}

/** The job that an update is about, or an outside turn in its place. */
export type Worked = Pick<Job, "job_id" | "thread_id" | "tool" | "discord_message_id">;

export function recordedUsage(usage: TurnUsage): RecordedUsage | null {
  const pairs: [string, number | undefined][] = [
    ["input_tokens", sum(usage.input, usage.cacheRead, usage.cacheWritten)],
    ["output_tokens", usage.output],
    [costKey(usage.cost?.currency ?? ""), usage.cost?.amount],
    ["duration_ms", usage.durationMs],
    ["context_used", usage.contextUsed],
    ["context_size", usage.contextSize],
  ];
  const known = pairs.filter((pair): pair is [string, number] => pair[1] !== undefined);
  const all: RecordedUsage = { ...usage.counters, ...Object.fromEntries(known) };
  return Object.keys(all).length === 0 ? null : all;
}

function sum(...parts: (number | undefined)[]): number | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, part) => total + part, 0);
}

/** What the agent does after it has told what it has used: what it tells at the end of its turn comes with that. */
const GOES_ON: ReadonlySet<Update["kind"]> = new Set(["text", "thought", "tool_started", "tool_finished"]);

/** Turns one update of a turn into a fact or a live event. */
export function recordUpdate(
  context: RunContext,
  job: Worked,
  recorder: RunRecorder,
  update: Exclude<Update, DecisionRequest | RequestWithdrawn | TurnEnded>,
): void {
  const { engine, liveEvents, redactor } = context;
  const { job_id, thread_id } = job;
  const at = { job_id, thread_id };
  const learn = (progress: Progress): void =>
    recorder.addSubmission(engine.submit({ type: "progress", job_id, progress }));
  const amounts = GOES_ON.has(update.kind) ? recorder.newAmounts() : null;
  if (amounts !== null) learn({ kind: "used", amounts });
  switch (update.kind) {
    case "text": {
      const { shown, files } = recorder.addText(update.delta);
      for (const file of files) recorder.inOrder(() => attach(context, job, file));
      return liveEvents.send({ kind: "text", ...at, delta: shown });
    }
    case "thought":
      return context.config().thoughts === "folded"
        ? liveEvents.send({ kind: "thought", ...at, delta: recorder.think(update.delta) })
        : undefined;
    case "session_key":
      return learn({
        kind: "session_key",
        adapter_state: { [context.drivers.get(job.tool)?.keyName ?? ""]: update.key },
      });
    case "usage":
      recorder.usage = { ...recorder.usage, ...update.usage };
      return;
    case "tool_started": {
      const tool = { name: redactor.redactText(update.name), title: redactor.redactText(update.title) };
      recorder.tools.set(update.id, tool);
      return liveEvents.send({ kind: "tool_started", ...at, id: update.id, ...tool });
    }
    case "tool_finished": {
      const { name, title } = recorder.tools.get(update.id) ?? { name: "?", title: "" };
      // A tool that finished has run, whether or not its start was reported.
      recorder.tools.set(update.id, { name, title });
      liveEvents.send({ kind: "tool_ended", ...at, id: update.id, ok: update.ok });
      return learn({ kind: "tool", name, title, ok: update.ok });
    }
    case "denied": {
      const name = redactor.redactText(update.tool);
      liveEvents.send({ kind: "denied", ...at, tool: name, reason: redactor.redactText(update.reason) });
      return learn({ kind: "denied", name });
    }
    case "plan":
      return liveEvents.send({
        kind: "plan",
        ...at,
        entries: update.entries.map(({ text, state }) => ({ text: redactor.redactText(text), state })),
      });
    case "left_out":
      liveEvents.send({ kind: "notice", ...at, code: "left_out", text: `${update.bytes} bytes of output left out` });
      return learn({ kind: "left_out", why: update.why, bytes: update.bytes });
    case "ended_early":
    case "compacted":
    case "renewed":
      return learn(update);
    case "mode":
      return recorder.addSubmission(
        engine.submit({
          type: "set_mode",
          thread_id,
          tool: job.tool,
          mode: redactor.redactText(update.mode),
          by: update.by,
          ...(update.changed && { job_id }),
        }),
      );
    case "notice": {
      const words = redactor.redactText(update.text);
      liveEvents.send({ kind: "notice", ...at, code: update.code, text: words });
      return isWarning(update.code) ? learn({ kind: "warned", code: update.code, mode: words }) : undefined;
    }
  }
}

function isWarning(code: string): code is Warning["code"] {
  return code === "mode_set_back" || code === "unknown_agent";
}

const MOST_FILES = 20;

/** What the agent said is whole: sends the file whose path it is, if it is that. */
export function recordLastWords(context: RunContext, job: Worked, recorder: RunRecorder): void {
  const file = recorder.endText();
  if (file !== null) recorder.inOrder(() => attach(context, job, file));
}

/** Keeps the file as it is now, then records that it is to be posted, or why it could not be kept. */
async function attach(
  { engine, results, folders, redactor }: RunContext,
  job: Worked,
  { name, place }: { name: string; place: number },
): Promise<void> {
  const { job_id } = job;
  if (place > MOST_FILES) return;
  const [folder = ""] = folders.granted(job.thread_id);
  const why =
    place === MOST_FILES
      ? "many"
      : await results
          .attach(job_id, place, { folder, name, redactBytes: (bytes) => redactor.bytes(bytes) })
          .catch(() => "unreadable");
  await engine.submit({
    type: "progress",
    job_id,
    progress: { kind: "attachment", name: redactor.redactText(name), why },
  });
}

/** Shortens a tool's title for people, who know the agent's directory. */
export function inProject<U extends Update>(update: U, folder: string): U {
  if ((update.kind !== "tool_started" && update.kind !== "permission") || folder === "") return update;
  return { ...update, title: update.title.replaceAll(`${folder}/`, "") };
}

/* Finds the markers with which an agent sends files. */

const OPENING = "[DISCORD_ATTACH:";
/** Of a marker, in code units. */
const LONGEST = 400;

const PICTURE = /^`?([^`]+\.(?:png|jpe?g|gif|webp))`?$/i;

/**
 * The marker with which an agent sends a file: `[DISCORD_ATTACH: name]`. It is removed from the agent's text before
 * anybody sees it, even if it comes in pieces; the possible start of a marker waits for the next piece. An answer that
 * is only the path of a picture in its folder of outputs sends that, too.
 */
export class Markers {
  #held = "";
  /** All that was said so far, while it may be such a path; null: it is not. */
  #path: string | null;
  readonly #folder: string;

  /** @param folder null: no picture can be sent by its path */
  constructor(folder: string | null) {
    this.#path = folder === null ? null : "";
    this.#folder = `${folder}/`;
  }

  /** The text of this piece without markers, and the names in the markers that it completes. */
  cut(delta: string): { text: string; names: string[] } {
    if (this.#path === null) return this.#cut(delta);
    this.#path += delta;
    if (this.#mayBePath(this.#path)) return { text: "", names: [] };
    const said = this.#path;
    this.#path = null;
    return this.#cut(said);
  }

  #mayBePath(said: string): boolean {
    const path = said.trim().replace(/^`/, "");
    const isAtIt = path.startsWith(this.#folder) || this.#folder.startsWith(path);
    return isAtIt && path.length < LONGEST && !path.includes("\n");
  }

  #cut(delta: string): { text: string; names: string[] } {
    let rest = this.#held + delta;
    let text = "";
    const names: string[] = [];
    for (let at = rest.indexOf("["); at >= 0; at = rest.indexOf("[")) {
      text += rest.slice(0, at);
      rest = rest.slice(at);
      const seen = rest.slice(0, LONGEST);
      const closing = seen.search(/[\]\n]/);
      if (
        seen.length < OPENING.length
          ? OPENING.startsWith(seen)
          : seen.startsWith(OPENING) && closing < 0 && seen.length < LONGEST
      ) {
        this.#held = rest;
        return { text, names };
      }
      if (seen.startsWith(OPENING) && seen[closing] === "]") {
        names.push(seen.slice(OPENING.length, closing).trim());
        rest = rest.slice(closing + 1);
      } else {
        text += "[";
        rest = rest.slice(1);
      }
    }
    this.#held = "";
    return { text: text + rest, names };
  }

  /** Nothing more is said: the text that was held back and is no marker, or the name of the picture that it is. */
  end(): { text: string; names: string[] } {
    const said = this.#path ?? "";
    this.#path = null;
    const [, path = ""] = PICTURE.exec(said.trim()) ?? [];
    if (path.startsWith(this.#folder)) return { text: "", names: [path.slice(this.#folder.length)] };
    const { text, names } = this.#cut(said);
    const held = this.#held;
    this.#held = "";
    return { text: text + held, names };
  }
}
