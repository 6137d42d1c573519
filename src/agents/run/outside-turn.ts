/**
 * The turns that a session's agent begins by itself, such as a report on work that it left in the background. Each is
 * recorded before anything of it is shown, streamed and asked about like a job, and its answer is on disk before its
 * end is in the journal. It waits for nothing, because the agent has already begun.
 */
import type { AgentFacts } from "../../core/sessions/told.ts";
import { isoTime } from "../../base/clock.ts";
import { newTurnId } from "../../base/ids.ts";
import type { OutsideTurnEnd } from "../../core/jobs/outside-turn.ts";
import { isUnderWay, runProcess } from "../../core/jobs/run.ts";
import type { Agent, Turn } from "../contract/driver.ts";
import type { OutsidePlace, OutsideTurns } from "../live/living-agents.ts";
import type { Outcome } from "../contract/updates.ts";
import { endOf, failure } from "./conclusion.ts";
import type { Attending, RunContext } from "./run-context.ts";
import { isRequest } from "./asking/asking.ts";
import { listen } from "./listen.ts";
import { processOf, RunRecorder } from "./run-recorder.ts";

type ThreadTool = Pick<OutsidePlace, "thread_id" | "tool">;

/** How many of the ended things are named. */
const NAMED = 5;

/** What the living agents tell of what they do without a job. @param context called when they do */
export function outsideTurns(context: () => RunContext): OutsideTurns {
  return {
    followOutsideTurns: (place, agent, stopping) => attendOutsideTurns({ ...context(), stopping }, place, agent),
    background: (place, what) => recordBackground(context(), place, what),
    recordFacts: (place, told) => recordTold(context(), place, told),
    reportLostWork: (place, what, silent) => recordLost(context(), place, what, silent),
  };
}

/**
 * Attends the turn that an earlier daemon left to the agent, and every one that it begins by itself, until it is gone.
 * Never rejects.
 */
async function attendOutsideTurns(context: Attending, place: OutsidePlace, agent: Agent): Promise<void> {
  const { engine, log } = context;
  const { thread_id } = place;
  const left = engine.state.threads[thread_id]?.outside;
  if (left !== undefined)
    await goOn(context, place, left, agent).catch(
      (error: unknown) =>
        engine.over ||
        log.failure("a turn at the terminal cannot be recorded further", error, { thread_id, turn_id: left }),
    );
  for await (const turn of agent.between) {
    try {
      await attend(context, place, turn);
    } catch (error) {
      // An agent must not act in a turn that cannot be recorded.
      await turn.cancel();
      if (!engine.over) log.failure("a turn that an agent began by itself cannot be recorded", error, { thread_id });
    }
  }
}

/** Keeps what an agent told of itself. Never rejects. */
async function recordTold(
  { engine, log }: RunContext,
  { thread_id, tool }: OutsidePlace,
  told: AgentFacts,
): Promise<void> {
  try {
    await engine.submit({ type: "note_told", thread_id, tool, told });
  } catch (error) {
    if (!engine.over) log.failure("what an agent told of itself cannot be recorded", error, { thread_id });
  }
}

/** Keeps what an agent does in the background for the case that it ends with the daemon. Never rejects. */
async function recordBackground(
  { engine, log, redactor }: RunContext,
  { thread_id, tool }: ThreadTool,
  what: readonly string[],
): Promise<void> {
  try {
    await engine.submit({ type: "note_background", thread_id, tool, what: redactor.redactText(named(what)) });
  } catch (error) {
    if (!engine.over) log.failure("what an agent does in the background cannot be recorded", error, { thread_id });
  }
}

/** Tells the threads what was lost with the last daemon. */
export function recordLostBefore(context: RunContext): void {
  for (const { thread_id, background } of Object.values(context.engine.state.threads)) {
    if (background) void recordLost(context, { thread_id, tool: background.tool }, [background.what], false);
  }
}

/** Tells the thread what ended with its agent's process: an outside turn that failed. Never rejects. */
export async function recordLost(
  context: RunContext,
  { thread_id, tool }: ThreadTool,
  what: readonly string[],
  silent: boolean,
): Promise<void> {
  const { engine, clock, log, redactor } = context;
  const turn_id = newTurnId(clock.now());
  try {
    await engine.submit({ type: "begin_outside_turn", turn_id, thread_id, tool, origin: "background" });
    const error_details = { what: redactor.redactText(named(what)) };
    await engine.submit({
      type: "end_outside_turn",
      turn_id,
      outcome: "failed",
      error_code: silent ? "E_BACKGROUND_SILENT" : "E_BACKGROUND_ENDED",
      error_details,
    });
  } catch (error) {
    if (!engine.over) log.failure("what ended with an agent's process cannot be recorded", error, { thread_id });
  }
}

/** Only the process in which it began can go on with it; otherwise nobody knows how it ended. */
async function goOn(context: Attending, place: OutsidePlace, turn_id: string, agent: Agent): Promise<void> {
  const { engine, results } = context;
  const known = runProcess(engine.state.runs[turn_id]);
  const isIts =
    agent.process !== null && known?.pid === agent.process.pid && known.start_time === String(agent.process.startTime);
  const turn = isIts
    ? agent.resume?.({ name: known?.prompt_id ?? null, before: await results.writtenBefore(turn_id) })
    : undefined;
  if (turn) await record(context, place, turn_id, turn);
  else await engine.submit({ type: "end_outside_turn", turn_id, outcome: "unknown" });
}

function named(what: readonly string[]): string {
  const first = what.slice(0, NAMED).join(", ");
  return what.length > NAMED ? `${first}, …` : first;
}

async function attend(context: Attending, place: OutsidePlace, turn: Turn): Promise<void> {
  const { engine } = context;
  const { thread_id, tool } = place;
  const turn_id = newTurnId(context.clock.now());
  const origin =
    turn.typed == null ? ({ origin: "background" } as const) : ({ origin: "terminal", prompt: turn.typed } as const);
  const began_at = turn.begunAt == null ? {} : { began_at: isoTime(Math.min(turn.begunAt, context.clock.now())) };
  context.steering.nameOfMessage(turn, turn_id);
  const process = turn.detach || turn.steer ? await turn.process : null;
  // In one write: the next daemon recognizes a turn that outlives this one by its process.
  const [begun] = await Promise.all([
    engine.submit({ type: "begin_outside_turn", turn_id, thread_id, tool, ...origin, ...began_at }),
    process && engine.submit({ type: "progress", job_id: turn_id, progress: processOf(turn, process) }),
  ]);
  if (begun.length > 0) await record(context, place, turn_id, turn);
  else await (turn.detach ? turn.detach() : turnAway(context, { thread_id, turn_id }, turn));
}

/**
 * A turn that is not recorded is not shown, so a decision that it would have taken over can no longer be answered to
 * anybody.
 */
async function turnAway(
  { engine }: Attending,
  { thread_id, turn_id }: { thread_id: string; turn_id: string },
  turn: Turn,
): Promise<void> {
  await turn.cancel();
  for await (const update of turn.updates) {
    if (isRequest(update) && update.handedOver)
      await engine.submit({ type: "take_over", thread_id, asker: { by: "turn", turn_id, request_id: update.id } });
  }
}

async function record(context: Attending, place: OutsidePlace, turn_id: string, turn: Turn): Promise<void> {
  const { engine, results, log, steering } = context;
  const { thread_id } = place;
  const worker = { id: turn_id, thread_id };
  const recorder = new RunRecorder(context, turn_id);
  const look = (): void => {
    const { runs, sessions } = engine.state;
    if (runs[turn_id]?.cancelling) return void turn.cancel();
    steering.sendRequested(worker, turn);
    if (sessions[thread_id]?.queue.some((id) => !isUnderWay(engine.state, id))) turn.hurry?.();
  };
  const unwatch = engine.watch(["run", "queue"], (topics) => (topics.has(thread_id) ? look() : undefined));
  look();
  let end: OutsideTurnEnd;
  try {
    end = await endOf(context, turn_id, recorder, await follow(context, { ...place, turn_id }, turn, recorder));
  } catch (error) {
    if (engine.over) throw error;
    log.failure("what an agent did by itself cannot be recorded", error, { thread_id, turn_id });
    await turn.cancel();
    end = await endOf(context, turn_id, new RunRecorder(context, turn_id), failure(error));
  } finally {
    unwatch();
  }
  // It goes on without this daemon.
  if (context.stopping() && turn.detach && end.outcome === "unknown") return turn.over;
  // What was sent into it has begun by now, or never does.
  const goes_on = await steering.turnEnded(worker);
  await engine.submit({ type: "end_outside_turn", turn_id, ...end, goes_on });
  await results.forgetEnd(turn_id);
  await turn.over;
}

async function follow(
  context: Attending,
  { turn_id, thread_id, tool, cwd }: OutsidePlace & { turn_id: string },
  turn: Turn,
  recorder: RunRecorder,
): Promise<Outcome> {
  // Its files go into a folder of their own, as a message's do.
  const work = { thread_id, tool, job_id: turn_id, discord_message_id: turn_id };
  let end: Outcome = { outcome: "cancelled" };
  await listen(context, {
    work,
    cwd,
    turn,
    recorder,
    asker: (request_id) => ({ by: "turn", turn_id, request_id }),
    ended(outcome) {
      end = outcome;
    },
  });
  return end;
}
