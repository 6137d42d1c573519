/**
 * A core to try things on: it steps, checks after every step that the recorded events alone make the same state,
 * and that nothing in the state hangs on an event's own objects (they are frozen to the bottom).
 */
import { theirWords } from "../../src/base/errors.ts";
import { expect } from "vitest";
import {
  isOpen,
  type AnsweredDecision,
  type AskCommand,
  type Decision,
  type OpenDecision,
  type SettledDecision,
  type UnansweredDecision,
  type VoidDecision,
} from "../../src/core/decisions/decision.ts";
import { decideAndEvolve } from "../../src/core/decider.ts";
import type { Command } from "../../src/core/slices.ts";
import { emptyState, FORMAT, type RecordedEvent, type State } from "../../src/core/state.ts";
import { evolve } from "../../src/core/evolve.ts";
import { GRANT_MS } from "../../src/core/decisions/grant.ts";
import type { Rules } from "../../src/core/jobs/job.ts";
import type { Progress } from "../../src/core/jobs/run.ts";

export const rules: Rules = {
  max_queue_per_session: 20,
  global_max_running: 2,
  after_crash: "wait",
  resume_after_limit: "ask",
  max_prompt_chars: 200_000,
};
export const AT = "2026-02-26T14:00:00.000Z";

export class Scene {
  /** As after an earlier start of this version. */
  state: State = { ...emptyState(), version: FORMAT };
  readonly events: RecordedEvent[] = [];
  replayed: State = { ...emptyState(), version: FORMAT };
  /** Where in `events` what was written together last begins. */
  #written = 0;
  rules: Rules;
  now = Date.parse(AT);

  constructor(change: Partial<Rules> = {}) {
    this.rules = { ...rules, ...change };
  }

  /** Steps, a second after the last one, and returns what happened. */
  do(command: Command): RecordedEvent[] {
    const at = new Date((this.now += 1000)).toISOString();
    const happened = decideAndEvolve(this.state, freeze(structuredClone(command)), { at, rules: this.rules }).map(
      freeze,
    );
    for (const event of happened) evolve(this.replayed, event);
    if (happened.length > 0) this.#written = this.events.length;
    this.events.push(...happened);
    return happened;
  }

  /** A crash that keeps only so many of the events written together last. */
  crash(kept: number): void {
    this.events.splice(this.#written + kept);
    this.#written = this.events.length;
    this.state = emptyState();
    this.replayed = emptyState();
    for (const event of this.events) for (const state of [this.state, this.replayed]) evolve(state, event);
  }

  /** The types of what happens. */
  types(command: Command): string[] {
    return this.do(command).map((event) => event.type);
  }

  /** A project `app` with claude and codex, and a session for each thread id. */
  withSessions(...threadIds: string[]): this {
    if (!this.state.projects["app"]) this.do(createApp);
    for (const thread_id of threadIds) {
      this.do({
        type: "start_session",
        request_id: `r${thread_id}`,
        project_name: "app",
        channel_id: CHANNEL,
        guild_id: "3",
        bot_id: "4",
      });
      this.do({ type: "open_session", request_id: `r${thread_id}`, thread_id });
    }
    this.#written = this.events.length;
    return this;
  }

  hear(
    thread_id: string,
    discord_message_id: string,
    prompt = "do it",
    refused: string[] = [],
    files: string[] = [],
  ): RecordedEvent[] {
    const refused_files = refused.map((name) => ({ name, why: "not_taken" }));
    return this.do({
      type: "hear",
      thread_id,
      discord_message_id,
      prompt,
      files: files.map((path) => ({ path, sha256: "0a" })),
      refused_files,
      reply_to: null,
    });
  }

  /** The job's agent answers and is gone. */
  finish(job_id: string): void {
    this.complete(job_id);
    this.do({ type: "progress", job_id, progress: { kind: "gone" } });
  }

  complete(job_id: string): RecordedEvent[] {
    return this.do({
      type: "complete",
      job_id,
      result_excerpt: "said",
      result_sha256: "0".repeat(64),
      model: "m",
      usage: { input_tokens: 1 },
    });
  }

  fail(job_id: string): RecordedEvent[] {
    return this.do({
      type: "fail",
      job_id,
      code: "E_CLI_EXIT_NONZERO",
      details: { reason: theirWords("it broke"), exit_code: 1 },
      result_excerpt: null,
      result_sha256: null,
      model: null,
      usage: null,
    });
  }

  /** The job's agent asks for a permission, which holds for a day if it is given for the session. */
  ask(...asked: Parameters<Scene["askCommand"]>): RecordedEvent[] {
    return this.do(this.askCommand(...asked));
  }

  askCommand(job_id: string, decision_id: string, pages = 1, change: Partial<AskCommand> = {}): AskCommand {
    const options = ["Allow once", "Allow for this session", "Deny"].map((label) => ({ label, description: "" }));
    return {
      type: "ask",
      decision_id,
      kind: "permission",
      thread_id: this.state.jobs[job_id]?.thread_id ?? "none",
      asker: { by: "job", job_id, request_id: decision_id },
      context: "",
      lapses_at: null,
      questions: [{ question: "", header: "", options, many: false, words: false }],
      subject: {
        tool: "Bash",
        title: "ls",
        sha256: SHA,
        pages,
        grant_until: new Date(this.now + 1000 + GRANT_MS).toISOString(),
      },
      ...change,
    };
  }

  plan(job_id: string, decision_id: string, pages = 1): RecordedEvent[] {
    const options = ["Approve", "Reject"].map((label) => ({ label, description: "" }));
    const questions = [{ question: "", header: "", options, many: false, words: false }];
    return this.ask(job_id, decision_id, pages, { kind: "plan", questions });
  }

  /** Its prompt stands in Discord. */
  show(decision_id: string, message_id: string): RecordedEvent[] {
    return this.post(decision_id, message_id, "prompt");
  }

  press(decision_id: string, places: number[], words: string | null = null, question = 0): RecordedEvent[] {
    const sha256 = this.state.decisions[decision_id]?.subject?.sha256 ?? null;
    return this.do({ type: "answer", decision_id, question, answer: { places, words }, sha256 });
  }

  /** There is a thread for what was asked through MCP. */
  place(decision_id: string, thread_id: string, since = thread_id): RecordedEvent[] {
    return this.do({
      type: "place_decision",
      decision_id,
      thread_id,
      channel_id: CHANNEL,
      guild_id: "3",
      bot_id: "4",
      since,
    });
  }

  /** The owner writes, in reply to a message. */
  reply(thread_id: string, discord_message_id: string, prompt: string, reply_to: string): RecordedEvent[] {
    return this.do({ type: "hear", thread_id, discord_message_id, prompt, files: [], refused_files: [], reply_to });
  }

  /** Somebody asks through MCP, each question with the options A and B; nobody has made a thread for it yet. */
  question(
    decision_id: string,
    questions: string[],
    lapses_at: string | null = null,
    change: Partial<AskCommand> = {},
  ): RecordedEvent[] {
    const options = ["A) Now", "B) Later"].map((label) => ({ label, description: "" }));
    return this.do({
      type: "ask",
      decision_id,
      kind: "question",
      thread_id: null,
      context: "",
      lapses_at,
      subject: null,
      asker: {
        by: "mcp",
        project: "app",
        pending_dir: "/p",
        timeout_seconds: null,
        wanted_thread: null,
        channel_id: CHANNEL,
        bot_id: "4",
      },
      questions: questions.map((question) => ({ question, header: "", options, many: false, words: true })),
      ...change,
    });
  }

  /** The notice of how a job ended stands in Discord. */
  post(subject: string, message_id: string | null, part = "end"): RecordedEvent[] {
    return this.do({
      type: "record_post",
      subject,
      part,
      channel_id: this.state.decisions[subject]?.thread_id ?? "9",
      message_id,
      hash: "h",
      is: "said",
    });
  }

  /** The daemon died and is back, and what waited was looked up again. */
  restart(): RecordedEvent[] {
    const restarted = this.do({ type: "restart" });
    const stale = Object.values(this.state.threads).filter((thread) => thread.stale);
    return [...restarted, ...stale.flatMap(({ thread_id }) => this.do({ type: "queue_checked", thread_id }))];
  }

  /** How the agent fares. */
  learn(job_id: string, progress: Progress): string[] {
    return this.types({ type: "progress", job_id, progress });
  }

  running(): string[] {
    return Object.values(this.state.sessions).flatMap(({ running_job_id }) => running_job_id ?? []);
  }

  /** What was recorded, read by nobody but `evolve`, is the same state, and survives being copied. */
  checkReplay(): void {
    expect(this.replayed).toEqual(this.state);
    expect(frozenIn(this.replayed, "state")).toEqual([]);
    expect(structuredClone(this.state)).toEqual(this.state);
    expect(JSON.parse(JSON.stringify(this.state))).toEqual(this.state);
  }
}

/** How a decision ended. */
type End =
  | Pick<AnsweredDecision, "state" | "settled_by" | "answers">
  | Pick<UnansweredDecision, "state">
  | Pick<VoidDecision, "state" | "voided">;

/** What has become of an open decision. */
export function settledAs(open: OpenDecision, end: End, settled_at = AT): SettledDecision {
  const { meanwhile: _meanwhile, told_over: delivered, ...known } = open;
  return { ...known, settled_at, delivered, ...end };
}

/** Whether it has ended and its asker knows. */
export function isDelivered(decision: Decision | undefined): boolean {
  return decision !== undefined && !isOpen(decision) && decision.delivered;
}

/** Of what every permission here would do. */
export const SHA = "0".repeat(64);
export const CHANNEL = "100000000000000002";
export const T1 = "100000000000000010";
export const T2 = "100000000000000020";
export const T3 = "100000000000000030";

/** The message id that comes so many after a thread's birth. */
export function message(number: number): string {
  return `1000000000000${String(10_000 + number)}`;
}

export const createApp = {
  type: "create_project",
  project: {
    name: "app",
    path: "/srv/app",
    enabled_tools: ["claude", "codex"],
    default_tool: "claude",
    default_args: { claude: ["--model", "opus"], codex: [] },
  },
} satisfies Command;

export const job = (number: number): string => `job_20260226_${String(number).padStart(4, "0")}`;

/** Where the state holds an object of an event's: those are frozen, its own are not. */
function frozenIn(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  const within = Object.entries(value).flatMap(([key, inner]) => frozenIn(inner, `${path}.${key}`));
  return Object.isFrozen(value) ? [path, ...within] : within;
}

export function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}
