/** Agents that ask without end, through the built daemon: what is refused, and what the rest costs. */
import { expect, test } from "vitest";
import { openWorld, peakBytes, type World } from "../world.ts";
import { QUESTION, events } from "./asked.ts";
import { openAsker } from "./asker.ts";
import { clientEnvironment, openClient } from "./clients.ts";

const MOST_OPEN = 32;
const QUESTIONS = 300;
/** Of 99 kB, of all askers. */
const TOGETHER = 80;
const CONTEXT = "c".repeat(99_000);
/** What one caller may have under way. */
const AT_ONCE = 60;

/**
 * Asks so many different questions of 99 kB under this name; resolves with the codes of those that were refused, once
 * there are so many.
 */
async function askAll(world: World, project: string, count: number, refusals = count - MOST_OPEN): Promise<string[]> {
  const refused: string[] = [];
  const over = Promise.withResolvers<void>();
  for (let first = 0; first < count; first += AT_ONCE) {
    const asker = await openAsker(world, { PROJECT_NAME: project });
    for (let number = first; number < Math.min(count, first + AT_ONCE); number += 1) {
      asker
        .ask({ question: `Shall I do step ${number} of ${project}?`, context: CONTEXT })
        .catch(({ code }: { code: string }) => {
          refused.push(code);
          if (refused.length >= refusals) over.resolve();
        });
    }
  }
  if (refusals > 0) await over.promise;
  return refused;
}

/** Above what the daemon had before; the bytes that were sent are 30 MB. */
const CEILING = 400_000_000;

test("of 300 questions of 99 kB of one asker 32 are asked, and the others are refused with a sentence for the agent", async () => {
  const world = await openWorld({ agent: "none", unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  const before = peakBytes(daemon.pid);
  expect(await askAll(world, "app", QUESTIONS)).toEqual(Array(QUESTIONS - MOST_OPEN).fill("E_TOO_MANY_QUESTIONS"));
  const client = await openClient("2.x", clientEnvironment(world), world.home);
  const { isError, text } = await client.call("discord_ask_decision", QUESTION);
  expect([isError, text]).toEqual([
    true,
    expect.stringContaining(
      "This was not asked: 32 of your questions are open already. Wait until some of them are answered.",
    ) as string,
  ]);
  expect(events(world, "DecisionAsked")).toHaveLength(MOST_OPEN);
  expect(peakBytes(daemon.pid) - before).toBeLessThan(CEILING);
});

test("of 300 questions of ten askers 80 are asked: together they are no longer than may be kept", async () => {
  const world = await openWorld({ agent: "none", unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  const before = peakBytes(daemon.pid);
  const askers = Array.from({ length: 10 }, (_, number) => askAll(world, `app-${number}`, QUESTIONS / 10, 0));
  await world.sandbox.until(() => events(world, "DecisionAsked").length === TOGETHER);
  const client = await openClient("2.x", clientEnvironment(world), world.home);
  const { isError, text } = await client.call("discord_ask_decision", { ...QUESTION, context: CONTEXT });
  expect([isError, text]).toEqual([
    true,
    expect.stringContaining(
      "This was not asked: together with the questions that are open already, it is longer than 8 million characters.",
    ) as string,
  ]);
  expect((await Promise.all(askers)).flat().every((code) => code === "E_QUESTIONS_TOO_LONG")).toBe(true);
  expect(events(world, "DecisionAsked")).toHaveLength(TOGETHER);
  expect(peakBytes(daemon.pid) - before).toBeLessThan(CEILING);
});
