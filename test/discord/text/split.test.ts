import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentText } from "../../../src/discord/text/agent-text.ts";
import { openMarkdown } from "../../../src/discord/text/markdown.ts";
import { contentOf, MESSAGE_LIMIT, split, type Chunk } from "../../../src/discord/text/split.ts";
import { readAsDiscord } from "../../fakes/discord-markdown.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const md = openMarkdown();
const chunks = (text: string, limit?: number): Chunk[] => [...split({ text, tables: [] }, md, limit)];
const contents = (text: string, limit?: number): string[] => chunks(text, limit).map(contentOf);
const bodies = (text: string, limit?: number): string[] => chunks(text, limit).map((chunk) => chunk.body);

/** Markdown-like text with everything that makes cutting hard. */
const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\n",
        "\n\n",
        "```js\n",
        "```\n",
        "\n```\n",
        "> ",
        "> ```py\n",
        "- item ",
        "1. item\n",
        "`code span`",
        "`",
        "``",
        "\\",
        "\\`",
        "A sentence ends. ",
        "word ",
        "한국어 문장입니다. ",
        "日本語の文です。",
        "👩‍👩‍👧‍👦",
        "🇰🇷",
        "é",
        "x".repeat(70),
        " ".repeat(30),
        "\t",
      ),
      fc.string({ unit: "grapheme", maxLength: 30 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));
const limit = fc.integer({ min: 100, max: 300 });

test("no character is lost: the bodies joined are the text", () => {
  fc.assert(
    fc.property(markdown, limit, (text, most) => void expect(bodies(text, most).join("")).toBe(text)),
    { numRuns: 2000 },
  );
});

test("no message is longer than Discord takes, added fences counted", () => {
  fc.assert(
    fc.property(markdown, limit, (text, most) => {
      for (const content of contents(text, most)) expect(content.length).toBeLessThanOrEqual(most);
    }),
    { numRuns: 2000 },
  );
});

test("while a text grows, a boundary never moves once there is text behind it", () => {
  fc.assert(
    fc.property(markdown, limit, (text, most) => {
      const characters = Array.from(text);
      let before: string[] = [];
      for (let end = 0; end <= characters.length; end += 7) {
        const now = bodies(characters.slice(0, end).join(""), most);
        expect(now.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1));
        before = now;
      }
    }),
    { numRuns: 300 },
  );
});

test("a full message is exactly the same at the end", () => {
  fc.assert(
    fc.property(markdown, limit, (text, most) => {
      const half = Array.from(text)
        .slice(0, text.length / 2)
        .join("");
      const full = contents(half, most).slice(0, -1);
      const last = full.at(-1);
      expect(contents(text, most).slice(0, full.length)).toEqual(full);
      expect(last === undefined || last.length <= most).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("a surrogate pair or a character of several code points is never cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("👩‍👩‍👧‍👦", "🇰🇷", "é", "각", "क्षि", "a", "日", " ", "👍🏽"), { maxLength: 400 }),
      limit,
      (parts, most) => {
        const text = parts.join("");
        const between = new Set([...graphemes.segment(text)].map(({ index }) => index));
        let at = 0;
        for (const body of bodies(text, most)) {
          expect(at === 0 || between.has(at)).toBe(true);
          at += body.length;
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("a character longer than a message is cut between code points", () => {
  const text = `e${"\u0301".repeat(5000)}👍`;
  const parts = bodies(text);
  expect(parts.join("")).toBe(text);
  for (const part of parts) expect(part).not.toMatch(/[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/);
});

test("code is closed at the end of a message and opened again with its language", () => {
  const code = Array.from({ length: 200 }, (_, line) => `const line${line} = "value";\n`).join("");
  const parts = contents(`before\n\n\`\`\`ts\n${code}\`\`\`\nafter`);
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(part.match(/^```/gm)).toHaveLength(2);
  for (const part of parts.slice(1)) expect(part.startsWith("```ts\nconst line")).toBe(true);
  expect(parts.at(-1)?.endsWith("```\nafter")).toBe(true);
});

test("quoted code and quoted lines stay quoted", () => {
  const quote = `> ${"words of a long quote ".repeat(200)}`;
  for (const part of contents(quote)) expect(/^> \w/.test(part)).toBe(true);
  const fence = `> \`\`\`py\n${"> print(1)\n".repeat(400)}> \`\`\`\n`;
  for (const part of contents(fence))
    expect(
      part
        .trimEnd()
        .split("\n")
        .every((line) => line.startsWith("> ")),
    ).toBe(true);
});

test("a code span that is cut is closed and opened again", () => {
  const [first, second] = contents(`\`${"x".repeat(3000)}\``);
  expect(first?.endsWith("x`")).toBe(true);
  expect(second?.startsWith("`x")).toBe(true);
});

test("a cut does not part a backslash from what it escapes, nor a run of backticks", () => {
  for (let lead = 1980; lead <= 2000; lead += 1) {
    for (const pair of ["\\*", "``"]) {
      for (const body of bodies(`${"x".repeat(lead)}${pair}${"y".repeat(100)}`).slice(0, -1))
        expect(body.endsWith(pair.charAt(0)) && !body.endsWith(pair)).toBe(false);
    }
  }
});

test("a cut between words goes round a code span where it can", () => {
  const [first, second] = chunks(`${"word ".repeat(350)}\`${"code in a span ".repeat(40)}\` end`);
  expect(first?.after).toBe("");
  expect(second?.body.startsWith("`code")).toBe(true);
});

test("a quoted line of code too long for one message stays quoted code", () => {
  for (const part of contents(`> \`\`\`sh\n> ${"x".repeat(5000)}\n> \`\`\`\n`)) {
    const lines = part.trimEnd().split("\n");
    expect(lines.every((line) => line.startsWith("> "))).toBe(true);
    expect([lines[0], lines.at(-1)]).toEqual(["> ```sh", "> ```"]);
  }
});

test.each([
  ["between paragraphs", `${"a ".repeat(600)}\n\n${"b ".repeat(500)}\nc`, "\n\n"],
  ["else between lines", `${"a ".repeat(600)}\n${"b. ".repeat(500)}`, "\n"],
  ["else between sentences", `${"word ".repeat(300)}end. ${"word ".repeat(300)}`, "end. "],
  ["else between words", "word ".repeat(600), " "],
])("a cut falls %s", (_where, text, ending) => {
  expect(bodies(text)[0]?.endsWith(ending)).toBe(true);
});

test("a fence that fits whole into the next message is not cut", () => {
  const text = `${"prose ".repeat(200)}\n\n\`\`\`\n${"code\n".repeat(200)}\`\`\`\n`;
  const parts = contents(text);
  expect(parts).toHaveLength(2);
  expect(parts[1]?.startsWith("```\ncode")).toBe(true);
});

test("a cut leaves no empty piece of code behind", () => {
  for (let lines = 300; lines < 420; lines += 1) {
    const parts = contents(`\`\`\`\n${"code\n".repeat(lines)}\`\`\`\n${"after ".repeat(300)}`);
    for (const part of parts) expect(part).not.toMatch(/```\w*\n[\s\u200B]*```/);
  }
});

test("the end of a code block is not parted from what quotes it", () => {
  for (let length = 180; length < 200; length += 1) {
    const parts = contents(`> \`\`\`\n> ${"x".repeat(length)}\n> \`\`\`\n\nafter`, 210);
    for (const piece of parts.flatMap(readAsDiscord))
      if (piece.kind === "text") expect(piece.text).not.toContain("```");
  }
});

describe("no cut makes an empty piece of code, whose backticks Discord would show", () => {
  /** What is drawn as text; of an empty piece, Discord shows the language as its code. */
  const seen = (text: string): string =>
    contents(text, 250)
      .flatMap(readAsDiscord)
      .filter(({ kind, text: said }) => kind === "text" || /^```\w*\s*```$/.test(said))
      .map(({ text: said }) => said)
      .join("");
  const fences = ["```", "```ts", "> ```", "> ```ts"];
  const quoted = (fence: string, ...lines: string[]): string =>
    [fence, ...lines.map((line) => fence.replace(/```.*/, line)), fence.replace("ts", "")]
      .map((line) => `${line}\n`)
      .join("");

  test.each(fences)("where code begins with blank lines and goes on with a long one (%s)", (fence) => {
    for (let lead = 60; lead < 110; lead += 1)
      expect(seen(`${"x".repeat(lead)}\n${quoted(fence, "", "", "word ".repeat(60))}after`)).not.toContain("`");
  });

  test.each(fences)("where a line of code ends just where a message does (%s)", (fence) => {
    for (let length = 200; length < 260; length += 1)
      expect(seen(`${quoted(fence, "x".repeat(length))}${"after ".repeat(50)}`)).not.toContain("`");
  });

  test.each(["`", "``"])("where a code span begins or ends just where a message does (%s)", (mark) => {
    for (let length = 230; length < 260; length += 1) {
      const long = "x".repeat(length);
      expect(seen(`${long}${mark}${long}${mark}${long}`)).not.toContain("`");
    }
  });
});

test("backticks beyond what Discord takes for code are not opened again", () => {
  for (const content of contents(`a${"`".repeat(1500)} ${"b ".repeat(2000)}`))
    expect(content.length).toBeLessThanOrEqual(2000);
  expect(contents(`a${"`".repeat(1500)} ${"b ".repeat(2000)}`).join("")).toBe(
    `a${"`".repeat(1500)} ${"b ".repeat(2000)}`,
  );
});

test("a text that fits is one message, and an empty one none", () => {
  expect(contents("a".repeat(1990))).toHaveLength(1);
  expect(contents("")).toEqual([]);
});

test("a megabyte is split, whatever it consists of", () => {
  for (const piece of ["a", "가", "👩‍👩‍👧", "word ", "\n", "`x` ", "```js\ncode\n", "> q\n", "\\", "`` ` "]) {
    const shown = agentText(piece.repeat(Math.ceil(1_000_000 / piece.length)), md);
    const { text } = shown;
    const parts = [...split(shown, md)];
    expect(parts.every((part) => contentOf(part).length <= MESSAGE_LIMIT)).toBe(true);
    expect(parts.reduce((total, part) => total + part.body.length, 0)).toBe(text.length);
  }
});
