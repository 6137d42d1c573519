/**
 * The environment of a child, built from an allow-list and never inherited: what a terminal program needs, what the
 * agents' vendors read, the owner's `pass_env`, Bellhop's own names, and what makes an agent wait for its owner.
 * Nothing of Discord's is ever in it, under any name or inside any value.
 */
export interface ChildEnvironment {
  /** The daemon's own environment, from which allowed variables are taken. */
  from: Readonly<Record<string, string | undefined>>;
  /** Names and `PREFIX_*` from the config. */
  passEnv: readonly string[];
  /** Values that no child may get: the bot token. A variable that contains one is left out, whatever its name. */
  secrets: readonly string[];
}

export interface EnvironmentRequest extends ChildEnvironment {
  /** `BELLHOP_OUTPUTS`: the folder where the agent leaves files for its owner. It also marks the state directory. */
  outputs: string;
  /** `BELLHOP_SESSION`: the thread's id. */
  session: string;
  /** `BELLHOP_JOB`: marks every process of the job, even outside its process group. */
  job: string;
  /**
   * `BELLHOP_CAPABILITY`: identifies the clients that the agent starts as its session's. Undefined: there is no socket.
   */
  capability?: string | undefined;
}

const allowed = patternsOf(
  "PATH HOME USER LOGNAME SHELL LANG LC_* TZ TERM TMPDIR XDG_* SSH_AUTH_SOCK ANTHROPIC_* CLAUDE_CONFIG_DIR CLAUDE_CODE_* OPENAI_* CODEX_* GEMINI_* GOOGLE_* OPENCODE_*".split(
    " ",
  ),
);

/** What a running Claude sets for its own children: with these an agent would take itself for one of them. */
const ofAnotherAgent = patternsOf([
  "CLAUDE_CODE_MESSAGING_*",
  "CLAUDE_CODE_SESSION*",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDECODE",
]);

/** An agent's whole environment. */
export function agentEnvironment(request: EnvironmentRequest): Record<string, string> {
  const env = scrubbedEnvironment(request);
  env["BELLHOP_OUTPUTS"] = request.outputs;
  env["BELLHOP_SESSION"] = request.session;
  env["BELLHOP_JOB"] = request.job;
  // Otherwise Claude Code, from 2.1.212 on, moves a question after two minutes into the background and continues.
  env["CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS"] = "0";
  if (request.capability !== undefined) env["BELLHOP_CAPABILITY"] = request.capability;
  return env;
}

/** The same without a job: for short queries of programs, such as an agent's `--version`. */
export function scrubbedEnvironment(request: ChildEnvironment): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.from)) {
    if (value === undefined || !mayPass(name, request.passEnv)) continue;
    if (request.secrets.some((secret) => secret !== "" && value.includes(secret))) continue;
    env[name] = value;
  }
  return env;
}

const NAMES_A_SECRET = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;
/** Shorter values are numbers, switches and names. */
const SHORTEST_VALUE = 16;

/**
 * Values passed to a child that are secrets by the name of their variable: long enough, and neither a path nor an
 * address, which people have to read.
 * @param isThere whether there is a file or folder at this absolute path
 */
export function secretValues(request: ChildEnvironment, isThere: (path: string) => boolean): string[] {
  return Object.entries(scrubbedEnvironment(request)).flatMap(([name, value]) => {
    const secret = value.trim();
    return NAMES_A_SECRET.test(name) &&
      secret.length >= SHORTEST_VALUE &&
      !isPath(secret, isThere) &&
      !isAddress(secret)
      ? [secret]
      : [];
  });
}

/** Base64 may begin like a path too: then there is no such folder. */
function isPath(value: string, isThere: (path: string) => boolean): boolean {
  if (/^(?:~|\.{1,2})[/\\]|^[A-Za-z]:[/\\]/.test(value)) return true;
  const [, first] = /^(\/[^/\n]+)/.exec(value) ?? [];
  return first !== undefined && isThere(first);
}

/** A URL, a mail address, a host with its domain, or one with a port. */
function isAddress(value: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return true;
  return (
    /^(?:[^\s@]{1,64}@)?(?:[a-z0-9-]{1,63}\.){1,10}[a-z]{2,24}(?::\d{1,5})?(?:\/\S*)?$/.test(value) ||
    /^[\w.-]{1,253}:\d{1,5}$/.test(value)
  );
}

export interface RefusedEntry {
  entry: string;
  reason: "discord" | "ours" | "not_a_name";
}

/** The refused entries of `pass_env`, each with its reason; for the check of the config. */
export function refusedPassEnv(passEnv: readonly string[]): RefusedEntry[] {
  return passEnv.flatMap((entry): RefusedEntry[] => {
    if (isDiscords(entry)) return [{ entry, reason: "discord" }];
    if (entry.startsWith("BELLHOP_")) return [{ entry, reason: "ours" }];
    return /^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(entry) ? [] : [{ entry, reason: "not_a_name" }];
  });
}

function mayPass(name: string, passEnv: readonly string[]): boolean {
  if (isDiscords(name) || name.startsWith("BELLHOP_")) return false;
  if (passEnv.includes(name)) return true;
  if (matches(name, ofAnotherAgent)) return false;
  return matches(name, allowed) || (passEnv.length > 0 && matches(name, patternsOf(passEnv)));
}

interface Patterns {
  names: ReadonlySet<string>;
  prefixes: readonly string[];
}

/** Read once, because each job asks about each variable several times. */
function patternsOf(all: readonly string[]): Patterns {
  const isPrefix = (pattern: string): boolean => pattern.length > 1 && pattern.endsWith("*");
  return {
    names: new Set(all.filter((one) => !isPrefix(one))),
    prefixes: all.filter(isPrefix).map((one) => one.slice(0, -1)),
  };
}

function matches(name: string, { names, prefixes }: Patterns): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

function isDiscords(name: string): boolean {
  return name.toUpperCase().startsWith("DISCORD");
}
