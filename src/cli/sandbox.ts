/**
 * `bellhop sandbox`: the daemon with a strict local Discord and its page, for a newcomer without an account. It keeps
 * everything in its own folder, so nothing is mixed with a real server later.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSandbox, type Sandbox } from "discord-sandbox";
import { agentsHere } from "../agents/drivers.ts";
import { systemClock } from "../base/clock.ts";
import { nodeDisk } from "../base/disk.ts";
import { silentLog } from "../base/log.ts";
import { homeOf, TOKEN_NAMES } from "../config/homes.ts";
import type { Settings } from "../config/settings.ts";
import { which } from "../host/processes/which.ts";
import { ConfigProjects } from "../engine/config-projects.ts";
import { lookAtDirectory } from "../host/files/kept-files.ts";
import { runDaemon } from "./start/foreground.ts";
import { leaveDiscordBehind } from "./start/handover.ts";
import type { Io } from "./io.ts";
import { isRepository, writeProjects } from "./new-projects.ts";
import { readOptions, wholeNumber } from "./options.ts";
import { settingsHere } from "./start/settings-here.ts";

/** The page's default port; if it is busy, a free one is used. */
const USUAL_PORT = 4000;

/** `--port N` chooses the port, `--json` prints the ready line as an object. */
export async function sandbox(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, { json: { type: "boolean" }, port: { type: "string" } });
  const port = values.port === undefined ? undefined : wholeNumber("--port", values.port, 0, 65_535);
  const given = settingsHere(io, "sandbox", [...TOKEN_NAMES, "BELLHOP_DISCORD_API"]);
  const settings = { ...given, agentCommand: given.agentCommand ?? demoAgent(io.env) };
  // None of the real Discord's variables are meant for the sandbox.
  leaveDiscordBehind(io.env, null);
  const stateDir = join(settings.stateDir, "sandbox");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  await useDirectory(io, stateDir, settings);
  const server = await open(port, join(stateDir, "discord.json"));
  try {
    return await runDaemon(
      {
        ...settings,
        stateDir,
        logDir: join(stateDir, "logs"),
        // Programs that read the real pending files must not see the sandbox's.
        pendingDir: join(stateDir, "pending_decisions"),
        inboxFile: join(stateDir, "discord_inbox.json"),
        token: { value: server.botToken, from: "sandbox" },
        ownerId: server.owner.id as typeof settings.ownerId,
        guildId: server.guildId as typeof settings.guildId,
        channelId: server.channelId as typeof settings.channelId,
        discordApi: server.api,
        realDiscord: false,
      },
      io,
      values.json ?? false,
      server.link,
    );
  } finally {
    await server.close();
  }
}

/** When it is started in a repository for the first time, its greeting offers a session there. */
async function useDirectory(io: Io, stateDir: string, settings: Settings): Promise<void> {
  const path = join(stateDir, "config.json");
  if (!isRepository(process.cwd()) || existsSync(path)) return;
  const directory = await lookAtDirectory(process.cwd(), { home: homeOf(io.env), stateDir });
  if (directory.is !== "directory") return;
  const projects = await ConfigProjects.open({
    disk: nodeDisk,
    path,
    locale: settings.locale,
    clock: systemClock,
    log: silentLog,
  });
  const { findAgents: look } = agentsHere(io.env, projects, settings);
  const all = await look();
  const found = all.filter((agent) => agent.found);
  await writeProjects(
    stateDir,
    [],
    [directory.path],
    (found.length > 0 ? found : all).map(({ tool }) => tool),
  );
}

async function open(port: number | undefined, file: string): Promise<Sandbox> {
  const names = { guild: "Bellhop sandbox", bot: "bellhop" };
  if (port !== undefined) return startSandbox({ port, file, names });
  try {
    return await startSandbox({ port: USUAL_PORT, file, names });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return startSandbox({ port: 0, file, names });
  }
}

/** Without an agent for the tool `acp`, the sandbox has one of its own, so that there is somebody to write to. */
function demoAgent(env: Io["env"]): string[] | undefined {
  const isThere = ["claude-agent-acp", "claude-code-acp"].some((name) => which(name, env["PATH"]) !== null);
  const file = fileURLToPath(new URL("./demo-agent.js", import.meta.url));
  return isThere || !existsSync(file) ? undefined : [process.execPath, file];
}
