/**
 * A project's channel and the threads in it, each with a window and a Claude of its own: what is asked where is
 * answered there.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasTmux, openDesk, started } from "./desk.ts";
import { events } from "./mcp/asked.ts";
import { configure } from "./workshop.ts";
import type { World } from "./world.ts";

function answersIn(world: World, place: string): string[] {
  return world.said(place).flatMap(({ content }) => content.match(/did \w+|I was asked .*/g) ?? []);
}

test.skipIf(!hasTmux)(
  "a channel and each thread in it have a window of their own, and none knows or answers what was asked in another",
  async () => {
    const { world } = await openDesk({ footer: "card" });
    const channel = world.sandbox.channelId;
    configure(world, ({ projects }) => Object.assign(projects.app, { channel_id: channel }));
    await started(world);
    const owner = world.owner(channel);
    const places = [channel];
    const asks = async (place: string, prompt: string, answer: string): Promise<void> => {
      await world.marked((await world.owner(place).send(prompt)).id, "✅");
      await world.saying(place, () => answersIn(world, place).includes(answer));
    };
    await asks(channel, "count:one", "did one");
    for (const word of ["two", "three"]) {
      const { id } = await owner.createThread(`about ${word}`);
      places.push(id);
      await asks(id, `count:${word}`, `did ${word}`);
    }
    await asks(channel, "hist:", "I was asked count:one");
    await asks(places[1] ?? "", "hist:", "I was asked count:two");
    const windows = events(world, "WindowOpened");
    expect(windows.map(({ thread_id }) => thread_id)).toEqual(places);
    expect(new Set(windows.map(({ pane_id }) => pane_id)).size).toBe(3);
    expect(places.map((place) => answersIn(world, place).length)).toEqual([2, 2, 1]);
  },
  120_000,
);

test.skipIf(!hasTmux)("a file that a Claude in a window names is sent from its session's own folder", async () => {
  const { world } = await openDesk();
  await started(world);
  const thread = await world.session();
  const outputs = join(world.stateDir, "outputs", thread);
  mkdirSync(outputs, { recursive: true });
  writeFileSync(join(outputs, "chart.txt"), "one two three\n");
  // It repeats what it was asked before, and so names the file.
  for (const prompt of ["count:[DISCORD_ATTACH:chart.txt]", "hist:"])
    await world.marked((await world.owner(thread).send(prompt)).id, "✅");
  const { attachments } = await world.saying(thread, (said) => said.find((message) => message.attachments.length > 0));
  expect(await (await fetch(attachments[0]?.url ?? "")).text()).toBe("one two three\n");
  expect(
    world
      .said(thread)
      .map(({ content }) => content)
      .join("\n"),
  ).not.toContain("DISCORD_ATTACH");
});

test.skipIf(!hasTmux)("what Claude says in a window is shown while it speaks", async () => {
  const { world } = await openDesk();
  await started(world);
  const thread = await world.session();
  // So many pieces that the last one is never said.
  await world.owner(thread).send("show:1000000:50");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("piece 1 ")));
  expect(events(world, "JobCompleted")).toEqual([]);
});
