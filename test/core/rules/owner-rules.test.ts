/** The owner's rules: what they settle, how long they hold, and what ends them. */
import { describe, expect, test } from "vitest";
import { digestOf } from "../../../src/base/digest.ts";
import type { AskCommand } from "../../../src/core/decisions/decision.ts";
import type { RuleFacts, RuleScope, StandingRule } from "../../../src/core/rules/judge.ts";
import { liveRules, rulesFor, type OwnerRule } from "../../../src/core/rules/owner-rules.ts";
import { job, message, Scene, T1, T2 } from "../scene.ts";

const DAY = 24 * 3_600_000;
const ROOT = "/srv/app";
const RULE = "rule_20260226_00000000000000000000000000000001";

const bytesOf = (command: string): string => JSON.stringify({ tool: "Bash", input: { command } });
const subjectOf = (command: string): NonNullable<AskCommand["subject"]> => ({
  ...{ tool: "Bash", title: command, sha256: digestOf(bytesOf(command)), pages: 1, cwd: ROOT, rules: true },
  grant_until: "2026-03-27T14:00:00.000Z",
});

interface Made {
  command?: string;
  effect?: StandingRule["effect"];
  by?: RuleScope["by"];
  rule_id?: string;
  decision_id?: string;
  running?: string;
}

/** The owner makes a rule for exactly this, at its prompt. */
function made(scene: Scene, { command = "ls", effect = "allow", by = "thread", ...ids }: Made = {}): string[] {
  const { rule_id = RULE, decision_id = "first", running = job(1) } = ids;
  const subject = subjectOf(command);
  scene.ask(running, decision_id, 1, { subject });
  return scene.types({
    ...{ type: "add_rule", rule_id, effect, by, root: ROOT, decision_id, author_id: "9", sha256: subject.sha256 },
    cover: { family: "exact", tool: "Bash", sha256: subject.sha256, cwd: ROOT },
  });
}

/** A running job in each of two threads, and a rule made in the first. */
function ruled(rule?: Made): Scene {
  const scene = new Scene().withSessions(T1, T2);
  scene.hear(T1, message(1));
  scene.hear(T2, message(2));
  made(scene, rule);
  return scene;
}

/** It is asked with what the machine knows; resolves with what came of it. */
function asked(scene: Scene, command = "ls", running = job(1), facts: Partial<RuleFacts> = {}): string {
  const ask = scene.askCommand(running, "second", 1, { subject: subjectOf(command) });
  const where = { thread_id: ask.thread_id, project: "app", root: ROOT, cwd: ROOT };
  scene.do({
    ...{ type: "ask_by_rules", ask, bytes: bytesOf(command) },
    facts: { ...where, real: new Map(), files: new Set<string>(), definition: null, ...facts },
  });
  const second = scene.state.decisions["second"];
  if (second?.state !== "answered") return second?.state ?? "not asked";
  return `${second.settled_by} ${second.answers[0]?.places.join() === "2" ? "denied" : "allowed"}`;
}

const later =
  (days: number) =>
  (scene: Scene): void =>
    void (scene.now += days * DAY);

describe("what a rule settles", () => {
  test.each<[string, Made, Parameters<typeof asked> extends [Scene, ...infer Rest] ? Rest : never, string]>([
    ["the same", {}, [], "rule allowed"],
    ["another command", {}, ["ls -a"], "open"],
    ["the same in another thread", {}, ["ls", job(2)], "open"],
    ["the same in another thread of the project", { by: "project" }, ["ls", job(2)], "rule allowed"],
    ["the same in another project", { by: "project" }, ["ls", job(2), { project: "other" }], "open"],
    ["the same in another folder", {}, ["ls", job(1), { cwd: "/srv/app/lib" }], "open"],
    ["the same in another checkout", {}, ["ls", job(1), { root: "/srv/other" }], "open"],
    ["while something that has changed waits", {}, ["ls", job(1), { root: null }], "open"],
    ["what is never allowed", { effect: "deny" }, [], "rule denied"],
    ["what is never allowed, while something waits", { effect: "deny" }, ["ls", job(1), { root: null }], "rule denied"],
  ])("%s", (_name, rule, rest, comes) => {
    const scene = ruled(rule);
    expect(asked(scene, ...rest)).toBe(comes);
    scene.checkReplay();
  });

  test("a no wins over a yes, and over a yes for the session", () => {
    const scene = ruled();
    made(scene, {
      effect: "deny",
      by: "project",
      rule_id: `${RULE.slice(0, -1)}2`,
      decision_id: "no",
      running: job(2),
    });
    expect(asked(scene)).toBe("rule denied");
    const other = new Scene().withSessions(T1, T2);
    other.hear(T1, message(1));
    other.hear(T2, message(2));
    other.ask(job(1), "session", 1, { subject: subjectOf("ls") });
    other.press("session", [1]);
    made(other, { effect: "deny", by: "project", running: job(2) });
    expect(asked(other)).toBe("rule denied");
  });

  test("another agent in the thread is asked", () => {
    const scene = ruled();
    scene.finish(job(1));
    scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
    scene.hear(T1, message(3));
    expect(asked(scene, "ls", job(3))).toBe("open");
  });

  test("its job counts it, and the rule its use", () => {
    const scene = ruled();
    asked(scene);
    expect(scene.state.runs[job(1)]?.by_rules).toEqual({ allowed: 1, denied: 0 });
    expect(scene.state.rules[RULE]).toMatchObject({ used: 1, last_used: scene.events.at(-1)?.ts });
  });
});

test("a rule that denies ends only when it is removed: it may never be used because it is there", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const rule = { effect: "deny", at, last_used: null } as OwnerRule;
  expect(liveRules({ rules: { rule } }, "2027-01-01T00:00:00.000Z")).toEqual([rule]);
  expect(liveRules({ rules: { rule: { ...rule, effect: "allow" } } }, "2027-01-01T00:00:00.000Z")).toEqual([]);
});

describe("how long it holds", () => {
  test.each<[string, (scene: Scene) => unknown, boolean]>([
    ["29 days later", later(29), true],
    ["30 days later", later(30), false],
    ["30 days later, used meanwhile", (scene) => (later(20)(scene), asked(scene), later(10)(scene)), true],
    ["after a restart", (scene) => scene.crash(9), true],
    ["once it is removed", (scene) => scene.do({ type: "remove_rule", rule_id: RULE }), false],
    ["once it was locked", (scene) => scene.do({ type: "lock", by: "discord" }), false],
    ["in a closed session", (scene) => scene.do({ type: "close_session", thread_id: T1, by: "owner" }), true],
    [
      "once its project is gone",
      (scene) => {
        scene.do({ type: "projects_saved", names: ["app"] });
        scene.do({ type: "adopt_projects", projects: [] });
      },
      false,
    ],
    [
      "once its session is forgotten",
      (scene) => {
        scene.finish(job(1));
        scene.do({ type: "forget_session", thread_id: T1 });
      },
      false,
    ],
  ])("%s", (_name, happens, holds) => {
    const scene = ruled({ by: "project" });
    happens(scene);
    const at = new Date(scene.now).toISOString();
    expect(liveRules(scene.state, at).map(({ rule_id }) => rule_id)).toEqual(holds ? [RULE] : []);
    scene.checkReplay();
  });

  test("one that denies outlives a lock", () => {
    const scene = ruled({ effect: "deny" });
    scene.do({ type: "lock", by: "discord" });
    expect(Object.keys(scene.state.rules)).toEqual([RULE]);
  });

  test("what has ended leaves the state with the next rule that is made", () => {
    const scene = ruled();
    later(31)(scene);
    made(scene, { rule_id: "rule_2", decision_id: "third", running: job(2) });
    expect(Object.keys(scene.state.rules)).toEqual(["rule_2"]);
  });
});

describe("how it is made", () => {
  test("with the answer to its prompt, once", () => {
    const scene = new Scene().withSessions(T1);
    scene.hear(T1, message(1));
    expect(made(scene)).toEqual(["RuleAdded", "DecisionAnswered"]);
    expect(scene.state.decisions["first"]).toMatchObject({ state: "answered", settled_by: "press", rule_id: RULE });
    expect(() => made(scene, { rule_id: "rule_2" })).toThrow(expect.objectContaining({ code: "E_DECISION_CLOSED" }));
  });

  test.each<[string, Partial<AskCommand>]>([
    ["of which not all was shown", { subject: { ...subjectOf("ls"), pages: 2 } }],
    ["of other bytes", { subject: { ...subjectOf("ls"), sha256: "1".repeat(64) } }],
    ["that takes no yes", { subject: { ...subjectOf("ls"), no_yes: true } }],
    ["a plan", { kind: "plan" }],
  ])("never from a prompt %s", (_name, change) => {
    const scene = new Scene().withSessions(T1);
    scene.hear(T1, message(1));
    scene.ask(job(1), "first", 1, change);
    expect(() => made(scene)).toThrow(expect.objectContaining({ code: "E_DECISION_CLOSED" }));
    expect(scene.state.rules).toEqual({});
  });

  test("a rule that is not there is not removed", () => {
    const scene = ruled();
    expect(() => scene.do({ type: "remove_rule", rule_id: "rule_2" })).toThrow();
    expect(
      rulesFor(
        scene.state,
        { thread_id: T1, asker: { by: "job", job_id: job(1), request_id: "r" } },
        "2026-02-27T00:00:00.000Z",
      ),
    ).toHaveLength(1);
  });
});
