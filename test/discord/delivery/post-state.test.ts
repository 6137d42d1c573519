/** What a post says has a name, and the name alone says whether it is edited: not our words, not how they are drawn. */
import { equal } from "node:assert/strict";
import { expect, test } from "vitest";
import type { Locale } from "../../../src/base/words/say.ts";
import { decisionsIn } from "../../../src/core/decisions/decision.ts";
import type { State } from "../../../src/core/state.ts";
import type { DesiredPost } from "../../../src/discord/views/message.ts";
import { lapsedNotice, reminderPosts } from "../../../src/discord/views/decisions/reminders.ts";
import { viewThread } from "../../../src/discord/views/thread.ts";
import { always } from "../../core/history.ts";
import { openPostBench, type PostBench, type Process, type View } from "../../fakes/post-bench.ts";
import { markdown } from "../seen.ts";

const exhibitPages = [{ prose: "", text: "ls" }];

function owedIn(state: State): DesiredPost[] {
  return Object.keys(state.threads).flatMap((thread) => [
    ...viewThread(state, thread, {
      locale: "en",
      liveText: () => undefined,
      result: () => "All done.",
      reviewed: () => exhibitPages,
      config: { long_answers: "file", max_file_bytes: 1000 },
      markdown,
      ownerId: "1",
    }),
    ...decisionsIn(state, thread).flatMap((one) => lapsedNotice(state, one, "en")),
    ...decisionsIn(state, thread).flatMap((one) => reminderPosts(state, one, { locale: "en", ownerId: "1" })),
  ]);
}

test("what has the same name says the same, in every history", () => {
  always(() => {
    const said = new Map<string, string>();
    let living: State | null = null;
    return ({ state }) => {
      // What a crash took back was never shown.
      if (state !== living) said.clear();
      living = state;
      for (const { subject, part, is, want, live } of owedIn(state)) {
        // A notice is said once, and forgotten when it stands.
        if (live || want.kind !== "show" || part === "refused") continue;
        // Links follow the messages they lead to, which these histories move about.
        const words = JSON.stringify(want.body)
          .replaceAll(/\[([^\][]*)\]\(https:[^)]*\)/g, "$1")
          .replaceAll(" · ", "")
          .replaceAll(/https:\S+|<#\d+>/g, "link");
        const key = `${subject} ${part} ${is}`;
        equal(said.get(key) ?? words, words, key);
        said.set(key, words);
      }
    };
  });
});

/** As a version of Bellhop would show it that has these words, and reads an answer as this. */
function version(locale: Locale, answer: string): View {
  return (engine, thread) =>
    viewThread(engine.state, thread, {
      locale,
      liveText: () => undefined,
      result: () => answer,
      reviewed: () => exhibitPages,
      config: { long_answers: "file", max_file_bytes: 1000 },
      markdown,
    });
}

/** A job that ended well, one that failed, one that was cut off, and what they asked. */
async function finished(bench: PostBench, process: Process): Promise<void> {
  const { engine } = process;
  const settle = (): Promise<void> => bench.run(process.postSync.idle());
  const first = await bench.job(process);
  await settle();
  const options = ["Allow once", "Allow for this session", "Deny"].map((label) => ({ label, description: "" }));
  const questions = [{ question: "", header: "", options, many: false, words: false }];
  const subject = {
    tool: "Bash",
    title: "ls",
    sha256: "0".repeat(64),
    pages: 1,
    grant_until: "2026-03-09T00:00:00.000Z",
  };
  const asker = { by: "job", job_id: first, request_id: "1" } as const;
  await engine.submit({
    type: "ask",
    decision_id: "dec_1",
    kind: "permission",
    thread_id: bench.threadId,
    asker,
    context: "",
    questions,
    subject,
    lapses_at: null,
  });
  await settle();
  await engine.submit({
    type: "answer",
    decision_id: "dec_1",
    question: 0,
    answer: { places: [2], words: null },
    sha256: subject.sha256,
  });
  await bench.succeed(process, first);
  await settle();
  const second = await bench.job(process);
  await engine.submit({
    type: "fail",
    job_id: second,
    code: "E_CLI_EXIT_NONZERO",
    details: {},
    result_excerpt: null,
    result_sha256: null,
    model: null,
    usage: null,
  });
  await engine.submit({ type: "progress", job_id: second, progress: { kind: "gone" } });
  await bench.job(process);
  await settle();
  await engine.submit({ type: "restart" });
  await settle();
}

test("an upgrade edits nothing: the same journal under other words, drawn in another way, makes no request", async () => {
  const bench = await openPostBench();
  const before = bench.start(version("en", "one\n\ntwo"));
  await finished(bench, before);
  before.kill();
  const shown = JSON.stringify(bench.said());
  const asked = bench.asked(/./).length;
  const after = bench.start(version("ko", `${"three ".repeat(900)}\n`));
  await bench.run(after.postSync.idle());
  await after.engine.submit({ type: "restart" });
  await bench.run(after.postSync.idle());
  expect([bench.asked(/./).length, JSON.stringify(bench.said())]).toEqual([asked, shown]);
});
