/**
 * The real Claude with a model on loopback: from a prompt to the model's request, through a living conversation of
 * ours, through a bare script that drives the same process, and through one that is started anew. Only where it is
 * installed (`npm run test:agents`).
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { claudeDriver } from "../src/agents/claude/driver.ts";
import type { Agent } from "../src/agents/contract/driver.ts";
import { systemClock } from "../src/base/clock.ts";
import type { JobLog } from "../src/host/files/job-log.ts";
import { openProcesses } from "../src/host/processes/processes.ts";
import { openModel, type FakeModel } from "../test/fakes/model/model.ts";
import type { Figure } from "./journal.ts";
import { ms, now, percentile, root } from "./stage.ts";

const native = join(root, "test", "agents", "node_modules", ".native");
const silent: JobLog = { stdout: () => {}, stderr: () => {}, writeNote: () => {}, close: () => Promise.resolve() };
const ARGS =
  "-p --verbose --output-format stream-json --input-format stream-json --include-partial-messages --permission-prompt-tool stdio --permission-mode default --replay-user-messages";

export async function realClaude(rounds = 12, fresh = 4): Promise<Figure[]> {
  if (!existsSync(join(native, "claude"))) return [];
  const model = await openModel();
  const home = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
  const env = {
    PATH: [native, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    TMPDIR: home,
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "test-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  const driver = claudeDriver({ processes: openProcesses(), clock: systemClock, env });
  const open = (key: string | null): Promise<Agent> =>
    driver.open({ cwd: home, args: [], folders: [], key, env, log: silent });
  let key: string | null = null;
  const prompted = async (agent: Agent): Promise<number> => {
    const asked = model.asked.length;
    const from = now();
    const turn = agent.prompt({ text: "echo:x", counters: null, log: silent });
    const arrived = model.until(asked + 1).then(() => now() - from);
    for await (const update of turn.updates) if (update.kind === "session_key") key = update.key;
    return arrived;
  };
  try {
    const agent = await open(null);
    await prompted(agent);
    const script = await driven(env, home, model);
    const ours: number[] = [];
    const bares: number[] = [];
    // In turn, so that what else the machine does falls on both.
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await prompted(agent));
      bares.push(await script.prompted());
    }
    await Promise.all([agent.close(), script.close()]);
    const anew: number[] = [];
    for (let round = 0; round < fresh; round += 1) {
      const from = now();
      const woken = await open(key);
      const opened = now() - from;
      anew.push(opened + (await prompted(woken)));
      await woken.close();
    }
    const bare = percentile(bares, 50);
    const ratio = percentile(ours, 50) / bare;
    return [
      {
        name: "the real Claude, living: prompt → model request",
        reached: `p50 ${ms(percentile(ours, 50))}; bare script p50 ${ms(bare)}; started anew p50 ${ms(percentile(anew, 50))}; ratio ${ratio.toFixed(2)}`,
        value: ratio,
        bar: "≤ 1.5 × a bare script",
        holds: ratio <= 1.5,
      },
    ];
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The same program, with nothing of ours around it; it has answered once. */
async function driven(
  env: Record<string, string>,
  cwd: string,
  model: FakeModel,
): Promise<{ prompted(): Promise<number>; close(): Promise<unknown> }> {
  const child: ChildProcessWithoutNullStreams = spawn(join(native, "claude"), ARGS.split(" "), {
    cwd,
    env,
    stdio: "pipe",
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const prompted = async (): Promise<number> => {
    const asked = model.asked.length;
    const from = now();
    child.stdin.write(
      `${JSON.stringify({ type: "user", message: { role: "user", content: [{ type: "text", text: "echo:x" }] } })}\n`,
    );
    const arrived = model.until(asked + 1).then(() => now() - from);
    for (let line = await lines.next(); !line.done && !String(line.value).includes('"type":"result"');)
      line = await lines.next();
    return arrived;
  };
  await prompted();
  return {
    prompted,
    close: () => {
      child.stdin.end();
      return new Promise((resolve) => child.once("exit", resolve));
    },
  };
}
