/**
 * The place an answer belongs to is closed, hidden or gone: the job goes on, and its answer is found where there is
 * one.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { PermissionFlagsBits } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { alive, answered, inFolder, openWorld, type World } from "../world.ts";
import { open } from "../workshop.ts";

/** A session whose agent is at work until the test opens the gate of this name. */
async function atWork(world: World, name: string): Promise<string> {
  const thread = await world.session();
  const { id } = await world.owner(thread).send(`until:${name}`);
  await world.started(id);
  return thread;
}

/**
 * Resolves when exactly these answers are whole on the disk. A word stands in Discord before its answer's file does.
 */
function kept(world: World, answers: string[]): Promise<void> {
  const folder = join(world.stateDir, "results");
  return inFolder(folder, () => {
    const files = readdirSync(folder).filter((name) => name.endsWith(".md"));
    return isDeepStrictEqual(files.map((name) => readFileSync(join(folder, name), "utf8")).toSorted(), answers);
  });
}
const saysOnce = (world: World, place: string, words: string): Promise<true> =>
  world.saying(place, (said) => said.filter(({ content }) => content.includes(words)).length === 1 || undefined);
/** The owner's direct messages with the bot. */
const direct = (world: World): Promise<string> =>
  world.sandbox.until(
    ({ requests }) =>
      requests.flatMap(({ operationId, responseBody }) =>
        operationId === "create_dm" ? (responseBody as { id: string }).id : [],
      )[0],
  );
const VIEW = 1024n;
const BASIC = VIEW | 0x800n | 0x10000n | 0x40n | 0x4000n | 0x8000n | (1n << 35n) | (1n << 38n);

test("D16: an archived thread is opened for an answer; a locked one leaves it in the channel, and unlocked has the next", async () => {
  const world = await openWorld({ unlimited: true });
  world.sandbox.setBotPermissions(BASIC);
  await world.daemon().ready;
  const thread = await atWork(world, "archived");
  await world.owner(thread).archive();
  open(world, "archived");
  await answered(world, thread, ["archived is over"]);
  expect(world.sandbox.channelObject(thread)).toMatchObject({ thread_metadata: { archived: false } });

  const locked = await atWork(world, "locked");
  await world.owner(locked).lock();
  open(world, "locked");
  const inChannel = await world.saying(world.sandbox.channelId, (said) =>
    said.find(({ content }) => content.includes("locked is over")),
  );
  expect(inChannel.content).toContain(`<#${locked}>`);
  await world.owner(locked).unlock();
  await world.owner(locked).send("count:after");
  await world.saying(locked, (said) => said.some(({ content }) => content === "did after"));
  expect(world.agentStarts()).toHaveLength(3);
});

test("a thread that is deleted (D17) leaves its answer in the channel, a hidden channel in direct messages, and a job continues", async () => {
  const world = await openWorld({ unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await atWork(world, "deleted");
  await fetch(`${world.sandbox.api}/v10/channels/${thread}`, {
    method: "DELETE",
    headers: { authorization: world.sandbox.owner.token },
  });
  open(world, "deleted");
  await saysOnce(world, world.sandbox.channelId, "deleted is over");

  const hidden = await atWork(world, "hidden");
  world.sandbox.setOverwrites(world.sandbox.channelId, [
    { id: world.sandbox.botId, type: 1, allow: "0", deny: String(VIEW) },
  ]);
  open(world, "hidden");
  await saysOnce(world, await direct(world), "hidden is over");

  world.sandbox.setOverwrites(world.sandbox.channelId, []);
  await world.owner(hidden).send("count:back");
  await world.saying(hidden, (said) => said.some(({ content }) => content === "did back"));
  await kept(world, ["deleted is over", "did back", "hidden is over"]);
  expect(alive(daemon.pid)).toBe(true);
});

test.each([PermissionFlagsBits.SendMessagesInThreads, PermissionFlagsBits.EmbedLinks])(
  "D17: a right (%s) that the channel's settings take from the bot and give back: the next answer is in the thread again",
  async (right) => {
    const world = await openWorld({ unlimited: true });
    await world.daemon().ready;
    const thread = await world.session();
    const { channelId, botId } = world.sandbox;
    world.sandbox.setOverwrites(channelId, [{ id: botId, type: 1, allow: "0", deny: String(right) }]);
    await world.owner(thread).send("count:refused");
    // An answer needs no right to embed.
    await saysOnce(world, right === PermissionFlagsBits.EmbedLinks ? thread : channelId, "did refused");
    world.sandbox.setOverwrites(channelId, []);
    await world.owner(thread).send("count:back");
    await world.saying(thread, (said) => said.some(({ content }) => content === "did back"));
    await kept(world, ["did back", "did refused"]);
  },
);

test("where the bot may not embed, what needs it is in direct messages, and the next answer is in the thread", async () => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  const thread = await world.session();
  const { channelId, botId } = world.sandbox;
  const deny = String(PermissionFlagsBits.EmbedLinks);
  world.sandbox.setOverwrites(channelId, [{ id: botId, type: 1, allow: "0", deny }]);
  const { id } = await world.owner(thread).send("limit:3600");
  const place = await direct(world);
  const notice = await world.saying(place, (said) =>
    said.find(({ embeds }) => embeds[0]?.title?.includes("usage limit")),
  );
  world.sandbox.setOverwrites(channelId, []);
  await (await world.owner(place).clickButton(notice.id, "Continue now")).acknowledged();
  await world.marked(id, "✅");
  await world.owner(thread).send("count:back");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did back"));
});

test("D17: an outage of the server is waited out; put out of the server, jobs continue, and taken back, their answers are posted, their cards end and what was written is read", async () => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  const thread = await world.session();
  const { id } = await world.owner(thread).send("until:away");
  await world.saying(thread, (said) => said.some(({ embeds }) => embeds[0]?.description?.includes("· running")));
  const outage = world.sandbox.faults.gateway({ kind: "unavailable" });
  outage.lift();
  const back = world.sandbox.kick(world.sandbox.botId);
  open(world, "away");
  await kept(world, ["away is over"]);
  await world.owner(thread).send("count:meanwhile");
  back();
  await saysOnce(world, thread, "away is over");
  await world.marked(id, "✅");
  await world.sandbox.until(({ reactions }) => !reactions(id)["⚙️"]?.length);
  await world.saying(thread, (said) => !said.some(({ embeds }) => embeds[0]?.description?.includes("· running")));
  await world.saying(thread, (said) => said.some(({ content }) => content === "did meanwhile"));
  await kept(world, ["away is over", "did meanwhile"]);
  const log = readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8");
  expect(log).toContain("the server is unavailable");
  expect(log).toContain("removed from the server");
});
