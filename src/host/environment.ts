/**
 * The environment of a child, built from an allow-list and never inherited: what a terminal program needs, what
 * the agents' vendors read, what the owner's `pass_env` adds, and the three names of ours. Nothing of Discord's
 * is ever in it, under no name and inside no value.
 */
export interface EnvironmentRequest {
  /** The daemon's own environment, from which the allowed is taken. */
  from: Readonly<Record<string, string | undefined>>;
  /** Names and `PREFIX_*` from the config. */
  passEnv: readonly string[];
  /** Values that must be in no child: the bot token. A variable that holds one is left out, whatever its name. */
  secrets: readonly string[];
  /** `BELLHOP_OUTPUTS`: the folder where the agent leaves files for its owner. It also marks the state directory. */
  outputs: string;
  /** `BELLHOP_SESSION`: the thread's id. */
  session: string;
  /** `BELLHOP_JOB`: marks every process of the job, however far it wanders. */
  job: string;
}

const allowed =
  "PATH HOME USER LOGNAME SHELL LANG LC_* TZ TERM TMPDIR XDG_* SSH_AUTH_SOCK ANTHROPIC_* CLAUDE_CONFIG_DIR CLAUDE_CODE_* OPENAI_* CODEX_* GEMINI_* GOOGLE_*".split(
    " ",
  );

/** What a running Claude sets for its own children: with these an agent would take itself for one of them. */
const ofAnotherAgent = ["CLAUDE_CODE_MESSAGING_*", "CLAUDE_CODE_SESSION*", "CLAUDE_CODE_ENTRYPOINT", "CLAUDECODE"];

/** An agent's whole environment. */
export function agentEnvironment(request: EnvironmentRequest): Record<string, string> {
  const env = scrubbedEnvironment(request);
  env["BELLHOP_OUTPUTS"] = request.outputs;
  env["BELLHOP_SESSION"] = request.session;
  env["BELLHOP_JOB"] = request.job;
  return env;
}

/** The same without a job: for the short programs we ask something, an agent's `--version`. */
export function scrubbedEnvironment(
  request: Pick<EnvironmentRequest, "from" | "passEnv" | "secrets">,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.from)) {
    if (value === undefined || !mayPass(name, request.passEnv)) continue;
    if (request.secrets.some((secret) => secret !== "" && value.includes(secret))) continue;
    env[name] = value;
  }
  return env;
}

export interface RefusedEntry {
  entry: string;
  reason: "discord" | "ours" | "not_a_name";
}

/** The entries of `pass_env` that are refused, each with why; for the check of the config. */
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
  return matches(name, allowed) || matches(name, passEnv);
}

function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.length > 1 && pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

function isDiscords(name: string): boolean {
  return name.toUpperCase().startsWith("DISCORD");
}
