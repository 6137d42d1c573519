/** What a job asks of Discord: each request that its thread gets, from the owner's message to the last reaction. */
import { MessageFlags } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { open, posted } from "./workshop.ts";
import { openSession, type World } from "./world.ts";

/** Requests in this thread since then, in their order, by what Discord calls them. */
function since(world: World, thread: string, from: number): (string | null)[] {
  return world.sandbox.requests
    .slice(from)
    .filter(({ auth, path }) => auth === "bot" && path.includes(thread))
    .map(({ operationId }) => operationId);
}

test("a short job: it types, its answer with how it ended below it, which rings, and its sign", async () => {
  const { world, thread } = await openSession();
  // The first names the thread.
  await world.owner(thread).send("echo:first");
  await Promise.all(["named", "end", "reaction"].map((part) => posted(world, part)));
  const from = world.sandbox.requests.length;
  const { id } = await world.owner(thread).send("echo:hello");
  await world.marked(id, "✅");
  await posted(world, "end", 2);
  expect(since(world, thread, from).toSorted()).toEqual([
    "add_my_message_reaction",
    "create_message",
    "trigger_typing_indicator",
  ]);
  const [answer] = world.sandbox.messages(thread).filter(({ content }) => content.startsWith("hello"));
  expect(answer?.content).toMatch(/^hello\n-# ✅ done · \*\*claude\*\* · /);
  expect((answer?.flags ?? 0) & MessageFlags.SuppressNotifications).toBe(0);
});

test("a long one: a card meanwhile and its sign, and it does not type any more", async () => {
  const { world, thread } = await openSession();
  await world.owner(thread).send("echo:first");
  await Promise.all(["named", "end", "reaction"].map((part) => posted(world, part)));
  const from = world.sandbox.requests.length;
  const { id } = await world.owner(thread).send("until:go");
  await world.marked(id, "⚙️");
  expect(world.said(thread).at(-1)?.embeds[0]?.description).toContain("· running");
  open(world, "go");
  await world.marked(id, "✅");
  const asked = (): (string | null)[] => since(world, thread, from);
  const taken = ["delete_message", "delete_my_message_reaction"];
  await world.sandbox.until(() => taken.every((one) => asked().includes(one)));
  // Words that come just before the end may be posted before it does.
  expect(asked().filter((one) => one === "create_message").length).toBeLessThanOrEqual(3);
  expect(
    asked()
      .filter((one) => one !== "create_message")
      .toSorted(),
  ).toEqual(["add_my_message_reaction", "add_my_message_reaction", ...taken, "trigger_typing_indicator"]);
});
