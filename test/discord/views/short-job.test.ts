/** What is owed of a job that may end soon: nothing yet; and then, where it fits, one message. */
import { describe, expect, test } from "vitest";
import { uptoOf } from "../../../src/discord/views/jobs/answer-posts.ts";
import type { Live } from "../../../src/discord/views/message.ts";
import { job, T1, type Scene } from "../../core/scene.ts";
import { buttons, content, description, names, of, running, view } from "../seen.ts";

test("a job that runs has nothing posted of it for a second and a half; its card not while a prompt stands, its words then at once", () => {
  const due = (scene: Scene): unknown[] =>
    view(scene, { liveText: () => ({ text: "so far", tools: [] }) })
      .filter(({ part }) => part === "card" || part === "answer:0")
      .map(({ part, notBefore, since }) => [part, notBefore === undefined ? "now" : notBefore - since]);
  const scene = running();
  expect(due(scene)).toEqual([
    ["card", 1_500],
    ["answer:0", 1_500],
  ]);
  scene.ask(job(1), "dec_1");
  expect(due(scene)).toEqual([
    ["card", Infinity],
    ["answer:0", "now"],
  ]);
  scene.now += 60_000;
  scene.press("dec_1", [0]);
  const [card, answer] = due(scene) as [string, number][];
  expect(card?.[1]).toBeGreaterThanOrEqual(61_500);
  expect(answer?.[1]).toBe(card?.[1]);
});

test("its card begins as the one that is looked for when its record is lost, whatever happened before", () => {
  const ended = running();
  ended.finish(job(1));
  const { want } = of(view(ended, { result: () => "x" }), "card");
  const sought = want.kind === "found" ? want.body.embeds[0]?.description : undefined;
  const scene = running();
  const tools: Live["tools"] = [{ id: "1", name: "Bash", title: "ls", state: "running" }];
  for (const step of [
    () => undefined,
    () => scene.ask(job(1), "dec_1"),
    () => scene.do({ type: "cancel_job", job_id: job(1), by: "owner" }),
  ]) {
    step();
    expect(description(of(view(scene, { liveText: () => ({ text: "", tools }) }), "card"))).toBe(
      `${sought}\n🔧 Running Bash... \`ls\``,
    );
  }
});

const ended = (change: (scene: Scene) => void = () => undefined): Scene => {
  const scene = running();
  change(scene);
  scene.finish(job(1));
  return scene;
};

test("an ended job looks for a card that may stand unrecorded, and keeps one with the tools and the plan", () => {
  const { want } = of(view(ended(), { result: () => "x" }), "card");
  expect(want).toMatchObject({
    kind: "found",
    grown: true,
    body: { embeds: [{ description: "⚙️ **claude** · running" }] },
  });
  const scene = ended();
  scene.post(job(1), "6", "card");
  const plan: Live["plan"] = [
    { text: "Read", state: "done" },
    { text: "Write", state: "done" },
  ];
  const desired = view(scene, { result: () => "x", liveText: () => ({ text: "", tools: [], plan }) });
  expect(description(of(desired, "card"))).toBe("✅ **claude**\nPlan, 2 of 2 done:\n☑ Read\n☑ Write");
  expect([of(desired, "card").is, buttons(of(desired, "card"))]).toEqual(["over", []]);
  const posted = { type: "record_post", subject: job(1), channel_id: T1, message_id: "6", hash: "h" } as const;
  scene.do({ ...posted, part: "card", is: "over" });
  scene.do({ ...posted, part: "end", is: of(desired, "end").is });
  expect(names(view(scene, { result: () => "x" }))).toEqual(["welcome"]);
});

test("what is found after the end of a job is added to it where all of its answer stands above", () => {
  const scene = running();
  const text = "I will look.";
  const post = { type: "record_post", subject: job(1), channel_id: T1, message_id: "6", hash: "h" } as const;
  scene.do({ ...post, part: "answer:0", is: "whole", upto: uptoOf(text, text.length) });
  scene.finish(job(1));
  const first = of(view(scene, { result: () => text }), "end");
  expect(content(first)).toMatch(/^said\n-# ✅ done/);
  scene.do({ ...post, part: "end", is: first.is });
  const changes = { files: 1, added: 1, removed: 0, patch: "a".repeat(64) };
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "changes", changes, stat: null } });
  const end = of(view(scene, { result: () => text }), "end");
  expect([content(end).includes("+1"), buttons(end)]).toEqual([true, [expect.stringContaining("diff")]]);
});

describe("the answer of a job that was not shown before its end", () => {
  const said = (words: string) => ({ result: () => words });

  test("is one message with what closes it, which rings as an end does and is sent as the answer's first", () => {
    const end = of(view(ended(), said("All *done*.")), "end");
    expect(content(end)).toMatch(/^All \*done\*\.\n-# ✅ done · \*\*claude\*\* · `m` · \d+s · .*$/);
    const body = { embeds: [], components: [], flags: 4, allowed_mentions: { parse: [], replied_user: false } };
    expect(end.want).toMatchObject({ kind: "show", body });
    expect(end).toMatchObject({ sentAs: "answer:0", is: "success", news: { kind: "ends" } });
    expect(names(view(ended(), said("All *done*.")))).toEqual(["welcome", "0001 card", "0001 end"]);
  });

  test("offers there what can be pressed, and shows the footer of a terminal's Claude once", () => {
    const changes = { files: 1, added: 1, removed: 0, patch: "a".repeat(64) };
    const scene = ended((one) =>
      one.do({ type: "progress", job_id: job(1), progress: { kind: "changes", changes, stat: null } }),
    );
    const footer = () => ({ model: "Opus", context: 7, session: null, weekly: null, tokens: null, cost: null });
    for (const place of ["line", "card"] as const) {
      const config = { long_answers: "file", max_file_bytes: 1e7, footer: place } as const;
      const end = of(view(scene, { ...said("x"), footer, config }), "end");
      expect(content(end).split("-# 📊 Opus 7%")).toHaveLength(2);
      expect(buttons(end)).toEqual([expect.stringContaining("diff")]);
    }
  });

  test.each<[string, (scene: Scene) => void, string]>([
    ["is as long as a message may be", () => undefined, "x".repeat(1_960)],
    ["fills two messages", () => undefined, `${"word ".repeat(300)}\n\n${"word ".repeat(300)}`],
    ["was shown in part", (scene) => scene.post(job(1), "5", "answer:0"), "short"],
    ["was shown nowhere", (scene) => scene.post(job(1), null, "answer:0"), "short"],
  ])("stands by itself where it %s", (_name, change, words) => {
    expect(view(ended(change), said(words)).find(({ part }) => part === "end")?.sentAs).toBeUndefined();
    const failed = running();
    failed.fail(job(1));
    expect(of(view(failed, said("")), "end").sentAs).toBeUndefined();
  });

  test("once posted, is edited as a whole, and left as it stands where its answer can be read no more", () => {
    const scene = ended();
    scene.post(job(1), "7", "end");
    expect(content(of(view(scene, said("All done.")), "end"))).toMatch(/^All done\.\n-# ✅ /);
    expect(view(scene, { result: () => undefined }).map(({ part }) => part)).not.toContain("end");
  });
});
