/**
 * The real Codex, at the driver: new, gone on with, failing, limited, killed, and given every hostile prompt.
 */
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codexDriver } from "../../../src/agents/codex/driver.ts";
import type { Turn } from "../../../src/agents/contract/driver.ts";
import type { TurnUsage } from "../../../src/agents/contract/updates.ts";
import { CANARY, codexConfig, hostile, onFirst, openBench, programOf, writtenUnder } from "../bench.ts";
import { only, textOf } from "../stage.ts";

const { ask, driver, home, left, model, project, received } = await openBench({
  driver: codexDriver,
  env: () => ({ MOCK_KEY: "test-key" }),
  passEnv: ["MOCK_KEY"],
  async prepare(model, folder) {
    await mkdir(join(folder, ".codex"));
    await writeFile(join(folder, ".codex", "config.toml"), codexConfig(model, "MOCK_KEY"));
  },
});

const writes = { args: ["--sandbox", "workspace-write"] };

function usageOf(updates: Parameters<typeof only>[0]): TurnUsage {
  return Object.assign({}, ...only(updates, "usage").map(({ usage }) => usage)) as TurnUsage;
}

describe("codex", () => {
  it("is found, and this version was tried", async () => {
    expect(await driver.probe()).toMatchObject({
      found: true,
      path: programOf("codex"),
      version: "0.169.0",
      tried: true,
    });
  });

  it("answers a new prompt, with its session key and its usage", async () => {
    const { updates, end, key, log } = await ask("echo:hello there");
    expect(end).toEqual({ kind: "end", outcome: "done", result: "hello there" });
    expect(textOf(updates)).toBe("hello there");
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    expect(usageOf(updates)).toMatchObject({ input: 1134, cacheRead: 100, output: 56 });
    expect(log).not.toMatch(/not understood|not a line of the protocol/);
  });

  it("continues where a session was, the model sees the earlier turns, and each run has its own usage", async () => {
    const first = await ask("echo:the first turn");
    const { counters } = usageOf(first.updates);
    const second = await ask("hist:", { key: first.key!, counters: counters! });
    expect(second.end).toMatchObject({
      outcome: "done",
      result: 'HISTORY ["user:echo:the first turn","assistant:the first turn"]',
    });
    expect(second.key).toBe(first.key);
    expect(usageOf(second.updates)).toMatchObject({
      input: 1134,
      cacheRead: 100,
      output: 56,
      counters: { conversation_input: 2468 },
    });
  });

  it("runs a command, and shows it", async () => {
    const { updates, end } = await ask("tool:bash:echo from the tool");
    const [started] = only(updates, "tool_started");
    expect(started).toMatchObject({ name: "shell", title: "echo from the tool" });
    expect(only(updates, "tool_finished")).toMatchObject([{ id: started!.id, ok: true, summary: "from the tool" }]);
    expect((end as { result: string }).result).toMatch(/^Running a command\.\n\nAFTER_TOOL /);
  });

  it("writes files with its own tool, and says which", async () => {
    const patch = "*** Begin Patch\n*** Add File: made.txt\n+hello\n*** End Patch";
    const { updates } = await ask(`call:apply_patch:${JSON.stringify({ words: patch })}`, {
      args: [...writes.args, "-m", "gpt-5.5"],
    });
    expect(only(updates, "tool_finished")).toMatchObject([{ ok: true }]);
    expect(await readFile(join(project, "made.txt"), "utf8")).toBe("hello\n");
  });

  it("has what it would write refused by default, and says so", async () => {
    const patch = "*** Begin Patch\n*** Add File: refused.txt\n+hello\n*** End Patch";
    const patched = await ask(`call:apply_patch:${JSON.stringify({ words: patch })}`, { args: ["-m", "gpt-5.5"] });
    expect(only(patched.updates, "denied")).toMatchObject([{ tool: "apply_patch" }]);
    // A command that ends at once is not reported at all.
    const ran = await ask("tool:bash:echo before; sleep 1; touch refused.txt");
    expect(only(ran.updates, "denied")).toMatchObject([{ tool: "shell" }]);
    expect([patched.end, ran.end]).toMatchObject([{ outcome: "done" }, { outcome: "done" }]);
    expect(await readdir(project)).not.toContain("refused.txt");
  });

  it("may write in the folders it was granted, of a resumed conversation too, and nowhere else", async () => {
    const folder = await mkdtemp(join(home, "grants-"));
    const granted = join(folder, "granted");
    await mkdir(granted);
    const { key } = await ask("echo:x", writes);
    const { end } = await ask(`tool:bash:touch ${granted}/file; touch ${folder}/forbidden`, {
      ...writes,
      folders: [granted],
      key: key!,
    });
    expect(end).toMatchObject({ outcome: "done" });
    expect(await readdir(folder, { recursive: true })).toEqual(["granted", join("granted", "file")]);
  });

  it("leaves what it thought out of the answer", async () => {
    const { end } = await ask("think:this through");
    expect(end).toMatchObject({ outcome: "done", result: "thought: this through" });
  });

  it.each([
    [429, { status: 429 }],
    [500, { temporary: true }],
    [503, { status: 503, temporary: true }],
  ])("fails when the model does (%i), and says whether that may pass", async (status, details) => {
    const { updates, end } = await ask(`error:${status}`);
    expect(end).toMatchObject({ outcome: "failed", code: "E_SERVICE_BUSY", details });
    expect("temporary" in (end as { details: object }).details).toBe("temporary" in details);
    expect(only(updates, "notice").map(({ code }) => code)).toContain("model_retry");
    expect(textOf(updates)).toBe("");
  });

  it.each([3600, 400_000])("tells a usage limit with the time it lifts, %i seconds from now", async (seconds) => {
    const soonest = Date.now() + seconds * 1000;
    const { end } = await ask(`limit:${seconds}`);
    expect(end).toMatchObject({ outcome: "failed", code: "E_USAGE_LIMIT" });
    const resetsAt = end.outcome === "failed" ? Number(end.details["resets_at"]) : 0;
    expect(resetsAt - soonest).toBeGreaterThan(-1000);
    expect(resetsAt - soonest).toBeLessThan(120_000);
  });

  it("gets over a model that fails once", async () => {
    expect((await ask("error:500:once")).end).toMatchObject({ outcome: "done", result: "recovered" });
  });

  it("whose model's answer is cut off has failed in a way that may pass", async () => {
    expect((await ask("cut:3")).end).toMatchObject({ outcome: "failed", details: { temporary: true } });
  });

  it("says that a session it does not know cannot be gone on with, and gives no key", async () => {
    const asked = model.asked.length;
    for (const resume of ["11111111-2222-3333-4444-555555555555", "no-such-name"]) {
      const { end, key, updates } = await ask("echo:x", { key: resume });
      expect(end).toMatchObject({
        outcome: "failed",
        code: "E_RESUME_UNKNOWN",
        details: { resume: "unknown", session: resume },
      });
      expect(key).toBe(undefined);
      expect(textOf(updates)).toBe("");
    }
    expect(model.asked.length - asked).toBeLessThanOrEqual(1);
  });

  it("given an argument it does not know says which", async () => {
    const { end } = await ask("echo:x", { args: ["--nosuchflag"] });
    expect(end).toMatchObject({
      outcome: "failed",
      code: "E_CLI_EXIT_NONZERO",
      details: { exit_code: 2, reason: expect.stringContaining("--nosuchflag") as string },
    });
  });
});

describe("codex, ended in the middle", () => {
  it("by a SIGKILL has failed, leaves no process, and its session can be gone on with", async () => {
    const sessions = join(home, ".codex", "sessions");
    // Whoever kills it before it has written the prompt down leaves nothing to go on with.
    const kill = async (run: Turn): Promise<void> => {
      await writtenUnder(sessions, "slow:200:50");
      process.kill((await run.process)!.pid, "SIGKILL");
    };
    const killed = await ask("slow:200:50", { on: onFirst("session_key", (run) => void kill(run)) });
    expect(killed.end).toMatchObject({ outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { signal: "SIGKILL" } });
    expect(left()).toEqual([]);
    const next = await ask("hist:", { key: killed.key! });
    expect((next.end as { result: string }).result).toContain("user:slow:200:50");
    // What the killed run used is not known, so neither is the share of this one.
    expect(usageOf(next.updates)).not.toHaveProperty("output");
  });

  it("by us while the model says nothing is cancelled, and its session can be gone on with", async () => {
    const asked = model.asked.length;
    const stopped = await ask("hang:", {
      on: onFirst("session_key", (run) => void model.until(asked + 1).then(() => run.cancel())),
    });
    expect(stopped.end).toEqual({ kind: "end", outcome: "cancelled" });
    expect((await ask("echo:again", { key: stopped.key! })).end).toMatchObject({ outcome: "done", result: "again" });
  });

  it("by us in a command leaves nothing of the command running", async () => {
    const { end } = await ask("tool:bash:setsid sleep 601 & sleep 602; echo done", {
      on: onFirst("tool_started", (run) => void run.cancel()),
    });
    expect(end).toEqual({ kind: "end", outcome: "cancelled" });
    expect(left()).toEqual([]);
  });
});

describe("every prompt reaches the model exactly as it is", () => {
  it("of a hundred kilobytes, and of the most a prompt can be, of a resumed conversation too", async () => {
    const { key } = await ask("echo:x");
    for (const length of [100_000, 200_000]) {
      const prompt = `echo:short ${"0123456789".repeat(length / 10)}`;
      await ask(prompt, { key: key! });
      expect(received()).toBe(prompt);
    }
  });

  it.each(hostile)("%s", async (_, text) => {
    const asked = model.asked.length;
    const prompt = text.startsWith("-") || text.startsWith("resume") ? text : `echo:seen\n${text}`;
    const { end } = await ask(prompt);
    expect(end).toMatchObject({ outcome: "done" });
    expect(received()).toBe(prompt);
    expect(model.asked.length).toBe(asked + 1);
    await expect(readFile(join(project, "pwned"))).rejects.toThrow("ENOENT");
  });
});

it("no request carried anything of Discord's, and no process was left", () => {
  expect(JSON.stringify(model.asked)).not.toContain(CANARY);
  expect(left()).toEqual([]);
});
