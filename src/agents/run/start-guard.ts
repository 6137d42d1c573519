/**
 * What keeps a job from starting until the owner agrees: the project's directory has moved, the checkout is not the one
 * its conversation was left in, or files through which its agents run code have changed since the owner saw them. All
 * three are compared, and he is asked once about all that has changed. The first version found counts as seen. The job
 * goes back to its queue, and its thread waits.
 */
import { resolve } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import { configurationDifference, type Configuration } from "../../core/projects/agent-configuration.ts";
import { changedWait, type Changed, type ChangedWait } from "../../core/projects/checkout.ts";
import { ownPath, agentSettings } from "../../config/session-settings.ts";
import { invalidSetting } from "../../config/invalid.ts";
import { knownRules } from "../../core/projects/allowed-rules.ts";
import { projectIn, seenAt, seenConfiguration, seenName } from "../../core/projects/seen.ts";
import type { Job } from "../../core/jobs/job.ts";
import { requireEnabled, type Session, toolKey } from "../../core/sessions/session.ts";
import { changedCheckout } from "./checkouts.ts";
import type { RunContext } from "./run-context.ts";
import { standingWorkplace, workplace } from "./worktrees/workplace.ts";
import type { State } from "../../core/state.ts";
import type { ChosenSettings } from "../contract/driver.ts";
import type { ConversationRequest } from "../live/living-agents.ts";

/** The job that is to start; for a window that is opened without one, its id is empty. */
type StartedFor = Pick<Job, "job_id" | "thread_id">;

/** The directory in which a job would run, as a real path, and what the owner must be asked first; null: nothing. */
interface StartCheck {
  cwd: string;
  wait: ChangedWait | null | Promise<ChangedWait | null>;
}

/**
 * Returns a promise only if a worktree has to be made first.
 * @throws BellhopError for a tool that is not the project's any more; for a directory that does not exist or is
 * Bellhop's own; E_CONFIG_INVALID for a thread's own
 */
export function checkStart(context: RunContext, job: StartedFor, session: Session): StartCheck | Promise<StartCheck> {
  const { engine, directoryAt } = context;
  const { job_id } = job;
  const { project_name } = session;
  const project = engine.state.projects[project_name];
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: project_name });
  // The owner may have taken it out of config.json since this session chose it.
  requireEnabled(project, session.tool);
  const own = ownPath(context.config(), session);
  const found = directoryAt(own ?? project.path);
  if (own !== undefined && (found === null || found.ours || found.path !== resolve(own))) {
    throw invalidSetting(context.locale, {
      where: `config.json projects.${project_name}.threads path`,
      found: own,
      want: "config.want.own_place",
      mend: "config.mend.config",
    });
  }
  if (found === null) throw new BellhopError("E_INVALID_PATH", { path: project.path });
  if (found.ours) throw new BellhopError("E_STATE_DIRECTORY", { path: project.path });
  const was = own === undefined ? (seenAt(engine.state, project_name)?.path ?? resolve(project.path)) : found.path;
  if (found.path !== was) {
    const place = { project_name, was, is: found.path };
    // Nothing is made in a directory that the owner has not seen, so there is nothing else to compare yet.
    const cwd = standingWorkplace(context, session, found.path);
    return cwd === null
      ? { cwd: found.path, wait: changedWait(job_id, { place }) }
      : { cwd, wait: compared(context, job, session, { cwd, place }) };
  }
  const cwd = workplace(context, session, found.path);
  return cwd instanceof Promise
    ? cwd.then((made) => ({ cwd: made, wait: compared(context, job, session, { cwd: made, place: undefined }) }))
    : { cwd, wait: compared(context, job, session, { cwd, place: undefined }) };
}

/** Where a job would run, and whether the way there has changed. */
interface Workplace {
  cwd: string;
  place: Changed["place"];
}

/** The configuration there. `name`: as of `seenName`. */
interface Looked {
  name: string;
  is: Configuration;
}

/** How it differs from what the owner has seen, if it does. */
interface Found extends Looked {
  configuration: Changed["configuration"];
}

/** Synchronous if everything could be read at once and nothing has changed. */
function compared(
  context: RunContext,
  job: StartedFor,
  session: Session,
  at: Workplace,
): ChangedWait | null | Promise<ChangedWait | null> {
  const left = changedCheckout(context, job, session, at);
  const found = changedConfiguration(context, session, at);
  const judge = (checkout: Changed["checkout"], { name, is, configuration }: Found) =>
    (at.place ?? checkout ?? configuration)
      ? changedWait(job.job_id, {
          ...(at.place && { place: at.place }),
          ...(checkout && { checkout }),
          ...(configuration && { configuration }),
        })
      : tellRules(context, job, name, is);
  return left instanceof Promise || found instanceof Promise
    ? Promise.all([left, found]).then(([checkout, one]) => judge(checkout, one))
    : judge(left, found);
}

/** Puts the job back into its queue and makes its thread wait for the owner's answer. */
export async function waitForOwner(
  { engine }: RunContext,
  { job_id, thread_id }: Job,
  wait: ChangedWait,
): Promise<void> {
  await engine.submit({ type: "put_back", job_id, why: wait.kind });
  await engine.submit({ type: "park", thread_id, job_id, wait });
}

/** Records the project's current configuration as seen by the owner. @param path real */
export async function recordConfigurationSeen(context: RunContext, projectName: string, path: string): Promise<void> {
  const is = await lookAt(context, projectName, path);
  await context.configurations.save(is);
  await context.engine.submit({
    type: "see_project",
    project_name: projectName,
    path,
    configuration: is.digest,
    allowed: is.allowed,
  });
}

/** @param projectName as of `seenName` */
export function lookAt(
  { engine, configurations, drivers }: RunContext,
  projectName: string,
  path: string,
): Configuration | Promise<Configuration> {
  const tools = engine.state.projects[projectIn(projectName)]?.enabled_tools ?? [];
  return configurations.currentConfiguration(
    path,
    tools.some((tool) => drivers.get(tool)?.store()?.dotenv === true),
  );
}

function changedConfiguration(
  context: RunContext,
  session: Session,
  { cwd, place }: Workplace,
): Found | Promise<Found> {
  const { state } = context.engine;
  const own = ownPath(context.config(), session);
  const name = seenName(session, own !== undefined);
  const looked = lookAt(context, name, cwd);
  const judge = (is: Configuration): Found | Promise<Found> => {
    const worktree = state.worktrees[session.thread_id];
    if (worktree?.configuration === null) return firstSeen(context, session, { name, is });
    // Its owner has given it another directory since, and has seen nothing of that yet.
    const isOther = own !== undefined && worktree === undefined && seenAt(state, name)?.path !== cwd;
    const was = isOther ? null : seenConfiguration(state, session.thread_id, name);
    const found = { name, is, configuration: undefined };
    if (was === is.digest) return found;
    if (was !== null) return changed(context, { name, was, is });
    // Where the directory itself has not been seen, what is in it is seen after that.
    return place ? found : recordConfigurationSeen(context, name, cwd).then(() => found);
  };
  return looked instanceof Promise ? looked.then(judge) : judge(looked);
}

/** What is new of what Claude may always do is told, and keeps nothing waiting. */
function tellRules(
  { engine }: RunContext,
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
async function firstSeen(context: RunContext, { thread_id }: Session, { name, is }: Looked): Promise<Found> {
  const { configurations, engine } = context;
  const was = seenAt(engine.state, name)?.configuration ?? null;
  const seen = was === null ? null : await configurations.read(was);
  const isNew = is.entries.some((entry) => !seen?.some((one) => one.name === entry.name && one.is === entry.is));
  if (was !== null && isNew) return changed(context, { name, was, is });
  await configurations.save(is);
  await engine.submit({ type: "see_worktree", thread_id, configuration: is.digest });
  return { name, is, configuration: undefined };
}

/** The difference is fixed when the owner is asked, because the answer applies to what was shown. */
async function changed(
  { configurations, redactor, locale }: RunContext,
  { name, was, is }: Looked & { was: string },
): Promise<Found> {
  await configurations.save(is);
  const shown = await configurations.saveDifference(
    redactor.redactText(configurationDifference(await configurations.read(was), is.entries, locale)),
  );
  return { name, is, configuration: { project_name: name, was, is: is.digest, shown } };
}

/*
 * What the agent of a session is opened with. Whoever opens it, for a job, at a start or at the owner's button, takes
 * it from here: an agent that was opened with anything else is closed by the next job, which takes it for another.
 */

/** The job, or the request, that the agent is opened for; absent: there is none yet. */
type OpenedFor = Pick<Job, "job_id"> & Partial<Pick<Job, "discord_message_id">>;

type SessionRef = Pick<Session, "thread_id" | "project_name" | "tool">;

/** @param cwd absolute */
export function openingOf(context: RunContext, session: SessionRef, cwd: string, job?: OpenedFor): ConversationRequest {
  const {
    engine: { state },
    folders,
    config,
  } = context;
  const { thread_id, tool } = session;
  const mode = state.threads[thread_id]?.modes?.[tool];
  const next = state.runs[job?.job_id ?? ""]?.begun?.conversation;
  const last = state.jobs[state.sessions[thread_id]?.last_job_id ?? ""]?.started_at ?? null;
  return {
    job_id: job?.job_id ?? "",
    thread_id,
    cwd,
    args: argumentsOf(state, session),
    settings: { ...settingsOf(context, session, tool), ...chosenIn(state, thread_id, tool) },
    folders: folders.granted(thread_id),
    key: toolKey(state, thread_id, tool),
    configuration: seenConfiguration(state, thread_id, seenName(session, ownPath(config(), session) !== undefined)),
    ...(last !== null && { begunAt: Date.parse(last) }),
    ...(mode && { mode }),
    ...(next && { next }),
  };
}

/** What its owner chose for its agent in Discord, which counts before config.json. */
function chosenIn({ threads }: State, thread_id: string, tool: string): Pick<ChosenSettings, "model" | "effort"> {
  const [model, effort] = [threads[thread_id]?.models?.[tool], threads[thread_id]?.efforts?.[tool]];
  return { ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) };
}

/** What config.json sets for this session's agent. @throws E_CONFIG_INVALID if that cannot work */
export function settingsOf({ config, locale }: RunContext, session: SessionRef, tool: string): ChosenSettings {
  return agentSettings(config(), session, tool, { locale, isRoot: process.getuid?.() === 0 });
}

export function argumentsOf({ projects }: State, { project_name, tool }: SessionRef): readonly string[] {
  return projects[project_name]?.default_args[tool] ?? [];
}
