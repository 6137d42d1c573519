/**
 * The real Claude Code, at the driver: new, gone on with, failing, killed, and given every hostile prompt.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeDriver } from "../../../src/agents/claude/driver.ts";
import { resetsAtOf } from "../../../src/agents/claude/messages.ts";
import type { Turn } from "../../../src/agents/contract/driver.ts";
import { isAlive, systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { CANARY, hostile, onFirst, openBench, programOf, writtenUnder } from "../bench.ts";
import { only, textOf } from "../stage.ts";

const table = systemProcessTable();
const { ask, driver, home, left, model, project, received } = await openBench({
  driver: claudeDriver,
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "test-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  passEnv: ["DISABLE_AUTOUPDATER"],
});

describe("claude", () => {
  it("is found, and this version was tried", async () => {
    expect(await driver.probe()).toMatchObject({
      found: true,
      path: programOf("claude"),
      version: "2.1.329",
      tried: true,
    });
  });

  it("answers a new prompt, streamed, with its session key and its usage", async () => {
    const { updates, end, key, log, run } = await ask("echo:hello there");
    expect(end).toEqual({ kind: "end", outcome: "done", result: "hello there" });
    expect(textOf(updates)).toBe("hello there");
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    const usage = Object.assign({}, ...only(updates, "usage").map((update) => update.usage)) as object;
    expect(usage).toMatchObject({ input: 1234, output: 56, cacheRead: 100, contextUsed: 1390 });
    expect((usage as { cost: { amount: number } }).cost.amount).toBeGreaterThan(0);
    expect(log).not.toMatch(/not understood|not a line of the protocol/);
    expect(isAlive(table, (await run.process)!)).toBe(false);
  });

  it("continues where a session was: the model sees the earlier turns", async () => {
    const first = await ask("echo:the first turn");
    const second = await ask("hist:", { key: first.key! });
    expect(second.end).toMatchObject({
      outcome: "done",
      result: 'HISTORY ["user:echo:the first turn","assistant:the first turn"]',
    });
    expect(second.key).toBe(first.key);
    const cost = only(second.updates, "usage").at(-1)!.usage;
    expect(cost).toMatchObject({ input: 1234, output: 56 });
  });

  it("runs an allowed tool, and shows it", async () => {
    const { updates, end } = await ask("tool:bash:echo from the tool", { args: ["--allowedTools", "Bash"] });
    const [started] = only(updates, "tool_started");
    expect(started).toMatchObject({ name: "Bash", title: "echo from the tool" });
    expect(only(updates, "tool_finished")).toMatchObject([{ id: started!.id, ok: true, summary: "from the tool" }]);
    expect(end).toMatchObject({ outcome: "done", result: "Running a command.\n\nAFTER_TOOL from the tool" });
  });

  it("asks for a tool that is not allowed, is told no, and continues", async () => {
    const file = join(project, "must-not-be");
    const { updates, end } = await ask(`tool:bash:touch ${file}`, {
      on: (update, run) => {
        if (update.kind === "permission") void run.answer(update.id, { kind: "deny", message: "not today" });
      },
    });
    expect(only(updates, "denied")).toMatchObject([{ tool: "Bash", reason: `touch ${file}` }]);
    expect(only(updates, "tool_finished")).toMatchObject([{ ok: false }]);
    expect(end).toMatchObject({ outcome: "done" });
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });

  it("leaves what it thought out of the answer", async () => {
    const { end } = await ask("think:this through");
    expect(end).toMatchObject({ outcome: "done", result: "thought: this through" });
  });

  it.each([429, 500])("fails when the model does (%i), with the status", async (status) => {
    const { updates, end } = await ask(`error:${status}`);
    expect(end).toMatchObject({ outcome: "failed", code: "E_SERVICE_BUSY", details: { status } });
    expect("temporary" in (end as { details: object }).details).toBe(status === 500);
    expect(only(updates, "notice").map(({ code }) => code)).toContain("model_retry");
    expect(textOf(updates)).toBe("");
  });

  it("gets over a model that fails once", async () => {
    expect((await ask("error:529:once")).end).toMatchObject({ outcome: "done", result: "recovered" });
  });

  it("whose model's answer is cut off keeps what was read, and the answer is that", async () => {
    const { updates, end } = await ask("cut:3");
    // How much it reads before it sees the cut, how often it asks again, and whether streamed, is the agent's affair;
    // what it read is the answer.
    expect(textOf(updates)).toMatch(/^chunk1 (chunk2 )?(chunk3 )?(\n\nchunk1 chunk2 chunk3 )?$/);
    expect(end).toMatchObject({ outcome: "done", result: textOf(updates) });
  });

  it("says that a session it does not know cannot be gone on with, and gives no key", async () => {
    const { end, key, updates } = await ask("echo:x", { key: "11111111-2222-3333-4444-555555555555" });
    expect(end).toMatchObject({ outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown" } });
    expect(key).toBe(undefined);
    expect(textOf(updates)).toBe("");
    expect((await ask("echo:x", { key: "nosuch" })).end).toMatchObject({ code: "E_RESUME_UNKNOWN" });
  });
});

describe("claude, logged in with a plan", () => {
  it.each(["UTC", "America/New_York", "Asia/Kolkata"])(
    "tells of its usage limit when it lifts, exactly and in the words of %s",
    async (zone) => {
      const plan = await openBench({
        driver: claudeDriver,
        env: ({ url }) => ({
          ANTHROPIC_BASE_URL: url,
          CLAUDE_CODE_OAUTH_TOKEN: "test-token",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          CLAUDE_CODE_MAX_RETRIES: "1",
          DISABLE_AUTOUPDATER: "1",
          TZ: zone,
        }),
        passEnv: ["DISABLE_AUTOUPDATER"],
      });
      const before = Math.floor(Date.now() / 1000) * 1000;
      const { updates, end } = await plan.ask("limit:4000");
      expect(end).toMatchObject({ outcome: "failed", code: "E_USAGE_LIMIT", details: { status: 429 } });
      const resetsAt = end.outcome === "failed" ? Number(end.details["resets_at"]) : 0;
      expect(resetsAt - before).toBeGreaterThanOrEqual(4_000_000);
      expect(resetsAt - before).toBeLessThan(4_060_000);
      expect(textOf(updates)).toBe("");
      // The words alone say the same, cut to the minute; without the fields there is nothing else.
      const reason = end.outcome === "failed" ? String(end.details["reason"]) : "";
      expect(reason).toContain(`(${zone})`);
      expect(resetsAtOf(reason, before)! - resetsAt).toBeGreaterThan(0);
      expect(resetsAtOf(reason, before)! - resetsAt).toBeLessThanOrEqual(60_000);
    },
  );
});

describe("claude, ended in the middle", () => {
  it("by a SIGKILL has failed, leaves no process, keeps what was read, and its session can be gone on with", async () => {
    // Whoever kills it before it has written the prompt down leaves nothing to go on with; that is not asked of it.
    const kill = async (run: Turn): Promise<void> => {
      await writtenUnder(join(home, ".claude", "projects"), "slow:200:50");
      process.kill((await run.process)!.pid, "SIGKILL");
    };
    const killed = await ask("slow:200:50", { on: onFirst("text", (run) => void kill(run)) });
    expect(killed.end).toMatchObject({ outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { signal: "SIGKILL" } });
    expect(left()).toEqual([]);
    expect(textOf(killed.updates)).toMatch(/^chunk1 /);
    const next = await ask("hist:", { key: killed.key! });
    expect(next.end).toMatchObject({ outcome: "done" });
    expect((next.end as { result: string }).result).toContain("user:slow:200:50");
  });

  it("by us is cancelled, and its session can be gone on with", async () => {
    const stopped = await ask("slow:200:50", { on: onFirst("text", (run) => void run.cancel()) });
    expect(stopped.end).toEqual({ kind: "end", outcome: "cancelled" });
    expect((await ask("echo:again", { key: stopped.key! })).end).toMatchObject({ outcome: "done", result: "again" });
  });

  it("by us in a tool leaves nothing of the tool running", async () => {
    const pids: string[] = [];
    const { end } = await ask("tool:bash:setsid sleep 601 & sleep 602; echo done", {
      args: ["--allowedTools", "Bash"],
      on: (update, run) => {
        if (update.kind !== "tool_started") return;
        void toolRuns().then((found) => {
          pids.push(...found);
          return run.cancel();
        });
      },
    });
    expect(end).toEqual({ kind: "end", outcome: "cancelled" });
    expect(pids).toHaveLength(2);
    expect(sleepers()).toEqual([]);
  });

  it("by us while the model says nothing is cancelled too", async () => {
    const asked = model.asked.length;
    const { end } = await ask("hang:", {
      on: (update, run) => {
        if (update.kind === "session_key") void model.until(asked + 1).then(() => run.cancel());
      },
    });
    expect(end).toEqual({ kind: "end", outcome: "cancelled" });
  });

  /** The two sleeps of the tool, as soon as both run. */
  async function toolRuns(): Promise<string[]> {
    for (;;) {
      const found = sleepers();
      if (found.length === 2) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  function sleepers(): string[] {
    return left().flatMap((row) => (isSleep(row.pid) ? [String(row.pid)] : []));
  }

  function isSleep(pid: number): boolean {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sleep\0");
    } catch {
      return false;
    }
  }
});

describe("every prompt reaches the model exactly as it is", () => {
  it("of a hundred kilobytes, and of the most a prompt can be", async () => {
    for (const length of [100_000, 200_000]) {
      const prompt = `echo:short ${"0123456789".repeat(length / 10)}`;
      await ask(prompt);
      expect(received()).toBe(prompt);
    }
  });

  it.each(hostile)("%s", async (_, text) => {
    const asked = model.asked.length;
    const prompt = `echo:seen\n${text}`;
    const { end } = await ask(text.startsWith("-") ? text : prompt);
    expect(end).toMatchObject({ outcome: "done" });
    expect(received()).toBe(text.startsWith("-") ? text : prompt);
    expect(model.asked.length).toBe(asked + 1);
    await expect(readFile(join(project, "pwned"))).rejects.toThrow("ENOENT");
  });
});

it("no request carried anything of Discord's, and no process was left", async () => {
  expect(JSON.stringify(model.asked)).not.toContain(CANARY);
  expect(left()).toEqual([]);
});
