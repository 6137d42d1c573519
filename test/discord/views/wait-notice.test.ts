/**
 * A thread that waits says what for, until when and what its owner can do; a wait that is over says so and asks nothing
 * more.
 */
import { describe, expect, test } from "vitest";
import { catalogues, type Locale } from "../../../src/base/words/say.ts";
import {
  changedWait,
  type Changed,
  type ChangedWait,
  type Checkout,
  type Wait,
} from "../../../src/core/projects/checkout.ts";
import type { DesiredPost } from "../../../src/discord/views/message.ts";
import { job, message, T1, type Scene } from "../../core/scene.ts";
import { buttons, content, description, filesOf, names, of, running, view } from "../seen.ts";

const main: Checkout = { cwd: "/srv/`app`", branch: "main", head: "a".repeat(40), tree: null };
const other: Checkout = { ...main, branch: "**other**", head: null };
const limit: Wait = { kind: "limit", job_id: job(1), until: "2026-02-26T18:00:00.500Z" };
const elsewhere = changedWait(job(1), { checkout: { was: main, is: other } });

function waiting(wait: Wait, putBack = true): Scene {
  const scene = running();
  if (putBack) scene.do({ type: "put_back", job_id: job(1), why: wait.kind });
  else scene.fail(job(1));
  scene.do({ type: "park", thread_id: T1, job_id: job(1), wait });
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
  return scene;
}

describe("a limit", () => {
  test("names the time in the reader's own zone and language, and has a button that waits no longer", () => {
    const wait = of(view(waiting(limit)), "wait");
    expect(description(wait)).toContain("on <t:1772128801:f>, <t:1772128801:R>.");
    expect(description(wait)).toContain("**claude**");
    expect(buttons(wait)).toEqual([`unpark:${job(1)}`]);
  });

  const untimed: Wait = { ...limit, untimed: true };

  test("without a usable time says when it is tried again, and names no time at which it ends", () => {
    const wait = of(view(waiting(untimed), { afterLimit: "go_on" }), "wait");
    expect(description(wait)).toBe(
      "The agent has reached its usage limit\n**claude** can't continue, and did not say a usable time when its limit resets. This thread tries again automatically on <t:1772128801:f>, <t:1772128801:R>. What you write until then waits in the queue, and nothing is lost. Other threads continue.",
    );
    expect(buttons(wait)).toEqual([`unpark:${job(1)}`]);
  });

  test.each(["en", "ko", "ja", "zh-TW"] as const)(
    "without a usable time that is asked about shows none, in %s",
    (locale) => {
      const past: Wait = { ...untimed, until: "2026-02-26T14:00:00.000Z" };
      const scene = waiting(past);
      const desired = view(scene, { locale });
      expect(names(desired)).toContain(`0001 lifted:${past.until}`);
      expect(names(desired)).not.toContain("0001 wait");
      const asks = of(desired, `lifted:${past.until}`);
      expect(asks.news).toEqual({ kind: "waits" });
      expect(buttons(asks)).toEqual([`unpark:${job(1)}`]);
      expect(description(asks)).toContain("**claude**");
      expect(JSON.stringify(asks.want)).not.toMatch(/<t:|can continue|has been reset/);
      scene.post(job(1), "5", "wait");
      expect(content(of(view(scene, { locale }), "wait"))).toBe(`-# ${catalogues[locale].wait_limit_holds}`);
      scene.checkReplay();
    },
  );

  test("met after something was done is below the failure, which can be retried", () => {
    const desired = view(waiting(limit, false));
    expect(names(desired)).toEqual(["welcome", "0001 card", "0001 end", "0001 wait"]);
    expect(buttons(of(desired, "end"))).toEqual([`retry:${job(1)}`]);
  });
});

describe("a limit that is over", () => {
  const lifted = (change: (scene: Scene) => void = () => undefined, putBack = true): Scene => {
    const scene = waiting(limit, putBack);
    scene.post(job(1), "5", "wait");
    change(scene);
    scene.do({ type: "lift_limit", thread_id: T1, job_id: job(1) });
    return scene;
  };
  const PART = `lifted:${limit.until}`;

  test("is asked about in a new message that mentions its owner, and its notice asks nothing more", () => {
    const desired = view(lifted());
    expect([buttons(of(desired, "wait")), content(of(desired, "wait"))]).toEqual([
      [],
      "-# The usage limit has been reset.",
    ]);
    const asks = of(desired, PART);
    expect([buttons(asks), asks.news]).toEqual([[`unpark:${job(1)}`], { kind: "waits" }]);
    expect(description(asks)).toContain("**claude** can continue.");
  });

  test("offers to retry a job that failed at it where nothing waits", () => {
    const asks = of(view(lifted(undefined, false)), PART);
    expect(buttons(asks)).toEqual([`retry:${job(1)}`]);
    expect(description(asks)).toContain(`\`${job(1)}\` failed at the limit`);
  });

  test("asks nothing once it is answered, and a second one asks in a message of its own", () => {
    const scene = lifted();
    scene.post(job(1), "6", PART);
    scene.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "owner" });
    expect([buttons(of(view(scene), PART)), content(of(view(scene), PART))]).toEqual([
      [],
      "-# It is no longer waiting.",
    ]);
    scene.do({ type: "put_back", job_id: job(1), why: "limit" });
    scene.do({ type: "park", thread_id: T1, job_id: job(1), wait: { ...limit, until: "2026-02-27T18:00:00.000Z" } });
    scene.do({ type: "lift_limit", thread_id: T1, job_id: job(1) });
    const desired = view(scene);
    expect(buttons(of(desired, PART))).toEqual([]);
    expect(buttons(of(desired, "lifted:2026-02-27T18:00:00.000Z"))).toEqual([`unpark:${job(1)}`]);
  });

  test("says beforehand whether it will ask", () => {
    const notice = (scene: Scene, afterLimit?: "ask" | "go_on"): string =>
      description(of(view(scene, afterLimit && { afterLimit }), "wait"));
    expect(notice(waiting(limit))).toContain("Bellhop then asks here whether to continue.");
    expect(notice(waiting(limit), "go_on")).toContain("This thread tries again automatically on");
    const again = running();
    again.rules = { ...again.rules, resume_after_limit: "go_on" };
    for (const until of [limit.until, "2026-02-27T18:00:00.000Z"]) {
      again.do({ type: "put_back", job_id: job(1), why: "limit" });
      again.do({ type: "park", thread_id: T1, job_id: job(1), wait: { ...limit, until } });
      again.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
      if (until === limit.until) again.do({ type: "lift_limit", thread_id: T1, job_id: job(1) });
    }
    expect(notice(again, "go_on")).toContain("reached its limit again after this thread had continued automatically");
  });

  test.each(Object.keys(catalogues) as Locale[])("is whole in %s", (locale) => {
    for (const putBack of [true, false]) {
      const { want } = of(view(lifted(undefined, putBack), { locale }), PART);
      expect(JSON.stringify(want)).not.toMatch(/\{\w+\}|undefined|NaN/);
    }
  });
});

const partOf = ({ digest }: ChangedWait): string => `changed:${digest.slice(0, 16)}`;
const moved = { project_name: "app", was: "/srv/app", is: "/data/\u202eapp" };
const configuration = { project_name: "app", was: "a".repeat(64), is: "b".repeat(64), shown: "c".repeat(64) };
const asked = (changed: Changed, difference: string | null = null, locale: Locale = "en"): DesiredPost => {
  const wait = changedWait(job(1), changed);
  return of(view(waiting(wait), { difference, locale }), partOf(wait));
};
const titleOf = ({ want }: DesiredPost): string | undefined =>
  want.kind === "show" ? (want.body.embeds[0]?.title ?? want.body.content) : undefined;
const marked = (wanted: string): unknown =>
  expect.stringMatching(new RegExp(`^${wanted}:${job(1)}:[0-9a-f]{32}$`)) as unknown;
const ANSWERS = [marked("accept"), marked("fresh"), `drop:${job(1)}`];

describe("another checkout", () => {
  test("is shown beside the one the conversation was left in, by what differs, and what a name holds is no formatting", () => {
    const lines = (is: Checkout): string[] =>
      description(asked({ checkout: { was: main, is } }))
        .split("\n")
        .slice(3);
    expect(lines(other)).toEqual(["Then: `main` at `aaaaaaaaaa`", "Now: `**other**` at no commit"]);
    expect(lines({ ...main, cwd: "/srv/b", branch: null })).toEqual([
      "Then: `main` at `aaaaaaaaaa` in `/srv/ˋappˋ`",
      "Now: no branch at `aaaaaaaaaa` in `/srv/b`",
    ]);
  });

  test("has a button for each answer, and none but Drop where a name is too long to be shown in full", () => {
    expect(buttons(asked({ checkout: { was: main, is: other } }))).toEqual(ANSWERS);
    for (const is of [
      { ...main, branch: "b".repeat(300) },
      { ...main, cwd: "/".padEnd(1000, "x") },
    ])
      expect([
        buttons(asked({ checkout: { was: main, is } })),
        description(asked({ checkout: { was: main, is } })).includes("too long to be shown in full"),
      ]).toEqual([[`drop:${job(1)}`], true]);
  });
});

describe("a changed configuration", () => {
  test("is in the message where it is short, below it as a file where it is not, and nothing of it is cut", () => {
    const short = Array.from({ length: 40 }, (_, line) => `+ ${line}`).join("\n");
    expect(description(asked({ configuration }, short))).toContain(`\`\`\`diff\n${short}\n\`\`\``);
    expect(filesOf(asked({ configuration }, short))).toEqual([]);
    const beside = { was: `/${"w".repeat(899)}`, is: `/${"i".repeat(899)}`, project_name: "app" };
    for (const [changed, long] of [
      [{ configuration }, `${short}\n+ 41`],
      [{ configuration }, `+ ${"x".repeat(3_000)}`],
      [{ configuration, place: beside }, `+ ${"x".repeat(2_000)}`],
    ] as const) {
      const post = asked(changed, long);
      expect(filesOf(post)).toEqual([long]);
      expect(description(post)).toContain("attached file");
      expect(description(post).length).toBeLessThan(4_096);
      expect(buttons(post)).toEqual(ANSWERS);
    }
  });

  test("has answers that name what was shown, and none where it cannot be shown", () => {
    expect(buttons(asked({ configuration }, "+ a"))).toEqual(ANSWERS);
    expect(buttons(asked({ configuration }, null))).toEqual([`drop:${job(1)}`]);
    const shown = { ...configuration, shown: "d".repeat(64) };
    expect(buttons(asked({ configuration: shown }, "+ a"))[0]).not.toBe(buttons(asked({ configuration }, "+ a"))[0]);
  });
});

describe("another directory", () => {
  test("is named beside the one before, and one too long to be shown whole has no yes", () => {
    expect(description(asked({ place: moved }))).toContain("Before: `/srv/app`\nNow: `/data/⟨U+202E RLO⟩app`");
    expect(buttons(asked({ place: moved }))).toEqual(ANSWERS);
    const long = asked({ place: { ...moved, is: `/${"x".repeat(4_000)}` } });
    expect([buttons(long), filesOf(long)]).toEqual([[`drop:${job(1)}`], []]);
  });
});

describe("several changes", () => {
  const all: Changed = { place: moved, checkout: { was: main, is: other }, configuration };

  test.each([
    ["This project's directory has moved", { place: moved }],
    ["The branch has changed since this conversation", { checkout: { was: main, is: other } }],
    ["This project's agent configuration has changed", { configuration }],
    ["Several things have changed since you last saw them", { place: moved, configuration }],
    ["Several things have changed since you last saw them", { place: moved, checkout: { was: main, is: other } }],
    ["Several things have changed since you last saw them", { checkout: { was: main, is: other }, configuration }],
    ["Several things have changed since you last saw them", all],
  ] as const)("are asked about in one message: %s %#", (title, changed) => {
    const post = asked(changed, "+ a");
    expect(titleOf(post)).toBe(title);
    const text = description(post);
    expect(
      ["leads to a different directory", "remembers the files", "can run code"].map((one) => text.includes(one)),
    ).toEqual(["place", "checkout", "configuration"].map((one) => one in changed));
    expect(buttons(post)).toEqual(ANSWERS);
  });

  test.each(Object.keys(catalogues) as Locale[])("are whole in %s, each under its own title", (locale) => {
    const post = asked(all, "- old\n+ new", locale);
    const text = description(post);
    expect(text).not.toMatch(/\{\w+\}|undefined|NaN/);
    for (const words of ["/srv/app", "/data/⟨U+202E RLO⟩app", "`main`", "`**other**`", "```diff\n- old\n+ new\n```"])
      expect(text).toContain(words);
    for (const title of [{ place: moved }, { checkout: { was: main, is: other } }, { configuration }])
      expect(text).toContain(`**${titleOf(asked(title, "+ a", locale))}**`);
    const { want } = post;
    const labels = JSON.stringify(want).match(/"label":"[^"]+"/g);
    expect(new Set(labels).size).toBe(3);
  });

  test("that change further are asked about in a new message that rings, and the old one has no buttons", () => {
    const first = changedWait(job(1), { place: moved });
    const second = changedWait(job(1), all);
    const scene = waiting(first);
    scene.post(job(1), "5", partOf(first));
    scene.do({ type: "park", thread_id: T1, job_id: job(1), wait: second });
    const desired = view(scene, { difference: "+ a" });
    expect([buttons(of(desired, partOf(first))), content(of(desired, partOf(first)))]).toEqual([
      [],
      "-# This no longer applies: a newer message below asks instead.",
    ]);
    const post = of(desired, partOf(second));
    expect([buttons(post), post.news]).toEqual([ANSWERS, { kind: "waits" }]);
    scene.post(job(1), "6", partOf(second));
    scene.do({ type: "accept_changed", thread_id: T1, job_id: job(1), digest: second.digest, by: "seen" });
    expect([first, second].map((wait) => content(of(view(scene), partOf(wait))))).toEqual([
      "-# It is no longer waiting.",
      "-# It is no longer waiting.",
    ]);
  });
});

describe("a wait", () => {
  const posted = (scene: Scene): Scene => {
    scene.post(job(1), "5", "wait");
    scene.post(job(1), "6", "card");
    return scene;
  };

  test("makes the card of a job that had begun say that it waits; one that had none gets none", () => {
    expect(view(waiting(limit)).some(({ part }) => part === "card")).toBe(false);
    expect(description(of(view(posted(waiting(limit))), "card"))).toBe("⏸️ **claude** · waiting");
  });

  test("that is over has no buttons, and is told no more of where it was never told", () => {
    for (const tell of [posted, (scene: Scene): Scene => scene]) {
      const scene = tell(waiting(limit));
      scene.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "owner" });
      const wait: DesiredPost | undefined = view(scene).find(({ part }) => part === "wait");
      expect(wait && [buttons(wait), content(wait)]).toEqual(
        tell === posted ? [[], "-# It is no longer waiting."] : undefined,
      );
    }
  });

  test("whose job was dropped says that it was not run", () => {
    const scene = posted(waiting(elsewhere));
    scene.post(job(1), "7", partOf(elsewhere));
    scene.do({ type: "cancel_job", job_id: job(1), by: "owner" });
    expect(content(of(view(scene), partOf(elsewhere)))).toBe("-# Dropped. It did not run.");
  });

  test("after which the same job waits for something else asks that", () => {
    const scene = posted(waiting(limit));
    scene.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "owner" });
    scene.do({ type: "put_back", job_id: job(1), why: "changed" });
    scene.do({ type: "park", thread_id: T1, job_id: job(1), wait: elsewhere });
    expect(buttons(of(view(scene), partOf(elsewhere)))).toHaveLength(3);
    expect([buttons(of(view(scene), "wait")), content(of(view(scene), "wait"))]).toEqual([
      [],
      "-# This no longer applies: a newer message below asks instead.",
    ]);
  });

  test("is shown above what waits behind it", () => {
    const scene = waiting(limit);
    for (const number of [2, 3]) scene.hear(T1, message(number));
    expect(names(view(scene)).slice(0, 2)).toEqual(["welcome", "0001 wait"]);
  });

  test.each(Object.keys(catalogues) as Locale[])("is whole and short enough in %s", (locale) => {
    const long = { ...main, cwd: "/".padEnd(5000, "x"), branch: "b".repeat(5000) };
    const cut = changedWait(job(1), { checkout: { was: long, is: other } });
    for (const [wait, part] of [
      [limit, "wait"],
      [cut, partOf(cut)],
    ] as const) {
      const { want } = of(view(waiting(wait), { locale }), part);
      expect(JSON.stringify(want)).not.toMatch(/\{\w+\}|undefined|NaN/);
      expect(want.kind === "show" && want.body.embeds[0]?.description?.length).toBeLessThan(1500);
    }
  });
});

test.each([
  ["busy", false],
  ["draft", true],
  ["dialog", true],
  ["start", true],
] as const)(
  "a terminal that is waited for (%s) calls its owner where he has something to do there: %s",
  (reason, calls) => {
    const wait: Wait = { kind: "terminal", job_id: job(1), reason, attach: "tmux attach" };
    expect(of(view(waiting(wait)), "wait").news).toEqual(calls ? { kind: "waits" } : undefined);
  },
);

test.each([
  ["what was shown in full", "half a thought", true],
  ["nothing that is not shown in full", "long ".repeat(400), false],
  ["nothing where the box has more than was typed", undefined, false],
])("of a draft the owner may clear %s", (_, screen, isOffered) => {
  const wait: Wait = {
    kind: "terminal",
    job_id: job(1),
    reason: "draft",
    attach: "tmux attach",
    ...(screen !== undefined && { screen }),
  };
  expect(JSON.stringify(of(view(waiting(wait)), "wait").want).includes("Clear the draft and send")).toBe(isOffered);
});

test("a screen that is too long to show in full keeps its end, where the question stands", () => {
  const screen = [
    "Welcome to Claude Code",
    ...Array.from({ length: 40 }, () => "·".repeat(100)),
    "Do you trust the files in this folder?",
    "❯ 1. Yes",
    "  2. No",
  ].join("\n");
  const wait: Wait = { kind: "terminal", job_id: job(1), reason: "start", attach: "tmux attach", screen };
  const shown = description(of(view(waiting(wait)), "wait"));
  expect(shown).toContain("Do you trust the files in this folder?\n❯ 1. Yes\n  2. No\n```");
  expect(shown).not.toContain("Welcome");
  expect(shown.length).toBeLessThan(2_000);
});
