/** What a session's agent still does in the background. */
import { expect, test } from "vitest";
import { Background } from "../../../src/agents/acp/turn.ts";

const began = (call: string, command: string): Record<string, unknown> => ({
  sessionUpdate: "tool_call_update",
  toolCallId: call,
  title: command,
  rawInput: { command, run_in_background: true },
});
const goesOn = (call: string, id: string): Record<string, unknown> => ({
  sessionUpdate: "tool_call_update",
  toolCallId: call,
  _meta: { claudeCode: { toolName: "Bash", toolResponse: { backgroundTaskId: id } } },
});
const ended = (call: string): Record<string, unknown> => ({
  sessionUpdate: "tool_call_update",
  toolCallId: call,
  status: "completed",
});
const told = { sessionUpdate: "usage_update", _meta: { "_claude/origin": { kind: "task-notification" } } };

function withTwo(): Background {
  const background = new Background();
  for (const [call, id, command] of [
    ["c1", "t1", "npm test"],
    ["c2", "t2", "npm run dev"],
  ] as const)
    for (const update of [began(call, command), goesOn(call, id), ended(call)]) background.onUpdate(update);
  return background;
}

test("a command that Claude lets go on is in the background although its call has ended, until its end is told", () => {
  const background = withTwo();
  expect(background.all).toEqual(["npm test", "npm run dev"]);
  background.onUpdate(told);
  expect(background.all).toEqual(["npm run dev"]);
  background.onUpdate(told);
  background.onUpdate(told);
  expect(background.all).toEqual([]);
});

test("one that is stopped is not in the background any more", () => {
  const background = withTwo();
  background.onUpdate({
    sessionUpdate: "tool_call_update",
    toolCallId: "c3",
    rawInput: { task_id: "t2" },
    _meta: { claudeCode: { toolName: "TaskStop" } },
  });
  expect(background.all).toEqual(["npm test"]);
});

test("a call that a turn has left without an end is in the background until it ends", () => {
  const background = new Background();
  background.leave(new Map([["c1", "make"]]));
  expect(background.all).toEqual(["make"]);
  background.onUpdate(ended("c1"));
  expect(background.all).toEqual([]);
});
