/** Whether Claude Code has a record of a conversation, and what it shows as read, by what stands in its directory. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  enteredPrompt,
  isInterruptedIn,
  isUnrecorded,
  lastMessage,
  readBy,
  refusedUses,
} from "../../../../src/agents/process/stored/claude.ts";

const KEY = "0e04dd64-5ba2-45de-9e63-cfb198183e3d";
const OTHER = "77bdbabb-4f03-405c-8058-431f01c24ce3";

function home(): string {
  const made = mkdtempSync(join(tmpdir(), "bellhop-conversations-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test("a conversation is unrecorded where no directory of Claude's has its file", () => {
  const HOME = home();
  mkdirSync(join(HOME, ".claude", "projects", "-srv-app"), { recursive: true });
  writeFileSync(join(HOME, ".claude", "projects", "-srv-app", `${KEY}.jsonl`), "");
  expect(isUnrecorded({ HOME }, KEY)).toBe(false);
  expect(isUnrecorded({ HOME }, OTHER)).toBe(true);
});

test("Claude's directory is where its environment says", () => {
  const CLAUDE_CONFIG_DIR = home();
  mkdirSync(join(CLAUDE_CONFIG_DIR, "projects", "-srv-app"), { recursive: true });
  writeFileSync(join(CLAUDE_CONFIG_DIR, "projects", "-srv-app", `${KEY}.jsonl`), "");
  expect(isUnrecorded({ HOME: home(), CLAUDE_CONFIG_DIR }, KEY)).toBe(false);
});

test("nothing is concluded without records of any kind, or from a key that is no session id", () => {
  const HOME = home();
  expect(isUnrecorded({ HOME }, KEY)).toBe(false);
  mkdirSync(join(HOME, ".claude", "projects"), { recursive: true });
  expect(isUnrecorded({ HOME }, "../../etc")).toBe(false);
});

test("what Claude has read of what was sent to it stands in its record; what does not may have been read", async () => {
  const HOME = home();
  const [taken = "", attached = "", begun = "", queued = ""] = [1, 2, 3, 4].map((digit) =>
    KEY.replaceAll(/[0-9a-f]/g, String(digit)),
  );
  const lines = [
    { type: "queue-operation", operation: "enqueue", sessionId: KEY },
    { type: "queue-operation", operation: "remove", reason: "absorbed_mid_turn", commandUuid: taken },
    { type: "attachment", attachment: { type: "queued_command", source_uuid: attached } },
    { type: "user", uuid: begun, message: { role: "user", content: "hi" } },
    { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: `not read: ${queued}` }] } },
  ];
  mkdirSync(join(HOME, ".claude", "projects", "-srv-app"), { recursive: true });
  writeFileSync(
    join(HOME, ".claude", "projects", "-srv-app", `${KEY}.jsonl`),
    `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"type":"us`,
  );
  const names = [taken, attached, begun, queued];
  expect(await readBy({ HOME }, KEY, names)).toEqual(
    new Map([
      [taken, "taken"],
      [attached, "taken"],
      [begun, "begun"],
    ]),
  );
  expect(await readBy({ HOME }, OTHER, names)).toEqual(new Map());
  expect(await readBy({ HOME }, "../../x", names)).toEqual(new Map());
  expect(await readBy({ HOME: join(HOME, "none") }, KEY, names)).toEqual(new Map());
});

test("what was refused in a dialog is in its record, with what its owner said of it", async () => {
  const HOME = home();
  const use = (id: string): object => ({
    type: "assistant",
    message: { role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input: { command: id } }] },
  });
  const no = (tool_use_id: string, content: string): object => ({
    type: "user",
    promptId: "p",
    toolDenialKind: "user-rejected",
    toolDenialBeforeRun: true,
    message: { role: "user", content: [{ type: "tool_result", tool_use_id, is_error: true, content }] },
  });
  const lines = [
    { type: "user", promptId: "p", message: { role: "user", content: "x" } },
    use("one"),
    no("one", "The tool use was rejected. To tell you how to proceed, the user said:\nuse another\nfile"),
    use("two"),
    no("two", "The tool use was rejected."),
    use("three"),
  ];
  mkdirSync(join(HOME, ".claude", "projects", "-srv-app"), { recursive: true });
  writeFileSync(
    join(HOME, ".claude", "projects", "-srv-app", `${KEY}.jsonl`),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  expect(await refusedUses({ HOME }, KEY, "p")).toEqual([
    { name: "Bash", input: { command: "one" }, reason: "use another\nfile" },
    { name: "Bash", input: { command: "two" } },
  ]);
});

test("a line that is longer than any message is left out, and a pipe in a record's place keeps nobody waiting", async () => {
  const HOME = home();
  const place = join(HOME, ".claude", "projects", "-srv-app");
  mkdirSync(place, { recursive: true });
  const said = (text: string): string =>
    JSON.stringify({ type: "assistant", message: { id: "1", role: "assistant", content: [{ type: "text", text }] } });
  writeFileSync(
    join(place, `${KEY}.jsonl`),
    Buffer.concat([
      Buffer.from(`{"type":"user","promptId":"p"}\n`),
      Buffer.alloc(65 * 1024 * 1024, "x"),
      Buffer.from(`\n${said("at last")}\n`),
    ]),
  );
  expect(await lastMessage({ HOME }, KEY, "p")).toBe("at last");
  execFileSync("mkfifo", [join(place, `${OTHER}.jsonl`)]);
  expect(await readBy({ HOME }, OTHER, [KEY])).toEqual(new Map());
  expect(await lastMessage({ HOME }, OTHER, "p")).toBe(null);
});

test("what was entered for a turn is its owner's own words, and what he ran in Claude's shell; what was not is told from what is not written down yet", async () => {
  const HOME = home();
  const place = join(HOME, ".claude", "projects", "-srv-app");
  mkdirSync(place, { recursive: true });
  const user = (promptId: string, content: unknown, more = {}): object => ({
    type: "user",
    promptId,
    message: { role: "user", content },
    ...more,
  });
  const result = [{ type: "tool_result", tool_use_id: "t", content: "x" }];
  const lines = [
    user("a", "one", { timestamp: "2026-11-03T10:00:00.000Z" }),
    user("a", result),
    user("a", [{ type: "text", text: "[Request interrupted by user]" }]),
    user("b", "<caveat>", { isMeta: true }),
    user("b", "<bash-input>echo &lt;here&gt;</bash-input>"),
    user("b", "<bash-stdout>x</bash-stdout>"),
    user("c", [{ type: "text", text: "[Request interrupted by user]" }]),
    user("d", "<command-name>/model</command-name>"),
    user("e", "sub", { isSidechain: true }),
    user("e", [{ type: "text", text: "with a picture" }]),
  ];
  writeFileSync(join(place, `${KEY}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const found = await Promise.all(["a", "b", "c", "d", "e", "f"].map((one) => enteredPrompt({ HOME }, KEY, one)));
  expect(found.map((one) => one?.prompt)).toEqual(["one", "! echo <here>", "", "", "with a picture", undefined]);
  expect(found.map((one) => one?.at)).toEqual([
    Date.parse("2026-11-03T10:00:00.000Z"),
    null,
    null,
    null,
    null,
    undefined,
  ]);
});

test("a turn was interrupted where that is the last that is written down, and by that turn's name", async () => {
  const HOME = home();
  const file = join(HOME, ".claude", "projects", "-srv-app", `${KEY}.jsonl`);
  mkdirSync(join(file, ".."), { recursive: true });
  const interruption = (promptId: string, words = "[Request interrupted by user for tool use]"): string =>
    `${JSON.stringify({ type: "user", promptId, message: { role: "user", content: [{ type: "text", text: words }] } })}\n`;
  const answer = `${JSON.stringify({ type: "assistant", message: { role: "assistant", content: [] } })}\n`;
  const isSo = async (lines: string, id = "a"): Promise<boolean> => (
    writeFileSync(file, lines),
    isInterruptedIn({ HOME }, KEY, id)
  );
  expect(await isInterruptedIn({ HOME }, KEY, "a")).toBe(false);
  expect(await isSo(`${interruption("a")}{"type":"last-prompt"}\n`)).toBe(true);
  expect(await isSo(`${"x".repeat(300_000)}\n${interruption("a")}`)).toBe(true);
  expect(await isSo(interruption("a"), "b")).toBe(false);
  expect(await isSo(`${interruption("a")}${answer}`)).toBe(false);
  expect(await isSo(interruption("a", "go on"))).toBe(false);
  expect(await isInterruptedIn({ HOME }, OTHER, "a")).toBe(false);
  expect(await isInterruptedIn({ HOME }, "../../x", "a")).toBe(false);
});
