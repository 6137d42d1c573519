/**
 * What a hook costs Claude Code, which waits for it: the whole process, from its start by a shell to its exit, beside a
 * bare curl that sends the same to the same socket in the same run.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { nodeDisk } from "../src/base/disk.ts";
import { silentLog } from "../src/base/log.ts";
import { createHookChannel } from "../src/engine/hook-channel.ts";
import { hookCommand, openHookFolder, SOCKET } from "../src/host/hooks/hook-folder.ts";
import { systemProcessTable } from "../src/host/processes/process-table.ts";
import { openHookServer } from "../src/ipc/hook-server.ts";
import type { Figure } from "./journal.ts";
import { ms, pause, percentile, root } from "./stage.ts";

const THREAD = "100000000000000001";

/** @param rate hooks a second, where many come at once */
export async function hooks(times = 200, rate = 50): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
  const folder = await openHookFolder(nodeDisk, dir, {
    node: process.execPath,
    program: join(root, "bin", "bellhop.cjs"),
  });
  const channel = createHookChannel();
  channel.register({
    ownerOf: ({ session }) => (session === THREAD ? { thread_id: THREAD, work: null } : null),
    onHook: async () => undefined,
  });
  const server = await openHookServer({
    folder,
    channel,
    processes: systemProcessTable(),
    clock: systemClock,
    log: silentLog,
    asking: {
      ask: async () => ({ told: null, delivered: () => undefined }),
      settleFromHook: async () => undefined,
      noteFor: () => null,
    },
  });
  const body = JSON.stringify(
    JSON.parse(readFileSync(join(root, "test", "fixtures", "claude-hooks", "Stop.json"), "utf8")),
  );
  const took = async (command: string, args: readonly string[], env: Record<string, string>): Promise<number> => {
    const from = performance.now();
    const child = spawn(command, args, {
      cwd: folder.path,
      env: { PATH: "/usr/bin:/bin", ...env },
      stdio: ["pipe", "ignore", "ignore"],
    });
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
  const [share, bare] = await shares(folder.path, body, times);
  // As many at once as come, each a process of its own, whoever is not done yet.
  const together: Promise<number>[] = [];
  for (let index = 0; index < rate * 5; index += 1) {
    together.push(took("/bin/sh", ["-c", hookCommand(folder.path, "Stop")], { BELLHOP_SESSION: THREAD }));
    await pause(1_000 / rate);
  }
  const many = await Promise.all(together);
  await server.close();
  rmSync(dir, { recursive: true });
  const over = percentile(own, 50) - percentile(curl, 50);
  const late = percentile(own, 95) - percentile(curl, 95);
  const ours = percentile(share, 50) - percentile(bare, 50);
  return [
    {
      name: "a hook of Claude, whole process",
      reached: `p50 ${ms(percentile(own, 50))}, p95 ${ms(percentile(own, 95))}; bare curl p50 ${ms(percentile(curl, 50))}, p95 ${ms(percentile(curl, 95))}; of a Claude that is not ours p50 ${ms(percentile(other, 50))}`,
      value: over,
      bar: "over bare curl: p50 ≤ 2.5 ms, p95 ≤ 5 ms",
      holds: over <= 2.5 && late <= 5,
    },
    {
      name: "the daemon's share of a hook: request → answer over its socket",
      reached: `p50 ${ms(percentile(share, 50))}, p95 ${ms(percentile(share, 95))}; a server that only reads it p50 ${ms(percentile(bare, 50))}; over it p50 ${ms(ours)}`,
      value: ours,
      bar: "over a bare server: p50 ≤ 1 ms",
      holds: ours <= 1,
    },
    {
      name: `${rate} hooks a second for five seconds, whole process`,
      reached: `p50 ${ms(percentile(many, 50))}, max ${ms(Math.max(...many))}; one after the other max ${ms(Math.max(...own))}`,
      value: Math.max(...many),
      bar: "none over 50 ms",
      holds: Math.max(...many) <= 50,
    },
  ];
}

/** The same request to the daemon's server and to one that only reads it, in turn. */
async function shares(folder: string, body: string, times: number): Promise<[number[], number[]]> {
  const bare = createServer((request, response) => void request.resume().once("end", () => response.end("{}")));
  const path = join(folder, "bare.sock");
  await new Promise<void>((resolve) => bare.listen(path, resolve));
  const [, authorization = ""] =
    /"Authorization: ([^"]+)"/.exec(readFileSync(join(folder, "connection"), "utf8")) ?? [];
  const headers = {
    authorization,
    "content-type": "application/json",
    "bellhop-hook": `Stop ${process.pid} ${process.pid} 0 - ${THREAD}`,
  };
  const send = async (socketPath: string): Promise<number> => {
    const from = performance.now();
    await new Promise<void>((resolve, reject) => {
      const call = request({ socketPath, path: "/hook", method: "POST", headers, agent: false }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
        answer.resume().once("end", resolve);
      });
      call.once("error", reject).end(body);
    });
    return performance.now() - from;
  };
  const [ours, floor]: [number[], number[]] = [[], []];
  for (let index = 0; index < times; index += 1) {
    ours.push(await send(join(folder, SOCKET)));
    floor.push(await send(path));
  }
  bare.close();
  return [ours, floor];
}
