/** Which step makes a post as it is wanted, and what follows a refusal: both without a Discord. */
import { expect, test } from "vitest";
import { GROWING, REMOVED, UNKNOWN, type Post } from "../../../src/core/posts/post.ts";
import { emptyState } from "../../../src/core/state.ts";
import type { FailureKind } from "../../../src/discord/api/transport.ts";
import {
  diff,
  memoryOf,
  newShownPosts,
  remedyFor,
  type Memory,
  type Remedy,
  type Step,
  type Tried,
} from "../../../src/discord/delivery/diff.ts";
import { agentBody, hashOf, type DesiredPost } from "../../../src/discord/views/message.ts";
import { T1 } from "../../core/scene.ts";

const SUBJECT = "job_20260226_0001";
const body = agentBody("said");
const hash = hashOf(body);
const old = hashOf(agentBody("before"));
const NOW = 1_000_000;
const MONOTONIC = 5_000;

const show: DesiredPost = {
  subject: SUBJECT,
  part: "end",
  thread_id: T1,
  priority: "result",
  want: { kind: "show", body },
  is: "done",
  since: 0,
};
const growing: DesiredPost = { ...show, is: GROWING, live: true };
const stands: Post = { channel_id: T1, message_id: "1", hash, is: "done" };

function stepOf(desired: DesiredPost, posted: Post | null, known: Partial<Memory> = {}, inherited = false): Step {
  const state = emptyState();
  if (posted) state.posts[SUBJECT] = { [desired.part]: posted };
  const shownPosts = newShownPosts(T1, true);
  Object.assign(memoryOf(shownPosts, desired), known);
  if (inherited) shownPosts.inherited?.set(`${SUBJECT} ${desired.part}`, { after: "0", shape: "" });
  return diff(state, desired, shownPosts, { now: NOW, monotonic: MONOTONIC, editIntervalMs: 1_000 });
}

const refused = { is: "done", times: 1, until: MONOTONIC + 60_000 };
const steps: [name: string, Step["do"], ...Parameters<typeof stepOf>][] = [
  ["a new post", "create", show, null],
  ["one that was taken away", "create", show, { ...stands, message_id: null, is: REMOVED }],
  ["one that stands", "nothing", show, stands],
  ["one that says something else", "edit", show, { ...stands, is: "before", hash: old }],
  ["one whose wording changed", "nothing", show, { ...stands, hash: old }],
  ["one that shows it under another name", "record", show, { ...stands, is: "before" }],
  ["one that may show anything", "edit", show, { ...stands, is: UNKNOWN }],
  ["one that was seen with something else in it", "edit", show, stands, { shown: UNKNOWN }],
  ["one with an edit under way", "edit", show, stands, { edit: { hash, sent: true } }],
  ["one that belongs at the end", "move", { ...show, buried: true }, stands],
  ["one that was given up", "nothing", show, { ...stands, message_id: null }],
  ["one that was given up and must be seen", "create", { ...show, stands: true }, { ...stands, message_id: null }],
  ["the same before it is due", "wait", { ...show, stands: true }, { ...stands, message_id: null }, { refused }],
  [
    "the same with other words",
    "create",
    { ...show, stands: true, is: "x" },
    { ...stands, message_id: null },
    { refused },
  ],
  ["one that is deferred", "wait", { ...show, notBefore: NOW + 1 }, null],
  ["one that is deferred and stands", "nothing", { ...show, notBefore: Infinity }, stands],
  ["one that is deferred and may stand", "create", { ...show, notBefore: Infinity }, null, { triedAt: 0 }],
  ["one that is deferred by a clock since set back", "create", { ...show, since: NOW + 9, notBefore: NOW + 5 }, null],
  ["a growing one", "grow", growing, { ...stands, is: GROWING, hash: old }],
  ["a growing one that grew just now", "wait", growing, { ...stands, is: GROWING }, { sentAt: MONOTONIC - 1 }],
  ["a growing one that shows it", "nothing", growing, { ...stands, is: GROWING }, { shown: hash }],
  ["a growing one that was let go", "nothing", growing, null, { letGo: true }],
  ["one to interrupt", "interrupt", { ...show, want: { kind: "interrupted", line: "x" } }, { ...stands, is: "y" }],
  ["one that is interrupted", "nothing", { ...show, want: { kind: "interrupted", line: "x" } }, stands],
  ["one to interrupt that does not stand", "nothing", { ...show, want: { kind: "interrupted", line: "x" } }, null],
  ["one to remove", "remove", { ...show, want: { kind: "remove" } }, stands],
  ["one to remove that does not stand", "nothing", { ...show, want: { kind: "remove" } }, null],
  ["a grown one to find", "nothing", { ...show, want: { kind: "found", body, grown: true } }, null],
  [
    "a grown one to find that an earlier process may have sent",
    "find",
    { ...show, want: { kind: "found", body, grown: true } },
    null,
    {},
    true,
  ],
  ["one to find", "find", { ...show, want: { kind: "found", body } }, null],
  ["one that was found", "nothing", { ...show, want: { kind: "found", body } }, stands],
];

test.for(steps)("%s: %s", ([, expected, ...of]) => {
  expect(stepOf(...of).do).toBe(expected);
});

test("what must be seen is created again where its thread has lost its place; anything else stays", () => {
  const state = emptyState();
  state.posts[SUBJECT] = { end: stands };
  state.threads[T1] = { place: "owner", channel_id: "2" } as (typeof state.threads)[string];
  const step = (desired: DesiredPost): Step =>
    diff(state, desired, newShownPosts(T1, true), { now: NOW, monotonic: MONOTONIC, editIntervalMs: 0 });
  expect(step({ ...show, stands: true })).toEqual({ do: "create", body, replaces: "1" });
  expect(step(show).do).toBe("nothing");
});

const KINDS = [
  "superseded",
  "unavailable",
  "archived",
  "message_gone",
  "channel_gone",
  "locked",
  "no_access",
  "too_old",
  "rejected",
  "limited",
] as const satisfies FailureKind[];
const refusals: [
  what: string,
  Tried,
  { desired?: Partial<DesiredPost>; memory?: Partial<Memory>; hasFiles?: boolean },
  Remedy[],
][] = [
  [
    "an answer",
    "create",
    {},
    ["again", "again", "unarchive", "burn", "lose_place", "lose_place", "lose_place", "shorten", "shorten", "shorten"],
  ],
  [
    "an answer after three tries",
    "create",
    { memory: { unanswered: 3, burnt: true } },
    [
      "again",
      "shorten",
      "unarchive",
      "give_up",
      "lose_place",
      "lose_place",
      "lose_place",
      "shorten",
      "shorten",
      "shorten",
    ],
  ],
  [
    "an answer with files",
    "create",
    { hasFiles: true },
    ["again", "again", "unarchive", "burn", "lose_place", "lose_place", "shorten", "shorten", "shorten", "shorten"],
  ],
  [
    "a card",
    "create",
    { desired: { priority: "cosmetic" } },
    [
      "again",
      "again",
      "unarchive",
      "give_up",
      "lose_place",
      "lose_place",
      "lose_place",
      "give_up",
      "give_up",
      "give_up",
    ],
  ],
  [
    "a growing answer",
    "create",
    { desired: { live: true } },
    ["again", "again", "unarchive", "burn", "lose_place", "lose_place", "lose_place", "let_go", "let_go", "let_go"],
  ],
  [
    "an edited answer",
    "edit",
    {},
    ["again", "again", "unarchive", "anew", "lose_place", "lose_place", "lose_place", "anew", "shorten", "shorten"],
  ],
  [
    "an edited card",
    "edit",
    { desired: { priority: "cosmetic" } },
    ["again", "again", "unarchive", "give_up", "give_up", "give_up", "give_up", "record", "record", "record"],
  ],
  [
    "a removal",
    "mark",
    { desired: { want: { kind: "remove" } } },
    ["again", "again", "unarchive", "give_up", "give_up", "give_up", "give_up", "give_up", "give_up", "give_up"],
  ],
];

test.for(refusals)("what follows when Discord refuses %s", ([, tried, { desired, memory, hasFiles }, expected]) => {
  const shownPosts = newShownPosts(T1, true);
  const operation = {
    desired: { ...show, ...desired },
    shownPosts,
    priority: "result" as const,
    memory: { ...memoryOf(shownPosts, show), ...memory },
    hash,
  };
  const remedies = KINDS.map((kind) => remedyFor(tried, kind, operation, hasFiles));
  expect(Object.fromEntries(KINDS.map((kind, place) => [kind, remedies[place]]))).toEqual(
    Object.fromEntries(KINDS.map((kind, place) => [kind, expected[place]])),
  );
});
