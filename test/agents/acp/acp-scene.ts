/** The ACP driver with a real process on the other side: the scripted one that misbehaves. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { acpDriver } from "../../../src/agents/acp/driver.ts";
import type { Turn } from "../../../src/agents/contract/agent.ts";
import type { Driver, Opening } from "../../../src/agents/contract/driver.ts";
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
  prompt(text: string, opening?: Partial<Opening>): Promise<Turn>;
}

export interface AcpSceneOptions {
  /** The agent's command, after the Node that runs it; null: one that is not there. */
  command?: readonly string[] | null;
  clock?: Clock;
  asIs?: boolean;
}

export async function acpScene({ command = [SCRIPTED], clock = systemClock, asIs = false }: AcpSceneOptions = {}): Promise<AcpScene> {
  const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), "bellhop-acp-")));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const processes = await openProcesses({ graces: { interruptMs: 300, terminateMs: 300 }, drainMs: 300 });
  const env = { PATH: "/bin:/usr/bin", HOME: cwd, ACP_FAKE_LOG: path.join(cwd, "received.ndjson"), BELLHOP_JOB: "job_20260101_0001", BELLHOP_OUTPUTS: path.join(cwd, "outputs") };
  const noted: string[] = [];
  const log: JobLog = { ...silentLog, note: (text) => void noted.push(text) };
  const driver = acpDriver({ processes, clock, tool: "acp", commands: [command === null ? ["no-such-agent"] : [process.execPath, ...command]], env, version: "1.2.3", asIs });
  return {
    driver,
    cwd,
    noted,
    received: () => readFileSync(env.ACP_FAKE_LOG, "utf8").trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>),
    async prompt(text, opening = {}) {
      const agent = await driver.open({ cwd, args: [], folders: [], key: null, env, log, ...opening });
      return agent.prompt({ text, counters: null, log });
    },
  };
}

/** Another `command` for the same scene. */
export const scripted = (start: string): AcpSceneOptions => ({ command: [SCRIPTED, start] });
