import { headline } from "../../../../src/discord/views/decisions/controls.ts";
import { describe, expect, test } from "vitest";
import { catalogues, type Locale } from "../../../../src/base/words/say.ts";
import type { ReviewInput } from "../../../../src/core/decisions/review-text.ts";
import { pageBody } from "../../../../src/discord/views/decisions/pages.ts";
import type { Body } from "../../../../src/discord/views/message.ts";
import { openMarkdown } from "../../../../src/discord/text/markdown.ts";
import { job, message, T1 } from "../../../core/scene.ts";
import {
  allowed,
  asking,
  bodyOf,
  controlsOf,
  labels,
  OWNER,
  pageOf,
  questioning,
  seen,
  textOf,
} from "../../decision-scene.ts";
import { content, description, of, running } from "../../seen.ts";

const LOCALES = Object.keys(catalogues) as Locale[];
const BASH = { tool: "Bash", input: { command: "npm test", description: "Run the tests" } };
const markdown = openMarkdown();
const planned = (plan: string, more: object = {}): ReviewInput => ({ plan: { plan, ...more } });
const letters = (count: number): string[] => Array.from({ length: count }, (_, place) => `Option number ${place + 1}`);

describe("a permission", () => {
  test("is asked with what would be done, in our colour, with who asks and four buttons", () => {
    const { scene, pages } = asking(BASH);
    const body = allowed(bodyOf(of(seen(scene, pages), "prompt")));
    expect(body.content).toBe("🔐 claude wants to run `npm test`");
    expect(body.embeds[0]?.title).toBeUndefined();
    expect(body.embeds[0]).toMatchObject({
      color: 0x8b5cf6,
      footer: { text: `Asked by claude · ${job(1)}` },
    });
    expect(pageOf(body).text).toBe("```bash\nnpm test\n```\n-# `description`: Run the tests");
    expect(labels(body)).toEqual(["Allow once", "Allow for this session", "Deny", "Deny and say why"]);
    expect(textOf(body)).toContain("Reply with `yes` (once) or `no`.");
  });

  test("of an agent that hears no reason beside a no says when it is told", () => {
    const { scene, pages } = asking(BASH);
    Object.assign(Object.values(scene.state.decisions)[0]?.subject ?? {}, { described: true });
    expect(labels(allowed(bodyOf(of(seen(scene, pages), "prompt"))))).toEqual([
      "Allow once",
      "Allow for this session",
      "Deny",
      "Deny and say why (with the next message)",
    ]);
  });

  test("of a subagent says which one asks, in words that are no formatting and not too many", () => {
    const by = (subagent: string): Body => {
      const { scene, pages } = asking(BASH);
      const [decision] = Object.values(scene.state.decisions);
      Object.assign(decision?.asker ?? {}, { subagent });
      return bodyOf(of(seen(scene, pages), "prompt"));
    };
    expect(by("general-purpose: look").content).toBe("🔐 claude › general-purpose: look wants to run `npm test`");
    expect(by("general-purpose: look").embeds[0]?.footer?.text).toBe(
      `Asked by claude › general-purpose: look · ${job(1)}`,
    );
    expect(by("**x** `y` https://x.example").content).toMatch(
      /^🔐 claude › \\\*\\\*x\\\*\\\* \\`y\\` https\\:\/\/x\\\.example wants to run/,
    );
    const long = by("z".repeat(5000));
    expect(long.embeds[0]?.footer?.text.length).toBeLessThan(256);
    expect(long.content).toMatch(/^🔐 claude › z{50,}… wants to run `npm test`$/);
  });

  test.each(["en", "ko", "ja", "zh-TW"] as const)(
    "says in %s who asks for what in a line of 100 characters",
    (locale) => {
      const moved = (from: string, path: string): ReviewInput => {
        const content = [{ type: "diff", oldText: "", newText: "", path, _meta: { kind: "update" } }];
        const title = "Edit files";
        return {
          tool: "edit",
          call: { title, kind: "edit", status: "pending", locations: [{ path: from }], content },
        };
      };
      const asked: [subject: ReviewInput, says: string][] = [
        ...[`mcp__${"shop".repeat(13)}`, "x".repeat(5000), "*-".repeat(40)].map((tool): [ReviewInput, string] => [
          { tool, input: { command: "ls" } },
          tool.slice(0, 50),
        ]),
        [{ tool: "Bash", input: { command: "npm test ".repeat(40) } }, "npm test npm test npm test npm test npm"],
        [{ tool: "Write", input: { file_path: `${"/deep".repeat(40)}/notes.md`, content: "" } }, "/deep/notes.md`"],
        [{ tool: `mcp__${"s".repeat(60)}__${"t".repeat(60)}`, input: {} }, "t".repeat(25)],
        [moved(`/${"a".repeat(90)}`, `/${"b".repeat(90)}`), "b".repeat(25)],
      ];
      for (const [subject, says] of asked) {
        const { scene } = asking(subject);
        const [decision] = Object.values(scene.state.decisions);
        for (const subagent of [undefined, "general-purpose: look around", "z".repeat(5000)]) {
          Object.assign(decision?.asker ?? {}, { subagent });
          const line = headline(scene.state, decision!, locale).replaceAll("\\", "");
          expect(line.length).toBeLessThanOrEqual(100);
          expect(line).toContain(says);
          expect(line).toContain(subagent?.slice(0, 10) ?? "claude");
        }
      }
    },
  );

  test("names as asked before it what called its owner: nothing that was allowed already, nothing void", () => {
    const { scene } = asking(BASH);
    scene.ask(job(1), "dec_2");
    const before = (): unknown => {
      const prompt = seen(scene, []).find(({ subject, part }) => subject === "dec_2" && part === "prompt");
      return prompt?.news?.kind === "asks" && prompt.news.before.length;
    };
    const [decision] = Object.values(scene.state.decisions);
    expect(before()).toBe(1);
    Object.assign(decision ?? {}, { state: "void", voided: "withdrawn" });
    expect(before()).toBe(0);
    Object.assign(decision ?? {}, { state: "answered", settled_by: "grant" });
    expect(before()).toBe(0);
    Object.assign(decision ?? {}, { settled_by: "press" });
    expect(before()).toBe(1);
  });

  test("says how hidden characters are written", () => {
    const { scene, pages } = asking({ tool: "Bash", input: { command: "ls\u202e" } });
    expect(textOf(bodyOf(of(seen(scene, pages), "prompt")))).toContain("⟨…⟩ stands for");
  });

  test("is drawn as a change where it is one", () => {
    const { scene, pages } = asking({ tool: "Edit", input: { file_path: "a.ts", old_string: "a", new_string: "b" } });
    expect(bodyOf(of(seen(scene, pages), "prompt")).embeds[0]?.description).toMatch(
      /^✏️ `a\.ts`\n```diff\n- a\n\+ b\n```\n/,
    );
  });

  test("that is long can be allowed only when its last page was shown, and comes whole as a file", () => {
    const { scene, pages } = asking({ tool: "Bash", input: { command: "echo line\n".repeat(700) } });
    expect(pages.length).toBe(3);
    const prompt = (): ReturnType<typeof bodyOf> => allowed(bodyOf(of(seen(scene, pages), "prompt")));
    expect(labels(prompt())).toEqual([
      "(Allow once)",
      "(Allow for this session)",
      "Deny",
      "Deny and say why",
      "Show page 2 of 3",
    ]);
    expect(prompt().files?.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ["request.md", `${pages.map(({ text }) => text).join("\n")}\n`],
    ]);
    scene.do({ type: "see_page", decision_id: "dec_1", page: 2 });
    expect(labels(prompt())).toEqual([
      "(Allow once)",
      "(Allow for this session)",
      "Deny",
      "Deny and say why",
      "Show page 3 of 3",
    ]);
    scene.do({ type: "see_page", decision_id: "dec_1", page: 3 });
    expect(labels(prompt())).toEqual([
      "Allow once",
      "Allow for this session",
      "Deny",
      "Deny and say why",
      "Show page 2 of 3",
    ]);
    expect(textOf(prompt())).toContain("You have seen all 3 pages");
  });

  test("shows each page in the same frame, the next one to press, and after the last the choice", () => {
    const { scene, pages } = asking({ tool: "Bash", input: { command: "echo line\n".repeat(700) } });
    const decision = scene.state.decisions["dec_1"];
    if (!decision) throw new Error("nothing is asked");
    const second = allowed(pageBody(scene.state, decision, { pages, page: 2 }, { markdown, locale: "en" }));
    expect(second.embeds[0]?.title).toBe("🔐 claude wants to run `echo line …` · Page 2 of 3");
    expect(pageOf(second)).toEqual(pages[1]);
    expect(labels(second)).toEqual(["Show page 3 of 3"]);
    scene.do({ type: "see_page", decision_id: "dec_1", page: 2 });
    scene.do({ type: "see_page", decision_id: "dec_1", page: 3 });
    expect(labels(allowed(pageBody(scene.state, decision, { pages, page: 3 }, { markdown, locale: "en" })))).toEqual([
      "Allow once",
      "Allow for this session",
      "Deny",
      "Deny and say why",
    ]);
  });

  test("whose file is not what was asked can only be refused", () => {
    const { scene } = asking(BASH);
    const body = allowed(bodyOf(of(seen(scene, undefined), "prompt")));
    expect(labels(body)).toEqual(["(Allow once)", "(Allow for this session)", "Deny", "Deny and say why"]);
    expect(textOf(body)).toContain("can no longer be read");
  });

  test.each([
    [[0], null, "**✅ Allowed once**\n`npm test`\nBy <@100000000000000001>, <t:"],
    [[1], null, "**✅ Allowed for this session**\n`npm test`\nBy <@100000000000000001>, <t:"],
    [[2], null, "**⛔ Denied**\n`npm test`\nBy <@100000000000000001>, <t:"],
    [[2], "not\nnow", "**⛔ Denied**\n`npm test`\nYour words:\n> not\n> now\nBy <@100000000000000001>, <t:"],
  ])("that was settled with %j %j says who said what when, and has nothing to press", (places, words, text) => {
    const { scene, pages } = asking(BASH);
    scene.press("dec_1", places, words);
    const body = allowed(bodyOf(of(seen(scene, pages), "prompt")));
    expect(body.embeds[0]?.description).toContain(text);
    expect(body.components).toEqual([]);
    expect(body.allowed_mentions).toEqual({ parse: [], replied_user: false });
  });

  test("that was settled in words says so", () => {
    const { scene, pages } = asking(BASH);
    scene.show("dec_1", message(50));
    scene.hear(T1, message(60), "no");
    expect(textOf(bodyOf(of(seen(scene, pages), "prompt")))).toContain(`By <@${OWNER}> in a message, <t:`);
  });

  test("that an earlier word allows is one quiet line", () => {
    const { scene, pages } = asking(BASH);
    scene.press("dec_1", [1]);
    const { sha256 = "" } = scene.state.decisions["dec_1"]?.subject ?? {};
    scene.ask(job(1), "dec_2", 1, {
      subject: { tool: "Bash", title: "npm test", sha256, pages: 1, grant_until: "2027-01-01T00:00:00.000Z" },
    });
    const desired = seen(scene, pages).filter(({ subject }) => subject === "dec_2");
    expect(desired.map(content)).toEqual([
      expect.stringMatching(/^-# 🔓 \*\*?Bash|^-# 🔓 Bash `npm test` was allowed by your earlier answer/),
    ]);
    expect(bodyOf(desired[0]!).embeds).toEqual([]);
  });
});

describe("a plan", () => {
  test("is in the thread as it was written, and the choice below it", () => {
    const { scene, pages } = asking(
      planned("# Tidy up\n\n1. Remove `a`\n2. [here](https://evil.example)\n\n```sh\nrm a\n```"),
    );
    const desired = seen(scene, pages);
    expect(desired.map(({ part }) => part)).toEqual(["welcome", "card", "page:1", "prompt"]);
    expect(allowed(bodyOf(of(desired, "page:1"))).embeds[0]?.description).toBe(
      "> # Tidy up\n> \n> 1. Remove `a`\n> 2. [here]\\(<https://evil.example>)\n> \n> ```sh\n> rm a\n> ```",
    );
    expect(labels(allowed(bodyOf(of(desired, "prompt"))))).toEqual(["Approve", "Reject", "Reject with feedback"]);
    Object.assign(Object.values(scene.state.decisions)[0]?.subject ?? {}, { described: true });
    expect(labels(allowed(bodyOf(of(seen(scene, pages), "prompt"))))).toEqual([
      "Approve",
      "Reject",
      "Reject with feedback (with the next message)",
    ]);
  });

  test("of several pages counts as seen when these stand in the thread, and comes whole as a file", () => {
    const plan = Array.from(
      { length: 200 },
      (_, line) => `- do the ${line}th thing, carefully and well, as it should be`,
    ).join("\n");
    const { scene, pages } = asking(planned(plan));
    expect(pages.length).toBe(4);
    const desired = seen(scene, pages);
    expect(desired.map(({ part }) => part).slice(2)).toEqual(["page:1", "page:2", "page:3", "page:4", "prompt"]);
    expect(
      bodyOf(of(desired, "page:1")).files?.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
    ).toEqual([["plan.md", `${plan}\n`]]);
    expect(labels(bodyOf(of(desired, "prompt")))).toContain("(Approve)");
    for (const page of [1, 2, 3, 4]) scene.post("dec_1", message(70 + page), `page:${page}`);
    expect(
      seen(scene, pages)
        .map(({ part }) => part)
        .slice(2),
    ).toEqual(["prompt"]);
    expect(labels(bodyOf(of(seen(scene, pages), "prompt")))).toEqual(["Approve", "Reject", "Reject with feedback"]);
  });

  test("shows what else came with it below it, and what does not fit on pages of its own, which must be seen before it is approved", () => {
    const more = { allowedPrompts: [{ tool: "Bash", prompt: "run anything" }], pushToRemote: true };
    const one = asking(planned("# x", more));
    expect(allowed(bodyOf(of(seen(one.scene, one.pages), "page:1"))).embeds[0]?.description).toBe(
      '> # x\n`allowedPrompts` = `[{"tool":"Bash","prompt":"run anything"}]`\n`pushToRemote` = `true`',
    );
    const { scene, pages } = asking(planned("word ".repeat(590), { ...more, notes: "line\n".repeat(30) }));
    const desired = seen(scene, pages);
    expect(desired.map(({ part }) => part).slice(2)).toEqual(["page:1", "page:2", "prompt"]);
    expect(allowed(bodyOf(of(desired, "page:2"))).embeds[0]?.description).toContain("`pushToRemote` = `true`");
    scene.post("dec_1", message(71), "page:1");
    expect(labels(bodyOf(of(seen(scene, pages), "prompt")))).toContain("(Approve)");
    scene.post("dec_1", message(72), "page:2");
    expect(labels(bodyOf(of(seen(scene, pages), "prompt")))).toContain("Approve");
  });

  test("that Claude did not send through its hook is no page in the thread, and can be rejected", () => {
    const { scene, pages } = asking({ plan: {} });
    const [decision] = Object.values(scene.state.decisions);
    Object.assign(decision ?? {}, { asker: { by: "hook", request_id: "r1", thread_id: T1, job_id: job(1) } });
    Object.assign(decision?.subject ?? {}, { no_yes: true });
    const desired = seen(scene, pages);
    expect(desired.map(({ part }) => part)).toEqual(["welcome", "card", "prompt"]);
    expect(description(of(desired, "prompt"))).toContain("Claude did not send its plan");
    expect(labels(bodyOf(of(desired, "prompt")))).toEqual(["(Approve)", "Reject", "Reject with feedback"]);
  });

  test("a page that could not be put there was not seen", () => {
    const { scene, pages } = asking(planned("word ".repeat(1000)));
    scene.post("dec_1", message(70), "page:1");
    scene.post("dec_1", null, "page:2");
    expect(labels(bodyOf(of(seen(scene, pages), "prompt")))).toEqual([
      "(Approve)",
      "Reject",
      "Reject with feedback",
      "Show page 2 of 2",
    ]);
  });

  test("that means too much to Discord is shown as code, within its limits", () => {
    const { scene, pages } = asking(planned("||```||".repeat(800)));
    for (const desired of seen(scene, pages)) allowed(bodyOf(desired));
  });

  test("that was rejected with feedback says so, and its pages stay", () => {
    const { scene, pages } = asking(planned("# x"));
    scene.post("dec_1", message(70), "page:1");
    scene.press("dec_1", [1], "first the tests");
    const desired = seen(scene, pages);
    expect(desired.map(({ part }) => part).slice(2)).toEqual(["prompt"]);
    expect(textOf(allowed(bodyOf(of(desired, "prompt"))))).toContain(
      "**⛔ Rejected**\nYour words:\n> first the tests\n",
    );
  });
});

describe("a question", () => {
  const prompt = (scene: ReturnType<typeof questioning>): ReturnType<typeof bodyOf> =>
    allowed(bodyOf(of(seen(scene), "prompt")));

  test("of up to five options has a button for each, and one for another answer", () => {
    const body = prompt(
      questioning([{ question: "Which *color*?", options: ["Red", "Green"], header: "Look" }], "We need `one`.\nNow."),
    );
    expect(textOf(body)).toBe(
      "❓ claude asks you\n> We need `one`.\n> Now.\n\n**Look**\n**Which \\*color\\*?**\n**A** Red\n**B** Green\n\n-# Press a button, or write your answer here.",
    );
    expect(labels(body)).toEqual(["A · Red", "B · Green", "Other…", "Later…"]);
  });

  test("whose options have their own letters keeps them", () => {
    expect(labels(prompt(questioning([{ question: "?", options: ["A) Now", "B) Later"] }])))).toEqual([
      "A) Now",
      "B) Later",
      "Other…",
      "Later…",
    ]);
  });

  test("of more has a select, of more than 25 pages of one", () => {
    const six = controlsOf(prompt(questioning([{ question: "?", options: letters(6), words: false }])));
    expect(six.map(({ options }) => options.length)).toEqual([6, 0]);
    const thirty = controlsOf(prompt(questioning([{ question: "?", options: letters(30), words: false }])));
    expect(thirty.map(({ options, label }) => [options.length, label])).toEqual([
      [25, ""],
      [0, "All 30 options"],
      [0, "Later…"],
    ]);
    expect(thirty[0]?.options[24]).toMatchObject({ label: "25 · Option number 25", value: "24" });
  });

  test("without options has a button for the answer, and says that it can be written", () => {
    const body = prompt(questioning([{ question: "Why?" }]));
    expect(labels(body)).toEqual(["Answer…", "Later…"]);
    expect(textOf(body)).toContain("Write your answer here, or press the button.");
  });

  test("one of several says which it is and what was answered so far, and all stand there at the end", () => {
    const scene = questioning([
      { question: "First?", options: ["A1", "B1"] },
      { question: "Second?", options: ["A2", "B2"] },
    ]);
    expect(prompt(scene).content).toBe("❓ claude asks you · Question 1 of 2");
    scene.press("dec_1", [1], null, 0);
    expect(prompt(scene).content).toBe("❓ claude asks you · Question 2 of 2");
    expect(textOf(prompt(scene))).toContain("Answered so far:\n☑ First?: **B** B1\n\n**Second?**");
    scene.press("dec_1", [], "neither [x](https://y)", 1);
    expect(prompt(scene).embeds[0]?.description).toMatch(
      /^\*\*✅ Answered\*\*\nFirst\?\n→ \*\*B\*\* B1\nSecond\?\n> neither \\\[x\\\]\\\(https\\:\/\/y\\\)\nBy <@/,
    );
    expect(controlsOf(prompt(scene))).toEqual([]);
  });

  test("that was not understood says why below, and how to answer", () => {
    const scene = questioning([{ question: "Deploy?", options: ["Yes", "No"], words: false }]);
    scene.show("dec_1", message(50));
    scene.hear(T1, message(60), "not Yes");
    const desired = seen(scene);
    expect(desired.map(({ part }) => part)).toContain("again:1");
    expect(description(of(desired, "again:1"))).toContain("It says what you don't want");
    expect(description(of(desired, "again:1"))).toContain("`A`, `B`");
    scene.hear(T1, message(61), "maybe");
    expect(description(of(seen(scene), "again:2"))).toContain("This is the last time Bellhop asks.");
    scene.hear(T1, message(62), "maybe");
    expect(description(of(seen(scene), "end"))).toContain("Three answers were not understood");
    expect(textOf(prompt(scene))).toContain("**⚠️ Given up**");
  });

  test.each([
    [["1. Now", "2. Tomorrow"], "`1`, `2`"],
    [["가) 지금", "나) 내일"], "`가`, `나`"],
    [["B", "A"], "`B`, `A`"],
    [["10", "20"], "`A`, `B`"],
    [["① Now", "② Tomorrow"], "`①`, `②`"],
    [[], "in your own words"],
  ])("whose options are %j is asked again with the names that are shown", (options, names) => {
    const scene = questioning([{ question: "?", options, words: false }]);
    scene.show("dec_1", message(50));
    scene.hear(T1, message(60), options.length === 0 ? "\u200b." : "both, or so");
    if (options.length > 0) expect(description(of(seen(scene), "again:1"))).toContain(names);
  });

  test("that wants a number is asked again for a number, not for words", () => {
    const scene = questioning([
      { question: "How many?", wanted: { is: "number", integer: true, minimum: 1, maximum: 9 } },
    ]);
    scene.show("dec_1", message(50));
    scene.hear(T1, message(60), "forty");
    expect(description(of(seen(scene), "again:1"))).toMatch(
      /^It does not fit\. Asked for: Whole number · 1 to 9\.\n.*again with something that fits\.$/m,
    );
  });

  test("of any length is within Discord's limits and comes whole as a file", () => {
    const scene = questioning(
      [{ question: "why? ".repeat(2000), options: letters(80).map((label) => label.repeat(40)), many: true }],
      "*because* `of` that\n".repeat(900),
    );
    const body = prompt(scene);
    expect(body.files?.map(({ name }) => name)).toEqual(["question.txt"]);
    expect(Buffer.from(body.files?.[0]?.bytes ?? []).toString()).toContain("80. Option number 80");
  });

  test("that expires, whose asker is away, or that lost presses says so", () => {
    const scene = running();
    scene.question("q1", ["Which?"], "2026-02-27T00:00:00.000Z");
    scene.place("q1", "100000000000000090");
    scene.restart();
    const other = textOf(allowed(bodyOf(of(seen(scene, undefined, {}, "100000000000000090"), "prompt"))));
    for (const words of ["is not connected right now", "please press again", "it expires <t:1772150400:R>"])
      expect(other).toContain(words);
    // Whoever asked has begun again meanwhile.
    scene.do({ type: "notice", decision_id: "q1" });
    expect(textOf(bodyOf(of(seen(scene, undefined, {}, "100000000000000090"), "prompt")))).not.toContain(
      "is not connected",
    );
  });
});

describe("a job that waits", () => {
  test("says so on its card, with the way to the prompt", () => {
    const { scene, pages } = asking(BASH);
    scene.post(job(1), message(6), "card");
    expect(description(of(seen(scene, pages), "card"))).toBe("🙋 **claude** · waiting for your answer");
    scene.post("dec_1", message(77), "prompt");
    expect(description(of(seen(scene, pages), "card"))).toMatch(
      /waiting for your answer · \[answer it\]\(https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+\)$/,
    );
    scene.press("dec_1", [0]);
    expect(description(of(seen(scene, pages), "card"))).toContain("running");
  });
});

test.each(LOCALES)("every prompt is within Discord's limits in %s", (locale) => {
  const { scene, pages } = asking({ tool: "x".repeat(400), input: { command: "echo line\n".repeat(700) } });
  for (const one of seen(scene, pages, { locale })) allowed(bodyOf(one));
  scene.press("dec_1", [2], "why ".repeat(1000));
  for (const one of seen(scene, pages, { locale })) allowed(bodyOf(one));
});

describe("a message that settles nothing", () => {
  test.each([
    ["yes", "`yes` was not taken as an answer. Press a button there, or reply to it with `yes` or `no`:"],
    ["and then run the linter", "This became the next job. Still open:"],
  ])("of two that are open (%s) is told why, with the way to each", (words, says) => {
    const { scene, pages } = asking(BASH);
    scene.ask(job(1), "dec_2", 1, {
      subject: {
        tool: "Bash",
        title: "make",
        sha256: "1".repeat(64),
        pages: 1,
        grant_until: "2027-01-01T00:00:00.000Z",
      },
    });
    for (const [at, id] of ["dec_1", "dec_2"].entries())
      scene.do({
        type: "record_post",
        subject: id,
        part: "prompt",
        channel_id: T1,
        message_id: message(50 + at),
        hash: "h",
        is: "said",
      });
    scene.hear(T1, message(60), words);
    const notice = of(seen(scene, pages), `pointer:${T1}`);
    expect(notice.reply_to).toBe(message(60));
    const link = (number: number): string => `https://discord.com/channels/3/${T1}/${message(number)}`;
    expect(description(notice)).toBe(
      `${says} [Permission: Bash npm test](${link(50)}) · [Permission: Bash make](${link(51)})`,
    );
  });

  test("because not all was shown yet is told to look at the rest first", () => {
    const { scene, pages } = asking({ tool: "Bash", input: { command: "echo line\n".repeat(700) } });
    scene.show("dec_1", message(50));
    scene.reply(T1, message(60), "yes", message(50));
    expect(description(of(seen(scene, pages), `pointer:${T1}`))).toContain(
      "would allow something that is not fully shown here",
    );
  });
});

test("what is settled hides nothing in its one line either", () => {
  const { scene, pages } = asking({ tool: "Bash", input: { command: "ls\u202ex" } });
  scene.press("dec_1", [2]);
  expect(textOf(bodyOf(of(seen(scene, pages), "prompt")))).toContain("`ls⟨U+202E RLO⟩x`");
});

test("what was written in direct messages is never said to be a job, also after its prompt is settled", () => {
  const { scene, pages } = asking(BASH);
  const direct = "100000000000000070";
  scene.do({
    type: "open_channel",
    channel_id: direct,
    guild_id: null,
    bot_id: "4",
    kind: "direct",
    since: message(0),
  });
  scene.show("dec_1", message(50));
  scene.hear(direct, message(60), "how are you?");
  scene.press("dec_1", [2]);
  expect(description(of(seen(scene, pages), `pointer:${direct}`))).toMatch(
    /^`how are you\?` was not taken as an answer/,
  );
});
