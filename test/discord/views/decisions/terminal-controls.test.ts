/** The buttons of what the Claude at a terminal asks: the rows, words and colours that its design names. */
import { ButtonStyle, ComponentType } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { catalogues, type Locale } from "../../../../src/base/words/say.ts";
import type { Page } from "../../../../src/core/decisions/pages.ts";
import type { Scene } from "../../../core/scene.ts";
import { allowed, asking, bodyOf, questioning, seen } from "../../decision-scene.ts";
import { of } from "../../seen.ts";

const { Primary: blue, Secondary: grey, Success: green, Danger: red } = ButtonStyle;

/** What is asked is asked by the Claude at a terminal. */
function atDesk({ state }: Scene): string {
  const [decision] = Object.values(state.decisions);
  Object.assign(decision ?? {}, {
    asker: {
      by: "hook",
      request_id: "1",
      thread_id: decision?.thread_id,
      job_id: decision?.asker.by === "job" ? decision.asker.job_id : "",
      claude_session: "c",
      prompt_id: "p",
    },
  });
  return decision?.decision_id ?? "";
}

/** Each row of its prompt, a button as its label and its colour. */
function rowsOf(
  scene: Scene,
  pages: readonly Page[] | undefined,
  locale: Locale,
): (readonly [string, ButtonStyle])[][] {
  atDesk(scene);
  const rows = allowed(bodyOf(of(seen(scene, pages, { locale }), "prompt"))).components;
  return rows.map((row) =>
    (row.type === ComponentType.ActionRow ? row.components : []).flatMap((one) =>
      one.type === ComponentType.Button && "label" in one ? [[one.label ?? "", one.style] as const] : [],
    ),
  );
}

test("a question has its options in a row of blue buttons, and one for another answer in a grey row below", () => {
  const options = ["Red", "Green", "Blue", "Black", "White"];
  const asked = (locale: Locale): unknown => rowsOf(questioning([{ question: "Which?", options }]), undefined, locale);
  expect(asked("en")).toEqual([
    options.map((label, place) => [`${"ABCDE"[place]} · ${label}`, blue]),
    [["Other (type your answer)", grey]],
  ]);
  expect(asked("ja")).toMatchObject([{}, [["その他（テキスト入力）", grey]]]);
});

test("what was chosen, or said with a no, in the terminal stands in the settled message", () => {
  const described = (
    scene: Scene,
    end: { outcome: "answered" | "denied"; said: (string | null)[] },
  ): string | undefined => {
    const [{ decision_id = "" } = {}] = Object.values(scene.state.decisions);
    scene.do({ type: "void", decision_id, why: "terminal", ...end });
    return bodyOf(of(seen(scene, undefined, { locale: "en" }), "prompt")).embeds[0]?.description;
  };
  expect(
    described(
      questioning([
        { question: "Which?", options: ["Red", "Blue"] },
        { question: "Why?", options: ["A", "B"] },
      ]),
      { outcome: "answered", said: ["Blue", "words *of* mine"] },
    ),
  ).toMatch(/Answered in the terminal[^]*Which\?\n> Blue\nWhy\?\n> words \\\*of\\\* mine/);
  expect(
    described(asking({ tool: "Bash", input: { command: "npm test" } }).scene, {
      outcome: "denied",
      said: ["use another file"],
    }),
  ).toMatch(/Denied in the terminal[^]*> use another file/);
});

test("what became of it in the terminal is shown also where it was first known to be over", () => {
  const { scene } = asking({ tool: "Bash", input: { command: "npm test" } });
  const decision_id = atDesk(scene);
  const drawn = (): string | undefined =>
    bodyOf(of(seen(scene, undefined, { locale: "en" }), "prompt")).embeds[0]?.description;
  scene.do({ type: "void", decision_id, why: "asker_gone" });
  expect(drawn()).toContain("No longer open");
  scene.do({ type: "void", decision_id, why: "terminal", outcome: "denied" });
  expect(drawn()).toContain("Denied in the terminal");
});

test("a permission is allowed in green, refused in red, and answered otherwise in grey", () => {
  const { scene, pages } = asking({ tool: "Bash", input: { command: "npm test" } });
  expect(rowsOf(scene, pages, "ja")).toEqual([
    [
      ["許可", green],
      [catalogues.ja.decision_allow_session, blue],
      ["拒否", red],
      ["それ以外", grey],
    ],
  ]);
});

test("a plan is approved in green and rejected in red", () => {
  const { scene, pages } = asking({ plan: { plan: "# First A" } });
  expect(rowsOf(scene, pages, "en")).toEqual([
    [
      ["Approve", green],
      ["Reject", red],
      ["Reject with feedback", grey],
    ],
  ]);
});
