/** A yes to a permission or a plan, by where it is written: it counts only where all of what it allows is shown. */
import { describe, expect, test } from "vitest";
import { job, message, Scene, T1 } from "../scene.ts";

const DM = "100000000000000070";
const types = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);

function scene(): Scene {
  const made = new Scene().withSessions(T1);
  made.hear(T1, message(1));
  made.do({ type: "open_channel", channel_id: DM, guild_id: null, bot_id: "4", kind: "direct", since: message(0) });
  return made;
}

/** Something is asked in the session, and its prompt stands there. */
function asked(what: "permission" | "plan" | "question"): Scene {
  const made = scene();
  ask(made, what);
  made.show("d", message(10));
  return made;
}

function ask(made: Scene, what: "permission" | "plan" | "question"): void {
  if (what === "permission") made.ask(job(1), "d");
  else if (what === "plan") made.plan(job(1), "d");
  else made.question("d", ["When?"], null, { thread_id: T1, asker: { by: "job", job_id: job(1), request_id: "d" } });
}

describe("a yes counts only where the whole of what it allows is shown", () => {
  const move = (made: Scene, part: string, channel_id: string, number: number, change: object = {}): void =>
    void made.do({ type: "record_post", subject: "d", part, channel_id, message_id: message(number), hash: "h", ...change });
  const pointed = (made: Scene, place: string, text: string): unknown => {
    const [only, ...more] = made.hear(place, message(50), text);
    expect(more).toEqual([]);
    expect(made.state.decisions["d"]?.state).toBe("open");
    return only?.payload;
  };

  test.each(["permission", "plan"] as const)("of a %s a direct message that shows it cut is a pointer for each yes, and settles each no", (what) => {
    for (const yes of what === "plan" ? ["approve", "yes", "A", "1"] : ["allow", "yes", "allow for this session", "B", "1"]) {
      const made = asked(what);
      expect(pointed(made, DM, yes)).toMatchObject({ why: "unseen", decisions: ["d"], thread_id: DM });
      made.checkReplay();
    }
    const made = asked(what);
    expect(types(made.hear(DM, message(50), "no"))).toEqual(["DecisionAnswered"]);
  });

  test("a reply to a reminder is no better", () => {
    const made = asked("permission");
    move(made, "reminder:1", DM, 30);
    expect(types(made.reply(DM, message(40), "allow", message(30)))).toEqual(["MessagePointed"]);
    expect(made.state.decisions["d"]?.state).toBe("open");
  });

  test("a question is answered anywhere: it allows nothing", () => {
    expect(types(asked("question").hear(DM, message(20), "A"))).toEqual(["DecisionAnswered"]);
  });

  test("where its thread was lost, it counts where the prompt stands now, and no longer where it stood", () => {
    const made = asked("permission");
    move(made, "prompt", DM, 30);
    expect(pointed(made, T1, "allow")).toMatchObject({ why: "unseen" });
    expect(types(made.hear(DM, message(60), "allow"))).toEqual(["DecisionAnswered"]);
  });

  test("a plan whose pages stand in two places is whole in neither", () => {
    const made = asked("plan");
    move(made, "page:1", T1, 9);
    move(made, "prompt", DM, 30);
    for (const place of [T1, DM]) expect(pointed(made, place, "approve")).toMatchObject({ why: "unseen" });
    move(made, "page:1", DM, 31);
    expect(types(made.hear(DM, message(70), "approve"))).toEqual(["DecisionAnswered"]);
  });

  test("where a notice is in the place of what Discord refused, or what cannot be read, nothing was shown until it is", () => {
    for (const what of ["permission", "plan"] as const) {
      const made = scene();
      ask(made, what);
      move(made, "prompt", T1, 10, { partly: true });
      expect(pointed(made, T1, "yes")).toMatchObject({ why: "unseen" });
      expect(() => made.press("d", [0])).toThrow("E_DECISION_CLOSED");
      move(made, "prompt", T1, 10, { hash: "whole" });
      expect(types(made.press("d", [0]))).toEqual(["DecisionAnswered"]);
      made.checkReplay();
    }
  });

  test("what was written before the prompt was known to stand is no yes either, where only a notice stands", () => {
    const made = scene();
    ask(made, "permission");
    expect(types(made.hear(T1, message(20), "allow"))).toEqual(["JobEnqueued"]);
    const posted = made.do({ type: "record_post", subject: "d", part: "prompt", channel_id: T1, message_id: message(19), hash: "h", partly: true });
    expect(types(posted)).not.toContain("DecisionAnswered");
    expect(made.state.decisions["d"]?.state).toBe("open");
  });
});
