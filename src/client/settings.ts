/**
 * What a client was started with: its own variables, from its environment only, which it sends with its hello; and
 * which daemon it uses. A client inside a session uses the daemon of that session. It reads no `.env`, because it
 * starts in the repositories that agents work in.
 */
import { basename, dirname, isAbsolute, join } from "node:path";
import { isNear } from "../config/homes.ts";
import { loadSettings, givenValues, type Environment, type Settings } from "../config/settings.ts";

export interface ClientSettings {
  settings: Settings;
  /** Sent with the hello. */
  variables: Record<string, string>;
  /**
   * The capability that a session's agent was given: it binds the client to that session, whatever its variables say.
   */
  capability: string | undefined;
  /** Where a daemon may be found, most likely first. */
  stateDirs: string[];
  /**
   * Our variables for a daemon that is started for this client; paths are absolute. They contain no Discord settings
   * and no address that would receive other clients' tokens, because a client's settings do not speak for the owner.
   */
  forDaemon: Record<string, string>;
}

const FOR_DAEMON = new Set([
  "LOG_DIR",
  "PENDING_DIR",
  "POLL_INTERVAL_SECONDS",
  "BELLHOP_LOCALE",
  "BELLHOP_DISCORD_API",
]);

/** @throws E_CONFIG_INVALID for the first malformed setting */
export function clientSettings(env: Environment, cwd: string): ClientSettings {
  const own = stateDirOfSession(env);
  const settings = loadSettings(own === undefined ? env : { ...env, STATE_DIR: own }, cwd);
  const given = givenValues(env, cwd);
  const variables: Record<string, string | undefined> = {
    DISCORD_BOT_TOKEN: settings.token?.value,
    DISCORD_CHANNEL_ID: settings.channelId,
    PROJECT_NAME: settings.projectName,
    // If not given, the daemon chooses: a sandbox uses another one.
    PENDING_DIR: given["PENDING_DIR"],
    POLL_INTERVAL_SECONDS: String(settings.pollIntervalMs / 1000),
  };
  const { stateDir } = settings;
  return {
    settings,
    variables: defined(variables),
    capability: own === undefined ? undefined : env["BELLHOP_CAPABILITY"]?.trim(),
    // A sandbox knows only its own bot, so a client with a token does not use it.
    stateDirs: settings.token === undefined && own === undefined ? [stateDir, join(stateDir, "sandbox")] : [stateDir],
    forDaemon: { ...forDaemon(settings, given), STATE_DIR: stateDir },
  };
}

function forDaemon({ discordApi }: Settings, given: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(given).filter(
    ([name]) => FOR_DAEMON.has(name) && (name !== "BELLHOP_DISCORD_API" || isNear(discordApi)),
  );
  return Object.fromEntries(kept);
}

/** The daemon's state directory, derived from the folder that an agent's environment names for its files. */
function stateDirOfSession({
  BELLHOP_CAPABILITY: capability,
  BELLHOP_OUTPUTS: outputs,
}: Environment): string | undefined {
  if (!capability?.trim() || !outputs || !isAbsolute(outputs) || basename(dirname(outputs)) !== "outputs")
    return undefined;
  return dirname(dirname(outputs));
}

function defined(all: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1].trim() !== ""),
  );
}
