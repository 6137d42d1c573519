/**
 * What a run's agent asks of its owner: the exact bytes are on the disk, then it stands in the journal, and what
 * settles it is told to the agent, once. Several may be open at a time, and nothing of the run waits for them here.
 * After the run's end nothing is answered any more, and what was still open is void.
 */
import { isoTime } from "../base/clock.ts";
import { newDecisionId } from "../base/ids.ts";
import { isOpen, type Decision, type DecisionKind, type Subject } from "../core/decision.ts";
import { exhibit } from "../core/exhibit.ts";
import { GRANT_MS } from "../core/grant.ts";
import type { State } from "../core/house.ts";
import type { Job } from "../core/job.ts";
import { digestOf } from "../host/decision-files.ts";
import type { Reply, Run } from "./driver.ts";
import type { RunnerOptions } from "./means.ts";
import { bytesFor, no, NOT_KEPT, NOT_SHOWN, questionsFor, replyTo, titleFor, TOO_LONG, type Manner, type Request } from "./request.ts";
import type { Silence } from "./silence.ts";

export interface AskingOptions extends RunnerOptions {
  /** Whether the daemon is going: then the next one says what became of what is open. */
  stopping(): boolean;
}

export class Asking {
  readonly #options: AskingOptions;
  readonly #job: Job;
  readonly #run: Run;
  readonly #silence: Silence;
  readonly #manner: Manner;
  /** By the agent's own name for the request. */
  readonly #decisions = new Map<string, { decision_id: string; withdrawn: boolean }>();
  #over = false;

  constructor(options: AskingOptions, job: Job, run: Run, silence: Silence) {
    this.#options = options;
    this.#job = job;
    this.#run = run;
    this.#silence = silence;
    this.#manner = { locale: options.locale, agent: job.tool, redact: options.redact };
  }

  /** The agent asks. Never throws. */
  take(request: Request): void {
    if (this.#over || this.#decisions.has(request.id)) return;
    const decision_id = newDecisionId(this.#options.clock.now());
    this.#decisions.set(request.id, { decision_id, withdrawn: false });
    const speak = this.#silence.allow();
    void this.#ask(request, decision_id)
      .catch(async (error: unknown) => {
        this.#options.log.failure("what an agent asks cannot be put before the owner", error, { job_id: this.#job.job_id });
        await this.#tell(request, no(request, NOT_KEPT));
      })
      .finally(speak);
  }

  /** The agent no longer wants it. */
  withdraw(id: string): void {
    const one = this.#decisions.get(id);
    if (!one) return;
    one.withdrawn = true;
    this.#void(one.decision_id, "withdrawn");
  }

  /** The run has ended. */
  end(): void {
    this.#over = true;
  }

  /** What its job's end did not take along: the job may be tried again, but by another run. */
  leave(): void {
    if (this.#options.stopping()) return;
    for (const { decision_id } of this.#decisions.values()) this.#void(decision_id, "asker_gone");
  }

  async #ask(request: Request, decision_id: string): Promise<void> {
    const { engine, decisionFiles, redact } = this.#options;
    const bytes = bytesFor(request);
    const questions = questionsFor(request, this.#manner);
    if (questions === null) return this.#tell(request, no(request, TOO_LONG));
    if (bytes !== null && redact(bytes) !== bytes) return this.#tell(request, no(request, NOT_SHOWN));
    const subject = bytes === null || request.kind === "question" ? null : this.#subject(request, bytes);
    if (bytes !== null) await decisionFiles.write(decision_id, bytes);
    if (this.#over || this.#decisions.get(request.id)?.withdrawn) return;
    const { job_id, thread_id } = this.#job;
    const kind = request.kind === "plan_approval" ? "plan" : request.kind;
    const asker = { by: "job", job_id, request_id: request.id } as const;
    const lapses_at = this.#lapsesAt(kind);
    await engine.submit({ type: "ask", decision_id, thread_id, kind, asker, context: "", questions, subject, lapses_at });
    const settled = await engine.until((state) => settledOf(state, decision_id));
    if (settled.voided === "withdrawn") return;
    // What was shown is what is done: the digest that a press was held against is the one of these bytes.
    const other = settled.subject !== null && settled.subject.sha256 !== digestOf(bytes ?? "");
    await this.#tell(request, other ? no(request, NOT_KEPT) : replyTo(request, bytes, settled), decision_id);
  }

  #subject(request: Exclude<Request, { kind: "question" }>, bytes: string): Subject {
    const grant_until = isoTime(this.#options.clock.now() + GRANT_MS);
    return { ...titleFor(request, this.#manner), sha256: digestOf(bytes), pages: exhibit(bytes).pages.length, grant_until };
  }

  #lapsesAt(kind: DecisionKind): string | null {
    const seconds = this.#options.lapseSeconds(kind);
    return seconds === undefined ? null : isoTime(Math.ceil(this.#options.clock.now() + seconds * 1000));
  }

  async #tell(request: Request, reply: Reply, decision_id?: string): Promise<void> {
    if (this.#over || !(await this.#run.answer(request.id, reply)) || decision_id === undefined) return;
    await this.#options.engine.submit({ type: "answer_delivered", decision_id });
  }

  #void(decision_id: string, why: "withdrawn" | "asker_gone"): void {
    const { engine, log } = this.#options;
    engine.submit({ type: "void", decision_id, why }).catch((error: unknown) => log.failure("a decision cannot be made void", error, { decision_id }));
  }
}

const GONE = { state: "void", answers: [], subject: null, voided: "asker_gone" } as const;

/** How it was settled; of what the job's end, or the owner's wish to stop it, kept from being asked: void. */
function settledOf({ decisions }: State, decision_id: string): Pick<Decision, "state" | "answers" | "subject" | "voided"> | null {
  const decision = decisions[decision_id];
  if (!decision) return { ...GONE, answers: [] };
  return isOpen(decision) ? null : decision;
}
