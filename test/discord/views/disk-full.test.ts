/** What a thread says while the disk is full, and of answers that it did not take. */
import { describe, expect, test } from "vitest";
import { queueBody, queueName } from "../../../src/discord/views/queue-card.ts";
import { unsavedPosts } from "../../../src/discord/views/jobs/answer-posts.ts";
import { job, message, Scene, T1 } from "../../core/scene.ts";
import { content, description, filesOf, markdown, names, of, running, view } from "../seen.ts";

const NOTHING = "The agent finished without saying anything.";
const UNKEPT = "The answer could not be saved on Bellhop's machine. It is only here.";
const rendering = { locale: "en", markdown, config: { long_answers: "file", max_file_bytes: 10_000_000 } } as const;
const end = { result_excerpt: "the answer", result_sha256: null, model: null, usage: null } as const;

function unkept(excerpt: string = end.result_excerpt): Scene {
  const scene = running();
  scene.do({ type: "complete", job_id: job(1), ...end, result_excerpt: excerpt });
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
  return scene;
}

describe("while nothing starts", () => {
  function waiting(): Scene {
    const scene = new Scene({ disk_full: true }).withSessions(T1);
    scene.hear(T1, message(1), "do it");
    return scene;
  }

  test("the queue says so, under another name", () => {
    const { state } = waiting();
    const shown = JSON.stringify(queueBody(state, T1, "en", true));
    expect(shown).toContain("The disk of Bellhop's machine is full. Nothing new starts");
    expect(JSON.stringify(queueBody(state, T1, "en"))).not.toContain("disk");
    expect(queueName(state, T1, true)).not.toBe(queueName(state, T1));
  });

  test("its first job has a notice, which is over when there is room, or when the job is cancelled", () => {
    const scene = waiting();
    scene.hear(T1, message(2), "and then");
    expect(names(view(scene))).not.toContain("0001 disk");
    const notice = of(view(scene, { diskFull: true }), "disk");
    expect([notice.subject, description(notice)]).toEqual([
      job(1),
      expect.stringContaining("The disk of Bellhop's machine is full."),
    ]);
    scene.post(job(1), "5", "disk");
    expect(content(of(view(scene), "disk"))).toBe("-# It is no longer waiting.");
    scene.do({ type: "cancel_job", job_id: job(1), by: "owner" });
    const after = view(scene, { diskFull: true }).filter(({ part }) => part === "disk");
    expect(after.map(({ subject }) => subject)).toEqual([job(1), job(2)]);
    expect(content(after[0]!)).toBe("-# Dropped. It did not run.");
  });

  test("a thread that something else holds says only that", () => {
    const scene = running();
    scene.hear(T1, message(2), "next");
    expect(names(view(scene, { diskFull: true })).some((name) => name.endsWith("disk"))).toBe(false);
    scene.restart();
    expect(names(view(scene, { diskFull: true })).some((name) => name.endsWith("disk"))).toBe(false);
  });
});

describe("an answer that is in no file", () => {
  test("is posted from memory, and its end says so", () => {
    const scene = unkept();
    const inOne = content(of(view(scene, { result: () => "the answer" }), "end"));
    expect([inOne.startsWith("the answer\n-# ✅ "), inOne.includes(UNKEPT)]).toEqual([true, true]);
    scene.do({
      type: "record_post",
      subject: job(1),
      part: "answer:0",
      channel_id: T1,
      message_id: "5",
      hash: "h",
      is: "whole",
    });
    const ends = of(view(scene, { result: () => "the answer" }), "end");
    expect([description(ends).includes(UNKEPT), ends.is]).toEqual([true, "success unkept"]);
  });

  test("comes whole as a file where it is long, and in messages where it is too large for one", () => {
    const long = Array.from({ length: 3_000 }, (_, line) => `line ${line}`).join("\n");
    const scene = unkept();
    const desired = view(scene, { result: () => long });
    expect(desired.flatMap(filesOf)).toEqual([long]);
    const small = view(scene, { result: () => long, config: { long_answers: "file", max_file_bytes: 1_000 } });
    expect(small.flatMap(filesOf)).toEqual([]);
    expect(small.map(content).join("\n")).toContain("line 2999");
    expect(JSON.stringify(small)).not.toContain("results/");
  });

  test("that the journal has all of is shown after a restart; of another one, what is missing is said to be lost", () => {
    expect(content(of(view(unkept()), "answer:0"))).toBe("the answer");
    expect(content(of(view(unkept("the beginning…")), "answer:0"))).toMatch(
      /^the beginning…\n-# This answer could not be saved, and Bellhop stopped before it was sure/,
    );
    const scene = unkept("the beginning…");
    scene.do({
      type: "record_post",
      subject: job(1),
      part: "answer:0",
      channel_id: T1,
      message_id: "5",
      hash: "h",
      is: "growing",
    });
    expect(of(view(scene), "answer:0").want).toMatchObject({
      kind: "interrupted",
      line: expect.stringContaining("If something is missing, it is lost.") as string,
    });
  });

  test.each([true, false])(
    "and of which nothing can be recorded is posted with what is true of it (whole: %s)",
    (whole) => {
      const { state } = running();
      const posts = unsavedPosts(
        state,
        state.jobs[job(1)]!,
        { text: whole ? "all" : "so far", left: 0 },
        whole,
        rendering,
      );
      expect(posts.map(({ part }) => part)).toEqual(["answer:0", "unrecorded"]);
      expect(content(posts[0]!)).toBe(
        whole ? "all" : "so far\n-# Cut off here because Bellhop or its machine stopped.",
      );
      expect(content(posts[1]!)).toContain("Everything the agent had said until then is above.");
    },
  );
});

test("after a crash the messages that were posted without a record are looked for, one after the other, and stay as they are", () => {
  const scene = running();
  scene.restart();
  const found = (part: string, message_id: string | null): void =>
    void scene.do({ type: "record_post", subject: job(1), part, channel_id: T1, message_id, hash: "h", is: "said" });
  const wanted = (): string[] => names(view(scene)).filter((name) => name.startsWith("0001") && !name.endsWith("card"));
  expect([wanted(), of(view(scene), "unrecorded").want.kind]).toEqual([["0001 unrecorded"], "found"]);
  found("unrecorded", "9");
  expect([wanted(), of(view(scene), "answer:0").want]).toEqual([
    ["0001 answer:0"],
    expect.objectContaining({ kind: "found", above: "9" }),
  ]);
  found("answer:0", "7");
  expect(wanted()).toEqual(["0001 answer:1"]);
  found("answer:1", null);
  expect(wanted()).toEqual(["0001 end"]);
  expect(description(of(view(scene), "end"))).toContain("Everything the agent had said until then is above.");
});

test.each([
  [
    "a crash",
    (scene: Scene) =>
      scene.do({
        type: "progress",
        job_id: job(1),
        progress: { kind: "said", result_excerpt: "", result_sha256: "a" },
      }),
    true,
  ],
  [
    "a failure",
    (scene: Scene) =>
      scene.do({
        type: "fail",
        job_id: job(1),
        code: "E_CLI_TIMEOUT",
        details: {},
        result_excerpt: "",
        result_sha256: "a",
        model: null,
        usage: null,
      }),
    false,
  ],
  [
    "its owner",
    (scene: Scene) => scene.do({ type: "cancelled", job_id: job(1), result_excerpt: "", result_sha256: "a" }),
    false,
  ],
])("what was cut off by %s is never said to have finished without a word", (_by, cut, restarts) => {
  const scene = running();
  if (restarts) scene.restart();
  cut(scene);
  expect(JSON.stringify(view(scene, { result: () => "" }))).not.toContain(NOTHING);
});

test("an agent that has finished without a word is said to have", () => {
  const scene = running();
  scene.do({ type: "complete", job_id: job(1), ...end, result_excerpt: "", result_sha256: "a" });
  expect(content(of(view(scene, { result: () => "" }), "end"))).toContain(NOTHING);
});
