/**
 * What was heard of one run so far: its answer, its tools, what it used; and how each of its updates becomes a fact
 * in the journal or a signal to those who watch. Facts go to the journal in their order, and nobody waits for each.
 */
import type { Job } from "../core/job.ts";
import type { Progress } from "../core/run.ts";
import { keyName } from "../core/session.ts";
import type { RunnerOptions } from "./means.ts";
import type { Request } from "./request.ts";
import type { RequestWithdrawn, RunEnded, Update, Usage } from "./updates.ts";

export class Heard {
  text = "";
  usage: Usage = {};
  readonly tools = new Map<string, { name: string; title: string }>();
  readonly #shown: { push(chunk: Uint8Array): Uint8Array };
  #written: Promise<unknown> = Promise.resolve();

  constructor(shown: { push(chunk: Uint8Array): Uint8Array }) {
    this.#shown = shown;
  }

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
}

/** Takes one update of the job's run. */
export function take(
  { engine, signals, redact }: RunnerOptions,
  job: Job,
  heard: Heard,
  update: Exclude<Update, Request | RequestWithdrawn | RunEnded>,
): void {
  const { job_id, thread_id } = job;
  const at = { job_id, thread_id };
  const learn = (progress: Progress): void => heard.written(engine.submit({ type: "progress", job_id, progress }));
  switch (update.kind) {
    case "text":
      return signals.send({ kind: "text", ...at, delta: heard.add(update.delta) });
    case "session_key":
      return learn({ kind: "session_key", adapter_state: { [keyName(job.tool)]: update.key } });
    case "usage":
      heard.usage = { ...heard.usage, ...update.usage };
      return;
    case "tool_started":
      heard.tools.set(update.id, { name: update.name, title: redact(update.title) });
      return signals.send({ kind: "tool_started", ...at, id: update.id, name: update.name, title: redact(update.title) });
    case "tool_finished": {
      const { name, title } = heard.tools.get(update.id) ?? { name: "?", title: "" };
      // A tool that finished has run, whether or not it was heard to start.
      heard.tools.set(update.id, { name, title });
      signals.send({ kind: "tool_ended", ...at, id: update.id, ok: update.ok });
      return learn({ kind: "tool", name, title, ok: update.ok });
    }
    case "denied":
      signals.send({ kind: "denied", ...at, tool: update.tool, reason: redact(update.reason) });
      return learn({ kind: "denied", name: update.tool });
    case "plan":
      return signals.send({ kind: "plan", ...at, entries: update.entries.map(({ text, state }) => ({ text: redact(text), state })) });
    case "notice":
      return signals.send({ kind: "notice", ...at, code: update.code, text: redact(update.text) });
  }
}

/** A tool's title for people, who know in which directory the agent works. */
export function inProject<U extends Update>(update: U, folder: string): U {
  if ((update.kind !== "tool_started" && update.kind !== "permission") || folder === "") return update;
  return { ...update, title: update.title.replaceAll(`${folder}/`, "") };
}
