/**
 * A forum that config.json gives to a project: each post that the owner makes there is a session, live and from while the
 * daemon was away. Nothing is written in the forum itself.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { events } from "./mcp/asked.ts";
import { open, recorded } from "./workshop.ts";
import { answered, openWorld, type World } from "./world.ts";

const isBound = ({ type, payload }: { type: string; payload: Record<string, unknown> }): boolean =>
  type === "ChannelOpened" && payload["forum"] === true;

const prompts = (world: World): string[] => world.agentStarts().map(({ prompt }) => prompt);

const sessions = (world: World): unknown[] => events(world, "SessionCreated").map(({ thread_id }) => thread_id);

/** What the daemon asked of the messages of the forum itself, where there are none. */
const writtenInto = (world: World, forum: string): unknown[] =>
  world.sandbox.requests.filter(({ path }) => path.includes(`/channels/${forum}/messages`));

/** The channel of the project, as the owner sets it in the file. */
function giveChannel(world: World, id: string): void {
  const file = join(world.stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as { projects: Record<string, Record<string, unknown>> };
  config.projects["app"]!["channel_id"] = id;
  writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
}

/** A world with a forum of the project; what `before` does there is from before Bellhop took it. */
async function openForum(
  before: (owner: ReturnType<World["owner"]>) => Promise<unknown> = async () => undefined,
): Promise<{ world: World; forum: string; owner: ReturnType<World["owner"]>; daemon: ReturnType<World["daemon"]> }> {
  const world = await openWorld({ unlimited: true });
  const forum = world.sandbox.addChannel("ideas", { forum: { tags: ["waiting", "done"] } });
  const owner = world.owner(forum);
  await before(owner);
  giveChannel(world, forum);
  const daemon = world.daemon();
  await daemon.ready;
  await recorded(world, isBound);
  return { world, forum, owner, daemon };
}

test(
  "a post of the owner's in a project's forum is a session, live and from while nobody listened; an older one is not",
  { timeout: 60_000 },
  async () => {
    let old = "";
    const { world, forum, owner, daemon } = await openForum(async (one) => {
      old = (await one.createPost("from before", "count:1000")).id;
    });
    const { sandbox } = world;

    const live = await owner.createPost("an idea", "count:1");
    await answered(world, live.id, ["did 1"]);
    await world.owner(live.id).send("count:2");
    await answered(world, live.id, ["did 1", "did 2"]);
    expect(sandbox.threads(forum).find(({ id }) => id === live.id)?.name).toBe("an idea");
    await world.owner(old).send("count:1001");

    await daemon.kill("SIGKILL");
    const away = await owner.createPost("while away", "count:3");
    const put = await owner.createPost("and archived", "count:4");
    await world.owner(put.id).archive();
    await world.daemon().ready;
    await answered(world, away.id, ["did 3"]);
    await answered(world, put.id, ["did 4"]);
    const last = await owner.createPost("with a file", "count:5", {
      files: [{ name: "log.txt", bytes: Buffer.from("E: 7") }],
    });
    await answered(world, last.id, ["did 5"]);

    expect(
      prompts(world)
        .map((one) => one.slice(0, 7))
        .toSorted(),
    ).toEqual([1, 2, 3, 4, 5].map((n) => `count:${n}`));
    expect(new Set(sessions(world))).toEqual(new Set([live.id, away.id, put.id, last.id]));
    expect(writtenInto(world, forum)).toEqual([]);
  },
);

test("in a project's forum a stranger's post has no effect, whoever writes in it", { timeout: 60_000 }, async () => {
  const { world, forum, owner } = await openForum();
  const { sandbox } = world;
  const stranger = sandbox.addUser("mallory", { admin: true });
  const theirs = await sandbox.channel(forum).user(stranger.id).createPost("mine", "count:666");
  const mine = await owner.createPost("mine", "count:1");
  await sandbox.channel(mine.id).user(stranger.id).send("count:667");
  await answered(world, mine.id, ["did 1"]);
  await world.owner(mine.id).send("count:2");
  await answered(world, mine.id, ["did 1", "did 2"]);
  expect(prompts(world)).toEqual(["count:1", "count:2"]);
  expect(sessions(world)).toEqual([mine.id]);
  expect(world.said(theirs.id)).toEqual([]);
});

test(
  "what is owed to a post that was deleted, or to a forum that was, goes to direct messages",
  { timeout: 60_000 },
  async () => {
    const { world, forum, owner } = await openForum();
    const { sandbox } = world;
    const inDirect = async (words: string): Promise<void> => {
      const direct = await sandbox.until(
        ({ requests }) =>
          requests.flatMap(({ operationId, responseBody }) =>
            operationId === "create_dm" ? (responseBody as { id: string }).id : [],
          )[0],
      );
      await world.saying(direct, (said) => said.some(({ content }) => content.includes(words)));
    };
    const remove = (id: string): Promise<Response> =>
      fetch(`${sandbox.api}/v10/channels/${id}`, {
        method: "DELETE",
        headers: { authorization: sandbox.owner.token },
      });
    const posts = await Promise.all(["until:post", "until:forum"].map((words) => owner.createPost(words, words)));
    for (const { id } of posts) await world.started(id);
    await remove(posts[0]!.id);
    open(world, "post");
    await inDirect("post is over");
    await remove(forum);
    open(world, "forum");
    await inDirect("forum is over");
    expect(writtenInto(world, forum)).toEqual([]);
  },
);

test("a project's channel that is another one, a forum, is that from then on", { timeout: 60_000 }, async () => {
  const world = await openWorld({ unlimited: true });
  const channel = world.sandbox.channelId;
  giveChannel(world, channel);
  await world.daemon().ready;
  await recorded(world, ({ type, payload }) => type === "SessionCreated" && payload["thread_id"] === channel);
  const first = await world.owner(channel).send("count:1");
  await world.marked(first.id, "✅");
  const forum = world.sandbox.addChannel("ideas", { forum: { tags: [] } });
  giveChannel(world, forum);
  await recorded(world, isBound);
  await world.owner(channel).send("count:2");
  const post = await world.owner(forum).createPost("an idea", "count:3");
  await answered(world, post.id, ["did 3"]);
  expect(prompts(world)).toEqual(["count:1", "count:3"]);
});

test("a post that is made while Bellhop takes the forum is a session", { timeout: 30_000 }, async () => {
  const world = await openWorld({ unlimited: true });
  const forum = world.sandbox.addChannel("ideas", { forum: { tags: [] } });
  giveChannel(world, forum);
  // The last that is asked before it is taken.
  const held = world.sandbox.faults.hold({ path: "/threads/archived/public" });
  await world.daemon().ready;
  await held.hit(1);
  const post = await world.owner(forum).createPost("an idea", "count:1");
  held.lift();
  await answered(world, post.id, ["did 1"]);
});
