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

const asks = (at: number, ...before: number[]): News => ({ kind: "asks", at, before });
const ends = (workedMs: number, at = NOON): News => ({ kind: "ends", at, workedMs });

test.each<[string, News | undefined, Called]>([
  ["a card, or what the owner did himself", undefined, { rings: false, mention: null }],
  ["a prompt", asks(NOON), { rings: true, mention: "1" }],
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

test("quiet hours are those of the owner's time zone", () => {
  const config = () => ({ ...defaultConfig(), quiet_hours: "22:00-08:00", time_zone: "Asia/Seoul" });
  const rings = (at: string): boolean => {
    const now = Date.parse(at);
    return calledFor(botContext({ ownerId: "1", clock: createFakeClock(now), config }), asks(now)).rings;
  };
  expect([rings("2026-02-26T12:59:00Z"), rings("2026-02-26T13:00:00Z")]).toEqual([true, false]);
});

test("nobody is mentioned of what the setting leaves out, and it rings all the same", () => {
  expect(called(asks(NOON), { mention: ["ends"] })).toEqual({ rings: true, mention: null });
  expect(called(ends(60_000), { mention: ["waiting"] })).toEqual({ rings: true, mention: null });
});

test("in quiet hours nothing rings, and what began in them stays silent when they are over", () => {
  const silent = { rings: false, mention: null };
  for (const news of [{ kind: "waits" }, { kind: "told" }, { kind: "reminds" }] as const)
    expect(called(news, { now: NIGHT })).toEqual(silent);
  expect([called(asks(NIGHT)), called(ends(60_000, NIGHT))]).toEqual([silent, silent]);
});

test("a prompt within ten seconds of one that rings is silent, and one after them rings", () => {
  const rings = (at: number, ...before: number[]): boolean => called(asks(at, ...before)).rings;
  const [S, calls] = [1_000, { rings: true, mention: "1" }];
  expect(called(asks(NOON + 10 * S, NOON))).toEqual({ rings: false, mention: null });
  expect(called(asks(NOON + 10 * S + 1, NOON))).toEqual(calls);
  // Counted from the one that rings, not from those beside it.
  expect([rings(NOON + 6 * S, NOON), rings(NOON + 12 * S, NOON, NOON + 6 * S)]).toEqual([false, true]);
  expect(rings(NOON + 18 * S, NOON, NOON + 6 * S, NOON + 12 * S)).toBe(false);
  expect([NOON, NOON, NOON, NOON].map((at, place, all) => rings(at, ...all.slice(0, place)))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  // A clock that is set back keeps nothing silent for long.
  expect(rings(NOON, NOON + 3_600 * S)).toBe(true);
  // What was asked in quiet hours did not ring.
  const morning = new Date(2026, 1, 26, 8).getTime();
  expect([rings(morning, morning - 5 * S), rings(morning + 5 * S, morning - 5 * S, morning)]).toEqual([true, false]);
});
