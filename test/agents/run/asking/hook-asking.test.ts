/**
 * What a Claude in a terminal asks through its hooks: the owner's answer reaches it once and to the byte, the terminal
 * may be first, and silence allows nothing, whoever dies meanwhile.
 */
import { expect, test } from "vitest";
import { PERMISSION, PLAN } from "../../../../src/core/decisions/may-answer.ts";
import { isDelivered } from "../../../core/scene.ts";
import type { HookPayload, PayloadOf } from "../../../../src/protocol/hooks.ts";
import { bash, decision, open, payload, pressed, RAN, THREAD } from "./hook-asking-scene.ts";

const before = (told: object | null): Record<string, unknown> =>
  (told as { hookSpecificOutput: Record<string, unknown> }).hookSpecificOutput;

test("a permission: what may run is what was shown, to the byte, and Claude is told once", async () => {
  const scene = await open();
  const call = scene.ask(bash);
  const asked = await scene.asked();
  expect(asked).toMatchObject({
    kind: "permission",
    thread_id: THREAD,
    asker: { by: "hook", claude_session: bash.session_id, prompt_id: bash.prompt_id },
    subject: { tool: "Bash" },
  });
  expect(JSON.parse((await scene.bytes(asked)) ?? "")).toEqual({ tool: "Bash", input: bash.tool_input });
  await scene.press(asked, pressed(PERMISSION.once));
  expect(decision(await call.told)).toEqual({ behavior: "allow", updatedInput: bash.tool_input });
  await scene.until(() => isDelivered(scene.decisions()[0]));
});

test("a no carries the owner's reason, and no permission rule is ever given", async () => {
  const scene = await open();
  const call = scene.ask(bash);
  await scene.press(await scene.asked(), pressed(PERMISSION.deny, "use git mv"));
  const told = decision(await call.told);
  expect(told).toMatchObject({ behavior: "deny", message: expect.stringContaining("use git mv") as unknown });
  const again = scene.ask(payload("PermissionRequest-Bash", { tool_input: { command: "ls" } }));
  await scene.press(await scene.asked(2), pressed(PERMISSION.session));
  expect(Object.keys(decision(await again.told))).toEqual(["behavior", "updatedInput"]);
});

test("allowed for the session, exactly the same is not asked again", async () => {
  const scene = await open();
  const first = scene.ask(bash);
  await scene.press(await scene.asked(), pressed(PERMISSION.session));
  await first.told;
  expect(decision(await scene.ask(bash, { pid: 8 }).told)).toMatchObject({ behavior: "allow" });
  const other = scene.ask(payload("PermissionRequest-Bash", { tool_input: { command: "touch hook6" } }), { pid: 9 });
  await scene.press(await scene.asked(3), pressed(PERMISSION.deny));
  expect(decision(await other.told)).toMatchObject({ behavior: "deny" });
});

test("a question is answered whole, by a choice or in words, and waits for as long as it takes", async () => {
  const scene = await open();
  const asks = payload("PermissionRequest-AskUserQuestion");
  const [first] = asks.tool_input["questions"] as object[];
  const two = {
    ...asks,
    tool_input: { questions: [first, { ...first, question: "Which size?", multiSelect: true }], more: 1 },
  };
  const call = scene.ask(two);
  const asked = await scene.asked();
  expect(asked).toMatchObject({ kind: "question", lapses_at: null });
  await scene.clock.advance(3_600_000);
  await scene.press(asked, { places: [], words: "Green, please" }, { places: [0, 1], words: null });
  expect(decision(await call.told)).toEqual({
    behavior: "allow",
    updatedInput: { ...two.tool_input, answers: { "Which colour?": "Green, please", "Which size?": "Red, Blue" } },
  });
});

test("a plan is approved with all that was shown of it, and refused with the owner's words", async () => {
  const scene = await open();
  const plan = payload("PermissionRequest-ExitPlanMode");
  const call = scene.ask(plan);
  const asked = await scene.asked();
  expect(JSON.parse((await scene.bytes(asked)) ?? "")).toEqual({ plan: plan.tool_input });
  await scene.press(asked, pressed(PLAN.approve));
  expect(decision(await call.told)).toEqual({ behavior: "allow", updatedInput: plan.tool_input });
  const other = scene.ask(plan, { pid: 8 });
  await scene.press(await scene.asked(2), pressed(PLAN.reject, "smaller"));
  expect(decision(await other.told)).toMatchObject({
    behavior: "deny",
    message: expect.stringContaining("smaller") as unknown,
  });
});

test("a plan without its text can be refused, and nothing else", async () => {
  const scene = await open();
  const call = scene.ask(payload("PermissionRequest-ExitPlanMode", { tool_input: {} }));
  const asked = await scene.asked();
  expect(asked).toMatchObject({ kind: "plan", subject: { no_yes: true } });
  await expect(scene.press(asked, pressed(PLAN.approve))).rejects.toMatchObject({ code: "E_DECISION_CLOSED" });
  await scene.press(asked, pressed(PLAN.reject, "write it down first"));
  expect(decision(await call.told)).toMatchObject({
    behavior: "deny",
    message: expect.stringContaining("write it down first") as unknown,
  });
});

test("a question that cannot be shown is left to the terminal", async () => {
  const scene = await open();
  expect(
    await scene.ask(payload("PermissionRequest-Bash", { tool_name: "AskUserQuestion", tool_input: { questions: "?" } }))
      .told,
  ).toBeNull();
  expect(scene.decisions()).toEqual([]);
});

test("a question that is too long to be shown is refused, and Claude is told to ask in fewer words", async () => {
  const scene = await open();
  const asks = payload("PermissionRequest-AskUserQuestion");
  const [first] = asks.tool_input["questions"] as object[];
  const told = await scene.ask({ ...asks, tool_input: { questions: [{ ...first, question: "why ".repeat(20_000) }] } })
    .told;
  expect(decision(told)).toMatchObject({
    behavior: "deny",
    message: expect.stringContaining("fewer words") as unknown,
  });
  expect(scene.decisions()).toMatchObject([
    { state: "void", voided: "too_long", excess: { of: "characters", most: 64_000 }, context: "" },
  ]);
});

test.each([
  ["default", "ask", "open"],
  ["plan", "ask", "open"],
  ["acceptEdits", "ask", "open"],
  ["bypassPermissions", "deny", "lapsed"],
  ["auto", "deny", "lapsed"],
  ["dontAsk", "deny", "lapsed"],
  [undefined, "deny", "lapsed"],
])(
  "before a tool, nobody's answer in mode %s is: %s, and its decision is %s",
  async (permission_mode, expected, state) => {
    const scene = await open();
    const call = scene.ask(payload("PreToolUse-Bash", { permission_mode }));
    await scene.asked();
    await scene.clock.advance(120_000);
    expect(before(await call.told)).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: expected });
    expect(scene.decisions()[0]?.state).toBe(state);
  },
);

test("what was asked before a tool is not asked again by the dialog that follows", async () => {
  const scene = await open();
  const [first, dialog] = [
    payload("PreToolUse-Bash"),
    payload("PermissionRequest-Bash", { ...payload("PreToolUse-Bash"), hook_event_name: "PermissionRequest" }),
  ];
  const allowed = scene.ask(first);
  await scene.press(await scene.asked(), pressed(PERMISSION.once));
  expect(before(await allowed.told)).toMatchObject({ permissionDecision: "allow", updatedInput: first.tool_input });
  expect(decision(await scene.ask(dialog, { pid: 8 }).told)).toEqual({
    behavior: "allow",
    updatedInput: first.tool_input,
  });
  const late = scene.ask(first, { pid: 9 });
  const asked = await scene.asked(2);
  await scene.clock.advance(120_000);
  expect(before(await late.told)).toMatchObject({ permissionDecision: "ask" });
  const there = scene.ask(dialog, { pid: 10 });
  await scene.until(() => scene.types().includes("DecisionHandedOver"));
  await scene.press(asked, pressed(PERMISSION.once));
  expect(decision(await there.told)).toEqual({ behavior: "allow", updatedInput: first.tool_input });
  expect(scene.decisions()).toHaveLength(2);
  expect(scene.decisions()[1]?.asker).toMatchObject({ dialog: true, pid: 10 });
});

test("what was asked before a tool and answered as the terminal began to ask is answered to its dialog, also after a restart", async () => {
  const scene = await open();
  const first = payload("PreToolUse-Bash");
  const late = scene.ask(first);
  const asked = await scene.asked();
  await scene.clock.advance(120_000);
  await late.told;
  await scene.restart();
  await scene.press(asked, pressed(PERMISSION.deny, "no"));
  expect(
    decision(
      await scene.ask(payload("PermissionRequest-Bash", { ...first, hook_event_name: "PermissionRequest" }), { pid: 8 })
        .told,
    ),
  ).toMatchObject({ behavior: "deny" });
  await scene.until(() => isDelivered(scene.decisions()[0]));
  expect(scene.decisions()).toHaveLength(1);
});

test("another use of the tool, or another agent's, is a question of its own", async () => {
  const scene = await open();
  const first = payload("PreToolUse-Bash");
  const late = scene.ask(first);
  await scene.asked();
  await scene.clock.advance(120_000);
  await late.told;
  scene.ask(
    payload("PermissionRequest-Bash", {
      ...first,
      hook_event_name: "PermissionRequest",
      tool_input: { command: "touch another" },
    }),
    { pid: 8 },
  );
  scene.ask(payload("PermissionRequest-Bash", { ...first, hook_event_name: "PermissionRequest", agent_id: "a1" }), {
    pid: 9,
  });
  await scene.asked(3);
  expect(scene.types()).not.toContain("DecisionHandedOver");
});

test("dialogs that were answered in the terminal are settled before their tools have ended; what has no dialog stays open", async () => {
  const scene = await open();
  const call = scene.ask(bash);
  const dialog = await scene.asked();
  void scene.ask(payload("PreToolUse-Bash"), { pid: 8 });
  await scene.asked(2);
  scene.answered();
  expect(await call.told).toBeNull();
  const { [dialog.decision_id]: settled, ...others } = Object.fromEntries(
    scene.decisions().map((one) => [one.decision_id, one]),
  );
  expect(settled).toMatchObject({ state: "void", voided: "terminal" });
  expect(Object.values(others).map(({ state }) => state)).toEqual(["open"]);
});

test("a dialog never expires, also while its hook does not wait, and one that has waited for hours is answered", async () => {
  const scene = await open();
  const call = scene.ask(bash);
  const asked = await scene.asked();
  expect(asked.lapses_at).toBeNull();
  call.hangUp();
  await scene.until(() => scene.decisions()[0]?.state === "disconnected");
  await scene.clock.advance(3_600_000);
  expect(scene.decisions()[0]?.state).toBe("disconnected");
  const again = scene.ask(bash, { waited: 3_600 });
  await scene.until(() => scene.decisions()[0]?.state === "open");
  await scene.press(asked, pressed(PERMISSION.once));
  expect(decision(await again.told)).toMatchObject({ behavior: "allow" });
});

test("an answer that was given while the hook was away is not said to be told, and is void when nobody hears it any more", async () => {
  const scene = await open();
  scene.ask(bash);
  const asked = await scene.asked();
  await scene.restart();
  await scene.press(asked, pressed(PERMISSION.session));
  expect(scene.decisions()).toMatchObject([{ state: "answered", untold: true, delivered: false }]);
  await scene.clock.advance(60_000);
  expect(scene.decisions()).toMatchObject([{ state: "answered", untold: true }]);
  scene.end(7);
  await scene.clock.advance(20_000);
  expect(scene.decisions()).toMatchObject([{ state: "void", voided: "untold", answers: [null] }]);
  expect(scene.grants()).toEqual([]);
  await scene.hear(payload("PostToolUse-Bash", { ...RAN, hook_event_name: "PermissionDenied" }));
  expect(scene.decisions()).toMatchObject([{ state: "void", voided: "terminal", outcome: "denied" }]);
});

test("an answer that a killed daemon may not have passed on is told when the hook calls again", async () => {
  const scene = await open();
  const first = scene.untold(bash);
  await scene.press(await scene.asked(), pressed(PERMISSION.once));
  await first;
  await scene.restart();
  expect(scene.decisions()).toMatchObject([{ state: "answered", untold: true }]);
  expect(decision(await scene.ask(bash).told)).toMatchObject({ behavior: "allow" });
  await scene.until(() => isDelivered(scene.decisions()[0]));
  expect(scene.decisions()[0]).not.toHaveProperty("untold");
});

const heard: [string, HookPayload, string | undefined][] = [
  ["the tool has run", payload("PostToolUse-Bash", RAN), "allowed"],
  [
    "the tool has run and failed",
    payload("PostToolUse-Bash", { ...RAN, hook_event_name: "PostToolUseFailure" }),
    "allowed",
  ],
  ["it was refused", payload("PostToolUse-Bash", { ...RAN, hook_event_name: "PermissionDenied" }), "denied"],
  ["the turn has ended", payload("Stop", { session_id: bash.session_id, prompt_id: bash.prompt_id }), undefined],
  ["the next prompt was given", payload("UserPromptSubmit", { session_id: bash.session_id }), undefined],
];

test("what was chosen there, and the reason of a no, are kept with the decision", async () => {
  const scene = await open();
  const asks = payload("PermissionRequest-AskUserQuestion", {}) as typeof bash;
  void scene.ask(asks);
  await scene.asked();
  const used = payload("PostToolUse-AskUserQuestion", {}) as PayloadOf<"PostToolUse">;
  await scene.hear(used);
  const answers = Object.values(used.tool_input["answers"] as Record<string, string>);
  expect(scene.decisions()[0]).toMatchObject({ outcome: "answered", said: answers });
  void scene.ask(bash);
  await scene.until(() => scene.decisions().length === 2);
  await scene.hear(
    payload("PostToolUse-Bash", { ...RAN, hook_event_name: "PermissionDenied", reason: "use another file" }),
  );
  expect(scene.decisions()[1]).toMatchObject({ outcome: "denied", said: ["use another file"] });
});

test.each(heard)("the terminal was first: %s", async (_what, event, outcome) => {
  const scene = await open();
  const call = scene.ask(bash);
  const asked = await scene.asked();
  await scene.hear(event);
  expect(await call.told).toBeNull();
  expect(scene.decisions()[0]).toMatchObject({
    state: "void",
    voided: "terminal",
    ...(outcome !== undefined && { outcome }),
  });
  await expect(scene.press(asked, pressed(PERMISSION.once))).rejects.toMatchObject({ code: "E_DECISION_CLOSED" });
  expect(await scene.ask(bash, { waited: 5 }).told).toBeNull();
  expect(scene.decisions()).toHaveLength(1);
});

test.each([
  ["another tool's end", payload("PostToolUse-Bash", { ...RAN, tool_input: { command: "ls" } })],
  ["another prompt's end", payload("Stop", { session_id: bash.session_id, prompt_id: "other" })],
  ["another Claude's end", payload("SessionEnd")],
  ["a message", payload("MessageDisplay", { session_id: bash.session_id })],
])("%s settles nothing", async (_what, event) => {
  const scene = await open();
  const call = scene.ask(bash);
  const asked = await scene.asked();
  await scene.hear(event);
  await scene.press(asked, pressed(PERMISSION.once));
  expect(decision(await call.told)).toMatchObject({ behavior: "allow" });
});

test("of two alike, the terminal settles the first", async () => {
  const scene = await open();
  const calls = [scene.ask(bash, { pid: 7 })];
  const [first] = [await scene.asked()];
  calls.push(scene.ask(bash, { pid: 8 }));
  const second = await scene.asked(2);
  await scene.hear(payload("PostToolUse-Bash", RAN));
  expect(await calls[0]?.told).toBeNull();
  await scene.press(second, pressed(PERMISSION.deny));
  expect(decision((await calls[1]?.told) ?? null)).toMatchObject({ behavior: "deny" });
  expect(first?.decision_id).not.toBe(second.decision_id);
});

test("after a restart the same button answers the same hook", async () => {
  const scene = await open();
  scene.ask(bash);
  const asked = await scene.asked();
  await scene.restart();
  expect(scene.decisions()).toMatchObject([{ decision_id: asked.decision_id, state: "disconnected" }]);
  const call = scene.ask(bash, { waited: 3 });
  await scene.until(() => scene.decisions()[0]?.state === "open");
  expect(scene.decisions()[0]?.lapses_at).toBe(asked.lapses_at);
  await scene.press(asked, pressed(PERMISSION.once));
  expect(decision(await call.told)).toEqual({ behavior: "allow", updatedInput: bash.tool_input });
});

test("an answer that was given while the hook was away is there when it calls again", async () => {
  const scene = await open();
  scene.ask(bash);
  const asked = await scene.asked();
  await scene.restart();
  await scene.press(asked, pressed(PERMISSION.deny, "no"));
  expect(decision(await scene.ask(bash, { waited: 3 }).told)).toMatchObject({ behavior: "deny" });
  expect(scene.decisions()).toHaveLength(1);
});

test("a hook that calls again as its answer is told is told it too", async () => {
  const scene = await open();
  const first = scene.untold(bash);
  await scene.press(await scene.asked(), pressed(PERMISSION.once));
  const { delivered } = await first;
  const synced = scene.hold();
  // What it waits for, and the note that the first was told, are written together.
  void scene.engine().submit({ type: "name_session", thread_id: THREAD, name: "anything" });
  const second = scene.untold(bash);
  await scene.clock.settle();
  delivered();
  synced();
  expect(decision((await second).told)).toMatchObject({ behavior: "allow" });
  expect(scene.decisions()).toHaveLength(1);
});

test("another process with the same request is another question", async () => {
  const scene = await open();
  scene.ask(bash, { pid: 7 });
  const first = await scene.asked();
  scene.ask(bash, { pid: 8 });
  expect((await scene.asked(2)).decision_id).not.toBe(first.decision_id);
});

test("what a dead Claude asked is void, also after a restart", async () => {
  const scene = await open();
  const call = scene.ask(bash);
  await scene.asked();
  scene.die();
  call.hangUp();
  expect(await call.told).toBeNull();
  expect(scene.decisions()[0]).toMatchObject({ state: "void", voided: "asker_gone" });
  scene.ask(bash, { pid: 8 });
  await scene.asked(2);
  await scene.restart(false);
  expect(scene.decisions().map(({ state }) => state)).toEqual(["void", "void"]);
});

test("what a Claude asked that ends was settled by nobody", async () => {
  const scene = await open();
  const call = scene.ask(bash);
  await scene.asked();
  await scene.hear(payload("SessionEnd", { session_id: bash.session_id, prompt_id: bash.prompt_id }));
  expect(await call.told).toBeNull();
  expect(scene.decisions()).toMatchObject([{ state: "void", voided: "asker_gone" }]);
});

test("a job that is over is asked about by nobody", async () => {
  const scene = await open();
  expect(
    await scene.ask(bash, { owner: { thread_id: THREAD, work: { job_id: "job_20260301_0001" } } }).told,
  ).toBeNull();
  expect(scene.types()).not.toContain("DecisionAsked");
});
