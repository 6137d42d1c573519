/** A question and its context, however long they are: as much of them is seen as fits, and the rest is in a file. */
import { describe, expect, test } from "vitest";
import { quoteLines } from "../../../../src/discord/views/decisions/controls.ts";
import type { Body } from "../../../../src/discord/views/message.ts";
import { job, message, T1 } from "../../../core/scene.ts";
import { allowed, bodyOf, labels, questioning, seen } from "../../decision-scene.ts";
import { of } from "../../seen.ts";

type Asked = Parameters<typeof questioning>[0][number];

/** Everything that stands in the thread for it, in order: the texts above, and the prompt. */
function shown(asked: Asked, context = ""): { above: string[]; prompt: Body; text: string } {
  const desired = seen(questioning([asked], context)).filter(
    ({ part }) => part === "prompt" || part.startsWith("above"),
  );
  for (const one of desired) allowed(bodyOf(one));
  const above = desired.slice(0, -1).map((one) => bodyOf(one).embeds[0]?.description ?? "");
  const prompt = bodyOf(of(desired, "prompt"));
  return { above, prompt, text: prompt.embeds[0]?.description ?? "" };
}

const words = (count: number, word = "word"): string =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ");

/** The words of a text as a reader sees them, without what draws them. */
const read = (...texts: string[]): string[] => texts.join("\n").match(/[a-z]+\d+/g) ?? [];

describe("a question of one line", () => {
  test.each([100, 150, 250, 350])("of %d words stands whole in its prompt", (count) => {
    const question = words(count);
    const { above, prompt, text } = shown({ question, options: ["Yes", "No"] });
    expect(above).toEqual([]);
    expect(read(text)).toEqual(read(question));
    expect(prompt.files).toBeUndefined();
    expect(text).not.toContain("…");
  });

  test("that is not bold is told apart from its options, and what is no option has a row of its own where not all fit into one", () => {
    const question = words(200);
    const { prompt, text } = shown({ question, options: ["Red", "Green", "Blue", "None"] });
    expect(text).toContain("word199\n\n**A** Red");
    const rows = prompt.components.map((row) => labels({ ...prompt, components: [row] }));
    expect(rows).toEqual([
      ["A · Red", "B · Green", "C · Blue", "D · None"],
      ["Other…", "Later…"],
    ]);
    expect(shown({ question: "Which?", options: ["Red", "Green", "Blue"] }).prompt.components).toHaveLength(1);
  });

  test.each([600, 1200, 1500])(
    "of %d words stands whole above its prompt, which begins it and has its buttons",
    (count) => {
      const question = words(count);
      expect(question.length).toBeLessThan(16_000);
      const { above, prompt, text } = shown({ question, options: ["Yes", "No"] });
      expect(read(...above)).toEqual(read(question));
      expect(text).toMatch(/^\*\*word0 word1 .* …\*\*\n/);
      expect(text).toContain("The rest is above.");
      expect(prompt.files).toBeUndefined();
      expect(labels(prompt)).toEqual(expect.arrayContaining(["A · Yes", "B · No", "Other…"]));
    },
  );
});

describe("a context", () => {
  const MARKDOWN =
    "## What I found\n\n- `a.ts` is **unused**\n- see [the log](https://example.com/log)\n\n```ts\nconst a = 1;\n```\n\n| file | lines |\n|---|---|\n| a.ts | 3 |";

  test("is drawn as the Markdown it is, as agents' text is everywhere, and stands out from our own words", () => {
    const { above, text } = shown({ question: "Remove it?", options: ["Yes", "No"] }, MARKDOWN);
    expect(above).toEqual([]);
    expect(text.split("\n\n**Remove it?**")[0]?.split("\n")).toEqual(
      [
        "> ## What I found",
        "> ",
        "> - `a.ts` is **unused**",
        "> - see [the log]\\(<https://example.com/log>)",
        "> ",
        "> ```ts",
        "> const a = 1;",
        "> ```",
        "> ",
        expect.stringMatching(/^> ```$|^> - /) as string,
        expect.anything() as string,
        expect.anything() as string,
        expect.anything() as string,
        expect.anything() as string,
      ].slice(0, text.split("\n\n**Remove it?**")[0]?.split("\n").length),
    );
    expect(text).not.toContain("\\*\\*unused");
  });

  test("pings nobody, hides nothing, and cannot pass for a line of ours", () => {
    const { text } = shown(
      { question: "Sure?", options: [] },
      "-# Asked by claude\n<@100000000000000001> @everyone ||x||\n[Allow](https://evil.example)\n```\nnever closed",
    );
    for (const line of (text.split("\n\n**Sure?**")[0] ?? "").split("\n")) expect(line).toMatch(/^> /);
    expect(text).not.toMatch(/^> -# /m);
    expect(text).not.toContain("(https://evil.example)");
    expect((text.match(/```/g) ?? []).length % 2).toBe(0);
  });

  test.each([30, 60, 80])(
    "of %d paragraphs is above in whole paragraphs, in several messages before anything is in a file",
    (count) => {
      const paragraphs = Array.from({ length: count }, (_, at) => `${words(20, `p${"abcdefghij"[at % 10]}`)} end${at}`);
      const { above, prompt, text } = shown({ question: "Which?", options: ["One", "Two"] }, paragraphs.join("\n\n"));
      expect(read(...above)).toEqual(read(...paragraphs));
      for (const page of above) expect(page).toMatch(/end\d+$/);
      expect(prompt.files).toBeUndefined();
      expect(text).toMatch(/^\*\*Which\?\*\*\n/);
    },
  );

  test("of one paragraph of 1,100 characters is seen", () => {
    const { above, text } = shown({ question: "Which?", options: [] }, words(160));
    expect(read(...above, text)).toEqual(read(words(160)));
  });

  test("that is longer than five messages comes whole as a file as well, and its beginning is seen", () => {
    const context = Array.from({ length: 400 }, (_, at) => `${words(30)} end${at}`).join("\n\n");
    const { above, prompt, text } = shown({ question: "Which?", options: [] }, context);
    expect(above).toHaveLength(5);
    expect(read(...above)).toEqual(read(context).slice(0, read(...above).length));
    expect(text).toContain("This is not all of it. The attached file has everything.");
    expect(Buffer.from(prompt.files?.[0]?.bytes ?? []).toString()).toContain("end399");
  });

  test("of nothing but line ends, code that means much to Discord, or a table of thousands is within its limits", () => {
    for (const context of [
      "a\n\n".repeat(20_000),
      "||```||".repeat(3000),
      `|a|b|\n|---|---|\n${"|x|y|\n".repeat(3000)}`,
      "`".repeat(9000),
      "> ".repeat(8000),
    ]) {
      shown({ question: context.slice(0, 9999) || "?", options: [] }, context);
    }
  });
});

test("what is above is said once, whatever becomes of the prompt", () => {
  const scene = questioning([{ question: words(700), options: [] }]);
  const parts = (): string[] =>
    seen(scene)
      .map(({ part }) => part)
      .filter((part) => part !== "welcome" && part !== "card");
  expect(parts()).toEqual(["above:1", "above:2", "prompt"]);
  scene.post("dec_1", message(41), "above:1");
  expect(parts()).toEqual(["above:2", "prompt"]);
  scene.post("dec_1", message(42), "above:2");
  scene.show("dec_1", message(43));
  scene.hear(T1, message(44), "done");
  expect(parts()).toEqual(["prompt"]);
  expect(scene.state.decisions["dec_1"]).toMatchObject({ state: "answered", asker: { job_id: job(1) } });
});

test("of several questions each that is long is above when it is due, and the context once", () => {
  const scene = questioning(
    [
      { question: words(500), options: ["a", "b"] },
      { question: words(500, "other"), options: ["a", "b"] },
    ],
    words(400, "context"),
  );
  const texts = (): string =>
    seen(scene)
      .filter(({ part }) => part.startsWith("above"))
      .map((one) => bodyOf(one).embeds[0]?.description ?? "")
      .join("\n");
  expect(read(texts())).toEqual([...read(words(400, "context")), ...read(words(500))]);
  scene.press("dec_1", [0], null, 0);
  expect(read(texts())).toEqual(read(words(500, "other")));
  expect(seen(scene).map(({ part }) => part)).toContain("above:1:1");
});

test.each([
  ["one line", words(300), 400],
  ["a paragraph among others", `first\n${words(300)}\nlast`, 400],
  ["all that has to be escaped", "*_`~|".repeat(200), 90],
  ["backslashes", "\\".repeat(500), 91],
])(
  "what is only quoted in part (%s) is seen to its last character that fits, and nothing in it becomes formatting",
  (_what, text, max) => {
    const shown = quoteLines(text, max);
    expect(shown.length).toBeLessThanOrEqual(max);
    expect(shown.length).toBeGreaterThan(max - 25);
    expect(shown).toMatch(/[^ ]…$/);
    expect(shown.replace(/\\[^0-9A-Za-z\s]/g, "")).not.toMatch(/[*_`~|\\]/);
    expect(shown).not.toMatch(/(?<!\\)(?:\\\\)*\\…$/);
  },
);
