/**
 * The requests of an agent to the owner during a turn: the exact bytes are written to disk, then the decision to the
 * journal, and its outcome is reported to the agent once. Several may be open at a time, and they do not block it.
 * After the turn's end nothing is answered, and open requests are void, except those that its agent still asks in its
 * next turn, which takes over their decisions.
 */
import { codeOf } from "../../../base/errors.ts";
import { newDecisionId } from "../../../base/ids.ts";
import { workOf, type TurnAsker } from "../../../core/decisions/asker.ts";
import type { AskCommand, DecisionCommand } from "../../../core/decisions/decision.ts";
import { tooLong } from "../../../core/decisions/request-size.ts";
import type { Reply, Turn } from "../../contract/driver.ts";
import type { Update, DecisionRequest } from "../../contract/updates.ts";
import type { Attending } from "../run-context.ts";
import {
  askOwner,
  contextFor,
  isFor,
  kindOf,
  lapsesAt,
  no,
  NOT_KEPT,
  replyTo,
  settledOf,
  shownOf,
  TOO_MANY,
  type Manner,
} from "./decision-request.ts";
import type { IdleTimeout } from "../idle-timeout.ts";

/** Whether the agent asks the owner something with it. */
export function isRequest(update: Update): update is DecisionRequest {
  return update.kind === "question" || update.kind === "permission" || update.kind === "plan_approval";
}

/** The job or outside turn that asks. */
export interface AskingWork {
  thread_id: string;
  tool: string;
  /** @param requestId the agent's id of the request */
  asker(requestId: string): TurnAsker;
}

export class TurnRequests {
  readonly #context: Attending;
  readonly #work: AskingWork;
  readonly #turn: Turn;
  readonly #silence: IdleTimeout;
  readonly #manner: Manner;
  /** Keyed by the agent's id of the request. */
  readonly #decisions = new Map<string, { decision_id: string; withdrawn: boolean }>();
  #over = false;

  constructor(context: Attending, work: AskingWork, turn: Turn, silence: IdleTimeout) {
    this.#context = context;
    this.#work = work;
    this.#turn = turn;
    this.#silence = silence;
    const { locale, redactor } = context;
    this.#manner = { locale, agent: work.tool, redactor, thread_id: work.thread_id };
  }

  /** Takes a request of the agent. Never throws. */
  onRequest(request: DecisionRequest): void {
    if (this.#over || this.#decisions.has(request.id)) return;
    const decision_id = newDecisionId(this.#context.clock.now());
    this.#decisions.set(request.id, { decision_id, withdrawn: false });
    const speak = this.#silence.allow();
    void (request.handedOver ? this.#takeOver(request, decision_id) : this.#ask(request, decision_id))
      .catch(async (error: unknown) => {
        if (this.#context.engine.over) return;
        this.#context.log.failure("an agent's request cannot be shown to the owner", error, {
          thread_id: this.#work.thread_id,
        });
        await this.#deliverAnswer(request, no(request, codeOf(error) === "E_TOO_MANY_QUESTIONS" ? TOO_MANY : NOT_KEPT));
      })
      .finally(speak);
  }

  /** The agent withdrew the request. */
  withdraw(id: string): void {
    const one = this.#decisions.get(id);
    if (!one) return;
    one.withdrawn = true;
    this.#void(one.decision_id, "withdrawn");
  }

  /** The turn has ended. @param left requests that its agent still asks in its next turn: their decisions stay open */
  endTurn(left: readonly string[] = []): void {
    this.#over = true;
    for (const id of left) {
      const one = this.#decisions.get(id);
      this.#decisions.delete(id);
      if (one)
        this.#record(
          { type: "leave_decision", decision_id: one.decision_id, work: workOf(this.#work.asker(id)) ?? "" },
          one.decision_id,
        );
    }
  }

  /** Voids what the job's end did not settle: the job may be retried, but by another turn. */
  leave(): void {
    if (this.#context.stopping()) return;
    for (const { decision_id } of this.#decisions.values()) this.#void(decision_id, "asker_gone");
  }

  /**
   * It was asked in an earlier turn: that decision goes on. @param fresh names the one that is asked if there is none
   */
  async #takeOver(request: DecisionRequest, fresh: string): Promise<void> {
    const taken = await this.#context.engine.submit({
      type: "take_over",
      thread_id: this.#work.thread_id,
      asker: this.#askerOf(request),
    });
    const [decision_id] = taken.flatMap(({ type, payload }) =>
      type === "DecisionHandedOver" ? payload.decision_id : [],
    );
    if (decision_id === undefined) return this.#ask(request, fresh);
    const one = this.#decisions.get(request.id);
    if (one) one.decision_id = decision_id;
    if (one?.withdrawn) return this.#void(decision_id, "withdrawn");
    await this.#answer(request, decision_id, await shownOf(this.#context, this.#manner, request));
  }

  #askerOf({ id, subagent }: DecisionRequest): TurnAsker {
    return {
      ...this.#work.asker(id),
      ...(subagent !== undefined && { subagent: this.#context.redactor.redactText(subagent).toWellFormed() }),
    };
  }

  async #ask(request: DecisionRequest, decision_id: string): Promise<void> {
    const { engine, decisionFiles } = this.#context;
    const { bytes, shown, questions, subject, excess } = await shownOf(this.#context, this.#manner, request);
    if (shown !== null) await decisionFiles.write(decision_id, shown);
    if (this.#over || this.#decisions.get(request.id)?.withdrawn) return;
    const { thread_id } = this.#work;
    const kind = kindOf(request);
    const asker = this.#askerOf(request);
    const lapses_at = lapsesAt(this.#context, kind, this.#work.tool);
    if (excess !== undefined) {
      await engine.submit({
        type: "ask",
        decision_id,
        thread_id,
        kind,
        asker,
        context: "",
        questions,
        subject,
        lapses_at: null,
        excess,
      });
      return this.#deliverAnswer(request, no(request, tooLong(kindOf(request), excess)), decision_id);
    }
    const ask: AskCommand = {
      type: "ask",
      decision_id,
      thread_id,
      kind,
      asker,
      context: contextFor(request, this.#manner),
      questions,
      subject,
      lapses_at,
      ...(request.kind === "question" && request.form && { form: true }),
    };
    await askOwner(this.#context, ask, shown);
    await this.#answer(request, decision_id, { bytes, shown });
  }

  /** Reports its outcome, once there is one. */
  async #answer(
    request: DecisionRequest,
    decision_id: string,
    { bytes, shown }: { bytes: string | null; shown: string | null },
  ): Promise<void> {
    const settled = await this.#context.engine.until((state) => settledOf(state, decision_id), ["decision"]);
    if (settled.state === "void" && settled.voided === "withdrawn") return;
    await this.#deliverAnswer(
      request,
      isFor(settled, shown) ? replyTo(request, bytes, settled) : no(request, NOT_KEPT),
      decision_id,
    );
  }

  async #deliverAnswer(request: DecisionRequest, reply: Reply, decision_id?: string): Promise<void> {
    if (
      this.#over ||
      this.#context.engine.over ||
      !(await this.#turn.answer(request.id, reply)) ||
      decision_id === undefined
    )
      return;
    await this.#context.engine.submit({ type: "answer_delivered", decision_id });
  }

  #void(decision_id: string, why: "withdrawn" | "asker_gone"): void {
    this.#record({ type: "void", decision_id, why }, decision_id);
  }

  #record(command: DecisionCommand, decision_id: string): void {
    const { engine, log } = this.#context;
    engine
      .submit(command)
      .catch((error: unknown) => log.failure("what became of a decision cannot be recorded", error, { decision_id }));
  }
}
