/**
 * A living Claude: one process of `claude -p` that takes prompt after prompt on its stdin. Which turn a line belongs to
 * is told by the ids of our prompts (`command_lifecycle`), never by counting results: what Claude begins by itself,
 * because something in the background has ended, has a result too.
 */
import { randomUUID } from "node:crypto";
import type { Child, Exit } from "../../host/processes/child.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { OutputLine } from "../../host/processes/pipes.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import { withTimeout } from "../../base/clock.ts";
import { BellhopError } from "../../base/errors.ts";
import type { AgentFacts, Choice } from "../../core/sessions/told.ts";
import type { Agent, ChosenSettings, Prompt, Steered, Turn, Opening } from "../contract/driver.ts";
import { type Program, type ProcessSetting, asOffered, failedTurn } from "../process/dialect.ts";
import { oneLine, type Fields, inner, jsonLine, parseLine, records, text } from "../process/fields.ts";
import { Feed } from "../process/reading.ts";
import { ModeGuard } from "./arguments.ts";
import type { PendingClaudeRequest } from "./requests.ts";
import { Steers, ClaudeTurn, type ClaudeConversation } from "./turn.ts";
import { Shell, Subagents, blocksOf } from "./messages.ts";
import { excerpt } from "../../base/text.ts";
import { withShortStrings } from "../../base/json-size.ts";

const MOST_COMMANDS = 500;
const DESCRIPTION_CHARS = 80;

/** Kinds of lines that begin a turn which nobody prompted. */
const BEGINNINGS = new Set(["assistant", "stream_event", "control_request"]);

/** Kinds of lines that come only after Claude has named the prompt, if it names prompts. */
const ANSWERS = new Set(["assistant", "stream_event", "result"]);

export interface ClaudeAgentOptions {
  program: Program;
  setting: ProcessSetting;
  opening: Opening;
  child: Child;
  notes: readonly string[];
}

export class ClaudeAgent implements Agent {
  readonly process: ProcessIdentity | null;
  readonly between = new Feed<Turn>();
  readonly gone: Promise<void>;
  readonly #conversation: ClaudeConversation;
  readonly #setting: ProcessSetting;
  readonly #child: Child;
  readonly #log: JobLog;
  /** For the log of the first turn: how the process was started. */
  #notes: readonly string[];
  #resume: string | null;
  #current: ClaudeTurn | null = null;
  /** Prompted while a turn of Claude's own is current. */
  #next: ClaudeTurn | null = null;
  readonly #mode: ModeGuard;
  /** What it was told or started with last. */
  #settings: ChosenSettings;
  /** What it tells of itself. */
  #told: AgentFacts = {};
  /** Requests of ours that it has not answered. */
  readonly #asked = new Map<string, (response: Fields) => void>();
  /** What was written to Claude while it was at a turn, and where it stands. */
  readonly #steers: Steers;
  #background: readonly string[] = [];
  /** Turns that have not ended. */
  readonly #open = new Set<ClaudeTurn>();
  #turns = 0;
  /** Claude names our prompts in its lines; an earlier version does not. */
  #names = false;
  /** Whether it does, once that is known: an answer that comes before any name says that it does not. */
  readonly #naming = Promise.withResolvers<boolean>();
  #exit: Exit | null = null;
  /** Resolves when its process has outlived what was sent to it to end a turn, or is gone. */
  #outlived = Promise.resolve();

  constructor({ program, setting, opening, child, notes }: ClaudeAgentOptions) {
    this.#setting = setting;
    this.#log = opening.log;
    this.#resume = opening.key;
    this.#child = child;
    this.#notes = notes;
    this.process = child.identity;
    this.#mode = new ModeGuard(opening.args, {
      clock: setting.clock,
      withinMs: setting.controlMs,
      setBack: (request, mode) => this.#setBack(request, mode),
      onModeChanged: (mode) => {
        this.#current?.emit({ kind: "mode", mode, by: "agent", changed: true });
        this.#current?.emit({ kind: "notice", code: "mode_changed", text: mode });
      },
      onModeNotRestored: (mode) => this.#unguarded(mode),
    });
    this.#settings = opening.settings ?? {};
    this.#steers = new Steers(setting.clock, () => void child.stop());
    this.#conversation = {
      program,
      child,
      clock: setting.clock,
      subagents: new Subagents(),
      shell: new Shell(),
      interrupt: (turn) => this.#interrupt(turn),
      steer: (prompt, takenBack) => this.#steer(prompt, takenBack),
    };
    this.gone = this.#listen();
  }

  /** The log for what it writes now. */
  get log(): JobLog {
    return this.#current?.log ?? this.#log;
  }

  get background(): readonly string[] {
    return this.#background;
  }

  heardAt(): number {
    return this.#child.heardAt();
  }

  facts(): AgentFacts {
    return { ...this.#told, ...(this.#names && { mode: this.#mode.current }) };
  }

  /** Claude takes any model and any effort: what it has is read back, and an unknown model fails with the next prompt. */
  async choose(what: Choice, id: string): Promise<string> {
    if (what === "mode") {
      const takeBack = this.#mode.expectMode(id);
      const answer = await this.#ask({ subtype: "set_permission_mode", mode: id });
      if (answer?.["subtype"] === "success") return id;
      takeBack();
      throw new BellhopError("E_MODE_UNAVAILABLE", { mode: id });
    }
    if (what === "model") {
      const answer = await this.#ask({ subtype: "set_model", model: id });
      if (answer?.["subtype"] !== "success") throw new BellhopError("E_MODEL_UNAVAILABLE", { model: id });
      this.#settings = { ...this.#settings, model: id };
      this.#told = { ...this.#told, model: text(inner(answer, "response")["model"]) || id };
      return id;
    }
    await this.#ask({ subtype: "apply_flag_settings", settings: { effortLevel: id } });
    const { effort } = inner(inner((await this.#ask({ subtype: "get_settings" })) ?? {}, "response"), "applied");
    if (effort !== id) throw new BellhopError("E_EFFORT_UNAVAILABLE", { effort: id });
    this.#settings = { ...this.#settings, effort: id };
    this.#told = { ...this.#told, effort: id };
    return id;
  }

  prompt({ text: words, log, model, effort }: Prompt): Turn {
    const uuid = randomUUID();
    const turn = this.#turn(uuid, log);
    for (const note of this.#notes) log.writeNote(note);
    this.#notes = [];
    if (this.#turns === 1) {
      void this.#write(this.#mode.request());
      void this.#ask({ subtype: "initialize" }).then((answer) => this.#introduce(inner(answer ?? {}, "response")));
    }
    if (this.#current?.ended) this.#advance();
    if (this.#exit !== null) turn.fail(this.#exit, this.#turns > 1);
    else if (this.#current === null) this.#current = turn;
    else this.#next = turn;
    void this.#settle({ model, effort }).then(
      () => this.#say(words, uuid),
      (error: unknown) => this.#refuse(turn, error),
    );
    return turn;
  }

  /** Sets what its owner has chosen since the last prompt. @throws BellhopError for what it does not take */
  async #settle({ model, effort }: ChosenSettings): Promise<void> {
    if (model !== undefined && model !== this.#settings.model) await this.choose("model", model);
    // Another model may have other efforts.
    if (effort !== undefined && effort !== this.#settings.effort)
      await this.choose("effort", effort).catch(() => undefined);
  }

  /** A new process is given the same as arguments, so it may work there at once. */
  #refuse(turn: ClaudeTurn, error: unknown): void {
    const { code, details } = error instanceof BellhopError ? error : new BellhopError("E_INTERNAL");
    turn.break(failedTurn(code, { ...details, temporary: true }));
    if (this.#current === turn) this.#advance();
    else if (this.#next === turn) this.#next = null;
  }

  #introduce({ commands, models }: Fields): void {
    const offered = records(models);
    this.#told = {
      ...this.#told,
      ...(offered.length > 0 && {
        models: offered.map((one) => ({
          id: text(one["value"]),
          name: text(one["displayName"]) || text(one["value"]),
        })),
      }),
      ...effortsOf(offered, this.#told.model),
      ...(Array.isArray(commands) && {
        commands: records(commands)
          .slice(0, MOST_COMMANDS)
          .map((one) => ({
            name: oneLine(text(one["name"])),
            // Those of skills are long, and all of them are kept with each session.
            description: excerpt(oneLine(text(one["description"])), DESCRIPTION_CHARS),
            hint: oneLine(text(one["argumentHint"])),
          }))
          .filter(({ name }) => name !== ""),
      }),
    };
  }

  /** Resolves with its answer; null: it gave none in time. */
  async #ask(request: Fields): Promise<Fields | null> {
    const request_id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Fields>();
    this.#asked.set(request_id, resolve);
    const isWritten = await this.#write({ type: "control_request", request_id, request });
    const answer = isWritten ? await withTimeout(this.#setting.clock, this.#setting.controlMs, promise) : undefined;
    this.#asked.delete(request_id);
    return answer ?? null;
  }

  /** Refused by a Claude that does not name our prompts: what becomes of the line could not be followed. */
  async #steer({ text: words, log, name: uuid = randomUUID() }: Prompt, takenBack?: Promise<void>): Promise<Steered> {
    if (!(await this.#naming.promise) || this.#exit !== null) return { kind: "refused" };
    const sent = this.#steers.send(uuid, log, () => this.#say(words, uuid));
    void takenBack?.then(() => this.#drop(uuid));
    return sent;
  }

  /** Claude drops a line that it has not begun with, and says so. */
  #drop(uuid: string): void {
    const log = this.#steers.logOf(uuid);
    log?.writeNote("asked to drop it");
    if (log)
      void this.#write({
        type: "control_request",
        request_id: randomUUID(),
        request: { subtype: "cancel_async_message", message_uuid: uuid },
      });
  }

  close(how?: "now"): Promise<void> {
    if (how === "now") return this.#child.kill().then(() => this.gone);
    this.#child.input?.close();
    const forget = this.#setting.clock.after(this.#setting.lingerMs, () => void this.#child.stop());
    return this.gone.finally(forget);
  }

  #turn(uuid: string | null, log: JobLog): ClaudeTurn {
    this.#turns += 1;
    const turn = new ClaudeTurn(this.#conversation, { uuid, resume: this.#resume, log });
    this.#resume = null;
    this.#open.add(turn);
    this.#steers.turnBegun();
    void turn.over.then(() => {
      this.#open.delete(turn);
      this.#steers.turnOver();
    });
    return turn;
  }

  async #listen(): Promise<void> {
    for await (const line of this.#child.lines) await this.#onLine(shortenLine(line));
    await this.#child.gone;
    this.#exit = await this.#child.exit;
    this.between.close();
    this.#steers.refuseAll();
    this.#naming.resolve(false);
    const isFirst = this.#turns <= 1;
    for (const turn of this.#open) turn.fail(this.#exit, !isFirst);
    this.#current = this.#next = null;
  }

  async #onLine(line: OutputLine): Promise<void> {
    const message = "bytes" in line ? parseLine(line.bytes.toString()) : null;
    if (message?.["type"] === "command_lifecycle") return this.#onPromptState(message);
    if (message !== null && ANSWERS.has(text(message["type"]))) this.#naming.resolve(false);
    if (message?.["type"] === "control_response") return this.#onControlResponse(message);
    if (message?.["subtype"] === "background_tasks_changed")
      this.#background = records(message["tasks"]).map(({ description, task_id }) =>
        oneLine(text(description) || text(task_id)),
      );
    if (this.#current?.ended) this.#advance();
    if (this.#current === null && message !== null && begins(message)) this.#beginByItself();
    if (this.#current?.isAside && message !== null && isOwn(message)) this.#current.begun = true;
    if (message !== null) this.#mode.readLine(message);
    if (message?.["subtype"] === "init" && text(message["model"]) !== "")
      this.#told = { ...this.#told, model: text(message["model"]) };
    const turn = this.#current;
    if (turn === null) return;
    if (message?.["type"] === "result" && this.#belongsToOwnTurn(turn))
      return this.#log.writeNote("a result of no turn that was prompted");
    await turn.onLine(line);
    if (turn.ended && this.#current === turn) this.#advance();
  }

  /**
   * Whether a result now is of something that Claude began by itself; before its first prompt there is no such thing.
   */
  #belongsToOwnTurn(turn: ClaudeTurn): boolean {
    return this.#names && this.#turns > 1 && turn.uuid !== null && !turn.begun;
  }

  /** What Claude does by itself is a turn like any other. */
  #beginByItself(left: readonly PendingClaudeRequest[] = []): void {
    const turn = this.#turn(null, this.#log);
    turn.carryOver(left);
    this.#current = turn;
    void this.between.give(turn);
  }

  /** A subagent that waits for its owner is asked about in a turn of its own. */
  #advance(): void {
    const left = this.#current?.left ?? [];
    this.#current = null;
    if (left.length > 0) return this.#beginByItself(left);
    this.#current = this.#next;
    this.#next = null;
  }

  /** Claude says where one of our prompts stands. */
  #onPromptState(message: Fields): void {
    this.#names = true;
    this.#naming.resolve(true);
    const uuid = text(message["command_uuid"]);
    const log = this.#steers.logOf(uuid);
    if (log !== undefined) return this.#steered(uuid, text(message["state"]), log);
    if (message["state"] !== "started") return;
    const turn = [this.#current, this.#next].find((one) => one?.uuid === uuid);
    if (!turn) return;
    turn.begun = true;
    if (turn === this.#next) this.#takeUp(turn);
    if (turn.stopped) this.#askToStop(turn);
  }

  /**
   * A prompt is begun while Claude is at something by itself. What subagents ask meanwhile does not hold it up; a turn
   * of Claude's own that has read it ends here, because one result is the end of both.
   */
  #takeUp(turn: ClaudeTurn): void {
    const before = this.#current;
    [this.#current, this.#next] = [turn, null];
    if (before === null || before.isAside) return;
    before.break({ kind: "end", outcome: "done", result: "" });
    turn.carryOver(before.left);
  }

  /** Claude says where a line stands that was written to it during a turn. */
  #steered(uuid: string, state: string, log: JobLog): void {
    if (state === "cancelled") return this.#steers.settleSteer(uuid, { kind: "refused" });
    if (state !== "started") return;
    const current = this.#current;
    if (current !== null && !current.ended && !current.isAside)
      return this.#steers.settleSteer(uuid, { kind: "taken", by: current });
    const turn = this.#turn(uuid, log);
    turn.begun = true;
    this.#current = turn;
    this.#steers.settleSteer(uuid, { kind: "begun", turn });
  }

  #onControlResponse(message: Fields): void {
    const response = inner(message, "response");
    const { request_id, subtype } = response;
    this.#asked.get(text(request_id))?.(response);
    this.#log.writeNote(`answered by Claude: ${text(subtype)} to ${text(request_id)}`);
    this.#mode.readLine(message);
  }

  #interrupt(turn: ClaudeTurn): void {
    this.#askToStop(turn);
    const forget = this.#setting.clock.after(
      this.#setting.controlMs,
      () => (this.#outlived = this.#child.interrupt(turn.over)),
    );
    void turn.over.then(forget);
  }

  /** An interrupt that comes before its prompt was begun has no effect; `#named` repeats it. */
  #askToStop(turn: ClaudeTurn): void {
    turn.log.writeNote("asked to stop");
    void this.#write({ type: "control_request", request_id: randomUUID(), request: { subtype: "interrupt" } });
  }

  async #say(words: string, uuid: string): Promise<boolean> {
    await this.#outlived;
    return this.#write({ type: "user", message: { role: "user", content: [{ type: "text", text: words }] }, uuid });
  }

  #setBack(request: Fields, mode: string): void {
    this.#current?.emit({ kind: "notice", code: "mode_set_back", text: mode });
    void this.#write(request);
  }

  /** What runs now may not have been asked about, so nothing more may. */
  #unguarded(mode: string): void {
    this.#current?.break(failedTurn("E_AGENT_UNGUARDED", { mode }), true);
    void this.#child.kill();
  }

  #write(line: Fields): Promise<boolean> {
    return this.#child.input?.write(jsonLine(line)) ?? Promise.resolve(false);
  }
}

/** The efforts of the model that it has; of all of them, where that is not among them. */
function effortsOf(models: readonly Fields[], current: string | undefined): Pick<AgentFacts, "efforts"> {
  const its = models.filter(({ value, resolvedModel }) => value === current || resolvedModel === current);
  const all = (its.length > 0 ? its : models).flatMap(({ supportedEffortLevels: levels }) =>
    Array.isArray(levels) ? levels.filter((one) => typeof one === "string") : [],
  );
  return all.length === 0 ? {} : { efforts: asOffered([...new Set(all)]) };
}

/** What a subagent does is no turn; only what it asks is. */
function begins(message: Fields): boolean {
  if (typeof message["parent_tool_use_id"] === "string") return false;
  return BEGINNINGS.has(text(message["type"])) || (message["type"] === "system" && message["subtype"] === "init");
}

/** Whether Claude itself speaks, and none of its subagents. */
function isOwn(message: Fields): boolean {
  return message["type"] !== "control_request" && begins(message);
}

/*
 * Claude's longest lines, made short before they are parsed, where nothing but what they are about is wanted: a
 * request, which nobody could be shown, and a tool's call and its result. Text that Claude says is never cut.
 */

/** No request that can be shown is longer, not even with every second character escaped. */
const LONG_BYTES = 2_000_000;

/** How a request begins that was too long to be kept. */
const REQUEST =
  /^\{"type":"control_request","request_id":("[\w-]{1,200}"),"request":\{("subtype":"(?:can_use_tool","tool_name|elicitation","mcp_server_name)":"[\w.-]{1,200}")/;

/** The line itself, or a short one in its place that says how long it was. */
export function shortenLine(line: OutputLine): OutputLine {
  if ("dropped" in line) {
    const [, id, what] = REQUEST.exec(line.beginning.toString()) ?? [];
    if (id === undefined) return line;
    return {
      bytes: Buffer.from(`{"type":"control_request","request_id":${id},"request":{${what},"input":{}}}`),
      cut: line.dropped,
    };
  }
  const { length } = line.bytes;
  const bytes = length > LONG_BYTES ? withShortStrings(line.bytes) : null;
  const message = bytes === null ? null : parseLine(bytes.toString());
  return bytes !== null && message !== null && saysNothing(message) ? { bytes, cut: length } : line;
}

function saysNothing(message: Fields): boolean {
  if (message["type"] === "control_request")
    return ["can_use_tool", "elicitation"].includes(text(inner(message, "request")["subtype"]));
  if (message["type"] !== "assistant" && message["type"] !== "user") return false;
  return blocksOf(message).every(({ type }) => type === "tool_use" || type === "tool_result");
}
