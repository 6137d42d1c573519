import { expect, test } from "vitest";
import { openArchives, stillDesired } from "../../../src/discord/threads/thread-upkeep.ts";
import type { DesiredPost } from "../../../src/discord/views/message.ts";
import type { RestCall } from "../../../src/discord/api/rest.ts";
import { RestFailure } from "../../../src/discord/api/transport.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal, type MemoryJournal } from "../../fakes/memory-journal.ts";
import { question, THREAD } from "../../ipc/mcp/mcp-scene.ts";
import { BOT, CHANNEL, GUILD } from "../thread-channel.ts";
import { part } from "../../fakes/part.ts";
import type { PostSync } from "../../../src/discord/delivery/sync-posts.ts";
import type { Reactions } from "../../../src/discord/delivery/reactions.ts";

const ID = "app_20260301_abc123";
const NEXT = "app_20260301_def456";

interface Scene {
  engine: Engine;
  journal: MemoryJournal;
  seen: string[];
  /** Lets what waits for the posts to stand go on. */
  stand(): void;
  settle(): Promise<void>;
}

interface Told {
  owner_id?: string;
  archived?: boolean;
  fail?: RestFailure;
}

function scene({ owner_id = BOT, archived = false, fail }: Told = {}, before?: MemoryJournal): Scene {
  const clock = createFakeClock();
  const journal = before ?? createMemoryJournal(clock);
  const { engine } = journal.open();
  const seen: string[] = [];
  const stands = Promise.withResolvers<void>();
  const call = async <T>({ method, body }: RestCall): Promise<T> => {
    seen.push(body ? `${method} ${JSON.stringify(body)}` : method);
    if (fail) throw fail;
    return { owner_id, thread_metadata: { archived } } as T;
  };
  openArchives(
    botContext({ engine, clock, rest: { call }, botId: BOT }),
    part<PostSync>({ whenDelivered: () => stands.promise }),
    part<Reactions>({ idle: async () => undefined }),
  );
  return { engine, journal, seen, stand: stands.resolve, settle: () => clock.settle() };
}

async function ask({ engine }: Scene, decision_id = ID): Promise<void> {
  const { questions, ...rest } = question(decision_id);
  await engine.submit({ ...rest, questions: questions.map((one) => ({ ...one, question: decision_id })) });
  await engine.submit({
    type: "place_decision",
    decision_id,
    thread_id: THREAD,
    channel_id: CHANNEL,
    guild_id: GUILD,
    bot_id: BOT,
    since: THREAD,
  });
}

async function answer({ engine }: Scene, decision_id = ID): Promise<void> {
  await engine.submit({ type: "answer", decision_id, question: 0, answer: { places: [], words: "yes" }, sha256: null });
}

async function deliver(one: Scene, decision_id = ID): Promise<void> {
  await one.engine.submit({ type: "answer_delivered", decision_id });
  await one.settle();
}

const DONE = ["GET", 'PATCH {"archived":true}'];

test("a thread is put away when its answer was delivered and stands there, once, over restarts too", async () => {
  const one = scene();
  await ask(one);
  await answer(one);
  await one.settle();
  expect(one.seen).toEqual([]);
  await deliver(one);
  expect(one.seen).toEqual([]);
  one.stand();
  await one.settle();
  expect(one.seen).toEqual(DONE);
  const two = scene({}, one.journal);
  two.stand();
  await two.settle();
  // The owner may have opened it again.
  await two.engine.submit({ type: "channel_read", channel_id: THREAD, through: "200000000000009999" });
  await two.settle();
  expect(two.seen).toEqual([]);
});

test("one that was cut off before it could be put away is put away by the next daemon", async () => {
  const one = scene();
  await ask(one);
  await answer(one);
  await deliver(one);
  const two = scene({}, one.journal);
  two.stand();
  await two.settle();
  expect(two.seen).toEqual(DONE);
});

test("while anything in it is open or not delivered it stays; the last one's end puts it away, and a new question's again", async () => {
  const one = scene();
  one.stand();
  await ask(one);
  await ask(one, NEXT);
  await answer(one);
  await deliver(one);
  expect(one.seen).toEqual([]);
  await one.engine.submit({ type: "void", decision_id: NEXT, why: "withdrawn" });
  await one.settle();
  expect(one.seen).toEqual(DONE);
  await ask(one, "app_20260301_aaa789");
  await answer(one, "app_20260301_aaa789");
  await deliver(one, "app_20260301_aaa789");
  expect(one.seen).toEqual([...DONE, ...DONE]);
});

test.each<[string, Told]>([
  ["somebody else's", { owner_id: "200000000000000009" }],
  ["archived already", { archived: true }],
  ["gone", { fail: new RestFailure("channel_gone", { route: "GET" }) }],
])("a thread that is %s is left as it is, and not looked at again", async (_what, told) => {
  const one = scene(told);
  one.stand();
  await ask(one);
  await answer(one);
  await deliver(one);
  expect(one.seen).toEqual(["GET"]);
  const two = scene(told, one.journal);
  two.stand();
  await two.settle();
  expect(two.seen).toEqual([]);
});

test("what was put away is not mended any more, because that would open its thread again; what is new is", async () => {
  const one = scene();
  one.stand();
  await ask(one);
  const desired = [
    { subject: ID, part: "prompt" },
    { subject: "notice", part: "refused" },
  ] as DesiredPost[];
  const left = (): string[] => stillDesired(one.engine.state, THREAD, desired).map(({ subject }) => subject);
  expect(left()).toEqual([ID, "notice"]);
  await answer(one);
  await deliver(one);
  expect(left()).toEqual(["notice"]);
  await ask(one, NEXT);
  expect(left()).toEqual([ID, "notice"]);
});
