/**
 * Opens the socket for Claude's hooks, once the drivers know which Claudes are theirs, and offers those that belong to
 * no session.
 */
import { openAdoptions, type Adopting, type AdoptionsOptions } from "../agents/tmux/adoption.ts";
import type { RunContext } from "../agents/run/run-context.ts";
import { openHookAsking } from "../agents/run/asking/hook-asking.ts";
import { openScreenAsking } from "../agents/run/asking/screen-asking.ts";
import { nodeDisk, readWhole } from "../base/disk.ts";
import { say } from "../base/words/say.ts";
import { claudeSettings } from "../config/homes.ts";
import type { Engine } from "../engine/engine.ts";
import type { HookChannel } from "../engine/hook-channel.ts";
import { hasHooks, withoutHooks } from "../host/hooks/claude-settings.ts";
import { openHookFolder } from "../host/hooks/hook-folder.ts";
import { standingDirectory } from "../host/files/kept-files.ts";
import { systemProcessTable } from "../host/processes/process-table.ts";
import { openHookServer } from "../ipc/hook-server.ts";
import { program, type Ground, type Who } from "./ground.ts";
import { tmuxAt } from "./windows.ts";

/**
 * Without it Claude's hooks stay silent or wait, and everything else works; so a failure is only logged. Null then.
 * @param who the bot that asks whether a Claude is taken
 */
export async function openHooks(
  ground: Ground,
  channel: HookChannel,
  runs: RunContext,
  who: Promise<Who>,
): Promise<Adopting | null> {
  const { settings, log, opened } = ground;
  const module = log.module("hooks");
  try {
    const folder = await openHookFolder(nodeDisk, settings.stateDir, { node: process.execPath, program: program() });
    const processes = systemProcessTable();
    const adopting = await openAdoptions({
      engine: runs.engine,
      clock: ground.clock,
      log: module,
      hooks: channel,
      table: processes,
      folder,
      ...placesOf(ground, runs.engine, who),
    });
    opened.push(() => adopting.close());
    const asking = openHookAsking({ ...runs, log: module });
    opened.push(() => asking.close());
    const screens = openScreenAsking({ ...runs, log: module });
    opened.push(() => screens.close());
    const server = await openHookServer({ folder, channel, processes, clock: ground.clock, log: module, asking });
    opened.push(() => server.close());
    await warnAboutOutdatedHooks(ground, folder.path);
    return adopting;
  } catch (error) {
    module.failure("the socket for Claude's hooks cannot be opened", error);
    return null;
  }
}

/**
 * The settings of Claude keep the hooks as they were installed, whatever this version or `permission_tools` would make
 * of them.
 */
async function warnAboutOutdatedHooks(
  { env, settings: { locale }, configProjects, log }: Ground,
  folder: string,
): Promise<void> {
  const path = claudeSettings(env);
  try {
    const text = (await readWhole(nodeDisk, path))?.toString() ?? "{}";
    if (
      withoutHooks(text, folder, text) === text ||
      hasHooks(text, { folder, permissionTools: configProjects.config.permission_tools })
    )
      return;
    log.module("hooks").warn(`${say(locale, "doctor.hooks.old", { path })} ${say(locale, "doctor.hooks.mend")}`);
  } catch {
    // Settings that cannot be read have no hooks for Claude either; the doctor says so.
  }
}

/** Where the owner's own Claudes are looked for. He is asked about them in the channel of their project. */
function placesOf(
  ground: Ground,
  engine: Engine,
  who: Promise<Who>,
): Pick<AdoptionsOptions, "at" | "directoryAt" | "placeFor" | "takesFirst"> {
  const { settings, configProjects } = ground;
  return {
    at: (socket) => tmuxAt(ground, socket),
    directoryAt(path) {
      const found = standingDirectory(path, settings.stateDir);
      return found === null || found.ours ? null : found.path;
    },
    async placeFor(name) {
      const { sessions, threads } = engine.state;
      const latest = Object.values(sessions)
        .filter(({ project_name }) => project_name === name)
        .sort((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1))[0];
      const thread = threads[latest?.thread_id ?? ""];
      const { bot_id, guild_id } = thread ?? (await who);
      const channel_id = configProjects.config.projects[name]?.channel_id ?? thread?.channel_id ?? settings.channelId;
      return channel_id === undefined ? null : { channel_id, guild_id, bot_id };
    },
    takesFirst: (name) => configProjects.config.projects[name]?.adopt === true,
  };
}
