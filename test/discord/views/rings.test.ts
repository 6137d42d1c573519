/** Which messages ring, and which mention their owner: by what they are, how long it took, and whether it is quiet. */
import { expect, test } from "vitest";
import type { News } from "../../../src/discord/views/message.ts";
import { calledFor, type Called } from "../../../src/discord/views/rings.ts";
import { defaultConfig } from "../../../src/config/config-file.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

const NOON = new Date(2026, 1, 26, 12).getTime();
const NIGHT = new Date(2026, 1, 26, 23).getTime();

function called(news: News | undefined, more: { mention?: ("waiting" | "ends")[]; now?: number } = {}): Called {
  const { mention = ["waiting", "ends"], now = NOON } = more;
  const config = () => ({ ...defaultConfig(), mention, mention_after_s: 60, quiet_hours: "22:00-08:00" });
  return calledFor(botContext({ ownerId: "1", clock: createFakeClock(now), config }), news);
}

const ends = (workedMs: number, at = NOON): News => ({ kind: "ends", at, workedMs });

test.each<[string, News | undefined, Called]>([
  ["a card, or what the owner did himself", undefined, { rings: false, mention: null }],
  ["a prompt", { kind: "asks", at: NOON }, { rings: true, mention: "1" }],
  [
    "a prompt whose dialog its owner sits in front of",
    { kind: "asks_at_terminal", at: NOON },
    { rings: false, mention: null },
  ],
  ["a thread that waits", { kind: "waits" }, { rings: true, mention: "1" }],
  ["a reminder", { kind: "reminds" }, { rings: true, mention: null }],
  ["the end of a long job", ends(60_000), { rings: true, mention: "1" }],
  ["the end of a short job", ends(59_999), { rings: true, mention: null }],
  ["a refusal", { kind: "told" }, { rings: true, mention: null }],
])("%s", (_what, news, expected) => {
  expect(called(news)).toEqual(expected);
});

test("nobody is mentioned of what the setting leaves out, and it rings all the same", () => {
  expect(called({ kind: "asks", at: NOON }, { mention: ["ends"] })).toEqual({ rings: true, mention: null });
  expect(called(ends(60_000), { mention: ["waiting"] })).toEqual({ rings: true, mention: null });
});

test("in quiet hours nothing rings, and what began in them stays silent when they are over", () => {
  const silent = { rings: false, mention: null };
  for (const news of [{ kind: "waits" }, { kind: "told" }, { kind: "reminds" }] as const)
    expect(called(news, { now: NIGHT })).toEqual(silent);
  expect([called({ kind: "asks", at: NIGHT }), called(ends(60_000, NIGHT))]).toEqual([silent, silent]);
});
