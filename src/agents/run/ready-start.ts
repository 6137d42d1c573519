/**
 * Opens the agent of an `/agent start` before its thread is made: one that cannot be opened leaves nothing behind, no
 * thread and no process. If the project is not as its owner has seen it, none of it may run before he is asked: then
 * the agent is opened with the first job, as for `/start`.
 */
import { resolve } from "node:path";
import { BellhopError, type ErrorDetails } from "../../base/errors.ts";
import { isolates } from "../../config/session-settings.ts";
import { seenAt } from "../../core/projects/seen.ts";
import type { Start } from "../../core/sessions/session.ts";
import { failure } from "./conclusion.ts";
import type { RunDependencies } from "./dependencies.ts";
import { openingOf } from "./opening.ts";
import { lookAt, see } from "./start-guard.ts";

/** @throws BellhopError for why the agent cannot be opened; the start is dropped then */
export async function readyStart(options: RunDependencies, request_id: string): Promise<void> {
  const { engine, agents, redactor } = options;
  const start = engine.state.starts[request_id];
  if (!start?.agent || start.readied) return;
  try {
    await openFor(options, start);
    await engine.submit({ type: "ready_start", request_id });
  } catch (error) {
    await agents.end(request_id);
    const { code, details } = failure(error);
    // Before they are drawn for people: what is escaped or cut off then is not known for a secret any more.
    const told = redactor.value(details);
    await engine.submit({ type: "drop_start", request_id, code, details: told });
    throw error instanceof BellhopError ? new BellhopError(code, told, { cause: error }) : error;
  }
}

/** Readies the starts whose daemon ended before their agents were open. */
export function readyLeftStarts(options: RunDependencies): void {
  for (const request_id of Object.keys(options.engine.state.starts)) {
    readyStart(options, request_id).catch((error: unknown) =>
      options.log.failure("the agent of a requested session could not be started", error, { request_id }),
    );
  }
}

/** Called when the thread of a start is made. @param thread_id null: it could not be made */
export async function adopt(
  { agents, folders, log }: RunDependencies,
  request_id: string,
  thread_id: string | null,
): Promise<void> {
  try {
    if (thread_id === null) return await agents.end(request_id);
    folders.adopt(request_id, thread_id);
    agents.adopt(request_id, thread_id, folders.granted(thread_id));
  } catch (error) {
    log.failure("the agent that was started for a session cannot go on as its own", error, { request_id });
    await agents.end(request_id);
  }
}

async function openFor(options: RunDependencies, { request_id, project_name, tool }: Start): Promise<void> {
  const { engine, drivers, agents, directoryAt } = options;
  const driver = drivers.get(tool);
  const project = engine.state.projects[project_name];
  if (engine.diskFull) throw new BellhopError("E_DISK_FULL");
  if (!driver) throw new BellhopError("E_AGENT_START_FAILED", { tool, install: "-" });
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: project_name });
  const found = directoryAt(project.path);
  if (found === null) throw new BellhopError("E_INVALID_PATH", { path: project.path });
  if (found.ours) throw new BellhopError("E_STATE_DIRECTORY", { path: project.path });
  // Its worktree is made with its first job, when the session has an id.
  if (isolates(options.config(), { project_name, thread_id: request_id })) return;
  if (!(await isAsSeen(options, project_name, { path: project.path, cwd: found.path }))) return;
  const agent = await agents.open(
    driver,
    openingOf(options, { thread_id: request_id, project_name, tool }, found.path, { job_id: request_id }),
  );
  const why = (await agent.opened) ?? null;
  if (why?.outcome === "failed") throw new BellhopError(why.code, { tool, ...why.details } satisfies ErrorDetails);
  await agents.rest(request_id, null);
}

/** The first version found counts as seen. */
async function isAsSeen(
  options: RunDependencies,
  project_name: string,
  { path, cwd }: { path: string; cwd: string },
): Promise<boolean> {
  const seen = seenAt(options.engine.state, project_name);
  if (cwd !== (seen?.path ?? resolve(path))) return false;
  if (seen?.configuration != null) return (await lookAt(options, project_name, cwd)).digest === seen.configuration;
  await see(options, project_name, cwd);
  return true;
}
