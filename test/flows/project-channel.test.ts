/**
 * A channel that config.json gives to a project is a session, and so are the threads that the owner makes there: from
 * then on, also over restarts and downtimes, and nobody else's word.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask, events } from "./mcp/asked.ts";
import { clientEnvironment, openClient } from "./mcp/clients.ts";
import { open, recorded } from "./workshop.ts";
import { answered, inFolder, openWorld, type World } from "./world.ts";

const LONG = process.env["BELLHOP_TEST_LONG"] !== undefined;

/** Gives channels to projects, as the owner does: in the file. */
function configure(world: World, change: (projects: Record<string, Record<string, unknown>>) => void): void {
  const file = join(world.stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as { projects: Record<string, Record<string, unknown>> };
  change(config.projects);
  writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
}

async function opened(world: World, id: string): Promise<void> {
  const welcome = await world.saying(id, (said) =>
    said.flatMap(({ embeds }) => embeds).find(({ title }) => title === "How this works"),
  );
  expect(welcome.description?.includes("each thread that you open here is a session of its own")).toBe(
    id === world.sandbox.channelId,
  );
}

const prompts = (world: World): string[] => world.agentStarts().map(({ prompt }) => prompt);

test(
  "a project's channel and the owner's threads there are sessions, and its history never runs",
  { timeout: LONG ? 600_000 : 60_000 },
  async () => {
    const world = await openWorld({ unlimited: true, config: { limits: { global_max_running: 8 } } });
    const { sandbox } = world;
    const channel = sandbox.channelId;
    const owner = world.owner(channel);
    for (let number = 0; number < (LONG ? 3_000 : 20); number += 1) await owner.send(`count:${number}`);
    const old = await owner.createThread("from before");
    await world.owner(old.id).send("count:1000");
    configure(world, ({ app }) => (app!["channel_id"] = channel));
    let daemon = world.daemon();
    await daemon.ready;
    await opened(world, channel);

    // Live: in the channel, and in a thread that the owner makes there.
    const first = await owner.send("count:200");
    await world.marked(first.id, "✅");
    const live = await owner.createThread("an idea");
    const inThread = await world.owner(live.id).send("count:201");
    await world.marked(inThread.id, "✅");
    expect(sandbox.threads().find(({ id }) => id === live.id)?.name).toBe("an idea");

    // While the daemon is away: in the channel, in a new thread, and in one that is archived again.
    await daemon.kill("SIGKILL");
    const away = await owner.send("count:202");
    const made = await owner.createThread("made while away");
    const inMade = await world.owner(made.id).send("count:203");
    const put = await owner.createThread("made and archived");
    const inPut = await world.owner(put.id).send("count:204");
    await world.owner(put.id).archive();
    daemon = world.daemon();
    for (const { id } of [away, inMade, inPut]) await world.marked(id, "✅");
    expect(prompts(world).toSorted()).toEqual(["count:200", "count:201", "count:202", "count:203", "count:204"]);
  },
);

test(
  "where each message opens a thread, it is the first prompt there: live, edited, and written while nobody listened",
  { timeout: 60_000 },
  async () => {
    const world = await openWorld({ unlimited: true, config: { limits: { global_max_running: 1 } } });
    const { sandbox } = world;
    const channel = sandbox.channelId;
    const owner = world.owner(channel);
    await owner.send("count:0");
    configure(world, ({ app }) => Object.assign(app!, { channel_id: channel, channel: "threads" }));
    const daemon = world.daemon();
    await daemon.ready;
    await recorded(world, ({ type, payload }) => type === "ChannelOpened" && payload["kind"] === "project");
    const stranger = sandbox.addUser("mallory", { admin: true });
    await sandbox.channel(channel).user(stranger.id).send("count:666");

    const live = await owner.upload([{ name: "log.txt", bytes: Buffer.from("E: 7") }], "count:1");
    await answered(world, live.id, ["did 1"]);
    expect(prompts(world)[0]).toMatch(/^count:1\n\n\[Files .*log\.txt$/s);
    await world.owner(live.id).send("count:2");
    await answered(world, live.id, ["did 1", "did 2"]);
    await sandbox.until(({ threads }) => threads().some(({ id, name }) => id === live.id && name === "count:1"));
    const made = await owner.createThread("an idea");
    await world.owner(made.id).send("count:3");
    await answered(world, made.id, ["did 3"]);

    const busy = await owner.send("hang: a while");
    await world.started(busy.id);
    const waiting = await owner.send("count:firts");
    await world.marked(waiting.id, "⏳");
    await daemon.kill("SIGKILL");
    await owner.edit(waiting.id, "count:4");
    const away = await owner.send("count:5");
    await world.daemon().ready;
    await world.marked(waiting.id, "✏️");
    await answered(world, waiting.id, ["did 4"]);
    await answered(world, away.id, ["did 5"]);
    expect(events(world, "SessionCreated").map(({ thread_id }) => thread_id)).toEqual(
      [live, made, busy, waiting, away].map(({ id }) => id),
    );
  },
);

test("a channel that was a session opens threads once config.json says so, and none of its messages is lost", async () => {
  const world = await openWorld({ unlimited: true });
  const channel = world.sandbox.channelId;
  const owner = world.owner(channel);
  configure(world, ({ app }) => (app!["channel_id"] = channel));
  const daemon = world.daemon();
  await daemon.ready;
  await opened(world, channel);
  const first = await owner.send("count:1");
  await world.marked(first.id, "✅");
  await daemon.kill("SIGTERM");
  configure(world, ({ app }) => (app!["channel"] = "threads"));
  const between = await owner.send("count:2");
  await world.daemon().ready;
  await answered(world, between.id, ["did 2"]);
  const after = await owner.send("count:3");
  await answered(world, after.id, ["did 3"]);
  expect(prompts(world)).toEqual(["count:1", "count:2", "count:3"]);
});

test(
  "in a project's channel a stranger's word and a stranger's thread have no effect, and an answer to an agent is no prompt",
  { timeout: 60_000 },
  async () => {
    const world = await openWorld({ unlimited: true });
    const { sandbox } = world;
    const channel = sandbox.channelId;
    const owner = world.owner(channel);
    configure(world, ({ app }) => (app!["channel_id"] = channel));
    await world.daemon().ready;
    await opened(world, channel);

    const stranger = sandbox.addUser("mallory", { admin: true });
    const theirs = sandbox.channel(channel).user(stranger.id);
    await theirs.send("count:666");
    const thread = await theirs.createThread("mine");
    await sandbox.channel(thread.id).user(stranger.id).send("count:667");
    await world.owner(thread.id).send("count:668");

    const client = await openClient("2.x", clientEnvironment(world), world.home);
    const { thread: asked, answer } = await ask(world, client);
    const announced = world.said(channel).find(({ id }) => id === asked);
    await owner.send("A", { replyTo: announced?.id ?? "" });
    expect((await answer).structured).toMatchObject({ success: true, selected_option: "A) Run it now" });
    await world.owner(asked).send("count:669");

    const mine = await owner.send("count:1");
    await world.marked(mine.id, "✅");
    expect(prompts(world)).toEqual(["count:1"]);
    expect(events(world, "SessionCreated").map(({ thread_id }) => thread_id)).toEqual([channel]);
  },
);

test(
  "a channel that was hidden has its answers again when the bot may see it, and meanwhile they are in direct messages",
  { timeout: 60_000 },
  async () => {
    const world = await openWorld({ unlimited: true });
    const { sandbox } = world;
    const channel = sandbox.channelId;
    configure(world, ({ app }) => (app!["channel_id"] = channel));
    await world.daemon().ready;
    await opened(world, channel);
    const says = (place: string, words: string): Promise<boolean> =>
      world.saying(place, (said) => said.some(({ content }) => content.includes(words)));
    const { id } = await world.owner(channel).send("until:hidden");
    await world.started(id);
    sandbox.setOverwrites(channel, [{ id: sandbox.botId, type: 1, allow: "0", deny: "1024" }]);
    open(world, "hidden");
    const direct = await sandbox.until(
      ({ requests }) =>
        requests.flatMap(({ operationId, responseBody }) =>
          operationId === "create_dm" ? (responseBody as { id: string }).id : [],
        )[0],
    );
    await says(direct, "hidden is over");
    sandbox.setOverwrites(channel, []);
    await world.owner(channel).send("count:back");
    await says(channel, "did back");
  },
);

test(
  "a channel that config.json names no more is heard no more, and does not go on by itself when it is named again",
  { timeout: 60_000 },
  async () => {
    const world = await openWorld({ unlimited: true });
    const channel = world.sandbox.channelId;
    const owner = world.owner(channel);
    configure(world, ({ app }) => (app!["channel_id"] = channel));
    await world.daemon().ready;
    await opened(world, channel);
    const found = await owner.createThread("an idea");
    await opened(world, found.id);

    configure(world, ({ app }) => delete app!["channel_id"]);
    const journal = join(world.stateDir, "events.ndjson");
    await inFolder(world.stateDir, () => readFileSync(journal, "utf8").includes('"SessionClosed"'));
    await owner.send("count:1");
    const later = await owner.createThread("too late");
    await world.owner(later.id).send("count:2");
    const goesOn = await world.owner(found.id).send("count:3");
    await world.marked(goesOn.id, "✅");

    configure(world, ({ app }) => (app!["channel_id"] = channel));
    await inFolder(world.stateDir, () => readFileSync(journal, "utf8").match(/"ProjectUpdated"/g)?.length === 2);
    // It is on disk before it holds; what comes after this answer comes after both.
    const after = await world.owner(found.id).send("count:5");
    await world.marked(after.id, "✅");
    await owner.send("count:4");
    const refusal = await world.saying(channel, (said) =>
      said.findLast(({ components }) => JSON.stringify(components ?? []).includes("Reopen")),
    );
    await owner.clickButton(refusal.id, "Reopen and send");
    await world.saying(channel, (said) => said.some(({ content }) => content.includes("did 4")));
    expect(prompts(world)).toEqual(["count:3", "count:5", "count:4"]);
  },
);

test("a channel given to two projects is refused at the start, by name", async () => {
  const world = await openWorld();
  configure(world, (projects) => {
    projects["app"]!["channel_id"] = world.sandbox.channelId;
    projects["other"] = { ...projects["app"], name: "other", path: world.home };
  });
  const daemon = world.daemon();
  expect((await daemon.exited).code).toBe(78);
  expect(daemon.stderr()).toMatch(
    /E_CONFIG_INVALID: config\.json projects\.other\.channel_id: found "\d+", expected [^\n]*\n/,
  );
});
