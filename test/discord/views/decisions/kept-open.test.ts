/**
 * What is said to a message that keeps a question open: in its words, where it was written, with what can be pressed.
 */
import { describe, expect, test } from "vitest";
import { catalogues, say, type Locale } from "../../../../src/base/words/say.ts";
import { snoozedUntil } from "../../../../src/discord/views/decisions/controls.ts";
import type { DesiredPost } from "../../../../src/discord/views/message.ts";
import { message, T1, type Scene } from "../../../core/scene.ts";
import { allowed, bodyOf, labels, questioning, seen, textOf } from "../../decision-scene.ts";

const LOCALES = Object.keys(catalogues) as Locale[];
const kept = (scene: Scene): DesiredPost[] => seen(scene).filter(({ part }) => part.startsWith("kept:"));

function asked(words = true): Scene {
  const scene = questioning([{ question: "Deploy?", options: ["A) Now", "B) Tomorrow"], words }]);
  scene.show("dec_1", message(50));
  return scene;
}

test("a wish for time is told that the question stays open, below it, and asked when to ask again", () => {
  const scene = asked();
  scene.hear(T1, message(60), "let me think");
  const [said] = kept(scene);
  expect(said).toMatchObject({ part: `kept:${message(60)}`, reply_to: message(60), thread_id: T1 });
  const body = allowed(bodyOf(said!));
  expect(textOf(body)).toMatch(
    /^The question stays open\n\[the question\]\(https:.*\) waits for your answer\. When do you want to be asked again\?$/,
  );
  expect(labels(body)).toEqual(["In 15 minutes", "In 1 hour", "Tomorrow at 9:00"]);
});

test("a question back is told that the agent does not see it, and how it does", () => {
  const scene = asked();
  scene.hear(T1, message(60), "what does B mean?");
  const body = allowed(bodyOf(kept(scene)[0]!));
  expect(textOf(body)).toContain("does not see your message");
  expect(labels(body)).toEqual(["Send as the answer…", "In 15 minutes", "In 1 hour", "Tomorrow at 9:00"]);
  const strict = asked(false);
  strict.hear(T1, message(60), "what does B mean?");
  expect(labels(bodyOf(kept(strict)[0]!))).toEqual(["In 15 minutes", "In 1 hour", "Tomorrow at 9:00"]);
});

test("written in direct messages it is told there", () => {
  const scene = asked();
  const direct = "100000000000000070";
  scene.do({
    type: "open_channel",
    channel_id: direct,
    guild_id: null,
    bot_id: "4",
    kind: "direct",
    since: message(0),
  });
  scene.hear(direct, message(60), "later");
  expect(kept(scene)[0]).toMatchObject({ to: "owner", reply_to: null });
});

test("once it is put off, that and the prompt say until when; the answer ends it", () => {
  const scene = asked();
  scene.hear(T1, message(60), "later");
  scene.post("dec_1", message(61), `kept:${message(60)}`);
  scene.do({ type: "snooze", decision_id: "dec_1", until: "2026-11-23T09:00:00.000Z" });
  for (const part of [`kept:${message(60)}`, "prompt"])
    expect(textOf(bodyOf(seen(scene).find((one) => one.part === part)!))).toContain(
      "💤 Put off until <t:1795424400:f>",
    );
  scene.hear(T1, message(62), "B");
  expect(kept(scene).map(({ want }) => want.kind)).toEqual(["show"]);
});

test("only the last one stands", () => {
  const scene = asked();
  scene.hear(T1, message(60), "later");
  scene.post("dec_1", message(61), `kept:${message(60)}`);
  scene.hear(T1, message(62), "why?");
  expect(kept(scene).map(({ part, want }) => [part, want.kind])).toEqual([
    [`kept:${message(60)}`, "show"],
    [`kept:${message(62)}`, "show"],
  ]);
});

describe("put off", () => {
  const now = new Date(2026, 10, 22, 14, 30).getTime();
  test("for 15 minutes, for an hour, and until nine the next morning, also over the end of a year", () => {
    expect([snoozedUntil("15m", now) - now, snoozedUntil("1h", now) - now]).toEqual([900_000, 3_600_000]);
    expect(snoozedUntil("9h", now)).toBe(new Date(2026, 10, 23, 9).getTime());
    expect(snoozedUntil("9h", new Date(2026, 11, 31, 23, 59).getTime())).toBe(new Date(2027, 0, 1, 9).getTime());
    const inBerlin = (at: string): string =>
      new Date(snoozedUntil("9h", Date.parse(at), "Europe/Berlin")).toISOString();
    expect(inBerlin("2026-03-28T20:00:00Z")).toBe("2026-03-29T07:00:00.000Z");
    expect(inBerlin("2026-03-28T23:30:00Z")).toBe("2026-03-30T07:00:00.000Z");
  });
});

test.each(LOCALES)("all of it is within Discord's limits in %s", (locale) => {
  const scene = asked();
  scene.hear(T1, message(60), "what does B mean?");
  const said = seen(scene, undefined, { locale }).filter(({ part }) => part.startsWith("kept:") || part === "prompt");
  for (const one of said) expect(textOf(allowed(bodyOf(one)))).not.toBe("");
  expect(labels(bodyOf(said.find(({ part }) => part === "prompt")!))).toContain(say(locale, "button_later"));
});
