/** What is answered in Discord and in the terminal, in the same moment or late: what counted is what is said. */
import { expect, test } from "vitest";
import { PERMISSION } from "../../../../src/core/decisions/may-answer.ts";
import type { HookPayload } from "../../../../src/protocol/hooks.ts";
import { bash, decision, open, payload, pressed, RAN } from "./hook-asking-scene.ts";

test("an answer that comes when the dialog has been answered allows nothing, for the session neither, and says that the terminal was first", async () => {
  const scene = await open();
  const call = scene.ask(bash);
  const asked = await scene.asked();
  scene.noDialog();
  await scene.press(asked, pressed(PERMISSION.session));
  expect(await call.told).toBeNull();
  const [settled] = scene.decisions();
  if (settled?.state !== "void") throw new Error("it is not void");
  expect(settled).toMatchObject({ state: "void", voided: "terminal", answers: [null] });
  expect(settled).not.toHaveProperty("settled_by");
  expect(scene.grants()).toEqual([]);
  await scene.hear(payload("PostToolUse-Bash", RAN));
  expect(scene.decisions()).toMatchObject([{ outcome: "allowed", outcome_late: true, settled_at: settled.settled_at }]);
});

const both: [string, number, HookPayload, object][] = [
  [
    "denied here and run",
    PERMISSION.deny,
    payload("PostToolUse-Bash", RAN),
    { state: "void", voided: "terminal", outcome: "allowed" },
  ],
  [
    "allowed here and refused",
    PERMISSION.once,
    payload("PostToolUse-Bash", { ...RAN, hook_event_name: "PermissionDenied" }),
    { state: "void", voided: "terminal", outcome: "denied" },
  ],
  ["allowed here and run", PERMISSION.once, payload("PostToolUse-Bash", RAN), { state: "answered" }],
  [
    "denied here and refused",
    PERMISSION.deny,
    payload("PostToolUse-Bash", { ...RAN, hook_event_name: "PermissionDenied" }),
    { state: "answered" },
  ],
  [
    "denied here while another has run",
    PERMISSION.deny,
    payload("PostToolUse-Bash", { ...RAN, tool_input: { command: "ls" } }),
    { state: "answered" },
  ],
];

test.each(both)("both answered at once: %s", async (_what, place, event, expected) => {
  const scene = await open();
  const call = scene.ask(bash);
  await scene.press(await scene.asked(), pressed(place));
  await call.told;
  await scene.hear(event);
  expect(scene.decisions()).toMatchObject([expected]);
});

test("what was allowed here a moment after it was refused in its dialog did not run, and is said to be denied", async () => {
  const scene = await open();
  const call = scene.ask(bash);
  await scene.press(await scene.asked(), pressed(PERMISSION.once));
  expect(decision(await call.told)).toMatchObject({ behavior: "allow" });
  scene.answered(payload("PostToolUse-Bash", { ...RAN, hook_event_name: "PermissionDenied" }));
  await scene.until(() => scene.decisions()[0]?.state === "void");
  expect(scene.decisions()).toMatchObject([{ voided: "terminal", outcome: "denied" }]);
});

test("what was denied, and allowed when it was asked again, stays denied", async () => {
  const scene = await open();
  for (const [place, pid] of [
    [PERMISSION.deny, 7],
    [PERMISSION.once, 8],
  ] as const) {
    const call = scene.ask(bash, { pid });
    await scene.press(await scene.asked(pid - 6), pressed(place));
    await call.told;
  }
  await scene.hear(payload("PostToolUse-Bash", RAN));
  expect(scene.decisions().map(({ state }) => state)).toEqual(["answered", "answered"]);
});

test("what nobody hears an answer to any more is settled by what the terminal tells of it", async () => {
  const scene = await open();
  scene.ask(bash).hangUp();
  await scene.asked();
  scene.end(7);
  await scene.clock.advance(20_000);
  expect(scene.decisions()).toMatchObject([{ state: "void", voided: "untold" }]);
  await scene.hear(payload("PostToolUse-Bash", RAN));
  expect(scene.decisions()).toMatchObject([{ state: "void", voided: "terminal", outcome: "allowed" }]);
});

test("what a rule allows is told at once, from the same folder only, and what one denies is refused", async () => {
  const scene = await open();
  const first = scene.ask(bash);
  const asked = await scene.asked();
  const { decision_id, subject } = asked;
  expect(subject).toMatchObject({ rules: true, cwd: bash.cwd });
  const { tool = "", sha256 = "" } = subject ?? {};
  await scene.engine().submit({
    ...{ type: "add_rule", rule_id: "rule_1", effect: "allow", by: "thread", root: "/srv/app", decision_id, sha256 },
    ...{ cover: { family: "exact", tool, sha256, cwd: bash.cwd }, author_id: "9" },
  });
  expect(decision(await first.told)).toMatchObject({ behavior: "allow" });
  expect(decision(await scene.ask(bash, { pid: 8 }).told)).toMatchObject({ behavior: "allow" });
  expect(scene.decisions().at(-1)).toMatchObject({ settled_by: "rule", rule_id: "rule_1" });
  const elsewhere = scene.ask({ ...bash, cwd: "/srv/app/lib" }, { pid: 9 });
  const other = await scene.asked(3);
  expect(other.state).toBe("open");
  await scene.engine().submit({
    ...{ type: "add_rule", rule_id: "rule_2", effect: "deny", by: "project", root: "/srv/app" },
    ...{ decision_id: other.decision_id, sha256, cover: { family: "exact", tool, sha256, cwd: null }, author_id: "9" },
  });
  expect(decision(await elsewhere.told)).toMatchObject({ behavior: "deny" });
  const denied = decision(await scene.ask(bash, { pid: 10 }).told);
  expect(denied).toMatchObject({ behavior: "deny" });
  expect(String(denied["message"])).toContain("The owner has a rule that this is never allowed");
});
