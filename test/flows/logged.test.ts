/** What is refused stands in the log: what cannot be as INFO, what cannot be now as WARN; never what was written. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openSession, type World } from "./world.ts";

function logOf({ stateDir }: World): Record<string, unknown>[] {
  const whole = readFileSync(path.join(stateDir, "logs", "app.ndjson"), "utf8");
  return whole
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a refused command and a refused message are in the log, under their code and at its level", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  const general = world.owner(world.sandbox.channelId);
  const refused = async (name: string, options: Record<string, string | number>, code: string): Promise<void> => {
    expect(JSON.stringify(await (await general.slash(name, options)).answer())).toContain(code);
    await daemon.told(new RegExp(`a command was refused.*${code}`));
  };
  await refused("agent start", { project_id: 99 }, "E_PROJECT_NOT_FOUND");
  await refused("project add", { path: "/nowhere/at/all" }, "E_INVALID_PATH");
  await refused("project add", { path: world.project }, "E_PROJECT_EXISTS");
  await refused("retry", { job_id: "job_20260101_0001" }, "E_JOB_NOT_RETRYABLE");
  // A session of this agent is closed where one that lives is.
  await world.owner(thread).send("hang:");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("I am thinking")));
  await (await world.owner(thread).slash("agent stop")).answer();
  const { id } = await world.owner(thread).send("not now, my secret");
  await world.marked(id, "⚠️");
  await daemon.told(/a message was refused/);
  const lines = logOf(world).filter(({ msg }) => /^a (command|message) was refused$/.test(String(msg)));
  expect(lines.map(({ level, msg, error_code }) => [level, msg, error_code])).toEqual([
    ["info", "a command was refused", "E_PROJECT_NOT_FOUND"],
    ["info", "a command was refused", "E_INVALID_PATH"],
    ["info", "a command was refused", "E_PROJECT_EXISTS"],
    ["warn", "a command was refused", "E_JOB_NOT_RETRYABLE"],
    ["warn", "a message was refused", "E_SESSION_CLOSED"],
  ]);
  expect(JSON.stringify(logOf(world))).not.toContain("my secret");
});
