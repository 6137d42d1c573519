/**
 * Gemini's driver with a scripted program: what reaches it, what its ends and its exit codes mean, what it says aside.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GeminiOutput, geminiDriver } from "../../../src/agents/gemini/driver.ts";
import { isAlive, systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { all, hostilePrompts, only, openStage, say } from "../stage.ts";
import { exitOf, linesOf } from "./streams.ts";

let output: GeminiOutput = "stream-json";
const { play } = await openStage("gemini", (options) => geminiDriver({ ...options, output: () => output }));
const key = "f45b8baf-23aa-4a58-b48c-eb4127240979";
const init = `{"type":"init","session_id":"${key}","model":"m"}`;
const done = '{"type":"result","status":"success","stats":{}}';
const swallow = "cat > /dev/null";

it("any prompt at all reaches it as its bytes are, beside an argv that does not change, and none can become an option", async () => {
  for (const prompt of [...hostilePrompts(), "x".repeat(200_000)]) {
    const { run, folder } = await play(
      `cat > $HERE/prompt; echo "$* $GEMINI_CLI_NO_RELAUNCH" > $HERE/argv; ${say(init, done)}`,
      { prompt },
    );
    await all(run);
    expect(await readFile(join(folder, "prompt"))).toEqual(Buffer.from(prompt.startsWith("-") ? ` ${prompt}` : prompt));
    expect(await readFile(join(folder, "argv"), "utf8")).toBe("--output-format stream-json true\n");
    await run.over;
  }
}, 300_000);

describe("a true stream with its exit code", () => {
  it.each([
    ["new", { outcome: "done", result: "hello" }],
    ["err400", { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { status: 400 } }],
    ["err429", { outcome: "failed", code: "E_SERVICE_BUSY", details: { status: 429, temporary: true } }],
    ["err500", { outcome: "failed", code: "E_SERVICE_BUSY", details: { status: 500, temporary: true } }],
    [
      "nosuchflag",
      {
        outcome: "failed",
        code: "E_CLI_EXIT_NONZERO",
        details: { exit_code: 1, reason: "Unknown argument: nosuchflag" },
      },
    ],
    ["sigterm-norelaunch", { outcome: "failed", code: "E_ADAPTER_MISSING_RESULT", details: { exit_code: 0 } }],
    ["sigterm-pgrp", { outcome: "failed", code: "E_ADAPTER_MISSING_RESULT", details: { exit_code: 0 } }],
  ])("of %s has one end, and it is the honest one", async (name, expected) => {
    const { run } = await play(
      `${swallow}; cat >&2 <<'EOF'\n${linesOf(name, "err").join("\n")}\nEOF\n${say(...linesOf(name))}\nexit ${exitOf(name)}`,
    );
    const updates = await all(run);
    expect(only(updates, "end")).toMatchObject([expected]);
    expect(updates.at(-1)).toMatchObject(expected);
    await run.over;
  });

  it("of json that fails says why, though all of it is on stderr", async () => {
    output = "json";
    try {
      const { run } = await play(
        `${swallow}; cat >&2 <<'EOF'\n${linesOf("json-err", "err").join("\n")}\nEOF\nexit ${exitOf("json-err")}`,
      );
      expect((await all(run)).at(-1)).toMatchObject({
        outcome: "failed",
        code: "E_CLI_EXIT_NONZERO",
        details: { status: 400, exit_code: 144 },
      });
    } finally {
      output = "stream-json";
    }
  });
});

describe("what it says aside", () => {
  const sleeping =
    "Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 2h.. Retrying after 7300000ms...";

  it("of a quota that is filled again in hours ends the run at once, and it is not left sleeping", async () => {
    const { run } = await play(`${swallow}; ${say(init)}\necho '${sleeping}' >&2\nwhile :; do sleep 0.05; done`);
    const updates = await all(run);
    expect(only(updates, "end")).toMatchObject([{ outcome: "failed", code: "E_USAGE_LIMIT" }]);
    await run.over;
    expect(isAlive(systemProcessTable(), (await run.process)!)).toBe(false);
  });

  it("as its last words is one end too, whatever else it says and however it exits", async () => {
    for (const more of ["", "echo 'Error when talking to Gemini API' >&2;"]) {
      const { run } = await play(
        `${swallow}; ${say(init)}\nexec 1>&-; echo '${sleeping}' >&2; echo '${sleeping}' >&2; ${more} exit 173`,
      );
      const updates = await all(run);
      expect(only(updates, "end")).toMatchObject([{ outcome: "failed", code: "E_USAGE_LIMIT" }]);
      expect(updates.at(-1)).toMatchObject({ kind: "end" });
      await run.over;
    }
  });

  it("after we asked it to stop is a cancellation", async () => {
    const { run } = await play(
      `trap "echo '${sleeping.replaceAll("'", "")}' >&2; exit 0" INT TERM; ${swallow}; ${say(init)}\nwhile :; do sleep 0.05; done`,
    );
    const updates = [];
    for await (const update of run.updates) {
      updates.push(update);
      if (update.kind === "usage") void run.cancel();
    }
    expect(only(updates, "end")).toEqual([{ kind: "end", outcome: "cancelled" }]);
  });

  it("of a retry is told while it is silent, and the answer is whole", async () => {
    const retry = "Attempt 1 failed with status 503. Retrying with backoff... _ApiError: x";
    const { run, folder } = await play(
      `${swallow}; ${say(init)}\necho '${retry}' >&2; until [ -e $HERE/go ]; do sleep 0.02; done; ${say('{"type":"message","role":"assistant","content":"fine","delta":true}', done)}`,
    );
    const updates = [];
    for await (const update of run.updates) {
      updates.push(update);
      if (update.kind === "notice") await writeFile(join(folder, "go"), "");
    }
    expect(only(updates, "notice")).toMatchObject([{ code: "model_retry" }]);
    expect(updates.at(-1)).toEqual({ kind: "end", outcome: "done", result: "fine" });
  });
});
