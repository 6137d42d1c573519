/** Opens the socket for Claude's hooks, once the drivers know which Claudes are theirs. */
import type { RunDependencies } from "../agents/run/dependencies.ts";
import { openHookAsking } from "../agents/run/hook-asking.ts";
import { nodeDisk } from "../base/disk.ts";
import type { HookChannel } from "../engine/hook-channel.ts";
import { openHookFolder } from "../host/hooks/hook-folder.ts";
import { isDead, systemProcessTable } from "../host/processes/process-table.ts";
import { openHookServer } from "../ipc/hook-server.ts";
import { program, type Ground } from "./ground.ts";

/** Without it Claude's hooks stay silent or wait, and everything else works; so a failure is only logged. */
export async function openHooks({ settings, log, opened }: Ground, channel: HookChannel, runs: RunDependencies): Promise<void> {
  const module = log.module("hooks");
  try {
    const folder = await openHookFolder(nodeDisk, settings.stateDir, { node: process.execPath, program: program() });
    const processes = systemProcessTable();
    const isAlive = (pid: number): boolean => {
      const row = processes.read(pid);
      return row !== null && !isDead(row);
    };
    const server = await openHookServer({ folder, channel, processes, log: module, asking: openHookAsking({ ...runs, log: module, isAlive }) });
    opened.push(() => server.close());
  } catch (error) {
    module.failure("the socket for Claude's hooks cannot be opened", error);
  }
}
