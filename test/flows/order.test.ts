/** Messages become jobs: once each, in the order written, whatever Discord does on the way. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { descriptionOf, open } from "./workshop.ts";
import { alive, answered, openSession, openWorld } from "./world.ts";

test("three messages run in order, one at a time, and resume one conversation", async () => {
  const { world, thread } = await openSession();
  for (const word of ["one", "two", "three"]) await world.owner(thread).send(`count:${word}`);
  await answered(world, thread, ["did one", "did two", "did three"]);
  const starts = world.agentStarts();
  expect(starts.map(({ prompt }) => prompt)).toEqual(["count:one", "count:two", "count:three"]);
  expect(starts[0]?.resumed).toBeUndefined();
  expect(new Set(starts.slice(1).map(({ resumed }) => resumed)).size).toBe(1);
});

test("an end replies to its message where another message or another job stands between them", async () => {
  const { world, thread } = await openSession();
  const owner = world.owner(thread);
  await world.marked((await owner.send("count:alone")).id, "✅");
  const first = await owner.send("until:gate");
  await world.agents(2);
  const second = await owner.send("count:behind");
  await world.marked(second.id, "⏳");
  open(world, "gate");
  const ends = await world.saying(thread, (said) => {
    const found = said.filter((one) => descriptionOf(one).startsWith("✅"));
    return found.length === 3 && found;
  });
  expect(ends.map((end) => end.message_reference?.message_id)).toEqual([undefined, first.id, second.id]);
});

test("a redelivered message is not a second job", async () => {
  const { world, thread } = await openSession();
  const again = world.sandbox.faults.gateway({ kind: "duplicate", t: "MESSAGE_CREATE" });
  await world.owner(thread).send("count:once");
  await answered(world, thread, ["did once"]);
  again.lift();
  await world.owner(thread).send("count:after");
  await answered(world, thread, ["did once", "did after"]);
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:once", "count:after"]);
});

test("two threads of one project run side by side, and a third waits for a slot", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const threads = [await world.session(), await world.session(), await world.session()];
  for (const thread of threads) await world.owner(thread).send("hang:");
  // Two run; the third is queued, and says so by its reaction.
  await world.agents(2);
  const reactionsOf = (thread: string): string[] => {
    const message = world.sandbox.messages(thread).find(({ content }) => content === "hang:");
    return message ? Object.keys(world.sandbox.reactions(message.id)) : [];
  };
  // One sign replaces another in two steps.
  await world.sandbox.until(
    () => threads.flatMap(reactionsOf).toSorted().join() === ["⏳", "⚙️", "⚙️"].toSorted().join(),
  );
  expect(world.agentStarts()).toHaveLength(2);
});

test("a message written while the daemon is down is answered after the start, once and in order", async () => {
  const world = await openWorld();
  const first = world.daemon();
  await first.ready;
  const thread = await world.session();
  await first.kill("SIGTERM");
  for (const word of ["one", "two"]) await world.owner(thread).send(`count:${word}`);
  await world.daemon().ready;
  await answered(world, thread, ["did one", "did two"]);
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:one", "count:two"]);
});

test("a grandchild that keeps the agent's pipe open does not keep the next job waiting", async () => {
  const { world, thread } = await openSession();
  await world.owner(thread).send("orphan:");
  await world.owner(thread).send("count:next");
  await answered(world, thread, ["left a child behind", "did next"]);
});

test("an agent that says nothing for the limit is stopped with E_CLI_TIMEOUT, and the next message runs", async () => {
  const { world, thread } = await openSession({ config: { limits: { cli_timeout_sec: 10 } } });
  await world.owner(thread).send("hang:");
  await world.owner(thread).send("count:next");
  await world.saying(thread, (said) => JSON.stringify(said).includes("E_CLI_TIMEOUT"));
  await world.saying(thread, (said) => said.some(({ content }) => content === "did next"));
  expect(alive(world.agentStarts()[0]?.pid ?? 0)).toBe(false);
});

test("a full queue refuses the next message live, says so, and loses none of those before it", async () => {
  const { world, thread } = await openSession({ config: { limits: { max_queue_per_session: 2 } } });
  await world.owner(thread).send("until:full");
  await world.agents(1);
  for (const word of ["one", "two", "three"]) await world.owner(thread).send(`count:${word}`);
  await world.saying(thread, (said) => JSON.stringify(said).includes("E_QUEUE_FULL"));
  open(world, "full");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did two"));
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["until:full", "count:one", "count:two"]);
});

test("config.json edited while the daemon runs is in force without a restart; nonsense in it changes nothing", async () => {
  const world = await openWorld();
  const daemon = world.daemon();
  await daemon.ready;
  const file = join(world.stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as { projects: Record<string, object> };
  config.projects["second"] = { ...config.projects["app"], name: "second" };
  writeFileSync(file, JSON.stringify(config));
  const offered = async (): Promise<string[]> =>
    (await world.owner(world.sandbox.channelId).autocomplete("start", "project_name", "")).map(({ value }) =>
      String(value),
    );
  await world.sandbox.until(({ commands }) => commands().length > 0);
  for (let names = await offered(); !names.includes("second"); names = await offered());
  writeFileSync(file, "{ nonsense");
  const thread = await world.session();
  await world.owner(thread).send("echo:still here");
  await answered(world, thread, ["still here"]);
  expect(await offered()).toEqual(["app", "second"]);
});
