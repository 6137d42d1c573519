import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, reviewText, type ReviewInput } from "../../../src/core/decisions/review-text.ts";
import { bytesShown, readShown } from "./shown.ts";

const show = (subject: ReviewInput): string =>
  reviewText(bytesOf(subject))
    .pages.map(({ text }) => text)
    .join("\n---\n");
const bash = (command: string, more: Record<string, unknown> = {}): ReviewInput => ({
  tool: "Bash",
  input: { ...more, command },
});
const block = (language: string, ...rows: string[]): string => [`\`\`\`${language}`, ...rows, "```"].join("\n");

describe("what is shown of a tool's input", () => {
  test("a command stands first, in a block of its own language; what is short is below it as ordinary text", () => {
    const more = { description: "count *both* @everyone", timeout: 1000, run_in_background: false };
    expect(show(bash("echo 1 &&\n  echo 2", more))).toBe(
      [
        block("bash", "echo 1 &&", "  echo 2"),
        "-# `description`: count \\*both\\* \\@everyone",
        "-# `timeout` = `1000` · `run_in_background` = `false`",
      ].join("\n"),
    );
  });

  test("an edit is a change, and nothing else of it is left out", () => {
    const input = { replace_all: false, old_string: "a\nb\nc", new_string: "a\nB\nc", file_path: "/x/y.ts" };
    expect(show({ tool: "Edit", input })).toBe(
      ["✏️ `/x/y.ts`", block("diff", "  a", "- b", "+ B", "  c"), "-# `replace_all` = `false`"].join("\n"),
    );
  });

  test("each of several edits is a change of its own", () => {
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "c", new_string: "", replace_all: true },
    ];
    expect(show({ tool: "MultiEdit", input: { file_path: "f", edits } })).toBe(
      [
        "`file_path`: f",
        "`edits[0].old_string` → `edits[0].new_string`",
        block("diff", "- a", "+ b"),
        "`edits[1].old_string` → `edits[1].new_string`",
        block("diff", "- c", "+ "),
        "`edits[1].replace_all` = `true`",
      ].join("\n"),
    );
  });

  test("a file is coloured by its ending, and the line end at its end is seen", () => {
    expect(show({ tool: "Write", input: { content: "\na\n\n", file_path: "x.ts" } })).toBe(
      ["✏️ `x.ts`", block("ts", "↵", "a", "↵")].join("\n"),
    );
    expect(show({ tool: "Write", input: { content: "a", file_path: "x.ansi" } })).toBe(
      ["✏️ `x.ansi`", block("", "a")].join("\n"),
    );
  });

  test("what is no text is shown as JSON, and so is an empty one", () => {
    expect(show({ tool: "mcp__x__y", input: { list: [1, { a: null }], none: "" } })).toBe(
      '`list` = `[1,{"a":null}]`\n`none` = `""`',
    );
    expect(show({ tool: "mcp__x__y", input: { list: ["`"] } })).toBe(
      ["`list` =", block("json", "[", '  "`"', "]")].join("\n"),
    );
    expect(show({ tool: "mcp__x__y", input: {} })).toBe("`{}`");
  });

  test("a text cannot pass for a field, a tool or a part of the change", () => {
    const lines = show({
      tool: "Edit",
      input: { old_string: "x", new_string: "`file_path`: /etc\n🔧\n- x\n```\n┆z↵" },
    }).split("\n");
    expect(lines.slice(1)).toEqual([
      "```diff",
      "- x",
      "+ `file_path`: /etc",
      "+ 🔧",
      "+ - x",
      "+ ⟨U+0060 BACKTICK×3⟩",
      "+ ⟨U+2506⟩z⟨U+21B5⟩",
      "```",
    ]);
    expect(show({ tool: "Read", input: { "command`\n": "x" } })).toBe(
      ["`{…}`", block("json", "{", '  "command`\\n": "x"', "}")].join("\n"),
    );
    expect(show({ tool: "Read` twice", input: { file_path: "a" } })).toBe(
      ["🔧", block("json", '"Read` twice"'), "`file_path`: a"].join("\n"),
    );
  });

  test("what would not look the same as ordinary text is a block: blanks at an end or in a row, hidden characters, several lines, length", () => {
    for (const text of [" a", "a ", "a  b", "a\u202eb", "a\nb", "שלום", "x".repeat(201)])
      expect(show({ tool: "T", input: { text } })).toMatch(/^`text`\n```\n/);
  });

  test.each([
    ["a\u202eb", "a⟨U+202E RLO⟩b"],
    ["a\u200bb", "a⟨U+200B ZWSP⟩b"],
    ["a\ufff9b\u2028\u{f0000}", "a⟨U+FFF9⟩b⟨U+2028⟩⟨U+F0000⟩"],
    ["safe\rrm -rf ~", "safe⟨U+000D CR⟩rm -rf ~"],
    ["\x1b[2Kls\0", "⟨U+001B ESC⟩[2Kls⟨U+0000 NUL⟩"],
    [`ls${" ".repeat(500)}; rm`, "ls⟨U+0020 SPACE×500⟩; rm"],
    ["ls  ", "ls⟨U+0020 SPACE×2⟩"],
    ["a\tb", "a⇥b"],
    ["a\u{e0041}b", "a⟨U+E0041⟩b"],
    ["x\ufe0f\ufe0e", "x⟨U+FE0F⟩⟨U+FE0E⟩"],
    ["⚠\ufe0f ok", "⚠\ufe0f ok"],
    ["a\u00a0b\u3000c\u2800d\u3164e", "a⟨U+00A0 NBSP⟩b⟨U+3000 WIDE SPACE⟩c⟨U+2800⟩d⟨U+3164⟩e"],
    ["```\n``", "⟨U+0060 BACKTICK×3⟩\n``"],
    ["⟨U+202E RLO⟩", "⟨U+27E8⟩U+202E RLO⟩"],
    ["rm א /ב", "rm \u2068א\u2069 /\u2068ב\u2069"],
    ["\u0301a\u0301", "⟨U+0301⟩a\u0301"],
    ["\ud800", "⟨U+D800⟩"],
    ["한국어 日本語 中文 é 👍", "한국어 日本語 中文 é 👍"],
  ])("%j is shown as %j", (command, shown) => {
    expect(show(bash(command))).toBe(block("bash", shown));
  });

  test("many empty lines are counted, because they push what follows out of sight", () => {
    expect(show(bash(`ls${"\n".repeat(300)}rm`))).toBe(block("bash", "ls⟨U+000A LF×299⟩", "rm"));
  });

  test("what is no input and no plan is shown as it stands", () => {
    expect(reviewText("[1").pages).toEqual([{ text: block("", "[1"), prose: "" }]);
    expect(reviewText('{"tool":1}').pages).toEqual([{ text: block("", '{"tool":1}'), prose: "" }]);
  });
});

describe("what is shown of a call as an agent describes it", () => {
  const call = (tool: string, described: Record<string, unknown>): string => show({ tool, call: described });
  const path = "/home/dev/app/note.md";

  test("a change is a change, once, under all the names that the agent gives it; what programs need comes last", () => {
    const described = {
      title: "Edit note.md",
      kind: "edit",
      status: "pending",
      name: "Edit",
      rawInput: { file_path: path, old_string: "a\nb", new_string: "a\nc", replace_all: false },
      content: [{ type: "diff", path, oldText: "a\nb", newText: "a\nc" }],
      locations: [{ path, line: 3 }],
      more: 1,
    };
    expect(call("Edit", described)).toBe(
      [
        "✏️ `edit`",
        "`title`: Edit note.md",
        "`content[0].path`, `locations[0].path`, `rawInput.file_path`: /home/dev/app/note.md",
        "`content[0].oldText`, `rawInput.old_string` → `content[0].newText`, `rawInput.new_string`",
        block("diff", "  a", "- b", "+ c"),
        "`rawInput.replace_all` = `false`",
        "`more` = `1`",
        '`content[0].type` = `"diff"` · `locations[0].line` = `3` · `name` = `"Edit"` · `status` = `"pending"`',
      ].join("\n"),
    );
  });

  test("a new file is its text, and so is what is also the outcome of a change", () => {
    const fresh = {
      kind: "edit",
      content: [{ type: "diff", path, oldText: null, newText: "hello\n" }],
      rawInput: { path, content: "hello\n" },
    };
    expect(call("write", fresh)).toBe(
      [
        "✏️ `edit`",
        "`content[0].path`, `rawInput.path`: /home/dev/app/note.md",
        "`content[0].newText`, `rawInput.content`",
        block("md", "hello↵"),
        '`content[0].oldText` = `null` · `content[0].type` = `"diff"`',
      ].join("\n"),
    );
    const over = {
      kind: "edit",
      content: [{ type: "diff", path, oldText: "old\n", newText: "hello\n" }],
      rawInput: { path, content: "hello\n" },
    };
    expect(call("write", over)).toContain(
      ["`content[0].oldText` → `content[0].newText`, `rawInput.content`", block("diff", "- old", "+ hello", "  ")].join(
        "\n",
      ),
    );
  });

  test("a command stands first, in a block of its language, also where the agent has it only in its title", () => {
    const described = {
      title: "touch a && ls",
      kind: "execute",
      status: "pending",
      rawInput: { command: "touch a && ls", description: "make a" },
      content: [{ type: "content", content: { type: "text", text: "make a" } }],
    };
    expect(call("Bash", described)).toBe(
      [
        "▶️ `execute`",
        "`rawInput.command`, `title`",
        block("bash", "touch a && ls"),
        "`content[0].content.text`, `rawInput.description`: make a",
        '`content[0].content.type` = `"text"` · `content[0].type` = `"content"` · `status` = `"pending"`',
      ].join("\n"),
    );
    expect(call("execute", { title: "rm -rf build", kind: "execute", locations: [] })).toBe(
      ["▶️ `execute`", "`title`", block("bash", "rm -rf build"), "`locations` = `[]`"].join("\n"),
    );
  });

  test.each([
    ["read", "📖", { rawInput: { limit: 5, path } }, "`rawInput.path`: /home/dev/app/note.md\n`rawInput.limit` = `5`"],
    [
      "delete",
      "🗑️",
      { rawInput: { force: true, path } },
      "`rawInput.path`: /home/dev/app/note.md\n`rawInput.force` = `true`",
    ],
    [
      "fetch",
      "🌐",
      { rawInput: { prompt: "sum up", url: "https://x.example/a" } },
      "`rawInput.url`: https\\://x.example/a\n`rawInput.prompt`: sum up",
    ],
    [
      "other",
      "⚙️",
      { rawInput: { list: [1, { a: 2 }], deep: { er: { yet: { more: { still: 1 } } } } } },
      '`rawInput.deep.er.yet.more` = `{"still":1}`\n`rawInput.list` = `[1,{"a":2}]`',
    ],
  ])("of kind %s begins with its sign, and with what people look for", (kind, sign, more, shown) => {
    expect(call(kind, { kind, ...more })).toBe(`${sign} \`${kind}\`\n${shown}`);
  });

  test("of a kind that nobody knows has it as a field, and one of none is no call at all", () => {
    expect(call("x", { kind: "`rm`", title: "do it" })).toBe(["`title`: do it", "`kind`: \\`rm\\`"].join("\n"));
    expect(call("x", {})).toBe("`{}`");
  });

  test("equal requests have equal bytes, whatever the order of their fields", () => {
    expect(bytesOf({ tool: "x", call: { b: [{ d: 1, c: 2 }], a: "1" } })).toBe(
      bytesOf({ tool: "x", call: { a: "1", b: [{ c: 2, d: 1 }] } }),
    );
  });

  test("of a thousand places fits its pages", () => {
    const { pages } = reviewText(
      bytesOf({ tool: "x", call: { locations: Array.from({ length: 1000 }, () => ({ path, line: 1 })) } }),
    );
    for (const { text } of pages) expect(text.length).toBeLessThanOrEqual(3000);
  });
});

describe("what is shown of a plan", () => {
  test("stays the Markdown it is, and nothing hides in it", () => {
    expect(reviewText(bytesOf({ plan: { plan: "# Do  \n```sh\n\tls\n```\n\u202ex" } })).pages).toEqual([
      { prose: "# Do  \n```sh\n\tls\n```\n⟨U+202E RLO⟩x", text: "" },
    ]);
  });

  test("every other field that came with it is shown too, below it or on pages of its own", () => {
    const plan = {
      allowedPrompts: [{ tool: "Bash", prompt: "run anything at all, for as long as you like, and ask nobody" }],
      pushToRemote: true,
      plan: "# Tidy up",
    };
    const { pages } = reviewText(bytesOf({ plan }));
    expect(pages.map(({ prose }) => prose)).toEqual(["# Tidy up"]);
    expect(pages[0]?.text).toContain("run anything at all, for as long as you like, and ask nobody");
    expect(pages[0]?.text).toContain("`pushToRemote` = `true`");
    expect(readShown(pages)).toBe(bytesOf({ plan }));
    const long = bytesOf({ plan: { plan: "x".repeat(2950), more: "y\n".repeat(3000) } });
    expect(reviewText(long).pages.map((page) => page.prose === "")).toEqual([false, true, true, true]);
    expect(readShown(reviewText(long).pages)).toBe(long);
  });

  test.each([[{}], [{ plan: "" }], [{ plan: " \n" }], [{ plan: ["rm"] }], [{ plan: null, more: 1 }], [{ more: "x" }]])(
    "where there is none, %j is shown as it came",
    (plan) => {
      const { pages } = reviewText(bytesOf({ plan }));
      expect(pages.map(({ prose }) => prose)).toEqual([""]);
      expect(readShown(pages)).toBe(bytesOf({ plan }));
    },
  );
});

describe("pages", () => {
  test("a command of 100 kB is on pages of at most 3,000 characters, and all of it", () => {
    const bytes = bytesOf(bash("x".repeat(50_000) + "한".repeat(25_000) + "\u202e".repeat(2000)));
    const { pages } = reviewText(bytes);
    expect(Math.max(...pages.map(({ text }) => text.length))).toBeLessThanOrEqual(3000);
    expect(pages.length).toBeLessThan(45);
    expect(bytesShown(pages, JSON.parse(bytes) as ReviewInput)).toBe(bytes);
  });

  test("no mark is cut in two, every block ends on its page, and no name stands alone at the end of one", () => {
    for (let before = 0; before < 20; before += 1) {
      for (const { text } of reviewText(
        bytesOf(bash("x".repeat(before) + "\u202e".repeat(600), { more: `a\n${"y".repeat(4000)}\n` })),
      ).pages) {
        expect(text.match(/⟨/g)?.length).toBe(text.match(/⟩/g)?.length);
        expect((text.match(/^```/gm) ?? []).length % 2).toBe(0);
        expect(text).not.toMatch(/`$(?<!```)/);
      }
    }
  });

  test("of a file of many short lines each page but the last is well filled", () => {
    const pages = reviewText(
      bytesOf({ tool: "Write", input: { file_path: "a.ts", content: "a line of code;\n".repeat(2000) } }),
    ).pages;
    for (const { text } of pages.slice(0, -1)) expect(text.length).toBeGreaterThan(2900);
  });
});

describe("whatever an agent asks for", () => {
  const nasty = fc.constantFrom(
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\r",
    "\n",
    "\n\n\n\n\n\n",
    "\0",
    "\x1b[31m",
    "\t",
    " ",
    " ".repeat(60),
    "```",
    "`",
    "⟨",
    "⟩",
    "⟨U+202E RLO⟩",
    "⇥",
    "↵",
    "↵\n",
    "┆",
    "🔧",
    "`{…}`",
    "`command`",
    "` → `",
    " =",
    "+ ",
    "- ",
    "\u{e0061}",
    "\ufe0f",
    "❤\ufe0f",
    "\u0301",
    "שלום",
    "مرحبا",
    "\ud83d",
    "\ude00",
    "👩\u200d👩",
    "[Allow](https://evil.example)",
    "<@1>",
    "@everyone",
    "||x||",
    "\u3000",
    "日本",
    "한",
    "rm -rf /",
    "edits[0].old_string",
    '"',
    "\\",
  );
  const text = fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .array(fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 12 })
        .map((parts) => parts.join("")),
    },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
  );
  const long = fc
    .tuple(text, fc.integer({ min: 1, max: 400 }))
    .map(([one, times]) => one.repeat(times).slice(0, 100_000));
  const key = fc.oneof(
    text,
    fc.constantFrom("__proto__", "constructor", "0", "7", "edits", "old_string", "new_string", "tool", "plan"),
  );
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>;
  const edit = fc.record(
    { old_string: text, new_string: text, replace_all: fc.boolean(), more: json },
    { requiredKeys: ["old_string", "new_string"] },
  );
  const input = fc.oneof(
    fc.record({ command: fc.oneof(text, long), description: text, timeout: fc.nat() }, { requiredKeys: ["command"] }),
    fc.record(
      { file_path: text, old_string: text, new_string: text, replace_all: fc.boolean() },
      { requiredKeys: ["old_string"] },
    ),
    fc.record({ file_path: text, edits: fc.array(edit, { maxLength: 4 }) }),
    fc.record({ file_path: text, content: fc.oneof(text, long) }),
    fc.dictionary(key, fc.oneof(text, json), { maxKeys: 5 }),
  );
  const tool = fc.oneof(fc.constantFrom("Bash", "Edit", "MultiEdit", "Write", "NotebookEdit", "mcp__a__b"), text);
  const subject = fc.oneof(
    { weight: 6, arbitrary: fc.record({ tool, input }) },
    {
      weight: 1,
      arbitrary: fc.record({
        plan: fc.oneof(
          fc.record({ plan: fc.oneof(text, long) }),
          fc.record({ plan: text, allowedPrompts: json, more: text }),
          fc.dictionary(key, json, { maxKeys: 3 }),
        ),
      }),
    },
  );

  test("each of thousands of requests can be read back from its pages to the exact bytes, nothing hidden, nothing left out", () => {
    fc.assert(
      fc.property(subject, (shown) => {
        const request = JSON.parse(JSON.stringify(shown)) as ReviewInput;
        const bytes = bytesOf(request);
        const { pages } = reviewText(bytes);
        expect(bytesShown(pages, request)).toBe(bytes);
        for (const { text: page, prose } of pages) {
          expect(page.length + prose.length).toBeLessThanOrEqual(3000);
          expect(`${prose}${page}`).not.toMatch(
            prose !== ""
              ? /[\r\0\x1b\u200b-\u200f\u202a-\u202e\u2066\u2067\ufeff\u{e0000}-\u{e007f}]/u
              : /[^\n]```|[\r\0\x1b\t\u200b-\u200f\u202a-\u202e\u2066\u2067\ufeff\u{e0000}-\u{e007f}]/u,
          );
        }
      }),
      { numRuns: 4000 },
    );
  }, 120_000);

  const entry = fc.oneof(
    fc.record(
      { type: fc.constant("diff"), path: text, oldText: fc.oneof(text, fc.constant(null)), newText: text, _meta: json },
      { requiredKeys: ["type", "path", "newText"] },
    ),
    fc.record({
      type: fc.constantFrom("content", "terminal"),
      content: fc.oneof(fc.record({ type: text, text }), json),
    }),
    json,
  );
  const call = fc.oneof(
    fc.record(
      {
        title: fc.oneof(text, fc.constant("same")),
        kind: fc.oneof(
          fc.constantFrom(
            "read",
            "edit",
            "delete",
            "move",
            "search",
            "execute",
            "think",
            "fetch",
            "switch_mode",
            "other",
          ),
          text,
          json,
        ),
        status: fc.oneof(fc.constant("pending"), text),
        name: text,
        rawInput: fc.oneof(
          input,
          json,
          fc.record({
            command: fc.oneof(fc.constant("same"), long),
            diff: text,
            old_string: text,
            new_string: text,
            oldText: text,
            newText: text,
          }),
        ),
        content: fc.oneof(fc.array(entry, { maxLength: 4 }), json),
        locations: fc.oneof(
          fc.array(fc.record({ path: fc.oneof(text, fc.constant("same")), line: fc.nat() }), { maxLength: 6 }),
          json,
        ),
      },
      { requiredKeys: [] },
    ),
    fc.dictionary(key, fc.oneof(text, json), { maxKeys: 5 }),
  );

  test("each of thousands of described calls can be read back to the exact bytes, nothing hidden, nothing left out", () => {
    fc.assert(
      fc.property(fc.record({ tool, call }), (shown) => {
        const request = JSON.parse(JSON.stringify(shown)) as ReviewInput;
        const bytes = bytesOf(request);
        const { pages } = reviewText(bytes);
        expect(bytesShown(pages, request)).toBe(bytes);
        for (const { text: page } of pages) {
          expect(page.length).toBeLessThanOrEqual(3000);
          expect(page).not.toMatch(
            /[^\n]```|[\r\0\x1b\t\u200b-\u200f\u202a-\u202e\u2066\u2067\ufeff\u{e0000}-\u{e007f}]/u,
          );
        }
      }),
      { numRuns: 2000 },
    );
  }, 120_000);

  test("the bytes are the tool's input, as JSON means it", () => {
    fc.assert(
      fc.property(fc.record({ tool, input }), (shown) => {
        const given = JSON.parse(JSON.stringify(shown)) as ReviewInput;
        expect(JSON.parse(bytesOf(given))).toEqual(given);
      }),
    );
  });
});
