/**
 * What keeps a job from starting until the owner agrees: the project's directory has moved, the checkout is not the one
 * its conversation was left in, or files through which its agents run code have changed since the owner saw them. The
 * first version found counts as seen. The job goes back to its queue, and its thread waits.
 */
import { resolve } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import { configurationDifference, type Configuration } from "../../core/projects/agent-configuration.ts";
import type { Wait } from "../../core/projects/checkout.ts";
import { ownPath, agentSettings } from "../../config/session-settings.ts";
import { invalid } from "../../config/invalid.ts";
import { knownRules } from "../../core/projects/allowed-rules.ts";
import { projectIn, seenAt, seenConfiguration, seenName } from "../../core/projects/seen.ts";
import type { Job } from "../../core/jobs/job.ts";
import { requireEnabled, type Session, toolKey } from "../../core/sessions/session.ts";
import { moved } from "./checkouts.ts";
import type { RunDependencies } from "./dependencies.ts";
import { workplace } from "./worktrees/workplace.ts";
import type { State } from "../../core/state.ts";
import type { ChosenSettings } from "../contract/driver.ts";
import type { Wanted } from "../live/living-agents.ts";

type Needed = Pick<
  RunDependencies,
  | "engine"
  | "drivers"
  | "git"
  | "results"
  | "redactor"
  | "log"
  | "configurations"
  | "directoryAt"
  | "locale"
  | "worktrees"
  | "config"
>;

/** The job that is to start; for a window that is opened without one, its id is empty. */
type StartedFor = Pick<Job, "job_id" | "thread_id">;

/** The directory in which a job would run, as a real path, and what the owner must be asked first; null: nothing. */
interface StartCheck {
  cwd: string;
  wait: Wait | null | Promise<Wait | null>;
}

/**
 * Returns a promise only if a worktree has to be made first.
 * @throws BellhopError for a tool that is not the project's any more; for a directory that does not exist or is
 * Bellhop's own; E_CONFIG_INVALID for a thread's own
 */
export function checkStart(dependencies: Needed, job: StartedFor, session: Session): StartCheck | Promise<StartCheck> {
  const { engine, directoryAt } = dependencies;
  const { job_id } = job;
  const { project_name } = session;
  const project = engine.state.projects[project_name];
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: project_name });
  // The owner may have taken it out of config.json since this session chose it.
  requireEnabled(project, session.tool);
  const own = ownPath(dependencies.config(), session);
  const found = directoryAt(own ?? project.path);
  if (own !== undefined && (found === null || found.ours || found.path !== resolve(own))) {
    throw invalid(dependencies.locale, {
      where: `config.json projects.${project_name}.threads path`,
      found: own,
      want: "config.want.own_place",
      mend: "config.mend.config",
    });
  }
  if (found === null) throw new BellhopError("E_INVALID_PATH", { path: project.path });
  if (found.ours) throw new BellhopError("E_STATE_DIRECTORY", { path: project.path });
  const was = own === undefined ? (seenAt(engine.state, project_name)?.path ?? resolve(project.path)) : found.path;
  if (found.path !== was)
    return { cwd: found.path, wait: { kind: "place", job_id, project_name, was, is: found.path } };
  const cwd = workplace(dependencies, session, found.path);
  return cwd instanceof Promise
    ? cwd.then((made) => guarded(dependencies, job, session, made))
    : guarded(dependencies, job, session, cwd);
}

function guarded(dependencies: Needed, job: StartedFor, session: Session, cwd: string): StartCheck {
  const asks = moved(dependencies, job, session, cwd);
  if (asks instanceof Promise)
    return {
      cwd,
      wait: asks.then((is) =>
        is === null ? reconfigured(dependencies, job, session, cwd) : elsewhere(dependencies, job, is),
      ),
    };
  return {
    cwd,
    wait: asks === null ? reconfigured(dependencies, job, session, cwd) : elsewhere(dependencies, job, asks),
  };
}

/** Puts the job back into its queue and makes its thread wait for the owner's answer. */
export async function waitForOwner({ engine }: Needed, { job_id, thread_id }: Job, wait: Wait): Promise<void> {
  await engine.submit({ type: "put_back", job_id, why: wait.kind });
  await engine.submit({ type: "park", thread_id, job_id, wait });
}

/** Records the project's current configuration as seen by the owner. @param path real */
export async function see(dependencies: Looking, projectName: string, path: string): Promise<void> {
  const is = await lookAt(dependencies, projectName, path);
  await dependencies.configurations.save(is);
  await dependencies.engine.submit({
    type: "see_project",
    project_name: projectName,
    path,
    configuration: is.digest,
    allowed: is.allowed,
  });
}

type Looking = Pick<Needed, "engine" | "configurations" | "drivers">;

/** @param projectName as of `seenName` */
export function lookAt(
  { engine, configurations, drivers }: Looking,
  projectName: string,
  path: string,
): Configuration | Promise<Configuration> {
  const tools = engine.state.projects[projectIn(projectName)]?.enabled_tools ?? [];
  return configurations.look(
    path,
    tools.some((tool) => drivers.get(tool)?.store()?.dotenv === true),
  );
}

function elsewhere(
  { engine }: Needed,
  { job_id, thread_id }: StartedFor,
  is: Extract<Wait, { kind: "checkout" }>["is"],
): Wait {
  return { kind: "checkout", job_id, was: engine.state.threads[thread_id]?.checkout ?? is, is };
}

function reconfigured(
  dependencies: Needed,
  job: StartedFor,
  session: Session,
  cwd: string,
): Wait | null | Promise<Wait | null> {
  const { state } = dependencies.engine;
  const own = ownPath(dependencies.config(), session);
  const projectName = seenName(session, own !== undefined);
  const found = lookAt(dependencies, projectName, cwd);
  const judge = (is: Configuration): null | Promise<Wait | null> => {
    const worktree = state.worktrees?.[session.thread_id];
    if (worktree?.configuration === null)
      return firstSeen(dependencies, job, { ...session, project_name: projectName }, is);
    // Its owner has given it another directory since, and has seen nothing of that yet.
    const isOther = own !== undefined && worktree === undefined && seenAt(state, projectName)?.path !== cwd;
    const was = isOther ? null : seenConfiguration(state, session.thread_id, projectName);
    if (was === is.digest) return tellRules(dependencies, job, projectName, is);
    return was === null
      ? see(dependencies, projectName, cwd).then(() => null)
      : changed(dependencies, job, { projectName, was, is });
  };
  return found instanceof Promise ? found.then(judge) : judge(found);
}

/** What is new of what Claude may always do is told, and keeps nothing waiting. */
function tellRules(
  { engine }: Needed,
  { job_id, thread_id }: StartedFor,
  project_name: string,
  { allowed }: Configuration,
): null | Promise<null> {
  const known = knownRules(engine.state, thread_id, project_name);
  if (job_id === "" || JSON.stringify(known) === JSON.stringify(allowed)) return null;
  return engine.submit({ type: "note_rules", project_name, thread_id, job_id, rules: allowed }).then(() => null);
}

/**
 * A new worktree holds only what is committed. It may hold less than the owner has seen of its project, but nothing
 * that he has not seen.
 */
async function firstSeen(
  dependencies: Needed,
  job: StartedFor,
  { thread_id, project_name: projectName }: Session,
  is: Configuration,
): Promise<Wait | null> {
  const { configurations, engine } = dependencies;
  const was = seenAt(engine.state, projectName)?.configuration ?? null;
  const seen = was === null ? null : await configurations.read(was);
  const isNew = is.entries.some(
    ({ name, is: content }) => !seen?.some((one) => one.name === name && one.is === content),
  );
  if (was !== null && isNew) return changed(dependencies, job, { projectName, was, is });
  await configurations.save(is);
  await engine.submit({ type: "see_worktree", thread_id, configuration: is.digest });
  return tellRules(dependencies, job, projectName, is);
}

/** The difference is fixed when the owner is asked, because the answer applies to what was shown. */
async function changed(
  { configurations, redactor, locale }: Needed,
  { job_id }: StartedFor,
  { projectName: project_name, was, is }: { projectName: string; was: string; is: Configuration },
): Promise<Wait> {
  await configurations.save(is);
  const shown = await configurations.saveDifference(
    redactor.text(configurationDifference(await configurations.read(was), is.entries, locale)),
  );
  return { kind: "configuration", job_id, project_name, was, is: is.digest, shown };
}

/*
 * What the agent of a session is opened with. Whoever opens it, for a job, at a start or at the owner's button, takes
 * it from here: an agent that was opened with anything else is closed by the next job, which takes it for another.
 */

/** The job, or the request, that the agent is opened for; absent: there is none yet. */
type OpenedFor = Pick<Job, "job_id"> & Partial<Pick<Job, "discord_message_id">>;

type Opened = Pick<Session, "thread_id" | "project_name" | "tool">;

/** @param cwd absolute */
export function openingOf(
  options: Pick<RunDependencies, "engine" | "folders" | "config" | "locale">,
  session: Opened,
  cwd: string,
  job?: OpenedFor,
): Wanted {
  const {
    engine: { state },
    folders,
    config,
  } = options;
  const { thread_id, tool } = session;
  const mode = state.threads[thread_id]?.modes?.[tool];
  const last = state.jobs[state.sessions[thread_id]?.last_job_id ?? ""]?.started_at ?? null;
  return {
    job_id: job?.job_id ?? "",
    thread_id,
    cwd,
    args: argumentsOf(state, session),
    settings: settingsOf(options, session, tool),
    folders: folders.granted(thread_id, job?.discord_message_id),
    key: toolKey(state, thread_id, tool),
    configuration: seenConfiguration(state, thread_id, seenName(session, ownPath(config(), session) !== undefined)),
    ...(last !== null && { begunAt: Date.parse(last) }),
    ...(mode && { mode }),
  };
}

/** What config.json sets for this session's agent. @throws E_CONFIG_INVALID if that cannot work */
export function settingsOf(
  { config, locale }: Pick<RunDependencies, "config" | "locale">,
  session: Pick<Session, "project_name" | "thread_id">,
  tool: string,
): ChosenSettings {
  return agentSettings(config(), session, tool, { locale, isRoot: process.getuid?.() === 0 });
}

export function argumentsOf(
  { projects }: Pick<State, "projects">,
  { project_name, tool }: Pick<Session, "project_name" | "tool">,
): readonly string[] {
  return projects[project_name]?.default_args[tool] ?? [];
}
