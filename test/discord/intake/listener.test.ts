/**
 * The listener over scripted threads: written live, edited, deleted, doubled and reordered, and still heard once each.
 */
import type { APIMessage } from "discord-api-types/v10";
import type { UploadedFile } from "../../../src/core/jobs/run.ts";
import { describe, expect, test } from "vitest";
import { ListenerScene, shuffled } from "./intake-scene.ts";

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `prompt ${from + index}`);

/** So many messages that say which they are. */
function writeMany(scene: ListenerScene, count: number): void {
  for (const content of numbers(1, count)) scene.write({ content });
}

async function caughtUp(scene: ListenerScene): Promise<ListenerScene> {
  scene.listener.catchUp();
  await scene.quiet();
  return scene;
}

describe("a message", () => {
  test("written while the daemon was away is accepted after it comes back, once and in order", async () => {
    const scene = await ListenerScene.open();
    writeMany(scene, 250);
    await caughtUp(scene);
    expect(scene.queue()).toEqual(numbers(1, 250));
    expect(scene.reads).toHaveLength(3);
  });

  test("that comes live while older ones are still being read back waits for its turn", async () => {
    const scene = await ListenerScene.open();
    scene.write({ content: "1" });
    scene.listener.catchUp();
    scene.listener.message(scene.write({ content: "2" }));
    await scene.quiet();
    expect(scene.queue()).toEqual(["1", "2"]);
  });

  test("that reopens its session is sent once, with its files fetched once, however often its button is pressed", async () => {
    let fetched = 0;
    const arrived = Promise.withResolvers<void>();
    const take = async (): Promise<{ files: UploadedFile[]; refused: [] }> => {
      fetched += 1;
      await arrived.promise;
      return { files: [{ path: "/uploads/1-a.txt", sha256: "0a" }], refused: [] };
    };
    const scene = await ListenerScene.open({ take });
    await scene.engine.submit({ type: "close_session", thread_id: scene.thread, by: "owner" });
    const message = scene.write({
      content: "with a file",
      attachments: [{ id: "1", filename: "a.txt" }] as APIMessage["attachments"],
    });
    scene.listener.message(message);
    await scene.quiet();
    const { id } = message;
    const presses = [scene.listener.reopen(scene.thread, id), scene.listener.reopen(scene.thread, id)];
    await scene.clock.settle();
    arrived.resolve();
    expect(await Promise.all(presses)).toEqual(["both", "both"]);
    expect(await scene.listener.reopen(scene.thread, id)).toBe("sent");
    expect(scene.queue()).toEqual(["with a file"]);
    expect(fetched).toBe(1);
  });

  test("of the owner's is told with the words it has now, and one that is not his, is gone, is empty or cannot be looked up is not", async () => {
    const scene = await ListenerScene.open();
    const message = scene.write({ content: "old" });
    const now = (): Promise<string | undefined> => scene.listener.wordsNow(scene.thread, message.id);
    scene.edit(message, "new");
    expect(await now()).toBe("new");
    scene.edit(message, " ");
    expect(await now()).toBeUndefined();
    const stranger = scene.write({ author: { id: "100000000000000002" } as APIMessage["author"] });
    expect(await scene.listener.wordsNow(scene.thread, stranger.id)).toBeUndefined();
    scene.lookUp = () => Promise.reject(new Error("no access"));
    expect(await now()).toBeUndefined();
    scene.lookUp = () => new Promise(() => undefined);
    const late = now();
    await scene.clock.settle();
    await scene.clock.step();
    expect(await late).toBeUndefined();
    scene.lookUp = null;
    scene.delete(message);
    expect(await now()).toBeUndefined();
  });

  test("beyond a full queue waits in Discord, and is accepted when the queue has room", async () => {
    const scene = await ListenerScene.open({ rules: { max_queue_per_session: 3, global_max_running: 1 } });
    writeMany(scene, 6);
    await caughtUp(scene);
    const all = (): string[] => Object.values(scene.engine.state.jobs).map(({ prompt }) => prompt);
    // One runs, three wait, and the other two are not refused: nobody has seen them yet.
    expect(all()).toEqual(numbers(1, 4));
    expect(scene.engine.state.notices).toEqual({});
    const job_id = scene.engine.state.sessions[scene.thread]?.running_job_id ?? "";
    await scene.engine.submit({
      type: "complete",
      job_id,
      result_excerpt: "",
      result_sha256: "",
      model: null,
      usage: null,
    });
    await scene.engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
    await scene.quiet();
    expect(all()).toEqual(numbers(1, 5));
  });

  test("in a thread where we were refused has its answer tried there again; one that is read back a second time has not", async () => {
    const scene = await ListenerScene.open();
    const place = (): string | undefined => scene.engine.state.threads[scene.thread]?.place;
    const lose = (from: "thread" | "parent"): Promise<unknown> =>
      scene.engine.submit({
        type: "lose_thread",
        thread_id: scene.thread,
        place: from,
        code: "E_THREAD_ACCESS_FAILED",
      });
    await lose("thread");
    await lose("parent");
    expect(place()).toBe("owner");
    const message = scene.write();
    scene.listener.message(message);
    await scene.quiet();
    expect(place()).toBe("thread");
    await lose("thread");
    scene.listener.message(message);
    await scene.quiet();
    expect(place()).toBe("parent");
    // A prompt that came with a command.
    await scene.engine.submit({
      type: "hear",
      thread_id: scene.thread,
      discord_message_id: scene.write().id,
      reply_to: null,
      prompt: "go",
      files: [],
      refused_files: [],
      is_prompt: true,
    });
    expect(place()).toBe("thread");
  });

  test("in a thread nobody opened a session in has no effect", async () => {
    const scene = await caughtUp(await ListenerScene.open());
    scene.listener.message({ ...scene.write(), channel_id: "400000000000000000" });
    await scene.quiet();
    expect(scene.engine.state.jobs).toEqual({});
  });
});

describe("a stranger's", () => {
  const strangers: [string, Partial<APIMessage>][] = [
    ["another member", { author: { id: "100000000000000002" } as APIMessage["author"] }],
    ["a bot", { author: { id: "100000000000000001", bot: true } as APIMessage["author"] }],
    ["a webhook with the owner's id", { webhook_id: "5" }],
    ["an application with the owner's id", { application_id: "5" }],
    ["a forward by the owner", { message_snapshots: [{ message: {} }] } as unknown as Partial<APIMessage>],
    ["a system message", { type: 18 as APIMessage["type"] }],
    ["a pin's notice in the owner's name", { type: 6 as APIMessage["type"] }],
    ["no author at all", { author: null as unknown as APIMessage["author"] }],
    [
      "an author whose id is a number",
      { author: { id: Number("100000000000000001") } as unknown as APIMessage["author"] },
    ],
    ["an author whose id begins like the owner's", { author: { id: "1000000000000000011" } as APIMessage["author"] }],
  ];

  test.each(strangers)("message has no effect, live or read back: %s", async (_who, over) => {
    const scene = await ListenerScene.open();
    scene.write(over);
    await caughtUp(scene);
    scene.listener.message(scene.write(over));
    await scene.quiet();
    expect(scene.engine.state.jobs).toEqual({});
    expect(scene.engine.state.notices).toEqual({});
  });

  test.each(strangers)("edit of what waits has no effect: %s", async (_who, over) => {
    const scene = await caughtUp(await ListenerScene.open());
    const message = scene.write({ content: "mine" });
    scene.listener.message(message);
    scene.listener.edited({ ...message, ...over, content: "theirs" });
    await scene.quiet();
    expect(scene.queue()).toEqual(["mine"]);
  });

  test("guild is not ours: messages and edits of the owner there, and in direct messages, have no effect", async () => {
    const scene = await caughtUp(await ListenerScene.open());
    scene.listener.message({ ...scene.write(), guild_id: "200000000000000002" });
    const { guild_id: _guild, ...direct } = scene.write();
    scene.listener.message(direct);
    await scene.quiet();
    expect(scene.queue()).toEqual([]);
    const mine = scene.write({ content: "mine" });
    scene.listener.message(mine);
    scene.listener.edited({ ...mine, guild_id: "200000000000000002", content: "theirs" });
    await scene.quiet();
    expect(scene.queue()).toEqual(["mine"]);
  });
});

/** When a message was written, and edited in this second, as Discord says it. */
function wordsAt(second: string): { timestamp: string; edited_timestamp: string } {
  return { timestamp: "2026-02-26T14:00:00.000000+00:00", edited_timestamp: `2026-02-26T14:00:${second}.000000+00:00` };
}

describe("an edit", () => {
  test("of a waiting message replaces its job's prompt, in its place", async () => {
    const scene = await caughtUp(await ListenerScene.open());
    const messages = ["a", "b", "c"].map((content) => scene.write({ content }));
    for (const message of messages) scene.listener.message(message);
    scene.listener.edited({ ...messages[1]!, content: "B" });
    await scene.quiet();
    expect(scene.queue()).toEqual(["a", "B", "c"]);
  });

  test("that tells no more than an id and new words is looked up where it stands, and is what it says there", async () => {
    const scene = await caughtUp(await ListenerScene.open());
    const [told, forged] = [scene.write({ content: "a" }), scene.write({ content: "b" })];
    for (const message of [told, forged]) scene.listener.message(message);
    await scene.quiet();
    scene.edit(told, "A");
    scene.listener.edited({ id: told.id, channel_id: told.channel_id, content: "A" });
    scene.listener.edited({ id: forged.id, channel_id: forged.channel_id, content: "theirs" });
    await scene.quiet();
    expect(scene.queue()).toEqual(["A", "b"]);
  });

  test("of Discord's own, for a link's preview, changes nothing", async () => {
    const scene = await caughtUp(await ListenerScene.open());
    const message = scene.write({ content: "see https://example.com" });
    scene.listener.message(message);
    scene.listener.edited({ ...message, embeds: [{ title: "Example" }] });
    scene.listener.edited({ id: message.id, channel_id: message.channel_id, embeds: [{ title: "Example" }] });
    await scene.quiet();
    expect(Object.values(scene.engine.state.runs).map(({ edited }) => edited)).toEqual([false]);
  });

  test.for([
    ["the newer first", ["10", "09"], "10"],
    ["the older first", ["09", "10"], "10"],
    ["the newer twice, with a preview", ["10", "09", "10"], "10"],
  ] as const)("that arrives out of order leaves the newest words: %s", async ([, order, newest]) => {
    const scene = await caughtUp(await ListenerScene.open());
    const message = scene.write({ content: "first" });
    scene.listener.message(message);
    for (const second of order) scene.listener.edited({ ...message, ...wordsAt(second), content: second });
    scene.listener.edited({ ...message, timestamp: "2026-02-26T14:00:00.000000+00:00", edited_timestamp: null });
    await scene.quiet();
    expect(scene.queue()).toEqual([newest]);
  });

  test("never begins a job: not of a message refused before, and not of one nobody knows", async () => {
    const scene = await caughtUp(await ListenerScene.open());
    const empty = scene.write({ content: " " });
    scene.listener.message(empty);
    scene.listener.edited({ ...empty, content: "now with words" });
    scene.listener.edited({ ...empty, id: "900000000000999999", content: "from nowhere" });
    await scene.quiet();
    expect(scene.engine.state.jobs).toEqual({});
  });

  test("that comes without words does not empty a prompt", async () => {
    const scene = await caughtUp(await ListenerScene.open());
    const message = scene.write({ content: "a" });
    scene.listener.message(message);
    scene.listener.edited({ ...message, content: "" });
    await scene.quiet();
    expect(scene.queue()).toEqual(["a"]);
  });

  test("while its message is being read back is the newer word, whichever of the two comes first", async () => {
    const scene = await ListenerScene.open();
    const message = scene.write({ content: "old" });
    scene.listener.catchUp();
    scene.listener.edited({ ...message, content: "new" });
    await scene.quiet();
    expect(scene.queue()).toEqual(["new"]);
  });
});

describe("a reply", () => {
  const quoted = (scene: ListenerScene): unknown[] =>
    Object.values(scene.engine.state.runs).map(({ quotes = [] }) => quotes.map(({ text, missing }) => missing ?? text));

  test.for([
    ["sent along", { referenced: "there" }, ["said"], 0],
    ["deleted", { referenced: "gone" }, ["deleted"], 0],
    ["not sent along", { referenced: "absent" }, ["said"], 1],
    ["not sent along, and deleted", { referenced: "absent", deleted: true }, ["deleted"], 1],
    ["not sent along, and not shown", { referenced: "absent", refuses: true }, ["unread"], 1],
  ] as const)("to a message that is %s", async ([, how, expected, lookedUp]) => {
    const { referenced, deleted = false, refuses = false } = { deleted: false, refuses: false, ...how };
    const scene = await caughtUp(await ListenerScene.open());
    const said = scene.write({ content: "said" });
    if (deleted) scene.delete(said);
    if (refuses) scene.lookUp = () => Promise.reject(new Error("refused"));
    const message_reference = { message_id: said.id, channel_id: said.channel_id };
    const sentAlong = { there: { referenced_message: said }, gone: { referenced_message: null }, absent: {} }[
      referenced
    ];
    scene.listener.message(scene.write({ content: "do it", type: 19, message_reference, ...sentAlong } as never));
    await scene.quiet();
    expect([quoted(scene), scene.ones.length]).toEqual([[expected], lookedUp]);
  });

  test("is not kept from the queue by a Discord that does not answer", async () => {
    const scene = await caughtUp(await ListenerScene.open());
    scene.lookUp = () => new Promise(() => undefined);
    const message_reference = { message_id: "300000000000000009", channel_id: scene.thread };
    scene.listener.message(scene.write({ content: "first", type: 19, message_reference } as never));
    scene.listener.message(scene.write({ content: "second" }));
    await scene.clock.advance(10_000);
    await scene.quiet();
    expect(scene.queue()).toEqual(["first", "second"]);
    expect(quoted(scene)).toEqual([["unread"], []]);
  });
});

describe("a deletion", () => {
  test("of waiting messages, one or many at once, takes their jobs back", async () => {
    const scene = await caughtUp(await ListenerScene.open());
    const [a, b, c, d] = ["a", "b", "c", "d"].map((content) => scene.write({ content }));
    for (const message of [a!, b!, c!, d!]) scene.listener.message(message);
    scene.listener.deleted(scene.thread, [b!.id]);
    scene.listener.deleted(scene.thread, [c!.id, d!.id, "1"]);
    await scene.quiet();
    expect(scene.queue()).toEqual(["a"]);
    expect(Object.values(scene.engine.state.jobs).map(({ state }) => state)).toEqual([
      "queued",
      "cancelled",
      "cancelled",
      "cancelled",
    ]);
  });

  test("while its message is being read back keeps it from becoming a job", async () => {
    const scene = await ListenerScene.open();
    const message = scene.write();
    scene.listener.catchUp();
    scene.listener.deleted(scene.thread, [message.id]);
    await scene.quiet();
    expect(scene.queue()).toEqual([]);
  });

  test("of a running job's message is noted and stops nothing", async () => {
    const scene = await caughtUp(await ListenerScene.open({ rules: { global_max_running: 1 } }));
    const message = scene.write();
    scene.listener.message(message);
    scene.listener.deleted(scene.thread, [message.id]);
    await scene.quiet();
    expect(Object.values(scene.engine.state.jobs).map(({ state }) => state)).toEqual(["running"]);
    expect(Object.values(scene.engine.state.notices).map(({ change }) => change)).toEqual(["deleted"]);
  });
});

describe("files", () => {
  const withFile = { attachments: [{ id: "1", filename: "a.txt" }] } as unknown as Partial<APIMessage>;

  test("that take long keep what was written after them in its place, and no other thread", async () => {
    const held = Promise.withResolvers<void>();
    const take = async (): Promise<{ files: UploadedFile[]; refused: [] }> => (
      await held.promise,
      { files: [{ path: "/f", sha256: "0a" }], refused: [] }
    );
    const scene = await caughtUp(await ListenerScene.open({ threads: 2, take }));
    const [here = "", there = ""] = scene.threads;
    scene.listener.message(scene.write({ ...withFile, content: "with a file" }, here));
    const second = scene.write({ content: "second" }, here);
    scene.listener.message(second);
    scene.listener.message(second);
    scene.listener.edited({ ...second, content: "second, edited" });
    scene.listener.message(scene.write({ content: "elsewhere" }, there));
    await scene.clock.settle();
    expect([scene.queue(here), scene.queue(there)]).toEqual([[], ["elsewhere"]]);
    held.resolve();
    await scene.quiet();
    expect(scene.queue(here)).toEqual(["with a file", "second, edited"]);
    expect(Object.values(scene.engine.state.runs).map(({ files }) => files)).toContainEqual([
      { path: "/f", sha256: "0a" },
    ]);
  });

  test("of a message that comes again while they are fetched are fetched once", async () => {
    const held = Promise.withResolvers<void>();
    let taken = 0;
    const take = async (): Promise<{ files: UploadedFile[]; refused: [] }> => (
      (taken += 1),
      await held.promise,
      { files: [{ path: "/f", sha256: "0a" }], refused: [] }
    );
    const scene = await caughtUp(await ListenerScene.open({ take }));
    const message = scene.write(withFile);
    for (let copy = 0; copy < 3; copy += 1) scene.listener.message(message);
    // And the connection is lost in the middle: it is read back as well.
    scene.listener.catchUp();
    await scene.clock.settle();
    held.resolve();
    await scene.quiet();
    expect([taken, Object.keys(scene.engine.state.jobs).length]).toEqual([1, 1]);
  });

  test("alone are a prompt; refused, they are named and the words run all the same", async () => {
    const take = async ({
      id,
    }: {
      id: string;
    }): Promise<{ files: UploadedFile[]; refused: { name: string; why: string }[] }> =>
      id.endsWith("10")
        ? { files: [{ path: "/f", sha256: "0a" }], refused: [] }
        : { files: [], refused: [{ name: "a.txt", why: "too big" }] };
    const scene = await caughtUp(await ListenerScene.open({ take }));
    scene.listener.message(scene.write({ ...withFile, content: "" }));
    scene.listener.message(scene.write({ ...withFile, content: "words" }));
    scene.listener.message(scene.write({ ...withFile, content: "" }));
    await scene.quiet();
    expect(scene.queue()).toEqual(["", "words"]);
    const notices = Object.values(scene.engine.state.notices).map(({ code, details }) => [
      code,
      details["name"],
      details["why"],
    ]);
    expect(notices).toEqual([
      ["E_ATTACHMENT_REFUSED", "a.txt", "too big"],
      ["E_ATTACHMENT_REFUSED", "a.txt", "too big"],
    ]);
  });

  test("cut off by the daemon's end leave a message unaccepted, which is accepted again with them", async () => {
    let times = 0;
    const take = (): Promise<{ files: UploadedFile[]; refused: [] }> =>
      (times += 1) === 1
        ? Promise.reject(new Error("closed"))
        : Promise.resolve({ files: [{ path: "/f", sha256: "0a" }], refused: [] });
    const scene = await caughtUp(await ListenerScene.open({ take }));
    scene.listener.message(scene.write({ ...withFile, content: "first" }));
    scene.listener.message(scene.write({ content: "second" }));
    await scene.clock.settle();
    await scene.restart();
    await caughtUp(scene);
    expect(scene.queue()).toEqual(["first", "second"]);
    expect(times).toBe(2);
  });
});

test("accepted live in any order, each up to five times, every message becomes exactly one job", async () => {
  for (const copies of [1, 3, 5]) {
    const scene = await caughtUp(await ListenerScene.open());
    writeMany(scene, 300);
    for (const message of shuffled(scene.written.get(scene.thread) ?? [], copies, copies))
      scene.listener.message(message);
    await scene.quiet();
    await caughtUp(scene);
    expect([...scene.queue()].sort()).toEqual(numbers(1, 300).sort());
  }
});
