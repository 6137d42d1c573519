/** The owner edits and deletes what he wrote: what waits follows him, what runs does not, and both are said. */
import { expect, test } from "vitest";
import { controlsOf } from "../asked.ts";
import { open } from "../workshop.ts";
import { answered, crashNotice, openWorld, type World } from "../world.ts";

const prompts = (world: World): string[] =>
  world.agentStarts().map(({ prompt }) => /\w+:\S+$/.exec(prompt)?.[0] ?? prompt);
const counted = (world: World): string[] => prompts(world).filter((prompt) => prompt.startsWith("count:"));
const notices = (world: World, thread: string): string[] =>
  world
    .said(thread)
    .flatMap(
      ({ embeds }) =>
        /^.*(?:edited this message after|deleted (?:after|before)).*$/.exec(embeds[0]?.description ?? "") ?? [],
    );

/** A session at work until the test lets it go, and behind it what else was written. */
async function atWork(world: World, ...words: string[]): Promise<{ thread: string; ids: string[] }> {
  return busyWith(world, "until:go", ...words);
}

async function busyWith(world: World, ...words: string[]): Promise<{ thread: string; ids: string[] }> {
  const thread = await world.session();
  const ids: string[] = [];
  for (const word of words) ids.push((await world.owner(thread).send(word)).id);
  // Heard as they were written, each of them.
  for (const [index, id] of ids.entries()) await (index === 0 ? world.started(id) : world.marked(id, "⏳"));
  return { thread, ids };
}

const letGo = (world: World): void => open(world, "go");

test("D14: an edit replaces what waits and marks it, is noted once for what runs, and never begins a job", async () => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  const { thread, ids } = await atWork(world, "count:old", "count:same");
  const [running = "", queued = "", same = ""] = ids;
  const owner = world.owner(thread);
  await owner.edit(queued, "count:new");
  await world.marked(queued, "✏️");
  // Discord tells of an update of the message itself here, too, and writes a line of its own below it.
  await fetch(`${world.sandbox.api}/v10/channels/${thread}/messages/pins/${same}`, {
    method: "PUT",
    headers: { authorization: world.sandbox.owner.token },
  });
  for (const words of ["until:never", "until:nowhere"]) await owner.edit(running, words);
  await world.sandbox.until(() => notices(world, thread).length === 1);
  letGo(world);
  await answered(world, thread, ["go is over", "did new", "did same"]);
  await owner.edit(queued, "count:newest");
  await owner.send("count:last");
  await answered(world, thread, ["go is over", "did new", "did same", "did last"]);
  expect(prompts(world)).toEqual(["until:go", "count:new", "count:same", "count:last"]);
  // Signs are set after answers, and one replaces another in two steps.
  await world.sandbox.until(() => Object.keys(world.sandbox.reactions(same)).join() === "✅");
  expect(notices(world, thread)).toHaveLength(1);
});

test.each(["while it is heard", "while nobody hears it"])(
  "D14: Retry sends what a failed message says now, edited %s",
  async (when) => {
    const world = await openWorld({ unlimited: true });
    const daemon = world.daemon();
    await daemon.ready;
    const thread = await world.session();
    const owner = world.owner(thread);
    const { id } = await owner.send("die:3");
    await world.marked(id, "❌");
    const failed = await world.saying(thread, (said) => said.find((one) => controlsOf(one).includes("Retry"))?.id);
    if (when === "while nobody hears it") await daemon.kill("SIGTERM");
    await owner.edit(id, "count:mended");
    if (when === "while nobody hears it") await world.daemon().ready;
    await owner.clickButton(failed, "Retry");
    await world.saying(thread, (said) => said.some(({ content }) => content.includes("did mended")));
    expect(prompts(world)).toEqual(["die:3", "count:mended"]);
    await world.sandbox.until(
      () => Object.keys(world.sandbox.reactions(id)).toSorted().join() === ["✅", "✏️"].toSorted().join(),
    );
  },
);

test("D15: a deletion takes back what waits, one or many at once, is noted for what runs, and is said", async () => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  const { thread, ids } = await atWork(world, "count:a", "count:b", "count:c", "count:d");
  const [running = "", , b = "", ...rest] = ids;
  const owner = world.owner(thread);
  await owner.delete(b);
  const cleaner = world.sandbox.addUser("cleaner", { bot: true, admin: true });
  const headers = { authorization: `Bot ${cleaner.token}`, "content-type": "application/json" };
  const many = await fetch(`${world.sandbox.api}/v10/channels/${thread}/messages/bulk-delete`, {
    method: "POST",
    headers,
    body: JSON.stringify({ messages: rest }),
  });
  expect(many.status).toBe(204);
  await owner.delete(running);
  await world.sandbox.until(() => notices(world, thread).length === 4);
  // Discord tells nobody who deleted it, and that is said.
  expect(
    notices(world, thread).filter((said) =>
      /was taken back and will not run\. Discord does not say who deleted it\./.test(said.replaceAll("\\", "")),
    ),
  ).toHaveLength(3);
  letGo(world);
  await answered(world, thread, ["go is over", "did a"]);
  expect(prompts(world)).toEqual(["until:go", "count:a"]);
  expect(
    notices(world, thread)
      .map((said) => / (after|before) /.exec(said)?.[1])
      .toSorted(),
  ).toEqual(["after", "before", "before", "before"]);
});

test("changed while nobody heard it (D14, D15), what waits is looked up again before any of it starts", async () => {
  const world = await openWorld({ unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  // Of a job that has said something its thread need not be read to say how it ended.
  const { thread, ids } = await busyWith(world, "steps:go:2", "count:a", "count:b", "count:c");
  await world.saying(thread, (said) => said.some(({ content }) => content.startsWith("chunk1.")));
  const other = await world.session();
  await daemon.kill("SIGKILL");
  await world.owner(thread).edit(ids[1] ?? "", "count:A");
  await world.owner(thread).delete(ids[2] ?? "");
  world.sandbox.faults.gateway({ kind: "refuse_resume", times: 1 });
  const held = world.sandbox.faults.hold({ operationId: "list_messages", path: `/channels/${thread}/` });
  await world.daemon().ready;
  const notice = await world.saying(thread, (said) => crashNotice(said)?.id);
  await (await world.owner(thread).clickButton(notice, "Discard")).acknowledged();
  await world.saying(thread, (said) => said.find(({ id }) => id === notice)?.components?.length === 0);
  await world.owner(other).send("count:elsewhere");
  await answered(world, other, ["did elsewhere"]);
  expect(counted(world)).toEqual(["count:elsewhere"]);
  held.lift();
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("did c")));
  expect(counted(world)).toEqual(["count:elsewhere", "count:A", "count:c"]);
  // What is said of the deletion may come after the answer.
  await world.sandbox.until(() => notices(world, thread).length > 0);
  expect(notices(world, thread)).toEqual([expect.stringMatching(/before its job .* had started/)]);
});
