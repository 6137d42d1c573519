import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { openStarts, threadName, type Starts } from "../../../src/discord/threads/session-starts.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../fakes/memory-journal.ts";
import { createApp } from "../../core/scene.ts";
import { BOT, CHANNEL, GUILD, settle, ThreadChannel } from "../thread-channel.ts";

const REQUEST = "200000000000000100";
const DIRECT = "200000000000000009";

function world(): {
  channel: ThreadChannel;
  /** What was logged as a failure. */
  failures: string[];
  /** A daemon on what the journal holds; `kill` ends it at once. */
  daemon(): {
    starts: Starts;
    engine: ReturnType<ReturnType<typeof createMemoryJournal>["open"]>["engine"];
    adopted: [string, string | null][];
    kill(): void;
  };
} {
  const clock = createFakeClock();
  const journal = createMemoryJournal(clock);
  void journal.open().engine.submit(createApp);
  const channel = new ThreadChannel();
  const failures: string[] = [];
  return {
    channel,
    failures,
    daemon() {
      const { engine, kill } = journal.open();
      const rest = channel.connect();
      const adopted: [string, string | null][] = [];
      const context = botContext({
        engine,
        clock,
        rest,
        ownerId: "200000000000000003",
        botId: BOT,
        guildId: GUILD,
        log: { ...silentLog, failure: (msg) => void failures.push(msg) },
        assignThread: async (...of) => void adopted.push(of),
      });
      const starts = openStarts(context, async () => DIRECT);
      return {
        starts,
        adopted,
        engine,
        kill() {
          rest.cut();
          kill();
          starts.close();
        },
      };
    },
  };
}

type Daemon = ReturnType<ReturnType<typeof world>["daemon"]>;

async function want({ engine }: Daemon, request_id = REQUEST): Promise<void> {
  await engine.submit({
    type: "start_session",
    request_id,
    project_name: "app",
    channel_id: CHANNEL,
    guild_id: "3",
    bot_id: BOT,
  });
}

test("a wanted session gets a message, a thread on it, and the session's id is the thread's", async () => {
  const { channel, daemon } = world();
  const one = daemon();
  one.starts.start();
  await want(one);
  const id = await one.starts.opened(REQUEST);
  expect(channel.messages).toMatchObject([{ id, content: "Session for app with claude", nonce: `s${REQUEST}` }]);
  expect([...channel.threads]).toEqual([[id, expect.stringMatching(/^app · 2026-03-01 \d\d:\d\d$/)]]);
  expect(one.engine.state.sessions[id]).toMatchObject({ project_name: "app", thread_id: id });
  expect(one.engine.state.starts).toEqual({});
  expect(channel.seen.at(-1)).toBe("PUT /channels/ID/thread-members/ID");
});

test("several wanted at once each get their own", async () => {
  const { channel, daemon } = world();
  const one = daemon();
  one.starts.start();
  const requests = ["200000000000000101", "200000000000000102", "200000000000000103"];
  await Promise.all(requests.map((request) => want(one, request)));
  const ids = await Promise.all(requests.map((request) => one.starts.opened(request)));
  expect(new Set(ids).size).toBe(3);
  expect(channel.threads.size).toBe(3);
});

test("killed before or after any request, even for longer than Discord remembers a nonce, there is exactly one thread", async () => {
  for (const when of ["before", "after"] as const) {
    for (const at of [1, 2, 3, 4]) {
      for (const forgets of [true, false]) {
        const { channel, daemon } = world();
        channel.say(BOT, "Session for other with claude");
        channel.say("200000000000000003", "Session for app with claude");
        channel.fault = (count) => (count === at ? when : null);
        const first = daemon();
        first.starts.start();
        await want(first);
        await settle();
        first.kill();
        if (forgets) channel.forgetNonces();
        channel.fault = () => null;
        const second = daemon();
        second.starts.start();
        const session = await second.engine.until((state) => Object.keys(state.sessions)[0]);
        expect([...channel.threads.keys()], `${when} ${at} ${forgets}`).toEqual([session]);
        expect(
          channel.messages.filter(
            ({ author, content }) => author.id === BOT && content === "Session for app with claude",
          ),
        ).toHaveLength(1);
        expect(second.engine.state.starts).toEqual({});
        second.kill();
      }
    }
  }
});

test("two starts of the same words, both cut off after their message, each get one thread", async () => {
  const { channel, daemon } = world();
  const requests = ["200000000000000101", "200000000000000102"];
  channel.fault = (_count, { path }) => (path.endsWith("/threads") ? "before" : null);
  // Each killed before its thread, the second one with the first one's start still under way.
  for (const request of requests) {
    const cut = daemon();
    if (request === requests[1]) channel.say(BOT, "Session for app with claude");
    await want(cut, request);
    if (request === requests[0]) cut.starts.start();
    await settle();
    cut.kill();
  }
  expect(channel.messages).toHaveLength(2);
  channel.forgetNonces();
  channel.fault = () => null;
  const second = daemon();
  second.starts.start();
  await second.engine.until((state) => Object.keys(state.sessions).length === 2);
  expect([...channel.threads.keys()].sort()).toEqual(channel.messages.map(({ id }) => id));
});

test("a message whose answer is lost is looked for before it is posted again", async () => {
  const { channel, daemon } = world();
  channel.fault = (count) => (count === 1 ? "unavailable" : null);
  const one = daemon();
  one.starts.start();
  await want(one);
  await one.starts.opened(REQUEST);
  expect(channel.seen.slice(0, 3)).toEqual([
    "POST /channels/ID/messages",
    "GET /channels/ID/messages?after=ID&limit=100",
    "POST /channels/ID/messages",
  ]);
  expect(channel.messages).toHaveLength(1);
});

test.each(["no_access", "channel_gone", "rejected"] as const)(
  "what Discord refuses (%s) is dropped, and the caller is told",
  async (kind) => {
    const { channel, daemon } = world();
    channel.fault = () => kind;
    const one = daemon();
    one.starts.start();
    await want(one);
    await expect(one.starts.opened(REQUEST)).rejects.toMatchObject({
      code: "E_PLACE_REFUSED",
      details: { place: `<#${CHANNEL}>` },
    });
    expect(one.engine.state.starts).toEqual({});
    expect(one.engine.state.sessions).toEqual({});
  },
);

test.each([
  ["its thread alone", /\/threads$/, CHANNEL],
  ["everything in its channel", new RegExp(CHANNEL), DIRECT],
])(
  "where nobody waits for it any more and Discord refuses %s, its owner is told, once, with the code",
  async (_, refused, told) => {
    const { channel, daemon } = world();
    const cut = daemon();
    await want(cut);
    cut.kill();
    channel.fault = (_count, { path }) => (refused.test(path) ? "no_access" : null);
    const one = daemon();
    one.starts.start();
    await one.engine.until((state) => Object.keys(state.starts).length === 0 || null);
    await settle();
    const posts = channel.posts.filter(({ content }) => content.includes("E_PLACE_REFUSED"));
    expect(posts).toEqual([
      { channel: told, content: expect.stringMatching(/^<@200000000000000003> .*<#200000000000000002>/) as string },
    ]);
  },
);

test("a thread that is refused takes its message with it", async () => {
  const { channel, daemon } = world();
  channel.fault = (_count, { path }) => (path.endsWith("/threads") ? "no_access" : null);
  const one = daemon();
  one.starts.start();
  await want(one);
  await expect(one.starts.opened(REQUEST)).rejects.toMatchObject({ code: "E_PLACE_REFUSED" });
  expect(channel.messages).toEqual([]);
});

test("closing in the middle drops nothing and is no failure: the next daemon continues", async () => {
  const { channel, daemon, failures } = world();
  channel.fault = () => "closed";
  const one = daemon();
  one.starts.start();
  await want(one);
  await expect(one.starts.opened(REQUEST)).rejects.toMatchObject({ code: "E_PLACE_REFUSED" });
  expect(Object.keys(one.engine.state.starts)).toEqual([REQUEST]);
  expect(failures).toEqual([]);
  one.kill();
  channel.fault = () => null;
  const two = daemon();
  two.starts.start();
  expect(await two.engine.until((state) => Object.keys(state.sessions)[0])).toBe(channel.messages[0]?.id);
});

test("what was tried once is looked for before it is tried again, in the same daemon too", async () => {
  const { channel, daemon } = world();
  channel.fault = (count) => (count === 1 ? "done, then closed" : null);
  const one = daemon();
  one.starts.start();
  await want(one);
  await expect(one.starts.opened(REQUEST)).rejects.toMatchObject({ code: "E_PLACE_REFUSED" });
  channel.forgetNonces();
  await want(one, "200000000000000101");
  await one.engine.until((state) => Object.keys(state.sessions).length === 2);
  expect([...channel.threads.keys()].sort()).toEqual(channel.messages.map(({ id }) => id));
  expect(channel.messages).toHaveLength(2);
});

test("an owner who cannot be added to the thread has a session all the same", async () => {
  const { channel, daemon } = world();
  channel.fault = (_count, { method }) => (method === "PUT" ? "no_access" : null);
  const one = daemon();
  one.starts.start();
  await want(one);
  expect(await one.starts.opened(REQUEST)).toBe(channel.messages[0]?.id);
});

test("a thread's name is within Discord's hundred characters", () => {
  const name = threadName({ project_name: "a".repeat(40), at: "2026-02-26T14:00:00.000Z" });
  expect(name.length).toBeLessThanOrEqual(100);
  expect(threadName({ project_name: "app", at: "2026-02-26T15:00:00.000Z" }, "Asia/Seoul")).toBe(
    "app · 2026-02-27 00:00",
  );
  expect(threadName({ project_name: "b".repeat(200), at: "2026-02-26T14:00:00.000Z" })).toHaveLength(100);
});

test("a start that wants its agent first gets no thread before that is open, and its agent is handed over with the thread", async () => {
  const daemon = world().daemon();
  daemon.starts.start();
  await daemon.engine.submit({
    type: "start_session",
    request_id: REQUEST,
    project_name: "app",
    channel_id: CHANNEL,
    guild_id: "3",
    bot_id: BOT,
    agent: true,
  });
  await daemon.engine.submit({ type: "know_owner", owner_id: "5", from: "configured" });
  expect(Object.keys(daemon.engine.state.sessions)).toEqual([]);
  const opened = daemon.starts.opened(REQUEST);
  await daemon.engine.submit({ type: "ready_start", request_id: REQUEST });
  const thread = await opened;
  expect(daemon.adopted).toEqual([[REQUEST, thread]]);
});
