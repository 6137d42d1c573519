/** Each shape of a request reads as one sentence, and what is shown of it below is, with that sentence, all of it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { actIn, bytesOf, reviewText, type ReviewInput } from "../../../src/core/decisions/review-text.ts";
import {
  requestFrom,
  shapedRequest,
  SHAPES,
  SLOT,
  slotsIn,
  type Shape,
  type Slot,
  type ToolRequest,
} from "../../../src/core/decisions/shapes.ts";
import { shownAgain } from "./shown.ts";

const CWD = "/home/dev/app";
const path = `${CWD}/notes.md`;
const pending = { status: "pending" };
const diff = (oldText: string | null, newText: string, more: object = {}): object[] => [
  { type: "diff", path, oldText, newText, ...more },
];
const saying = (text: string): object[] => [{ type: "content", content: { type: "text", text } }];
const native = (tool: string, input: Record<string, unknown>): ToolRequest => ({ tool, input });
const called = (tool: string, call: Record<string, unknown>): ToolRequest => ({ tool, call: { ...pending, ...call } });
const claude = (name: string, call: Record<string, unknown>): ToolRequest => called(name, { name, ...call });
const patch = (body: string): string => `Index: ${path}\n${"=".repeat(67)}\n--- ${path}\n+++ ${path}\n${body}`;
const code = (language: string, ...rows: string[]): string => [`\`\`\`${language}`, ...rows, "```"].join("\n");

/** Requests as agents send them: who, what, as the sentence has it, and what stands below. */
const TRUE: [who: string, request: ToolRequest, act: object, shown: string][] = [
  [
    "claude",
    native("Bash", { command: "npm test", timeout: 5000, description: "Run it", run_in_background: true }),
    { verb: "run", object: "npm test" },
    `${code("bash", "npm test")}\n-# \`description\`: Run it\n-# \`timeout\` = \`5000\` · \`run_in_background\` = \`true\``,
  ],
  [
    "claude",
    native("Write", { file_path: path, content: "# hi\n" }),
    { verb: "write", object: "notes.md" },
    `✏️ \`${path}\`\n${code("md", "# hi↵")}`,
  ],
  [
    "claude",
    native("Edit", { file_path: path, old_string: "a", new_string: "b", replace_all: false }),
    { verb: "change", object: "notes.md" },
    `✏️ \`${path}\`\n${code("diff", "- a", "+ b")}\n-# \`replace_all\` = \`false\``,
  ],
  [
    "claude",
    native("NotebookEdit", { notebook_path: "/n.ipynb", new_source: "1", cell_id: "c", edit_mode: "insert" }),
    { verb: "change", object: "/n.ipynb" },
    `✏️ \`/n.ipynb\`\n${code("", "1")}\n-# \`cell_id\`: c\n-# \`edit_mode\`: insert`,
  ],
  [
    "claude",
    native("Read", { file_path: "/etc/hosts", limit: 5 }),
    { verb: "read", object: "/etc/hosts" },
    "📖 `/etc/hosts`\n-# `limit` = `5`",
  ],
  [
    "claude",
    native("WebFetch", { url: "https://example.com/a", prompt: "sum it up" }),
    { verb: "fetch", object: "https://example.com/a" },
    "🌐 `https://example.com/a`\n-# `prompt`: sum it up",
  ],
  ["claude", native("WebSearch", { query: "cats" }), { verb: "search", object: "cats" }, "🔍 `cats`"],
  ["claude", native("EnterPlanMode", {}), { verb: "plan_mode", object: "" }, "`{}`"],
  [
    "claude",
    native("mcp__git_hub__create_issue", { title: "x", list: [1] }),
    { verb: "use", object: "create_issue", where: "git_hub" },
    "`title`: x\n`list` = `[1]`",
  ],
  [
    "claude-agent-acp",
    claude("Bash", {
      rawInput: { command: "touch x", description: "make x" },
      title: "touch x",
      kind: "execute",
      content: saying("make x"),
      locations: [{ path: "/home/dev/app/x" }],
    }),
    { verb: "run", object: "touch x" },
    `${code("bash", "touch x")}\n-# \`description\`: make x\n-# \`location\`: /home/dev/app/x`,
  ],
  [
    "claude-agent-acp",
    claude("Write", {
      rawInput: { file_path: path, content: "hi" },
      title: "Write notes.md",
      kind: "edit",
      content: diff(null, "hi"),
      locations: [{ path }],
    }),
    { verb: "write", object: "notes.md" },
    `✏️ \`${path}\`\n${code("md", "hi")}`,
  ],
  [
    "claude-agent-acp",
    claude("Edit", {
      rawInput: { file_path: path, old_string: "a", new_string: "b" },
      title: "Edit app/notes.md",
      kind: "edit",
      content: diff("a", "b"),
      locations: [{ path }],
    }),
    { verb: "change", object: "notes.md" },
    `✏️ \`${path}\`\n${code("diff", "- a", "+ b")}\n-# \`title\`: Edit app/notes.md`,
  ],
  [
    "claude-agent-acp",
    claude("Read", {
      rawInput: { file_path: "/etc/hosts" },
      title: "Read /etc/hosts",
      kind: "read",
      content: [],
      locations: [{ path: "/etc/hosts", line: 1 }],
    }),
    { verb: "read", object: "/etc/hosts" },
    "📖 `/etc/hosts`",
  ],
  [
    "claude-agent-acp",
    claude("WebFetch", {
      rawInput: { url: "https://example.com/a", prompt: "what is it" },
      title: "Fetch https://example.com/a",
      kind: "fetch",
      content: saying("what is it"),
    }),
    { verb: "fetch", object: "https://example.com/a" },
    "🌐 `https://example.com/a`\n-# `prompt`: what is it",
  ],
  [
    "claude-agent-acp",
    claude("WebSearch", { rawInput: { query: "cats" }, title: 'Search "cats"', kind: "fetch", content: [] }),
    { verb: "search", object: "cats" },
    "🔍 `cats`",
  ],
  [
    "gemini",
    called("execute", {
      title: "touch x",
      kind: "execute",
      content: saying("[current working directory /home/dev/app] (make x)"),
      locations: [],
    }),
    { verb: "run", object: "touch x" },
    `${code("bash", "touch x")}\n-# \`explanation\`: \\[current working directory /home/dev/app\\] \\(make x\\)`,
  ],
  [
    "gemini",
    called("edit", {
      title: "Writing to notes.md",
      kind: "edit",
      content: diff("", "hi", { _meta: { kind: "add" } }),
      locations: [{ path }],
    }),
    { verb: "create", object: "notes.md" },
    `✏️ \`${path}\`\n${code("md", "hi")}`,
  ],
  [
    "gemini",
    called("edit", {
      title: "notes.md: a => b",
      kind: "edit",
      content: diff("a", "b", { _meta: { kind: "modify" } }),
      locations: [{ path }],
    }),
    { verb: "change", object: "notes.md" },
    `✏️ \`${path}\`\n${code("diff", "- a", "+ b")}\n-# \`title\`: notes.md\\: a =\\> b`,
  ],
  [
    "gemini, which says so of an emptied file",
    called("edit", {
      title: "Writing to notes.md",
      kind: "edit",
      content: diff("a", "", { _meta: { kind: "delete" } }),
      locations: [{ path }],
    }),
    { verb: "change", object: "notes.md" },
    `✏️ \`${path}\`\n${code("diff", "- a", "+ ")}`,
  ],
  [
    "codex",
    called("execute", { title: "touch x", rawInput: { command: "touch x", cwd: CWD }, kind: "execute" }),
    { verb: "run", object: "touch x" },
    `${code("bash", "touch x")}\n-# \`cwd\`: /home/dev/app`,
  ],
  [
    "codex",
    called("edit", {
      title: "Edit files",
      kind: "edit",
      locations: [{ path }],
      content: diff(null, "# hi\n", { _meta: { kind: "add" } }),
    }),
    { verb: "create", object: "notes.md" },
    `✏️ \`${path}\`\n${code("md", "# hi↵")}`,
  ],
  [
    "codex, at two places of a file",
    called("edit", {
      title: "Edit files",
      kind: "edit",
      locations: [{ path }],
      content: [...diff("a", "b", { _meta: { kind: "update" } }), ...diff("c", "d", { _meta: { kind: "update" } })],
    }),
    { verb: "change", object: "notes.md" },
    `✏️ \`${path}\`\n${code("diff", "- a", "+ b")}\n▾\n${code("diff", "- c", "+ d")}`,
  ],
  [
    "codex",
    called("edit", {
      title: "Edit files",
      kind: "edit",
      locations: [{ path }],
      content: diff("gone\n", "", { _meta: { kind: "delete" } }),
    }),
    { verb: "delete", object: "notes.md" },
    `🗑️ \`${path}\`\n${code("md", "gone↵")}`,
  ],
  [
    "codex",
    called("edit", {
      title: "Edit files",
      kind: "edit",
      locations: [{ path: `${CWD}/old.md` }],
      content: diff("", "", { _meta: { kind: "update" } }),
    }),
    { verb: "move", object: "old.md", where: "notes.md" },
    `📦 \`${CWD}/old.md\`\n→ \`${path}\`\n▾ \`""\``,
  ],
  [
    "opencode",
    called("execute", { title: "touch x", kind: "execute", locations: [], rawInput: { command: "touch x" } }),
    { verb: "run", object: "touch x" },
    code("bash", "touch x"),
  ],
  [
    "opencode",
    called("edit", {
      title: path,
      kind: "edit",
      locations: [{ path }],
      rawInput: {
        filepath: path,
        diff: patch("@@ -0,0 +1,2 @@\n+# hi\n+there\n\\ No newline at end of file\n"),
      },
      content: diff("", "# hi\nthere"),
    }),
    { verb: "write", object: "notes.md" },
    `✏️ \`${path}\`\n${code("md", "# hi", "there")}`,
  ],
  [
    "opencode",
    called("edit", {
      title: path,
      kind: "edit",
      locations: [{ path }],
      rawInput: { filepath: path, diff: patch("@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n") },
      content: diff("one\ntwo\n", "one\nTWO\n"),
    }),
    { verb: "change", object: "notes.md" },
    `✏️ \`${path}\`\n${code("diff", "  one", "- two", "+ TWO", "  ")}`,
  ],
  [
    "opencode",
    called("fetch", {
      title: "https://example.com/a",
      kind: "fetch",
      locations: [],
      rawInput: { url: "https://example.com/a", format: "markdown" },
    }),
    { verb: "fetch", object: "https://example.com/a" },
    "🌐 `https://example.com/a`\n-# `format`: markdown",
  ],
  [
    "the demo agent",
    called("write", {
      name: "write",
      title: "Write notes.md",
      kind: "edit",
      rawInput: { path, content: "hi\n" },
      locations: [{ path }],
      content: diff(null, "hi\n"),
    }),
    { verb: "create", object: "notes.md" },
    `✏️ \`${path}\`\n${code("md", "hi↵")}`,
  ],
  [
    "the demo agent",
    called("write", {
      name: "write",
      title: "Write notes.md",
      kind: "edit",
      rawInput: { path, content: "b" },
      locations: [{ path }],
      content: diff("a", "b"),
    }),
    { verb: "change", object: "notes.md" },
    `✏️ \`${path}\`\n${code("diff", "- a", "+ b")}`,
  ],
];

const pagesOf = (request: ReviewInput): string =>
  reviewText(bytesOf(request))
    .pages.map(({ text }) => text)
    .join("\n---\n");
const act = (request: ReviewInput): object | null => actIn(bytesOf(request), CWD);

describe("what an agent asks", () => {
  test.each(TRUE)("%s: is one sentence, and what it does not say stands below it", (_who, request, said, shown) => {
    expect(act(request)).toEqual(said);
    expect(pagesOf(request)).toBe(shown);
    expect(shownAgain(request)).toEqual(request);
  });

  test("every shape of the table is sent by somebody", () => {
    const sent = new Set(TRUE.map(([, request]) => shapedRequest(request)?.shape));
    // Claude over ACP tells a command with and without its description and its places, and an agent may ask to plan.
    expect(SHAPES.filter((shape) => !sent.has(shape)).map(({ verb }) => verb)).toEqual([
      ...Array.from({ length: 5 }, () => "run"),
      "plan_mode",
    ]);
  });

  const command = called("execute", { title: "ls", kind: "execute", locations: [], rawInput: { command: "ls" } });
  const over = (change: object): ToolRequest => ({
    ...command,
    call: { ...("call" in command && command.call), ...change },
  });
  test.each([
    ["a field that no shape has", over({ more: 1 })],
    ["a field that no shape has, deeper", over({ rawInput: { command: "ls", shell: "zsh" } })],
    ["a command of what is said to read", over({ kind: "read" })],
    ["the same of a tool that is said to read", { ...over({ kind: "read" }), tool: "read" }],
    ["no command", over({ rawInput: {} })],
    ["a command that is no text", over({ rawInput: { command: ["ls"] } })],
    [
      "a path beside another one",
      called("write", {
        name: "write",
        title: "Write notes.md",
        kind: "edit",
        rawInput: { path, content: "hi" },
        locations: [{ path: "/etc/passwd" }],
        content: diff(null, "hi"),
      }),
    ],
    [
      "a text beside another one",
      called("write", {
        name: "write",
        title: "Write notes.md",
        kind: "edit",
        rawInput: { path, content: "rm -rf /" },
        locations: [{ path }],
        content: diff(null, "hi"),
      }),
    ],
    ["an unsandboxed command", native("Bash", { command: "ls", dangerouslyDisableSandbox: true })],
    ["another tool", native("Skill", { skill: "x" })],
    ["a server's tool whose server is not clear", native("mcp__a__b__c", {})],
    ["a server's tool as an agent calls it", called("mcp__a__b", { title: "x" })],
  ])("has no sentence of its own, and is shown by its fields: %s", (_what, request) => {
    expect(act(request)).toBeNull();
    expect(pagesOf(request)).toMatch(/^[^-]/);
    expect(shownAgain(request)).toEqual(request);
  });

  test.each([
    ["a long path keeps its end", `/srv/${"deep/".repeat(30)}notes.md`, `…${"/deep".repeat(10)}/notes.md`],
    ["a long name is cut", "x".repeat(100), `${"x".repeat(59)}…`],
    ["what is not in the project is whole", "/home/dev/apple/x", "/home/dev/apple/x"],
    ["what is hidden is marked", `${CWD}/a\u202eb`, "a⟨U+202E RLO⟩b"],
  ])("%s in the sentence", (_what, file_path, object) => {
    expect(act(native("Read", { file_path }))).toEqual({ verb: "read", object });
  });

  test("of a command, the sentence has the first line", () => {
    expect(act(native("Bash", { command: "\nnpm test\nrm -rf build\n" }))).toEqual({
      verb: "run",
      object: "npm test …",
    });
    expect(act(native("Bash", { command: `ls ${"\u202e".repeat(20)}` }))).toEqual({
      verb: "run",
      object: `ls ${"⟨U+202E RLO⟩".repeat(4)}…`,
    });
  });
});

describe("whatever fills a shape", () => {
  const nasty = fc.constantFrom(
    ..."\u202e \u2066 \u200b \u200d \ufeff \r \n \0 \x1b[31m \t ``` ` ⟨ ⟩ ⟨U+202E⟩ ⇥ ↵ ┆ 🔧 ✏️ ▾ → -#".split(" "),
    " ",
    " ".repeat(60),
    "\n\n\n\n\n\n",
    "\n```\n",
    '▾ `""`',
    '""',
    "` → `",
    "` = `1` · `",
    "\n-# `title`: x",
    "+ ",
    "- ",
    "\ud83d",
    "\ude00",
    "שלום",
    "한",
    "\u0301",
    "rm -rf /",
    "[",
    "/",
    "\\",
  );
  const text = fc.oneof(
    fc
      .array(fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 8 })
      .map((parts) => parts.join("")),
    fc.constantFrom("", "a", path, "notes.md"),
  );
  const long = fc
    .tuple(text, fc.integer({ min: 1, max: 300 }))
    .map(([one, times]) => one.repeat(times).slice(0, 40_000));
  const json = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>);

  function valueFor(slot: Slot): fc.Arbitrary<unknown> {
    const name = slot[SLOT];
    if (name === "tool") return fc.constantFrom("mcp__a__b", "mcp__git-hub__create_issue");
    if (name === "input") return fc.dictionary(text, json, { maxKeys: 4 });
    if (name === "explanation") return text.map((one) => `[${one}`);
    return slot.accepts(1) ? json : fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: long });
  }

  function filling(shape: Shape): fc.Arbitrary<ToolRequest> {
    const slots = [...new Map([...slotsIn(shape.template)].map((slot) => [slot[SLOT], slot])).values()];
    return fc.integer({ min: 1, max: 3 }).chain((count) => {
      const named = slots.flatMap((slot) =>
        Array.from({ length: slot[SLOT].endsWith("#") ? count : 1 }, (_, at) => ({
          slot,
          name: slot[SLOT].endsWith("#") ? `${slot[SLOT]}${at}` : slot[SLOT],
        })),
      );
      return fc
        .tuple(
          ...named.map(({ slot, name }) => {
            const bound = valueFor(slot).map((value): [string, unknown][] => [[name, value]]);
            return slot.optional || slot.implied ? fc.oneof(bound, fc.constant([])) : bound;
          }),
        )
        .map((entries) => json_(requestFrom({ shape, bindings: new Map(entries.flat()) })));
    });
  }

  /** As it came over the wire. */
  const json_ = (request: unknown): ToolRequest => JSON.parse(JSON.stringify(request)) as ToolRequest;

  function expectWhole(request: ToolRequest): void {
    const shaped = shapedRequest(request);
    if (shaped !== null) expect(requestFrom(shaped)).toEqual(request);
    const { pages } = reviewText(bytesOf(request));
    expect(shownAgain(request)).toEqual(request);
    for (const { text: page } of pages) {
      expect(page.length).toBeLessThanOrEqual(3000);
      expect(page).not.toMatch(/[^\n]```|[\r\0\x1b\t\u200b-\u200f\u202a-\u202e\u2066\u2067\ufeff\u{e0000}-\u{e007f}]/u);
    }
  }

  test.each(SHAPES.map((shape, at) => [`${at}: ${shape.verb}`, shape] as const))(
    "%s: the sentence and what stands below it are the whole request, and so they are once it is another one",
    (_name, shape) => {
      fc.assert(
        fc.property(filling(shape), fc.infiniteStream(fc.nat()), text, (request, numbers, words) => {
          expect(shapedRequest(request)).not.toBeNull();
          expectWhole(request);
          expectWhole(changed(request, numbers, words));
        }),
        { numRuns: 150 },
      );
    },
    60_000,
  );
});

/** The request with one field more, one less, or one other value, somewhere in what is asked. */
function changed(request: ToolRequest, numbers: Iterator<number>, words: string): ToolRequest {
  const next = (below: number): number => Number(numbers.next().value) % below;
  const copy = structuredClone(request);
  const places: { into: object; name: string }[] = [];
  const objects: object[] = [];
  const walk = (into: object): void => {
    if (into !== copy && !Array.isArray(into)) objects.push(into);
    for (const [name, value] of Object.entries(into)) {
      if (into !== copy) places.push({ into, name });
      if (typeof value === "object" && value !== null) walk(value as object);
    }
  };
  walk(copy);
  const place = places[next(Math.max(1, places.length))];
  const how = next(3);
  if (how === 0 || place === undefined) {
    const into = objects[next(objects.length)] ?? {};
    const name = ["more", "__proto__", "title", "command", "path", "locations", words][next(7)] ?? "more";
    Object.defineProperty(into, name, { value: words, enumerable: true, configurable: true, writable: true });
  } else if (how === 1 && !Array.isArray(place.into)) Reflect.deleteProperty(place.into, place.name);
  else Reflect.set(place.into, place.name, [words, null, 1, "", [], {}, "delete"][next(7)]);
  return copy;
}
