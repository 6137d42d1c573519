/** Grants: what the owner allows for a session holds for these bytes, there, for a day, until it is taken back. */
import { describe, expect, test } from "vitest";
import { GRANT_MS, liveGrants } from "../../../src/core/decisions/grant.ts";
import { job, message, Scene, SHA, T1, T2 } from "../scene.ts";

const HOUR = 3_600_000;

/** A running job in each of two threads; in the first, its owner has allowed something for the session. */
function granted(): Scene {
  const scene = new Scene().withSessions(T1, T2);
  scene.hear(T1, message(1));
  scene.hear(T2, message(2));
  scene.ask(job(1), "first");
  scene.press("first", [1]);
  return scene;
}

const subject = (tool = "Bash", sha256 = SHA, pages = 1): object => ({
  subject: { tool, title: "ls", sha256, pages, grant_until: "2026-03-27T14:00:00.000Z" },
});
const types = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);
const FREE = ["DecisionAsked", "DecisionAnswered"];
const ASKED = ["DecisionAsked"];

describe("what was allowed for the session is not asked again, and nothing else is allowed by it", () => {
  test.each<[string, (scene: Scene) => readonly { type: string }[], string[]]>([
    ["the same bytes", (scene) => scene.ask(job(1), "second"), FREE],
    ["the same, paged in another way", (scene) => scene.ask(job(1), "second", 9, subject("Bash", SHA, 9)), FREE],
    ["other bytes", (scene) => scene.ask(job(1), "second", 1, subject("Bash", "1".repeat(64))), ASKED],
    ["another tool with the same bytes", (scene) => scene.ask(job(1), "second", 1, subject("Write")), ASKED],
    ["another session", (scene) => scene.ask(job(2), "second"), ASKED],
    ["a plan of the same bytes", (scene) => scene.plan(job(1), "second"), ASKED],
    ["a day later", (scene) => ((scene.now += GRANT_MS), scene.ask(job(1), "second")), ASKED],
    ["just before that", (scene) => ((scene.now += GRANT_MS - 2_000), scene.ask(job(1), "second")), FREE],
    [
      "to the millisecond a day later",
      (scene) => ((scene.now += GRANT_MS - 1_000), scene.ask(job(1), "second")),
      ASKED,
    ],
    ["a year later by the clock", (scene) => ((scene.now += 365 * 24 * HOUR), scene.ask(job(1), "second")), ASKED],
    ["a year earlier by the clock", (scene) => ((scene.now -= 365 * 24 * HOUR), scene.ask(job(1), "second")), ASKED],
    ["after a restart", (scene) => (scene.crash(9), scene.ask(job(1), "second")), FREE],
    [
      "while its agent takes no yes",
      (scene) =>
        scene.ask(job(1), "second", 1, {
          subject: {
            tool: "Bash",
            title: "ls",
            sha256: SHA,
            pages: 1,
            grant_until: "2026-03-27T14:00:00.000Z",
            no_yes: true,
          },
        }),
      ASKED,
    ],
    [
      "after it was taken back",
      (scene) => (scene.do({ type: "revoke_grant", thread_id: T1, decision_id: "first" }), scene.ask(job(1), "second")),
      ASKED,
    ],
  ])("%s", (_name, ask, happens) => {
    const scene = granted();
    expect(types(ask(scene))).toEqual(happens);
    const second = scene.state.decisions["second"];
    expect(second?.state === "answered" ? second.settled_by : null).toBe(happens === FREE ? "grant" : null);
    scene.checkReplay();
  });
});

test("neither once nor no is for the session", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  for (const [index, place] of [0, 2].entries()) {
    scene.ask(job(1), `d_${index}`);
    scene.press(`d_${index}`, [place]);
  }
  expect(scene.state.grants).toEqual({});
  expect(types(scene.ask(job(1), "third"))).toEqual(ASKED);
});

test("it holds for a day from the owner's word on, however long that took", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.ask(job(1), "first");
  scene.now += 3 * GRANT_MS;
  scene.press("first", [1]);
  const [grant] = scene.state.grants[T1] ?? [];
  expect(Date.parse(grant?.until ?? "") - Date.parse(grant?.at ?? "")).toBe(GRANT_MS);
  expect(types(scene.ask(job(1), "second"))).toEqual(FREE);
});

test("being used does not prolong it, a later word for the same takes its place, and what is past leaves with the next", () => {
  const scene = granted();
  const until = scene.state.grants[T1]?.[0]?.until;
  scene.now += HOUR;
  scene.ask(job(1), "second");
  expect(scene.state.grants[T1]?.map((one) => [one.decision_id, one.until])).toEqual([["first", until]]);
  scene.now += GRANT_MS;
  scene.ask(job(1), "third", 1, {
    subject: {
      tool: "Write",
      title: "a.txt",
      sha256: SHA,
      pages: 1,
      grant_until: new Date(scene.now + GRANT_MS).toISOString(),
    },
  });
  scene.press("third", [1]);
  expect(scene.state.grants[T1]?.map(({ decision_id }) => decision_id)).toEqual(["third"]);
  scene.checkReplay();
});

test("one that there is not, or no more, cannot be taken back, and of two the other stays", () => {
  const scene = granted();
  scene.ask(job(1), "other", 1, subject("Write"));
  scene.press("other", [1]);
  expect(() => scene.do({ type: "revoke_grant", thread_id: T2, decision_id: "first" })).toThrow(
    expect.objectContaining({ code: "E_DECISION_CLOSED" }),
  );
  scene.do({ type: "revoke_grant", thread_id: T1, decision_id: "first" });
  expect(liveGrants(scene.state, T1, new Date(scene.now).toISOString()).map(({ tool }) => tool)).toEqual(["Write"]);
  expect(() => scene.do({ type: "revoke_grant", thread_id: T1, decision_id: "first" })).toThrow();
  scene.do({ type: "revoke_grant", thread_id: T1, decision_id: "other" });
  expect(scene.state.grants).toEqual({});
});

test("a crash that keeps the question and loses that it was allowed leaves it to the owner", () => {
  const scene = granted();
  scene.ask(job(1), "second");
  scene.crash(1);
  expect(scene.state.decisions["second"]?.state).toBe("open");
  scene.do({ type: "restart" });
  expect(scene.state.decisions["second"]?.state).toBe("void");
});

test("it ends with its session, and does not come back with it", () => {
  const scene = granted();
  scene.finish(job(1));
  scene.do({ type: "close_session", thread_id: T1, by: "owner" });
  expect(scene.state.grants).toEqual({});
  scene.do({ type: "reopen_session", thread_id: T1 });
  scene.hear(T1, message(3));
  expect(types(scene.ask(job(3), "second"))).toEqual(ASKED);
});

test("a yes for a session that has ended meanwhile is not kept for it", () => {
  const scene = new Scene().withSessions(T1);
  scene.do({ type: "begin_outside_turn", turn_id: "turn_1", thread_id: T1, tool: "claude", origin: "background" });
  scene.ask("none", "first", 1, { thread_id: T1, asker: { by: "turn", turn_id: "turn_1", request_id: "r" } });
  scene.do({ type: "close_session", thread_id: T1, by: "owner" });
  scene.press("first", [1]);
  expect(scene.state.decisions["first"]?.state).toBe("answered");
  expect(scene.state.grants).toEqual({});
});
