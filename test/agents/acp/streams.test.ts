/**
 * The true streams of four agents: what each told in its turns, as updates. Of what they said before a turn and after
 * its response nothing is in it.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { failureOf } from "../../../src/agents/acp/errors.ts";
import { askingModes, modesOf } from "../../../src/agents/acp/session-mode.ts";
import { permissionOf } from "../../../src/agents/acp/requests.ts";
import { AcpTranslation } from "../../../src/agents/acp/translate.ts";
import type { Update, TurnUsage } from "../../../src/agents/contract/updates.ts";
import { type Fields, inner } from "../../../src/agents/process/fields.ts";
import { only, textOf } from "../stage.ts";

interface Heard {
  updates: Update[];
  usage: TurnUsage;
  failure: string | null;
  error: { code: number; message: string; data: unknown } | null;
  unknown: [string, number][];
}

interface Line {
  d: "c2a" | "a2c";
  msg: Fields;
}

function linesOf(name: string): Line[] {
  const file = new URL(`../../fixtures/acp/${name}.ndjson`, import.meta.url);
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

/** The turn of the prompt with these words. */
function turnOf(name: string, prompt: string): Heard {
  const lines = linesOf(name);
  const from = lines.findIndex(
    ({ d, msg }) =>
      d === "c2a" && msg["method"] === "session/prompt" && JSON.stringify(msg["params"]).includes(`"${prompt}"`),
  );
  const id = lines[from]?.msg["id"];
  const translation = new AcpTranslation();
  const updates: Update[] = [];
  for (const { d, msg } of lines.slice(from + 1)) {
    if (d === "a2c" && msg["method"] === "session/update")
      updates.push(...translation.translate(inner(inner(msg, "params"), "update")));
    if (d !== "a2c" || msg["id"] !== id || "method" in msg) continue;
    const error = "error" in msg ? (msg["error"] as Heard["error"]) : null;
    return {
      updates,
      usage: translation.conclude(inner(msg, "result")),
      failure: translation.failure,
      error,
      unknown: [...translation.unknown],
    };
  }
  throw new Error(`${name} has no turn of ${prompt}`);
}

const agents = ["claude", "codex", "gemini", "opencode"];

describe.each(agents)("%s", (agent) => {
  test("answers what the model said, and nothing of the stream is unknown", () => {
    const { updates, unknown } = turnOf(`${agent}-basic`, "echo:hello");
    expect(textOf(updates)).toBe("hello");
    expect(unknown).toEqual([]);
  });

  test("keeps the conversation, and a table in it, as one text", () => {
    expect(textOf(turnOf(`${agent}-basic`, "hist:").updates)).toContain("echo:hello");
    expect(textOf(turnOf(`${agent}-basic`, "table:").updates)).toMatch(
      /^\| Tool \| Version \| OK \|\n[^]*After the table\.\n\n```js\n[^]*```\n?$/,
    );
  });

  test("does not answer with its thoughts", () => {
    expect(textOf(turnOf(`${agent}-basic`, "think:hard").updates)).toBe("thought: hard");
  });

  test("tells its usage, where it does", () => {
    const { updates, usage } = turnOf(`${agent}-basic`, "echo:hello");
    expect(usage.output).toBe(56);
    const told = only(updates, "usage").at(-1)?.usage ?? {};
    expect("contextUsed" in told).toBe(agent !== "gemini");
    expect("cost" in told).toBe(agent === "claude" || agent === "opencode");
  });

  test.each([
    ["error:400", "E_CLI_EXIT_NONZERO", 400],
    ["error:429", "E_USAGE_LIMIT", 429],
  ])("fails truly with %s", (prompt, code, status) => {
    const { updates, failure, error } = turnOf(`${agent}-errors`, prompt);
    expect(textOf(updates)).toBe("");
    const told = failure === null ? error : { code: 0, message: failure.trim(), data: undefined };
    expect(told).not.toBeNull();
    expect(failureOf(told ?? { code: 0, message: "", data: null }, {})).toMatchObject({
      code,
      details: { status, reason: expect.stringMatching(/4(00|29)/) as string },
    });
  });

  test("goes on after a failure", () => {
    const { updates, failure, error } = turnOf(`${agent}-errors`, "echo:still alive");
    expect([textOf(updates), failure, error]).toEqual(["still alive", null, null]);
  });
});

describe("a tool", () => {
  test.each([
    ["claude", "Bash"],
    ["opencode", "execute"],
    ["gemini", "execute"],
  ])("of %s is told once at its start and once at its end, and begins a paragraph", (agent, name) => {
    const { updates } = turnOf(`${agent}-tools`, "tool:bash:touch acp1 && ls");
    expect(only(updates, "tool_started")).toMatchObject([{ name }]);
    expect(only(updates, "tool_finished")).toMatchObject([{ ok: true }]);
    expect(textOf(updates)).toMatch(/^Running a command\.\n\nAFTER_TOOL /);
  });
});

test("a permission is the whole tool call but its id, and is answered by kind", () => {
  const requests = agents
    .filter((agent) => agent !== "codex")
    .map((agent) => {
      const { msg } = linesOf(`${agent}-tools`).find(
        ({ msg: { method } }) => method === "session/request_permission",
      ) ?? { msg: {} };
      return permissionOf(inner(msg, "params"), "1", { name: "", title: "", what: {} });
    });
  for (const { asked, allow, reject } of requests) {
    expect(asked).toMatchObject({ kind: "permission", title: "touch acp1 && ls" });
    expect(asked.input).not.toHaveProperty("toolCallId");
    expect(allow).toMatchObject({ outcome: "selected" });
    expect(reject).toMatchObject({ outcome: "selected" });
  }
  expect(requests.map(({ allow }) => allow)).toEqual(
    ["allow-once", "proceed_once", "once"].map((optionId) => ({ outcome: "selected", optionId })),
  );
});

test("a permission that says nothing of what the call does is shown with what was told of it", () => {
  const translation = new AcpTranslation();
  const content = [{ type: "diff", path: "/app/a.txt", oldText: null, newText: "hello\n" }];
  translation.translate({
    sessionUpdate: "tool_call",
    toolCallId: "1",
    kind: "edit",
    title: "Editing files",
    status: "in_progress",
    content,
  });
  const ask = (toolCall: Fields): Record<string, unknown> =>
    permissionOf({ toolCall }, "1", translation.toolOf("1")).asked.input as Record<string, unknown>;
  expect(ask({ toolCallId: "1", title: "Edit files", kind: "edit" })).toEqual({
    title: "Edit files",
    kind: "edit",
    content,
  });
  expect(ask({ toolCallId: "1", title: "Edit files", rawInput: { path: "b" } })).toEqual({
    title: "Edit files",
    rawInput: { path: "b" },
  });
});

test("what calls are going to do is not kept without end, and not after theirs", () => {
  const translation = new AcpTranslation();
  const kept = (): number =>
    Array.from({ length: 1_000 }, (_, place) => translation.toolOf(String(place)).what).filter(
      (what) => Object.keys(what).length > 0,
    ).length;
  for (let place = 0; place < 1_000; place += 1)
    translation.translate({
      sessionUpdate: "tool_call",
      toolCallId: String(place),
      kind: "edit",
      rawInput: { path: "a" },
    });
  expect(kept()).toBe(32);
  for (let place = 0; place < 1_000; place += 1)
    translation.translate({ sessionUpdate: "tool_call_update", toolCallId: String(place), status: "completed" });
  for (let place = 0; place < 1_000; place += 1)
    translation.translate({ sessionUpdate: "tool_call_update", toolCallId: String(place), rawInput: { path: "b" } });
  expect(kept()).toBe(0);
});

test("the mode of a new session is read, and whether it asks", () => {
  const opened = agents.map((agent) => {
    const lines = linesOf(`${agent}-basic`);
    const answerTo = (method: string): Fields => {
      const id = lines.find(({ d, msg }) => d === "c2a" && msg["method"] === method)?.msg["id"];
      return inner(lines.find(({ d, msg }) => d === "a2c" && msg["id"] === id && "result" in msg)?.msg ?? {}, "result");
    };
    const asking = askingModes(String(inner(answerTo("initialize"), "agentInfo")["name"]));
    const current = modesOf(answerTo("session/new"))?.current ?? "";
    return [current, asking?.includes(current)];
  });
  expect(opened).toEqual([
    ["default", true],
    ["agent", false],
    ["default", true],
    ["build", true],
  ]);
});
