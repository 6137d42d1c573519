/** What a rule covers, as its owner reads it before he makes it: two rules that are different never read alike. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { locales } from "../../../../src/base/words/say.ts";
import { offersFor, type CommandCover, type Cover } from "../../../../src/core/rules/judge.ts";
import { covers, isShownWhole, offersBody } from "../../../../src/discord/views/decisions/rules.ts";
import { asking } from "../../decision-scene.ts";
import { bash, facts, placed } from "../../../core/rules/asked.ts";

const text = (cover: Cover, locale: (typeof locales)[number] = "en"): string =>
  covers({ cover, effect: "allow", title: "" }, locale);

function commandsOf(command: string): CommandCover[] {
  const asked = bash(command);
  return offersFor(asked, placed(asked, { ...facts, cwd: facts.root })).flatMap(({ cover }) =>
    cover.family === "command" ? [cover] : [],
  );
}

/** Everything but where it starts and how, which no rule leaves open. */
const meaning = ({ words }: CommandCover): string =>
  JSON.stringify(words.map(({ is, open }) => (open === undefined ? [is] : { open })));

describe("the line of a command", () => {
  test.each([
    ['grep "a b" notes.md', "the command `grep 'a b' notes.md`"],
    ["grep 'it\"s' notes.md", "the command `grep 'it\"s' notes.md`"],
    ['grep "it\'s" notes.md', 'the command `grep "it\'s" notes.md`'],
    ["git diff src/a.ts", "the command `git diff src/a.ts`"],
  ])("shows each word of %s", (command, line) => {
    expect(text(commandsOf(command)[0]!)).toBe(line);
  });

  test.each(locales)("says in %s which of its words may be others", (locale) => {
    const widest = commandsOf("git log -n 5 src/a.ts").at(-1)!;
    expect(text(widest, locale)).toMatch(/`git log -n ‹.+› ‹.+›`/);
  });

  test("differs wherever what it covers differs", () => {
    const few = fc.array(fc.constantFrom("a", "b", "'a b'", "'a'", "-n", "''"), { maxLength: 3 });
    const many = fc.array(fc.oneof(fc.constantFrom("src/a.ts", "-i", "5"), fc.stringMatching(/^'[ -&(-~]{0,6}'$/)), {
      maxLength: 4,
    });
    const command = fc
      .tuple(fc.constantFrom("grep", "rg"), fc.oneof({ arbitrary: few, weight: 3 }, many))
      .map(([program, words]) => [program, ...words].join(" "));
    fc.assert(
      fc.property(command, command, (one, other) => {
        const all = [...commandsOf(one), ...commandsOf(other)].filter(isShownWhole);
        const lines = new Map(all.map((cover) => [text(cover), meaning(cover)]));
        for (const cover of all) expect(lines.get(text(cover))).toBe(meaning(cover));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["that is too long to be shown whole", `grep ${"a".repeat(130)} notes.md`],
    ["whose blanks would look like one", "grep 'a  b' notes.md"],
    ["with what looks like something else", "grep 'a`b' notes.md"],
  ])("is no rule's for one %s", (_what, command) => {
    const all = commandsOf(command);
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter(isShownWhole)).toEqual([]);
  });
});

test("a folder or a tool whose name is not shown whole is no rule's", () => {
  const folder = (name: string): Cover => ({ family: "path", act: "read", folder: name });
  expect([folder(""), folder("src/core"), folder("docs & more")].filter(isShownWhole)).toHaveLength(3);
  expect([folder("a".repeat(121)), folder(" src"), folder("a`b")].filter(isShownWhole)).toEqual([]);
  const tool = { family: "tool", server: "git_hub", tool: "create", definition: "d" } as const;
  expect(isShownWhole(tool)).toBe(true);
  expect(isShownWhole({ ...tool, tool: "t".repeat(61) })).toBe(false);
});

test("a no is shown as what it is about: any word left open, and deleting", () => {
  const no = (cover: Cover): string => covers({ cover, effect: "deny", title: "" }, "en");
  expect(no(commandsOf("cat src/a.ts").at(-1)!)).toBe("the command `cat ‹any word›`");
  expect(no({ family: "path", act: "edit", folder: "src" })).toBe("writing, moving or deleting files in `src`");
  expect(no({ family: "path", act: "read", folder: "" })).toBe("reading files of the project");
  const { scene } = asking({ tool: "Bash", input: { command: "cat src/a.ts" } });
  const [decision] = Object.values(scene.state.decisions);
  const shown = (effect: "allow" | "deny", command = "cat src/a.ts"): string => {
    const asked = bash(command);
    const offers = offersFor(asked, placed(asked, { ...facts, cwd: facts.root }));
    return (
      offersBody(decision!, { offers, root: "/srv/app", effect, project: "app" }, "en").embeds[0]?.description ?? ""
    );
  };
  expect(shown("allow")).toContain("started in another folder");
  expect(shown("deny")).toContain("more, fewer or other words");
  expect(shown("deny")).not.toMatch(/another folder|time limit|run code|⚠️/);
  // Only of what may stand in an open place is said where that is.
  expect(shown("allow").match(/^-# .*$/gm)).toEqual([
    "-# Not: anything that differs by a single byte · started in another folder",
    expect.not.stringContaining("files that run code"),
    "-# ⚠️ It runs whatever this project's files say.",
    expect.stringMatching(/^-# Not: more, fewer or other words · .*files that run code/),
    "-# ⚠️ It runs whatever this project's files say.",
  ]);
  expect(shown("allow", "git log -n 5 src/a.ts")).toContain("-# **3–4** · Not: more, fewer or other words · ");
});
