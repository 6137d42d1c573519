/** The ACP driver with a real process on the other side: the scripted one that misbehaves. */
import path from "node:path";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { onTestFinished } from "vitest";
import { acpDriver } from "../../../src/agents/acp/driver.ts";
import type { Agent, Turn, Driver, Opening } from "../../../src/agents/contract/driver.ts";
import { systemClock, type Clock } from "../../../src/base/clock.ts";
import type { JobLog } from "../../../src/host/files/job-log.ts";
import { openProcesses } from "../../../src/host/processes/processes.ts";
import { silentLog } from "../stage.ts";

const SCRIPTED = path.resolve(import.meta.dirname, "../../fakes/agents/acp.mjs");

export interface AcpScene {
  readonly driver: Driver;
  /** The project's directory. */
  readonly cwd: string;
  /** What the agent got, message by message. */
  received(): Record<string, unknown>[];
  noted: string[];
  /** Killed at the end of the test. */
  open(opening?: Partial<Opening>): Promise<Agent>;
  /** The first turn of an agent of its own. */
  prompt(text: string, opening?: Partial<Opening>): Promise<Turn>;
  say(agent: Agent, text: string, model?: string, files?: readonly string[]): Turn;
  /** Closes its agents. */
  close(): Promise<void>;
}

export interface AcpSceneOptions {
  /** The agent's command, after the Node that runs it; null: one that is not there. */
  command?: readonly string[] | null;
  clock?: Clock;
  asIs?: boolean;
}

export async function acpScene({
  command = [SCRIPTED],
  clock = systemClock,
  asIs = false,
}: AcpSceneOptions = {}): Promise<AcpScene> {
  const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), "bellhop-acp-")));
  const agents: Agent[] = [];
  const close = async (): Promise<void> => void (await Promise.all(agents.map((agent) => agent.close())));
  onTestFinished(async () => {
    // Killed, because a clock that stands still would never let an agent that is in a turn end by itself.
    await Promise.all(agents.map((agent) => agent.close("now")));
    rmSync(cwd, { recursive: true, force: true });
  });
  const processes = openProcesses({ graces: { interruptMs: 300, terminateMs: 300 }, drainMs: 300 });
  const env = {
    PATH: "/bin:/usr/bin",
    HOME: cwd,
    ACP_FAKE_LOG: path.join(cwd, "received.ndjson"),
    BELLHOP_JOB: "job_20260101_0001",
    BELLHOP_OUTPUTS: path.join(cwd, "outputs"),
  };
  const noted: string[] = [];
  const log: JobLog = { ...silentLog, writeNote: (text) => void noted.push(text) };
  const driver = acpDriver({
    processes,
    clock,
    tool: "acp",
    commands: [command === null ? ["no-such-agent"] : [process.execPath, ...command]],
    env,
    version: "1.2.3",
    asIs,
  });
  const open = async (opening: Partial<Opening> = {}): Promise<Agent> => {
    const agent = await driver.open({ cwd, args: [], folders: [], key: null, env, log, ...opening });
    agents.push(agent);
    return agent;
  };
  const say: AcpScene["say"] = (agent, text, model, files = []) =>
    agent.prompt({
      text,
      files: files.map((path) => ({ path, sha256: createHash("sha256").update(readFileSync(path)).digest("hex") })),
      counters: null,
      log,
      ...(model !== undefined && { model }),
    });
  return {
    driver,
    cwd,
    noted,
    received: () =>
      readFileSync(env.ACP_FAKE_LOG, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    open,
    say,
    prompt: async (text, opening) => say(await open(opening), text),
    close,
  };
}

/** Another `command` for the same scene. */
export const scripted = (start: string, ...more: string[]): AcpSceneOptions => ({
  command: [SCRIPTED, start, ...more],
});
