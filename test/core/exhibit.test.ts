import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, exhibit, type Shown } from "../../src/core/exhibit.ts";
import { readShown } from "./shown.ts";

const show = (subject: Shown): string => exhibit(bytesOf(subject)).pages.join("\n");
const bash = (command: string, more: Record<string, unknown> = {}): Shown => ({ tool: "Bash", input: { ...more, command } });

describe("what is shown of a tool's input", () => {
  test("a command stands first, under its name, line by line", () => {
    expect(show(bash("echo 1 &&\n  echo 2", { description: "count", timeout: 1000 }))).toBe("● Bash\ncommand\n│ echo 1 &&\n│   echo 2\ndescription\n│ count\ntimeout =\n│ 1000");
  });

  test("an edit is a change, and nothing else of it is left out", () => {
    const input = { replace_all: false, old_string: "a\nb\nc", new_string: "a\nB\nc", file_path: "/x/y.ts" };
    expect(show({ tool: "Edit", input })).toBe("● Edit\nfile_path\n│ /x/y.ts\nold_string → new_string\n  a\n- b\n+ B\n  c\nreplace_all =\n│ false");
  });

  test("each of several edits is a change of its own", () => {
    const edits = [{ old_string: "a", new_string: "b" }, { old_string: "c", new_string: "", replace_all: true }];
    expect(show({ tool: "MultiEdit", input: { file_path: "f", edits } })).toBe(
      "● MultiEdit\nfile_path\n│ f\nedits[0].old_string → edits[0].new_string\n- a\n+ b\nedits[1].old_string → edits[1].new_string\n- c\n+ \nedits[1].replace_all =\n│ true",
    );
  });

  test("what is no text is shown as JSON", () => {
    expect(show({ tool: "mcp__x__y", input: { list: [1, { a: null }] } })).toBe('● mcp__x__y\nlist =\n│ [\n│   1,\n│   {\n│     "a": null\n│   }\n│ ]');
  });

  test("a text cannot pass for a field, a tool or a part of the change", () => {
    const lines = show({ tool: "Edit", input: { old_string: "x", new_string: "file_path\n● Bash\n- x\n│ y\n┆z" } }).split("\n");
    expect(lines.slice(2)).toEqual(["- x", "+ file_path", "+ ● Bash", "+ - x", "+ │ y", "+ ⟨U+2506⟩z"]);
    expect(show({ tool: "Read", input: { "command\n│ ls": "x", "a → b": 1 } })).toBe('● Read\n"command\\n│ ls"\n│ x\n"a → b" =\n│ 1');
  });

  test("a long line is broken by us, with a gutter of its own: nothing of it stands where the next field would", () => {
    const rows = show(bash(`ls ${"x".repeat(51)}description│ harmless && ${"한".repeat(60)}`)).split("\n");
    expect(rows.slice(2)).toEqual([`│ ls ${"x".repeat(50)}`, "│┆xdescription│ harmless &&", `│┆ ${"한".repeat(26)}`, `│┆${"한".repeat(26)}`, `│┆${"한".repeat(8)}`]);
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
    ["```\n``", "⟨U+0060 BACKTICK×3⟩\n│ ``"],
    ["⟨U+202E RLO⟩", "⟨U+27E8⟩U+202E RLO⟩"],
    ["rm א /ב", "rm \u2068א\u2069 /\u2068ב\u2069"],
    ["\u0301a\u0301", "⟨U+0301⟩a\u0301"],
    ["\ud800", "⟨U+D800⟩"],
    ["한국어 日本語 中文 é 👍", "한국어 日本語 中文 é 👍"],
  ])("%j is shown as %j", (command, shown) => {
    expect(show(bash(command)).replaceAll("\n│┆", "")).toBe(`● Bash\ncommand\n│ ${shown}`);
  });

  test("many empty lines are counted, because they push what follows out of sight", () => {
    expect(show(bash(`ls${"\n".repeat(300)}rm`))).toBe("● Bash\ncommand\n│ ls⟨U+000A LF×299⟩\n│ rm");
  });

  test("a plan stays the Markdown it is, and nothing hides in it", () => {
    expect(show({ plan: "# Do  \n```sh\n\tls\n```\n\u202ex" })).toBe("# Do  \n```sh\n\tls\n```\n⟨U+202E RLO⟩x");
  });

  test("what is no input and no plan is shown as it stands", () => {
    expect(exhibit("[1").pages).toEqual(["│ [1"]);
    expect(exhibit('{"tool":1}').pages).toEqual(['│ {"tool":1}']);
  });
});

describe("pages", () => {
  test("a command of 100 kB is on pages of at most 3,000 characters, and all of it", () => {
    const bytes = bytesOf(bash("x".repeat(50_000) + "한".repeat(25_000) + "\u202e".repeat(2000)));
    const { pages } = exhibit(bytes);
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(3000);
    expect(readShown(pages)).toBe(bytes);
  });

  test("no mark is cut in two", () => {
    for (let before = 0; before < 20; before += 1) {
      const rows = exhibit(bytesOf(bash("x".repeat(before) + "\u202e".repeat(300)))).pages.join("\n").split("\n");
      for (const row of rows) expect(row.match(/⟨/g)?.length).toBe(row.match(/⟩/g)?.length);
    }
  });
});

describe("whatever an agent asks for", () => {
  const nasty = fc.constantFrom(
    "\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\r", "\n", "\n\n\n\n\n\n", "\0", "\x1b[31m", "\t", " ", " ".repeat(60), "```", "`", "⟨", "⟩", "⟨U+202E RLO⟩", "⇥", "│ ", "┆", "● Bash", " → ", " =",
    "+ ", "- ", "\u{e0061}", "\ufe0f", "❤\ufe0f", "\u0301", "שלום", "مرحبا", "\ud83d", "\ude00", "👩\u200d👩", "[Allow](https://evil.example)", "<@1>", "@everyone", "||x||", "\u3000", "日本", "한", "rm -rf /", "edits[0].old_string", '"', "\\",
  );
  const text = fc.oneof(
    { weight: 3, arbitrary: fc.array(fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 12 }).map((parts) => parts.join("")) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
  );
  const long = fc.tuple(text, fc.integer({ min: 1, max: 400 })).map(([one, times]) => one.repeat(times).slice(0, 100_000));
  const key = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "0", "7", "edits", "old_string", "new_string", "tool", "plan"));
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>;
  const edit = fc.record({ old_string: text, new_string: text, replace_all: fc.boolean(), more: json }, { requiredKeys: ["old_string", "new_string"] });
  const input = fc.oneof(
    fc.record({ command: fc.oneof(text, long), description: text, timeout: fc.nat() }, { requiredKeys: ["command"] }),
    fc.record({ file_path: text, old_string: text, new_string: text, replace_all: fc.boolean() }, { requiredKeys: ["old_string"] }),
    fc.record({ file_path: text, edits: fc.array(edit, { maxLength: 4 }) }),
    fc.record({ file_path: text, content: fc.oneof(text, long) }),
    fc.dictionary(key, fc.oneof(text, json), { maxKeys: 5 }),
  );
  const tool = fc.oneof(fc.constantFrom("Bash", "Edit", "MultiEdit", "Write", "NotebookEdit", "mcp__a__b"), text);
  const subject = fc.oneof({ weight: 6, arbitrary: fc.record({ tool, input }) }, { weight: 1, arbitrary: fc.record({ plan: fc.oneof(text, long) }) });

  // A plan that begins as a tool's input does is told apart by who shows it; this reader has only the pages.
  const told = (shown: Shown): boolean => !("plan" in shown) || !shown.plan.startsWith("●");

  test("each of thousands of requests can be read back from its pages to the exact bytes, nothing hidden, nothing left out", () => {
    fc.assert(
      fc.property(subject.filter(told), (shown) => {
        const bytes = bytesOf(JSON.parse(JSON.stringify(shown)) as Shown);
        const { pages } = exhibit(bytes);
        expect(readShown(pages)).toBe(bytes);
        for (const page of pages) {
          expect(page.length).toBeLessThanOrEqual(3000);
          expect(page).not.toMatch("plan" in shown ? /[\r\0\x1b\u200b-\u200f\u202a-\u202e\u2066\u2067\ufeff\u{e0000}-\u{e007f}]/u : /```|[\r\0\x1b\t\u200b-\u200f\u202a-\u202e\u2066\u2067\ufeff\u{e0000}-\u{e007f}]/u);
        }
      }),
      { numRuns: 4000 },
    );
  }, 120_000);

  test("the bytes are the tool's input, as JSON means it", () => {
    fc.assert(
      fc.property(fc.record({ tool, input }), (shown) => {
        const given = JSON.parse(JSON.stringify(shown)) as Shown;
        expect(JSON.parse(bytesOf(given))).toEqual(given);
      }),
    );
  });
});
