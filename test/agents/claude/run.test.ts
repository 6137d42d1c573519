import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claudeDriver } from "../../../src/agents/claude/driver.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { isAlive, systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { all, hostilePrompts, only, openStage, say, sayInChunks, silentLog, textOf } from "../stage.ts";

const { play, driverIn } = await openStage("claude", claudeDriver);
const table = systemProcessTable();
const key = "6d3040e7-7186-4cfc-b5f1-36b24e8e3400";
const init = `{"type":"system","subtype":"init","session_id":"${key}","model":"m"}`;
const result = (text: string): string =>
  `{"is_error":false,"subtype":"success","result":"${text}","session_id":"${key}","type":"result"}`;

/** Most of an agent's time here is waiting for it. */
const AT_ONCE = 10;

describe("a run", () => {
  it("ends with the result line, not with the process, which is gone soon after its conversation is closed", async () => {
    const { agent, run } = await play(
      `read prompt; ${say(init, result("fine"))}\ntrap '' INT TERM; while :; do sleep 0.05; done`,
    );
    const updates = await all(run);
    expect(updates.at(-1)).toMatchObject({ kind: "end", outcome: "done", result: "fine" });
    const identity = await run.process;
    await run.over;
    expect(isAlive(table, identity!)).toBe(true);
    await agent.close();
    expect(isAlive(table, identity!)).toBe(false);
  });

  it("has exactly one end, whatever the agent says after its result", async () => {
    const { run } = await play(`read prompt; ${say(init, result("one"), result("two"), init)}`);
    const updates = await all(run);
    expect(only(updates, "end")).toHaveLength(1);
    expect(textOf(updates)).toBe("one");
    await run.over;
  });

  it("closes the agent's stdin with its conversation, so that it can go", async () => {
    const { agent, run, folder } = await play(
      `read prompt; ${say(init, result("x"))}\ncat > $HERE/rest; echo over >> $HERE/rest`,
    );
    await all(run);
    await agent.close();
    expect(await readFile(join(folder, "rest"), "utf8")).toBe("over\n");
  });

  it("gives the prompt as one line on stdin: nothing in it ends the line or is an option", async () => {
    const hostile = [
      "-p",
      "--settings={}",
      "$(id)",
      "a\nb\r\nc",
      "\u2028\u2029",
      "\u001b[201~",
      "\u202e",
      "a\0b",
      "'\"`\\",
      "\ud800",
    ];
    const told = [...hostile, hostile.join(" "), "x".repeat(200_000)].map(async (prompt) => {
      const { run, folder } = await play(`head -n 1 > $HERE/line; echo "$#" > $HERE/argc; ${say(init, result("x"))}`, {
        prompt,
      });
      await all(run);
      const line = JSON.parse(await readFile(join(folder, "line"), "utf8")) as {
        message: { content: { text: string }[] };
      };
      expect(line.message.content[0]!.text).toBe(prompt);
      expect(await readFile(join(folder, "line"), "utf8")).not.toMatch(/[\u2028\u2029\r\0\u001b]/);
      expect(await readFile(join(folder, "argc"), "utf8")).toBe("12\n");
      await run.over;
    });
    await Promise.all(told);
  });

  it("gives any prompt at all as it is", async () => {
    const prompts = hostilePrompts();
    for (let from = 0; from < prompts.length; from += AT_ONCE)
      await Promise.all(prompts.slice(from, from + AT_ONCE).map(isGiven));

    async function isGiven(prompt: string): Promise<void> {
      const { run, folder } = await play(`head -n 1 > $HERE/line; echo "$#" > $HERE/argc; ${say(init, result("x"))}`, {
        prompt,
      });
      await all(run);
      const line = JSON.parse(await readFile(join(folder, "line"), "utf8")) as {
        message: { content: { text: string }[] };
      };
      expect(line.message.content[0]!.text).toBe(prompt);
      expect(await readFile(join(folder, "argc"), "utf8")).toBe("12\n");
      await run.over;
    }
  }, 300_000);

  it("stays whole among words, half lines and bytes that are no text", async () => {
    const noise = 'Warning: true colour\n{"type":\n\\377\\376\\000\n}{\n';
    const { run, noted } = await play(
      `read prompt; printf '${noise}'; ${say(init)}\nprintf '${noise}'; ${say(result("fine"))}`,
    );
    expect((await all(run)).at(-1)).toMatchObject({ outcome: "done", result: "fine" });
    expect(noted.filter((note) => note.startsWith("not a line of the protocol"))).toHaveLength(8);
    await run.over;
  });

  it("leaves an oversized line out, says so once, and continues", async () => {
    const big = "head -c 9000000 /dev/zero | tr '\\0' x; echo";
    const { run } = await play(`read prompt; ${say(init)}\n${big}; ${big}; ${say(result("fine"))}`);
    const updates = await all(run);
    expect(only(updates, "left_out")).toEqual([{ kind: "left_out", why: "long", bytes: 9_000_000 }]);
    expect(updates.at(-1)).toMatchObject({ outcome: "done" });
    await run.over;
  });

  it("gives the agent the owner's word on its stdin, once, and not after its end", async () => {
    const ask = `{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"rm x"},"tool_use_id":"t1"}}`;
    const { run, folder } = await play(
      `read prompt; ${say(init, ask)}\nhead -n 1 > $HERE/reply; ${say(result("fine"))}`,
    );
    const told: boolean[] = [];
    const kinds: string[] = [];
    for await (const update of run.updates) {
      kinds.push(update.kind);
      if (update.kind !== "permission") continue;
      told.push(await run.answer("r2", { kind: "allow", input: update.input }));
      told.push(await run.answer("r1", { kind: "allow", input: { command: "rm\u2028 x" } }));
      told.push(await run.answer("r1", { kind: "deny", message: "no" }));
    }
    expect(told).toEqual([false, true, false]);
    expect(kinds).not.toContain("denied");
    const line = await readFile(join(folder, "reply"), "utf8");
    expect(line).not.toContain("\u2028");
    expect(JSON.parse(line)).toEqual({
      type: "control_response",
      response: {
        subtype: "success",
        request_id: "r1",
        response: { behavior: "allow", updatedInput: { command: "rm\u2028 x" } },
      },
    });
    await run.over;
    expect(await run.answer("r1", { kind: "deny", message: "no" })).toBe(false);
  });

  it("that has ended, was stopped or was never there takes no word any more", async () => {
    const ask = `{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"rm x"},"tool_use_id":"t1"}}`;
    const { run } = await play(`read prompt; ${say(init, ask, result("fine"))}`);
    await all(run);
    expect(await run.answer("r1", { kind: "allow", input: {} })).toBe(false);
    const stopped = await play(`read prompt; ${say(init, ask)}\nwhile :; do sleep 0.05; done`);
    for await (const update of stopped.run.updates) {
      if (update.kind !== "permission") continue;
      const gone = stopped.run.cancel();
      expect(await stopped.run.answer("r1", { kind: "allow", input: {} })).toBe(false);
      await gone;
    }
    const agent = await driverIn("/nonexistent").open({
      cwd: "/",
      args: [],
      folders: [],
      key: null,
      env: {},
      log: silentLog,
    });
    const missing = agent.prompt({ text: "hi", counters: null, log: silentLog });
    expect(await missing.answer("r1", { kind: "allow", input: {} })).toBe(false);
    await Promise.all([run.over, missing.over]);
  });

  it("whose reader goes away ends its agent", async () => {
    const { run } = await play(`read prompt; ${say(init)}\nwhile :; do sleep 0.05; done`);
    for await (const update of run.updates) {
      expect(update.kind).toBe("session_key");
      break;
    }
    await run.over;
    expect(isAlive(table, (await run.process)!)).toBe(false);
  });
});

describe("an agent that fails", () => {
  it.each([
    [
      "a code",
      `read prompt; echo first >&2; echo 'no credit' >&2; exit 3`,
      "E_CLI_EXIT_NONZERO",
      { exit_code: 3, reason: "no credit" },
    ],
    ["a signal", "read prompt; kill -9 $$", "E_CLI_EXIT_NONZERO", { signal: "SIGKILL" }],
    ["nothing at all", "read prompt; exit 0", "E_ADAPTER_MISSING_RESULT", { exit_code: 0 }],
    ["lines of another protocol", "read prompt; echo '{\"oops'; exit 0", "E_ADAPTER_PARSE", { exit_code: 0 }],
    ["a half answer and a good exit", `read prompt; ${say(init)}`, "E_ADAPTER_MISSING_RESULT", { exit_code: 0 }],
  ])("by %s before its result", async (_, script, code, details) => {
    const { run } = await play(script);
    const updates = await all(run);
    expect(updates.at(-1)).toMatchObject({ kind: "end", outcome: "failed", code, details });
    expect(only(updates, "end")).toHaveLength(1);
    await run.over;
  });

  it("because it is not there: says with which command to install it", async () => {
    const env = { PATH: "/nonexistent" };
    const driver = driverIn(env.PATH);
    const missing = (await driver.open({ cwd: "/", args: [], folders: [], key: null, env, log: silentLog })).prompt({
      text: "hi",
      counters: null,
      log: silentLog,
    });
    expect(await all(missing)).toMatchObject([
      {
        outcome: "failed",
        code: "E_AGENT_START_FAILED",
        details: { tool: "claude", install: "npm install --global @anthropic-ai/claude-code" },
      },
    ]);
    expect(await missing.process).toBe(null);
    await missing.over;
    expect(await driver.probe()).toMatchObject({ found: false, tried: false });
  });

  it("because its directory is gone: could not be started", async () => {
    const { run } = await play("exit 0", { cwd: "/nonexistent" });
    expect(await all(run)).toMatchObject([{ outcome: "failed", code: "E_AGENT_START_FAILED" }]);
    await run.over;
  });

  it.each([
    ["holds a NUL", ["--model", "a\0b"]],
    ["takes the owner's say away", ["--dangerously-skip-permissions"]],
    ["chooses another session", ["-r", "5f6c2f3e"]],
    ["would be read as the prompt", ["do it"]],
  ])("because an argument %s: is never started", async (_, args) => {
    const { run } = await play("exit 0", { args });
    expect(await all(run)).toMatchObject([
      { outcome: "failed", code: "E_ARGUMENT_REFUSED", details: { tool: "claude" } },
    ]);
    expect(await run.process).toBe(null);
  });

  it.each(["--help", "", "a b", "../x", "x".repeat(65), "é"])(
    "because the session key %j could be an option or a path: is never started",
    async (resume) => {
      const { run } = await play("exit 0", { key: resume });
      expect(await all(run)).toMatchObject([
        { outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown" } },
      ]);
      expect(await run.process).toBe(null);
    },
  );
});

describe("stopping", () => {
  it("an agent that says how its turn was cut off is a cancellation", async () => {
    const aborted = `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming","session_id":"${key}"}`;
    const { run } = await play(
      `trap 'echo '"'"'${aborted}'"'"'; exit 0' INT; read prompt; ${say(init)}\nwhile :; do sleep 0.05; done`,
    );
    const updates: Update[] = [];
    let stopped: Promise<void> | null = null;
    for await (const update of run.updates) {
      updates.push(update);
      stopped ??= run.cancel();
    }
    expect(updates.at(-1)).toEqual({ kind: "end", outcome: "cancelled" });
    await stopped;
  });

  it("an agent that ignores every signal is a cancellation too, and nothing of it is left", async () => {
    const { run } = await play(
      `trap '' INT TERM; read prompt; ${say(init)}\nsetsid sleep 600 & while :; do sleep 0.05; done`,
    );
    const first = await run.updates[Symbol.asyncIterator]().next();
    expect(first.value).toMatchObject({ kind: "session_key" });
    const [, updates] = await Promise.all([run.cancel(), all(run)]);
    expect(updates.at(-1)).toEqual({ kind: "end", outcome: "cancelled" });
    expect(isAlive(table, (await run.process)!)).toBe(false);
  });

  it("an agent that never reads what it is given is a cancellation too, and nothing of it is left", async () => {
    const { run } = await play("exec sleep 600", { prompt: "x".repeat(4_000_000) });
    const [updates] = await Promise.all([all(run), run.cancel()]);
    expect(updates).toEqual([{ kind: "end", outcome: "cancelled" }]);
    expect(isAlive(table, (await run.process)!)).toBe(false);
  });

  it("in the moment it is started is a cancellation, and nothing of it is left", async () => {
    const { run } = await play("while :; do sleep 0.05; done");
    const stopped = run.cancel();
    expect(await all(run)).toEqual([{ kind: "end", outcome: "cancelled" }]);
    await stopped;
    expect(isAlive(systemProcessTable(), (await run.process)!)).toBe(false);
  });

  it("after the agent's own result changes nothing", async () => {
    const { run } = await play(`read prompt; ${say(init, result("fine"))}`);
    const updates = await all(run);
    await run.cancel();
    expect(updates.at(-1)).toMatchObject({ outcome: "done" });
  });
});

describe("the probe", () => {
  it("finds the agent, its version, and whether it was tried", async () => {
    const { run, folder } = await play("echo '2.1.329 (Claude Code)'");
    await all(run);
    const probe = () => driverIn(`${folder}:/bin`).probe();
    const howTo = { install: "npm install --global @anthropic-ai/claude-code", login: "claude auth login" };
    expect(await probe()).toEqual({
      found: true,
      path: join(folder, "claude"),
      version: "2.1.329",
      tried: true,
      loggedIn: true,
      ...howTo,
    });
    await writeFile(join(folder, "claude"), "#!/bin/sh\necho 3.0.0\n", { mode: 0o755 });
    expect(await probe()).toMatchObject({ found: true, version: "3.0.0", tried: false });
    await writeFile(join(folder, "claude"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect(await probe()).toEqual({ found: true, path: join(folder, "claude"), tried: false, ...howTo });
  });

  it("says whether it is logged in as it says itself, and asks no version that may take the question for a prompt", async () => {
    const { run, folder } = await play('[ "$1" = auth ] && exit 1; echo 2.1.330');
    await all(run);
    const probe = () => driverIn(`${folder}:/bin`).probe();
    expect(await probe()).toMatchObject({ found: true, loggedIn: false, login: "claude auth login" });
    await writeFile(join(folder, "claude"), '#!/bin/sh\n[ "$1" = auth ] && exit 7; echo 2.1.330\n', { mode: 0o755 });
    expect(await probe()).not.toHaveProperty("loggedIn");
    await writeFile(join(folder, "claude"), '#!/bin/sh\n[ "$1" = auth ] && exit 1; echo 2.1.99\n', { mode: 0o755 });
    expect(await probe()).not.toHaveProperty("loggedIn");
  });

  it("leaves nothing in a home where it never ran, and is asked in its own home where it did", async () => {
    // As Claude Code does it: asking for the login makes it write its state file.
    const { run, folder } = await play(
      `[ "$1" = auth ] || { echo 2.1.329; exit; }; own=\${CLAUDE_CONFIG_DIR:-$HOME}; [ -e "$own/.claude.json" ] && exit 0; echo {} > "$own/.claude.json"; exit 1`,
    );
    await all(run);
    const home = join(folder, "home");
    await mkdir(home);
    const probe = (env: Record<string, string> = {}) =>
      driverIn(`${folder}:/bin`, { env: { PATH: `${folder}:/bin`, HOME: home, ...env } }).probe();
    expect(await probe()).toMatchObject({ loggedIn: false });
    expect(await readdir(home)).toEqual([]);

    await mkdir(join(home, ".claude"));
    await writeFile(join(home, ".claude", ".credentials.json"), "{}");
    expect(await probe(), "logged in or not, it would write").not.toHaveProperty("loggedIn");
    expect(await readdir(home)).toEqual([".claude"]);

    await writeFile(join(home, ".claude.json"), "{}");
    expect(await probe()).toMatchObject({ loggedIn: true });
    expect(
      await probe({ CLAUDE_CONFIG_DIR: join(folder, "other") }),
      "another home of its own, where it never ran",
    ).toMatchObject({ loggedIn: false });
    await expect(readdir(join(folder, "other"))).rejects.toThrow("ENOENT");
  });

  it("asks the whole configured command, its own arguments first", async () => {
    const { run, folder } = await play(`echo "$*" >> $HERE/asked; echo 2.1.329`);
    await all(run);
    const wrapped = driverIn("/bin", {
      command: [join(folder, "claude"), "--wrapped", "x"],
      env: { PATH: "/bin", HERE: folder },
    });
    expect(await wrapped.probe()).toMatchObject({ found: true, tried: true });
    expect(await readFile(join(folder, "asked"), "utf8")).toMatch(/--wrapped x --version\n--wrapped x auth status\n$/);
  });
});

it("a stream in any chunks is the same run", async () => {
  const lines = `${init}\n{"type":"assistant","session_id":"${key}","message":{"id":"a","content":[{"type":"text","text":"안녕 \u{1F600} é"}]}}\n${result("안녕 \u{1F600} é")}\n`;
  const samples = fc.sample(fc.array(fc.nat({ max: Buffer.byteLength(lines) }), { minLength: 1, maxLength: 6 }), {
    numRuns: 4,
    seed: 7,
  });
  for (const cuts of samples) {
    const { run } = await play(`read prompt; ${sayInChunks(lines, cuts)}`);
    expect((await all(run)).at(-1)).toMatchObject({ outcome: "done", result: "안녕 \u{1F600} é" });
    await run.over;
  }
});
