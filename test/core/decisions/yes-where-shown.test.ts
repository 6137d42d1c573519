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
    void made.do({
      type: "record_post",
      subject: "d",
      part,
      channel_id,
      message_id: message(number),
      hash: "h",
      is: "said",
      ...change,
    });
  /** A yes in reply to this message of its, which counts for nothing. */
  const pointed = (made: Scene, place: string, text: string, to: number): unknown => {
    const [only, ...more] = made.reply(place, message(50), text, message(to));
    expect(more).toEqual([]);
    expect(made.state.decisions["d"]?.state).toBe("open");
    return only?.payload;
  };

  test.each(["permission", "plan"] as const)(
    "of a %s a reply to a reminder in direct messages, which shows it cut, is a pointer for each yes, and settles by a no",
    (what) => {
      for (const yes of ["approve", "yes", "allow", "はい"]) {
        const made = asked(what);
        move(made, "reminder:1", DM, 30);
        expect(pointed(made, DM, yes, 30)).toMatchObject({ why: "unseen", decisions: ["d"], thread_id: DM });
        made.checkReplay();
      }
      const made = asked(what);
      move(made, "reminder:1", DM, 30);
      expect(types(made.reply(DM, message(50), "no", message(30)))).toEqual(["DecisionAnswered"]);
    },
  );

  test("a reply that is written in another channel than the prompt is no better", () => {
    expect(pointed(asked("permission"), DM, "allow", 10)).toMatchObject({ why: "unseen", thread_id: DM });
  });

  test("a question is answered anywhere: it allows nothing", () => {
    expect(types(asked("question").hear(DM, message(20), "A"))).toEqual(["DecisionAnswered"]);
  });

  test("where its thread was lost, it counts where the prompt stands now, and no longer where it stood", () => {
    const made = asked("permission");
    move(made, "prompt", DM, 30);
    expect(types(made.reply(T1, message(50), "allow", message(10)))).toEqual(["MessagePointed"]);
    expect(types(made.reply(DM, message(60), "allow", message(30)))).toEqual(["DecisionAnswered"]);
  });

  test("a plan whose pages stand in two places is whole in neither", () => {
    const made = asked("plan");
    move(made, "page:1", T1, 9);
    move(made, "prompt", DM, 30);
    for (const [place, to] of [
      [T1, 9],
      [DM, 30],
    ] as const)
      expect(pointed(made, place, "approve", to)).toMatchObject({ why: "unseen" });
    move(made, "page:1", DM, 31);
    expect(types(made.reply(DM, message(70), "approve", message(31)))).toEqual(["DecisionAnswered"]);
  });

  test("where a notice is in the place of what Discord refused, or what cannot be read, nothing was shown until it is", () => {
    for (const what of ["permission", "plan"] as const) {
      const made = scene();
      ask(made, what);
      move(made, "prompt", T1, 10, { partly: true });
      expect(pointed(made, T1, "yes", 10)).toMatchObject({ why: "unseen" });
      expect(() => made.press("d", [0])).toThrow("E_DECISION_CLOSED");
      move(made, "prompt", T1, 10, { hash: "whole" });
      expect(types(made.press("d", [0]))).toEqual(["DecisionAnswered"]);
      made.checkReplay();
    }
  });

  test("a reply that came before the prompt was known to stand is no yes either, where only a notice stands", () => {
    const made = scene();
    ask(made, "permission");
    expect(types(made.reply(T1, message(20), "allow", message(19)))).toEqual(["MessagePointed"]);
    const posted = made.do({
      type: "record_post",
      subject: "d",
      part: "prompt",
      channel_id: T1,
      message_id: message(19),
      hash: "h",
      is: "said",
      partly: true,
    });
    expect(types(posted)).not.toContain("DecisionAnswered");
    expect(made.state.decisions["d"]?.state).toBe("open");
  });
});
