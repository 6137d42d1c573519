/**
 * Which sessions have a live agent: at most one each. It is opened for a prompt, goes on for the next one if it would
 * be opened the same now, is put to sleep when it has idled for long or when too many idle, and wakes by resuming its
 * conversation. What it does in the background keeps it awake; of all this, only that is in the journal.
 */
import { randomBytes } from "node:crypto";
import { type Clock, isoTime } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Engine } from "../../engine/engine.ts";
import { lockedSince } from "../../core/jobs/lock.ts";
import type { AgentFacts, Choice, CommandOffered, Offered } from "../../core/sessions/told.ts";
import type { LiveAgent, SessionAgents } from "../../engine/live.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import { residentBytes } from "../../host/processes/process-table.ts";
import type { Agent, ConversationWanted, Driver } from "../contract/driver.ts";

export interface LiveDependencies extends OutsideTurns {
  engine: Engine;
  clock: Clock;
  log: Log;
  /** The agent's whole environment; `mark` finds every process of it. */
  environment(session: { thread_id: string; tool: string }, mark: string, capability?: string): Record<string, string>;
  /** For the clients that the agent starts; undefined if there is no socket. */
  capability(place: Readonly<OutsidePlace>): { capability: string; revoke(): void } | undefined;
  /** For what an agent writes between its turns. */
  openSessionLog(thread_id: string): JobLog;
  /** How many may idle, for how long, and how long background work may keep one awake without a sign of life. */
  idleLimits(): { agents: number; idleMs: number; backgroundMs: number };
}

/** What becomes of what agents do without a job. */
export interface OutsideTurns {
  /**
   * Attends the turns that the session's agent begins by itself, and one that an earlier daemon left running, until it
   * is gone. Never rejects.
   * @param stopping whether the daemon is stopping
   */
  followOutsideTurns(place: OutsidePlace, agent: Agent, stopping: () => boolean): Promise<void>;
  /** Keeps what the session's agent does in the background now. Never rejects. */
  background(place: OutsidePlace, what: readonly string[]): Promise<void>;
  /** Keeps what the session's agent told of itself. Never rejects. */
  recordFacts(place: OutsidePlace, told: AgentFacts): Promise<void>;
  /**
   * Tells the session's thread what its agent still did in the background when its process ended. Never rejects.
   * @param silent it was ended because none of it had given a sign of life for too long
   */
  reportLostWork(place: OutsidePlace, what: readonly string[], silent: boolean): Promise<void>;
}

/** The session whose agent it is. */
export interface OutsidePlace {
  /** Of one that was started before its thread is made: the request's id until then. */
  thread_id: string;
  tool: string;
  /** The agent's directory, absolute. */
  cwd: string;
}

/** The conversation that a job needs. */
export interface ConversationRequest extends ConversationWanted {
  job_id: string;
  thread_id: string;
  /** The configuration of the project that its owner has seen; another one is read only by a new process. */
  configuration: string | null;
}

export interface LivingAgents extends SessionAgents {
  /** The conversation for the session's next prompt: at once if its agent lives and goes on. */
  open(driver: Driver, wanted: ConversationRequest): Agent | Promise<Agent>;
  /**
   * The session's turn is over. Resolves when the next one may begin: at once if its agent idles, else when it is gone.
   * @param key what its conversation is resumed by
   */
  afterTurn(thread_id: string, key: string | null): Promise<void>;
  /**
   * The thread of an agent that was opened for a request, and rests, is made. The agent goes on as the session's.
   * @param folders the session's
   */
  assignThread(requestId: string, threadId: string, folders: readonly string[]): void;
  /** Puts all to sleep; none is opened after it. */
  close(): Promise<void>;
}

interface One {
  place: OutsidePlace;
  agent: Agent;
  driver: Driver;
  wanted: ConversationRequest;
  /** Its thread is not made yet. */
  isEarly: boolean;
  /** What it was opened with, and its program then; if one would differ now, the agent is opened anew. */
  likeness: string;
  program: string | null;
  key: string | null;
  since: string;
  /** On the monotonic clock; null while it works. */
  idleSince: number | null;
  /** Whether it can take a prompt. */
  isOpen: boolean;
  unsubscribe: () => void;
  /** What it did in the background when that was last kept. */
  kept: readonly string[];
  /** What it still did in the background when it was closed; null: it was not closed. */
  lost: { what: readonly string[]; silent: boolean } | null;
  /** Resolves when all that it did by itself is recorded, and what ended with it is told, after it is gone. */
  followed: Promise<void>;
  /** Resolves when it is gone, before which no other is opened for its session; null: it is not being ended. */
  ending: Promise<void> | null;
}

export function openLivingAgents(dependencies: LiveDependencies): LivingAgents {
  return new AgentPool(dependencies);
}

class AgentPool implements LivingAgents {
  readonly #needs: LiveDependencies;
  readonly #all = new Map<string, One>();
  /** By tool. */
  readonly #offered = new Map<string, Partial<Record<Choice, readonly Offered[]>>>();
  readonly #commands = new Map<string, readonly CommandOffered[]>();
  /** By session, while one is being begun. */
  readonly #beginning = new Map<string, Promise<unknown>>();
  readonly #unwatch: () => void;
  #closed = false;

  constructor(needs: LiveDependencies) {
    this.#needs = needs;
    this.#unwatch = needs.engine.watch(["session", "project", "queue", "run", "end", "told", "daemon"], () =>
      this.#tidy(),
    );
    needs.engine.atEnd(() => void this.close());
  }

  open(driver: Driver, wanted: ConversationRequest): Agent | Promise<Agent> {
    // A window may be opened by its owner's button while a job of its session starts.
    const other = this.#beginning.get(wanted.thread_id);
    return other
      ? other.catch(() => undefined).then(() => this.#reuseOrOpen(driver, wanted))
      : this.#reuseOrOpen(driver, wanted);
  }

  #reuseOrOpen(driver: Driver, wanted: ConversationRequest): Agent | Promise<Agent> {
    const { thread_id, key } = wanted;
    const likeness = this.#likenessOf(driver, wanted);
    const one = this.#all.get(thread_id);
    // In one that outlives the daemon, its owner may have begun another conversation at the terminal.
    if (
      one?.ending === null &&
      (this.#isKept(one, driver) ||
        (one.likeness === likeness &&
          !hasNewProgram(one, this.#programOf(driver, wanted)) &&
          (one.key === key || one.agent.detach !== undefined)))
    ) {
      work(one);
      if (wanted.next === "new") one.agent.renew?.();
      return one.agent;
    }
    return this.#openAnew(one, driver, wanted, likeness);
  }

  /**
   * Whether it goes on as it is, however it would be opened now: it is not Bellhop's to open, or its owner is at a turn
   * in it.
   */
  #isKept(one: One, { tool }: Driver): boolean {
    const { place, agent } = one;
    return (
      place.tool === tool && (agent.isAdopted === true || (agent.detach !== undefined && this.#worksByItself(one)))
    );
  }

  async #openAnew(one: One | undefined, driver: Driver, wanted: ConversationRequest, likeness: string): Promise<Agent> {
    const { thread_id } = wanted;
    if (one) await this.#end(one);
    const beginning = this.#begin(driver, wanted, likeness);
    this.#beginning.set(thread_id, beginning);
    try {
      return await beginning;
    } finally {
      this.#beginning.delete(thread_id);
    }
  }

  async afterTurn(thread_id: string, key: string | null): Promise<void> {
    const one = this.#all.get(thread_id);
    if (!one) return;
    const { clock, idleLimits } = this.#needs;
    const stays = one.agent.detach !== undefined;
    this.#recordFacts(one);
    if (one.ending !== null || one.agent.process === null || (!stays && (this.#closed || idleLimits().agents === 0)))
      return this.#end(one);
    one.key = key;
    one.idleSince = clock.monotonic();
    if (stays) return;
    this.#lookAt(one);
    this.#tidy();
  }

  async endAgent(thread_id: string, how?: "now" | "away"): Promise<void> {
    const one = this.#all.get(thread_id);
    // What outlives the daemon outlives a turn that failed.
    if (how === undefined && one?.agent.detach !== undefined && one.agent.process !== null)
      one.idleSince = this.#needs.clock.monotonic();
    else if (one) await this.#end(one, how === "now" ? "killed" : undefined);
  }

  agentFacts(thread_id: string): ReturnType<SessionAgents["agentFacts"]> {
    const one = this.#all.get(thread_id);
    if (!one || one.agent.process === null) return null;
    const { agent, isOpen, idleSince } = one;
    return {
      ...agent.facts?.(),
      state: !isOpen ? "opening" : idleSince === null ? "working" : "idle",
      heardMs: this.#needs.clock.monotonic() - agent.heardAt(),
    };
  }

  offered(what: Choice, tool: string): readonly Offered[] | null {
    return this.#offered.get(tool)?.[what] ?? null;
  }

  commands(thread_id: string, tool: string): readonly CommandOffered[] {
    const one = this.#all.get(thread_id);
    const told = this.#needs.engine.state.threads[thread_id]?.told?.[tool];
    return (
      (one?.place.tool === tool ? one.agent.facts?.().commands : undefined) ??
      told?.commands ??
      this.#commands.get(tool) ??
      []
    );
  }

  async choose(thread_id: string, what: Choice, id: string): Promise<string | null> {
    const one = this.#all.get(thread_id);
    if (one === undefined || one.ending !== null || one.agent.process === null) return null;
    // A mode holds at once; all else only from the next prompt on.
    if (what !== "mode" && one.idleSince === null) return null;
    if ((await one.agent.opened) != null) return null;
    return (await one.agent.choose?.(what, id)) ?? null;
  }

  assignThread(requestId: string, threadId: string, folders: readonly string[]): void {
    const one = this.#all.get(requestId);
    if (!one || one.ending !== null) return;
    this.#all.delete(requestId);
    this.#all.set(threadId, one);
    one.place.thread_id = threadId;
    one.isEarly = false;
    one.likeness = this.#likenessOf(one.driver, { ...one.wanted, thread_id: threadId, folders });
    this.#recordFacts(one);
    this.#tidy();
  }

  living(): LiveAgent[] {
    return [...this.#all.values()].flatMap((one) => {
      const {
        place: { thread_id, tool },
        agent,
        since,
        idleSince,
      } = one;
      if (agent.process === null) return [];
      const state = idleSince === null || this.#worksByItself(one) ? "working" : "idle";
      return [
        {
          thread_id,
          tool,
          pid: agent.process.pid,
          since,
          state,
          background: agent.background.length,
          bytes: residentBytes(agent.process.pid),
        },
      ];
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unwatch();
    await Promise.all([...this.#all.values()].map((one) => this.#leave(one)));
  }

  /** What outlives the daemon goes on, also where it was opened a moment too late. */
  #leave(one: One): Promise<void> {
    return one.agent.detach ? one.agent.detach().then(() => one.followed) : this.#end(one);
  }

  async #begin(driver: Driver, wanted: ConversationRequest, likeness: string): Promise<Agent> {
    const { job_id, thread_id, cwd, args, settings, folders, key, begunAt, mode, next } = wanted;
    const { clock, engine, environment, capability, openSessionLog } = this.#needs;
    const mark = driver.lives ? `agent_${randomBytes(12).toString("hex")}` : job_id;
    const place = { thread_id, tool: driver.tool, cwd };
    const granted = capability(place);
    const program = this.#programOf(driver, wanted);
    const log = openSessionLog(thread_id);
    const agent = await driver.open({
      cwd,
      args,
      settings,
      folders,
      key,
      ...(begunAt !== undefined && { begunAt }),
      ...(mode && { mode }),
      ...(next && { next }),
      env: environment({ thread_id, tool: driver.tool }, mark, granted?.capability),
      log,
    });
    const isEarly = engine.state.starts[thread_id] !== undefined;
    const one: One = {
      place,
      agent,
      driver,
      wanted,
      isEarly,
      likeness,
      program,
      key,
      since: isoTime(clock.now()),
      idleSince: null,
      isOpen: agent.opened === undefined,
      unsubscribe: () => undefined,
      kept: [],
      lost: null,
      followed: Promise.resolve(),
      ending: null,
    };
    this.#all.set(thread_id, one);
    void agent.opened?.then(() => {
      one.isOpen = true;
      this.#recordFacts(one);
    });
    void agent.gone.then(async () => {
      one.unsubscribe();
      if (this.#all.get(place.thread_id) === one) this.#all.delete(place.thread_id);
      granted?.revoke();
      await log.close();
    });
    one.followed = this.#needs
      .followOutsideTurns(place, agent, () => this.#closed)
      .then(() => this.#tellLost(place, one));
    if (this.#closed) await this.#leave(one);
    else this.#endIfLocked(one);
    return agent;
  }

  /** Keeps what the agent tells of itself, which is shown once it sleeps. */
  #recordFacts({ place, agent }: One): void {
    const { tool } = place;
    const told = agent.facts?.() ?? {};
    const { commands } = told;
    void this.#needs.recordFacts(place, told);
    this.#offered.set(tool, { ...this.#offered.get(tool), ...offeredBy(told) });
    if (commands !== undefined) this.#commands.set(tool, commands);
  }

  /** Those that may be put to sleep, the longest idle first. */
  #idling(): One[] {
    const idle = [...this.#all.values()].filter(
      (one) =>
        one.idleSince !== null &&
        one.agent.detach === undefined &&
        one.agent.background.length === 0 &&
        !this.#worksByItself(one),
    );
    return idle.sort((a, b) => (a.idleSince ?? 0) - (b.idleSince ?? 0));
  }

  #lookAt(one: One): void {
    if (one.idleSince === null) return;
    const { clock, idleLimits } = this.#needs;
    const { idleMs, backgroundMs } = idleLimits();
    const works = one.agent.background.length > 0;
    const now = clock.monotonic();
    const leftMs = works ? one.agent.heardAt() + backgroundMs - now : one.idleSince + idleMs - now;
    const byItself = this.#worksByItself(one);
    if (!byItself && leftMs <= 0) return void this.#end(one, works ? "silent" : undefined);
    // As long as it works, it does not idle.
    if (works || byItself) one.idleSince = now;
    one.unsubscribe = clock.after(leftMs > 0 ? Math.min(leftMs, idleMs) : idleMs, () => this.#lookAt(one));
  }

  /**
   * Ends agents that have nobody to work for, because Bellhop is locked, their session is closed or uses another tool or
   * their project is no more, and those beyond the number that may idle.
   */
  #tidy(): void {
    const { engine, idleLimits } = this.#needs;
    const { sessions, projects, threads } = engine.state;
    const all = [...this.#all.values()];
    if (all.length === 0) return;
    for (const one of all) {
      this.#keepBackground(one, one.agent.background);
      if (this.#endIfLocked(one)) continue;
      const { thread_id } = one.place;
      const session = sessions[thread_id];
      const closed = threads[thread_id]?.closed;
      if (closed !== undefined) void this.#end(one, closed === "killed" ? "killed" : undefined);
      else if (one.idleSince === null || one.isEarly || this.#worksByItself(one)) continue;
      else if (
        !projects[session?.project_name ?? ""] ||
        (session?.tool !== one.place.tool && one.agent.background.length === 0)
      )
        void this.#end(one);
    }
    const idle = this.#idling();
    for (const oldest of idle.slice(0, Math.max(0, idle.length - idleLimits().agents))) void this.#end(oldest);
  }

  /** By force, whatever it is at; a Claude in a window stays there. */
  #endIfLocked(one: One): boolean {
    if (lockedSince(this.#needs.engine.state) === null || one.agent.detach !== undefined) return false;
    void this.#end(one, "killed");
    return true;
  }

  /** @param why `silent`: what it does in the background is too quiet; `killed`: at once, without a word to it */
  #end(one: One, why?: "silent" | "killed"): Promise<void> {
    const how = why === "killed" ? "now" : undefined;
    if (one.ending !== null && how === "now") void one.agent.close(how);
    if (one.ending !== null) return one.ending;
    this.#recordFacts(one);
    work(one);
    one.lost = { what: one.agent.background, silent: why === "silent" };
    const {
      place: { thread_id, tool },
      agent,
    } = one;
    if (agent.process !== null && this.#needs.idleLimits().agents > 0)
      this.#needs.log.info("an agent is put to sleep", { thread_id, tool });
    return (one.ending = agent.close(how).then(() => one.followed));
  }

  async #tellLost(place: OutsidePlace, one: One): Promise<void> {
    await one.agent.gone;
    const { what, silent } = one.lost ?? { what: one.agent.background, silent: false };
    if (what.length > 0) await this.#needs.reportLostWork(place, what, silent);
    else this.#keepBackground(one, []);
  }

  /** What outlives the daemon is not lost with it. */
  #keepBackground(one: One, now: readonly string[]): void {
    const { place, agent, kept, isEarly } = one;
    if (agent.detach || isEarly || (kept.length === now.length && kept.every((what, index) => what === now[index])))
      return;
    one.kept = [...now];
    void this.#needs.background(place, now);
  }

  #worksByItself({ place: { thread_id } }: One): boolean {
    return this.#needs.engine.state.threads[thread_id]?.outside !== undefined;
  }

  #programOf({ tool, programNow }: Driver, { thread_id }: ConversationRequest): string | null {
    return programNow?.(this.#needs.environment({ thread_id, tool }, "")) ?? null;
  }

  #likenessOf(
    { tool, choosesWithPrompt }: Driver,
    { thread_id, cwd, args, settings, folders, configuration }: ConversationRequest,
  ): string {
    const opened = choosesWithPrompt ? { ...settings, model: undefined, effort: undefined } : settings;
    return JSON.stringify([
      tool,
      cwd,
      args,
      opened,
      folders,
      configuration,
      this.#needs.environment({ thread_id, tool }, ""),
    ]);
  }
}

/** One that is being replaced at the moment is not a new one yet. */
function hasNewProgram({ program }: One, now: string | null): boolean {
  return now !== null && now !== program;
}

function offeredBy({ models, modes, efforts }: AgentFacts): Partial<Record<Choice, readonly Offered[]>> {
  return { ...(models && { model: models }), ...(modes && { mode: modes }), ...(efforts && { effort: efforts }) };
}

function work(one: One): void {
  one.idleSince = null;
  one.unsubscribe();
}
