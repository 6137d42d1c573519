/**
 * The listener beside sessions: threads of questions, direct messages and watched channels, live and after we were
 * away.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BotRole } from "../../../src/core/sessions/thread.ts";
import type { RecordedEvent, State } from "../../../src/core/state.ts";
import { listensAt } from "../../../src/discord/intake/listener.ts";
import { ASKED, DIRECT, ListenerScene, OWNER, WATCHED, type SceneOptions, type Spoken } from "./intake-scene.ts";

const stranger = { id: "100000000000000009", username: "mallory", discriminator: "0", global_name: null, avatar: null };

async function open(options: SceneOptions & { questions?: number } = {}): Promise<ListenerScene> {
  const scene = await ListenerScene.open(options);
  await scene.openPlaces({ questions: options.questions ?? 1 });
  return scene;
}

/** Written, and heard as the gateway brings it. */
async function live(scene: ListenerScene, place: string, content: string, over: Partial<Spoken> = {}): Promise<Spoken> {
  await back(scene);
  const message = write(scene, place, content, over);
  scene.listener.message(message);
  await scene.quiet();
  return message;
}

function write(scene: ListenerScene, place: string, content: string, over: Partial<Spoken> = {}): Spoken {
  const message = scene.write({ content, ...over }, place);
  if (place === DIRECT) delete message.guild_id;
  return message;
}

async function back(scene: ListenerScene): Promise<void> {
  scene.listener.catchUp();
  await scene.quiet();
}

const stateOf = (scene: ListenerScene, id = "q1"): unknown => scene.engine.state.decisions[id]?.state;
const inbox = (scene: ListenerScene): string[] => Object.values(scene.engine.state.inbox).map(({ content }) => content);
const pointed = ({ engine: { state } }: ListenerScene): unknown[] => [
  ...Object.values(state.notices).map(({ change }) => change),
  ...Object.values(state.decisions).flatMap(({ typed }) => typed.pointed?.why ?? []),
];

describe.each([
  ["its thread", ASKED],
  ["direct messages", DIRECT],
])("an answer typed in %s", (_, place) => {
  test("counts live, once however often it is told", async () => {
    const scene = await open();
    const message = await live(scene, place, "B");
    scene.listener.message(message);
    await scene.quiet();
    expect([stateOf(scene), scene.engine.state.decisions["q1"]?.answers]).toEqual([
      "answered",
      [{ places: [1], words: null }],
    ]);
    expect(scene.accepted).toEqual([
      [place, message.id, "DecisionAnswered"],
      [place, message.id],
    ]);
    expect([inbox(scene), pointed(scene)]).toEqual([[], []]);
  });

  test("while the daemon was down is found when it is back, and only once", async () => {
    const scene = await open();
    await back(scene);
    await scene.restart();
    write(scene, place, "B");
    await back(scene);
    expect(scene.engine.state.decisions["q1"]?.answers).toEqual([{ places: [1], words: null }]);
    await scene.restart();
    await back(scene);
    expect([stateOf(scene), inbox(scene), pointed(scene)]).toEqual(["answered", [], []]);
  });

  test("and edited while nobody accepted it, says what it says by then", async () => {
    const scene = await open();
    await back(scene);
    await scene.restart();
    scene.edit(write(scene, place, "A"), "B");
    await back(scene);
    expect(scene.engine.state.decisions["q1"]?.answers).toEqual([{ places: [1], words: null }]);
  });

  test("and not understood is asked again, in the words of the journal", async () => {
    const scene = await open();
    await live(scene, place, "A or B");
    expect([stateOf(scene), scene.engine.state.decisions["q1"]?.typed.reasked]).toEqual(["open", 1]);
  });
});

describe("what answers nothing", () => {
  test("goes from a watched channel, and from the thread of a question that is over, into the inbox", async () => {
    const scene = await open();
    await live(scene, WATCHED, "look at the logs");
    await live(scene, ASKED, "A");
    await live(scene, ASKED, "and tell me");
    const all = Object.values(scene.engine.state.inbox);
    expect(all.map(({ content, thread_id }) => [content, thread_id])).toEqual([
      ["look at the logs", null],
      ["and tell me", ASKED],
    ]);
    expect(all[0]).toMatchObject({ channel_id: WATCHED, author: "owner", author_id: OWNER, read: false });
    expect(all[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test("is told in direct messages to mean nothing, and to mean too much", async () => {
    const scene = await open({ questions: 2 });
    await live(scene, DIRECT, "A");
    expect([stateOf(scene), stateOf(scene, "q2"), pointed(scene)]).toEqual(["open", "open", ["which"]]);
    const alone = await open({ questions: 0 });
    await live(alone, DIRECT, "hello?");
    expect([pointed(alone), inbox(alone)]).toEqual([["nothing"], []]);
  });

  test("is found in a watched channel after we were away, in order, without anything older than our first look", async () => {
    const scene = await ListenerScene.open();
    scene.write({ content: "long ago" }, WATCHED);
    await scene.openPlaces();
    write(scene, WATCHED, "one");
    write(scene, WATCHED, "two");
    await back(scene);
    expect(inbox(scene)).toEqual(["one", "two"]);
    await scene.restart();
    write(scene, WATCHED, "three");
    await back(scene);
    expect(inbox(scene)).toEqual(["one", "two", "three"]);
  });

  test("is named with its files, which nobody fetches, and files beside an option are said to be of no use", async () => {
    const attachments = [{ id: "1", filename: "error.log" }] as unknown as Spoken["attachments"];
    const fetched: string[] = [];
    const scene = await open({
      take: async ({ id }) => (
        fetched.push(id),
        { files: [{ path: `/state/uploads/${id}/0-error.log`, sha256: "0a" }], refused: [] }
      ),
    });
    await live(scene, WATCHED, "see this", { attachments });
    expect(inbox(scene)).toEqual(["see this\n[file: error.log]"]);
    expect(fetched).toEqual([]);
    await live(scene, ASKED, "B", { attachments });
    expect(scene.engine.state.decisions["q1"]?.answers).toEqual([{ places: [1], words: null }]);
    expect(Object.values(scene.engine.state.notices).map(({ code, details }) => [code, details["name"]])).toEqual([
      ["E_ATTACHMENT_REFUSED", "error.log"],
    ]);
  });

  test("keeps the names of its files when it is edited, and stays read when Discord only adds a preview or pins it", async () => {
    const attachments = [{ id: "1", filename: "error.log" }] as unknown as Spoken["attachments"];
    const scene = await open();
    const [spoken, silent] = [
      await live(scene, WATCHED, "see this", { attachments }),
      await live(scene, WATCHED, "", { attachments }),
    ];
    await scene.engine.submit({ type: "read_inbox", message_ids: [spoken.id, silent.id] });
    for (const message of [spoken, silent]) scene.listener.edited({ ...message, pinned: true });
    await scene.quiet();
    expect(Object.values(scene.engine.state.inbox).map(({ content, read }) => [content, read])).toEqual([
      ["see this\n[file: error.log]", true],
      ["[file: error.log]", true],
    ]);
    scene.listener.edited({ ...spoken, content: "see that" });
    await scene.quiet();
    expect(Object.values(scene.engine.state.inbox).map(({ content, read }) => [content, read])).toEqual([
      ["see that\n[file: error.log]", false],
      ["[file: error.log]", true],
    ]);
  });
});

describe("a stranger in these places", () => {
  test.each([WATCHED, ASKED])("has no effect (%s)", async (place) => {
    const scene = await open();
    await live(scene, place, "A", { author: stranger });
    write(scene, place, "B", { author: stranger });
    await back(scene);
    expect([stateOf(scene), inbox(scene), pointed(scene)]).toEqual(["open", [], []]);
  });

  test.each([WATCHED, ASKED])("is inbox data where the owner wants that, and never an answer (%s)", async (place) => {
    const scene = await open({ inboxFrom: "anyone" });
    await live(scene, place, "A", { author: stranger });
    expect([stateOf(scene), inbox(scene)]).toEqual(["open", ["A"]]);
    expect(Object.values(scene.engine.state.inbox)[0]?.author_id).toBe(stranger.id);
  });

  test("is nothing in a session's thread, whatever the inbox takes", async () => {
    const scene = await open({ inboxFrom: "anyone" });
    await live(scene, scene.thread, "A", { author: stranger });
    expect([scene.queue(), inbox(scene)]).toEqual([[], []]);
  });
});

test("what another bot listens to belongs to that bot: nothing of it is read or accepted here", async () => {
  const scene = await ListenerScene.open({ threads: 0 });
  await scene.openPlaces({ bot_id: "4" });
  for (const place of [DIRECT, WATCHED, ASKED]) await live(scene, place, "B");
  expect([scene.reads, stateOf(scene), inbox(scene)]).toEqual([[], "open", []]);
});

test("a client's bot listens to no session, not even one that was once opened under it", () => {
  const state = {
    threads: { s: { bot_id: "3" }, q: { bot_id: "3" } },
    sessions: { s: {} },
    projects: {},
    channels: {},
  } as unknown as State;
  const heard = (role: BotRole): string[] => ["s", "q"].filter((id) => listensAt(state, id, { botId: "3", role }));
  expect([heard("serves"), heard("asks")]).toEqual([["s", "q"], ["q"]]);
});

test("a channel that another bot began to watch is read by this one as well once it is asked to, and each message once", async () => {
  const scene = await ListenerScene.open({ threads: 0 });
  await scene.openPlaces({ bot_id: "4", questions: 0 });
  scene.watches.add(WATCHED).add(DIRECT);
  await live(scene, WATCHED, "one");
  await live(scene, DIRECT, "two");
  await scene.restart();
  await back(scene);
  expect([inbox(scene), scene.reads.some((read) => read.startsWith(DIRECT))]).toEqual([["one"], false]);
});

test("an answer that waits is read before the threads in which nobody waits", async () => {
  const scene = await open();
  scene.reads.length = 0;
  await scene.restart();
  await back(scene);
  expect(scene.reads.map((read) => read.split(" ")[0])).toEqual([ASKED, DIRECT, WATCHED, scene.thread]);
});

const PLACES = [ASKED, DIRECT, WATCHED];
const LONG = process.env["BELLHOP_TEST_LONG"] !== undefined;

type Step =
  /** Written; told so often, perhaps only after the next ones. */
  { kind: "write"; place: number; words: number; told: number } | { kind: "lost" | "crash" | "ask" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("write" as const), place: fc.nat(2), words: fc.nat(3), told: fc.nat(3) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("lost" as const, "crash" as const, "ask" as const) }) },
);

/** The message an event stands for. */
function meant(event: RecordedEvent): string[] {
  if (event.type === "InboxReceived") return [event.payload.message_id];
  if (event.type === "MessagePointed") return [event.payload.discord_message_id];
  const { discord_message_id = null } =
    event.type === "DecisionAnswered" || event.type === "DecisionReasked" || event.type === "DecisionAborted"
      ? event.payload
      : {};
  return discord_message_id === null ? [] : [discord_message_id];
}

test("whatever is told twice, late, out of order or not at all, and whenever we are cut off: each message means one thing, once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25, size: "max" }), async (steps) => {
      const scene = await open();
      await back(scene);
      const written: string[] = [];
      const late: Spoken[] = [];
      let questions = 1;
      for (const one of steps) {
        if (one.kind === "write") {
          const message = write(
            scene,
            PLACES[one.place] ?? WATCHED,
            ["A", "b로 해줘", "A or B", "see the logs, please"][one.words] ?? "",
          );
          written.push(message.id);
          if (one.told === 2) late.push(message);
          for (let times = 0; times < one.told; times += 1) scene.listener.message(message);
        } else if (one.kind === "ask") await scene.ask(`q${(questions += 1)}`);
        else {
          if (one.kind === "crash") await scene.restart();
          scene.listener.catchUp();
          for (const message of late.splice(0)) scene.listener.message(message);
        }
      }
      await back(scene);
      const all = scene.events.flatMap(meant);
      expect(all.toSorted()).toEqual(written.toSorted());
    }),
    { numRuns: LONG ? 5_000 : 150 },
  );
});
