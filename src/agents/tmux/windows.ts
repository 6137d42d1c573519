/** The windows of tmux sessions: where their server is, what a Claude in one is started with, and which still stand. */
import { join } from "node:path";
import { nodeDisk, openFolder, writeAtomically } from "../../base/disk.ts";
import type { Log } from "../../base/log.ts";
import type { Config } from "../../config/config-file.ts";
import { claudeSettings } from "../../config/homes.ts";
import type { State } from "../../core/state.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HookChannel } from "../../engine/hook-channel.ts";
import { readOwnersLine } from "../../host/hooks/claude-settings.ts";
import { scrubbedEnvironment } from "../../host/processes/environment.ts";
import { systemProcessTable } from "../../host/processes/process-table.ts";
import { which } from "../../host/processes/which.ts";
import { socketPlaces } from "../../host/socket-path.ts";
import { openTmux, type Tmux } from "../../host/terminal/tmux.ts";
import { childEnvironment, type MachineContext } from "../process/machine.ts";
import type { WindowsDeps } from "./driver.ts";
import { settingsFor } from "./launch.ts";

/** In the command of a window, as Bellhop opens one. */
const OPENED = "/hooks/window-[0-9]+[.]json";

/** The server with this socket; null where there is no tmux. */
export function tmuxAt(machine: MachineContext, socket: string): Tmux | null {
  const env = scrubbedEnvironment(childEnvironment(machine));
  const file = which("tmux", env["PATH"]);
  return file === null ? null : openTmux({ file, env, service: machine.env, socket });
}

/** @throws what the disk throws */
export async function openWindows(
  machine: MachineContext,
  engine: Engine,
  hooks: HookChannel,
  log: Log,
): Promise<WindowsDeps> {
  const { settings, env, configProjects } = machine;
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
  await closeOrphans(machine, socket, engine.state, log);
  return {
    engine,
    hooks,
    table: systemProcessTable(),
    at: (one) => tmuxAt(machine, one),
    socket,
    session: (threadId) => serverOf(threadId)?.tmux_session ?? "bellhop",
    settings: write,
  };
}

/**
 * Closes windows of our server that were opened for a session but are not in the state: the last daemon ended before it
 * had written them down, or after their Claude had ended.
 */
async function closeOrphans(machine: MachineContext, socket: string, { windows }: State, log: Log): Promise<void> {
  const tmux = tmuxAt(machine, socket);
  for (const pane of (await tmux?.panes(OPENED)) ?? []) {
    if (
      Object.values(windows).some(
        (one) => one.socket === socket && one.pane_id === pane.pane_id && one.pid === pane.pid,
      )
    )
      continue;
    log.info("a window that belongs to no session is closed", { pane_id: pane.pane_id, pid: pane.pid });
    await tmux?.close(pane);
  }
}

/** Threads whose windows stand, each with the Claude it was opened with. */
export async function standingWindows(machine: MachineContext, windows: State["windows"]): Promise<string[]> {
  const table = systemProcessTable();
  const sockets = [...new Set(Object.values(windows).map(({ socket }) => socket))];
  const panes = new Map(
    await Promise.all(sockets.map(async (socket) => [socket, (await tmuxAt(machine, socket)?.panes()) ?? []] as const)),
  );
  return Object.values(windows).flatMap(({ thread_id, socket, pane_id, pid, start_time, adopted }) => {
    const pane = panes.get(socket)?.find((one) => one.pane_id === pane_id);
    // In the owner's pane his shell came first.
    return pane && (adopted || pane.pid === pid) && !pane.dead && table.read(pid)?.startTime === start_time
      ? [thread_id]
      : [];
  });
}
