/**
 * Markdown as agents write it, and worse: blocks in blocks, fences of any length with backticks in them, tables with
 * escaped pipes, addresses with brackets, every script, emoji of many code points, marks upon marks. Drawn at
 * random, and always well-formed by itself; what is not is in the tests of `agentText`.
 */
import fc from "fast-check";

const words = fc.constantFrom(
  "word",
  "the quick brown fox",
  "한국어 문장입니다.",
  "日本語の文です。",
  "中文句子，",
  "שלום עולם",
  "مرحبا بالعالم",
  "👩‍👩‍👧‍👦",
  "🇰🇷🇯🇵",
  "👍🏽",
  "क्षि",
  "각",
  "é",
  `e${"\u0301".repeat(40)}`,
  "naïve",
  "1,234.56",
  "x".repeat(90),
  "A sentence ends. Another begins!",
  "snake_case_name",
  "C:\\dir",
);
const inline = fc.oneof(
  { weight: 6, arbitrary: words },
  fc.constantFrom(
    "`code`",
    "`` a`b ``",
    "**bold words**",
    "*it* and __so__",
    "~~gone~~",
    "\\*not\\*",
    "a\\|b",
    "&amp;",
    "<b>html</b>",
  ),
  fc.constantFrom(
    "[docs](https://example.com/a_(b))",
    "<https://example.com/x>",
    "https://example.com/?q=(1)",
    "![alt](https://example.com/p.png)",
  ),
);
const line = fc.array(inline, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(" "));

const fence = fc
  .record({
    mark: fc.constantFrom("```", "````", "`````", "~~~", "~~~~"),
    language: fc.constantFrom("", "ts", "c++"),
    lines: fc.array(
      fc.oneof(
        line,
        fc.constantFrom("", "``", "> x", "- y", "    deep", "# z", ">>> print(1)", "| a | b |\n|---|---|"),
      ),
      { maxLength: 8 },
    ),
    inner: fc.boolean(),
  })
  .map(({ mark, language, lines, inner }) => {
    const nested = inner && mark.length > 3 ? [mark.slice(0, 3), "nested", mark.slice(0, 3)] : [];
    return [mark + language, ...lines, ...nested, mark].join("\n");
  });

const cell = fc.oneof({ weight: 4, arbitrary: inline }, line, fc.constant(""));
/** A table of any number of columns, its pipes escaped in the cells. */
export const table = fc
  .record({ columns: fc.integer({ min: 1, max: 5 }), rows: fc.integer({ min: 0, max: 5 }) })
  .chain(({ columns, rows }) => {
    const row = fc.array(cell, { minLength: columns, maxLength: columns });
    const rule = fc.array(fc.constantFrom("---", ":--", "--:", ":-:"), { minLength: columns, maxLength: columns });
    return fc.record({ head: row, rule, body: fc.array(row, { minLength: rows, maxLength: rows }) });
  })
  .map(({ head, rule, body }) => {
    const drawn = (cells: string[]): string =>
      `| ${cells.map((text) => text.replace(/(?<!\\)\|/g, "\\|")).join(" | ")} |`;
    return [head, rule, ...body].map(drawn).join("\n");
  });

const { block } = fc.letrec<{ block: string }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 4, arbitrary: fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n")) },
    { weight: 2, arbitrary: fence },
    { weight: 2, arbitrary: table },
    fc.tuple(fc.constantFrom("# ", "### ", "##### "), line).map((parts) => parts.join("")),
    fc.constant("---"),
    {
      weight: 2,
      arbitrary: fc
        .array(blocksOf(tie("block")), { minLength: 1, maxLength: 3 })
        .map((items) => items.map((item) => indented(item, "- ")).join("\n")),
    },
    fc
      .array(blocksOf(tie("block")), { minLength: 1, maxLength: 3 })
      .map((items) => items.map((item, n) => indented(item, `${n + 1}. `)).join("\n")),
    blocksOf(tie("block")).map((text) =>
      text
        .split("\n")
        .map((one) => `> ${one}`)
        .join("\n"),
    ),
  ),
}));

/** A whole answer. */
export const markdown = fc.array(block, { minLength: 1, maxLength: 4 }).map((blocks) => `${blocks.join("\n\n")}\n`);

function blocksOf(one: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(one, { minLength: 1, maxLength: 2 }).map((blocks) => blocks.join("\n\n"));
}

function indented(text: string, marker: string): string {
  return marker + text.replaceAll("\n", `\n${" ".repeat(marker.length)}`);
}
