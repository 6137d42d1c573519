/** What Claude's subagents have asked when its turn ends, at the driver: the next turn asks it on, or nobody does. */
import { expect, it } from "vitest";
import { claudeDriver } from "../../../src/agents/claude/driver.ts";
import type { Agent, Turn } from "../../../src/agents/contract/driver.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { all, only, openStage, say, silentLog } from "../stage.ts";

const { play } = await openStage("claude", claudeDriver);
const session_id = "6d3040e7-7186-4cfc-b5f1-36b24e8e3400";
const line = (fields: object): string => JSON.stringify(fields);
const init = line({ type: "system", subtype: "init", session_id, model: "m" });
const started = line({ type: "system", subtype: "task_started", task_id: "s1", description: "look around" });
const asks = line({
  type: "control_request",
  request_id: "p1",
  request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t1", agent_id: "s1" },
});
const result = (text: string): string =>
  line({ type: "result", subtype: "success", is_error: false, result: text, session_id });
/** Shell: the prompt that was read last is begun. */
const begun = `echo '{"type":"command_lifecycle","state":"started","command_uuid":"'$(printf '%s' "$prompt" | sed 's/.*"uuid":"\\([^"]*\\)".*/\\1/')'"}'`;

/** The turns that it begins by itself until it is gone, and what each of them said. */
async function between(
  agent: Agent,
  attend: (update: Update, turn: Turn) => void = () => undefined,
): Promise<Update[][]> {
  const turns: Update[][] = [];
  for await (const turn of agent.between) {
    const updates: Update[] = [];
    turns.push(updates);
    for await (const update of turn.updates) {
      updates.push(update);
      attend(update, turn);
    }
  }
  return turns;
}

it("a prompt in the moment of the turn's end does not keep it from being asked on", async () => {
  const { agent, run } = await play(
    `read -r prompt; ${begun}\n${say(init, started, asks, result("one"))}\nread -r prompt; ${begun}\n${say(init)}\nread -r answer; ${say(result("two"))}\ncat > /dev/null`,
  );
  const own = between(
    agent,
    (update, turn) => update.kind === "permission" && void turn.answer("p1", { kind: "allow", input: update.input }),
  );
  const next = run.over.then(() => agent.prompt({ text: "next", counters: null, log: silentLog }));
  expect((await all(run)).at(-1)).toMatchObject({ result: "one", left: ["p1"] });
  expect((await all(await next)).at(-1)).toMatchObject({ result: "two" });
  await agent.close();
  expect(await own).toMatchObject([
    [
      { kind: "permission", id: "p1", handedOver: true },
      { kind: "end", outcome: "done" },
    ],
  ]);
});

it("a Claude that is ended because it does not keep to its mode leaves nothing", async () => {
  const unasked = line({ type: "system", subtype: "status", permissionMode: "bypassPermissions" });
  const refuses = `read -r back; echo '{"type":"control_response","response":{"subtype":"error","request_id":"'$(printf '%s' "$back" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')'"}}'`;
  const { agent, run } = await play(
    `read -r prompt; ${begun}\n${say(init, started, asks, unasked)}\n${refuses}\ncat > /dev/null`,
  );
  const own = between(agent);
  const end = only(await all(run), "end")[0];
  expect(end).toMatchObject({ outcome: "failed", code: "E_AGENT_UNGUARDED" });
  expect(end).not.toHaveProperty("left");
  await agent.gone;
  expect(await own).toEqual([]);
});
