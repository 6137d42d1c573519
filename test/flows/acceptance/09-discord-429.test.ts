/**
 * Acceptance test 9 of the sessions' design: where Discord asks for less, we wait as long as it says, and get through.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { open } from "../workshop.ts";
import { openSession } from "../world.ts";

test("9. A rate limit is waited out, and the message is brought up to date in the end", async () => {
  const { world, thread } = await openSession();
  const refused = (): number => world.sandbox.requests.filter(({ status }) => status === 429).length;

  const limit = { path: `/channels/${thread}/messages`, retryAfter: 0.5, times: 2 };
  const posting = world.sandbox.faults.rateLimit({ method: "POST", ...limit });
  const { id } = await world.owner(thread).send("until:enough");
  await posting.hit(2);
  await world.saying(thread, (said) => said.find(({ embeds }) => embeds[0]?.description?.includes("· running")));
  const ending = world.sandbox.faults.rateLimit({ method: "POST", ...limit });
  open(world, "enough");
  await world.saying(thread, (said) => said.find(({ content }) => content.trim() === "enough is over"));
  await world.saying(thread, (said) => said.find(({ embeds }) => embeds[0]?.description?.startsWith("✅ done")));
  await world.marked(id, "✅");

  // Said once, and no more was tried than was refused on purpose: no request was sent into a limit that was known.
  expect(world.said(thread).filter(({ content }) => content.includes("enough is over"))).toHaveLength(1);
  expect(refused()).toBe(4);
  expect([posting.hits, ending.hits]).toEqual([2, 2]);
  expect(
    readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8").split("E_DISCORD_RATE_LIMIT").length,
  ).toBeGreaterThan(4);
});
