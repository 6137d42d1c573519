/**
 * What a face was started with: its own variables, from the environment and from `.env` here, as they travel with
 * everything it asks; and which daemon it belongs to. A face inside a session belongs to the daemon of that session.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isSnowflake } from "../../base/ids.ts";
import { parseDotenv } from "../../config/dotenv.ts";
import { isVariable } from "../../config/environment.ts";
import { loadSettings, type Environment, type Settings } from "../../config/settings.ts";

export interface FaceSettings {
  settings: Settings;
  /** What is sent with the hello. */
  variables: Record<string, string>;
  /** The thread of the session it was started in. */
  session: string | undefined;
  /** Where a daemon may be found, the likeliest first. */
  stateDirs: string[];
  /** Our variables as a daemon that is started for this face gets them; its paths are absolute. */
  forDaemon: Record<string, string>;
}

const PATHS = new Set(["STATE_DIR", "LOG_DIR", "PENDING_DIR", "DISCORD_TOKEN_FILE"]);

/** @throws E_CONFIG_INVALID for the first setting that is malformed */
export function faceSettings(env: Environment, cwd: string): FaceSettings {
  const own = stateDirOfSession(env);
  const settings = loadSettings(own === undefined || env["STATE_DIR"] ? env : { ...env, STATE_DIR: own }, cwd);
  const session = env["BELLHOP_SESSION"]?.trim();
  const variables: Record<string, string | undefined> = {
    DISCORD_BOT_TOKEN: settings.token?.value,
    DISCORD_CHANNEL_ID: settings.channelId,
    PROJECT_NAME: settings.projectName,
    PENDING_DIR: settings.pendingDir,
    POLL_INTERVAL_SECONDS: String(settings.pollIntervalMs / 1000),
    BELLHOP_SESSION: isSnowflake(session) ? session : undefined,
  };
  const { stateDir } = settings;
  return {
    settings,
    variables: defined(variables),
    session: variables["BELLHOP_SESSION"],
    // A sandbox knows no bot but its own, so with a token it is not meant.
    stateDirs: settings.token === undefined ? [stateDir, join(stateDir, "sandbox")] : [stateDir],
    forDaemon: { ...ours(env, cwd), STATE_DIR: stateDir },
  };
}

/** An agent's environment names the state directory of its daemon by the folder it was given for its files. */
function stateDirOfSession({ BELLHOP_SESSION: session, BELLHOP_OUTPUTS: outputs }: Environment): string | undefined {
  if (!session || !outputs || !isAbsolute(outputs) || basename(dirname(outputs)) !== "outputs") return undefined;
  return dirname(dirname(outputs));
}

function ours(env: Environment, cwd: string): Record<string, string> {
  const all = { ...Object.fromEntries(dotenv(cwd)), ...filled(env) };
  const named = Object.entries(all).filter(([name]) => isVariable(name));
  return defined(Object.fromEntries(named.map(([name, value]) => [name, value && PATHS.has(name) ? resolve(cwd, value) : value])));
}

/** That it can be read has been seen before. */
function dotenv(cwd: string): Map<string, string> {
  try {
    return parseDotenv(readFileSync(join(cwd, ".env"), "utf8")).values;
  } catch {
    return new Map();
  }
}

function filled(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""));
}

function defined(all: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1].trim() !== ""));
}
