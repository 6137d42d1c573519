import fc from "fast-check";
import { expect, test } from "vitest";
import { agentText as read } from "../../../src/discord/text/agent-text.ts";
import { openMarkdown } from "../../../src/discord/text/markdown.ts";
import { contentOf, split } from "../../../src/discord/text/split.ts";
import { readAsDiscord } from "../../fakes/discord-markdown.ts";

const GAP = "\u200B";
const markdown = openMarkdown();
const agentText = (text: string): string => read(text, markdown).text;
const messages = (text: string, limit?: number): string[] =>
  Array.from(split(read(text, markdown), markdown, limit), contentOf);

/** Pieces of Markdown that an attacker would try, in any order. */
const hostile = fc
  .array(
    fc.constantFrom(
      "`",
      "``",
      "```",
      "````",
      "~~~",
      "\n",
      "\n\n",
      " ",
      "a",
      "word ",
      "\\",
      "> ",
      ">",
      "- ",
      "1. ",
      "  ",
      "    ",
      "```js\n",
      "\n```\n",
      "\n> ```\n",
      "- ```sh\n",
      "[x](https://evil.example/a)",
      '[x](<https://evil.example> "t")',
      "](",
      "[",
      ")",
      "https://evil.example/x?y=(z)",
      "<https://evil.example>",
      "<@123456789012345678>",
      "@everyone",
      "-# ",
      "**",
      "||",
      "| a | b |\n",
      "|---|---|\n",
      "|",
      ">>> ",
      "> > ",
      "> | a | b |\n> |--|--|\n",
      "# ",
      "\r",
      "\u0000",
      "\u001b[31m",
      "\u202e",
      "가나다",
      "👩‍👩‍👧",
      "*",
      "_",
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

test.each([
  ["a masked link shows where it leads", "[docs](https://evil.example)", "[docs]\\(<https://evil.example>)"],
  ["also one whose bracket is escaped", "\\](https://evil.example)", "\\]\\(<https://evil.example>)"],
  ["an address is shown and not fetched", "see https://a.example/b.", "see <https://a.example/b>."],
  ["brackets that belong to an address stay in it", "(https://a.example/b_(c))", "(<https://a.example/b_(c)>)"],
  [
    "an address ends where the bracket around it closes",
    "表は[ここ](https://a.example/b)を参照。",
    "表は[ここ]\\(<https://a.example/b>)を参照。",
  ],
  [
    "and where a sentence ends that has no blanks",
    "https://a.example/b。次は（https://b.example）です",
    "<https://a.example/b>。次は（<https://b.example>）です",
  ],
  ["a line across is drawn as one", "a\n\n---\n> * * *\nb", "a\n\n────────────\n> ────────────\nb"],
  ["boxes to tick are drawn", "- [ ] one\n  1. [x] two\n- [x](y)", "- ☐ one\n  1. ☑ two\n- [x]\\(y)"],
  ["an address that is in angle brackets stays", "<https://a.example>", "<https://a.example>"],
  ["a backslash before an address does not open it again", "\\https://a.example", "\\\\<https://a.example>"],
  ["a mention is text", "<@123456789012345678> and @everyone", `\\<@123456789012345678> and @${GAP}everyone`],
  ["small print is ours alone", "-# done\n> -# done", "\\-# done\n> \\-# done"],
  ["two bars hide nothing", "a || b || c, `d || e`, \\||f||", "a \\|\\| b \\|\\| c, `d || e`, \\||f\\|\\|"],
  ["code on one line stays as it is", "`a[0](x)` and ``b`c``", "`a[0](x)` and ``b`c``"],
  ["a backtick that closes nowhere on its line opens nothing", "it`s\n`[x](y)", "it\\`s\n\\`[x]\\(y)"],
  [
    "code between four backticks in a line would be cut by Discord, so it is none",
    "a ````x````",
    "a \\`\\`\\`\\`x\\`\\`\\`\\`",
  ],
  ["nor is code that Discord would end too early", "a ```x```` y``` z", "a \\`\\`\\`x\\`\\`\\`\\` y\\`\\`\\` z"],
  [
    "the beginning of an address does not swallow the backslash behind it",
    "https://.<@123456789012345678>",
    `h${GAP}ttps://.\\<@123456789012345678>`,
  ],
  ["a fence keeps its language", "```ts title=x\na[0](1)\n```", "```ts\na[0](1)\n```"],
  [
    "a longer fence becomes one that Discord knows, and what is inside stays inside",
    "````md\n```js\nx\n```\n````",
    `\`\`\`md\n\`${GAP}\`${GAP}\`js\nx\n\`${GAP}\`${GAP}\`\n\`\`\``,
  ],
  ["tildes become backticks", "~~~\nx\n~~~", "```\nx\n```"],
  [
    "backticks in the middle of a line do not end code",
    "```\na ``` [x](https://evil.example)\n```",
    `\`\`\`\na \`${GAP}\`${GAP}\` [x]${GAP}(https://evil.example)\n\`\`\``,
  ],
  [
    "a link over two lines of code is none either",
    "```\n[x](\n https://evil.example)\n```",
    `\`\`\`\n[x](\n ${GAP}https://evil.example)\n\`\`\``,
  ],
  ["an empty fence does not swallow what follows", "```\n```\nb", `\`\`\`\n${GAP}\n\`\`\`\nb`],
  ["a fence in a list item begins its own line", "1. ```sh\nnpm i\n```", "1.\n```sh\nnpm i\n```"],
  ["an indented fence is not ended by less indentation", "- a\n  ```\nb\n  ```", "- a\n```\nb\n```"],
  ["a quoted fence ends with its quote", "> ```\n> a\nb", "> ```\n> a\n> ```\nb"],
  ["controls and turned reading direction go", "a\u001b[31mb\u0000c\u202ed\r\ne", "abcd\ne"],
])("%s", (_law, said, shown) => {
  expect(agentText(said)).toBe(shown);
});

test("no link ever hides its address, and none is left to be fetched, in any message", () => {
  fc.assert(
    fc.property(hostile, (said) => {
      for (const message of messages(said, 200)) {
        const pieces = readAsDiscord(message);
        expect(pieces.filter((piece) => piece.kind === "link")).toEqual([]);
        expect(message).not.toMatch(/\]\(\s*<?https?:/);
        for (const piece of pieces) if (piece.kind === "address") expect(piece.text).toMatch(/^<|^https?:/);
      }
    }),
    { numRuns: 3000 },
  );
});

test("every fence that is opened is closed in the same message", () => {
  fc.assert(
    fc.property(hostile, (said) => {
      for (const message of messages(said, 200)) {
        const prose = readAsDiscord(message).filter((piece) => piece.kind === "text");
        for (const piece of prose) expect(piece.text).not.toContain("```");
      }
    }),
    { numRuns: 3000 },
  );
});

test("small print and mentions cannot be made in prose", () => {
  fc.assert(
    fc.property(hostile, (said) => {
      for (const piece of messages(said).flatMap(readAsDiscord)) {
        if (piece.kind !== "text") continue;
        expect(piece.text).not.toMatch(/(?<!\u0001)-# /);
        expect(piece.text).not.toMatch(/(?<!\u0001)<@|@everyone/);
      }
    }),
    { numRuns: 2000 },
  );
});

test("what is decided never changes again", () => {
  fc.assert(
    fc.property(hostile, hostile, (begun, more) => {
      const { text, decided } = read(begun, markdown);
      expect(agentText(begun + more).startsWith(text.slice(0, decided))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("plain prose and code come through unchanged", () => {
  const said = "# Title\n\nSome *text* with `code`.\n\n- one\n- two\n\n> quoted\n\n```js\nconst a = `b`;\n```\n";
  expect(agentText(said)).toBe(said);
});

test("a megabyte of anything costs no more than a moment's work", () => {
  const million = 1_000_000;
  for (const piece of ["`", "`` ` ", "https://)", "[a](https://x) ", "\\", "```\n", "(", "<", "a"]) {
    const said = piece.repeat(Math.ceil(million / piece.length));
    expect(agentText(said).length).toBeGreaterThan(0);
  }
});
