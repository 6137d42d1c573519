/** What a job asks of Discord: each request that its thread gets, from the owner's message to the last reaction. */
import { MessageFlags } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { open, posted } from "./workshop.ts";
import { openSession, type World } from "./world.ts";

/** A session whose thread has its name. `asked`: what the daemon asked for there since, by what Discord calls it. */
async function openNamed(): Promise<{ world: World; thread: string; asked(): (string | null)[] }> {
  const { world, thread } = await openSession();
  await world.owner(thread).send("echo:first");
  await Promise.all(["named", "end", "reaction"].map((part) => posted(world, part)));
  const { requests } = world.sandbox;
  const from = requests.length;
  const isThere = ({ auth, path }: (typeof requests)[number]): boolean => auth === "bot" && path.includes(thread);
  return {
    world,
    thread,
    asked: () =>
      world.sandbox.requests
        .slice(from)
        .filter(isThere)
        .map(({ operationId }) => operationId),
  };
}

test("a short job: it types, its answer with how it ended below it, which rings, and its sign", async () => {
  const { world, thread, asked } = await openNamed();
  const { id } = await world.owner(thread).send("echo:hello");
  await world.marked(id, "✅");
  await posted(world, "end", 2);
  expect(asked().toSorted()).toEqual(["add_my_message_reaction", "create_message", "trigger_typing_indicator"]);
  const [answer] = world.sandbox.messages(thread).filter(({ content }) => content.startsWith("hello"));
  expect(answer?.content).toMatch(/^hello\n-# ✅ done · \*\*claude\*\* · /);
  expect((answer?.flags ?? 0) & MessageFlags.SuppressNotifications).toBe(0);
});

test("a long one: a card meanwhile and its sign, and it does not type any more", async () => {
  const { world, thread, asked } = await openNamed();
  const { id } = await world.owner(thread).send("until:go");
  await world.marked(id, "⚙️");
  expect(world.said(thread).at(-1)?.embeds[0]?.description).toContain("· running");
  open(world, "go");
  await world.marked(id, "✅");
  const ended = ["update_message", "delete_my_message_reaction"];
  await world.sandbox.until(() => ended.every((one) => asked().includes(one)));
  // Words that come just before the end may be posted before it does.
  expect(asked().filter((one) => one === "create_message").length).toBeLessThanOrEqual(3);
  // Nothing that was posted is removed.
  expect(
    asked()
      .filter((one) => one !== "create_message")
      .toSorted(),
  ).toEqual([
    "add_my_message_reaction",
    "add_my_message_reaction",
    "delete_my_message_reaction",
    "trigger_typing_indicator",
    "update_message",
  ]);
});
