/**
 * A thread that waits says what for, until when and what its owner can do; a wait that is over says so and asks nothing
 * more.
 */
import { describe, expect, test } from "vitest";
import { catalogues, type Locale } from "../../../src/base/words/say.ts";
import type { Checkout, Wait } from "../../../src/core/projects/checkout.ts";
import type { DesiredPost } from "../../../src/discord/views/message.ts";
import { job, message, T1, type Scene } from "../../core/scene.ts";
import { buttons, content, description, filesOf, names, of, running, view } from "../seen.ts";

const main: Checkout = { cwd: "/srv/`app`", branch: "main", head: "a".repeat(40), tree: null };
const other: Checkout = { ...main, branch: "**other**", head: null };
const limit: Wait = { kind: "limit", job_id: job(1), until: "2026-02-26T18:00:00.500Z" };
const elsewhere: Wait = { kind: "checkout", job_id: job(1), was: main, is: other };

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

  test("whose end its agent has not named, or not believably, is said to be guessed, before that time and after it", () => {
    const guess: Wait = { ...limit, guessed: true };
    const scene = waiting(guess);
    expect(description(of(view(scene), "wait"))).toMatch(
      /<t:1772128801:R>\.[^\n]*\n\*\*claude\*\* did not give a believable reset time/,
    );
    scene.post(job(1), "5", "wait");
    scene.do({ type: "lift_limit", thread_id: T1, job_id: job(1) });
    const desired = view(scene);
    expect(content(of(desired, "wait"))).toBe("-# The usage limit may be over");
    const asks = of(desired, `lifted:${guess.until}`);
    expect(buttons(asks)).toEqual([`unpark:${job(1)}`]);
    expect(description(asks)).not.toContain("can continue");
    scene.checkReplay();
  });

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
    const calls = (): { rings: boolean; mention: string } => ({ rings: true, mention: "1" });
    const desired = view(lifted(), { calls });
    expect([buttons(of(desired, "wait")), content(of(desired, "wait"))]).toEqual([
      [],
      "-# The usage limit has been reset.",
    ]);
    const asks = of(desired, PART);
    expect([buttons(asks), asks.rings, content(asks)]).toEqual([[`unpark:${job(1)}`], true, "<@1>"]);
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
      const embed = want.kind === "show" ? want.body.embeds[0] : undefined;
      expect(`${embed?.title} ${embed?.description}`).not.toMatch(/\{\w+\}|undefined|NaN/);
    }
  });
});

describe("another checkout", () => {
  test("is shown beside the one the conversation was left in, by what differs, and what a name holds is no formatting", () => {
    const lines = description(of(view(waiting(elsewhere)), "wait"))
      .split("\n")
      .slice(1);
    expect(lines).toEqual(["Then: `main` at `aaaaaaaaaa`", "Now: `**other**` at no commit"]);
    const moved = description(of(view(waiting({ ...elsewhere, is: { ...main, cwd: "/srv/b", branch: null } })), "wait"))
      .split("\n")
      .slice(1);
    expect(moved).toEqual([
      "Then: `main` at `aaaaaaaaaa` in `/srv/ˋappˋ`",
      "Now: no branch at `aaaaaaaaaa` in `/srv/b`",
    ]);
  });

  test("has a button for each answer", () => {
    expect(buttons(of(view(waiting(elsewhere)), "wait"))).toEqual([
      `anyway:${job(1)}`,
      `fresh:${job(1)}`,
      `drop:${job(1)}`,
    ]);
  });
});

describe("a changed configuration", () => {
  const wait: Wait = {
    kind: "configuration",
    job_id: job(1),
    project_name: "app",
    was: "a".repeat(64),
    is: "b".repeat(64),
    shown: "c".repeat(64),
  };
  const shown = (difference: string | null): DesiredPost => of(view(waiting(wait), { difference }), "wait");

  test("is in the message where it is short, below it as a file where it is not, and nothing of it is cut", () => {
    const short = Array.from({ length: 40 }, (_, line) => `+ ${line}`).join("\n");
    expect(description(shown(short))).toContain(`\`\`\`diff\n${short}\n\`\`\``);
    expect(filesOf(shown(short))).toEqual([]);
    for (const long of [`${short}\n+ 41`, `+ ${"x".repeat(3_000)}`]) {
      expect(filesOf(shown(long))).toEqual([long]);
      expect(description(shown(long))).toContain("attached file");
    }
  });

  test("has a yes that names what was shown, and none where it cannot be shown", () => {
    expect(buttons(shown("+ a"))).toEqual([
      expect.stringMatching(new RegExp(`^with:${job(1)}:[0-9a-f]{32}$`)),
      `drop:${job(1)}`,
    ]);
    expect(buttons(shown(null))).toEqual([`drop:${job(1)}`]);
    const other = { ...wait, shown: "d".repeat(64) };
    expect(buttons(of(view(waiting(other), { difference: "+ a" }), "wait"))[0]).not.toBe(buttons(shown("+ a"))[0]);
  });
});

describe("another directory", () => {
  test("is named beside the one before, and one too long to be shown whole has no yes", () => {
    const wait = (is: string): Wait => ({ kind: "place", job_id: job(1), project_name: "app", was: "/srv/app", is });
    const asked = of(view(waiting(wait("/data/\u202eapp"))), "wait");
    expect(description(asked)).toContain("Before: `/srv/app`\nNow: `/data/⟨U+202E RLO⟩app`");
    expect(buttons(asked)).toEqual([
      expect.stringMatching(new RegExp(`^there:${job(1)}:[0-9a-f]{32}$`)),
      `drop:${job(1)}`,
    ]);
    expect(buttons(of(view(waiting(wait(`/${"x".repeat(2_000)}`))), "wait"))).toEqual([`drop:${job(1)}`]);
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
    scene.do({ type: "cancel_job", job_id: job(1), by: "owner" });
    expect(content(of(view(scene), "wait"))).toBe("-# Dropped. It did not run.");
  });

  test("after which the same job waits for something else asks that", () => {
    const scene = posted(waiting(limit));
    scene.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "owner" });
    scene.do({ type: "put_back", job_id: job(1), why: "checkout" });
    scene.do({ type: "park", thread_id: T1, job_id: job(1), wait: elsewhere });
    expect(buttons(of(view(scene), "wait"))).toHaveLength(3);
    expect(view(scene).filter(({ part }) => part === "wait")).toHaveLength(1);
  });

  test("is shown above what waits behind it", () => {
    const scene = waiting(limit);
    for (const number of [2, 3]) scene.hear(T1, message(number));
    expect(names(view(scene)).slice(0, 2)).toEqual(["welcome", "0001 wait"]);
  });

  test.each(Object.keys(catalogues) as Locale[])("is whole and short enough in %s", (locale) => {
    const long = { ...main, cwd: "/".padEnd(5000, "x"), branch: "b".repeat(5000) };
    for (const wait of [limit, { ...elsewhere, was: long }]) {
      const { want } = of(view(waiting(wait), { locale }), "wait");
      const embed = want.kind === "show" ? want.body.embeds[0] : undefined;
      expect(`${embed?.title} ${embed?.description}`).not.toMatch(/\{\w+\}|undefined|NaN/);
      expect(embed?.description?.length).toBeLessThan(1500);
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
    const shown = of(view(waiting(wait), { calls: () => ({ rings: true, mention: "1" }) }), "wait");
    expect([shown.rings, content(shown) === "<@1>"]).toEqual([calls, calls]);
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
