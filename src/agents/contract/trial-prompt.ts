/**
 * One word asked of an agent, in an empty folder and with nothing allowed: the proof that it starts, is logged in and
 * reaches its model. It costs its owner what a short prompt costs.
 */
import type { Clock } from "../../base/clock.ts";
import type { Finding } from "../../base/finding.ts";
import { oneLine } from "../../base/text.ts";
import { withEmptyFolder } from "../../host/empty-folder.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Turn } from "./agent.ts";
import type { Driver } from "./driver.ts";
import type { Outcome } from "./updates.ts";

const PROMPT = "This is a connection test. Use no tools. Answer with exactly one word: ready";
const PATIENCE_MS = 90_000;

const unlogged: JobLog = { stdout: () => undefined, stderr: () => undefined, note: () => undefined, close: () => Promise.resolve() };

/** @param env the agent's whole environment */
export async function tryPrompt(driver: Driver, env: Readonly<Record<string, string>>, clock: Clock): Promise<Finding> {
  const { tool } = driver;
  const check = `round trip ${tool}`;
  const began = clock.monotonic();
  const end = await withEmptyFolder((cwd) => ask(driver, cwd, env, clock));
  const seconds = Math.max(0.1, Math.round((clock.monotonic() - began) / 100) / 10);
  if (end.outcome === "failed") return { check, verdict: "bad", says: end.code, args: { tool, ...end.details } };
  if (end.outcome === "cancelled" || end.result.trim() === "") return { check, verdict: "bad", says: "doctor.trip.silent", args: { tool, seconds }, mend: { says: "doctor.trip.silent.mend", args: { tool } } };
  return { check, verdict: "good", says: "doctor.trip", args: { tool, seconds, answer: oneLine(end.result, 60) } };
}

async function ask(driver: Driver, cwd: string, env: Readonly<Record<string, string>>, clock: Clock): Promise<Outcome> {
  const agent = await driver.open({ cwd, args: [], folders: [], key: null, env, log: unlogged });
  try {
    const turn = agent.prompt({ text: PROMPT, counters: null, log: unlogged });
    const late = clock.after(PATIENCE_MS, () => void turn.cancel());
    const end = await endOf(turn);
    late();
    return end;
  } finally {
    await agent.close();
  }
}

/** Nothing is allowed and nothing is answered: what it asks is denied, and a question ends the turn. */
async function endOf(turn: Turn): Promise<Outcome> {
  let end: Outcome = { outcome: "cancelled" };
  for await (const update of turn.updates) {
    if (update.kind === "permission") void turn.answer(update.id, { kind: "deny", message: "This is only a connection test." });
    if (update.kind === "question" || update.kind === "plan_approval") void turn.cancel();
    if (update.kind === "end") end = update;
  }
  return end;
}
