/**
 * One turn with an agent that speaks ACP: its process, its session, its prompt, and what it asks meanwhile. The turn ends
 * with the prompt's response; an agent that goes away before that has failed. Requests that belong to no turn are answered
 * with a no at once.
 */
import type { Clock } from "../../base/clock.ts";
import type { Child } from "../../host/processes/child.ts";
import { pause } from "../../host/processes/kill-ladder.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { Processes } from "../../host/processes/processes.ts";
import { which } from "../../host/processes/which.ts";
import type { Prompt, Reply, Turn } from "../contract/agent.ts";
import type { Opening } from "../contract/driver.ts";
import type { LineLeftOut, TurnEnded } from "../contract/updates.ts";
import { oneLine } from "../process/excerpts.ts";
import { failed, notStarted } from "../process/failed.ts";
import { type Fields, inner, text } from "../process/fields.ts";
import { noteLeftOut } from "../process/reading.ts";
import { refusedArgument } from "./arguments.ts";
import type { RecentOpenings } from "./recent-openings.ts";
import { Connection, rpcFailureOf, type Listener } from "./connection.ts";
import { failureOf, needsLogin } from "./errors.ts";
import { modeIn, setMode } from "./modes.ts";
import { NotOpened, NotResumed, openSession, type Session } from "./open-session.ts";
import { Requests } from "./requests.ts";
import { Translation } from "./translate.ts";
import { UpdateQueue } from "./update-queue.ts";

export interface AcpSetting {
  processes: Processes;
  clock: Clock;
  tool: string;
  /** A name to find in PATH or an absolute path, and its arguments. */
  command: readonly string[];
  install: string;
  login: string;
  /** Bellhop's own version. */
  version: string;
  /** Whether an agent that cannot be set to a mode that asks is used as it is. */
  asIs: boolean;
  /** For an agent that loses a session which is opened again too soon. */
  openings?: RecentOpenings;
}

/** For the process, the handshake and the session together. */
const START_MS = 30_000;
/** For an agent to end its turn after it was asked to. */
const CANCEL_MS = 5_000;
/** A replay may go on after the session is loaded: it is over when nothing came for so long. */
const QUIET_MS = 250;
/** For the session's end, and for the process to exit once its input is closed. */
const CLOSE_MS = 1_000;
const LINGER_MS = 2_000;
/** How much of an unreadable line is repeated in the log, and how many are. */
const NOTED_CHARS = 200;
const NOTED_LINES = 20;

export class AcpTurn implements Turn, Listener {
  readonly process: Promise<ProcessIdentity | null>;
  readonly updates: UpdateQueue;
  readonly over: Promise<void>;
  readonly #opening: Opening;
  readonly #prompt: Prompt;
  readonly #setting: AcpSetting;
  readonly #translation = new Translation();
  readonly #requests: Requests;
  readonly #child: Child | null;
  readonly #ended = Promise.withResolvers<void>();
  #connection: Connection | null = null;
  #session: Session | null = null;
  #phase: "opening" | "prompting" | "over" = "opening";
  #stopped: Promise<void> | null = null;
  #heardAt: number;
  #leftOut = false;
  #noted = 0;

  constructor(opening: Opening, prompt: Prompt, setting: AcpSetting) {
    this.#opening = opening;
    this.#prompt = prompt;
    this.#setting = setting;
    this.#heardAt = setting.clock.monotonic();
    this.updates = new UpdateQueue(() => void this.cancel());
    this.#requests = new Requests(this.#translation, (update) => this.updates.push(update));
    const started = this.#start();
    this.#child = "kind" in started ? null : started;
    this.process = Promise.resolve(this.#child?.identity ?? null);
    this.over = "kind" in started ? Promise.resolve(this.#end(started)) : this.#run(started);
  }

  heardAt(): number {
    return this.#heardAt;
  }

  async answer(id: string, reply: Reply): Promise<boolean> {
    const wire = this.#phase === "prompting" && this.#stopped === null ? this.#requests.answer(id, reply) : null;
    if (wire === null || this.#connection === null) return false;
    this.#prompt.log.note(`answered ${id}: ${reply.kind}`);
    return this.#connection.written(wire);
  }

  cancel(): Promise<void> {
    return (this.#stopped ??= this.#cancel());
  }

  room(): Promise<void> {
    return this.updates.room();
  }

  update(params: Fields): void {
    const update = inner(params, "update");
    if (this.#phase === "opening") {
      this.#heardAt = this.#setting.clock.monotonic();
      return this.#translation.before(update);
    }
    if (params["sessionId"] !== this.#session?.id) return this.strange("an update of another session");
    if (this.#phase === "over") return this.strange("an update after the turn's end");
    this.#heardAt = this.#setting.clock.monotonic();
    this.#watchMode(modeIn(update));
    this.updates.push(...this.#translation.take(update));
  }

  async ask(kind: "permission" | "elicitation", params: Fields, { id, withdrawn }: { id: string; withdrawn: AbortSignal }): Promise<Fields> {
    const isOurs = this.#phase === "prompting" && this.#stopped === null && params["sessionId"] === this.#session?.id;
    if (isOurs) this.#heardAt = this.#setting.clock.monotonic();
    else this.strange(`a request for ${kind} outside the turn`);
    return this.#requests.take(kind, params, { wire: id, withdrawn, isOurs });
  }

  answered(method: string): void {
    if (method === "session/prompt") this.#phase = "over";
  }

  strange(what: string, line?: string): void {
    this.#translation.unknown.set(what, (this.#translation.unknown.get(what) ?? 0) + 1);
    if (line === undefined || this.#noted >= NOTED_LINES) return;
    this.#noted += 1;
    this.#prompt.log.note(`${what}: ${JSON.stringify(line.slice(0, NOTED_CHARS))}`);
  }

  /** Reported once, because many lines may be refused. */
  leftOut(left: LineLeftOut): void {
    noteLeftOut(this.#prompt.log, left);
    if (!this.#leftOut) this.updates.push(left);
    this.#leftOut = true;
  }

  /** Does not wait before it spawns, so that cancelling a turn always finds the process. */
  #start(): Child | TurnEnded {
    const { command, processes, tool } = this.#setting;
    const { args, cwd, env } = this.#opening;
    const { log } = this.#prompt;
    const [name = "", ...before] = command;
    const file = which(name, env["PATH"]);
    if (file === null) return this.#notStarted(`${name} is not in PATH`);
    const refused = refusedArgument(args);
    if (refused !== null) return failed("E_ARGUMENT_REFUSED", { tool, argument: oneLine(refused) });
    const argv = [...before, ...args];
    log.note(`started: ${JSON.stringify([file, ...argv])} in ${JSON.stringify(cwd)}`);
    return processes.spawn({ file, args: argv, cwd, env, onStdout: (chunk) => log.stdout(chunk), onStderr: (chunk) => log.stderr(chunk) });
  }

  async #run(child: Child): Promise<void> {
    const connection = new Connection(child, this);
    this.#connection = connection;
    await this.#waitToReopen(child);
    const end = await this.#work(connection).catch((error: unknown) => this.#failed(error, child));
    this.#phase = "over";
    this.#end(end);
    if (this.#session?.closes === true) await this.#within(CLOSE_MS, connection.request("session/close", { sessionId: this.#session.id }).catch(() => undefined));
    child.finish(LINGER_MS);
    await child.gone;
    connection.close();
  }

  async #work(connection: Connection): Promise<TurnEnded> {
    const { version, asIs } = this.#setting;
    const opened = openSession({ connection, opening: this.#opening, version, asIs });
    const session = await this.#within(START_MS, opened);
    if (session === undefined) throw new NotOpened("protocol", `it did not open a session within ${START_MS / 1000} s`);
    this.#setting.openings?.note(session.id);
    if (session.replays) await this.#quiet();
    if (this.#stopped !== null) return { kind: "end", outcome: "cancelled" };
    this.#session = session;
    this.#phase = "prompting";
    this.#heardAt = this.#setting.clock.monotonic();
    if (session.asking === null && this.#opening.key === null) this.updates.push({ kind: "notice", code: "unknown_agent", text: session.modes?.current ?? "" });
    const response = connection.request("session/prompt", { sessionId: session.id, prompt: [{ type: "text", text: this.#prompt.text }] });
    // A session that never took a prompt is not worth resuming, and some agents lose it.
    this.updates.push({ kind: "session_key", key: session.id });
    return this.#concluded(await response);
  }

  async #waitToReopen(child: Child): Promise<void> {
    const { key } = this.#opening;
    const waitMs = key === null ? 0 : (this.#setting.openings?.wait(key) ?? 0);
    if (waitMs === 0) return;
    this.#prompt.log.note(`waits ${waitMs} ms: this agent loses a session that is opened twice within a minute`);
    await Promise.race([pause(this.#setting.clock, waitMs), child.exit]);
  }

  #concluded(response: Fields): TurnEnded {
    const usage = this.#translation.conclude(response);
    if (Object.keys(usage).length > 0) this.updates.push({ kind: "usage", usage });
    const { failure, answer } = this.#translation;
    const stopReason = text(response["stopReason"]);
    if (stopReason === "cancelled" && this.#stopped !== null) return { kind: "end", outcome: "cancelled" };
    if (failure !== null) return { kind: "end", ...failureOf({ code: 0, message: failure.trim() || "the model failed", data: undefined }, this.#setting.login) };
    // Some agents end their turn when they are refused something.
    if (stopReason === "cancelled" && !this.#requests.refusedAny) return failed("E_CLI_EXIT_NONZERO", { reason: "it cancelled the turn by itself" });
    if (stopReason !== "end_turn" && stopReason !== "cancelled") this.updates.push({ kind: "notice", code: "told", text: oneLine(stopReason.replaceAll("_", " ")) });
    return { kind: "end", outcome: "done", result: answer };
  }

  async #failed(error: unknown, child: Child): Promise<TurnEnded> {
    if (error instanceof NotResumed) return this.#notResumed(error, child);
    if (error instanceof NotOpened) return error.why === "resume" ? this.#unknown(error.message) : this.#notStarted(error.message);
    const refusal = rpcFailureOf(error);
    if (refusal !== null && this.#stopped !== null) return { kind: "end", outcome: "cancelled" };
    if (refusal !== null && this.#session === null && !needsLogin(refusal)) return this.#notStarted(refusal.message);
    if (refusal !== null) return { kind: "end", ...failureOf(refusal, this.#setting.login) };
    return this.#gone(child);
  }

  /** The agent's store does not have the session any more, or the agent itself is in the way. */
  async #notResumed({ refusal }: NotResumed, child: Child): Promise<TurnEnded> {
    const failure = rpcFailureOf(refusal);
    if (failure === null) return this.#gone(child);
    return needsLogin(failure) ? { kind: "end", ...failureOf(failure, this.#setting.login) } : this.#unknown(failure.message);
  }

  #unknown(reason: string): TurnEnded {
    return failed("E_RESUME_UNKNOWN", { resume: "unknown", session: oneLine(this.#opening.key ?? ""), reason: oneLine(reason) });
  }

  /** Its output ended without the response. */
  async #gone(child: Child): Promise<TurnEnded> {
    child.finish(LINGER_MS);
    const { code, signal, failure } = await child.exit;
    await child.gone;
    if (this.#stopped !== null) return { kind: "end", outcome: "cancelled" };
    if (failure !== null) return this.#notStarted(failure);
    const reason = oneLine(child.stderrTail().trim().split("\n").at(-1) ?? "") || (signal === null ? `it exited with code ${code ?? -1}` : `ended by ${signal}`);
    if (this.#session === null) return this.#notStarted(reason);
    return failed("E_CLI_EXIT_NONZERO", { reason, ...(signal === null ? { exit_code: code ?? -1 } : { signal }) });
  }

  #notStarted(reason: string): TurnEnded {
    return notStarted(this.#setting, oneLine(reason));
  }

  #end(end: TurnEnded): void {
    this.#requests.close();
    const strange = [...this.#translation.unknown].map(([what, times]) => `${what} ×${times}`);
    if (strange.length > 0) this.#prompt.log.note(`not understood: ${strange.join(", ")}`);
    this.updates.end(end);
    this.#ended.resolve();
  }

  async #cancel(): Promise<void> {
    this.#requests.close();
    const child = this.#child;
    if (child !== null && this.#session !== null && this.#connection !== null) {
      await this.#connection.notify("session/cancel", { sessionId: this.#session.id });
      await this.#within(CANCEL_MS, this.#ended.promise);
    }
    if (this.#phase !== "over") await child?.stop();
    await this.over;
  }

  /** An agent that leaves the mode in which it asks is set back to it. */
  #watchMode(mode: string | null): void {
    const { modes, asking, id } = this.#session ?? { modes: null, asking: null, id: "" };
    if (mode === null || modes === null || asking === null || asking.includes(mode) || this.#setting.asIs) return;
    const back = setMode(id, modes, modes.current);
    this.updates.push({ kind: "notice", code: "mode_set_back", text: mode });
    void this.#connection?.request(back.method, back.params).catch(() => void this.cancel());
  }

  async #quiet(): Promise<void> {
    const { clock } = this.#setting;
    this.#heardAt = clock.monotonic();
    for (let left = QUIET_MS; left > 0; left = this.#heardAt + QUIET_MS - clock.monotonic()) await pause(clock, left);
  }

  /** Undefined if it takes longer. */
  async #within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
    return Promise.race([promise, pause(this.#setting.clock, ms).then(() => undefined)]);
  }
}
