/**
 * What a plain yes or no is told where the options are not yes and no: which one, with all of them to press and none
 * suggested.
 */
import { ButtonStyle, ComponentType } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { catalogues, say, type Locale } from "../../../../src/base/words/say.ts";
import { whichControls } from "../../../../src/discord/views/decisions/controls.ts";
import type { DesiredPost } from "../../../../src/discord/views/message.ts";
import { message, T1, type Scene } from "../../../core/scene.ts";
import { allowed, bodyOf, labels, questioning, seen, textOf } from "../../decision-scene.ts";

const about = (scene: Scene): DesiredPost[] =>
  seen(scene).filter(({ part }) => part.startsWith("which:") || part.startsWith("again:"));

function answered(text: string, options = ["Delete", "Keep", "Ask the team"], more = {}): Scene {
  const scene = questioning([{ question: "Do we still need this table?", options, words: true, ...more }]);
  scene.show("dec_1", message(50));
  scene.hear(T1, message(60), text);
  return scene;
}

test("it names what was not understood, and has a button for each option, all alike", () => {
  const [said, ...others] = about(answered("yes"));
  expect([said?.part, said?.news, others]).toEqual(["which:0", { kind: "told" }, []]);
  const body = allowed(bodyOf(said!));
  expect(textOf(body)).toMatch(
    /^Which one\?\nA yes or no does not say which of these options you mean\.\nPlease answer \[the question\]\(https:.*\) again: with `A`, `B`, `C`, with the text of an option, or with a sentence of your own\.$/,
  );
  expect(labels(body)).toEqual(["A · Delete", "B · Keep", "C · Ask the team"]);
  const buttons = body.components.flatMap((row) => (row.type === ComponentType.ActionRow ? row.components : []));
  expect(buttons.map((one) => one.type === ComponentType.Button && one.style)).toEqual([
    ButtonStyle.Secondary,
    ButtonStyle.Secondary,
    ButtonStyle.Secondary,
  ]);
});

test("a yes that is repeated leaves it as it is; another answer that is not understood is told below it; the answer ends it", () => {
  const scene = answered("yes");
  const [first] = about(scene);
  scene.post("dec_1", message(61), "which:0");
  scene.hear(T1, message(62), "yes!");
  expect(about(scene)).toEqual([first]);
  scene.hear(T1, message(63), "Delete or Keep");
  expect(about(scene).map(({ part, want }) => [part, want.kind])).toEqual([
    ["again:2", "show"],
    ["which:0", "show"],
  ]);
  scene.hear(T1, message(64), "keep it");
  expect(scene.state.decisions["dec_1"]?.answers).toEqual([{ places: [1], words: null }]);
  expect(about(scene).map(({ part, want }) => [part, want.kind])).toEqual([["which:0", "show"]]);
});

test("as many options as a message can have are buttons; where there are more, or several may be chosen, it is a list without a choice made", () => {
  const options = (count: number): string[] => Array.from({ length: count }, (_, at) => `Variant ${at}x`);
  const rows = (scene: Scene): number[] =>
    whichControls(scene.state.decisions["dec_1"]!, "en").map((row) =>
      row.type === ComponentType.ActionRow ? row.components.length : 0,
    );
  expect(rows(answered("yes", options(25)))).toEqual([5, 5, 5, 5, 5]);
  for (const scene of [answered("yes", options(26)), answered("yes", options(3), { many: true })]) {
    const [list] = whichControls(scene.state.decisions["dec_1"]!, "en");
    expect(list).toMatchObject({ components: [{ type: ComponentType.StringSelect }] });
    expect(JSON.stringify(list)).not.toContain('"default":true');
  }
});

test.each(Object.keys(catalogues) as Locale[])("in %s it says so", (locale) => {
  const [said] = seen(answered("네"), undefined, { locale }).filter(({ part }) => part === "which:0");
  expect(textOf(allowed(bodyOf(said!)))).toContain(`${say(locale, "which_title")}\n${say(locale, "which_says")}`);
});
