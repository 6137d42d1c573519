/** From the journal to the engine, to whom it obeys, and from a failure to the end: a journal failure ends everything. */
import { join } from "node:path";
import { dayAt } from "../base/local-time.ts";
import { nodeDisk, removeTemporaries } from "../base/disk.ts";
import type { BellhopError } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import type { ConfigProjects } from "../engine/config-projects.ts";
import { agreedOwner, requireOwnChannel } from "../config/settings.ts";
import { openOf } from "../core/decisions/decision.ts";
import type { State } from "../core/state.ts";
import type { Rules } from "../core/jobs/job.ts";
import { busyThreads } from "../core/sessions/thread.ts";
import type { Serving } from "../discord/serving.ts";
import { openJournaledEngine, type Engine } from "../engine/engine.ts";
import { rebuildInThread } from "../engine/rebuild-snapshot.ts";
import type { Ground } from "./ground.ts";

/** Longer prompts are refused; the agents do not accept more on standard input in one piece. */
const MAX_PROMPT_CHARS = 200_000;

/** The folders in which the daemon alone replaces files. */
const REPLACED_IN = ["decisions", "results", "configurations", "hooks", "hooks/adopted"];

/** Reads the journal and opens the engine on it. What a kill left of files that were being replaced is removed. */
export async function openEngine({
  settings,
  configProjects,
  clock,
  log,
  token,
  redactor,
  reserve,
  ending,
}: Ground): ReturnType<typeof openJournaledEngine> {
  const { snapshot_every_events, snapshot_every_seconds } = configProjects.config.limits;
  const opened = await openJournaledEngine({
    dir: settings.stateDir,
    disk: nodeDisk,
    clock,
    log,
    rhythm: { everyEvents: snapshot_every_events, everyMs: snapshot_every_seconds * 1000 },
    rules: () => ({ ...rulesOf(configProjects), ...((ending.begun || token === null) && { global_max_running: 0 }) }),
    reserve,
    rebuild: rebuildInThread,
    redact: (value) => redactor.value(value),
  });
  for (const folder of REPLACED_IN) {
    await removeTemporaries(nodeDisk, join(settings.stateDir, folder)).catch((error: unknown) =>
      log.warn("what a kill left cannot be removed", { folder, reason: String(error) }),
    );
  }
  return opened;
}

function rulesOf({ config }: ConfigProjects): Rules {
  return {
    max_queue_per_session: config.limits.max_queue_per_session,
    global_max_running: config.limits.global_max_running,
    after_crash: config.after_crash,
    resume_after_limit: config.limits.resume_after_limit,
    max_prompt_chars: MAX_PROMPT_CHARS,
    budget: {
      session: config.budget.session,
      day: config.budget.day,
      stops_now: config.budget_stops === "now",
      dayAt: (at) => dayAt(at, config.time_zone),
    },
  };
}

/** The configured owner replaces any earlier one; if none is configured, the known owner stays. */
export async function knowOwner({ settings, configProjects, log }: Ground, engine: Engine): Promise<void> {
  const { config } = configProjects;
  const owner_id = agreedOwner(settings, config.owner_id);
  requireOwnChannel(settings, config.projects);
  const before = engine.state.owner?.owner_id;
  if (owner_id === undefined) return;
  await engine.submit({ type: "know_owner", owner_id, from: "configured" });
  if (before !== undefined && before !== owner_id)
    log.warn("another owner is configured; Bellhop obeys them from now on", { owner_id, before });
}

export async function fatal(
  { ending, log, settings: { locale } }: Ground,
  engine: Engine,
  bots: Serving,
): Promise<BellhopError> {
  const refused = bots.refused.then(async (error) => {
    ending.begun = true;
    const isBusy = (state: State): boolean => busyThreads(state).some(({ busy_job }) => works(state, busy_job));
    if (isBusy(engine.state))
      log.warn(`${say(locale, error.code, error.details)} ${say(locale, "stops_after_jobs")}`, {
        error_code: error.code,
      });
    await engine.until((state) => !isBusy(state), ["run", "end", "decision"]);
    return error;
  });
  const error = await Promise.race([engine.failed, refused]);
  log.failure(say(locale, error.code, error.details), error);
  if (error.code === "E_JOURNAL_WRITE") await bots.lastWords(error);
  return error;
}

/** Whether the job proceeds by itself; one that waits for an answer may wait for ever. */
function works(state: State, jobId: string | null): boolean {
  return jobId !== null && state.jobs[jobId]?.state === "running" && openOf(state, jobId).length === 0;
}
