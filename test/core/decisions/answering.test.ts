/**
 * What a typed message means where something is open: given what is asked and shown, when the owner writes, then this.
 */
import { describe, expect, test } from "vitest";
import { filesFor } from "../../../src/core/decisions/answering.ts";
import { isHandled } from "../../../src/core/inbox/redelivered-messages.ts";
import { CHANNEL, job, message, Scene, T1, T2 } from "../scene.ts";

const DM = "100000000000000070";
const Q = "100000000000000080";
const types = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);

/** Two sessions with running jobs, direct messages with their bot, and those of another bot. */
function scene(): Scene {
  const made = new Scene().withSessions(T1, T2);
  made.hear(T1, message(1));
  made.hear(T2, message(2));
  made.do({ type: "open_channel", channel_id: DM, guild_id: null, bot_id: "4", kind: "direct", since: message(0) });
  made.do({ type: "open_channel", channel_id: "8", guild_id: null, bot_id: "5", kind: "direct", since: message(0) });
  return made;
}

/** In the first session something is asked, and its prompt stands there. */
function asked(what: "permission" | "long" | "plan" | "question", id = "d"): Scene {
  const made = scene();
  ask(made, what, id);
  made.show(id, message(10));
  return made;
}

function ask(made: Scene, what: "permission" | "long" | "plan" | "question", id: string, number = 1): void {
  if (what === "permission" || what === "long") made.ask(job(number), id, what === "long" ? 2 : 1);
  if (what === "plan") made.plan(job(number), id);
  const thread_id = number === 1 ? T1 : T2;
  if (what === "question")
    made.question(id, ["When?"], null, { thread_id, asker: { by: "job", job_id: job(number), request_id: id } });
}

test("however often it is put off or asked back, the question stays open, and was never misunderstood", () => {
  const made = asked("question");
  for (const [index, text] of ["not yet", "why?", "give me a minute", "what does B mean?", "내일", "後で"].entries())
    made.hear(T1, message(30 + index), text);
  expect(made.state.decisions["d"]).toMatchObject({
    state: "open",
    typed: {
      reasked: 0,
      kept: { why: "later", words: "後で", discord_message_id: message(35), channel_id: T1 },
    },
  });
  expect(types(made.hear(T1, message(40), "A"))).toEqual(["DecisionAnswered"]);
  made.checkReplay();
});

describe("one thing is open in a session", () => {
  test.each<[Parameters<typeof ask>[1], string, string[], string]>([
    ["permission", "allow", ["MessagePointed"], "open"],
    ["permission", "no", ["DecisionAnswered"], "answered"],
    ["permission", "B", ["MessagePointed"], "open"],
    ["permission", "yes?", ["MessagePointed"], "open"],
    ["permission", "yes, but only after lunch", ["JobEnqueued", "MessagePointed"], "open"],
    ["permission", "don't allow", ["MessagePointed"], "open"],
    ["permission", "run the tests too", ["JobEnqueued", "MessagePointed"], "open"],
    ["permission", "<@4> no", ["DecisionAnswered"], "answered"],
    ["permission", "<@4> yes", ["MessagePointed"], "open"],
    ["permission", "<@5> yes", ["JobEnqueued", "MessagePointed"], "open"],
    ["permission", "<@4>", ["JobEnqueued", "MessagePointed"], "open"],
    ["question", "A <@4>", ["DecisionAnswered"], "answered"],
    ["long", "allow", ["MessagePointed"], "open"],
    ["long", "deny", ["DecisionAnswered"], "answered"],
    ["plan", "approve", ["MessagePointed"], "open"],
    ["plan", "no", ["DecisionAnswered"], "answered"],
    ["plan", "add a test first", ["JobEnqueued", "MessagePointed"], "open"],
    ["question", "A", ["DecisionAnswered"], "answered"],
    ["question", "when the tests are green", ["DecisionAnswered"], "answered"],
    ["question", "not A", ["DecisionReasked"], "open"],
    ["question", "...", ["DecisionReasked"], "open"],
    ["question", "not yet", ["DecisionKeptOpen"], "open"],
    ["question", "let me think", ["DecisionKeptOpen"], "open"],
    ["question", "나중에 할게요", ["DecisionKeptOpen"], "open"],
    ["question", "考えさせてください", ["DecisionKeptOpen"], "open"],
    ["question", "讓我想想", ["DecisionKeptOpen"], "open"],
    ["question", "what does B mean?", ["DecisionKeptOpen"], "open"],
    ["permission", "later", ["JobEnqueued", "MessagePointed"], "open"],
    ["question", " ", ["MessageRefused", "MessagePointed"], "open"],
  ])("%s: %j", (what, text, happens, state) => {
    const made = asked(what);
    expect(types(made.hear(T1, message(20), text))).toEqual(happens);
    expect(made.state.decisions["d"]?.state).toBe(state);
    expect(isHandled(made.state, T1, message(20))).toBe(true);
    expect(made.hear(T1, message(20), text)).toEqual([]);
    made.checkReplay();
  });

  test("why a message answers nothing is due to its writer, with what it is about", () => {
    const made = asked("long");
    made.reply(T1, message(20), "allow", message(10));
    expect(made.state.decisions["d"]?.typed.pointed).toMatchObject({
      why: "unseen",
      decisions: ["d"],
      discord_message_id: message(20),
      channel_id: T1,
      words: "allow",
    });
  });

  test("a question is asked again twice, and the third time given up, by nobody's answer", () => {
    const made = asked("question");
    const happened = [20, 21, 22, 23].map((number) => types(made.hear(T1, message(number), "A or B")));
    expect(happened).toEqual([["DecisionReasked"], ["DecisionReasked"], ["DecisionAborted"], ["JobEnqueued"]]);
    expect(made.state.decisions["d"]).toMatchObject({
      state: "aborted",
      typed: { unclear: "several" },
      answers: [null],
    });
  });

  test("a plain yes or no is asked which option it means, and is counted once however often it is repeated", () => {
    const made = asked("question");
    const typed = ["yes", "yes!", "no", "A or B", "네", "ok", "はい"];
    expect(typed.map((text, at) => types(made.hear(T1, message(20 + at), text)))).toEqual(
      typed.map(() => ["DecisionReasked"]),
    );
    expect(made.state.decisions["d"]).toMatchObject({
      state: "open",
      typed: { reasked: 2, unclear: "several", asked_which: true },
    });
    for (const at of typed.keys()) expect(isHandled(made.state, T1, message(20 + at))).toBe(true);
    made.checkReplay();
    expect(types(made.hear(T1, message(30), "not A"))).toEqual(["DecisionAborted"]);
  });

  test("where two answers were not understood, a plain yes is the third", () => {
    const made = asked("question");
    const happened = ["A or B", "not A", "yes"].map((text, at) => types(made.hear(T1, message(20 + at), text)));
    expect(happened).toEqual([["DecisionReasked"], ["DecisionReasked"], ["DecisionAborted"]]);
    expect(made.state.decisions["d"]).toMatchObject({ state: "aborted", typed: { unclear: "which" }, answers: [null] });
  });

  test("each of several questions is asked which option a yes means, and counts for itself", () => {
    const made = scene();
    made.question("d", ["When?", "And then?"], null, {
      thread_id: T1,
      asker: { by: "job", job_id: job(1), request_id: "d" },
    });
    made.show("d", message(10));
    for (const [at, text] of ["yes", "yes", "A"].entries()) made.hear(T1, message(20 + at), text);
    expect(made.state.decisions["d"]).toMatchObject({
      typed: { reasked: 0 },
      answers: [{ places: [0], words: null }, null],
    });
    expect(made.state.decisions["d"]).not.toHaveProperty("asked_which");
    made.hear(T1, message(30), "yes");
    expect(made.state.decisions["d"]).toMatchObject({ typed: { reasked: 1, unclear: "which", asked_which: true } });
    made.checkReplay();
  });

  test("files alone answer nothing and are the next job; files beside words go with them, and what of them is refused is said", () => {
    const made = asked("question");
    expect(types(made.hear(T1, message(20), "", [], ["/up/a.png"]))).toEqual(["JobEnqueued", "MessagePointed"]);
    expect(types(made.hear(T1, message(21), "as in this picture", ["b.exe"], ["/up/c.png"]))).toEqual([
      "DecisionAnswered",
      "MessageRefused",
    ]);
    expect(made.state.decisions["d"]?.answers).toEqual([{ places: [], words: "as in this picture\n/up/c.png" }]);
  });

  test("files alone are the answer to a question that has nothing to choose from, and to another one in its own thread they are not understood", () => {
    const made = scene();
    const open = [{ question: "How does it look?", header: "", options: [], many: false, words: true }];
    made.question("look", [], null, { questions: open });
    made.place("look", Q);
    made.show("look", message(10));
    expect(types(made.hear(Q, message(20), " ", [], ["/up/a.png", "/up/b.png"]))).toEqual(["DecisionAnswered"]);
    expect(made.state.decisions["look"]?.answers).toEqual([{ places: [], words: "/up/a.png\n/up/b.png" }]);
    made.question("which", ["When?"]);
    made.place("which", Q);
    made.show("which", message(21));
    expect(types(made.hear(Q, message(22), "", [], ["/up/c.png"]))).toEqual(["DecisionReasked"]);
    expect(types(made.hear(DM, message(23), "", [], ["/up/d.png"]))).toEqual(["MessagePointed"]);
    expect(made.state.decisions["which"]).toMatchObject({ state: "open", typed: { reasked: 1, unclear: "nothing" } });
    made.question("look too", [], null, { questions: open.map((one) => ({ ...one, question: "And now?" })) });
    made.place("look too", Q);
    made.show("look too", message(24));
    const [pointed] = made.hear(Q, message(25), "", [], ["/up/e.png"]);
    expect(pointed?.payload).toMatchObject({ why: "which", decisions: ["which", "look too"] });
    expect(types(made.hear(DM, message(26), "", [], ["/up/f.png"]))).toEqual(["MessagePointed"]);
    expect(made.state.decisions["look too"]?.state).toBe("open");
    made.checkReplay();
  });

  test("an edit or a deletion of a message changes no answer, and an edit gives none", () => {
    const made = asked("question");
    made.hear(T1, message(20), "A or B");
    expect(made.do({ type: "edit_message", thread_id: T1, discord_message_id: message(20), prompt: "A" })).toEqual([]);
    made.hear(T1, message(21), "B");
    expect(made.do({ type: "edit_message", thread_id: T1, discord_message_id: message(21), prompt: "A" })).toEqual([]);
    expect(made.do({ type: "delete_message", thread_id: T1, discord_message_id: message(21) })).toEqual([]);
    expect(made.state.decisions["d"]?.answers).toEqual([{ places: [1], words: null }]);
  });
});

describe("what was written before its prompt stood there did not mean it", () => {
  test.each<[string, (made: Scene) => unknown, string[]]>([
    ["written above the prompt", (made) => made.show("d", message(30)), ["MessagePointed"]],
    ["its prompt does not stand yet", () => undefined, ["MessagePointed"]],
    ["its prompt could not be posted anywhere", (made) => made.post("d", null, "prompt"), ["MessagePointed"]],
    ["another part of it stands", (made) => made.post("d", message(10), "page:1"), ["MessagePointed"]],
    ["written below it", (made) => made.show("d", message(10)), ["DecisionAnswered"]],
    [
      "written below it, and shown again since",
      (made) => (made.show("d", message(10)), made.show("d", message(30))),
      ["DecisionAnswered"],
    ],
    ["in direct messages, above it", (made) => made.show("d", message(30)), ["MessagePointed"]],
    ["in direct messages, below it", (made) => made.show("d", message(10)), ["DecisionAnswered"]],
  ])("%s", (name, show, happens) => {
    const made = scene();
    made.ask(job(1), "d");
    show(made);
    expect(
      types(name.includes("direct") ? made.hear(DM, message(20), "deny") : made.hear(T1, message(20), "deny")),
    ).toEqual(happens);
    expect(made.state.decisions["d"]?.state).toBe(happens[0] === "DecisionAnswered" ? "answered" : "open");
  });

  test("a reply that was held back is the answer when its prompt turns out to be what it replies to, and its pointer goes", () => {
    for (const [shown, state] of [
      [19, "answered"],
      [18, "open"],
      [21, "open"],
    ] as const) {
      const made = scene();
      made.ask(job(1), "d");
      expect(types(made.reply(T1, message(20), "allow", message(19)))).toEqual(["MessagePointed"]);
      expect(types(made.show("d", message(shown)))).toEqual(
        state === "open" ? ["PostRecorded"] : ["PostRecorded", "DecisionAnswered"],
      );
      expect(made.state.decisions["d"]).toMatchObject({
        state,
        ...(state === "answered" && { answers: [{ places: [0], words: null }], settled_by: "words" }),
      });
      expect(made.state.decisions["d"]?.typed.pointed === undefined).toBe(state === "answered");
      expect(made.state.sessions[T1]?.queue).toEqual([]);
      made.checkReplay();
    }
  });

  test("what waits as a job answers no permission, whatever it says", () => {
    const made = scene();
    made.hear(T1, message(20), "allow");
    made.ask(job(1), "d");
    expect(types(made.show("d", message(10)))).toEqual(["PostRecorded"]);
    expect(made.state.sessions[T1]?.queue).toEqual([job(3)]);
  });

  test("in a thread that is there for the question, what is read back before the prompt was noted still answers it", () => {
    const made = scene();
    made.question("q", ["When?"]);
    made.place("q", Q);
    expect(types(made.hear(Q, message(20), "A"))).toEqual(["DecisionAnswered"]);
  });
});

describe("several are open", () => {
  /** In one session, each with its prompt. */
  function several(...what: Parameters<typeof ask>[1][]): Scene {
    const made = scene();
    for (const [index, one] of what.entries()) {
      ask(made, one, `d${index}`);
      made.show(`d${index}`, message(10 + index));
    }
    return made;
  }
  const open = (made: Scene): string[] =>
    Object.values(made.state.decisions).flatMap(({ decision_id, state }) => (state === "open" ? [decision_id] : []));

  test.each<[Parameters<typeof ask>[1][], string, string[], string[]]>([
    [["permission", "permission"], "allow", ["MessagePointed"], ["d0", "d1"]],
    [["permission", "permission"], "no", ["MessagePointed"], ["d0", "d1"]],
    [["permission", "permission"], "what is this?", ["JobEnqueued", "MessagePointed"], ["d0", "d1"]],
    [["permission", "plan"], "allow for this session", ["MessagePointed"], ["d0", "d1"]],
    [["permission", "plan"], "no", ["MessagePointed"], ["d0", "d1"]],
    [["question", "permission"], "no", ["MessagePointed"], ["d0", "d1"]],
    [["question", "permission"], "B", ["DecisionAnswered"], ["d1"]],
    [["question", "permission"], "2", ["DecisionAnswered"], ["d1"]],
    [["question", "permission"], "👍", ["MessagePointed"], ["d0", "d1"]],
    [["question", "permission"], "stop", ["MessagePointed"], ["d0", "d1"]],
    [["question", "question", "permission"], "A", ["MessagePointed"], ["d0", "d1", "d2"]],
    [["permission", "plan"], "yes", ["MessagePointed"], ["d0", "d1"]],
    [["question", "permission"], "yes", ["MessagePointed"], ["d0", "d1"]],
    [["question", "permission"], "when the tests are green", ["DecisionAnswered"], ["d1"]],
    [["question", "permission"], "not A", ["DecisionReasked"], ["d0", "d1"]],
    [["question", "question"], "A", ["MessagePointed"], ["d0", "d1"]],
  ])("%j: %j", (what, text, happens, left) => {
    const made = several(...what);
    expect(types(made.hear(T1, message(20), text))).toEqual(happens);
    expect(open(made)).toEqual(left);
    made.checkReplay();
  });

  test("a reply means the one it replies to, whatever else is open, by any message of it", () => {
    const made = several("permission", "permission", "question");
    made.post("d1", message(15), "page:1");
    expect(types(made.reply(T1, message(20), "allow", message(15)))).toEqual(["DecisionAnswered"]);
    expect(types(made.reply(T1, message(21), "later today, please", message(12)))).toEqual(["DecisionAnswered"]);
    expect(open(made)).toEqual(["d0"]);
    expect(made.state.decisions["d1"]).toMatchObject({ state: "answered", settled_by: "words" });
  });

  test("a reply to something else says no to what stands alone, and yes to nothing", () => {
    const made = asked("permission");
    expect(types(made.reply(T1, message(20), "allow", message(1)))).toEqual(["MessagePointed"]);
    expect(types(made.reply(T1, message(21), "deny", message(1)))).toEqual(["DecisionAnswered"]);
  });
});

describe("a reply to what is settled", () => {
  test.each<[string, string[]]>([
    ["yes", ["MessagePointed"]],
    ["deny", ["MessagePointed"]],
    ["and now tidy up the folder", ["JobEnqueued"]],
  ])("%j is none to what is open now, and no prompt where it would have been its answer", (text, happens) => {
    const made = asked("permission");
    made.press("d", [2]);
    made.ask(job(1), "now");
    made.show("now", message(15));
    const happened = made.reply(T1, message(20), text, message(10));
    expect(types(happened)).toEqual(happens);
    if (happens[0] === "MessagePointed")
      expect(happened[0]?.payload).toMatchObject({ why: "settled", decisions: ["d"] });
    expect(made.state.decisions["now"]?.state).toBe("open");
  });

  test("to a question that took any words it is the next job, or an inbox message where no session is", () => {
    const made = asked("question");
    made.press("d", [0]);
    expect(types(made.reply(T1, message(20), "I meant tomorrow", message(10)))).toEqual(["JobEnqueued"]);
    made.question("q", ["When?"]);
    made.place("q", Q);
    made.show("q", message(11));
    made.press("q", [0]);
    expect(types(made.reply(Q, message(21), "I meant tomorrow", message(11)))).toEqual(["InboxReceived"]);
  });
});

describe("where it may be answered", () => {
  test.each<[string, string, string[]]>([
    ["its own thread", T1, ["DecisionAnswered"]],
    ["the owner's direct messages with its bot", DM, ["DecisionAnswered"]],
    ["those with another bot", "8", ["MessagePointed"]],
    ["another session", T2, ["JobEnqueued"]],
    ["the channel above it", CHANNEL, []],
    ["a place we do not listen in", "777", []],
  ])("%s", (_name, place, happens) => {
    const made = asked("permission");
    expect(types(made.hear(place, message(20), "deny"))).toEqual(happens);
    expect(made.state.decisions["d"]?.state).toBe(happens[0] === "DecisionAnswered" ? "answered" : "open");
  });

  test("in direct messages several of one bot are told apart only by a reply, and a word that is no answer is no job there", () => {
    const made = asked("permission");
    ask(made, "permission", "e", 2);
    made.show("e", message(11));
    expect(made.hear(DM, message(20), "deny")[0]?.payload).toMatchObject({ why: "bare", decisions: ["d", "e"] });
    expect(types(made.reply(DM, message(21), "deny", message(11)))).toEqual(["DecisionAnswered"]);
    expect(types(made.hear(DM, message(22), "how are you?"))).toEqual(["MessagePointed"]);
    expect(Object.keys(made.state.jobs)).toHaveLength(2);
  });

  test("a session's queue is not stirred by an answer: what waits there waits on", () => {
    const made = asked("question");
    made.hear(T2, message(3), "later");
    expect(types(made.hear(T1, message(20), "A"))).toEqual(["DecisionAnswered"]);
    expect(made.state.sessions[T1]?.queue).toEqual([]);
    expect(made.state.sessions[T2]?.queue).toEqual([job(3)]);
  });

  test("an MCP question in a session's own thread is answered there before anything becomes a job", () => {
    const made = scene();
    made.question("q", ["When?"]);
    made.place("q", T1);
    expect(types(made.hear(T1, message(19), "A"))).toEqual(["JobEnqueued"]);
    made.show("q", message(20));
    expect(types(made.hear(T1, message(21), "A"))).toEqual(["DecisionAnswered"]);
  });

  test("the answer is found after its thread was lost, in direct messages", () => {
    const made = asked("permission");
    for (const place of ["thread", "parent"] as const)
      made.do({ type: "lose_thread", thread_id: T1, place, code: "E_THREAD_ACCESS_FAILED" });
    made.do({
      type: "record_post",
      subject: "d",
      part: "prompt",
      channel_id: DM,
      message_id: message(30),
      hash: "h",
      is: "said",
    });
    expect(types(made.reply(DM, message(31), "deny", message(30)))).toEqual(["DecisionAnswered"]);
  });
});

test("a crash between an answer and what was said of its files keeps the answer, and a message read back answers once", () => {
  const made = asked("question");
  made.hear(T1, message(20), "at noon, like this", ["b.exe"]);
  made.crash(1);
  made.do({ type: "restart" });
  expect(made.state.decisions["d"]).toMatchObject({ state: "answered", answers: [{ words: "at noon, like this" }] });
  expect(made.hear(T1, message(20), "at noon, like this", ["b.exe"])).toEqual([]);
});

test("what is written in a question's own thread before its prompt stands there is its answer; in another's thread, or in direct messages, it is none", () => {
  const made = scene();
  made.question("d", ["When?"]);
  made.place("d", Q);
  made.show("d", message(10));
  expect(types(made.hear(DM, message(8), "A"))).not.toContain("DecisionAnswered");
  expect(types(made.hear(Q, message(9), "A"))).toEqual(["DecisionAnswered"]);
});

test("files belong to the session whose agent asked what they may answer, wherever they are sent, else to where they are", () => {
  const made = asked("question");
  expect(filesFor(made.state, T1, null)).toBe(T1);
  expect(filesFor(made.state, DM, null)).toBe(T1);
  // What is a yes or a no takes no file.
  ask(made, "permission", "p", 2);
  made.show("p", message(11));
  expect(filesFor(made.state, DM, null)).toBe(T1);
  expect(filesFor(made.state, T2, null)).toBe(T2);
  // It might be for either: only what it replies to tells.
  ask(made, "question", "q", 2);
  made.show("q", message(12));
  expect(filesFor(made.state, DM, null)).toBe(DM);
  expect(filesFor(made.state, DM, message(12))).toBe(T2);
});
