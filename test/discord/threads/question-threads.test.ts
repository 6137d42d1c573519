import { expect, test } from "vitest";
import type { AskCommand } from "../../../src/core/decisions/decision.ts";
import type { VoidedBecause } from "../../../src/core/decisions/voided.ts";
import { openQuestionThreads } from "../../../src/discord/threads/question-threads.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../fakes/memory-journal.ts";
import { question } from "../../ipc/mcp/mcp-scene.ts";
import { BOT, CHANNEL, GUILD, settle, ThreadChannel } from "../thread-channel.ts";

const ID = "app_20260301_abc123";
const THREAD = "200000000000000777";

interface Daemon {
  engine: Engine;
  start(): void;
  kill(): void;
}

function world(): { channel: ThreadChannel; daemon(): Daemon } {
  const clock = createFakeClock();
  const journal = createMemoryJournal(clock);
  const channel = new ThreadChannel();
  return {
    channel,
    daemon() {
      const { engine, kill } = journal.open();
      const rest = channel.connect();
      const own = { ownerId: "200000000000000003", botId: BOT, guildId: GUILD };
      const keeper = openQuestionThreads(botContext({ engine, clock, rest, ...own }));
      return {
        engine,
        start: () => keeper.start(),
        kill() {
          rest.cut();
          kill();
          keeper.close();
        },
      };
    },
  };
}

/** A question that names a thread to be asked in. */
function inThread(thread: string): AskCommand {
  const { asker, ...rest } = question(ID);
  return { ...rest, asker: { ...asker, wanted_thread: thread } as AskCommand["asker"] };
}

const placeOf = ({ engine }: Daemon): Promise<string> => engine.until(({ decisions }) => decisions[ID]?.thread_id);
const endOf = ({ engine }: Daemon): Promise<unknown> =>
  engine.until(({ decisions }) => decisions[ID]?.state === "void" && decisions[ID]?.voided);

const refusedOf = ({ engine }: Daemon): VoidedBecause["refused"] => {
  const decision = engine.state.decisions[ID];
  return decision?.state === "void" ? decision.refused : undefined;
};

test("a question gets a message that bears its name, and a thread on it called by its words, with the owner in it", async () => {
  const { channel, daemon } = world();
  const one = daemon();
  one.start();
  await one.engine.submit(question(ID));
  const thread = await placeOf(one);
  expect(channel.messages).toMatchObject([
    {
      id: thread,
      content: `**app** asks: Deploy?\nAnswer with a button, by replying to this message, or in the thread below.\n-# ${ID}`,
    },
  ]);
  expect([...channel.threads]).toEqual([[thread, "Deploy?"]]);
  expect(one.engine.state.threads[thread]).toMatchObject({ channel_id: CHANNEL, guild_id: GUILD, bot_id: BOT });
  expect(one.engine.state.watermarks[thread]).toBe(thread);
  expect(channel.seen.at(-1)).toBe("PUT /channels/ID/thread-members/ID");
});

test("killed before or after any request, even for longer than Discord remembers a nonce, there is exactly one thread", async () => {
  for (const when of ["before", "after"] as const) {
    for (const at of [1, 2, 3, 4]) {
      for (const forgets of [true, false]) {
        const { channel, daemon } = world();
        channel.say("200000000000000003", `I say\n-# ${ID}`);
        channel.fault = (count) => (count === at ? when : null);
        const first = daemon();
        first.start();
        await first.engine.submit(question(ID));
        await settle();
        first.kill();
        if (forgets) channel.forgetNonces();
        channel.fault = () => null;
        const second = daemon();
        second.start();
        const thread = await placeOf(second);
        expect([...channel.threads.keys()], `${when} ${at} ${forgets}`).toEqual([thread]);
        expect(channel.messages.filter(({ author }) => author.id === BOT)).toHaveLength(1);
        second.kill();
      }
    }
  }
});

test("two questions of the same words each have their own thread, also when both were cut off after their message", async () => {
  const { channel, daemon } = world();
  channel.fault = (_count, { path }) => (path.endsWith("/threads") ? "before" : null);
  const first = daemon();
  first.start();
  await first.engine.submit(question(ID));
  const { asker, ...rest } = question("other_20260301_abc123");
  await first.engine.submit({ ...rest, asker: { ...asker, project: "other" } as AskCommand["asker"] });
  await settle();
  first.kill();
  channel.forgetNonces();
  channel.fault = () => null;
  const second = daemon();
  second.start();
  await second.engine.until(({ decisions }) => Object.values(decisions).every(({ thread_id }) => thread_id !== null));
  const placed = Object.values(second.engine.state.decisions).map(({ thread_id }) => thread_id);
  expect(new Set(placed).size).toBe(2);
  expect([...channel.threads.keys()].sort()).toEqual(placed.toSorted());
});

test("a thread that is named is taken as it is, opened where it was archived, and only what comes later can be an answer", async () => {
  const { channel, daemon } = world();
  channel.channels.set(THREAD, {
    guild_id: GUILD,
    type: 11,
    parent_id: CHANNEL,
    last_message_id: "200000000000000799",
    thread_metadata: { archived: true },
  });
  const one = daemon();
  one.start();
  await one.engine.submit(inThread(THREAD));
  expect(await placeOf(one)).toBe(THREAD);
  expect(one.engine.state.watermarks[THREAD]).toBe("200000000000000799");
  expect(channel.seen).toEqual(["GET /channels/ID", "PATCH /channels/ID", "PUT /channels/ID/thread-members/@me"]);
});

test.each([
  ["another server's", { guild_id: "4", type: 11, parent_id: CHANNEL }],
  ["a channel", { guild_id: GUILD, type: 0 }],
  ["a direct message", { type: 1 }],
])("%s is no thread of ours, and the question is void", async (_what, told) => {
  const { channel, daemon } = world();
  channel.channels.set(THREAD, told);
  const one = daemon();
  one.start();
  await one.engine.submit(inThread(THREAD));
  expect(await endOf(one)).toBe("no_place");
  expect(refusedOf(one)).toEqual({ code: "E_THREAD_FOREIGN", details: { thread: THREAD } });
});

test("a thread that does not exist is not said to be another's", async () => {
  const { channel, daemon } = world();
  channel.fault = () => "channel_gone";
  const one = daemon();
  one.start();
  await one.engine.submit(inThread(THREAD));
  expect(await endOf(one)).toBe("no_place");
  expect(refusedOf(one)).toEqual({
    code: "E_THREAD_ACCESS_FAILED",
    details: { thread: `<#${THREAD}>` },
  });
});

test.each(["no_access", "channel_gone", "rejected"] as const)(
  "what Discord will not have (%s) has no place, and nothing of it is left",
  async (kind) => {
    const { channel, daemon } = world();
    channel.fault = (_count, { path }) => (path.endsWith("/threads") ? kind : null);
    const one = daemon();
    one.start();
    await one.engine.submit(question(ID));
    expect(await endOf(one)).toBe("no_place");
    await settle();
    expect(channel.messages).toEqual([]);
    expect(refusedOf(one)?.code).toBe(kind === "channel_gone" ? undefined : "E_PLACE_REFUSED");
  },
);

test("a channel of another server is no place, although the bot may write there", async () => {
  const { channel, daemon } = world();
  channel.channels.set(CHANNEL, { guild_id: "4", type: 0 });
  const one = daemon();
  one.start();
  await one.engine.submit(question(ID));
  expect(await endOf(one)).toBe("no_place");
});

test("closing in the middle voids nothing, and another bot's questions are let be", async () => {
  const { channel, daemon } = world();
  channel.fault = () => "closed";
  const one = daemon();
  one.start();
  await one.engine.submit(question(ID));
  await one.engine.submit(question("theirs_20260301_abc123", { bot_id: "200000000000000005" }));
  await settle();
  expect(Object.values(one.engine.state.decisions).map(({ state }) => state)).toEqual(["open", "open"]);
  one.kill();
  channel.fault = () => null;
  const two = daemon();
  two.start();
  await placeOf(two);
  await settle();
  expect(two.engine.state.decisions["theirs_20260301_abc123"]?.thread_id).toBeNull();
});
