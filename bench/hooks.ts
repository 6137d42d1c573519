/**
 * What a hook costs Claude Code, which waits for it: the whole process, from its start by a shell to its exit, beside a
 * bare curl that sends the same to the same socket in the same run.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeDisk } from "../src/base/disk.ts";
import { silentLog } from "../src/base/log.ts";
import { createHookChannel } from "../src/engine/hook-channel.ts";
import { hookCommand, openHookFolder } from "../src/host/hooks/hook-folder.ts";
import { systemProcessTable } from "../src/host/processes/process-table.ts";
import { openHookServer } from "../src/ipc/hook-server.ts";
import type { Figure } from "./journal.ts";
import { ms, percentile, root } from "./stage.ts";

const THREAD = "100000000000000001";

export async function hooks(times = 200): Promise<Figure> {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
  const folder = await openHookFolder(nodeDisk, dir, { node: process.execPath, program: join(root, "bin", "bellhop.cjs") });
  const channel = createHookChannel();
  channel.take({ ownerOf: ({ session }) => (session === THREAD ? { thread_id: THREAD, work: null } : null), hear: async () => undefined });
  const server = await openHookServer({ folder, channel, processes: systemProcessTable(), log: silentLog, asking: { ask: async () => ({ told: null, delivered: () => undefined }), hear: async () => undefined } });
  const body = JSON.stringify(JSON.parse(readFileSync(join(root, "test", "fixtures", "claude-hooks", "Stop.json"), "utf8")));
  const took = async (command: string, args: readonly string[], env: Record<string, string>): Promise<number> => {
    const from = performance.now();
    const child = spawn(command, args, { cwd: folder.path, env: { PATH: "/usr/bin:/bin", ...env }, stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end(body);
    await new Promise((resolve) => child.once("exit", resolve));
    return performance.now() - from;
  };
  const [curl, own, other]: [number[], number[], number[]] = [[], [], []];
  for (let index = 0; index < times; index += 1) {
    curl.push(await took("curl", ["-q", "-K", "connection", "--data-binary", "@-"], {}));
    own.push(await took("/bin/sh", ["-c", hookCommand(folder.path, "Stop")], { BELLHOP_SESSION: THREAD }));
    other.push(await took("/bin/sh", ["-c", hookCommand(folder.path, "Stop")], {}));
  }
  await server.close();
  rmSync(dir, { recursive: true });
  const over = percentile(own, 50) - percentile(curl, 50);
  const late = percentile(own, 95) - percentile(curl, 95);
  return {
    name: "a hook of Claude, whole process",
    reached: `p50 ${ms(percentile(own, 50))}, p95 ${ms(percentile(own, 95))}; bare curl p50 ${ms(percentile(curl, 50))}, p95 ${ms(percentile(curl, 95))}; of a Claude that is not ours p50 ${ms(percentile(other, 50))}`,
    value: over,
    bar: "over bare curl: p50 ≤ 2.5 ms, p95 ≤ 5 ms",
    holds: over <= 2.5 && late <= 5,
  };
}
