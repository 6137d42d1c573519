import { theirWords } from "../../../src/base/errors.ts";
import { describe, expect, test } from "vitest";
import { catalogues, type Locale } from "../../../src/base/words/say.ts";
import type { Live } from "../../../src/discord/views/message.ts";
import { viewThread, type ViewOptions } from "../../../src/discord/views/thread.ts";
import { job, message, Scene, T1 } from "../../core/scene.ts";
import { buttons, content, description, markdown, names, of, running, view } from "../seen.ts";

const LOCALES = Object.keys(catalogues) as Locale[];

const saying = (text: string, tools: Live["tools"] = []): Partial<ViewOptions> => ({
  liveText: () => ({ text, tools }),
});
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, n) => `${n} ${"word ".repeat(180)}`).join("\n\n");

function done(): Scene {
  const scene = running();
  scene.finish(job(1));
  return scene;
}

/** The answer of the first job stands, so the message that closes it is owed. */
function answered(scene = done(), ...parts: string[]): Scene {
  for (const part of parts.length > 0 ? parts : ["answer:0"])
    scene.do({ type: "record_post", subject: job(1), part, channel_id: T1, message_id: "5", hash: "h", is: "whole" });
  return scene;
}

describe("a job that runs", () => {
  test("wants a card and nothing else until something is said", () => {
    expect(names(view(running()))).toEqual(["welcome", "0001 card"]);
    expect(of(view(running()), "card")).toMatchObject({ live: true, priority: "cosmetic" });
  });

  test("wants no posts while it waits", () => {
    const scene = running();
    scene.hear(T1, message(2));
    expect(names(view(scene))).toEqual(["welcome", "0001 card"]);
  });

  test("shows its tools as they happen, in the words of the person's language", () => {
    const tools: Live["tools"] = [
      { id: "1", name: "Bash", title: "npm test", state: "ok" },
      { id: "2", name: "Edit", title: "a.ts", state: "failed" },
      { id: "3", name: "Write", title: "b.ts", state: "denied", reason: "not in [the](https://x) plan" },
      { id: "4", name: "Bash", title: "rm `-rf` x", state: "running" },
    ];
    expect(description(of(view(running(), { ...saying("", tools), locale: "ja" }), "card")).split("\n")).toEqual([
      "⚙️ **claude** · 実行中",
      "✓ Bash `npm test`",
      "✗ Edit `a.ts`",
      "⛔ Write `b.ts` は許可されませんでした: 「not in \\[the\\]\\(https\\://x\\) plan」",
      "🔧 Bash を実行中... `rm ˋ-rfˋ x`",
    ]);
  });

  test("does not say a tool's name twice", () => {
    const tools: Live["tools"] = [
      { id: "1", name: "TodoWrite", title: "TodoWrite", state: "ok" },
      { id: "2", name: "Wait", title: "Wait", state: "running" },
    ];
    expect(
      description(of(view(running(), saying("", tools)), "card"))
        .split("\n")
        .slice(1),
    ).toEqual(["✓ TodoWrite", "🔧 Running Wait..."]);
  });

  test("shows the plan around what the agent is at", () => {
    const plan = Array.from(
      { length: 12 },
      (_, n) => ({ text: `step *${n}*`, state: n < 5 ? "done" : n === 5 ? "active" : "pending" }) as const,
    );
    expect(
      description(of(view(running(), { liveText: () => ({ text: "", tools: [], plan }) }), "card"))
        .split("\n")
        .slice(1),
    ).toEqual([
      "Plan, 5 of 12 done:",
      "…",
      "☑ step \\*3\\*",
      "☑ step \\*4\\*",
      "▸ **step \\*5\\***",
      "☐ step \\*6\\*",
      "☐ step \\*7\\*",
      "☐ step \\*8\\*",
      "☐ step \\*9\\*",
      "…",
    ]);
  });

  test("folds what the agent thinks, and shows its end", () => {
    const card = (thought: string): string | undefined =>
      description(of(view(running(), { liveText: () => ({ text: "", tools: [], thought }) }), "card")).split("\n")[1];
    expect(card("first\n\nthen || *that*")).toBe("💭 ||first then \\|\\| \\*that\\*||");
    expect(card(`begin ${"x".repeat(700)} end`)).toMatch(/^💭 \|\|…x+ end\|\|$/);
  });

  test("says what the agent is held up by", () => {
    const notice = { code: "model_retry", text: "overloaded, [in](https://x) 5 s" };
    expect(description(of(view(running(), { liveText: () => ({ text: "", tools: [], notice }) }), "card"))).toContain(
      "⚠️ The model did not respond. Trying again. overloaded, \\[in\\]\\(https\\://x\\) 5 s",
    );
  });

  test("names a tool that still runs, however many ended after it", () => {
    const tools: Live["tools"] = Array.from({ length: 20 }, (_, n) => ({
      id: `${n}`,
      name: `t${n}`,
      title: "",
      state: n === 3 ? "running" : "ok",
    }));
    const lines = description(
      of(view(running(), { liveText: () => ({ text: "", tools, toolsBefore: 30 }) }), "card"),
    ).split("\n");
    expect(lines.slice(1)).toEqual([
      "Earlier tools: 44",
      "🔧 Running t3...",
      "✓ t15",
      "✓ t16",
      "✓ t17",
      "✓ t18",
      "✓ t19",
    ]);
  });

  test("names the last tools and counts the others, within Discord's limit", () => {
    const tools = Array.from({ length: 300 }, (_, id) => ({
      id: `${id}`,
      name: "n".repeat(500),
      title: "t".repeat(5000),
      state: "ok" as const,
    }));
    const text = description(of(view(running(), saying("", tools)), "card"));
    expect(text).toContain("Earlier tools: 294");
    expect(text.length).toBeLessThan(4096);
  });

  test("streams its answer, the last message open, the others closed", () => {
    const desired = view(running(), saying(`${paragraphs(5)}\n`)).filter(({ part }) => part.startsWith("answer"));
    expect(desired.map(({ part, live, priority }) => [part, live, priority])).toEqual([
      ["answer:0", false, "result"],
      ["answer:1", false, "result"],
      ["answer:2", true, "result"],
    ]);
  });

  test("a line that is still being written begins no message of its own", () => {
    const parts = (text: string): number =>
      view(running(), saying(text)).filter(({ part }) => part.startsWith("answer")).length;
    expect(parts("word ".repeat(900))).toBe(1);
    expect(parts(`${"word ".repeat(900)}\n`)).toBe(3);
  });

  test("half a character is not shown", () => {
    expect(content(of(view(running(), saying("half \ud83d")), "answer:0"))).toBe("half ");
  });

  test("what was closed while it streamed stands the same at the end", () => {
    const text = `${paragraphs(3)}\n\n\`\`\`ts\n${"const a = 1;\n".repeat(120)}\`\`\`\nend of it\n`;
    const final = done();
    const whole = view(final, { result: () => text });
    for (let end = 0; end <= text.length; end += 37) {
      for (const desired of view(running(), saying(text.slice(0, end)))) {
        if (desired.live || !desired.part.startsWith("answer:")) continue;
        expect(content(of(whole, desired.part))).toBe(content(desired));
      }
    }
  });

  test("shows only the first messages of a long answer, and says how much there is", () => {
    const desired = view(running(), saying(`${paragraphs(30)}\n`));
    expect(desired.filter(({ part }) => part.startsWith("answer"))).toHaveLength(5);
    expect(description(of(desired, "card"))).toContain("27,");
  });
});

describe("a job that is done", () => {
  test("wants its whole answer though nothing of it was streamed, and what closes it only when that stands", () => {
    const long = paragraphs(3);
    expect(names(view(done(), { result: () => long }))).toEqual([
      "welcome",
      "0001 card",
      "0001 answer:0",
      "0001 answer:1",
    ]);
    expect(names(view(answered(done(), "answer:0", "answer:1"), { result: () => long }))).toEqual([
      "welcome",
      "0001 card",
      "0001 end",
    ]);
  });

  test("sums itself up in one line", () => {
    const scene = running();
    for (const ok of [true, false])
      scene.do({ type: "progress", job_id: job(1), progress: { kind: "tool", name: "Bash", title: "x", ok } });
    scene.now += 64_000;
    scene.do({
      type: "complete",
      job_id: job(1),
      result_excerpt: "",
      result_sha256: "0".repeat(64),
      model: "claude-opus",
      usage: { input_tokens: 12_345, output_tokens: 67, cost_usd: 0.0123 },
    });
    expect(description(of(view(answered(scene), { result: () => "x" }), "end"))).toBe(
      `✅ done · **claude** · \`claude-opus\` · 1m 7s · 12,345 in / 67 out tokens · $0.0123 · failed tools: 1 · [answer](https://discord.com/channels/3/${T1}/5)`,
    );
  });

  test("says how full the context is, what it changed, and what it was not allowed", () => {
    const scene = running();
    for (const name of ["Bash", "Write", "Bash"])
      scene.do({ type: "progress", job_id: job(1), progress: { kind: "denied", name } });
    const usage = { context_used: 68_000, context_size: 200_000 };
    scene.do({
      type: "complete",
      job_id: job(1),
      result_excerpt: "",
      result_sha256: "0".repeat(64),
      model: null,
      usage,
    });
    const changes = { files: 2, added: 1234, removed: 3, patch: "f".repeat(64) };
    scene.do({ type: "progress", job_id: job(1), progress: { kind: "changes", changes, stat: null } });
    const end = of(view(answered(scene), { result: () => "x" }), "end");
    expect(description(end).split("\n")).toEqual([
      `✅ done · **claude** · 4s · context 34% full · +1,234 −3 in 2 files · [answer](https://discord.com/channels/3/${T1}/5)`,
      "⛔ not allowed: Bash ×2, Write",
    ]);
    expect(buttons(end)).toEqual([`diff:${job(1)}`]);
  });

  test("counts no tool as failed that was not allowed", () => {
    const scene = running();
    for (const name of ["Bash", "Write", "Bash"])
      scene.do({ type: "progress", job_id: job(1), progress: { kind: "tool", name, title: "x", ok: false } });
    scene.do({ type: "progress", job_id: job(1), progress: { kind: "denied", name: "Bash" } });
    scene.finish(job(1));
    const end = description(of(view(answered(scene), { result: () => "x" }), "end"));
    expect(end).toContain("failed tools: 2");
    expect(end).toContain("⛔ not allowed: Bash");
  });

  test("has no button for a diff that there is not", () => {
    const scene = done();
    scene.do({
      type: "progress",
      job_id: job(1),
      progress: { kind: "changes", changes: { files: 1, added: 1, removed: 0, patch: null }, stat: null },
    });
    const end = of(view(answered(scene), { result: () => "x" }), "end");
    expect(description(end)).toContain("+1 −0 in 1 file");
    expect(buttons(end)).toEqual([]);
  });

  test("says nothing of a context that is all but empty, nor how many lines of files without lines changed", () => {
    const scene = running();
    const usage = { context_used: 700, context_size: 200_000 };
    scene.do({
      type: "complete",
      job_id: job(1),
      result_excerpt: "",
      result_sha256: "0".repeat(64),
      model: null,
      usage,
    });
    scene.do({
      type: "progress",
      job_id: job(1),
      progress: { kind: "changes", changes: { files: 1, added: 0, removed: 0, patch: null }, stat: null },
    });
    expect(description(of(view(answered(scene), { result: () => "x" }), "end"))).toMatch(
      /^✅ done · \*\*claude\*\* · 1s · 1 file changed · /,
    );
  });

  test("finishes its card when what closes it is below the answer", () => {
    const scene = answered();
    scene.do({
      type: "record_post",
      subject: job(1),
      part: "card",
      channel_id: T1,
      message_id: "4",
      hash: "h",
      is: "growing",
    });
    const desired = view(scene, { result: () => "x" });
    expect(desired.map(({ part, want }) => [part, want.kind]).slice(1)).toEqual([
      ["end", "show"],
      ["card", "show"],
    ]);
  });

  test("that is closed is passed over with all its job's posts, whatever a newer version would make of its answer", () => {
    const scene = answered();
    const { is } = of(view(scene, { result: () => "x" }), "end");
    scene.do({ type: "record_post", subject: job(1), part: "end", channel_id: T1, message_id: "6", hash: "h", is });
    expect(
      names(
        view(scene, {
          result: () => {
            throw new Error("asked");
          },
        }),
      ),
    ).toEqual(["welcome"]);
  });

  test("says so when it had nothing to say", () => {
    expect(content(of(view(done(), { result: () => " \n" }), "end"))).toMatch(
      /^-# The agent finished without saying anything\.\n-# ✅ /,
    );
  });

  test("takes away what was streamed and is not part of the answer", () => {
    const scene = done();
    for (const [part, id] of [
      ["answer:0", "5"],
      ["answer:1", "6"],
      ["answer:2", null],
    ] as const)
      scene.post(job(1), id, part);
    const desired = view(scene, { result: () => "short" });
    expect(desired.filter(({ part }) => part.startsWith("answer")).map(({ part, want }) => [part, want.kind])).toEqual([
      ["answer:0", "show"],
      ["answer:1", "remove"],
    ]);
  });

  test("shows a long answer's beginning and end, and brings all of it as a file", () => {
    const text = paragraphs(30);
    const desired = view(done(), { result: () => text }).filter(({ part }) => part.startsWith("answer"));
    expect(desired.map(({ part }) => part)).toEqual([
      "answer:0",
      "answer:1",
      "answer:2",
      "answer:3",
      "answer:4",
      "answer:5",
    ]);
    const last = of(desired, "answer:5");
    expect(content(last)).toMatch(/^-# [\d,]+ characters are left out above. The full answer is attached/);
    expect(content(last).trimEnd().endsWith(text.slice(-100).trimEnd())).toBe(true);
    expect(content(last).length).toBeLessThanOrEqual(2000);
    const files = last.want.kind === "show" ? last.want.body.files : [];
    expect(files?.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([[`${job(1)}.md`, text]]);
    const shown = desired.slice(0, 5).map(content).join("").length;
    expect(Number(/[\d,]+/.exec(content(last))?.[0].replaceAll(",", ""))).toBeLessThan(text.length - shown);
  });

  test("is split to its end where the owner wants that", () => {
    const desired = view(done(), {
      result: () => paragraphs(30),
      config: { long_answers: "split", max_file_bytes: 1 },
    });
    const parts = desired.filter(({ part }) => part.startsWith("answer"));
    expect(parts.length).toBeGreaterThan(10);
    expect(parts.every(({ want }) => want.kind === "show" && want.body.files === undefined)).toBe(true);
  });

  test("names the file where it is too large for Discord", () => {
    const last = of(
      view(done(), { result: () => paragraphs(30), config: { long_answers: "file", max_file_bytes: 100 } }),
      "answer:5",
    );
    expect(content(last)).toContain(`results/${job(1)}.md`);
    expect(last.want.kind === "show" && last.want.body.files).toBeUndefined();
  });

  test("shows what the journal has when the file cannot be read, and takes nothing away", () => {
    const scene = done();
    for (const number of [0, 1]) scene.post(job(1), `${number}`, `answer:${number}`);
    const desired = view(scene).filter(({ part }) => part.startsWith("answer"));
    expect(desired.map(({ part, want }) => [part, want.kind])).toEqual([["answer:0", "show"]]);
    expect(content(of(desired, "answer:0"))).toBe(
      `said\n-# This is only the beginning: the full answer could not be read from results/${job(1)}.md.`,
    );
  });
});

describe("an agent's words", () => {
  const said = "<@123456789012345678> @everyone [safe](https://evil.example) https://evil.example/?secret\n-# ✅ done";

  test("ping nobody, unfurl nothing, and are plain content without anything of ours", () => {
    const answer = of(view(done(), { result: () => `${said}\n\n${paragraphs(3)}` }), "answer:0");
    expect(answer.want).toMatchObject({
      kind: "show",
      body: { embeds: [], components: [], flags: 4, allowed_mentions: { parse: [], replied_user: false } },
    });
    expect(content(answer)).toContain("[safe]\\(<https://evil.example>)");
    expect(content(answer)).not.toMatch(/^-# /m);
  });

  test("no body may ping anybody", () => {
    const scene = running();
    scene.hear(T1, message(2), " ");
    scene.fail(job(1));
    for (const { want } of view(scene)) {
      expect("body" in want && want.body.allowed_mentions).toEqual({ parse: [], replied_user: false });
    }
  });
});

describe("a job that failed", () => {
  test("says what happened, with the code, in the agent's words too, and offers to retry", () => {
    const scene = running();
    scene.fail(job(1));
    const end = of(view(scene), "end");
    expect(description(end)).toContain("`E_CLI_EXIT_NONZERO`");
    expect(description(end)).toContain("it broke");
    expect(buttons(end)).toEqual([`retry:${job(1)}`]);
    expect(end.priority).toBe("result");
  });

  test("keeps what it had said", () => {
    const scene = running();
    scene.do({
      type: "fail",
      job_id: job(1),
      code: "E_CLI_TIMEOUT",
      details: {},
      result_excerpt: "half",
      result_sha256: "0".repeat(64),
      model: null,
      usage: null,
    });
    expect(names(view(scene, { result: () => "half" }))).toEqual(["welcome", "0001 card", "0001 answer:0"]);
    expect(names(view(answered(scene), { result: () => "half" }))).toEqual(["welcome", "0001 card", "0001 end"]);
  });

  test("has no button once it was retried, and says as what", () => {
    const scene = running();
    scene.fail(job(1));
    scene.do({ type: "retry", job_id: job(1) });
    const end = view(scene).find(({ subject, part }) => subject === job(1) && part === "end");
    expect(end && buttons(end)).toEqual([]);
    expect(end && description(end)).toContain(job(2));
  });

  test("names the command that installs a missing agent", () => {
    const scene = running();
    const details = { reason: theirWords("claude was not found"), install: "npm install -g `x`" };
    scene.do({
      type: "fail",
      job_id: job(1),
      code: "E_AGENT_START_FAILED",
      details,
      result_excerpt: null,
      result_sha256: null,
      model: null,
      usage: null,
    });
    expect(description(of(view(scene), "end"))).toContain("`npm install -g ˋxˋ`");
  });
});

test("a cancelled job says so and keeps what it said", () => {
  const scene = running();
  scene.post(job(1), "5", "answer:0");
  scene.do({ type: "cancelled", job_id: job(1) });
  expect(view(scene).map(({ part, want }) => [part, want.kind])).toEqual([
    ["welcome", "show"],
    ["card", "found"],
    ["answer:0", "interrupted"],
  ]);
  scene.do({
    type: "record_post",
    subject: job(1),
    part: "answer:0",
    channel_id: T1,
    message_id: "5",
    hash: "h",
    is: "interrupted",
  });
  expect(description(of(view(scene), "end"))).toMatch(/^🚫 cancelled · /);
});

test("a refused message is answered with the sentence of its code, as a reply", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1), " ");
  const refused = of(view(scene), "refused");
  expect(refused).toMatchObject({ subject: message(1), reply_to: message(1), thread_id: T1, priority: "result" });
  expect(description(refused)).toContain("`E_EMPTY_PROMPT`");
});

test("what came of an edit or a deletion is said once, and a deletion by its job, since there is nothing left to reply to", () => {
  const scene = running();
  for (const number of [2, 3]) scene.hear(T1, message(number));
  const change = (number: number, prompt: string | null): void => {
    const at = { thread_id: T1, discord_message_id: message(number) };
    for (let times = 0; times < 2; times += 1)
      scene.do(prompt === null ? { type: "delete_message", ...at } : { type: "edit_message", ...at, prompt });
  };
  change(1, "too late");
  change(1, null);
  change(2, "in time");
  change(3, null);
  const said = view(scene)
    .filter(({ part }) => part === "refused")
    .map((one) => [one.reply_to, description(one)]);
  expect(said).toEqual([
    [
      message(1),
      "You edited this message after its job had started. The agent continues with the original text. Send what is new as another message.",
    ],
    [
      message(1),
      "A message was deleted after its job `job_20260226_0001` had started. The job continues; `/cancel` stops it.",
    ],
    [
      message(3),
      "A message was deleted before its job `job_20260226_0003` had started, so the job was taken back and will not run. Discord does not say who deleted it.",
    ],
  ]);
  expect(Object.values(scene.state.jobs).map(({ state }) => state)).toEqual(["running", "queued", "cancelled"]);
});

test("the welcome names project, tool and path, and what a path holds is no formatting", () => {
  const scene = new Scene();
  scene.do({
    type: "create_project",
    project: { name: "app", path: "/srv/`x`_y_", enabled_tools: ["claude"], default_tool: "claude", default_args: {} },
  });
  scene.withSessions(T1);
  expect(description(of(view(scene), "welcome"))).toContain("**claude** in `/srv/ˋxˋ_y_`");
});

test("what is due is in the order of the thread: what ended, what was refused, what runs", () => {
  const scene = running();
  scene.hear(T1, message(2));
  scene.finish(job(1));
  scene.hear(T1, message(3), " ");
  expect(names(view(answered(scene), { result: () => "x" }))).toEqual([
    "welcome",
    "0001 card",
    "0001 end",
    `${message(3).slice(-4)} refused`,
    "0002 card",
  ]);
  expect(
    viewThread(scene.state, "unknown", {
      locale: "en",
      liveText: () => undefined,
      result: () => "",
      config: { long_answers: "file", max_file_bytes: 1 },
      markdown,
    }),
  ).toEqual([]);
});

test.each(LOCALES)("every sentence is complete and within Discord's limits in %s", (locale) => {
  const scene = running();
  scene.do({
    type: "progress",
    job_id: job(1),
    progress: { kind: "tool", name: "n".repeat(9000), title: "`_*".repeat(3000), ok: false },
  });
  scene.hear(T1, message(2), "", ["a".repeat(5000)]);
  scene.hear(T1, message(3));
  scene.do({ type: "restart" });
  scene.do({ type: "discard", job_id: job(1) });
  scene.do({
    type: "fail",
    job_id: job(2),
    code: "E_CLI_EXIT_NONZERO",
    details: { reason: theirWords("*".repeat(9000)), exit_code: 1 },
    result_excerpt: "x",
    result_sha256: "0".repeat(64),
    model: "m".repeat(500),
    usage: { cost_usd: 12.3456, output_tokens: 5 },
  });
  for (const { want } of view(answered(scene), { locale, result: () => paragraphs(30) })) {
    if (want.kind !== "show") continue;
    const { content: words, embeds } = want.body;
    const said = [words, ...embeds.flatMap(({ title = "", description: text = "" }) => [title, text])];
    for (const text of said) expect(text).not.toMatch(/\{\w+\}|undefined|NaN/);
    expect(words.length).toBeLessThanOrEqual(2000);
    expect(embeds.length).toBeLessThanOrEqual(1);
    expect((embeds[0]?.description ?? "").length).toBeLessThanOrEqual(4096);
    expect((embeds[0]?.title ?? "").length).toBeLessThanOrEqual(256);
  }
});
