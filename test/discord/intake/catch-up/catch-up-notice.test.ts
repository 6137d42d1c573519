/** What is said while reading back takes its time, and of threads that cannot be read. */
import { expect, test } from "vitest";
import { catalogues, type Locale } from "../../../../src/base/words/say.ts";
import { catchUpNotice, noticeChannel } from "../../../../src/discord/intake/intake.ts";
import type { UnreadThreads } from "../../../../src/discord/intake/catch-up.ts";
import { CHANNEL, Scene, T1 } from "../../../core/scene.ts";
import { description } from "../../seen.ts";

const nothing: UnreadThreads = { waiting: [], unreadable: [] };
const at = { locale: "en" as Locale, channelId: CHANNEL, since: 1_700_000_000_000 };

test("it is in the owner's channel, else where this bot's first session was opened", () => {
  const { state } = new Scene().withSessions(T1);
  expect([
    noticeChannel(state, "7", "4"),
    noticeChannel(state, undefined, "4"),
    noticeChannel(state, undefined, "5"),
  ]).toEqual(["7", CHANNEL, undefined]);
});

test("nothing left, nothing said; and what was said is taken away", () => {
  const scene = new Scene().withSessions(T1);
  expect(catchUpNotice(scene.state, nothing, at)).toEqual([]);
  const [desired] = catchUpNotice(scene.state, { waiting: [T1], unreadable: [] }, at);
  scene.post(desired?.subject ?? "", "900", desired?.part);
  expect(catchUpNotice(scene.state, nothing, at)).toMatchObject([{ want: { kind: "remove" }, thread_id: CHANNEL }]);
});

test.each(Object.keys(catalogues) as Locale[])(
  "it names the threads, the first ten of many, and says how many there are (%s)",
  (locale) => {
    const { state } = new Scene().withSessions(T1);
    const waiting = Array.from({ length: 12 }, (_, index) => `10000000000000${String(index).padStart(4, "0")}`);
    const [desired] = catchUpNotice(state, { waiting, unreadable: [T1] }, { ...at, locale });
    if (!desired) throw new Error("nothing is owed");
    const [left = "", unreadable = ""] = description(desired).split("\n");
    expect(left).toContain("12");
    expect(left.match(/<#\d+>/g)).toEqual(waiting.slice(0, 10).map((id) => `<#${id}>`));
    expect(left).toContain("…");
    expect(unreadable.match(/<#\d+>/g)).toEqual([`<#${T1}>`]);
  },
);
