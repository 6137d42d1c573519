/** Whether Claude Code has a record of a conversation, by what stands in its directory. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isUnrecorded } from "../../../src/agents/tmux/conversations.ts";

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
