/** Acceptance test 8 of the sessions' design: what is no JSON on Gemini CLI's stdout does its stream no harm. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, openSession } from "../world.ts";
import { says } from "./stage.ts";

const noise = [
  "Attempt 1 failed with status 429. Retrying with backoff...",
  "{ this is not JSON }",
  '{"type":"result","status":"succ',
  "}{",
  "[1, 2]",
];

test("8. Lines that are no JSON, put among Gemini's, do not stop its stream from being read, and are kept in the job's log", async () => {
  const { world, thread } = await openSession({ tools: ["gemini"], unlimited: true });
  const ids: string[] = [];
  for (const line of noise) ids.push((await world.owner(thread).send(`noise:${line}`)).id);
  await answered(
    world,
    thread,
    noise.map(() => "heard through the noise"),
  );
  for (const id of ids) await world.marked(id, "✅");

  expect(await says(world, thread, "status")).toMatch(
    /\nsession_key: [0-9a-f-]{36}\nstate: idle\n[^]*\nlast_job: success, /,
  );
  const [first, ...rest] = world.agentStarts();
  expect(first?.resumed).toBeUndefined();
  expect(new Set(rest.map(({ resumed }) => resumed)).size).toBe(1);
  const folder = join(world.stateDir, "logs", "job");
  const logs = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"));
  expect(logs).toHaveLength(noise.length);
  for (const [at, line] of noise.entries()) expect(logs[at]?.split(line).length, line).toBeGreaterThanOrEqual(3);
});
