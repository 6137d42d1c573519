/**
 * A living agent that speaks the protocol: one process and one session, prompt after prompt. What comes in the session
 * without a prompt (text, a tool, a request) is a turn that the agent began by itself. Some agents mark the end of such
 * a turn; the turn of any other is over when it was quiet for a while.
 */
import { withTimeout, pause, type Clock } from "../../base/clock.ts";
import { BellhopError, type ErrorDetails } from "../../base/errors.ts";
import type { Cost } from "../../core/jobs/cost.ts";
import type { AgentFacts, Choice, CommandOffered } from "../../core/sessions/told.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Child } from "../../host/processes/child.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { Agent, Prompt, Steered, Turn, Opening } from "../contract/driver.ts";
import type { LineLeftOut, TurnEnded } from "../contract/updates.ts";
import { oneLine, type Fields, inner, text } from "../process/fields.ts";
import { failedTurn, notStarted, reasonDetails } from "../process/dialect.ts";
import { Feed, noteLeftOut } from "../process/reading.ts";
import { Background, watchQuiet, steer, AcpTurn, begins, isEndOfOwnTurn } from "./turn.ts";
import { blocksOf } from "./blocks.ts";
import { AcpConnection, rpcFailureOf, type AcpListener } from "./connection.ts";
import { failureOf, hasLostSession, loginTo, needsLogin, reasonOf, refusesSession } from "./errors.ts";
import { chooseFrom, commandsIn, effortsOf, factsOf, modeIn, modelsOf } from "./session-mode.ts";
import { SessionOpenError, NotResumed, openSession, type AcpSession } from "./open-session.ts";
import type { RecentOpenings } from "../process/process-driver.ts";
import { costBeforeIn, costOf, NOTHING_YET } from "./translate.ts";

export interface AcpSetting {
  clock: Clock;
  tool: string;
  install: string;
  /** The command that logs in to it, if it is known by its own. */
  login?: string;
  /** Bellhop's own version. */
  version: string;
  /** Whether an agent that cannot be set to a mode that asks is used as it is. */
  asIs: boolean;
  /** For an agent that loses a session which is opened again too soon. */
  openings?: RecentOpenings;
}

export interface AcpAgentOptions {
  setting: AcpSetting;
  opening: Opening;
  child: Child;
  /** How the process was started, for the log of the first turn. */
  notes: readonly string[];
}

/** How long the process, the handshake and the session may take together. */
const START_MS = 30_000;
/** A wait before the session is opened is told if it is this long. */
const TOLD_WAIT_MS = 3_000;
/**
 * How long an agent may take to end its turn after it was asked to, or to say what it has taken into one that is over.
 */
const CANCEL_MS = 5_000;
/** How long an agent may take to confirm a mode or a model; and that it is back in a mode in which it asks. */
const CHOICE_MS = 30_000;
const BACK_MS = 10_000;
/** A replay may go on after the session is loaded: it is over when nothing came for so long. */
const REPLAY_QUIET_MS = 250;
/** How long the session may take to close, and the process to exit once its input is closed. */
const CLOSE_MS = 1_000;
const LINGER_MS = 2_000;
/** How much of an unreadable line is repeated in the log, and how many such lines are. */
const NOTED_CHARS = 200;
const NOTED_LINES = 20;

const CANCELLED: TurnEnded = { kind: "end", outcome: "cancelled" };

export class AcpAgent implements Agent, AcpListener {
  readonly process: ProcessIdentity | null;
  readonly between = new Feed<Turn>();
  readonly opened: Promise<TurnEnded | null>;
  readonly gone: Promise<void>;
  readonly #setting: AcpSetting;
  readonly #opening: Opening;
  readonly #child: Child;
  readonly #connection: AcpConnection;
  #notes: readonly string[];
  #session: AcpSession | null = null;
  /**
   * The time before which its conversation may not be opened, in milliseconds since the epoch; null: it may be opened.
   */
  #opensAt: number | null = null;
  /** The turn to which what comes now belongs. */
  #current: AcpTurn | null = null;
  /** Prompted, but the session is not open yet, or a turn of the agent's own is current. */
  #next: AcpTurn | null = null;
  readonly #background = new Background();
  /** The last usage that the session told. */
  #usage: Fields = {};
  /** What the conversation has cost so far; null if nobody knows. */
  #cost: Cost | null;
  /** What it says of itself. */
  #hello: Fields = {};
  /** The agent's own commands; null: it has not told any. */
  #commands: readonly CommandOffered[] | null = null;
  #heardAt: number;
  #noted = 0;
  #closed = false;
  /** Resolves when its process has outlived what was sent to it to end a turn, or is gone. */
  #outlived = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor({ setting, opening, child, notes }: AcpAgentOptions) {
    this.#setting = setting;
    this.#opening = opening;
    this.#child = child;
    this.#notes = notes;
    this.#cost = opening.key === null ? NOTHING_YET : null;
    this.#heardAt = setting.clock.monotonic();
    this.process = child.identity;
    this.#connection = new AcpConnection(child, this);
    this.gone = this.#live();
    this.opened = this.#open().then(
      () => null,
      (error: unknown) => this.#notOpened(error),
    );
    void this.opened.then((why) => (why === null ? undefined : (this.#closing ??= this.#leave())));
  }

  /** The log for what it writes now. */
  get log(): JobLog {
    return (this.#current ?? this.#next)?.log ?? this.#opening.log;
  }

  get #login(): ErrorDetails {
    return loginTo(this.#hello, this.#setting.login);
  }

  get background(): readonly string[] {
    return this.#background.all;
  }

  heardAt(): number {
    return this.#heardAt;
  }

  facts(): AgentFacts {
    const name = oneLine(text(inner(this.#hello, "agentInfo")["title"]));
    return {
      ...(name !== "" && { name }),
      ...factsOf(this.#session ?? { models: null, efforts: null }, { usage: this.#usage, cost: this.#cost }),
      ...this.#session?.mode.facts(),
      ...(this.#commands !== null && { commands: this.#commands }),
    };
  }

  async choose(what: Choice, id: string): Promise<string> {
    const session = this.#session;
    const { clock } = this.#setting;
    if (what === "mode")
      return (
        (session && (await withTimeout(clock, CHOICE_MS, session.mode.choose(id)))) ??
        Promise.reject(new BellhopError("E_MODE_UNAVAILABLE", { mode: id }))
      );
    const chosen =
      session &&
      (await withTimeout(
        clock,
        CHOICE_MS,
        chooseFrom((method, params) => this.#connection.request(method, params), session, what, id),
      ));
    if (!chosen)
      throw what === "model"
        ? new BellhopError("E_MODEL_UNAVAILABLE", { model: id })
        : new BellhopError("E_EFFORT_UNAVAILABLE", { effort: id });
    Object.assign(session, chosen);
    return (what === "model" ? chosen.models : chosen.efforts)?.current ?? id;
  }

  prompt({ text, files, counters, log, ...chosen }: Prompt): Turn {
    this.#cost ??= costBeforeIn(counters);
    const turn = this.#turn(log);
    for (const note of this.#notes) log.writeNote(note);
    this.#notes = [];
    this.#next = turn;
    if (this.#opensAt !== null)
      turn.emit({ kind: "notice", code: "opens_later", text: String(Math.ceil(this.#opensAt / 1000)) });
    void this.#serve(turn, { text, files: files ?? [] }, chosen);
    return turn;
  }

  close(how?: "now"): Promise<void> {
    if (how === "now") return this.#child.kill().then(() => this.gone);
    return (this.#closing ??= this.#close());
  }

  room(): Promise<void> {
    return this.#current?.updates.room() ?? Promise.resolve();
  }

  update(params: Fields, cut?: number): void {
    const update = inner(params, "update");
    if (this.#session !== null && params["sessionId"] !== this.#session.id)
      return this.strange("an update of another session");
    this.#heardAt = this.#setting.clock.monotonic();
    if (update["sessionUpdate"] === "usage_update") [this.#usage, this.#cost] = [update, costOf(update) ?? this.#cost];
    if (update["sessionUpdate"] === "available_commands_update") this.#commands = commandsIn(update);
    if (this.#session === null) return;
    if (update["sessionUpdate"] === "config_option_update")
      Object.assign(this.#session, {
        models: modelsOf(update) ?? this.#session.models,
        efforts: effortsOf(update) ?? this.#session.efforts,
      });
    this.#watchMode(modeIn(update));
    this.#background.onUpdate(update);
    const turn = this.#current ?? (begins(update) ? this.#beginByItself() : null);
    if (turn === null) return;
    turn.onUpdate(update, cut);
    if (turn.isOwn && isEndOfOwnTurn(update)) this.#finish(turn);
  }

  async onRequest(
    kind: "permission" | "elicitation",
    params: Fields,
    { id, ...about }: { id: string; withdrawn: AbortSignal; cut?: number },
  ): Promise<Fields> {
    const isOurs = this.#session !== null && params["sessionId"] === this.#session.id && this.#closing === null;
    if (isOurs) {
      this.#heardAt = this.#setting.clock.monotonic();
      return (this.#current ?? this.#beginByItself()).askOwner(kind, params, { wire: id, ...about });
    }
    this.strange(`a request for ${kind} outside the session`);
    return kind === "permission" ? { outcome: { outcome: "cancelled" } } : { action: "decline" };
  }

  onResponse(method: string): void {
    if (method !== "session/prompt" || this.#current === null) return;
    this.#background.leave(this.#current.openTools);
    this.#current = null;
  }

  strange(what: string, line?: string): void {
    (this.#current ?? this.#next)?.strange(what);
    if (line === undefined || this.#noted >= NOTED_LINES) return;
    this.#noted += 1;
    this.log.writeNote(`${what}: ${JSON.stringify(line.slice(0, NOTED_CHARS))}`);
  }

  leftOut(left: LineLeftOut): void {
    const turn = this.#current ?? this.#next;
    if (turn) turn.leftOut(left);
    else noteLeftOut(this.log, left);
  }

  #turn(log: JobLog, isOwn = false): AcpTurn {
    return new AcpTurn({
      process: this.process,
      log,
      isOwn,
      login: this.#login,
      costBefore: this.#cost,
      monotonic: () => this.#setting.clock.monotonic(),
      whenAnswerWritten: (wire) => this.#connection.whenAnswerWritten(wire),
      stop: (turn) => void this.#stop(turn),
    });
  }

  async #serve(
    turn: AcpTurn,
    { text, files }: Required<Pick<Prompt, "text" | "files">>,
    { model, effort }: Pick<Prompt, "model" | "effort">,
  ): Promise<void> {
    const why = await this.opened;
    if (why !== null) return turn.end(turn.stopped ? CANCELLED : why);
    const prompt = await blocksOf(text, files, this.#session?.takes);
    // Some agents drop what they do when they are prompted meanwhile.
    while (this.#current !== null) await this.#current.over;
    await this.#outlived;
    this.#next = null;
    const session = this.#session;
    if (turn.ended || session === null) return;
    if (this.#closed) return turn.end(await this.#dead({ temporary: true }));
    this.#current = turn;
    turn.recordLife();
    const unavailable =
      model === undefined || model === session.models?.current
        ? null
        : await this.choose("model", model).then(
            () => null,
            () => failedTurn("E_MODEL_UNAVAILABLE", { model: oneLine(model) }),
          );
    // Another model may have other efforts.
    if (effort !== undefined && effort !== session.efforts?.current)
      await this.choose("effort", effort).catch(() => undefined);
    if (turn.stopped || unavailable !== null) {
      this.#current = null;
      return turn.end(turn.stopped ? CANCELLED : (unavailable ?? CANCELLED));
    }
    if (session.mode.isUnknown && this.#opening.key === null && !session.prompted)
      turn.emit({ kind: "notice", code: "unknown_agent", text: session.mode.current ?? "" });
    session.prompted = true;
    turn.emit(...session.mode.takeUpdates());
    if (session.steers) turn.steer = (more) => this.#steer(turn, more);
    const response = this.#connection.request("session/prompt", { sessionId: session.id, prompt });
    // A session that never took a prompt is not worth resuming, and some agents lose it.
    turn.emit({ kind: "session_key", key: session.id });
    await response.then(
      (answer) => turn.conclude(answer),
      async (error: unknown) => turn.end(await this.#failedEnd(turn, error)),
    );
    if (this.#current === turn) this.#current = null;
  }

  async #steer(turn: AcpTurn, { text, files }: Prompt): Promise<Steered> {
    const session = this.#session;
    const prompt = await blocksOf(text, files ?? [], session?.takes);
    if (session === null || this.#current !== turn || turn.stopped) return { kind: "refused" };
    const taken = steer(this.#connection, session.id, prompt);
    // An agent that has ended its turn and does not say whether it took the message is ended: nobody could ever know.
    void turn.over
      .then(() => withTimeout(this.#setting.clock, CANCEL_MS, taken))
      .then((said) => (said === undefined ? this.close("now") : undefined));
    return (await taken) ? { kind: "taken", by: turn } : { kind: "refused" };
  }

  async #open(): Promise<void> {
    const { version, asIs, openings, clock } = this.#setting;
    await this.#waitToReopen();
    const session = await withTimeout(
      this.#setting.clock,
      START_MS,
      openSession({
        connection: this.#connection,
        opening: this.#opening,
        version,
        asIs,
        greeted: (hello) => (this.#hello = hello),
      }),
    );
    if (session === undefined)
      throw new SessionOpenError("protocol", { because: "why_no_session", seconds: START_MS / 1000 });
    openings?.recordOpening(session.id);
    if (session.replays) {
      this.#heardAt = clock.monotonic();
      for (let left = REPLAY_QUIET_MS; left > 0; left = this.#heardAt + REPLAY_QUIET_MS - clock.monotonic())
        await pause(clock, left);
    }
    this.#session = session;
  }

  async #waitToReopen(): Promise<void> {
    const { key, begunAt } = this.#opening;
    const waitMs = key === null ? 0 : (this.#setting.openings?.wait(key, begunAt) ?? 0);
    if (waitMs === 0) return;
    this.log.writeNote(`waits ${waitMs} ms: this agent loses a session that is opened twice within a minute`);
    if (waitMs >= TOLD_WAIT_MS) this.#opensAt = this.#setting.clock.now() + waitMs;
    await withTimeout(this.#setting.clock, waitMs, this.#child.exit);
    this.#opensAt = null;
  }

  async #notOpened(error: unknown): Promise<TurnEnded> {
    if (error instanceof SessionOpenError)
      return error.why === "resume" ? this.#unknown(error.details) : notStarted(this.#setting, error.details);
    const refusal = rpcFailureOf(error instanceof NotResumed ? error.refusal : error);
    if (refusal === null) return this.#dead();
    if (needsLogin(refusal)) return { kind: "end", ...failureOf(refusal, this.#login) };
    const details = reasonDetails(reasonOf(refusal));
    return error instanceof NotResumed && refusesSession(refusal)
      ? this.#unknown(details)
      : notStarted(this.#setting, details);
  }

  async #failedEnd(turn: AcpTurn, error: unknown): Promise<TurnEnded> {
    const refusal = rpcFailureOf(error);
    const isLost = refusal !== null && this.#opening.key !== null && hasLostSession(refusal);
    const end: TurnEnded =
      refusal === null
        ? await this.#dead()
        : isLost
          ? this.#unknown(reasonDetails(reasonOf(refusal)))
          : { kind: "end", ...failureOf(refusal, this.#login) };
    return turn.stopped ? CANCELLED : end;
  }

  #unknown(details: ErrorDetails): TurnEnded {
    return failedTurn("E_RESUME_UNKNOWN", { resume: "unknown", session: oneLine(this.#opening.key ?? ""), ...details });
  }

  /** Its output has ended. */
  async #dead(more: { temporary?: boolean } = {}): Promise<TurnEnded> {
    this.#child.finishOutput(LINGER_MS);
    const { code, signal, failure } = await this.#child.exit;
    await this.#child.gone;
    if (failure !== null) return notStarted(this.#setting, reasonDetails(failure));
    const ended = signal === null ? { exit_code: code ?? -1 } : { signal };
    const details = {
      ...reasonDetails(this.#child.stderrTail().trim().split("\n").at(-1) ?? "", {
        because: signal === null ? "why_exit_code" : "why_signal",
      }),
      ...ended,
    };
    if (this.#session === null) return notStarted(this.#setting, details);
    return failedTurn("E_CLI_EXIT_NONZERO", { ...details, ...more });
  }

  /** Until nothing of it is left. */
  async #live(): Promise<void> {
    await this.#connection.closed;
    this.#closed = true;
    this.#child.finishOutput(LINGER_MS);
    await this.#child.gone;
    const own = this.#current;
    if (own?.isOwn) own.end(own.stopped ? CANCELLED : await this.#dead());
    this.between.close();
  }

  async #close(): Promise<void> {
    await Promise.all([this.#current?.cancel(), this.#next?.cancel()]);
    await this.#leave();
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    if (session?.closes === true && !this.#closed)
      await withTimeout(
        this.#setting.clock,
        CLOSE_MS,
        this.#connection.request("session/close", { sessionId: session.id }).catch(() => undefined),
      );
    this.#child.finishOutput(LINGER_MS);
    await this.#child.gone;
    this.#connection.close();
    await this.gone;
  }

  async #stop(turn: AcpTurn): Promise<void> {
    if (turn === this.#next && this.#session !== null) return turn.end(CANCELLED);
    if (this.#session !== null) {
      turn.log.writeNote("asked to stop");
      await this.#connection.notify("session/cancel", { sessionId: this.#session.id });
      turn.endSooner?.();
      await withTimeout(this.#setting.clock, CANCEL_MS, turn.over);
    }
    if (!turn.ended) await (this.#outlived = this.#child.interrupt(turn.over));
  }

  #beginByItself(): AcpTurn {
    const turn = this.#turn(this.#opening.log, true);
    this.#current = turn;
    turn.endSooner = watchQuiet(this.#setting.clock, turn, () => (this.#closed ? undefined : this.#finish(turn)));
    if (this.#session?.marksEnds === false) turn.hurry = turn.endSooner;
    void this.between.give(turn);
    return turn;
  }

  #finish(turn: AcpTurn): void {
    this.#background.leave(turn.openTools);
    if (this.#current === turn) this.#current = null;
    turn.finish();
  }

  /** An agent that leaves for a mode that it may not be in is set back to the one it was in. */
  #watchMode(mode: string | null): void {
    const session = this.#session;
    if (mode === null || session === null) return;
    if (!session.mode.onModeReported(mode))
      void withTimeout(this.#setting.clock, BACK_MS, session.mode.setBack()).then((isBack) =>
        isBack === true ? undefined : this.close(),
      );
    if (this.#current !== null) this.#current.emit(...session.mode.takeUpdates());
  }
}
