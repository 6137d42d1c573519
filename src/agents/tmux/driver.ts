/**
 * Claude Code as it is used at a terminal, in a tmux window that outlives the daemon: prompts are typed, and its hooks
 * tell the rest. A session has one window; after a restart the one that stands is taken up again.
 */
import { withTimeout, pause, type Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HookCall, HookChannel, HookOwner, HookTaker } from "../../engine/hook-channel.ts";
import { isRunning } from "../../core/decisions/asker.ts";
import { runProcess } from "../../core/jobs/run.ts";
import { toolKey } from "../../core/sessions/session.ts";
import type { State } from "../../core/state.ts";
import { WINDOW_TOOL, type Window, type WindowEnd } from "../../core/sessions/windows.ts";
import { digestOf } from "../../host/files/kept-files.ts";
import { isAlive, type ProcessTable } from "../../host/processes/process-table.ts";
import { runProgram } from "../../host/processes/program.ts";
import { which } from "../../host/processes/which.ts";
import type { Pane, Tmux } from "../../host/terminal/tmux.ts";
import { isAsking, type HookPayload, type PayloadOf } from "../../protocol/hooks.ts";
import { access, modeOf, settingsArguments } from "../claude/arguments.ts";
import { LOGIN } from "../claude/messages.ts";
import type { Agent, Driver, Opening, Probe } from "../contract/driver.ts";
import { failedTurn, notFound, notStarted, reasonDetails, refusedArgument, unopenedAgent } from "../process/dialect.ts";
import { enteredPrompt, isInterruptedIn, isUnrecorded, lastMessage, refusedUses } from "../process/stored/claude.ts";
import { stores } from "../process/stores.ts";
import { WindowAgent } from "./agent.ts";
import { isInFront } from "./adoption.ts";
import { argumentsFor, rules } from "./launch.ts";
import { isInTurn } from "./turn.ts";
import { typedText } from "./typing.ts";

export interface WindowsDeps {
  engine: Engine;
  hooks: HookChannel;
  table: ProcessTable;
  /** The server with this socket; null where there is no tmux. */
  at(socket: string): Tmux | null;
  /** Of our own server. */
  socket: string;
  /** The tmux session there in which a thread's window stands. */
  session(threadId: string): string;
  /**
   * Writes the settings of a session's Claude, which make its hooks ours and let it read these folders; returns the
   * file.
   * @throws what the disk throws
   */
  settings(threadId: string, readable: readonly string[]): Promise<string>;
}

export interface TmuxDriverOptions {
  clock: Clock;
  /** Claude's command: a name to find in PATH or an absolute path, and its first arguments. */
  command?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Absent: windows can only be asked about. */
  windows?: WindowsDeps;
}

const INSTALL = "apt install tmux && npm install --global @anthropic-ai/claude-code";
/** The oldest version that has everything that is used here. */
const OLDEST = 302;
/** Versions that were tried with Claude in their windows. */
const TRIED = /^3\.[38]/;
/** The variables that a window gets beside the environment of its server. */
const OF_WINDOW = ["BELLHOP_SESSION", "BELLHOP_OUTPUTS", "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS"];
/** How long a hook waits for the agent of a window that is being taken up. */
const ARRIVAL_MS = 5_000;
/** How long a hook waits for what Claude writes down a moment later: what was entered, or its last message. */
const WRITTEN_MS = 3_000;
const WRITTEN_LOOK_MS = 100;
/** How long a hook waits until what it tells, or its turn, is on disk. */
const RECORDED_MS = 5_000;

export function tmuxDriver({ clock, command = ["claude"], env, windows }: TmuxDriverOptions): Driver {
  const agents = windows && new WindowAgents(windows, clock, env);
  return {
    tool: WINDOW_TOOL,
    keyName: "session_id",
    store: () => stores.claude,
    offered: false,
    // Its silence is never measured: its turns always count as heard just now.
    // Only its screen tells.
    offers: () => null,
    compacts: "command",
    silence: "bytes",
    lives: true,
    writing: null,
    access,
    refuses: (args) => refusedArgument(rules, args)?.argument ?? null,
    async probe(): Promise<Probe> {
      const file = which("tmux", env["PATH"]);
      const claude = which(command[0] ?? "", env["PATH"]);
      const howTo = { tried: false, install: INSTALL, login: LOGIN };
      if (file === null || claude === null) return { found: false, ...howTo };
      const version = await versionOf(file, env);
      return version === null
        ? { found: true, path: file, ...howTo }
        : { found: true, path: file, version, ...howTo, tried: TRIED.test(version) };
    },
    open: (opening) =>
      agents ? agents.open(opening, command) : Promise.resolve(unopenedAgent(failedTurn("E_TMUX_MISSING", {}))),
  };
}

class WindowAgents {
  readonly #windows: WindowsDeps;
  readonly #clock: Clock;
  readonly #env: Readonly<Record<string, string>>;
  readonly #agents = new Map<string, WindowAgent>();
  /** Threads whose window is being opened, until it is on disk. */
  readonly #opening = new Map<string, Promise<void>>();
  readonly #awaited = new Map<string, PromiseWithResolvers<WindowAgent>>();
  /** By thread: the turn whose prompt was not written down in time. No other hook of that turn waits for it. */
  readonly #unwritten = new Map<string, string>();

  constructor(windows: WindowsDeps, clock: Clock, env: Readonly<Record<string, string>>) {
    this.#env = env;
    this.#windows = windows;
    this.#clock = clock;
    windows.hooks.register({
      ownerOf: (call) => this.#ownerOf(call),
      onHook: (call) => this.#onHook(call),
      isAnswered: async (threadId) => (await this.#agents.get(threadId)?.asking.isOutOfSight()) ?? false,
      refuse: async (threadId, digest) =>
        (await this.#agents.get(threadId)?.untold.refuse((text) => digestOf(text) === digest)) ?? false,
    });
    windows.engine.watch(["window", "wait", "session"], (topics) =>
      topics.forEach((threadId) => {
        this.#release(threadId);
        this.#retry(threadId);
      }),
    );
    Object.keys(windows.engine.state.threads).forEach((threadId) => this.#retry(threadId));
  }

  async open(opening: Opening, command: readonly string[]): Promise<Agent> {
    const { engine, socket, at } = this.#windows;
    const { env } = opening;
    const thread_id = env["BELLHOP_SESSION"] ?? "";
    const tmux = at(socket);
    if (tmux === null || (await isTooOld(env))) return unopenedAgent(failedTurn("E_TMUX_MISSING", {}));
    const known = engine.state.windows[thread_id];
    if (known && (await this.isWindowAlive(known))) return this.#agent(known, at(known.socket) ?? tmux, opening, true);
    const isOpen = Promise.withResolvers<void>();
    this.#opening.set(thread_id, isOpen.promise);
    try {
      return await this.#openNew(thread_id, tmux, opening, command);
    } finally {
      this.#opening.delete(thread_id);
      isOpen.resolve();
    }
  }

  async #openNew(thread_id: string, tmux: Tmux, opening: Opening, command: readonly string[]): Promise<Agent> {
    const { engine, socket, table } = this.#windows;
    const started = await start(
      tmux,
      { settings: await this.#windows.settings(thread_id, opening.folders), session: this.#windows.session(thread_id) },
      opening,
      command,
    );
    if ("kind" in started) return unopenedAgent(started);
    const start_time = table.read(started.pid)?.startTime ?? "";
    const window: Window = {
      thread_id,
      server: "own",
      socket,
      window_id: started.window_id,
      pane_id: started.pane_id,
      pid: started.pid,
      start_time,
      cwd: opening.cwd,
      adopted: false,
    };
    await engine.submit({ type: "open_window", ...window });
    return this.#agent(window, tmux, opening, false);
  }

  async isWindowAlive({ socket, pane_id, pid, start_time, adopted }: Window): Promise<boolean> {
    const { at, table } = this.#windows;
    const screen = await at(socket)?.screen(pane_id);
    return (
      screen != null &&
      (adopted || screen.pid === pid) &&
      !screen.dead &&
      isAlive(table, { pid, startTime: start_time })
    );
  }

  async #agent(
    window: Window,
    tmux: Tmux,
    { log, key, env, args, settings }: Opening,
    stood: boolean,
  ): Promise<WindowAgent> {
    const { engine, table } = this.#windows;
    const { thread_id, pane_id, pid } = window;
    const agent = new WindowAgent({
      clock: this.#clock,
      table,
      tmux,
      window,
      log,
      stood,
      mode:
        engine.state.adoptions[window.claude_session ?? ""]?.mode ??
        engine.state.threads[thread_id]?.modes?.[WINDOW_TOOL]?.mode ??
        modeOf([...args, ...settingsArguments(settings)]) ??
        "default",
      erasableTexts: () => leftTyped(engine.state, thread_id),
      caughtUp: this.#windows.hooks.caughtUp,
      isKnown: (promptId) => worksOf(engine.state, thread_id).some(({ prompt_id }) => prompt_id === promptId),
      isLost: () => key !== null && isUnrecorded(env, key),
      wasInterrupted: (promptId) => isInterruptedIn(env, toolKey(engine.state, thread_id, WINDOW_TOOL) ?? "", promptId),
      isReached: window.adopted ? await reachOf(window, tmux, table) : () => true,
      statusLine: () => this.#windows.hooks.statusLine(thread_id, window.pid),
      onReady: () => this.#free(thread_id),
      onDialog: (dialog) => this.#windows.hooks.reportDialog(this.#ownerIn(thread_id), dialog),
      onDialogAnswered: (asked) => void this.#onDialogAnswered(thread_id, asked),
      async closed(why, exitCode) {
        if (!engine.over)
          await engine.submit({
            type: "close_window",
            thread_id,
            pane_id,
            why: why === "stopped" ? stoppedFor(engine.state, thread_id) : why,
            ...(exitCode !== null && { exit_code: exitCode }),
          });
      },
    });
    this.#agents.set(thread_id, agent);
    if (window.adopted) this.#release(thread_id);
    void agent.gone.then(async () => {
      if (this.#agents.get(thread_id) === agent) this.#agents.delete(thread_id);
      // Another tool took its place when its turn was over.
      const { windows, sessions } = engine.state;
      if (
        window.adopted &&
        !engine.over &&
        windows[thread_id]?.pid === pid &&
        sessions[thread_id]?.tool !== WINDOW_TOOL
      )
        await engine.submit({ type: "close_window", thread_id, pane_id, why: "released" });
    });
    this.#awaited.get(thread_id)?.resolve(agent);
    this.#awaited.delete(thread_id);
    return agent;
  }

  /**
   * The thread of a window's own Claude; null for any other, such as one that runs inside it, which is another process.
   */
  #ownerOf({ payload, claude, pane, session }: Parameters<HookTaker["ownerOf"]>[0]): HookOwner | null {
    // It may tell that it has begun before its window is on disk.
    if (payload?.hook_event_name === "SessionStart" && session !== null && this.#opening.has(session))
      return { thread_id: session, work: null };
    const { state } = this.#windows.engine;
    const window = Object.values(state.windows).find(({ thread_id, pane_id, pid, start_time }) =>
      claude === null
        ? session === thread_id && pane?.id === pane_id
        : claude.pid === pid && claude.startTime === start_time,
    );
    return window ? this.#ownerIn(window.thread_id) : null;
  }

  #ownerIn(thread_id: string): HookOwner {
    const { state } = this.#windows.engine;
    const turn_id = state.threads[thread_id]?.outside;
    const job_id = state.sessions[thread_id]?.running_job_id ?? null;
    return { thread_id, work: turn_id !== undefined ? { turn_id } : job_id !== null ? { job_id } : null };
  }

  async #onHook(call: HookCall): Promise<void> {
    await this.#opening.get(call.session ?? "");
    const owner = this.#ownerOf(call);
    if (owner === null) return;
    const { thread_id } = owner;
    const agent = this.#agents.get(thread_id) ?? (await this.#arrival(thread_id));
    await this.#cleared(thread_id, call.payload);
    // A turn that the last daemon left is taken up with its job, a moment after its agent is there. The next one may
    // follow it.
    if (
      agent?.promptId === null &&
      worksOf(this.#windows.engine.state, thread_id).some(({ prompt_id, isOver }) => prompt_id !== undefined && !isOver)
    )
      await withTimeout(this.#clock, ARRIVAL_MS, agent.resumed.promise);
    if (agent) await this.#startUntoldTurn(agent, thread_id, call);
    const ended = agent?.onHook(await this.#whole(call.payload), call.late) ?? null;
    await ended?.over;
    // What is asked belongs to its turn, and what rings depends on whose turn it is.
    if (ended !== null) await this.#recorded(thread_id, ended.promptId, true);
    else if (isAsking(call.payload) && agent?.promptId != null && agent.promptId === call.payload.prompt_id) {
      if (call.payload.agent_id === undefined) await agent.turn?.saidAll();
      await this.#recorded(thread_id, agent.promptId, false);
    }
  }

  /**
   * No hook tells of what its owner ran in Claude's shell. One that told of a prompt may have told it before this
   * Claude was adopted or, by the name of the turn before, to an earlier daemon. Claude writes down what was entered.
   */
  async #startUntoldTurn(agent: WindowAgent, threadId: string, { payload, late }: HookCall): Promise<void> {
    const { session_id, cwd, prompt_id } = payload;
    const isKnown = (): boolean =>
      agent.turn !== null ||
      agent.promptId === prompt_id ||
      worksOf(this.#windows.engine.state, threadId).some((one) => one.prompt_id === prompt_id);
    if (prompt_id === undefined || !isInTurn(payload) || isKnown()) return;
    const waitMs = late || this.#unwritten.get(threadId) === prompt_id ? 0 : WRITTEN_MS;
    const entered = await this.#waitForRecord(waitMs, () => enteredPrompt(this.#env, session_id, prompt_id));
    if (entered === null) this.#unwritten.set(threadId, prompt_id);
    else if (entered.prompt !== "" && !isKnown())
      agent.join(
        { hook_event_name: "UserPromptSubmit", session_id, cwd, prompt_id, prompt: entered.prompt },
        entered.at,
      );
  }

  /** What was refused in a dialog Claude tells no hook, and writes down. */
  async #onDialogAnswered(threadId: string, asked: PayloadOf<"PermissionRequest"> | null): Promise<void> {
    if (asked === null) return;
    const { session_id, cwd, prompt_id } = asked;
    const refused = prompt_id === undefined ? [] : await refusedUses(this.#env, session_id, prompt_id);
    this.#windows.hooks.onDialogAnswered(
      threadId,
      refused.map(({ name, input, ...why }) => ({
        hook_event_name: "PermissionDenied",
        session_id,
        cwd,
        prompt_id,
        tool_name: name,
        tool_input: input,
        ...why,
      })),
    );
  }

  /** A last message that is too long for its hook is read where Claude writes it down, which may be a moment later. */
  async #whole(payload: HookPayload): Promise<HookPayload> {
    if (payload.hook_event_name !== "Stop" || payload.left_out === undefined || payload.prompt_id === undefined)
      return payload;
    const { left_out: _bytes, ...told } = payload;
    const { session_id, prompt_id } = payload;
    const last_assistant_message = await this.#waitForRecord(WRITTEN_MS, () =>
      lastMessage(this.#env, session_id, prompt_id),
    );
    return last_assistant_message === null ? payload : { ...told, last_assistant_message };
  }

  /** What Claude has written down by then; null: nothing. */
  async #waitForRecord<T>(withinMs: number, read: () => Promise<T | null>): Promise<T | null> {
    for (const from = this.#clock.monotonic(); ; await pause(this.#clock, WRITTEN_LOOK_MS)) {
      const found = await read();
      if (found !== null || this.#clock.monotonic() - from >= withinMs) return found;
    }
  }

  /** Resolves when the turn of this prompt is on disk, or its end. Its record may not have begun yet. */
  async #recorded(thread_id: string, promptId: string | null, end: boolean): Promise<void> {
    const isRecorded = this.#windows.engine.until(
      (state) =>
        worksOf(state, thread_id).some(({ prompt_id, isOver }) => prompt_id === promptId && (isOver || !end)) || null,
      ["run", "end"],
    );
    await withTimeout(this.#clock, RECORDED_MS, isRecorded);
  }

  /** The conversation is over, although its Claude goes on. */
  async #cleared(thread_id: string, payload: HookPayload): Promise<void> {
    const { engine } = this.#windows;
    const window = engine.state.windows[thread_id];
    if (payload.hook_event_name !== "SessionEnd" || payload.reason !== "clear" || !window) return;
    await engine.submit({
      type: "clear_window",
      thread_id,
      pane_id: window.pane_id,
      tool: WINDOW_TOOL,
      key: payload.session_id,
    });
  }

  /** Undefined if it does not come in time. */
  #arrival(threadId: string): Promise<WindowAgent | undefined> {
    const awaited = this.#awaited.get(threadId) ?? Promise.withResolvers<WindowAgent>();
    this.#awaited.set(threadId, awaited);
    return withTimeout(this.#clock, ARRIVAL_MS, awaited.promise);
  }

  /** The owner's own Claude is given back: what it is at is not ours any more. */
  #release(threadId: string): void {
    const agent = this.#agents.get(threadId);
    if (agent?.isAdopted === true && this.#windows.engine.state.windows[threadId]?.pid !== agent.process.pid)
      void agent.detach();
  }

  /** The terminal may have become free, or may have gone, while the thread was made to wait for it. */
  #retry(threadId: string): void {
    if (this.#windows.engine.state.windows[threadId] === undefined || this.#agents.get(threadId)?.wasFreed === true)
      this.#free(threadId);
  }

  #free(thread_id: string): void {
    const { engine } = this.#windows;
    const wait = engine.state.threads[thread_id]?.wait;
    if (wait?.kind !== "terminal" || engine.over) return;
    engine.submit({ type: "unpark", thread_id, job_id: wait.job_id, by: "terminal" }).catch(() => undefined);
  }
}

/** The thread's jobs and outside turns in the live state. */
function worksOf(state: State, threadId: string): { prompt_id: string | undefined; isOver: boolean }[] {
  const { threads, runs } = state;
  const { busy_job, outside, ended = [], turns: past = [] } = threads[threadId] ?? { busy_job: null };
  const ids = [busy_job, outside, ...ended, ...past].filter((id) => id != null);
  return ids.map((id) => ({
    prompt_id: runProcess(runs[id])?.prompt_id,
    isOver: !isRunning(state, id),
  }));
}

/**
 * The prompts of the thread's jobs that may stand in the box: those that a daemon was at when it was killed, and those
 * that Claude did not take; and the drafts that its owner has had cleared for the job that is at work.
 */
function leftTyped({ threads, jobs, runs }: State, threadId: string): string[] {
  const { ended = [], busy_job = null } = threads[threadId] ?? {};
  const prompts = ended.flatMap((id) => {
    const { state, error_code, prompt = "" } = jobs[id] ?? {};
    const typed = state === "unknown_after_crash" || error_code === "E_PROMPT_NOT_TAKEN" ? typedText(prompt) : null;
    return typed !== null && "text" in typed ? [typed.text] : [];
  });
  return [...prompts, ...(runs[busy_job ?? ""]?.drafts ?? [])];
}

/** Whether what is typed into its pane goes to this Claude, and not to the shell that it was started from. */
async function reachOf({ pane_id, pid }: Window, tmux: Tmux, table: ProcessTable): Promise<() => boolean> {
  const device = await tmux.device(pane_id);
  return () => device !== null && isInFront(table, pid, device);
}

/** Why Bellhop has ended its Claude. */
function stoppedFor({ sessions, archives }: State, threadId: string): WindowEnd {
  if (sessions[threadId]?.tool !== WINDOW_TOOL) return "moved";
  const archived = archives[threadId]?.is;
  return archived === "new" || archived === "agreed" ? "archived" : "stopped";
}

/** Opens the window, with Claude in it. */
async function start(
  tmux: Tmux,
  { settings, session }: { settings: string; session: string },
  { cwd, env, args, key, settings: chosen }: Opening,
  command: readonly string[],
): Promise<Pane | ReturnType<typeof failedTurn>> {
  const refused = refusedArgument(rules, args);
  if (refused) return failedTurn("E_ARGUMENT_REFUSED", { tool: WINDOW_TOOL, argument: refused.argument });
  const [name = "", ...before] = command;
  const file = which(name, env["PATH"]);
  if (file === null) return notStarted({ tool: WINDOW_TOOL, install: INSTALL }, notFound(name));
  const [first, ...rest] = [
    ...before,
    ...argumentsFor({ settings, key, args: [...args, ...settingsArguments(chosen)] }),
  ];
  const own = Object.fromEntries(
    OF_WINDOW.flatMap((variable) => (env[variable] === undefined ? [] : [[variable, env[variable]]])),
  );
  try {
    return await tmux.open({ session, name: nameOf(cwd), cwd, argv: [file, first ?? "", ...rest], env: own });
  } catch (error) {
    return notStarted({ tool: WINDOW_TOOL, install: INSTALL }, reasonDetails(String(error)));
  }
}

/** The window's name, for whoever attaches to it. */
function nameOf(cwd: string): string {
  return (
    cwd
      .split("/")
      .at(-1)
      ?.replace(/[^\p{L}\p{N}_-]/gu, "-")
      .slice(0, 30) || "claude"
  );
}

async function isTooOld(env: Readonly<Record<string, string>>): Promise<boolean> {
  const file = which("tmux", env["PATH"]);
  const [, major = "0", minor = "0"] = /^(\d+)\.(\d+)/.exec((file && (await versionOf(file, env))) ?? "") ?? [];
  return Number(major) * 100 + Number(minor) < OLDEST;
}

async function versionOf(file: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  const { stdout } = await runProgram({ file, args: ["-V"], env, withinMs: 5_000 });
  return /^tmux (?:next-)?(\d+\.\d+\w*)/.exec(stdout)?.[1] ?? null;
}
