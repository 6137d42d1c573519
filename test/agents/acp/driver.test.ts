/** What the driver of ACP agents tells of an agent before it is started. */
import { expect, test } from "vitest";
import { acpDriver } from "../../../src/agents/acp/driver.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openProcesses } from "../../../src/host/processes/processes.ts";

const setting = { processes: openProcesses(), clock: systemClock, tool: "acp", env: { PATH: "" }, version: "0.0.0" };

test.each([
  ["a known agent", { commands: [["claude-agent-acp"]] }, "asks"],
  ["a known agent that another program runs", { commands: [["/usr/bin/node", "/opt/demo-agent.js"]] }, "asks"],
  ["an agent that nobody knows", { commands: [["/opt/some-agent", "--acp"]] }, null],
  ["a known agent that is used as it is", { commands: [["claude-agent-acp"]], asIs: true }, null],
])("of %s it is said that it asks only where that is known", (_, agent, access) => {
  expect(acpDriver({ ...setting, ...agent }).access([])).toBe(access);
});

test.each([
  [["--permission-mode", "acceptEdits"], "edits"],
  [["--approval-mode=auto_edit"], "edits"],
  [["--approval-mode", "plan"], "asks"],
])("of one whose arguments name a mode it is said how it may write: %j", (args, access) => {
  expect(acpDriver({ ...setting, commands: [["gemini", "--acp"]] }).access(args)).toBe(access);
});
