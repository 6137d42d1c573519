/**
 * Messages that the owner sends into a running turn. Each leaves once, after its request is on record, and what became
 * of it is recorded when its agent says so: taken up in a turn, begun as a turn of its own, or never given to the
 * model.
 */
import { createHash } from "node:crypto";
import type { Log } from "../../base/log.ts";
import { jobOrTurn } from "../../core/jobs/job-or-turn.ts";
import { isTakenBack, isUnderWay } from "../../core/jobs/run.ts";
import { jobsBeingSent, type ReadMeanwhile } from "../../core/jobs/sending.ts";
import type { Job, JobRef } from "../../core/jobs/job.ts";
import { toolKey } from "../../core/sessions/session.ts";
import type { State } from "../../core/state.ts";
import type { Engine } from "../../engine/engine.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Steered, Turn, Driver } from "../contract/driver.ts";
import { changedUpload } from "../../host/files/uploaded.ts";
import { filesOf, givenOf, promptOf } from "./prompt.ts";

/** A turn that an agent began by itself with a message that it was sent, and the log it writes to. */
export interface Begun {
  turn: Turn;
  log: JobLog;
}

export interface SteeringOptions {
  engine: Engine;
  log: Log;
  openLog(jobId: string): JobLog;
}

/** What works in a thread: a job, or an outside turn. */
interface Worker {
  id: string;
  thread_id: string;
}

export class Steering {
  readonly #options: SteeringOptions;
  /** By job: what settles when it is known what became of its message. */
  readonly #sent = new Map<string, { settled: Promise<void>; takeBack: () => void }>();
  /** By job; from the agent's beginning until the job is started. */
  readonly #begun = new Map<string, Begun>();
  /** Of each turn: the job that it works on, or its own id as an outside turn. */
  readonly #idOf = new WeakMap<Turn, string>();
  #closed = false;

  constructor(options: SteeringOptions) {
    this.#options = options;
  }

  /** @param id the job that the turn works on, or its own as an outside turn */
  nameOfMessage(turn: Turn, id: string): void {
    this.#idOf.set(turn, id);
  }

  /** Sends into the worker's turn what is to be sent there and has not left yet. */
  sendRequested({ id: into, thread_id }: Worker, turn: Turn): void {
    const { state } = this.#options.engine;
    for (const id of jobsBeingSent(state, thread_id)) {
      const job = state.jobs[id];
      if (isTakenBack(state.runs[id])) this.#sent.get(id)?.takeBack();
      if (!job || this.#sent.has(id) || this.#begun.has(id) || state.runs[id]?.sent_into !== into) continue;
      const { promise: takenBack, resolve: takeBack } = Promise.withResolvers<void>();
      const settled = this.#send(job, { into, turn, takenBack }).catch((error: unknown) => {
        if (!this.#options.engine.over)
          this.#options.log.failure("what became of a message sent into a turn cannot be recorded", error, {
            job_id: id,
          });
      });
      this.#sent.set(id, { settled, takeBack });
      void settled.then(() => this.#sent.delete(id));
    }
  }

  /** Whether something is being sent in this thread. */
  isBusy(threadId: string): boolean {
    return jobsBeingSent(this.#options.engine.state, threadId).length > 0;
  }

  /**
   * The worker's turn is over. Resolves with whether its agent has gone on by itself with a message that it was sent;
   * else every such message is settled by then, except those for another worker that runs now.
   */
  async turnEnded({ id, thread_id }: Worker): Promise<boolean> {
    const { engine } = this.#options;
    const belongsToOtherJob = (into = ""): boolean => into !== id && jobOrTurn(engine.state, into)?.state === "running";
    for (;;) {
      const ids = jobsBeingSent(engine.state, thread_id).filter(
        (one) => !belongsToOtherJob(engine.state.runs[one]?.sent_into),
      );
      // What has begun by now ends with the daemon; the next daemon says that its outcome is unknown.
      if (this.#closed) return true;
      if (ids.some((id) => this.#begun.has(id))) return true;
      // It was asked for too late: no turn is left to write it to.
      const late = ids.filter((id) => !this.#sent.has(id));
      for (const job_id of late) await engine.submit({ type: "not_sent", job_id, code: "E_SEND_FAILED" });
      const open = ids.flatMap((id) => this.#sent.get(id)?.settled ?? []);
      if (late.length === 0 && open.length === 0) return false;
      await Promise.race([...open, ...(late.length > 0 ? [Promise.resolve()] : [])]);
    }
  }

  /** The turn that an agent has begun with this job's message, once. */
  takeBegunTurn(jobId: string): Begun | undefined {
    const begun = this.#begun.get(jobId);
    this.#begun.delete(jobId);
    return begun;
  }

  /** Ends what was begun and will have no job any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#begun.values()].map(end));
    this.#begun.clear();
  }

  async #send(
    job: Job,
    { into, turn, takenBack }: { into: string; turn: Turn; takenBack: Promise<void> },
  ): Promise<void> {
    const { engine, openLog } = this.#options;
    const { job_id } = job;
    // Taken back before it has left.
    if (isTakenBack(engine.state.runs[job_id]))
      return void (await engine.submit({ type: "not_sent", job_id, code: "E_SEND_FAILED" }));
    const files = filesOf(engine.state.runs[job_id], true, job.tool);
    // It is told when its turn comes, in which it fails.
    if (files.length > 0 && (await changedUpload(files)) !== undefined)
      return void (await engine.submit({ type: "not_sent", job_id, code: "E_ATTACHMENT_CHANGED" }));
    const log = openLog(job_id);
    const steered = await (turn.steer?.(
      {
        text: promptOf(job, engine.state.runs[job_id], { resumes: true }),
        files: givenOf(files, job.tool),
        name: sentName(job, into),
        counters: null,
        log,
      },
      takenBack,
    ) ?? Promise.resolve<Steered>({ kind: "refused" }));
    log.writeNote(`sent into the turn of ${into}: ${steered.kind}`);
    if (steered.kind === "begun") return this.#begin(job_id, { turn: steered.turn, log });
    await log.close();
    if (engine.over || !isUnderWay(engine.state, job_id)) return;
    if (steered.kind === "refused") await engine.submit({ type: "not_sent", job_id, code: "E_SEND_FAILED" });
    else await engine.submit({ type: "sent", job_id, into: this.#idOf.get(steered.by) ?? into });
  }

  /** It is recorded when its job starts, once the turn before it has left. */
  async #begin(job_id: string, begun: Begun): Promise<void> {
    if (this.#closed) return end(begun);
    this.nameOfMessage(begun.turn, job_id);
    this.#begun.set(job_id, begun);
  }
}

async function end({ turn, log }: Begun): Promise<void> {
  await turn.cancel();
  await log.close();
}

/**
 * A UUID that follows from what the message is, so that the next daemon can look for it in the agent's record: a job's
 * message is sent once into one turn.
 */
function sentName({ thread_id, job_id }: JobRef, into: string): string {
  const digits = createHash("sha256")
    .update(JSON.stringify([thread_id, job_id, into]))
    .digest("hex");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/**
 * What agents have read, by their own records, of the messages that the last daemon was sending into their turns when
 * it ended. Never rejects.
 * @param open called if there is anything to look for
 */
export async function readMeanwhile(state: State, open: () => ReadonlyMap<string, Driver>): Promise<ReadMeanwhile[]> {
  const sent = Object.keys(state.threads).flatMap((thread_id) =>
    jobsBeingSent(state, thread_id).map((job_id) => ({ thread_id, job_id })),
  );
  if (sent.length === 0) return [];
  const drivers = open();
  const read = sent.map(async (ref): Promise<ReadMeanwhile[]> => {
    const into = state.runs[ref.job_id]?.sent_into ?? "";
    const tool = jobOrTurn(state, into)?.tool ?? "";
    const key = toolKey(state, ref.thread_id, tool);
    const name = sentName(ref, into);
    const how = key === null ? undefined : (await drivers.get(tool)?.readBy?.(key, [name]))?.get(name);
    return how === undefined ? [] : [{ job_id: ref.job_id, how }];
  });
  return (await Promise.all(read)).flat();
}
