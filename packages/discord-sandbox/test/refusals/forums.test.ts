/** What Discord refuses in a forum, each by one wrong request. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PermissionFlagsBits as Bit } from "discord-api-types/v10";
import { expectRefusal, openScene, type Scene } from "./scene.ts";

let scene: Scene;
let forum: string;
let strict: string;
let tags: string[];
let post: string;
const message = { content: "x" };

function tagsOf(id: string): string[] {
  const { available_tags } = scene.sandbox.channelObject(id) as { available_tags: { id: string }[] };
  return available_tags.map((tag) => tag.id);
}

beforeAll(async () => {
  scene = await openScene();
  forum = scene.sandbox.addChannel("ideas", { forum: { tags: ["a", "b", "c", "d", "e", "f"] } });
  strict = scene.sandbox.addChannel("strict", { forum: { tags: ["one"], requireTag: true } });
  tags = tagsOf(forum);
  post = (await scene.sandbox.channel(forum).user(scene.sandbox.owner.id).createPost("owner's", "x")).id;
});
afterAll(() => scene.close());

describe("in a forum is refused", () => {
  test("a message that is no post", async () => {
    expectRefusal(await scene.bot("POST", `/channels/${forum}/messages`, message), 400, 50008);
  });

  test.each<[what: string, body: Record<string, unknown>, at: string]>([
    ["without a message", { name: "x" }, "message"],
    ["without a name", { message }, "name"],
    ["with too long a message", { name: "x", message: { content: "x".repeat(2001) } }, "message.content"],
    ["whose message is to be seen by one", { name: "x", message: { ...message, flags: 64 } }, "message.flags"],
    ["with six tags", { name: "x", message, applied_tags: ["1", "2", "3", "4", "5", "6"] }, "applied_tags"],
  ])("a post %s", async (_what, body, at) => {
    expectRefusal(await scene.bot("POST", `/channels/${forum}/threads`, body), 400, 50035, at);
  });

  test("a post with nothing in its message", async () => {
    const threads = scene.sandbox.threads(forum).length;
    expectRefusal(await scene.bot("POST", `/channels/${forum}/threads`, { name: "x", message: {} }), 400, 50006);
    expect(scene.sandbox.threads(forum)).toHaveLength(threads);
  });

  test("a tag that it has not", async () => {
    const body = { name: "x", message, applied_tags: [scene.guild] };
    expectRefusal(await scene.bot("POST", `/channels/${forum}/threads`, body), 404, 10087);
    expectRefusal(await scene.bot("PATCH", `/channels/${post}`, { applied_tags: [scene.guild] }), 404, 10087);
  });

  test("six tags on a post that stands", async () => {
    expectRefusal(await scene.bot("PATCH", `/channels/${post}`, { applied_tags: tags }), 400, 50035, "applied_tags");
  });

  test("no tag where one is required, also when it is taken off", async () => {
    expectRefusal(await scene.bot("POST", `/channels/${strict}/threads`, { name: "x", message }), 400, 40067);
    const applied_tags = tagsOf(strict);
    const made = await scene.bot("POST", `/channels/${strict}/threads`, { name: "x", message, applied_tags });
    expect(made.status).toBe(201);
    expectRefusal(await scene.bot("PATCH", `/channels/${String(made.body["id"])}`, { applied_tags: [] }), 400, 40067);
  });

  test("a tag on an archived post", async () => {
    const { id } = await scene.sandbox.channel(forum).user(scene.sandbox.owner.id).createPost("old", "x");
    await scene.sandbox.channel(id).user(scene.sandbox.owner.id).archive();
    expectRefusal(await scene.bot("PATCH", `/channels/${id}`, { applied_tags: [tags[0]] }), 400, 50083);
  });

  test("two tags of one name, 21 of them, and a long name", async () => {
    const change = (...names: string[]) =>
      scene.person("PATCH", `/channels/${forum}`, { available_tags: names.map((name) => ({ name })) });
    expectRefusal(await change("a", "a"), 400, 40061);
    expectRefusal(await change(...Array.from({ length: 21 }, (_, at) => `t${at}`)), 400, 50035, "available_tags");
    expectRefusal(await change("x".repeat(21)), 400, 50035, "available_tags.0.name");
  });
});

describe("without the permission is refused", () => {
  const deny = (bit: bigint) => [{ id: scene.sandbox.botId, type: 1 as const, allow: "0", deny: String(bit) }];

  test("a post", async () => {
    const closed = scene.sandbox.addChannel("closed", { forum: { tags: [] } });
    scene.sandbox.setOverwrites(closed, deny(Bit.SendMessages));
    expectRefusal(await scene.bot("POST", `/channels/${closed}/threads`, { name: "x", message }), 403, 50013);
  });

  test("a tag on another's post, and a moderated tag on one's own", async () => {
    const closed = scene.sandbox.addChannel("unmanaged", { forum: { tags: ["free"] } });
    const owner = scene.sandbox.channel(closed).user(scene.sandbox.owner.id);
    const { id } = await owner.createPost("owner's", "x");
    const answer = await scene.person("PATCH", `/channels/${closed}`, {
      available_tags: [{ name: "moderated", moderated: true }],
    });
    const [tag] = answer.body["available_tags"] as { id: string }[];
    scene.sandbox.setOverwrites(closed, deny(Bit.ManageThreads));
    expectRefusal(await scene.bot("PATCH", `/channels/${id}`, { applied_tags: [tag?.id] }), 403, 50013);
    const own = { name: "x", message, applied_tags: [tag?.id] };
    expectRefusal(await scene.bot("POST", `/channels/${closed}/threads`, own), 403, 50013);
  });
});
