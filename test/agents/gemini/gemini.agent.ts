/**
 * The real Gemini CLI, at the driver. Each run costs it a second and more, so the tests ask it no oftener than they
 * must.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GeminiOutput, geminiDriver } from "../../../src/agents/gemini/driver.ts";
import { CANARY, geminiSettings, hostile, onFirst, openBench, programOf } from "../bench.ts";
import { only, textOf } from "../stage.ts";

let output: GeminiOutput = "stream-json";

const { ask, driver, home, left, model, project, received } = await openBench({
  driver: (options) => geminiDriver({ ...options, output: () => output }),
  // Without what Node has compiled before, a third of each run is spent on compiling the program anew.
  env: ({ url }, home) => ({
    GEMINI_API_KEY: "test-key",
    GOOGLE_GEMINI_BASE_URL: url,
    NODE_COMPILE_CACHE: join(home, "compiled"),
  }),
  passEnv: ["NODE_COMPILE_CACHE"],
  async prepare(_, home) {
    await mkdir(join(home, ".gemini"));
    await writeFile(join(home, ".gemini", "settings.json"), geminiSettings);
  },
});

describe("gemini", () => {
  it("is found, and this version was tried", async () => {
    expect(await driver.probe()).toMatchObject({
      found: true,
      path: programOf("gemini"),
      version: "0.61.0",
      tried: true,
    });
  });

  it("answers a new prompt, streamed, with its session key and its usage, and continues where that session was", async () => {
    const first = await ask("echo:the first turn, longer than one piece of the stream");
    expect(first.end).toEqual({
      kind: "end",
      outcome: "done",
      result: "the first turn, longer than one piece of the stream",
    });
    expect(only(first.updates, "text").length).toBeGreaterThan(1);
    expect(first.key).toMatch(/^[0-9a-f-]{36}$/);
    const usage = Object.assign({}, ...only(first.updates, "usage").map((update) => update.usage)) as object;
    expect(usage).toMatchObject({ input: 1134, output: 56, cacheRead: 100 });
    expect(first.log).not.toMatch(/not understood/);
    const second = await ask("hist:", { key: first.key! });
    expect((second.end as { result: string }).result).toContain(
      '"user:echo:the first turn, longer than one piece of the stream","assistant:the first turn',
    );
    expect(second.key).toBe(first.key);
  });

  it("runs an allowed tool, shows it, and shows a failed one as failed", async () => {
    const args = ["--allowed-tools", "run_shell_command"];
    const { updates, end } = await ask("tool:bash:echo from the tool", { args });
    const [started] = only(updates, "tool_started");
    expect(started).toMatchObject({ name: "run_shell_command", title: "echo from the tool" });
    expect(only(updates, "tool_finished")).toMatchObject([{ id: started!.id, ok: true, summary: "from the tool" }]);
    expect(textOf(updates)).toMatch(/^Running a command\.\n\nAFTER_TOOL /);
    expect(end).toMatchObject({ outcome: "done", result: textOf(updates) });
    expect(only((await ask("tool:bash:exit 3", { args })).updates, "tool_finished")).toMatchObject([{ ok: false }]);
  });

  it("writes a file in its project and in a folder it was granted, and not elsewhere", async () => {
    const granted = join(home, "granted");
    await mkdir(granted);
    const write = (file: string): string => `call:write_file:${JSON.stringify({ file_path: file, content: "hey" })}`;
    const args = ["--approval-mode", "auto_edit"];
    const inside = await ask(write(join(granted, "a.txt")), { args, folders: [granted] });
    expect(only(inside.updates, "tool_finished")).toMatchObject([{ ok: true }]);
    expect(await readFile(join(granted, "a.txt"), "utf8")).toBe("hey");
    const outside = await ask(write(join(home, "b.txt")), { args, folders: [granted] });
    expect(only(outside.updates, "tool_finished")).toMatchObject([{ ok: false }]);
    await expect(readFile(join(home, "b.txt"))).rejects.toThrow("ENOENT");
  });

  it("has what it would write refused by default, and says so", async () => {
    const path = join(project, "refused.txt");
    const { updates, end } = await ask(`call:write_file:${JSON.stringify({ file_path: path, content: "hey" })}`);
    expect(only(updates, "denied")).toMatchObject([{ tool: "write_file" }]);
    expect(end).toMatchObject({ outcome: "done" });
    await expect(readFile(path)).rejects.toThrow("ENOENT");
  });

  it.each([429, 500])(
    "fails when the model does (%i), with the status, and tells of its retry before",
    async (status) => {
      const { updates, end } = await ask(`error:${status}`);
      expect(end).toMatchObject({
        outcome: "failed",
        code: "E_SERVICE_BUSY",
        details: { status, temporary: true },
      });
      expect(only(updates, "notice")).toMatchObject([
        { code: "model_retry", text: expect.stringContaining(String(status)) as string },
      ]);
      expect(textOf(updates)).toBe("");
    },
  );

  it("that failed in a conversation's first turn has no key to continue from, for it kept nothing", async () => {
    const { key } = await ask("error:400");
    expect(key).toBe(undefined);
  });

  it("says that the account's quota is used up and when it is filled again, and is not left sleeping until then", async () => {
    const before = Date.now();
    const { end } = await ask("limit:7200");
    expect(end).toMatchObject({ outcome: "failed", code: "E_USAGE_LIMIT" });
    const resetsAt = end.outcome === "failed" ? Number(end.details["resets_at"]) : 0;
    expect(Math.round((resetsAt - before) / 60_000)).toBe(120);
  });

  it("says that a session it does not know cannot be gone on with, and gives no key", async () => {
    const { end, key, updates } = await ask("echo:x", { key: "11111111-2222-3333-4444-555555555555" });
    expect(end).toMatchObject({ outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown" } });
    expect(key).toBe(undefined);
    expect(textOf(updates)).toBe("");
  });

  it("in json gives the same, at its end", async () => {
    output = "json";
    try {
      const first = await ask("echo:whole");
      expect(first.end).toEqual({ kind: "end", outcome: "done", result: "whole" });
      expect(only(first.updates, "usage").at(-1)!.usage).toMatchObject({ input: 1134, output: 56 });
      const second = await ask("hist:", { key: first.key! });
      expect((second.end as { result: string }).result).toContain('"user:echo:whole","assistant:whole"');
      const broken = await ask("error:400", { key: first.key! });
      expect(broken.end).toMatchObject({ outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { status: 400 } });
      expect(broken.key).toBe(first.key);
    } finally {
      output = "stream-json";
    }
  });
});

describe("gemini, ended in the middle", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "by a %s of somebody else has failed, leaves no process, keeps what was read, and can be gone on with",
    async (signal) => {
      const killed = await ask("slow:200:50", {
        on: onFirst("text", (run) => void run.process.then((it) => process.kill(it!.pid, signal))),
      });
      // It takes a SIGTERM for a good end, and says nothing of it.
      const expected =
        signal === "SIGTERM"
          ? { code: "E_ADAPTER_MISSING_RESULT" }
          : { code: "E_CLI_EXIT_NONZERO", details: { signal } };
      expect(killed.end).toMatchObject({ outcome: "failed", ...expected });
      expect(left()).toEqual([]);
      expect(textOf(killed.updates)).toMatch(/^chunk1 /);
      const next = await ask("hist:", { key: killed.key! });
      expect((next.end as { result: string }).result).toContain("user:slow:200:50");
    },
  );

  it("by us is cancelled, also while the model says nothing", async () => {
    expect((await ask("slow:200:50", { on: onFirst("text", (run) => void run.cancel()) })).end).toEqual({
      kind: "end",
      outcome: "cancelled",
    });
    const asked = model.asked.length;
    const silent = await ask("hang:", {
      on: onFirst("usage", (run) => void model.until(asked + 1).then(() => run.cancel())),
    });
    expect(silent.end).toEqual({ kind: "end", outcome: "cancelled" });
  });
});

it("every prompt reaches the model as it is, and none is an option", async () => {
  for (const text of ["-p", "--yolo"]) {
    const { end } = await ask(text);
    expect(end).toMatchObject({ outcome: "done" });
    expect(received()).toBe(` ${text}`);
  }
  const rest = hostile.filter(([, text]) => !text.startsWith("-")).map(([, text]) => text);
  const prompt = `${rest.join("\n")}\n${"0123456789".repeat(19_900)}\necho:seen`;
  const asked = model.asked.length;
  expect((await ask(prompt)).end).toMatchObject({ outcome: "done" });
  expect(received()).toBe(prompt);
  expect(model.asked.length).toBe(asked + 1);
  await expect(readFile(join(project, "pwned"))).rejects.toThrow("ENOENT");
});

it("no request carried anything of Discord's, and no process was left", () => {
  expect(JSON.stringify(model.asked)).not.toContain(CANARY);
  expect(left()).toEqual([]);
});
