/**
 * Rules of the owner's: what he has always allowed, or never allows, is not asked again; everything else is, and so is
 * all of it once he has removed the rule.
 */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { type JournalEvent, journalOf } from "./journal.ts";
import {
  always,
  answer,
  type Asked,
  asks,
  changed,
  controlsOf,
  offers,
  press,
  pressed,
  prompted,
  ran,
  settled,
} from "./asked.ts";
import { descriptionOf } from "./workshop.ts";

const byRule = ({ type, payload }: JournalEvent): boolean => type === "DecisionAnswered" && payload["by"] === "rule";
const count = (asked: Asked, is: (event: JournalEvent) => boolean): number => journalOf(asked.world).filter(is).length;

async function again(asked: Asked, prompt: string): Promise<string> {
  const { id } = await asked.world.owner(asked.thread).send(prompt);
  return id;
}

const list = async ({ world, thread }: Asked): Promise<APIMessage> =>
  (await world.owner(thread).slash("rules", {})).answer();

test("what is allowed always is not asked again, also after a restart; another request is; removed, it is asked again", async () => {
  const asked = await asks("may:ls build");
  const { world, thread } = asked;
  const prompt = await prompted(asked, "Always allow…");
  const offered = await offers(asked, prompt);
  expect(descriptionOf(offered)).toContain("exactly `ls build` with **Bash**");
  expect(descriptionOf(offered)).toContain("Not: anything that differs by a single byte");
  const made = await pressed(asked, offered, "1 · in this thread", "Allowed, and from now on without asking");
  expect(made.content).toContain("exactly `ls build` with **Bash**");
  await answer(asked, "It has run.");
  expect(await settled(asked, prompt)).toContain("Allowed, with a rule");

  const before = world.said(thread).length;
  await world.marked(await again(asked, "may:ls build"), "✅");
  expect(ran(asked)).toHaveLength(2);
  expect(count(asked, byRule)).toBe(1);
  const said = world.said(thread).slice(before);
  expect(said.some((message) => controlsOf(message).includes("Allow once"))).toBe(false);
  await world.saying(thread, (all) => all.find((message) => JSON.stringify(message).includes("1 allowed by rules")));

  await world.owner(thread).send("may:ls build -a");
  await settled(asked, await press(asked, "Deny"));
  await answer(asked, "I may not: ");

  await asked.daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.marked(await again(asked, "may:ls build"), "✅");
  expect(count(asked, byRule)).toBe(2);

  const listed = await list(asked);
  expect(listed.embeds[0]?.title).toBe("Rules: 1");
  expect(descriptionOf(listed)).toContain(
    `exactly \`ls build\` with **Bash**, to the byte\n-# <#${thread}> · made by <@`,
  );
  expect(descriptionOf(listed)).toContain("used 2 times, last");
  const [rule] = journalOf(world).filter(({ type }) => type === "RuleAdded");
  const id = String(rule?.payload["rule_id"]);
  await world.owner(thread).select(listed.id, "r-back:1", [id]);
  const removed = await changed(world, listed.id, "Removed: exactly `ls build`");
  expect(removed.embeds[0]?.title).toBe("Rules: 0");
  await again(asked, "may:ls build");
  await press(asked, "Allow once");
  await answer(asked, "It has run.");
  expect(count(asked, byRule)).toBe(2);
});

test("a rule of a project holds in its other threads, one of a thread only there", async () => {
  const asked = await asks("may:ls one");
  await always(asked, "1 · in app");
  await answer(asked, "It has run.");
  await again(asked, "may:ls two");
  await always(asked, "1 · in this thread");
  const other = { ...asked, thread: await asked.world.session() };
  await asked.world.marked(await again(other, "may:ls one"), "✅");
  expect(count(asked, byRule)).toBe(1);
  await again(other, "may:ls two");
  await press(other, "Deny");
  expect(count(asked, byRule)).toBe(1);
});

test("what is never allowed is refused without asking, also where it was allowed", async () => {
  const asked = await asks("may:git push");
  const { world, thread } = asked;
  await always(asked, "1 · in app");
  await answer(asked, "It has run.");
  const other = { ...asked, thread: await world.session() };
  await again(other, "may:make");
  const prompt = await prompted(other, "Always allow…");
  const first = await offers(other, prompt);
  const never = await pressed(other, first, "Never allow…", "Deny without asking from now on");
  expect(descriptionOf(never)).toContain("exactly `make`");
  await pressed(other, never, "1 · in app", "Denied, and from now on without asking: exactly `make`");
  expect(await answer(other, "I may not: ")).toContain("The owner did not allow this");
  await again(asked, "may:make");
  expect(await answer(asked, "I may not: ")).toContain("The owner has a rule that this is never allowed");
  await world.saying(thread, (all) => all.find(({ content }) => content.includes("was denied by a rule of yours")));
  expect(ran(asked)).toHaveLength(1);
});

test("neither a word nor a press that comes too late makes a rule; a lock ends those that allow", async () => {
  const asked = await asks("may:ls build");
  const { world, thread } = asked;
  const prompt = await prompted(asked, "Always allow…");
  const offered = await offers(asked, prompt);
  await world.owner(thread).send("always", { replyTo: prompt.id });
  await press(asked, "Deny");
  await settled(asked, prompt);
  await pressed(asked, offered, "1 · in this thread", "E_DECISION_CLOSED");
  expect(count(asked, ({ type }) => type === "RuleAdded")).toBe(0);

  await again(asked, "may:ls build");
  await always(asked, "1 · in app");
  expect((await list(asked)).embeds[0]?.title).toBe("Rules: 1");
  await (await world.owner(thread).slash("lock", {})).answer();
  expect((await list(asked)).content).toContain("E_LOCKED");
});

test("a rule for a command leaves a file of the project open, and nothing that only looks like one", async () => {
  const asked = await asks("may:cat a.txt");
  const { world, thread } = asked;
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(world.project, name), "");
  symlinkSync("/etc/hostname", join(world.project, "c.txt"));
  const offered = await offers(asked, await prompted(asked, "Always allow…"));
  const places = descriptionOf(offered)
    .split("\n")
    .filter((line) => line.startsWith("**"));
  const place = 1 + places.findIndex((line) => line.includes("`cat ‹any file of the project›`"));
  expect(descriptionOf(offered)).toContain("It runs whatever this project's files say.");
  await pressed(asked, offered, `${place} · in this thread`, "from now on without asking: the command");
  await answer(asked, "It has run.");
  await world.marked(await again(asked, "may:cat b.txt"), "✅");
  expect(count(asked, byRule)).toBe(1);
  for (const command of ["cat c.txt", "cat .env", "cat b.txt | sh", "cat ../b.txt", "cat -n b.txt"]) {
    const before = ran(asked).length;
    await world.owner(thread).send(`may:${command}`);
    await world.saying(thread, (all) =>
      all.find((one) => controlsOf(one).includes("Allow once") && descriptionOf(one).includes(command)),
    );
    await press(asked, "Deny");
    await world.saying(thread, (all) => all.every((one) => !controlsOf(one).includes("Allow once")));
    expect(ran(asked)).toHaveLength(before);
  }
  expect(count(asked, byRule)).toBe(1);
});

test("what an agent runs after it may have gone elsewhere is asked, and no rule is offered for it", async () => {
  const asked = await asks("may:ls build");
  await always(asked, "1 · in this thread");
  await answer(asked, "It has run.");
  await again(asked, "may:cd /etc");
  await settled(asked, await press(asked, "Allow once"));
  await again(asked, "may:ls build");
  const prompt = await asked.world.saying(asked.thread, (all) =>
    all.find((one) => controlsOf(one).includes("Allow once") && descriptionOf(one).includes("ls build")),
  );
  expect(controlsOf(prompt)).not.toContain("Always allow…");
  await press(asked, "Deny");
  expect(count(asked, byRule)).toBe(0);
});
