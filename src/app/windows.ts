/** The windows of tmux sessions: where their server is, which still stand at a start, and who takes them up again. */
import { join } from "node:path";
import type { RunContext } from "../agents/run/run-context.ts";
import { openingOf } from "../agents/run/start-guard.ts";
import type { WindowsDeps } from "../agents/tmux/driver.ts";
import { settingsFor } from "../agents/tmux/launch.ts";
import { nodeDisk, openFolder, writeAtomically } from "../base/disk.ts";
import type { Config } from "../config/config-file.ts";
import { claudeSettings } from "../config/homes.ts";
import { sessionSettings } from "../config/session-settings.ts";
import { WINDOW_TOOL, type Window } from "../core/sessions/windows.ts";
import type { State } from "../core/state.ts";
import type { Engine } from "../engine/engine.ts";
import type { HookChannel } from "../engine/hook-channel.ts";
import { reconcile } from "../engine/reconcile.ts";
import { readOwnersLine } from "../host/hooks/claude-settings.ts";
import { scrubbedEnvironment } from "../host/processes/environment.ts";
import { systemProcessTable } from "../host/processes/process-table.ts";
import { which } from "../host/processes/which.ts";
import { socketPlaces } from "../host/socket-path.ts";
import { openTmux, type Tmux } from "../host/terminal/tmux.ts";
import { childEnvironment, type DriverGround, type Ground } from "./ground.ts";

/** In the command of a window, as Bellhop opens one. */
const OPENED = "/hooks/window-[0-9]+[.]json";

/** The server with this socket; null where there is no tmux. */
export function tmuxAt(ground: DriverGround, socket: string): Tmux | null {
  const env = scrubbedEnvironment(childEnvironment(ground));
  const file = which("tmux", env["PATH"]);
  return file === null ? null : openTmux({ file, env, service: ground.env, socket });
}

/** @throws what the disk throws */
export async function openWindows(ground: Ground, engine: Engine, hooks: HookChannel): Promise<WindowsDeps> {
  const { settings, env, configProjects } = ground;
  const [place = join(settings.stateDir, "bellhop.sock")] = await socketPlaces(
    settings.stateDir,
    env["XDG_RUNTIME_DIR"],
  );
  const folder = await openFolder(nodeDisk, settings.stateDir, "hooks");
  const serverOf = (threadId: string): Config["servers"][string] | undefined =>
    Object.values(configProjects.config.servers).find(
      ({ guild_id }) => guild_id === engine.state.threads[threadId]?.guild_id,
    );
  const write = async (threadId: string, readable: readonly string[]): Promise<string> => {
    const file = join(folder, `window-${threadId}.json`);
    const wanted = {
      folder,
      permissionTools: [
        ...new Set([...configProjects.config.permission_tools, ...(serverOf(threadId)?.permission_tools ?? [])]),
      ],
    };
    await writeAtomically(
      nodeDisk,
      file,
      Buffer.from(
        `${JSON.stringify(settingsFor(wanted, readable, await readOwnersLine(claudeSettings(env), folder)), null, 2)}\n`,
      ),
    );
    return file;
  };
  const socket = place.replace(/\.sock$/, ".tmux");
  await closeOrphans(ground, socket, engine.state);
  return {
    engine,
    hooks,
    table: systemProcessTable(),
    at: (one) => tmuxAt(ground, one),
    socket,
    session: (threadId) => serverOf(threadId)?.tmux_session ?? "bellhop",
    settings: write,
  };
}

/**
 * Closes windows of our server that were opened for a session but are not in the state: the last daemon ended before it
 * had written them down, or after their Claude had ended.
 */
async function closeOrphans(ground: Ground, socket: string, { windows }: State): Promise<void> {
  const tmux = tmuxAt(ground, socket);
  for (const pane of (await tmux?.panes(OPENED)) ?? []) {
    if (
      Object.values(windows).some(
        (one) => one.socket === socket && one.pane_id === pane.pane_id && one.pid === pane.pid,
      )
    )
      continue;
    ground.log
      .module("agents")
      .info("a window that belongs to no session is closed", { pane_id: pane.pane_id, pid: pane.pid });
    await tmux?.close(pane);
  }
}

/** Threads whose windows stand, each with the Claude it was opened with. */
export async function standingWindows(ground: DriverGround, windows: State["windows"]): Promise<string[]> {
  const table = systemProcessTable();
  const sockets = [...new Set(Object.values(windows).map(({ socket }) => socket))];
  const panes = new Map(
    await Promise.all(sockets.map(async (socket) => [socket, (await tmuxAt(ground, socket)?.panes()) ?? []] as const)),
  );
  return Object.values(windows).flatMap(({ thread_id, socket, pane_id, pid, start_time, adopted }) => {
    const pane = panes.get(socket)?.find((one) => one.pane_id === pane_id);
    // In the owner's pane his shell came first.
    return pane && (adopted || pane.pid === pid) && !pane.dead && table.read(pid)?.startTime === start_time
      ? [thread_id]
      : [];
  });
}

/**
 * Listens to the Claudes of windows that an earlier daemon left, and of those that are adopted; where one has a job, it
 * is listened to with that.
 */
export async function takeUpWindows(ground: Ground, runs: RunContext): Promise<void> {
  const { engine, agents, clock } = runs;
  const windows = reconcile({
    engine,
    clock,
    log: ground.log.module("agents"),
    failure: "the Claude of a window cannot be listened to",
    details: (thread_id) => ({ thread_id }),
    follows: "windows",
    step(thread_id, again) {
      const window = engine.state.windows[thread_id];
      // Whoever opens a window listens to it from the beginning.
      const isLeft = window !== undefined && (window.adopted || again);
      return isLeft && !hasJob(engine.state, thread_id) && agents.agentFacts(thread_id) === null
        ? takeUp(ground, runs, window)
        : null;
    },
  });
  windows.start();
  ground.opened.push(() => windows.close());
  await windows.whenIdle();
}

/** Its Claude may have ended meanwhile. */
async function takeUp(ground: Ground, runs: RunContext, window: Window): Promise<void> {
  const { engine, agents, drivers } = runs;
  const { thread_id, pane_id, cwd } = window;
  const session = engine.state.sessions[thread_id];
  const driver = drivers.get(WINDOW_TOOL);
  if (!driver || !session) return;
  const [stands] = await standingWindows(ground, { [thread_id]: window });
  if (stands === undefined)
    return void (await engine.submit({ type: "close_window", thread_id, pane_id, why: "lost" }));
  const opening = openingOf(runs, { ...session, tool: WINDOW_TOOL }, cwd);
  await agents.open(driver, opening);
  if (!hasJob(engine.state, thread_id)) await agents.afterTurn(thread_id, opening.key);
}

function hasJob({ threads }: State, threadId: string): boolean {
  return threads[threadId]?.busy_job != null;
}

/** The threads whose windows config.json wants opened at the start; what it does not name is left as it is. */
export function startupThreads({ projects }: Config, { sessions }: State): Set<string> {
  const named = Object.values(projects).flatMap((project) =>
    [project.channel_id, ...(project.threads ?? []).map(({ thread_id }) => thread_id)].flatMap((id) =>
      id !== undefined && sessionSettings(project, id).startup ? [id] : [],
    ),
  );
  const known = Object.values(sessions).filter(
    ({ thread_id, project_name }) =>
      projects[project_name] && sessionSettings(projects[project_name], thread_id).startup,
  );
  return new Set([...named, ...known.map(({ thread_id }) => thread_id)]);
}
