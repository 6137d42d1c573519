import fc from "fast-check";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codexDriver } from "../../../src/agents/codex/driver.ts";
import { isAlive, systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { all, hostilePrompts, only, openStage, say, sayInChunks, textOf } from "../stage.ts";
import { linesOf } from "./streams.ts";

const { play, driverIn } = await openStage("codex", codexDriver);
const key = "01a1faf6-ec68-7971-a182-e1dbf229a97e";
const begun = [`{"type":"thread.started","thread_id":"${key}"}`, '{"type":"turn.started"}'];
const answer = (text: string): string =>
  `{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"${text}"}}`;
const done = '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5}}';
const swallow = "cat > /dev/null";

describe("a run", () => {
  it("ends with its turn, not with the process, and is gone soon after", async () => {
    const { run } = await play(
      `${swallow}; ${say(...begun, answer("fine"), done)}\ntrap '' INT TERM; while :; do sleep 0.05; done`,
    );
    expect((await all(run)).at(-1)).toEqual({ kind: "end", outcome: "done", result: "fine" });
    const identity = await run.process;
    await run.over;
    expect(isAlive(systemProcessTable(), identity!)).toBe(false);
  });

  it("closes the agent's stdin after the prompt: it waits for that before it begins", async () => {
    const { run, folder } = await play(`cat > $HERE/prompt; ${say(...begun, answer("fine"), done)}`, {
      prompt: "two\nlines",
    });
    expect((await all(run)).at(-1)).toMatchObject({ outcome: "done" });
    expect(await readFile(join(folder, "prompt"), "utf8")).toBe("two\nlines");
  });

  it("gives any prompt at all as its bytes are, beside an argv that does not change", async () => {
    for (const prompt of [
      ...hostilePrompts(),
      "-",
      "--yolo",
      "resume --last",
      "\ufeffx",
      " \n x \n",
      "x".repeat(200_000),
    ]) {
      const { run, folder } = await play(`cat > $HERE/prompt; echo "$*" > $HERE/argv; ${say(...begun, done)}`, {
        prompt,
      });
      await all(run);
      expect(await readFile(join(folder, "prompt"))).toEqual(Buffer.from(prompt));
      expect(await readFile(join(folder, "argv"), "utf8")).toBe("exec --skip-git-repo-check --json -\n");
      await run.over;
    }
  }, 300_000);

  it("names the conversation it continues from, and the folders it may use, before anything else is read", async () => {
    const { run, folder } = await play(`${swallow}; echo "$*" > $HERE/argv; ${say(...begun, done)}`, {
      key: key,
      folders: ["/tmp"],
      args: ["-m", "x"],
    });
    await all(run);
    expect(await readFile(join(folder, "argv"), "utf8")).toBe(
      `exec -m x --add-dir /tmp --skip-git-repo-check resume ${key} --json -\n`,
    );
  });

  it("stays whole among words, half lines and bytes that are no text, which the log keeps", async () => {
    const noise = 'Warning: true colour\n{"type":\n\\377\\376\\000\n}{\n';
    const { run, noted } = await play(
      `${swallow}; printf '${noise}'; ${say(...begun)}\nprintf '${noise}'; ${say(answer("fine"), done)}`,
    );
    expect((await all(run)).at(-1)).toMatchObject({ outcome: "done", result: "fine" });
    expect(noted.filter((note) => note.startsWith("not a line of the protocol"))).toHaveLength(8);
  });

  it("in any chunks is the same run", async () => {
    const lines = `${[...begun, answer("안녕 \u{1F600} é"), done].join("\n")}\n`;
    const samples = fc.sample(fc.array(fc.nat({ max: Buffer.byteLength(lines) }), { minLength: 1, maxLength: 6 }), {
      numRuns: 4,
      seed: 7,
    });
    for (const cuts of samples) {
      const { run } = await play(`${swallow}; ${sayInChunks(lines, cuts)}`);
      expect(textOf(await all(run))).toBe("안녕 \u{1F600} é");
      await run.over;
    }
  });

  it("of a conversation that is silently another one is ended before it does anything", async () => {
    const other = "01a1faf6-0000-7971-a182-e1dbf229a97e";
    const { run } = await play(`${swallow}; ${say(...begun)}\nwhile :; do sleep 0.05; done`, { key: other });
    const updates = await all(run);
    expect(updates).toMatchObject([
      { kind: "end", outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown", session: other } },
    ]);
    await run.over;
    expect(isAlive(systemProcessTable(), (await run.process)!)).toBe(false);
  });
});

describe("a run that ends without its turn's end", () => {
  const missing = "Error: thread/resume: thread/resume failed: no rollout found for thread id 1 (code -32600)";
  const usage =
    "error: unexpected argument '--nosuchflag' found\\n\\n  tip: a similar argument exists\\n\\nFor more information, try '--help'.";
  it.each([
    [
      "a conversation it does not know",
      `printf '${missing}\\n' >&2; exit 1`,
      "E_RESUME_UNKNOWN",
      { resume: "unknown", session: key },
    ],
    [
      "an option it does not know",
      `printf "${usage}\\n" >&2; exit 2`,
      "E_CLI_EXIT_NONZERO",
      { exit_code: 2, reason: "error: unexpected argument '--nosuchflag' found" },
    ],
    ["a signal of somebody else", "kill -9 $$", "E_CLI_EXIT_NONZERO", { signal: "SIGKILL" }],
    [
      "an end it was asked for by somebody else",
      `${say(...begun)}\nexit 143`,
      "E_CLI_EXIT_NONZERO",
      { exit_code: 143 },
    ],
    [
      "its last error",
      `${say(...begun, '{"type":"error","message":"no credit"}')}\nexit 1`,
      "E_CLI_EXIT_NONZERO",
      { exit_code: 1, reason: "no credit" },
    ],
    ["a good exit", say(...begun, answer("half")), "E_ADAPTER_MISSING_RESULT", { exit_code: 0 }],
    ["nothing at all", "exit 0", "E_ADAPTER_MISSING_RESULT", { exit_code: 0 }],
    [
      "a turn in no conversation",
      say('{"type":"turn.started"}', done),
      "E_ADAPTER_SESSION_KEY_MISSING",
      { tool: "codex" },
    ],
  ])("by %s", async (_, script, code, details) => {
    const { run } = await play(`${swallow}; ${script}`, { key: key });
    const updates = await all(run);
    expect(updates.at(-1)).toMatchObject({ kind: "end", outcome: "failed", code, details });
    expect(only(updates, "end")).toHaveLength(1);
    await run.over;
  });

  it("though a new conversation was asked for, never forgets one", async () => {
    const { run } = await play(`${swallow}; echo '${missing}' >&2; exit 1`);
    expect((await all(run)).at(-1)).toMatchObject({ code: "E_CLI_EXIT_NONZERO" });
  });

  it("because we stopped it is cancelled", async () => {
    const { run } = await play(`${swallow}; trap 'exit 1' INT; ${say(...begun)}\nwhile :; do sleep 0.05; done`);
    const first = await run.updates[Symbol.asyncIterator]().next();
    expect(first.value).toEqual({ kind: "session_key", key });
    const [, updates] = await Promise.all([run.cancel(), all(run)]);
    expect(updates.at(-1)).toEqual({ kind: "end", outcome: "cancelled" });
  });
});

it("every true stream has one end at most, and whole lines in any order of chunks", async () => {
  for (const name of ["tool", "patch-add", "err500", "limit-later", "sigterm"]) {
    const lines = `${linesOf(name).join("\n")}\n`;
    const { run } = await play(
      `${swallow}; ${sayInChunks(lines, [1, 77, Math.floor(lines.length / 2), lines.length - 3])}`,
    );
    const updates = await all(run);
    expect(only(updates, "end")).toHaveLength(1);
    expect(only(updates, "session_key")).toHaveLength(1);
    await run.over;
  }
});

it("the probe finds it, its version, and whether that was tried", async () => {
  const { run, folder } = await play("echo 'codex-cli 0.169.0'");
  await all(run);
  const howTo = { install: "npm install --global @openai/codex", login: "codex login" };
  expect(await driverIn(`${folder}:/bin`).probe()).toEqual({
    found: true,
    path: join(folder, "codex"),
    version: "0.169.0",
    tried: true,
    loggedIn: true,
    ...howTo,
  });
  await writeFile(join(folder, "codex"), "#!/bin/sh\necho codex-cli 1.0.0-alpha.1\n", { mode: 0o755 });
  expect(await driverIn(`${folder}:/bin`).probe()).toMatchObject({ version: "1.0.0-alpha.1", tried: false });
  expect(await driverIn("/nonexistent").probe()).toEqual({ found: false, tried: false, ...howTo });
});
