/** Decisions as tables: what is asked, by which commands, and what comes of it. */
import { describe, expect, test } from "vitest";
import { isOpen, openOf, type Decision } from "../../../src/core/decisions/decision.ts";
import { PERMISSION, PLAN } from "../../../src/core/decisions/may-answer.ts";
import { sameAsked } from "../../../src/core/decisions/lifecycle.ts";
import type { Command } from "../../../src/core/slices.ts";
import { CHANNEL, job, message, Scene, SHA, T1, T2 } from "../scene.ts";

const D = "dec_1";
const NOW = { places: [0], words: null };

/** A session with a running job, and what it or an MCP client asks. */
function asked(
  what: "permission" | "plan" | "question" | "two" | "mcp" | "long",
  lapses_at: string | null = null,
): Scene {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  const byJob = { thread_id: T1, asker: { by: "job", job_id: job(1), request_id: "r1" } } as const;
  if (what === "permission") scene.ask(job(1), D, 1, { lapses_at });
  if (what === "long") scene.ask(job(1), D, 3, { lapses_at });
  if (what === "plan") scene.plan(job(1), D);
  if (what === "question") scene.question(D, ["When?"], lapses_at, byJob);
  if (what === "two") scene.question(D, ["When?", "Where?"], lapses_at, byJob);
  if (what === "mcp") scene.question(D, ["When?"], lapses_at);
  return scene;
}

const answer = (change: object = {}): Command => ({
  type: "answer",
  decision_id: D,
  question: 0,
  answer: NOW,
  sha256: SHA,
  ...change,
});
const of = (scene: Scene): Decision => scene.state.decisions[D] ?? expect.fail("it is forgotten");

describe("a press counts where it is an answer to what was shown, and nowhere else", () => {
  test.each<[string, Parameters<typeof asked>[0], object, string | null]>([
    ["allow once", "permission", {}, "answered"],
    ["allow for the session", "permission", { answer: { places: [1], words: null } }, "answered"],
    ["deny", "permission", { answer: { places: [2], words: null } }, "answered"],
    ["deny and say why", "permission", { answer: { places: [2], words: "not on a Friday" } }, "answered"],
    ["allow with words", "permission", { answer: { places: [0], words: "please" } }, null],
    ["words alone", "permission", { answer: { places: [], words: "sure" } }, null],
    ["allow and deny", "permission", { answer: { places: [0, 2], words: null } }, null],
    ["no option at all", "permission", { answer: { places: [], words: null } }, null],
    ["an option that there is not", "permission", { answer: { places: [3], words: null } }, null],
    ["a place before the first", "permission", { answer: { places: [-1], words: null } }, null],
    ["half a place", "permission", { answer: { places: [0.5], words: null } }, null],
    ["other bytes", "permission", { sha256: "f".repeat(64) }, null],
    ["no bytes", "permission", { sha256: null }, null],
    ["another question", "permission", { question: 1 }, null],
    ["a question before the first", "permission", { question: -1 }, null],
    ["what there is not", "permission", { decision_id: "dec_9" }, null],
    ["allow what was not wholly shown", "long", {}, null],
    ["allow it for the session", "long", { answer: { places: [1], words: null } }, null],
    ["deny what was not wholly shown", "long", { answer: { places: [2], words: null } }, "answered"],
    ["approve", "plan", {}, "answered"],
    ["reject", "plan", { answer: { places: [1], words: null } }, "answered"],
    ["reject with feedback", "plan", { answer: { places: [1], words: "smaller steps" } }, "answered"],
    ["approve with feedback", "plan", { answer: { places: [0], words: "but smaller" } }, null],
    ["an option of a question", "question", { sha256: null }, "answered"],
    ["the owner's own words", "question", { sha256: null, answer: { places: [], words: "at noon" } }, "answered"],
    ["blank words", "question", { sha256: null, answer: { places: [], words: " " } }, null],
    ["an option and words", "question", { sha256: null, answer: { places: [0], words: "at noon" } }, null],
    [
      "two options where one may be chosen",
      "question",
      { sha256: null, answer: { places: [0, 1], words: null } },
      null,
    ],
    ["a question with bytes", "question", { sha256: SHA }, null],
    ["the first of two", "two", { sha256: null }, "open"],
    ["the second of two first", "two", { sha256: null, question: 1 }, "open"],
  ])("%s (%s)", (_name, what, change, state) => {
    const scene = asked(what);
    if (state === null)
      expect(() => scene.do(answer(change))).toThrow(expect.objectContaining({ code: "E_DECISION_CLOSED" }));
    else scene.do(answer(change));
    expect(of(scene).state).toBe(state ?? "open");
    scene.checkReplay();
  });
});

test("a permission or plan that came without its bytes is never allowed, only refused", () => {
  for (const kind of ["permission", "plan"] as const) {
    const scene = asked("mcp");
    scene.ask(job(1), "bare", 1, {
      kind,
      subject: null,
      ...(kind === "plan" && {
        questions: [
          {
            question: "",
            header: "",
            options: ["Approve", "Reject"].map((label) => ({ label, description: "" })),
            many: false,
            words: false,
          },
        ],
      }),
    });
    expect(() => scene.press("bare", [0])).toThrow();
    scene.press("bare", [kind === "plan" ? PLAN.reject : PERMISSION.deny]);
    expect(scene.state.decisions["bare"]?.state).toBe("answered");
  }
});

test("its pages are shown one after the other, each once, and then it can be allowed", () => {
  const scene = asked("long");
  const see = (page: number): string[] => scene.types({ type: "see_page", decision_id: D, page });
  expect([see(1), see(3), see(0)]).toEqual([[], [], []]);
  expect([see(2), see(2), see(3), see(4)]).toEqual([["DecisionPageSeen"], [], ["DecisionPageSeen"], []]);
  scene.press(D, [PERMISSION.once]);
  expect(see(3)).toEqual([]);
  expect(of(scene).state).toBe("answered");
});

test("a page that stands as a message of its own was shown, in its order; one that could not be posted was not, nor one of what is settled", () => {
  const scene = asked("long");
  const seen = (): number => of(scene).shown.pages;
  scene.post(D, message(9), "page:3");
  expect(seen()).toBe(1);
  scene.post(D, null, "page:2");
  expect(seen()).toBe(1);
  scene.post(D, message(9), "page:2");
  scene.post(D, message(9), "page:x");
  expect(seen()).toBe(2);
  scene.press(D, [PERMISSION.deny]);
  scene.do({
    type: "record_post",
    subject: D,
    part: "page:3",
    channel_id: "9",
    message_id: message(11),
    hash: "other",
    is: "said",
  });
  expect(seen()).toBe(2);
});

test("a question with nothing to choose from takes words, whatever it says of them", () => {
  const scene = new Scene();
  scene.question(D, [], null, {
    questions: [{ question: "Which?", header: "", options: [], many: false, words: false }],
  });
  scene.press(D, [], "port 8080");
  expect(of(scene).answers).toEqual([{ places: [], words: "port 8080" }]);
});

test("several questions are each answered once, in any order, and it is settled by the last; each is asked again twice", () => {
  const scene = asked("two");
  scene.show(D, message(5));
  for (const number of [6, 7]) scene.hear(T1, message(number), "A or B");
  expect(of(scene)).toMatchObject({ typed: { reasked: 2, unclear: "several" }, state: "open" });
  expect(scene.press(D, [1], null, 0).map(({ type }) => type)).toEqual(["QuestionAnswered"]);
  expect(of(scene)).toMatchObject({
    typed: { reasked: 0, unclear: null },
    answers: [{ places: [1], words: null }, null],
  });
  expect(() => scene.press(D, [0], null, 0)).toThrow();
  expect(scene.hear(T1, message(8), "B or A").map(({ type }) => type)).toEqual(["DecisionReasked"]);
  scene.hear(T1, message(9), "first");
  expect(of(scene)).toMatchObject({
    state: "answered",
    answers: [
      { places: [1], words: null },
      { places: [0], words: null },
    ],
    settled_by: "words",
  });
  scene.checkReplay();
});

describe("each state takes what it takes, and what is over takes nothing but that it was delivered", () => {
  const at = "2026-02-26T15:00:00.000Z";
  const commands: Command[] = [
    {
      type: "place_decision",
      decision_id: D,
      thread_id: "9",
      channel_id: CHANNEL,
      guild_id: "3",
      bot_id: "4",
      since: "9",
    },
    { type: "remind", decision_id: D, step: 1, by: "mention" },
    { type: "lapse", decision_id: D, lapses_at: at },
    { type: "disconnect", decision_id: D },
    { type: "reconnect", decision_id: D },
    { type: "void", decision_id: D, why: "no_place" },
    { type: "answer_delivered", decision_id: D },
  ];
  const taken = (scene: Scene): string[] =>
    commands.flatMap((command) => (copy(scene).do(command).length > 0 ? [command.type] : []));
  test.each<[string, Command[], string[]]>([
    ["open", [], ["place_decision", "remind", "lapse", "disconnect", "void", "answer_delivered"]],
    ["placed", [commands[0]!], ["remind", "lapse", "disconnect", "void", "answer_delivered"]],
    ["reminded", [commands[1]!], ["place_decision", "lapse", "disconnect", "void", "answer_delivered"]],
    ["disconnected", [commands[3]!], ["place_decision", "remind", "lapse", "reconnect", "void", "answer_delivered"]],
    [
      "reconnected",
      [commands[3]!, commands[4]!],
      ["place_decision", "remind", "lapse", "disconnect", "void", "answer_delivered"],
    ],
    ["told that its time is over", [commands[6]!], ["place_decision", "remind", "lapse", "disconnect", "void"]],
    ["told, and answered in time", [commands[6]!, answer({ sha256: null })], ["answer_delivered"]],
    ["told, and lapsed", [commands[6]!, commands[2]!], []],
    ["answered", [answer({ sha256: null })], ["answer_delivered"]],
    ["lapsed", [commands[2]!], ["answer_delivered"]],
    ["void", [commands[5]!], ["answer_delivered"]],
    ["delivered", [commands[5]!, commands[6]!], []],
  ])("%s", (_name, before, takes) => {
    const scene = asked("mcp", at);
    for (const command of before) scene.do(command);
    expect(taken(scene)).toEqual(takes);
    if (!isOpen(of(scene))) expect(() => scene.do(answer({ sha256: null }))).toThrow();
    scene.checkReplay();
  });

  function copy(scene: Scene): Scene {
    const other = new Scene();
    for (const command of scene.events) other.events.push(command);
    other.crash(scene.events.length);
    other.now = scene.now;
    return other;
  }
});

test("an asker that has started again is known to be there, until it waits again or a daemon starts anew", () => {
  for (const over of ["reconnect", "restart"] as const) {
    const scene = asked("mcp", null);
    const notice = (): string[] => scene.types({ type: "notice", decision_id: D });
    expect(notice()).toEqual([]);
    scene.do({ type: "disconnect", decision_id: D });
    expect(notice()).toEqual(["DecisionNoticed"]);
    expect(notice()).toEqual([]);
    expect(of(scene)).toMatchObject({ state: "disconnected", meanwhile: { noticed: true } });
    scene.do(over === "restart" ? { type: "restart" } : { type: "reconnect", decision_id: D });
    expect(of(scene)).not.toHaveProperty("meanwhile.noticed");
    expect(isOpen(of(scene))).toBe(true);
    scene.checkReplay();
  }
});

test("the reconciler says which time has passed, whatever the wall clock shows; but it is the current time limit that counts", () => {
  const [first, second] = ["2026-02-26T15:00:00.000Z", "2026-02-26T18:00:00.000Z"];
  const scene = asked("mcp", first);
  scene.do({ type: "disconnect", decision_id: D });
  expect(scene.question("dec_2", ["When?"], second).map(({ type }) => type)).toEqual(["DecisionReconnected"]);
  expect(scene.types({ type: "lapse", decision_id: D, lapses_at: first })).toEqual([]);
  scene.now = Date.parse("2025-02-26T15:00:00.000Z");
  expect(scene.types({ type: "lapse", decision_id: D, lapses_at: second })).toEqual(["DecisionLapsed"]);
  expect(of(scene)).toMatchObject({ state: "lapsed", answers: [null] });
});

test("what waits for ever never expires, and reminders come one after the other", () => {
  const scene = asked("permission");
  expect(scene.types({ type: "lapse", decision_id: D, lapses_at: "2026-02-26T15:00:00.000Z" })).toEqual([]);
  const remind = (step: number): string[] =>
    scene.types({ type: "remind", decision_id: D, step, by: step === 1 ? "mention" : "direct" });
  expect([remind(2), remind(1), remind(1), remind(3), remind(2)]).toEqual([
    [],
    ["DecisionReminded"],
    [],
    [],
    ["DecisionReminded"],
  ]);
  expect(of(scene).reminders.map(({ by }) => by)).toEqual(["mention", "direct"]);
});

test("while it is put off nobody is reminded; when that is over, once, and a later time counts instead of an earlier", () => {
  const [first, second] = ["2026-02-26T15:00:00.000Z", "2026-02-26T18:00:00.000Z"];
  const scene = asked("mcp");
  const snooze = (until: string): string[] => scene.types({ type: "snooze", decision_id: D, until });
  const remind = (step: number, snoozed_until?: string): string[] =>
    scene.types({
      type: "remind",
      decision_id: D,
      step,
      by: "mention",
      ...(snoozed_until !== undefined && { snoozed_until }),
    });
  expect([remind(1, first), snooze(first), remind(1), snooze(second), remind(1, first)]).toEqual([
    [],
    ["DecisionSnoozed"],
    [],
    ["DecisionSnoozed"],
    [],
  ]);
  expect([remind(1, second), remind(2, second), remind(2)]).toEqual([["DecisionReminded"], [], ["DecisionReminded"]]);
  expect(of(scene).reminders.map(({ after_snooze }) => after_snooze)).toEqual([true, undefined]);
  scene.press(D, [0]);
  expect(snooze(first)).toEqual([]);
  scene.checkReplay();
  const permission = asked("permission");
  expect(permission.types({ type: "snooze", decision_id: D, until: first })).toEqual([]);
});

test("the same id, and the same question of the same asker, is asked once while it can be answered or its answer was not fetched", () => {
  const scene = asked("mcp");
  const again = (id: string, change: object = {}, questions = ["When?"]): string[] =>
    scene.question(id, questions, null, change).map(({ type }) => type);
  const asker = {
    by: "mcp",
    project: "app",
    pending_dir: "/p",
    timeout_seconds: null,
    wanted_thread: null,
    channel_id: CHANNEL,
    bot_id: "4",
  } as const;
  expect([
    again(D),
    again("dec_2"),
    again("dec_2", { asker: { ...asker, timeout_seconds: 9, pending_dir: "/q" } }),
  ]).toEqual([[], [], []]);
  scene.press(D, [0]);
  expect(again("dec_2")).toEqual([]);
  expect(sameAsked(scene.state, of(scene))?.decision_id).toBe(D);
  scene.do({ type: "answer_delivered", decision_id: D });
  expect(again("dec_2")).toEqual(["DecisionAsked"]);
  scene.do({ type: "void", decision_id: "dec_2", why: "no_place" });
  expect(again("dec_3")).toEqual(["DecisionAsked"]);
  const others: object[] = [
    { context: "new" },
    { asker: { ...asker, project: "two" } },
    { asker: { ...asker, wanted_thread: "9" } },
    { asker: { ...asker, channel_id: "8" } },
    { asker: { ...asker, bot_id: "5" } },
  ];
  for (const [index, change] of others.entries()) expect(again(`other_${index}`, change)).toEqual(["DecisionAsked"]);
  expect(again("other", {}, ["When then?"])).toEqual(["DecisionAsked"]);
});

test("a request of a job is asked once, also when its time is told anew; other bytes, or a new request for the same, are another one", () => {
  const scene = asked("permission");
  const asker = { by: "job", job_id: job(1), request_id: D } as const;
  for (const other of [
    { tool: "Write", sha256: SHA },
    { tool: "Bash", sha256: "1".repeat(64) },
  ]) {
    const subject = { ...other, title: "ls", pages: 1, grant_until: "2026-02-27T14:00:00.000Z" };
    expect(scene.ask(job(1), `other_${other.tool}`, 1, { asker, subject }).map(({ type }) => type)).toEqual([
      "DecisionAsked",
    ]);
  }
  expect(scene.ask(job(1), "dec_2", 1, { asker: { by: "job", job_id: job(1), request_id: D } })).toEqual([]);
  expect(scene.ask(job(1), "dec_2").map(({ type }) => type)).toEqual(["DecisionAsked"]);
});

test("a job that was put back and begins again asks anew, though its agent counts its requests from the same number", () => {
  const scene = asked("permission");
  scene.do({ type: "put_back", job_id: job(1), why: "limit" });
  scene.learn(job(1), { kind: "gone" });
  expect(scene.running()).toEqual([job(1)]);
  expect(
    scene.ask(job(1), "dec_2", 1, { asker: { by: "job", job_id: job(1), request_id: D } }).map(({ type }) => type),
  ).toEqual(["DecisionAsked"]);
  expect(openOf(scene.state, job(1)).map(({ decision_id }) => decision_id)).toEqual(["dec_2"]);
});

describe("what nobody can hear any more is void before anything else is said", () => {
  test.each<[string, (scene: Scene) => string[], string[]]>([
    [
      "the job completes",
      (scene) => scene.complete(job(1)).map(({ type }) => type),
      ["DecisionVoided", "JobCompleted"],
    ],
    ["it fails", (scene) => scene.fail(job(1)).map(({ type }) => type), ["DecisionVoided", "JobFailed"]],
    [
      "its agent cancels it",
      (scene) => scene.types({ type: "cancelled", job_id: job(1) }),
      ["DecisionVoided", "JobCancelled"],
    ],
    [
      "it goes back to its queue",
      (scene) => scene.types({ type: "put_back", job_id: job(1), why: "limit" }),
      ["DecisionVoided", "JobPutBack"],
    ],
    [
      "its owner stops it",
      (scene) => scene.types({ type: "cancel_job", job_id: job(1), by: "owner" }),
      ["JobCancelRequested", "DecisionVoided"],
    ],
    ["the daemon died", (scene) => scene.types({ type: "restart" }), ["DecisionVoided", "JobMarkedUnknownAfterCrash"]],
  ])("%s", (_name, end, types) => {
    const scene = asked("permission");
    expect(end(scene)).toEqual(types);
    expect(of(scene)).toMatchObject({ state: "void", voided: "asker_gone", answers: [null] });
    expect(() => scene.press(D, [0])).toThrow();
    expect(scene.ask(job(1), "dec_2")).toEqual([]);
    scene.checkReplay();
  });

  test("what an MCP client asked is not: it is disconnected, refreshed with every restart, and answered as before", () => {
    const scene = asked("mcp");
    expect(scene.types({ type: "restart" })).toEqual([
      "DecisionDisconnected",
      "DecisionRefreshed",
      "JobMarkedUnknownAfterCrash",
    ]);
    expect(scene.types({ type: "restart" })).toEqual(["DecisionRefreshed"]);
    scene.press(D, [0]);
    expect(scene.types({ type: "restart" })).toEqual([]);
    expect(of(scene)).toMatchObject({ state: "answered", delivered: false });
  });
});

test("a job that waits for its owner lends its slot, and continues at once when it has its answer", () => {
  const scene = new Scene({ global_max_running: 1 }).withSessions(T1, T2);
  scene.hear(T1, message(1));
  scene.hear(T2, message(2));
  scene.ask(job(1), D);
  expect(scene.running()).toEqual([job(1), job(2)]);
  scene.press(D, [2]);
  expect(openOf(scene.state, job(1))).toEqual([]);
});

describe("what is kept", () => {
  test("one that was open while hundreds of others came and went is there when it is answered, until it was fetched", () => {
    const scene = asked("mcp");
    for (let number = 0; number < 260; number += 1) {
      scene.question(`q_${number}`, [`Nr. ${number}?`]);
      scene.press(`q_${number}`, [0]);
      if (number % 2 === 0) scene.do({ type: "answer_delivered", decision_id: `q_${number}` });
    }
    scene.press(D, [1]);
    expect(of(scene)).toMatchObject({ state: "answered", answers: [{ places: [1], words: null }] });
    for (let number = 1; number < 260; number += 2)
      expect(scene.state.decisions[`q_${number}`]?.state).toBe("answered");
    scene.checkReplay();
  });

  test("of a session the last fifty stay, and of a job that runs also those whose answer it has not yet", () => {
    const scene = asked("permission");
    for (let number = 0; number < 80; number += 1) {
      scene.ask(job(1), `q_${number}`);
      scene.press(`q_${number}`, [2]);
      scene.do({ type: "answer_delivered", decision_id: `q_${number}` });
    }
    scene.press(D, [0]);
    expect(Object.keys(scene.state.decisions)).toHaveLength(51);
    expect(of(scene).state).toBe("answered");
    scene.do({ type: "answer_delivered", decision_id: D });
    expect(Object.keys(scene.state.decisions)).toHaveLength(50);
    scene.checkReplay();
  });

  test("of a job that is over, what it never heard leaves by the same count", () => {
    const scene = new Scene().withSessions(T1);
    scene.hear(T1, message(1));
    for (let number = 0; number < 60; number += 1) {
      scene.ask(job(1), `q_${number}`);
      scene.press(`q_${number}`, [2]);
    }
    expect(Object.keys(scene.state.decisions)).toHaveLength(60);
    scene.finish(job(1));
    scene.hear(T1, message(2));
    scene.ask(job(2), "next");
    scene.press("next", [2]);
    expect(Object.keys(scene.state.decisions)).toHaveLength(51);
    scene.do({ type: "answer_delivered", decision_id: "next" });
    expect(Object.keys(scene.state.decisions)).toHaveLength(50);
    scene.checkReplay();
  });

  test("a thread in which something else was asked, or that is listened to anyway, stays, and is read on from where it was", () => {
    const scene = new Scene();
    const settle = (id: string, thread: string): void => {
      scene.question(id, [`${id}?`]);
      scene.place(id, thread, "800");
      scene.press(id, [0]);
      scene.do({ type: "answer_delivered", decision_id: id });
    };
    scene.do({ type: "open_channel", channel_id: "950", guild_id: "3", bot_id: "4", kind: "watched", since: "940" });
    for (const thread of ["900", "950"]) settle(`old_${thread}`, thread);
    scene.do({ type: "channel_read", channel_id: "900", through: "990" });
    scene.question("open", ["Still?"]);
    scene.place("open", "900", "800");
    expect(scene.state.watermarks["900"]).toBe("990");
    for (let number = 0; number < 201; number += 1) settle(`q_${number}`, "700");
    expect(scene.state.decisions["old_900"]).toBeUndefined();
    expect(scene.state.decisions["old_950"]).toBeUndefined();
    expect([
      scene.state.threads["900"]?.thread_id,
      scene.state.watermarks["900"],
      scene.state.watermarks["950"],
    ]).toEqual(["900", "990", "940"]);
    scene.checkReplay();
  });

  test("a thread that was there for a question goes with the last one asked there, and takes along all that hangs on it", () => {
    const scene = new Scene();
    const settle = (id: string, thread: string): void => {
      scene.question(id, [`${id}?`]);
      scene.place(id, thread);
      scene.show(id, `${thread}1`);
      scene.press(id, [0]);
      scene.do({ type: "answer_delivered", decision_id: id });
    };
    settle("old", "900");
    scene.hear("900", "9009", "thank you");
    for (let number = 0; number < 200; number += 1) settle(`q_${number}`, `10${number}`);
    expect(scene.state.threads["900"]).toBeUndefined();
    expect(scene.state.watermarks["900"]).toBeUndefined();
    expect(scene.state.posts["old"]).toBeUndefined();
    expect(Object.keys(scene.state.dedupe)).toEqual([]);
    expect(scene.state.threads["100"]).toBeDefined();
    settle("new", "900");
    expect(scene.state.decisions["new"]?.state).toBe("answered");
    scene.checkReplay();
  });
});
