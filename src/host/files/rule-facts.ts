/**
 * What only this machine knows of a request that the owner's rules judge, now: where the paths that it names really
 * lead, and how the MCP server whose tool it uses is defined.
 */
import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { digestOf } from "../../base/digest.ts";
import { workOf } from "../../core/decisions/asker.ts";
import type { Asked } from "../../core/decisions/decision.ts";
import { usualDirectory } from "../../core/jobs/side-by-side.ts";
import { pathsOf, serverOf, type RuleFacts, type RuleRequest } from "../../core/rules/judge.ts";
import type { State } from "../../core/state.ts";

export type AskedToJudge = RuleRequest & Pick<Asked, "thread_id">;

/**
 * Never rejects: what cannot be found out is null.
 * @param claudeState the file in which Claude Code keeps what is this user's
 */
export async function factsFor(
  state: State,
  { thread_id, ...request }: AskedToJudge,
  claudeState: string,
): Promise<RuleFacts> {
  const project = state.sessions[thread_id ?? ""]?.project_name ?? null;
  const { cwd: starts = null } = request.subject ?? {};
  const [place = null, cwd = null] = await Promise.all(
    [workplace(state, { thread_id, asker: request.asker }), starts].map(realOrNull),
  );
  // Where it would start is not sure: nothing allows it.
  const root = request.subject?.cwd === null ? null : place;
  const named = pathsOf(request, { root, cwd });
  const real = await Promise.all(
    named.map(async ({ name, at }) => [name, at === null ? null : await standsAt(at)] as const),
  );
  const files = await Promise.all(
    real.map(async ([name, path]) => (path !== null && (await isFile(path)) ? [name] : [])),
  );
  const server = request.subject?.described || hasOwnServers(state, thread_id) ? null : serverOf(request);
  const definition = server === null || root === null ? null : await definitionOf(server, root, claudeState);
  return { thread_id, project, root, cwd, real: new Map(real), files: new Set(files.flat()), definition };
}

/** Whether its agent may have servers that no file defines: by its arguments, or because its owner started it himself. */
function hasOwnServers({ sessions, projects, windows }: State, threadId: string | null): boolean {
  const given = projects[sessions[threadId ?? ""]?.project_name ?? ""]?.default_args ?? {};
  const hasOthers = Object.values(given)
    .flat()
    .some((one) => /^--(?:mcp-config|plugin|settings)/.test(one));
  return hasOthers || windows[threadId ?? ""]?.adopted === true;
}

/** The digest of all that Claude Code's files say of a server under this name; null: none does. */
async function definitionOf(server: string, root: string, claudeState: string): Promise<string | null> {
  const [shared, own] = await Promise.all([join(root, ".mcp.json"), claudeState].map(jsonIn));
  const places = [shared, own, below(below(own, "projects"), root)].map((one) => below(one, "mcpServers"));
  // As Claude spells its name in those of its tools.
  const found = places.map((all) =>
    Object.entries(isObject(all) ? all : {}).filter(([name]) => name.replace(/[^\w-]/g, "_") === server),
  );
  return found.flat().length === 0 ? null : digestOf(JSON.stringify(found));
}

async function jsonIn(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

function below(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Where the agent works; null: nowhere, or something that has changed there waits for the owner. */
function workplace(state: State, { thread_id, asker }: Pick<Asked, "thread_id" | "asker">): string | null {
  const thread = state.threads[thread_id ?? ""];
  const session = state.sessions[thread_id ?? ""];
  if (!thread || !session || !state.projects[session.project_name] || thread.wait?.kind === "changed") return null;
  const { begun } = state.runs[workOf(asker) ?? ""] ?? {};
  return begun?.checkout?.cwd ?? usualDirectory(state, thread.thread_id) ?? null;
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function realOrNull(path: string | null): Promise<string | null> {
  return path === null ? null : await realpath(path).catch(() => null);
}

/** The real path of what stands there or, where nothing does, of the nearest folder above it, and then the rest. */
async function standsAt(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isAbsent(error)) return null;
  }
  // A link that leads nowhere.
  if (
    await lstat(path).then(
      () => true,
      (error: unknown) => !isAbsent(error),
    )
  )
    return null;
  const above = dirname(path) === path ? null : await standsAt(dirname(path));
  return above === null ? null : join(above, basename(path));
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
