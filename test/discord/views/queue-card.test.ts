import { changedWait } from "../../../src/core/projects/checkout.ts";
import { describe, expect, test } from "vitest";
import type { Locale } from "../../../src/base/words/say.ts";
import { catalogues } from "../../../src/base/words/say.ts";
import type { State } from "../../../src/core/state.ts";
import {
  newestOf,
  OLD_QUEUE_PART,
  QUEUE_PART,
  queueBody,
  queueCard,
  queueName,
  queuePage,
} from "../../../src/discord/views/queue-card.ts";
import { job, message, Scene, T1 } from "../../core/scene.ts";

const CARD = "100000000000000777";

function waiting(count: number, prompt = (number: number): string => `do ${number}`): Scene {
  const scene = new Scene({ max_queue_per_session: 1000 }).withSessions(T1);
  for (let number = 1; number <= count + 1; number += 1) scene.hear(T1, message(number), prompt(number));
  return scene;
}

type Part = { custom_id: string; label?: string; options?: { value: string; label: string; description?: string }[] };
const parts = (body: { components: unknown[] }): Part[] =>
  (body.components as { components: Part[] }[]).flatMap((row) => row.components);
const text = (body: { embeds: { description?: string }[] }): string => body.embeds[0]?.description ?? "";

function record(scene: Scene, part: string, message_id: string | null, is = "h"): void {
  scene.do({ type: "record_post", subject: T1, part, channel_id: T1, message_id, hash: "h", is });
}

describe("a thread's card", () => {
  test("is due where one stands, and nowhere else", () => {
    const scene = waiting(2);
    expect(queueCard(scene.state, T1, "en")).toEqual([]);
    record(scene, QUEUE_PART, CARD);
    expect(queueCard(scene.state, T1, "en")).toMatchObject([
      { subject: T1, part: QUEUE_PART, want: { kind: "show", body: queueBody(scene.state, T1, "en") } },
    ]);
    record(scene, QUEUE_PART, null);
    expect(queueCard(scene.state, T1, "en")).toEqual([]);
    expect(queueCard(scene.state, "constructor", "en")).toEqual([]);
  });

  test("is done once it has said that nothing is left, in whatever language, and new messages do not change it", () => {
    const scene = new Scene().withSessions(T1);
    record(scene, QUEUE_PART, CARD);
    const [last] = queueCard(scene.state, T1, "ko");
    record(scene, QUEUE_PART, CARD, last?.is);
    scene.hear(T1, message(1));
    expect(queueCard(scene.state, T1, "en")).toEqual([]);
  });

  test("is closed when another takes its place, and points at it", () => {
    const scene = waiting(2);
    record(scene, QUEUE_PART, CARD);
    record(scene, OLD_QUEUE_PART, "100000000000000700", "open");
    const old = queueCard(scene.state, T1, "en")[1];
    expect(old).toMatchObject({
      part: OLD_QUEUE_PART,
      want: {
        body: {
          components: [],
          embeds: [{ description: `Replaced by a newer queue card: https://discord.com/channels/3/${T1}/${CARD}` }],
        },
      },
    });
  });
});

describe("the card", () => {
  test("follows every change of the queue", () => {
    const scene = waiting(3);
    const shown = (): string => text(queueBody(scene.state, T1, "en"));
    expect(shown()).toMatch(/⚙️ do 1 .*Waiting: 3.*1\.\*\* do 2 .*2\.\*\* do 3 .*3\.\*\* do 4 /s);
    scene.do({ type: "move_first", job_id: job(4) });
    expect(shown()).toMatch(/1\.\*\* do 4 .*2\.\*\* do 2 .*3\.\*\* do 3 /s);
    scene.do({ type: "edit_message", thread_id: T1, discord_message_id: message(3), prompt: "do 3 better" });
    expect(shown()).toContain("do 3 better · ✏️ edited");
    scene.do({ type: "cancel_job", job_id: job(1), by: "owner" });
    expect(shown()).toContain("🛑 do 1");
    scene.do({ type: "clear_queue", thread_id: T1 });
    expect(shown()).toMatch(/🛑 do 1.*\nNothing is waiting\.$/);
    scene.do({ type: "cancelled", job_id: job(1) });
    expect(shown()).toContain("Nothing is running or waiting here now.");
  });

  test("says what holds the queue back", () => {
    const scene = waiting(2);
    scene.do({ type: "restart" });
    expect(text(queueBody(scene.state, T1, "en"))).toContain(
      `⏸️ On hold: choose how to continue below the notice of \`${job(1)}\``,
    );
    const limited = waiting(2);
    limited.do({
      type: "fail",
      job_id: job(1),
      code: "E_USAGE_LIMIT",
      details: {},
      result_excerpt: null,
      result_sha256: null,
      model: null,
      usage: null,
    });
    limited.do({
      type: "park",
      thread_id: T1,
      job_id: job(1),
      wait: { kind: "limit", job_id: job(1), until: "2026-02-26T18:00:00.000Z" },
    });
    expect(text(queueBody(limited.state, T1, "en"))).toContain("On hold until <t:1772128800:f>");
    const name = queueName(limited.state, T1);
    limited.do({ type: "lift_limit", thread_id: T1, job_id: job(1) });
    expect(text(queueBody(limited.state, T1, "en"))).toContain("On hold: the usage limit has been reset.");
    expect(queueName(limited.state, T1)).not.toBe(name);
  });

  test("says that a question about what has changed holds it back", () => {
    const scene = waiting(0);
    const wait = changedWait(job(1), { place: { project_name: "app", was: "/srv/app", is: "/data/app" } });
    scene.do({ type: "put_back", job_id: job(1), why: wait.kind });
    scene.do({ type: "park", thread_id: T1, job_id: job(1), wait });
    expect(text(queueBody(scene.state, T1, "en"))).toContain("On hold: something has changed since you last saw it.");
  });

  test("shows that the running job waits for an answer, and when it goes on", () => {
    const scene = waiting(1);
    const name = queueName(scene.state, T1);
    scene.ask(job(1), "dec_1", 1);
    expect(text(queueBody(scene.state, T1, "en"))).toMatch(/^🙋 do 1/);
    expect(queueName(scene.state, T1)).not.toBe(name);
    scene.do({ type: "void", decision_id: "dec_1", why: "withdrawn" });
    expect(text(queueBody(scene.state, T1, "en"))).toMatch(/^⚙️ do 1/);
    expect(queueName(scene.state, T1)).toBe(name);
  });

  test("knows a message of files alone by their names", () => {
    const scene = waiting(0);
    scene.do({
      type: "hear",
      thread_id: T1,
      discord_message_id: message(9),
      prompt: "",
      files: [
        { path: "/state/uploads/9/plan_a.pdf", sha256: "0a" },
        { path: "/state/uploads/9/b.png", sha256: "0b" },
      ],
      refused_files: [],
      reply_to: null,
    });
    expect(text(queueBody(scene.state, T1, "en"))).toContain("plan\\_a.pdf, b.png · 📎 Files: 2");
  });

  test("names ten, offers twenty-five, counts the rest, and stays within Discord's limits", () => {
    const scene = waiting(40, () => `@everyone **[x](https://x)** \`\`\` ${"👩‍👩‍👧_".repeat(60)}`);
    for (const locale of Object.keys(catalogues) as Locale[]) check(queueBody(scene.state, T1, locale));
    const body = queueBody(scene.state, T1, "en");
    expect(text(body)).toContain("30 more are waiting.");
    expect(parts(body)[0]?.options).toHaveLength(25);
    expect(parts(body).map(({ custom_id }) => custom_id)).toEqual([`q-pick:${T1}`, `q-page:${T1}:1`, `q-clear:${T1}`]);
    expect(text(body)).not.toMatch(/(?<!\\)[`*[](?:everyone|x)/);
    expect(text(body)).not.toContain("@everyone **");
  });

  test("a queue of a thousand is read page by page, each job on one page", () => {
    const scene = waiting(1000);
    const seen: string[] = [];
    for (let page = 1; page <= 40; page += 1) {
      const body = queuePage(scene.state, T1, page, "en");
      check(body);
      seen.push(...(parts(body)[0]?.options ?? []).map(({ value }) => value));
      expect(body.embeds[0]?.title).toBe(`Queue · Page ${page} of 40`);
    }
    expect(seen).toEqual(scene.state.sessions[T1]?.queue);
    expect(parts(queuePage(scene.state, T1, 1, "en")).map(({ custom_id }) => custom_id)).toEqual([
      `q-pick:${T1}`,
      `q-page:${T1}:2`,
    ]);
    expect(parts(queuePage(scene.state, T1, 7, "en")).map(({ custom_id }) => custom_id)).toEqual([
      `q-pick:${T1}`,
      `q-page:${T1}:6`,
      `q-page:${T1}:8`,
    ]);
    expect(queuePage(scene.state, T1, 9999, "en")).toEqual(queuePage(scene.state, T1, 40, "en"));
  });

  test("a page of a queue that has run empty says so", () => {
    expect(queuePage(waiting(0).state, T1, 3, "en")).toMatchObject({
      components: [],
      embeds: [{ description: "Nothing is waiting." }],
    });
    expect(queuePage({ sessions: {}, jobs: {} } as unknown as State, T1, 1, "en").components).toEqual([]);
  });
});

test("the newest job is the one written last, also beyond a day's 9999th", () => {
  expect(newestOf([job(3), job(1), job(2)])).toBe(job(3));
  expect(newestOf(["job_20260226_10000", "job_20260226_9999"])).toBe("job_20260226_10000");
  expect(newestOf([])).toBe("");
});

/** Discord's limits on an embed, a select and buttons. */
function check(body: { embeds: { title?: string; description?: string }[]; components: unknown[] }): void {
  expect(text(body).length).toBeLessThanOrEqual(4096);
  expect(text(body).isWellFormed()).toBe(true);
  expect(body.components.length).toBeLessThanOrEqual(5);
  for (const { custom_id, label = "x", options = [] } of parts(body)) {
    expect(custom_id.length).toBeLessThanOrEqual(100);
    expect(label.length).toBeLessThanOrEqual(80);
    for (const option of options) {
      for (const words of [option.label, option.value, option.description ?? "x"]) {
        expect(words.length).toBeGreaterThan(0);
        expect(words.length).toBeLessThanOrEqual(100);
      }
    }
  }
}
