/** What a phone notifies with: the text of each message that rings says what it is about, in every language. */
import { describe, expect, test } from "vitest";
import { locales, type Locale } from "../../../src/base/words/say.ts";
import { changedWait, type Wait } from "../../../src/core/projects/checkout.ts";
import type { ViewOptions } from "../../../src/discord/views/thread.ts";
import { job, message, T1, type Scene } from "../../core/scene.ts";
import { ownWords, running, view } from "../seen.ts";

type Made = [Scene, Partial<ViewOptions>?];

function done(result_excerpt: string): Scene {
  const scene = running();
  const usage = { input_tokens: 1 };
  scene.do({ type: "complete", job_id: job(1), result_excerpt, result_sha256: "0".repeat(64), model: "m", usage });
  const answer = { type: "record_post", subject: job(1), part: "answer:0", channel_id: T1, message_id: "5" } as const;
  scene.do({ ...answer, hash: "h", is: "whole" });
  return scene;
}

function parked(wait: Wait): Scene {
  const scene = running();
  scene.do({ type: "put_back", job_id: job(1), why: wait.kind });
  scene.do({ type: "park", thread_id: T1, job_id: job(1), wait });
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
  return scene;
}

function after(change: (scene: Scene) => void): Scene {
  const scene = running();
  change(scene);
  return scene;
}

const since = "2026-02-26T14:00:00.000Z";
const until = "2026-02-26T18:00:00.500Z";
const moved = changedWait(job(1), { place: { project_name: "app", was: "/srv/app", is: "/data/app" } });

const notified: [what: string, make: () => Made, text: string][] = [
  [
    "a job that is done",
    () => [done("## Summary\n\n**Fixed** the [login](https://a.example) redirect; 3 files changed.")],
    "Summary Fixed the login redirect; 3 files changed.",
  ],
  [
    "one that says nothing of itself",
    () => [done("-# ✅ done · nobody\n```\ncode\n```")],
    "\\-# ✅ done · nobody code",
  ],
  [
    "one whose last words are known",
    () => [done("I will look."), { liveText: () => ({ text: "", tools: [], lastWords: "\n\nAll tests pass." }) }],
    "All tests pass.",
  ],
  [
    "one that failed",
    () => [after((scene) => scene.fail(job(1)))],
    "claude stopped: “it broke”. Fix the cause, then press Retry. `E_CLI_EXIT_NONZERO`",
  ],
  [
    "one that a crash cut off",
    () => [
      after((scene) => {
        scene.restart();
        scene.post(job(1), null, "unrecorded");
      }),
    ],
    "Bellhop or its machine stopped while this job was running. Bellhop can't tell how far it got, so it won't rerun it without you.",
  ],
  ["a usage limit", () => [parked({ kind: "limit", job_id: job(1), until })], "The agent has reached its usage limit"],
  [
    "an agent that is not logged in",
    () => [parked({ kind: "stuck", job_id: job(1), cause: "login", code: "E_AGENT_LOGIN", details: {}, since })],
    "The agent cannot use its login",
  ],
  ["a directory that moved", () => [parked(moved)], "This project's directory has moved"],
  [
    "a prompt",
    () => [
      after((scene) => {
        scene.ask(job(1), "dec_1");
        scene.show("dec_1", message(50));
      }),
    ],
    "🔐 claude wants to use `Bash`",
  ],
  [
    "an edit that came too late",
    () => [
      after((scene) =>
        scene.do({ type: "edit_message", thread_id: T1, discord_message_id: message(1), prompt: "x" } as never),
      ),
    ],
    "You edited this message after its job had started. The agent continues with the original text. Send what is new as another message.",
  ],
];

function texts([scene, options]: Made, locale: Locale = "en"): string[] {
  return view(scene, { result: () => "x", ...options, locale }).flatMap(({ news, want }) =>
    news === undefined || want.kind !== "show" ? [] : [want.body.content],
  );
}

describe.each(notified)("%s", (_what, make, text) => {
  test("is notified of with that", () => {
    expect(texts(make()).map((one) => one.split("\n")[0])).toEqual([text]);
  });

  test.each(locales)("is whole in %s, and its embed says nothing of it again", (locale) => {
    const [scene, options] = make();
    for (const { news, want } of view(scene, { result: () => "x", ...options, locale })) {
      if (news === undefined || want.kind !== "show") continue;
      const { content, embeds } = want.body;
      const [first = ""] = content.split("\n");
      expect(first.length).toBeGreaterThan(5);
      expect(first.length).toBeLessThanOrEqual(250);
      expect(ownWords(want.body)).not.toMatch(/\{\w+\}|undefined|NaN/);
      expect(JSON.stringify(embeds)).not.toContain(JSON.stringify(first).slice(1, -1));
    }
  });
});
