/**
 * What is found by an index is what a walk of the record finds, in its order, whatever happened to it since it was
 * built.
 */
import { deepEqual, ok } from "node:assert/strict";
import { expect, test } from "vitest";
import {
  askedFor,
  askedLike,
  decisionsIn,
  isOpen,
  openDecisions,
  openOf,
  countOpenOfAsker,
  settledBeside,
} from "../../src/core/decisions/decision.ts";
import { emptyState, type State } from "../../src/core/state.ts";
import { follow, indexed, putLast, remove } from "../../src/core/indexed.ts";
import { isOfWork, subjectsAt } from "../../src/core/posts/post.ts";
import { waitingSessions } from "../../src/core/sessions/session.ts";
import { handledIn } from "../../src/core/inbox/redelivered-messages.ts";
import { busyThreads, firstThread, noticesIn, parkedThreads, threadsOf } from "../../src/core/sessions/thread.ts";
import { always, decisionHistory, history } from "./history.ts";

/** The very same ones, in the same order. */
function same<T>(found: readonly T[], walked: readonly T[]): void {
  if (found.length !== walked.length || found.some((one, at) => one !== walked[at])) deepEqual(found, walked);
  ok(
    found.every((one, at) => one === walked[at]),
    "it is another one of the same content",
  );
}

test("decisions are found by thread, asker and project as a walk finds them, after every step of every history", () => {
  always(
    () =>
      ({ state }) => {
        const all = Object.values(state.decisions);
        same(openDecisions(state), all.filter(isOpen));
        same(
          decisionsIn(state, null),
          all.filter(({ thread_id }) => thread_id === null),
        );
        for (const id of new Set(all.map(({ thread_id }) => thread_id)))
          same(
            decisionsIn(state, id),
            all.filter(({ thread_id }) => thread_id === id),
          );
        for (const one of all) {
          same(
            askedLike(state, one).filter((other) => other === one),
            [one],
          );
          if (one.asker.by === "mcp")
            same(
              askedFor(state, one.asker.project).filter((other) => other === one),
              [one],
            );
          if (!isOpen(one))
            same(
              settledBeside(state, one),
              all.filter(
                (other) =>
                  !isOpen(other) &&
                  other.asker.by === one.asker.by &&
                  (one.asker.by !== "job" || other.thread_id === one.thread_id),
              ),
            );
          if (one.asker.by !== "job") continue;
          const { job_id } = one.asker;
          const ofJob = all.filter(
            (other) => isOpen(other) && other.asker.by === "job" && other.asker.job_id === job_id,
          );
          same(openOf(state, job_id), ofJob);
          deepEqual(countOpenOfAsker(state, one), {
            open: ofJob.length,
            awaited: ofJob.filter((other) => other.state === "open").length,
          });
        }
      },
    decisionHistory,
  );
});

test("threads, queues, notices, handled messages and posts are found as a walk finds them, after every step of every history", () => {
  for (const over of [history, decisionHistory])
    always(
      () =>
        ({ state }) =>
          looksRight(state),
      over,
    );
});

function looksRight(state: State): void {
  const threads = Object.values(state.threads);
  same(
    busyThreads(state),
    threads.filter(({ busy_job }) => busy_job !== null),
  );
  same(
    parkedThreads(state),
    threads.filter(({ wait }) => wait !== null),
  );
  same(
    waitingSessions(state),
    Object.values(state.sessions).filter(({ queue }) => queue.length > 0),
  );
  for (const { bot_id } of threads)
    ok(firstThread(state, bot_id) === threads.find((one) => one.bot_id === bot_id), "it is not the first one");
  for (const { thread_id: id, channel_id } of threads) {
    same(
      threadsOf(state, channel_id),
      threads.filter((one) => one.channel_id === channel_id),
    );
    same(
      noticesIn(state, id),
      Object.values(state.notices).filter(({ thread_id }) => thread_id === id),
    );
    same(
      handledIn(state, id),
      Object.keys(state.dedupe)
        .filter((key) => key.startsWith(`${id}:`))
        .map((key) => key.slice(id.length + 1)),
    );
  }
  for (const [subject, parts] of Object.entries(state.posts)) {
    if (isOfWork(subject)) continue;
    for (const { message_id } of Object.values(parts))
      if (message_id !== null) ok(subjectsAt(state.posts, message_id).includes(subject), subject);
  }
}

test("an index follows what is put last, changed and removed", () => {
  const record: Record<string, { of: string }> = { a: { of: "x" }, b: { of: "y" }, c: { of: "x" } };
  const index = indexed(record, ({ of }) => [of]);
  expect([index.idsOf("x"), index.idsOf("y"), index.count("x"), index.first("x")]).toEqual([["a", "c"], ["b"], 2, "a"]);
  putLast(record, "a", { of: "x" });
  record["b"] = { of: "x" };
  follow(record, "b");
  expect([index.idsOf("x"), index.idsOf("y"), index.first("x"), index.first("y")]).toEqual([
    ["b", "c", "a"],
    [],
    "c",
    undefined,
  ]);
  remove(record, "c");
  expect(index.idsOf("x")).toEqual(["b", "a"]);
  expect(indexed(record, ({ of }) => [of])).toBe(index);
});

test("an index is in no snapshot, no copy and no comparison", () => {
  const state = emptyState();
  const before = JSON.stringify(state);
  const copy = structuredClone(state);
  openDecisions(state);
  expect(JSON.stringify(state)).toBe(before);
  expect(state).toEqual(copy);
  expect(Object.getOwnPropertySymbols(structuredClone(state).decisions)).toEqual([]);
});

test("of a record that cannot be changed an answer is still had", () => {
  expect(openDecisions({ ...emptyState(), decisions: Object.freeze({}) })).toEqual([]);
});
