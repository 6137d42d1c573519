/**
 * The inbox: what belongs to no session and answers nothing is kept for an agent, once, and is never more than data.
 */
import { describe, expect, test } from "vitest";
import { KEPT_ENTRIES, type InboxMessage } from "../../../src/core/inbox/inbox.ts";
import { message, Scene, T1 } from "../scene.ts";

const WATCHED = "100000000000000500";
const DIRECT = "100000000000000600";
const ASKED = "100000000000000700";
const from = {
  author: "ada",
  author_id: "100000000000000001",
  timestamp: "2026-02-26T14:00:00Z",
  content: "look at the logs",
};

function watching(): Scene {
  const scene = new Scene().withSessions(T1);
  scene.do({
    type: "open_channel",
    channel_id: WATCHED,
    guild_id: "3",
    bot_id: "4",
    kind: "watched",
    since: message(0),
  });
  scene.do({
    type: "open_channel",
    channel_id: DIRECT,
    guild_id: null,
    bot_id: "4",
    kind: "direct",
    since: message(0),
  });
  scene.question("q1", ["Deploy?"]);
  scene.do({
    type: "place_decision",
    decision_id: "q1",
    thread_id: ASKED,
    channel_id: "9",
    guild_id: "3",
    bot_id: "4",
    since: message(0),
  });
  return scene;
}

const hear = (scene: Scene, thread_id: string, number: number, prompt = "look at the logs"): string[] =>
  scene.types({
    type: "hear",
    thread_id,
    discord_message_id: message(number),
    prompt,
    files: [],
    refused_files: [],
    reply_to: null,
    from,
  });

const receive = (scene: Scene, place_id: string, number: number): string[] =>
  scene.types({ type: "receive", place_id, message_id: message(number), ...from, content: "hello" });

const inbox = (scene: Scene): InboxMessage[] => Object.values(scene.state.inbox);

describe("what the owner writes", () => {
  test("in a watched channel is kept with the documented fields, once however often it is delivered", () => {
    const scene = watching();
    expect(hear(scene, WATCHED, 1)).toEqual(["InboxReceived"]);
    expect(hear(scene, WATCHED, 1)).toEqual([]);
    expect(inbox(scene)).toEqual([
      { message_id: message(1), channel_id: WATCHED, thread_id: null, ...from, read: false },
    ]);
    scene.checkReplay();
  });

  test("and changes afterwards is changed in the inbox, to be read again; what he deletes is gone from it", () => {
    const scene = watching();
    hear(scene, WATCHED, 1);
    scene.do({ type: "read_inbox", message_ids: [message(1)] });
    const edit = (prompt: string, thread_id = WATCHED): string[] =>
      scene.types({ type: "edit_message", thread_id, discord_message_id: message(1), prompt });
    expect(edit("look at the logs")).toEqual([]);
    expect(inbox(scene)).toMatchObject([{ read: true }]);
    // Told of another place, it is another message.
    expect(edit("look elsewhere", DIRECT)).toEqual([]);
    expect(edit("look at the other logs")).toEqual(["InboxEdited"]);
    expect(inbox(scene)).toMatchObject([{ content: "look at the other logs", read: false }]);
    expect(scene.types({ type: "delete_message", thread_id: WATCHED, discord_message_id: message(1) })).toEqual([
      "InboxCleared",
    ]);
    expect(inbox(scene)).toEqual([]);
    scene.checkReplay();
  });

  test("under an open question is its answer and no inbox message; after it, it is one, with its thread", () => {
    const scene = watching();
    expect(hear(scene, ASKED, 1, "A")).toEqual(["DecisionAnswered"]);
    expect(hear(scene, ASKED, 2)).toEqual(["InboxReceived"]);
    expect(inbox(scene).map(({ channel_id, thread_id }) => [channel_id, thread_id])).toEqual([["9", ASKED]]);
  });

  test("in a session's thread is a job, and never an inbox message as well", () => {
    const scene = watching();
    expect(hear(scene, T1, 1)).toEqual(["JobEnqueued", "JobStarted"]);
    expect(inbox(scene)).toEqual([]);
  });

  test("in direct messages where nothing is open is said to mean nothing, and kept nowhere", () => {
    const scene = watching();
    hear(scene, DIRECT, 1, "A");
    expect(scene.state.decisions["q1"]?.state).toBe("answered");
    expect(hear(scene, DIRECT, 2)).toEqual(["MessagePointed"]);
    expect(Object.values(scene.state.notices).map(({ change }) => change)).toEqual(["nothing"]);
    expect(inbox(scene)).toEqual([]);
  });
});

describe("what anybody else writes", () => {
  test("is inbox data even under an open question, whatever it says", () => {
    const scene = watching();
    const asked = structuredClone(scene.state.decisions["q1"]);
    const answer = { type: "receive", place_id: ASKED, message_id: message(1), ...from, content: "A" } as const;
    expect(scene.types(answer)).toEqual(["InboxReceived"]);
    expect(scene.state.decisions["q1"]).toEqual(asked);
    scene.checkReplay();
  });

  test.each([
    ["a session's thread", T1],
    ["direct messages", DIRECT],
    ["a place we do not know", "100000000000000999"],
  ])("in %s is nothing at all", (_, place) => {
    const scene = watching();
    expect(receive(scene, place, 1)).toEqual([]);
  });

  test("told again is received once, also once it was cleared", () => {
    const scene = watching();
    expect(receive(scene, WATCHED, 1)).toEqual(["InboxReceived"]);
    expect(receive(scene, WATCHED, 1)).toEqual([]);
    scene.do({ type: "clear_inbox", message_ids: [message(1)] });
    expect(receive(scene, WATCHED, 1)).toEqual([]);
    expect(inbox(scene)).toEqual([]);
  });
});

test("reading marks, clearing takes away, and neither says anything of messages that are not there", () => {
  const scene = watching();
  for (const number of [1, 2]) receive(scene, WATCHED, number);
  expect(scene.types({ type: "read_inbox", message_ids: [message(1), message(9)] })).toEqual(["InboxRead"]);
  expect(scene.types({ type: "read_inbox", message_ids: [message(1)] })).toEqual([]);
  expect(inbox(scene).map(({ read }) => read)).toEqual([true, false]);
  expect(scene.types({ type: "clear_inbox", message_ids: [message(1)] })).toEqual(["InboxCleared"]);
  expect(scene.types({ type: "clear_inbox", message_ids: [message(1)] })).toEqual([]);
  expect(inbox(scene).map(({ message_id }) => message_id)).toEqual([message(2)]);
  scene.checkReplay();
});

test("what is kept is bounded: read ones leave first, then the oldest, and what left does not come back", () => {
  const scene = watching();
  for (let number = 0; number < KEPT_ENTRIES; number += 1) receive(scene, WATCHED, number + 1);
  scene.do({ type: "read_inbox", message_ids: [message(2)] });
  receive(scene, WATCHED, KEPT_ENTRIES + 1);
  expect([inbox(scene).length, scene.state.inbox[message(1)] !== undefined, scene.state.inbox[message(2)]]).toEqual([
    KEPT_ENTRIES,
    true,
    undefined,
  ]);
  receive(scene, WATCHED, KEPT_ENTRIES + 2);
  expect([inbox(scene).length, scene.state.inbox[message(1)]]).toEqual([KEPT_ENTRIES, undefined]);
  expect(receive(scene, WATCHED, 1)).toEqual([]);
  scene.checkReplay();
});
