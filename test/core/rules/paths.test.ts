/** Each line of `paths.txt`, and which paths of a request count: all of them, and what they really are. */
import { expect, test } from "vitest";
import type { ToolRequest } from "../../../src/core/decisions/shapes.ts";
import { judge, offersFor, pathsOf, type RuleFacts, type RuleRequest } from "../../../src/core/rules/judge.ts";
import { facts, placed, request, ruleFor } from "./asked.ts";
import { pathTable } from "./table.ts";

const ROOT = "/home/me/app";
const edit = (path: string): RuleRequest =>
  request({ tool: "Edit", input: { file_path: `${ROOT}/${path}`, old_string: "a", new_string: "b" } });
const read = (path: string): RuleRequest => request({ tool: "Read", input: { file_path: `${ROOT}/${path}` } });

test.each(pathTable)("$of: $is, $why", ({ is, of }) => {
  for (const act of [edit, read]) {
    const [made, now] = [act("src/x.ts"), act(of)];
    const rule = ruleFor(made, "path", placed(made));
    expect(judge(now, [rule], placed(now))).toEqual(is === "yes" ? { allowedBy: rule } : "ask");
    // What no rule covers is not offered either.
    const families = offersFor(now, placed(now)).map(({ cover }) => cover.family);
    expect(families.includes("path")).toBe(is === "yes");
  }
});

test("the table holds enough, each once", () => {
  expect(pathTable.length).toBeGreaterThan(200);
  expect(new Set(pathTable.map(({ of }) => of)).size).toBe(pathTable.length);
});

/** On a machine where the one path of it is really another. */
function leading(now: RuleRequest, real: string | null): RuleFacts {
  return { ...facts, real: new Map(pathsOf(now, facts).map(({ name }) => [name, real])) };
}

test("what counts is where a path leads, and also what it is called", () => {
  const rule = ruleFor(edit("src/x.ts"), "path", placed(edit("src/x.ts")));
  const now = edit("src/link.ts");
  expect(judge(now, [rule], leading(now, `${ROOT}/docs/a.md`))).toEqual({ allowedBy: rule });
  for (const real of [
    "/etc/passwd",
    `${ROOT}/.git/config`,
    `${ROOT}/package.json`,
    `${ROOT}`,
    `${ROOT}/`,
    `${ROOT}2/a.ts`,
    `${ROOT}/../a.ts`,
    `${ROOT}//a.ts`,
    `${ROOT}/./a.ts`,
    "src/a.ts",
    "",
    null,
  ])
    expect(judge(now, [rule], leading(now, real)), String(real)).toBe("ask");
  expect(judge(now, [rule], facts), "not known").toBe("ask");
  // A link of that name leads to an ordinary file, and what is written is what runs.
  const named = edit("Makefile");
  expect(judge(named, [rule], leading(named, `${ROOT}/docs/a.md`))).toBe("ask");
});

test("a path that is not written in full starts where the agent is, if anybody knows", () => {
  const now = request({ tool: "Edit", input: { file_path: "x.ts", old_string: "a", new_string: "b" } });
  expect(pathsOf(now, { root: ROOT, cwd: `${ROOT}/src` })).toEqual([{ name: "x.ts", at: `${ROOT}/src/x.ts` }]);
  expect(pathsOf(now, { root: ROOT, cwd: null })).toEqual([{ name: "x.ts", at: null }]);
  const home = request({ tool: "Read", input: { file_path: "~/x.ts" } });
  expect(pathsOf(home, facts)).toEqual([{ name: "~/x.ts", at: null }]);
});

const change = { type: "diff", oldText: "a", newText: "b" };
const codex = (path: string, to: string): ToolRequest => ({
  tool: "edit",
  call: {
    title: "Edit files",
    kind: "edit",
    status: "pending",
    locations: [{ path }],
    content: [{ ...change, path: to, _meta: { kind: "update" } }],
  },
});
const deleting: ToolRequest = {
  tool: "edit",
  call: {
    title: "Edit files",
    kind: "edit",
    status: "pending",
    locations: [{ path: `${ROOT}/a.ts` }],
    content: [{ type: "diff", path: `${ROOT}/a.ts`, oldText: "a", newText: "", _meta: { kind: "delete" } }],
  },
};

test("a file that is moved counts twice", () => {
  const moved = request(codex(`${ROOT}/src/a.ts`, `${ROOT}/docs/b.ts`));
  expect(pathsOf(moved, facts).map(({ name }) => name)).toEqual([`${ROOT}/src/a.ts`, `${ROOT}/docs/b.ts`]);
  const rule = ruleFor(moved, "path", placed(moved));
  expect(judge(moved, [rule], placed(moved))).toEqual({ allowedBy: rule });
  expect(judge(edit("src/x.ts"), [rule], placed(edit("src/x.ts")))).toEqual({ allowedBy: rule });
  for (const [from, to] of [
    ["src/a.ts", ".git/hooks/x"],
    ["package.json", "src/a.json"],
    ["src/a.ts", "../b.ts"],
  ]) {
    const now = request(codex(`${ROOT}/${from}`, `${ROOT}/${to}`));
    expect(judge(now, [rule], placed(now)), to).toBe("ask");
  }
  // Both are below the folder, or it is not for this rule.
  const narrow = { ...rule, cover: { family: "path" as const, act: "edit" as const, folder: "src" } };
  expect(judge(moved, [narrow], placed(moved))).toBe("ask");
});

test("deleting is for no rule but one for exactly this, and a no to editing is one to deleting", () => {
  const now = request(deleting);
  expect(offersFor(now, placed(now)).map(({ cover }) => cover.family)).toEqual(["exact"]);
  const rule = ruleFor(edit("src/x.ts"), "path", placed(edit("src/x.ts")));
  expect(judge(now, [rule], placed(now))).toBe("ask");
  const no = { ...rule, effect: "deny" as const };
  expect(judge(now, [no], placed(now))).toEqual({ deniedBy: no });
});

test("a no to a folder stops what nobody can place, and commands that name a file of it", () => {
  const made = read("secret/x.ts");
  const no = {
    ...ruleFor(made, "path", placed(made)),
    effect: "deny" as const,
    cover: { family: "path" as const, act: "read" as const, folder: "secret" },
  };
  const cat = (path: string): RuleRequest => request({ tool: "Bash", input: { command: `cat ${path}` } });
  for (const path of ["secret/a.ts", "Secret/a.ts"]) {
    const yes = ruleFor(cat(path), "exact", placed(cat(path)));
    expect(judge(cat(path), [yes], placed(cat(path)))).toEqual({ allowedBy: yes });
    expect(judge(cat(path), [yes, no], placed(cat(path)))).toBe("ask");
    expect(judge(read(path), [no], placed(read(path)))).toEqual({ deniedBy: no });
  }
  const unknown = cat("src/a.ts");
  const yes = ruleFor(unknown, "exact", placed(unknown));
  expect(judge(unknown, [yes, no], placed(unknown))).toEqual({ allowedBy: yes });
  expect(judge(unknown, [yes, no], facts)).toBe("ask");
});

test("what is only described is covered by its paths, never as a command or a tool", () => {
  const asked = (call: Record<string, unknown>, tool: string): RuleRequest => request({ tool, call });
  const run = asked(
    { name: "Bash", rawInput: { command: "ls" }, title: "ls", kind: "execute", content: [], status: "pending" },
    "Bash",
  );
  const at = { ...placed(run), definition: "d" };
  expect(offersFor(run, at).map(({ cover }) => cover.family)).toEqual(["exact"]);
  const rule = ruleFor(request({ tool: "Bash", input: { command: "ls" } }), "command");
  expect(judge(run, [rule], at)).toBe("ask");
  expect(judge(run, [{ ...rule, effect: "deny" }], at)).toHaveProperty("deniedBy");
  const tool = asked({ rawInput: {}, title: "x", kind: "other", status: "pending" }, "mcp__db__query");
  expect(offersFor(tool, at).map(({ cover }) => cover.family)).toEqual(["exact"]);
});

test("a patch that says more than its change may be of any file", () => {
  const opencode = (diff: string): RuleRequest =>
    request({
      tool: "edit",
      call: {
        title: `${ROOT}/src/a.ts`,
        kind: "edit",
        status: "pending",
        locations: [{ path: `${ROOT}/src/a.ts` }],
        rawInput: { filepath: `${ROOT}/src/a.ts`, diff },
        content: [{ ...change, path: `${ROOT}/src/a.ts` }],
      },
    });
  const now = opencode("--- /etc/passwd\n+++ /etc/passwd\n");
  expect(offersFor(now, placed(now)).map(({ cover }) => cover.family)).toEqual(["exact"]);
});
