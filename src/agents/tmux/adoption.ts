/**
 * The Claudes that the owner has started himself, in his own tmux: found by their hooks, offered to him once, and taken
 * by his word. Only one that a prompt can be typed to is offered: it is in front in its pane and shows its prompt box
 * or a dialog, which a Claude that runs inside another one, or without a terminal, never does. All others are left
 * alone, without a word.
 */
import { isAbsolute, sep } from "node:path";
import { pause } from "../../base/clock.ts";
import { firstSnowflake } from "../../base/ids.ts";
import { BellhopError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { startOf, type Adoption } from "../../core/sessions/adoptions.ts";
import { requireEnabled, sessionKey } from "../../core/sessions/session.ts";
import { WINDOW_TOOL } from "../../core/sessions/windows.ts";
import type { State } from "../../core/state.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HookCall, HookChannel, HookOwner } from "../../engine/hook-channel.ts";
import { standingDirectory } from "../../host/files/kept-files.ts";
import type { HookFolder } from "../../host/hooks/hook-folder.ts";
import { isAlive, isDead, type ProcessTable } from "../../host/processes/process-table.ts";
import type { Screen } from "../../host/terminal/tmux.ts";
import type { MachineContext } from "../process/machine.ts";
import { showsDialog, promptBoxOf } from "./prompt-box.ts";
import { tmuxAt } from "./windows.ts";

export interface AdoptionsOptions {
  machine: MachineContext;
  engine: Engine;
  log: Log;
  hooks: HookChannel;
  table: ProcessTable;
  /** Tells the hooks' command for whose Claude it runs. */
  folder: HookFolder;
  /** The bot that asks where no session of the project tells which. */
  asker: Promise<{ guild_id: string; bot_id: string }>;
}

export interface Adopting {
  /**
   * Takes it, by its owner's word. Resolves with the request whose thread is made for it; null: it has one already.
   * @throws BellhopError E_ADOPTION_CLOSED, E_TOOL_NOT_ENABLED
   */
  adopt(claudeSession: string, requestId: string): Promise<string | null>;
  close(): void;
}

/** How long it may take to draw its prompt box after its first hook. */
const SHOWN_MS = 5_000;
const LOOK_MS = 250;
/** No event tells that a Claude which is not ours has ended, so it is looked for this often. */
const ALIVE_MS = 5_000;
const MARK_AGAIN_MS = 1_000;

/** Whether what is typed at this terminal goes to this process. */
export function isInFront(table: ProcessTable, pid: number, device: number): boolean {
  const row = table.read(pid);
  return row !== null && !isDead(row) && row.state !== "T" && row.terminal === device && row.foreground === true;
}

export async function openAdoptions(options: AdoptionsOptions): Promise<Adopting> {
  const adopting = new WindowAdoptions(options);
  await adopting.start();
  return adopting;
}

class WindowAdoptions implements Adopting {
  readonly #needs: AdoptionsOptions;
  /**
   * The conversations whose hooks are ours, each with its thread; those on disk, and those that adopted ones went on
   * to.
   */
  #marked = new Map<string, string>();
  readonly #seen = new Map<string, string>();
  /** The steps under way, by subject; those of one subject are taken one after the other. */
  readonly #steps = new Map<string, Promise<void>>();
  #forget: (() => void) | null = null;
  #forgetMarks: (() => void) | null = null;
  #unwatch = (): void => undefined;
  #closed = false;

  constructor(needs: AdoptionsOptions) {
    this.#needs = needs;
  }

  async start(): Promise<void> {
    const { engine, hooks, folder } = this.#needs;
    this.#marked = await folder.adopted();
    this.#mark();
    this.#unwatch = engine.watch(["window", "session", "run"], () => this.#mark());
    hooks.registerClaimer((call, gone) => this.#waitUntilAdopted(call, gone));
    hooks.watch((call, owner) =>
      owner === null ? this.#then(call.payload.session_id, () => this.#considerOffer(call)) : this.#follow(call, owner),
    );
    this.#then("open", () => this.#tidy());
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#forget?.();
    this.#forgetMarks?.();
  }

  async adopt(claudeSession: string, requestId: string): Promise<string | null> {
    const { engine } = this.#needs;
    const known = engine.state.adoptions[claudeSession];
    if (known === undefined || known.adopted === true || known.gone) throw new BellhopError("E_ADOPTION_CLOSED");
    requireEnabled(
      engine.state.projects[known.project_name] ?? { name: known.project_name, enabled_tools: [] },
      WINDOW_TOOL,
    );
    if (!this.#isAlive(known)) {
      await engine.submit({ type: "adopt", claude_session: claudeSession, adopted: false, gone: true });
      throw new BellhopError("E_ADOPTION_CLOSED");
    }
    await engine.submit({ type: "adopt", claude_session: claudeSession, adopted: true, request_id: requestId });
    return startOf(engine.state, claudeSession)?.request_id ?? null;
  }

  #then(about: string, act: () => Promise<void>): void {
    const done = (this.#steps.get(about) ?? Promise.resolve())
      .then(act)
      .catch((error: unknown) => {
        if (!this.#closed && !this.#needs.engine.over)
          this.#needs.log.failure("a Claude in its owner's terminal cannot be offered", error);
      })
      .finally(() => (this.#steps.get(about) === done ? this.#steps.delete(about) : false));
    this.#steps.set(about, done);
  }

  async #considerOffer({ payload, claude, pane, session, late }: HookCall): Promise<void> {
    const { engine, table } = this.#needs;
    if (claude === null || pane === null || session !== null || this.#closed || !table.exact) return;
    const { hook_event_name: hook, session_id: claude_session, agent_id, permission_mode: mode } = payload;
    if (late && hook !== "SessionStart") return;
    if ((hook !== "SessionStart" && hook !== "UserPromptSubmit") || agent_id !== undefined) return;
    const project_name = this.#projectOf(payload.cwd);
    if (project_name === null || (this.#takesFirst(project_name) && this.#hasOne(project_name, claude.pid))) return;
    const screen = await this.#visibleScreen(claude.pid, pane);
    const place = screen && (await this.#placeFor(project_name));
    if (!screen || !place) return;
    const { window_id, pane_id } = screen;
    // The same Claude is at another conversation now, and only that one can be taken.
    for (const other of this.#open())
      if (other.pid === claude.pid && other.start_time === claude.startTime && other.claude_session !== claude_session)
        await this.#submitGone(other);
    await engine.submit({
      type: "offer_adoption",
      claude_session,
      project_name,
      pid: claude.pid,
      start_time: claude.startTime,
      socket: pane.socket,
      window_id,
      pane_id,
      cwd: payload.cwd,
      ...(mode !== undefined && { mode }),
      ...place,
    });
    const now = this.#needs.machine.clock.now();
    if (this.#takesFirst(project_name))
      await engine.submit({ type: "adopt", claude_session, adopted: true, request_id: firstSnowflake(now) });
    this.#watchOpen();
  }

  /**
   * What one that is offered asks in a dialog waits here until it is taken: then its owner is asked in the thread. Its
   * dialog stands in its terminal meanwhile.
   */
  async #waitUntilAdopted({ payload: { session_id }, claude }: HookCall, gone: AbortSignal): Promise<void> {
    const { engine } = this.#needs;
    // It may just be offered.
    await this.#steps.get(session_id);
    const isIts = ({ pid, start_time }: { pid: number; start_time: string }): boolean =>
      pid === claude?.pid && start_time === claude.startTime;
    const isOver = ({ adoptions, windows }: State): true | null => {
      const offered = adoptions[session_id];
      const waits =
        offered !== undefined &&
        isIts(offered) &&
        !offered.gone &&
        !Object.values(windows).some(isIts) &&
        !gone.aborted &&
        !this.#closed;
      return waits ? null : true;
    };
    await Promise.race([
      engine.until(isOver, ["adoption", "window"]),
      new Promise((resolve) => gone.addEventListener("abort", resolve, { once: true })),
    ]);
  }

  /** The project whose directory it works in; of several the innermost. */
  #projectOf(cwd: string): string | null {
    const { engine } = this.#needs;
    const real = isAbsolute(cwd) ? this.#directoryAt(cwd) : null;
    if (real === null) return null;
    const around = Object.values(engine.state.projects).flatMap(({ name, path, enabled_tools }) => {
      const root = enabled_tools.includes(WINDOW_TOOL) ? this.#directoryAt(path) : null;
      return root !== null && (real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
        ? [{ name, root }]
        : [];
    });
    return around.sort((a, b) => b.root.length - a.root.length)[0]?.name ?? null;
  }

  /** Without links; null: there is none to work in. */
  #directoryAt(path: string): string | null {
    const found = standingDirectory(path, this.#needs.machine.settings.stateDir);
    return found === null || found.ours ? null : found.path;
  }

  /** Where the owner is asked about a Claude of this project: in its channel; null: nowhere. */
  async #placeFor(projectName: string): Promise<{ channel_id: string; guild_id: string; bot_id: string } | null> {
    const { engine, machine, asker } = this.#needs;
    const { sessions, threads } = engine.state;
    const latest = Object.values(sessions)
      .filter(({ project_name }) => project_name === projectName)
      .sort((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1))[0];
    const thread = threads[latest?.thread_id ?? ""];
    const { bot_id, guild_id } = thread ?? (await asker);
    const channel_id =
      machine.configProjects.config.projects[projectName]?.channel_id ??
      thread?.channel_id ??
      machine.settings.channelId;
    return channel_id === undefined ? null : { channel_id, guild_id, bot_id };
  }

  /** Whether the project's first one is taken without a question. */
  #takesFirst(projectName: string): boolean {
    return this.#needs.machine.configProjects.config.projects[projectName]?.adopt === true;
  }

  /** Whether another Claude of this project is taken already. */
  #hasOne(projectName: string, pid: number): boolean {
    const { windows, sessions } = this.#needs.engine.state;
    return Object.values(windows).some(
      (one) => one.adopted && one.pid !== pid && sessions[one.thread_id]?.project_name === projectName,
    );
  }

  /** Its pane, with its prompt box or a dialog of its; null if it is not in front there, or shows none. */
  async #visibleScreen(pid: number, { socket, id }: { socket: string; id: string }): Promise<Screen | null> {
    const { machine, table } = this.#needs;
    const { clock } = machine;
    const tmux = tmuxAt(machine, socket);
    const device = (await tmux?.device(id)) ?? null;
    if (tmux === null || device === null) return null;
    for (const from = clock.monotonic(); !this.#closed && clock.monotonic() - from < SHOWN_MS;) {
      if (!isInFront(table, pid, device)) return null;
      const screen = await tmux.screen(id);
      if (screen === null || promptBoxOf(screen) !== null || showsDialog(screen)) return screen;
      await pause(clock, LOOK_MS);
    }
    return null;
  }

  #open(): Adoption[] {
    return Object.values(this.#needs.engine.state.adoptions).filter(({ adopted }) => adopted === null);
  }

  #isAlive({ pid, start_time }: Adoption): boolean {
    return isAlive(this.#needs.table, { pid, startTime: start_time });
  }

  async #submitGone({ claude_session }: Adoption): Promise<void> {
    await this.#needs.engine.submit({ type: "adopt", claude_session, adopted: false, gone: true });
  }

  /** Offers of those that have ended are taken back. */
  async #tidy(): Promise<void> {
    if (this.#closed || this.#needs.engine.over) return;
    for (const one of this.#open()) if (!this.#isAlive(one)) await this.#submitGone(one);
    this.#watchOpen();
  }

  #watchOpen(): void {
    if (this.#forget !== null || this.#closed || this.#open().length === 0) return;
    this.#forget = this.#needs.machine.clock.after(ALIVE_MS, () => {
      this.#forget = null;
      this.#then("open", () => this.#tidy());
    });
  }

  /** An adopted one may begin another conversation: its hooks stay ours. */
  #follow({ payload: { session_id } }: HookCall, { thread_id }: HookOwner): void {
    if (this.#needs.engine.state.windows[thread_id]?.adopted !== true || this.#marked.get(session_id) === thread_id)
      return;
    this.#seen.set(session_id, thread_id);
    this.#mark();
  }

  /** Without its mark, its hooks let pass what its owner would have been asked: what a disk refuses is tried again. */
  #markAgain(id: string): void {
    this.#marked.delete(id);
    // One timer, however many are refused: each look is at all of them.
    this.#forgetMarks ??= this.#needs.machine.clock.after(MARK_AGAIN_MS, () => {
      this.#forgetMarks = null;
      if (!this.#closed) this.#mark();
    });
  }

  /** Marks exactly the conversations that are in threads now. */
  #mark(): void {
    const { engine, folder } = this.#needs;
    const { windows, sessions } = engine.state;
    const adopted = Object.values(windows).filter((one) => one.adopted);
    const isIn = (threadId: string): boolean => adopted.some(({ thread_id }) => thread_id === threadId);
    const wanted = new Map([...this.#seen].filter(([, thread]) => isIn(thread)));
    for (const { thread_id, claude_session } of adopted) {
      const session = sessions[thread_id];
      for (const id of [claude_session, session?.tool === WINDOW_TOOL ? sessionKey(session) : null])
        if (id != null) wanted.set(id, thread_id);
    }
    for (const [id, thread] of wanted) {
      if (this.#marked.get(id) !== thread)
        this.#then("marks", () =>
          folder
            .adoptConversation(id, thread)
            .catch((error: unknown) => (this.#markAgain(id), Promise.reject(error as Error))),
        );
    }
    for (const id of this.#marked.keys())
      if (!wanted.has(id)) this.#then("marks", () => folder.releaseConversation(id));
    this.#marked = wanted;
  }
}
