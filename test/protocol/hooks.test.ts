/** What Claude Code's hooks send, held against payloads of the real one, and that nothing else is taken for one. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAsking, readHookPayload } from "../../src/protocol/hooks.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures", "claude-hooks");
const recorded = readdirSync(FIXTURES).filter((name) => !name.startsWith("statusLine"));
const text = (name: string): string => readFileSync(join(FIXTURES, name), "utf8");
const stop = JSON.parse(text("Stop.json")) as Record<string, unknown>;

test.each(recorded)("%s of the real Claude Code is read", (name) => {
  const given = JSON.parse(text(name)) as Record<string, unknown>;
  const read = readHookPayload(text(name));
  expect(read).toMatchObject({
    hook_event_name: name.split(/[-.]/)[0],
    session_id: given["session_id"],
    cwd: given["cwd"],
  });
  expect(read === undefined ? undefined : isAsking(read)).toBe(/^(PreToolUse|PermissionRequest)/.test(name));
});

test("what a tool would run is kept to the byte, and what it returned is dropped", () => {
  const given = JSON.parse(text("PostToolUse-Bash.json")) as Record<string, unknown>;
  expect(readHookPayload(JSON.stringify(given))).toMatchObject({ tool_input: given["tool_input"] });
  expect(readHookPayload(JSON.stringify(given))).not.toHaveProperty("tool_response");
});

test("what is said or prompted may be of any length", () => {
  const said = "x".repeat(5_000_000);
  for (const [name, field] of [
    ["UserPromptSubmit", "prompt"],
    ["MessageDisplay", "delta"],
    ["Stop", "last_assistant_message"],
  ] as const) {
    expect(
      readHookPayload(JSON.stringify({ ...(JSON.parse(text(`${name}.json`)) as object), [field]: said })),
    ).toHaveProperty(field, said);
  }
});

test.each([
  ["", "nothing"],
  ["null", "no object"],
  ["{", "half of one"],
  [JSON.stringify({ ...stop, hook_event_name: "Undo" }), "a hook that is not used"],
  [JSON.stringify({ ...stop, session_id: "../../etc" }), "a session that is a path"],
  [JSON.stringify({ ...stop, session_id: "" }), "no session"],
  [JSON.stringify({ ...stop, cwd: 5 }), "no directory"],
  [JSON.stringify({ ...stop, hook_event_name: "Notification", message: "x".repeat(1_000_001) }), "too long a text"],
  [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, "a deep one"],
])("%.40s is no payload: %s", (body) => {
  expect(readHookPayload(body)).toBeUndefined();
});
