/**
 * What the owner writes to a prompt before it is recorded where that stands answers it as soon as it is, and nothing
 * else.
 */
import { describe, expect, test } from "vitest";
import { inboxFile } from "../../src/core/inbox/inbox-file.ts";
import { CHANNEL, job, message, Scene, T1, T2 } from "./scene.ts";

const D = "app_20260226_0a1b2c";
const PROMPT = message(10);
const types = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);
const record = (scene: Scene, part: string, channel_id: string, message_id = PROMPT): string[] =>
  scene.types({ type: "record_post", subject: D, part, channel_id, message_id, hash: "h", is: "said" });

/** A watched channel, and a question that has its thread. */
function asked(): Scene {
  const scene = new Scene().withSessions(T1);
  scene.do({
    type: "open_channel",
    channel_id: CHANNEL,
    guild_id: "3",
    bot_id: "4",
    kind: "watched",
    since: message(0),
  });
  scene.question(D, ["When?"]);
  scene.place(D, T2);
  return scene;
}

describe("a reply in the channel to a prompt that is not recorded yet", () => {
  test.each(["prompt", "reminder:1", "above:1"])("is in the inbox, and answers with the record of %s", (part) => {
    const scene = asked();
    scene.do({ type: "lose_thread", thread_id: T2, place: "thread", code: "E_THREAD_ACCESS_FAILED" });
    expect(types(scene.reply(CHANNEL, message(20), "B", PROMPT))).toEqual(["InboxReceived"]);
    expect(Object.keys(inboxFile(scene.state).messages[0] ?? {})).toEqual([
      "message_id",
      "channel_id",
      "thread_id",
      "author",
      "author_id",
      "content",
      "timestamp",
      "read",
    ]);
    expect(record(scene, part, CHANNEL)).toEqual(["PostRecorded", "DecisionAnswered", "InboxCleared"]);
    expect(scene.state.decisions[D]).toMatchObject({
      state: "answered",
      answers: [{ places: [1], words: null }],
      settled_by: "words",
    });
    expect(scene.state.inbox).toEqual({});
    expect(scene.reply(CHANNEL, message(20), "B", PROMPT)).toEqual([]);
    scene.checkReplay();
  });

  test("is asked again where it is not understood, and keeps the question open where it wants time", () => {
    for (const [text, happens] of [
      ["not A", "DecisionReasked"],
      ["let me think", "DecisionKeptOpen"],
    ] as const) {
      const scene = asked();
      scene.reply(CHANNEL, message(20), text, PROMPT);
      expect(record(scene, "prompt", CHANNEL)).toEqual(["PostRecorded", happens, "InboxCleared"]);
    }
  });

  test("is no answer once an agent has read it in the inbox, or where it replies to another message, or is somebody else's", () => {
    const read = asked();
    read.reply(CHANNEL, message(20), "B", PROMPT);
    read.do({ type: "read_inbox", message_ids: [message(20)] });
    const other = asked();
    other.reply(CHANNEL, message(20), "B", message(9));
    const none = asked();
    none.hear(CHANNEL, message(20), "B");
    const guest = asked();
    guest.do({
      type: "receive",
      place_id: CHANNEL,
      message_id: message(20),
      author: "guest",
      author_id: "6",
      timestamp: "2026-02-26T14:00:00Z",
      content: "B",
      ...{ reply_to: PROMPT },
    });
    for (const scene of [read, other, none, guest]) {
      expect(record(scene, "prompt", CHANNEL)).toEqual(["PostRecorded"]);
      expect(Object.keys(scene.state.inbox)).toHaveLength(1);
    }
  });
});

test("a reply to the announcement before the question has its thread answers it with its place", () => {
  const scene = new Scene().withSessions(T1);
  scene.do({
    type: "open_channel",
    channel_id: CHANNEL,
    guild_id: "3",
    bot_id: "4",
    kind: "watched",
    since: message(0),
  });
  scene.question(D, ["When?"]);
  scene.reply(CHANNEL, message(20), "A", T2);
  expect(record(scene, "announcement", CHANNEL, T2)).toEqual(["PostRecorded"]);
  const placed = scene.place(D, T2);
  expect(types(placed)).toEqual(["DecisionPlaced", "DecisionAnswered", "InboxCleared"]);
  expect(placed[1]?.payload).toMatchObject({ thread_id: T2 });
  expect(scene.state.decisions[D]).toMatchObject({ state: "answered", thread_id: T2 });
  scene.checkReplay();
});

test("in a session a reply to the second prompt, before that is recorded, answers the second and not the first", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  const asker = (request_id: string) => ({ thread_id: T1, asker: { by: "job" as const, job_id: job(1), request_id } });
  scene.question("first", ["When?"], null, asker("first"));
  scene.show("first", message(9));
  scene.question(D, ["Where?"], null, asker(D));
  expect(types(scene.reply(T1, message(20), "B", PROMPT))).toEqual(["JobEnqueued"]);
  expect(record(scene, "prompt", T1)).toEqual(["PostRecorded", "DecisionAnswered", "JobCancelled"]);
  expect([scene.state.decisions["first"]?.state, scene.state.decisions[D]?.state]).toEqual(["open", "answered"]);
  expect(types(scene.reply(T1, message(21), "A", message(9)))).toEqual(["DecisionAnswered"]);
  scene.checkReplay();
});

describe("what is written below a session's prompt before that is recorded", () => {
  const asking = (...texts: [number, string][]): Scene => {
    const scene = new Scene().withSessions(T1);
    scene.hear(T1, message(1));
    scene.question(D, ["When?"], null, { thread_id: T1, asker: { by: "job", job_id: job(1), request_id: D } });
    for (const [number, text] of texts) expect(types(scene.hear(T1, message(number), text))).toEqual(["JobEnqueued"]);
    return scene;
  };

  test("waits as a job, and is its answer once it is", () => {
    const scene = asking([20, "when the tests are green"], [21, "and then push"]);
    expect(record(scene, "prompt", T1)).toEqual(["PostRecorded", "DecisionAnswered", "JobCancelled"]);
    expect(scene.state.decisions[D]?.answers).toEqual([{ places: [], words: "when the tests are green" }]);
    expect(scene.state.sessions[T1]?.queue).toEqual([job(3)]);
    scene.checkReplay();
  });

  test.each([
    ["not A", "DecisionReasked", "unclear"],
    ["let me think", "DecisionKeptOpen", "answer"],
    ["when the tests are green", "DecisionAnswered", "answer"],
  ] as const)("%s leads to %s, and is remembered so", (text, happens, heard_as) => {
    const scene = asking([20, text]);
    expect(record(scene, "prompt", T1)).toEqual(["PostRecorded", happens, "JobCancelled"]);
    expect(scene.state.runs[job(2)]?.heard_as).toBe(heard_as);
    scene.checkReplay();
  });

  test("and above it stays a job", () => {
    const scene = asking([9, "A"]);
    expect(record(scene, "prompt", T1)).toEqual(["PostRecorded"]);
    expect(scene.state.sessions[T1]?.queue).toEqual([job(2)]);
  });
});

test("a reply to a prompt that is not recorded yet allows nothing once its writer has edited or deleted it", () => {
  for (const prompt of ["no, wait", null]) {
    const scene = new Scene().withSessions(T1);
    scene.hear(T1, message(1));
    scene.ask(job(1), D);
    expect(types(scene.reply(T1, message(20), "yes", PROMPT))).toEqual(["MessagePointed"]);
    scene.do(
      prompt === null
        ? { type: "delete_message", thread_id: T1, discord_message_id: message(20) }
        : { type: "edit_message", thread_id: T1, discord_message_id: message(20), prompt },
    );
    expect(record(scene, "prompt", T1)).toEqual(["PostRecorded"]);
    expect(scene.state.decisions[D]?.state).toBe("open");
    scene.checkReplay();
  }
});
