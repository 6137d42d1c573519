/**
 * One turn of a living agent, whether it was prompted or began by itself. It gets the updates and requests of its
 * session while it is the current one, and has exactly one end. What it asked and nobody answered is refused at its
 * end.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import type { Cost } from "../../core/jobs/cost.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { Prompt, Reply, Steered, Turn } from "../contract/driver.ts";
import type { EndedEarly } from "../../core/jobs/run.ts";
import type { LineLeftOut, TurnEnded, Update } from "../contract/updates.ts";
import { oneLine, type Fields, inner, text } from "../process/fields.ts";
import { failedTurn } from "../process/dialect.ts";
import { Feed, noteLeftOut } from "../process/reading.ts";
import { failureOf } from "./errors.ts";
import { AcpRequests } from "./requests.ts";
import { AcpTranslation } from "./translate.ts";
import type { Clock } from "../../base/clock.ts";
import type { AcpConnection } from "./connection.ts";

/** Updates that may wait for their reader before nothing more is read from the agent. */
const MOST_WAITING = 255;

const EARLY = ["refusal", "max_tokens", "max_turn_requests"] as const satisfies readonly EndedEarly[];

interface TurnOptions {
  process: ProcessIdentity | null;
  log: JobLog;
  /** Whether the agent began it by itself. */
  isOwn: boolean;
  /** The command that logs in. */
  /** How to log in to it. */
  login: ErrorDetails;
  /** What the conversation had cost before; null if nobody knows. */
  costBefore: Cost | null;
  monotonic(): number;
  /** Whether the answer to the agent's request was written. */
  whenAnswerWritten(wire: string): Promise<boolean>;
  /** Called once, to make the agent end the turn. */
  stop(turn: AcpTurn): void;
}

export class AcpTurn implements Turn {
  /** Set once it is known that its agent can be spoken to. */
  steer?: (prompt: Prompt) => Promise<Steered>;
  /** Ends it after a shorter quiet than otherwise. Set where the agent began it by itself. */
  endSooner?: () => void;
  /** The same. Set where the agent does not mark its end. */
  hurry?: () => void;
  readonly process: Promise<ProcessIdentity | null>;
  readonly updates: Feed<Update>;
  readonly over: Promise<void>;
  readonly log: JobLog;
  readonly #options: TurnOptions;
  readonly #translation: AcpTranslation;
  readonly #requests: AcpRequests;
  readonly #over = Promise.withResolvers<void>();
  #heardAt: number;
  #stopped = false;
  #ended = false;
  #leftOut = false;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.log = options.log;
    this.#heardAt = options.monotonic();
    this.process = Promise.resolve(options.process);
    this.#translation = new AcpTranslation(options.costBefore);
    this.updates = new Feed({ most: MOST_WAITING, onStop: () => void this.cancel() });
    this.#requests = new AcpRequests(this.#translation, (update) => void this.updates.give(update));
    this.over = this.#over.promise;
  }

  get isOwn(): boolean {
    return this.#options.isOwn;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Tool calls that have begun and not ended. */
  get openTools(): ReadonlyMap<string, string> {
    return this.#translation.openTools;
  }

  /** Whether it waits for its owner. */
  get asks(): boolean {
    return this.#requests.waits;
  }

  heardAt(): number {
    return this.#heardAt;
  }

  /** A sign of life. */
  recordLife(): void {
    this.#heardAt = this.#options.monotonic();
  }

  async answer(id: string, reply: Reply): Promise<boolean> {
    const wire = this.#ended || this.#stopped ? null : this.#requests.answer(id, reply);
    if (wire === null) return false;
    this.log.writeNote(`answered ${id}: ${reply.kind}`);
    return this.#options.whenAnswerWritten(wire);
  }

  cancel(): Promise<void> {
    if (!this.#stopped && !this.#ended) {
      this.#stopped = true;
      this.#requests.close();
      this.#options.stop(this);
    }
    return this.over;
  }

  /** @param cut the bytes of an update whose long texts were not read; absent: all was */
  onUpdate(update: Fields, cut?: number): void {
    this.recordLife();
    this.emit(...this.#translation.translate(update, cut));
  }

  emit(...updates: Update[]): void {
    void this.updates.give(...updates);
  }

  /** @returns the result for the agent */
  askOwner(
    kind: "permission" | "elicitation",
    params: Fields,
    about: { wire: string; withdrawn: AbortSignal; cut?: number },
  ): Promise<Fields> {
    this.recordLife();
    return this.#requests.showRequest(kind, params, { ...about, isOurs: !this.#stopped });
  }

  /** Counts what was not understood. */
  strange(what: string): void {
    this.#translation.unknown.set(what, (this.#translation.unknown.get(what) ?? 0) + 1);
  }

  /** Reported once, because many lines may be refused. */
  leftOut(left: LineLeftOut): void {
    noteLeftOut(this.log, left);
    if (!this.#leftOut) this.emit(left);
    this.#leftOut = true;
  }

  /** The prompt's response has come. */
  conclude(response: Fields): void {
    this.emit(...this.#translation.flushHeld());
    const usage = this.#translation.conclude(response);
    if (Object.keys(usage).length > 0) this.emit({ kind: "usage", usage });
    this.end(this.#endFor(text(response["stopReason"])));
  }

  /** Something that the agent began by itself is over. */
  finish(): void {
    this.emit(...this.#translation.flushHeld());
    this.end(this.#endFor("end_turn"));
  }

  /** The only end; a later one has no effect. */
  end(end: TurnEnded): void {
    if (this.#ended) return;
    this.#ended = true;
    this.emit(...this.#translation.flushHeld(end.outcome === "failed" ? end : undefined));
    this.#requests.close();
    const strange = [...this.#translation.unknown].map(([what, times]) => `${what} ×${times}`);
    if (strange.length > 0) this.log.writeNote(`not understood: ${strange.join(", ")}`);
    this.updates.close(end);
    this.#over.resolve();
  }

  #endFor(stopReason: string): TurnEnded {
    const { failure, answer } = this.#translation;
    if (this.#stopped) return { kind: "end", outcome: "cancelled" };
    if (failure !== null)
      return { kind: "end", ...failureOf({ code: 0, message: failure.trim(), data: undefined }, this.#options.login) };
    // Some agents end their turn when they are refused something.
    if (stopReason === "cancelled" && !this.#requests.refusedAny)
      return failedTurn("E_CLI_EXIT_NONZERO", { because: "why_cancelled_itself" });
    const early = EARLY.find((why) => why === stopReason);
    if (early !== undefined) this.emit({ kind: "ended_early", why: early });
    else if (!["", "end_turn", "cancelled"].includes(stopReason))
      this.emit({ kind: "notice", code: "told", text: oneLine(stopReason.replaceAll("_", " ")) });
    return { kind: "end", outcome: "done", result: answer };
  }
}

/**
 * Whether an agent begins a turn by itself with this update. What belongs to an earlier turn, or to none, begins
 * nothing.
 */
export function begins(update: Fields): boolean {
  const kind = update["sessionUpdate"];
  if (kind === "tool_call") return update["status"] !== "completed" && update["status"] !== "failed";
  return kind === "agent_message_chunk" || kind === "agent_thought_chunk" || kind === "plan";
}

/** Agents that mark the end of such a turn, by the name they give themselves. */
const MARKING = new Set(["@agentclientprotocol/claude-agent-acp", "@agentclientprotocol/codex-acp"]);

export function marksEnds(agentName: string): boolean {
  return MARKING.has(agentName);
}

/**
 * Whether a turn that the agent began by itself ends with this update. Claude says of each result who prompted it,
 * Codex when it has nothing more to do; others say nothing.
 */
export function isEndOfOwnTurn(update: Fields): boolean {
  const told = inner(update, "_meta");
  if (update["sessionUpdate"] === "usage_update") {
    const kind = text(inner(told, "_claude/origin")["kind"]);
    return kind !== "" && kind !== "human";
  }
  return (
    update["sessionUpdate"] === "session_info_update" && inner(inner(told, "codex"), "threadStatus")["type"] === "idle"
  );
}

/* Ends a turn that the agent began by itself, when nothing of it is open and nothing has come for a while. */

const QUIET_MS = 10_000;
/** The same, once the agent was asked to end it, or a prompt waits for that. */
const SOON_MS = 1_000;

/** @returns shortens the quiet that is waited for; there is one watch, however often it is called */
export function watchQuiet(clock: Clock, turn: AcpTurn, finish: () => void): () => void {
  let limit = QUIET_MS;
  let forget = (): void => undefined;
  const look = (): void => {
    forget();
    if (turn.ended) return;
    const isOpen = !turn.stopped && (turn.asks || turn.openTools.size > 0);
    const left = isOpen ? limit : turn.heardAt() + limit - clock.monotonic();
    if (left <= 0) return finish();
    forget = clock.after(left, look);
  };
  void turn.over.then(() => forget());
  look();
  return () => {
    limit = SOON_MS;
    look();
  };
}

/*
 * What an agent does in the background of its session: tool calls that a turn left without an end, and the commands
 * that Claude let go on, whose calls end at once. When such a command ends, Claude says only that one of them has
 * ended.
 */

const STOPS = /^(?:KillShell|TaskStop)$/;

export class Background {
  /** By the call's id. */
  readonly #left = new Map<string, string>();
  /** By the task's id, the oldest first. */
  readonly #tasks = new Map<string, string>();
  readonly #titles = new Map<string, string>();

  get all(): string[] {
    return [...this.#left.values(), ...this.#tasks.values()];
  }

  /** These calls go on although their turn is over. */
  leave(calls: ReadonlyMap<string, string>): void {
    for (const [call, title] of calls) this.#left.set(call, title);
  }

  onUpdate(update: Fields): void {
    const told = inner(update, "_meta");
    if (update["sessionUpdate"] === "usage_update" && inner(told, "_claude/origin")["kind"] === "task-notification")
      return this.#endOldest();
    if (update["sessionUpdate"] !== "tool_call" && update["sessionUpdate"] !== "tool_call_update") return;
    const call = text(update["toolCallId"]);
    const title = text(update["title"]) || this.#titles.get(call) || "";
    const task = text(inner(inner(told, "claudeCode"), "toolResponse")["backgroundTaskId"]);
    if (task !== "") this.#tasks.set(task, title);
    if (STOPS.test(text(inner(told, "claudeCode")["toolName"])))
      for (const id of Object.values(inner(update, "rawInput"))) this.#tasks.delete(text(id));
    if (update["status"] !== "completed" && update["status"] !== "failed") return void this.#titles.set(call, title);
    this.#titles.delete(call);
    this.#left.delete(call);
  }

  #endOldest(): void {
    const [oldest] = this.#tasks.keys();
    if (oldest !== undefined) this.#tasks.delete(oldest);
  }
}

/*
 * Speaking into a running turn. The protocol has no request for that; some agents share an extension of it, which they
 * declare in `_meta.steering` when they are initialized: `_session/steering` puts a message into the running turn, and
 * the prompt's one response then ends both.
 */

/** Agents that declare it and were seen to do it; another one may do something else by the same name. */
const TRIED: ReadonlySet<unknown> = new Set([
  "@agentclientprotocol/claude-agent-acp",
  "@agentclientprotocol/codex-acp",
]);

/** @param hello the agent's answer to `initialize` */
export function canSteer(hello: Fields): boolean {
  return inner(inner(hello, "_meta"), "steering")["supported"] === true && TRIED.has(inner(hello, "agentInfo")["name"]);
}

/**
 * Whether the running turn has taken the message. An agent that is at no turn any more leaves it to us; one that
 * refuses it, or ends before it has answered, has not begun with it.
 */
export async function steer(connection: AcpConnection, sessionId: string, prompt: readonly Fields[]): Promise<boolean> {
  const answer = await connection
    .request("_session/steering", { sessionId, prompt, _meta: { steering: { idleBehavior: "promptRequired" } } })
    .catch(() => null);
  return answer?.["outcome"] === "injected";
}
