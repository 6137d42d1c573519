/**
 * The user's own directories, as the environment names them, the variables of the token, and the hosts to which any
 * setting may send it. It is loaded before anything else, so it imports nothing of ours.
 */
import { homedir } from "node:os";
import { join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The token's variables; the first that is set is used. */
export const TOKEN_NAMES = ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN", "DISCORD_TOKEN_FILE"] as const;

export function homeOf(env: Environment): string {
  return nonBlank(env["HOME"]) ?? homedir();
}

/** The user's configuration directory. The XDG specification says to ignore relative values. */
export function configHome(env: Environment): string {
  const named = nonBlank(env["XDG_CONFIG_HOME"]);
  return named?.startsWith("/") ? named : join(homeOf(env), ".config");
}

/** Where Claude Code keeps what is this user's. */
export function claudeHome(env: Environment): string {
  return nonBlank(env["CLAUDE_CONFIG_DIR"]) ?? join(homeOf(env), ".claude");
}

/** Where agents' programs keep their own records of conversations, by tool. */
export const recordFolders = {
  claude: (env: Environment) => join(claudeHome(env), "projects"),
  tmux: (env: Environment) => join(claudeHome(env), "projects"),
  codex: (env: Environment) => join(nonBlank(env["CODEX_HOME"]) ?? join(homeOf(env), ".codex"), "sessions"),
  gemini: (env: Environment) => join(nonBlank(env["GEMINI_CLI_HOME"]) ?? homeOf(env), ".gemini", "tmp"),
};

/** Claude Code's own settings of this user. */
export function claudeSettings(env: Environment): string {
  return join(claudeHome(env), "settings.json");
}

/** Where Claude Code keeps what it knows of this user and of his projects. */
export function claudeState(env: Environment): string {
  return join(nonBlank(env["CLAUDE_CONFIG_DIR"]) ?? homeOf(env), ".claude.json");
}

/** The directory for programs' state. */
export function platformState(env: Environment): string {
  if (process.platform === "darwin") return join(homeOf(env), "Library", "Application Support");
  if (process.platform === "win32") return nonBlank(env["LOCALAPPDATA"]) ?? join(homeOf(env), "AppData", "Local");
  const named = nonBlank(env["XDG_STATE_HOME"]);
  return named?.startsWith("/") ? named : join(homeOf(env), ".local", "state");
}

/** Expands `~` and `~/…` as a shell does; another user's home (`~name`) is left as it is. */
export function underHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}

/** A variable with an empty value counts as not set, as in the empty lines of `.env.example`. */
export function nonBlank(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}

/** Whether an address is Discord's or this machine's. */
export function isNear(address: string): boolean {
  const url = new URL(address);
  return isThisMachine(url) || (url.protocol === "https:" && /^((ptb|canary)\.)?discord\.com$/.test(url.hostname));
}

export function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
