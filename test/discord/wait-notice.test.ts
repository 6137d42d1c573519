/** A thread that waits says what for, until when and what its owner can do; a wait that is over says so and asks nothing more. */
import { describe, expect, test } from "vitest";
import { catalogues, type Locale } from "../../src/base/words/say.ts";
import type { Checkout, Wait } from "../../src/core/checkout.ts";
import type { Owed } from "../../src/discord/owed.ts";
import { job, message, T1, type Scene } from "../core/scene.ts";
import { buttons, content, description, names, of, running, view } from "./seen.ts";

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
    expect(description(wait)).toContain("on <t:1772128801:f>, <t:1772128801:R>;");
    expect(description(wait)).toContain("**claude**");
    expect(buttons(wait)).toEqual([`unpark:${job(1)}`]);
  });

  test("met after something was done stands below the failure, which can be retried", () => {
    const owed = view(waiting(limit, false));
    expect(names(owed)).toEqual(["welcome", "0001 end", "0001 card", "0001 wait"]);
    expect(buttons(of(owed, "end"))).toEqual([`retry:${job(1)}`]);
  });
});

describe("another checkout", () => {
  test("is shown beside the one the conversation was left in, by what differs, and what a name holds is no formatting", () => {
    const lines = description(of(view(waiting(elsewhere)), "wait")).split("\n").slice(1);
    expect(lines).toEqual(["Left in: `main` at `aaaaaaaaaa`", "Now: `**other**` at no commit"]);
    const moved = description(of(view(waiting({ ...elsewhere, is: { ...main, cwd: "/srv/b", branch: null } })), "wait")).split("\n").slice(1);
    expect(moved).toEqual(["Left in: `main` at `aaaaaaaaaa` in `/srv/ˋappˋ`", "Now: no branch at `aaaaaaaaaa` in `/srv/b`"]);
  });

  test("has a button for each answer", () => {
    expect(buttons(of(view(waiting(elsewhere)), "wait"))).toEqual([`anyway:${job(1)}`, `fresh:${job(1)}`, `drop:${job(1)}`]);
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
    expect(description(of(view(posted(waiting(limit))), "card"))).toBe("⏸️ **claude** · waits");
  });

  test("that is over has no buttons, and is told no more of where it was never told", () => {
    for (const tell of [posted, (scene: Scene): Scene => scene]) {
      const scene = tell(waiting(limit));
      scene.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "time" });
      const wait: Owed | undefined = view(scene).find(({ part }) => part === "wait");
      expect(wait && [buttons(wait), content(wait)]).toEqual(tell === posted ? [[], "-# The wait is over."] : undefined);
    }
  });

  test("whose job was dropped says that it was not run", () => {
    const scene = posted(waiting(elsewhere));
    scene.do({ type: "cancel_job", job_id: job(1), by: "owner" });
    expect(content(of(view(scene), "wait"))).toBe("-# Dropped; it was not run.");
  });

  test("after which the same job waits for something else asks that", () => {
    const scene = posted(waiting(limit));
    scene.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "time" });
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
