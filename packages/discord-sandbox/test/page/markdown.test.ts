/** Discord's Markdown as the page reads it: a table of texts and what they become, and input that means harm. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseInline, safeHref, type Inline } from "../../src/page/text/markdown-inline.ts";
import { parseMarkdown, type Block } from "../../src/page/text/markdown.ts";

/** A tree as one line: `strong(em(x))`, blocks joined by ` / `. */
function inline(nodes: readonly Inline[]): string {
  return nodes
    .map((n) => {
      switch (n.kind) {
        case "text":
          return n.text;
        case "code":
          return `code(${n.text})`;
        case "link":
          return `link(${n.href}|${inline(n.children)})`;
        case "user":
        case "role":
        case "channel":
          return `${n.kind}(${n.id})`;
        case "everyone":
          return `everyone(${n.text})`;
        case "command":
          return `command(${n.name})`;
        case "emoji":
          return `emoji(${n.name})`;
        case "time":
          return `time(${n.seconds},${n.style})`;
        default:
          return `${n.kind}(${inline(n.children)})`;
      }
    })
    .join("");
}

function block(b: Block): string {
  switch (b.kind) {
    case "paragraph":
      return inline(b.children);
    case "heading":
      return `h${b.level}(${inline(b.children)})`;
    case "subtext":
      return `sub(${inline(b.children)})`;
    case "quote":
      return `quote(${shown(b.children)})`;
    case "code":
      return `fence[${b.language}](${b.text})`;
    case "list":
      return `${b.ordered ? `ol${b.start}` : "ul"}(${b.items.map(shown).join("; ")})`;
  }
}

function shown(blocks: readonly Block[]): string {
  return blocks.map(block).join(" / ");
}

const inlineCases: [string, string][] = [
  ["plain text", "plain text"],
  ["**bold** and *it* and _it_", "strong(bold) and em(it) and em(it)"],
  ["***both***", "strong(em(both))"],
  ["__under__ ~~gone~~", "underline(under) strike(gone)"],
  ["__**x**__", "underline(strong(x))"],
  ["**a *b* c**", "strong(a em(b) c)"],
  ["snake_case_name stays", "snake_case_name stays"],
  ["2 * 3 * 4", "2 * 3 * 4"],
  ["**open", "**open"],
  ["||secret **x**||", "spoiler(secret strong(x))"],
  ["`a **b** c`", "code(a **b** c)"],
  ["``a ` b``", "code(a ` b)"],
  ["**a `**` b**", "strong(a code(**) b)"],
  ["\\*not\\* \\`code\\`", "*not* `code`"],
  ["C:\\Users\\me", "C:\\Users\\me"],
  ["<@123456789012345678> <@!123456789012345678>", "user(123456789012345678) user(123456789012345678)"],
  ["<@&123456789012345678> <#123456789012345678>", "role(123456789012345678) channel(123456789012345678)"],
  ["<t:1700000000:R> <t:1700000000>", "time(1700000000,R) time(1700000000,f)"],
  ["<t:99999999999999:R>", "<t:99999999999999:R>"],
  ["</start:123456789012345678>", "command(start)"],
  ["<:smile:123456789012345678>", "emoji(smile)"],
  [":tada: :no_such_name:", "emoji(🎉) :no_such_name:"],
  ["@everyone @here @elsewhere", "everyone(@everyone) everyone(@here) @elsewhere"],
  ["see https://x.dev/a_b_c, ok", "see link(https://x.dev/a_b_c|https://x.dev/a_b_c), ok"],
  ["(https://x.dev/a)", "(link(https://x.dev/a|https://x.dev/a))"],
  ["https://x.dev/a_(b)", "link(https://x.dev/a_(b)|https://x.dev/a_(b))"],
  ["<https://x.dev>", "link(https://x.dev/|https://x.dev)"],
  ["[a **b**](https://x.dev)", "link(https://x.dev/|a strong(b))"],
  ['[a](https://x.dev "title")', "link(https://x.dev/|a)"],
  ["[no](ftp://x.dev)", "[no](ftp://x.dev)"],
];

test.each(inlineCases)("inline %j", (text, tree) => {
  expect(inline(parseInline(text))).toBe(tree);
});

const blockCases: [string, string][] = [
  ["# One\n## Two\n### Three\n#### Four", "h1(One) / h2(Two) / h3(Three) / #### Four"],
  ["#hash", "#hash"],
  ["-# small", "sub(small)"],
  ["> a\n> b\nc", "quote(a\nb) / c"],
  [">>> a\nb", "quote(a\nb)"],
  ["- a\n- b\n  - c\n- d", "ul(a; b / ul(c); d)"],
  ["3. a\n4. b", "ol3(a; b)"],
  ["* star\n- dash", "ul(star; dash)"],
  ["```ts\nconst a = 1;\n```", "fence[ts](const a = 1;)"],
  ["```one line```", "fence[](one line)"],
  ["before ```js\nx\n``` after", "before  / fence[js](x) /  after"],
  ["```\n**not bold**\n```", "fence[](**not bold**)"],
  ["> ```js\n> x\n> ```", "quote(fence[js](x))"],
  ["```never closed", "```never closed"],
  ["a\r\nb", "a\nb"],
  ["**a\nb**", "strong(a\nb)"],
];

test.each(blockCases)("blocks %j", (text, tree) => {
  expect(shown(parseMarkdown(text))).toBe(tree);
});

const harmful = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "file:///etc/passwd",
  "//evil.dev",
  "https:evil",
  "http://",
];

test.each(harmful)("%j is never a link", (address) => {
  expect(safeHref(address)).toBeUndefined();
  expect(JSON.stringify(parseMarkdown(`[click](${address}) <${address}>`))).not.toContain('"link"');
});

test.each([" https://x.dev", "blob:https://x.dev/1", "\u0000https://x.dev"])(
  "%j is not an address as it stands",
  (address) => {
    expect(safeHref(address)).toBeUndefined();
  },
);

test("every link in any text is http or https, whatever is thrown at it", () => {
  const piece = fc.constantFrom(
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "](",
    "javascript:",
    "https://",
    "data:",
    "*",
    "**",
    "_",
    "`",
    "```",
    "||",
    "\n",
    "> ",
    "- ",
    "\\",
    "a",
    '"',
    "x.dev",
    "\u202e",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      for (const href of hrefsIn(parseMarkdown(pieces.join("")))) expect(href).toMatch(/^https?:\/\//);
    }),
    { numRuns: 2000 },
  );
});

test("markup in a message is text", () => {
  const text = "<script>alert(1)</script><img src=x onerror=alert(1)>";
  expect(shown(parseMarkdown(text))).toBe(text);
});

test("a text of delimiters that never close is read once, not once for each of them", () => {
  for (const mark of [
    "*",
    "**a",
    "_ a",
    "||",
    "~~a",
    "`a",
    "[",
    "[a](",
    "[a](x",
    "<@",
    "<t:",
    ":a",
    "> ",
    "- ",
    "```",
    "\\",
    "h",
    "https://",
    "***_",
  ]) {
    const text = mark.repeat(50_000 / mark.length);
    expect(parseMarkdown(text).length).toBeGreaterThan(0);
  }
});

test("nesting beyond the limit is text, not a deeper tree", () => {
  const deep = `${"> ".repeat(500)}x\n${"||**__~~".repeat(200)}x${"~~__**||".repeat(200)}`;
  expect(depth(parseMarkdown(deep))).toBeLessThan(80);
});

function hrefsIn(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  const own = "href" in node && typeof node.href === "string" ? [node.href] : [];
  return [...own, ...Object.values(node).flatMap(hrefsIn)];
}

function depth(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  return 1 + Math.max(0, ...Object.values(node).map(depth));
}
