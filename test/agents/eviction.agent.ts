/** Real Claudes that share one place to idle in: the one that idled longest sleeps, and wakes in its conversation. */
import { expect, it } from "vitest";
import { eventsOf } from "../flows/acceptance/stage.ts";
import { alive, ended } from "../flows/world.ts";
import { openReal } from "./real-world.ts";

it("of two threads where one Claude may idle, the one used last lives, and the other wakes with its history", async () => {
  const { world, start } = await openReal(["claude"], [], { idle_agents: 1 });
  const daemon = await start();
  /** The processes of all turns so far, in their order. */
  const pids = (): number[] => eventsOf(world).flatMap(({ type, payload }) => (type === "JobProgress" && payload["kind"] === "process" ? [Number(payload["pid"])] : []));
  const ask = async (thread: string, prompt: string): Promise<number> => {
    await world.marked((await world.owner(thread).send(prompt)).id, "✅");
    return pids().at(-1) ?? 0;
  };
  const remembers = (thread: string, words: string): Promise<unknown> => world.saying(thread, (said) => said.some(({ content }) => content.includes("HISTORY") && content.includes(`"user:echo:${words}","assistant:${words}"`)));
  const [one, other] = [await world.session(), await world.session()];

  const first = await ask(one, "echo:apricots");
  expect(await ask(one, "echo:again")).toBe(first);
  const second = await ask(other, "echo:quinces");
  await ended(first);
  expect(alive(second)).toBe(true);

  const woken = await ask(one, "hist:");
  await remembers(one, "apricots");
  expect(woken).not.toBe(first);
  await ended(second);
  expect(alive(woken)).toBe(true);

  await ask(other, "hist:");
  await remembers(other, "quinces");
  await ended(woken);
  await daemon.kill("SIGTERM");
});
