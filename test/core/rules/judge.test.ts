/** What rules allow and deny, and what they never see. */
import { expect, test } from "vitest";
import { digestOf } from "../../../src/base/digest.ts";
import {
  judge,
  offersFor,
  pathsOf,
  serverOf,
  type RuleRequest,
  type StandingRule,
} from "../../../src/core/rules/judge.ts";
import { bash, facts, placed, request, ruleFor, rulesFor } from "./asked.ts";

const listed = request({ tool: "Bash", input: { command: "ls -l" } });

test("a rule for exactly this allows this, and nothing else", () => {
  const rule = ruleFor(listed, "exact");
  expect(judge(listed, [rule], facts)).toEqual({ allowedBy: rule });
  for (const command of ["ls -la", "ls -l ", "ls -l\n"])
    expect(judge(request({ tool: "Bash", input: { command } }), [rule], facts)).toBe("ask");
});

test("a rule for a command allows other words where it leaves them open, in the project only", () => {
  const shown = request({ tool: "Bash", input: { command: "head -n 5 src/a.ts", description: "Look" } });
  const rule = ruleFor(shown, "command", placed(shown));
  const judgeOf = (command: string): unknown => {
    const asked = request({ tool: "Bash", input: { command, description: "Look again" } });
    return judge(asked, [rule], placed(asked));
  };
  expect(judgeOf("head -n 70 docs/b.md")).toEqual({ allowedBy: rule });
  for (const command of [
    "head -n 5 .env",
    "head -n 5 ../b",
    "head -c 5 src/a.ts",
    "head -n 5 src/a.ts b",
    "cat src/a.ts",
  ])
    expect(judgeOf(command), command).toBe("ask");
});

test("a rule for a folder allows changes of files below it", () => {
  const edit = (file_path: string): RuleRequest =>
    request({ tool: "Edit", input: { file_path, old_string: "a", new_string: "b" } });
  const asked = edit("/home/me/app/src/core/a.ts");
  const offers = offersFor(asked, placed(asked)).flatMap(({ cover }) => (cover.family === "path" ? cover.folder : []));
  expect(offers).toEqual(["src/core", "src", ""]);
  const rule = ruleFor(asked, "path", placed(asked));
  for (const [path, is] of [
    ["/home/me/app/README.md", true],
    ["/home/me/app/package.json", false],
    ["/home/me/app/a/.git/config", false],
    ["/home/me/application/a.ts", false],
    ["/home/me/app/src/../../b.ts", false],
  ] as const) {
    const other = edit(path);
    expect(judge(other, [rule], placed(other)), path).toEqual(is ? { allowedBy: rule } : "ask");
  }
});

test("a rule for a tool of a server holds as long as the server is what it was", () => {
  const asked = request({ tool: "mcp__db__query", input: { sql: "select 1" } });
  expect(serverOf(asked)).toBe("db");
  const known = { ...facts, definition: "one" };
  const rule = ruleFor(asked, "tool", known);
  expect(judge(request({ tool: "mcp__db__query", input: {} }), [rule], known)).toEqual({ allowedBy: rule });
  expect(judge(request({ tool: "mcp__db__drop", input: {} }), [rule], known)).toBe("ask");
  expect(judge(asked, [rule], { ...facts, definition: "two" })).toBe("ask");
  expect(judge(asked, [rule], facts)).toBe("ask");
});

test("a no wins, wherever it stands", () => {
  const [yes, no] = [ruleFor(listed, "exact"), { ...ruleFor(listed, "exact"), effect: "deny" } satisfies StandingRule];
  expect(judge(listed, [yes, no], facts)).toEqual({ deniedBy: no });
  expect(judge(listed, [no, yes], facts)).toEqual({ deniedBy: no });
});

test("a no to a command is one to it with other words where it left them open, wherever it starts", () => {
  const shown = bash("head -n 5 src/a.ts");
  const no = { ...ruleFor(shown, "command", placed(shown)), effect: "deny" } satisfies StandingRule;
  for (const command of ["head -n 7 src/b.ts", "head -n x ../b.ts", "head -n 5 '/etc/x y'"]) {
    const asked = bash(command, { run_in_background: true });
    const yes = ruleFor(asked, "exact");
    expect(judge(asked, [yes, no], { ...facts, cwd: "/tmp" }), command).toEqual({ deniedBy: no });
  }
  const other = bash("head -c 5 src/a.ts");
  const yes = ruleFor(other, "exact");
  expect(judge(other, [yes, no], facts)).toEqual({ allowedBy: yes });
});

test("a command counts for where it started, also after a `cd` that nobody can follow", () => {
  const asked = bash("npm test");
  const elsewhere = ["/home/me/app/sub", "/tmp", null].map((cwd) => ({ ...facts, cwd }));
  for (const rule of rulesFor(asked)) {
    expect(judge(asked, [rule], facts)).toEqual({ allowedBy: rule });
    for (const at of elsewhere) expect(judge(asked, [rule], at), rule.rule_id).toBe("ask");
  }
  // Whose agent never says where: the same bytes are enough.
  const [unknown] = rulesFor(asked, { ...facts, cwd: null });
  expect(unknown && judge(asked, [unknown], { ...facts, cwd: null })).toEqual({ allowedBy: unknown });
  expect(unknown && judge(asked, [unknown], facts)).toBe("ask");
  // Where a file is says its path.
  const edit = request({ tool: "Edit", input: { file_path: "/home/me/app/a", old_string: "a", new_string: "b" } });
  const rule = ruleFor(edit, "exact");
  expect(judge(edit, [rule], { ...facts, cwd: "/tmp" })).toEqual({ allowedBy: rule });
});

test("nothing covers what asks by another way, cannot be allowed, or is not what was shown", () => {
  const { subject, bytes } = listed;
  const screen = { by: "hook", request_id: "r", pid: 1, screen: true } as const;
  const client = { by: "mcp", project: "app", pending_dir: "/", timeout_seconds: null } as const;
  const written = (text: string): Partial<RuleRequest> => ({
    bytes: text,
    subject: subject && { ...subject, sha256: digestOf(text) },
  });
  for (const [why, changed] of Object.entries({
    screen: { asker: screen },
    client: { asker: { ...client, wanted_thread: null, channel_id: null, bot_id: "1" } },
    "no yes": { subject: subject && { ...subject, no_yes: true as const } },
    "look-alikes": { subject: subject && { ...subject, mixed: [{ word: "x", scripts: [], letters: [] }] } },
    "other bytes": { bytes: bytes?.replace("ls -l", "ls -a") ?? null },
    blanks: written(`${bytes} `),
    "a name twice": written('{"tool":"Bash","input":{"command":"rm x","command":"ls -l"}}'),
    "no object": written('{"tool":"Bash","input":["ls -l"]}'),
    "a plan": written('{"plan":{"plan":"ls -l"}}'),
    "no subject": { subject: null },
  } satisfies Record<string, Partial<RuleRequest>>)) {
    const asked: RuleRequest = { ...listed, ...changed };
    expect(offersFor(asked, facts), why).toEqual([]);
    expect(pathsOf(asked, facts)).toEqual([]);
    const sha256 = asked.subject?.sha256 ?? "";
    for (const effect of ["allow", "deny"] as const) {
      const rules = rulesFor(listed).map(({ cover, ...rule }) => ({
        ...rule,
        effect,
        cover: cover.family === "exact" ? { ...cover, sha256 } : cover,
      }));
      expect(judge(asked, rules, facts), why).toBe("ask");
    }
  }
  // The hook itself may.
  const hook: RuleRequest = { ...listed, asker: { by: "hook", request_id: "r", pid: 1 } };
  expect(offersFor(hook, facts)).toEqual(offersFor(listed, facts));
});

test("a rule of a kind that nobody knows allows nothing, and a no of it stops all", () => {
  const unknown = JSON.parse('{"family":"more"}') as StandingRule["cover"];
  const [yes] = rulesFor(listed);
  const odd = yes && { ...yes, cover: unknown };
  expect(odd && judge(listed, [odd], facts)).toBe("ask");
  expect(odd && judge(listed, [yes, { ...odd, effect: "deny" }], facts)).toBe("ask");
});

test("what is offered says what it covers and what not", () => {
  const asked = bash("grep -n needle src/a.ts", { timeout: 5, description: "Look" });
  const offers = offersFor(asked, placed(asked));
  expect(offers.map(({ cover: { family }, warns, never }) => ({ family, warns, never: never.length }))).toEqual([
    { family: "exact", warns: [], never: 2 },
    ...[4, 6, 6].map((never) => ({ family: "command", warns: ["project_code"], never })),
  ]);
  expect(offers.at(-1)?.cover).toEqual({
    family: "command",
    program: "grep",
    words: [{ is: "grep" }, { is: "-n" }, { is: "needle", open: "value" }, { is: "src/a.ts", open: "path" }],
    cwd: "/home/me/app",
    beside: { timeout: 5 },
  });
  // A rule is kept as JSON.
  expect(JSON.parse(JSON.stringify(offers))).toEqual(offers);
  expect(offersFor(asked, { ...placed(asked), root: null })).toEqual([]);
});

test("nothing covers a question, what is masked, hidden, or too long", () => {
  const long = request({ tool: "Bash", input: { command: `echo ${"x".repeat(3_000)}` } });
  const hidden = request({ tool: "Bash", input: { command: "ls \u200b" } });
  const masked = { ...listed, subject: listed.subject && { ...listed.subject, exact: "f" } };
  const question = { ...listed, kind: "question" as const };
  for (const one of [long, hidden, masked, question, { ...listed, bytes: null }]) {
    expect(offersFor(one, facts)).toEqual([]);
    expect(judge(one, [ruleFor(listed, "exact")], facts)).toBe("ask");
  }
});

test("what uses no path and no server needs nothing from the machine", () => {
  expect(pathsOf(listed, facts)).toEqual([]);
  expect(serverOf(listed)).toBeNull();
});

/** The widest rule for a command, where these files stand and all else is a folder or nothing. */
function widest(command: string, files: readonly string[]): (other: string, more?: StandingRule[]) => unknown {
  const at = (asked: RuleRequest) => ({ ...placed(asked), files: new Set(files) });
  const made = bash(command);
  const rule = rulesFor(made, at(made)).findLast(({ cover }) => cover.family === "command")!;
  return (other, more = []) => {
    const asked = bash(other);
    const is = judge(asked, [rule, ...more], at(asked));
    return is === "ask" ? is : Object.keys(is)[0];
  };
}

test("only a file stands in place of a path that is left open: a folder may hold anything, and a name be a commit's", () => {
  const files = ["src/a.ts", "src/b.ts"];
  const search = widest("rg TODO src/a.ts", files);
  expect([search("rg BEGIN src/b.ts"), search("rg TODO src/b.ts")]).toEqual(["allowedBy", "allowedBy"]);
  expect([search("rg BEGIN ."), search("rg BEGIN config"), search("rg TODO src")]).toEqual(["ask", "ask", "ask"]);
  const all = widest("rg TODO src", files);
  expect([all("rg TODO src"), all("rg BEGIN src"), all("rg TODO lib")]).toEqual(["allowedBy", "ask", "ask"]);
  const anywhere = widest("rg TODO", files);
  expect([anywhere("rg TODO"), anywhere("rg BEGIN")]).toEqual(["allowedBy", "ask"]);
  const show = widest("git show main", files);
  expect([show("git show main"), show("git show 1a2b3c4")]).toEqual(["allowedBy", "ask"]);
  const diff = widest("git diff src/a.ts", files);
  expect([diff("git diff src/b.ts"), diff("git diff .")]).toEqual(["allowedBy", "ask"]);
  expect(widest("npm test src/a.ts", files)("npm test run")).toBe("ask");
});

test("a no about a folder keeps rules from allowing a command that may look into it", () => {
  const no: StandingRule = {
    ...ruleFor(listed, "exact"),
    rule_id: "no",
    effect: "deny",
    cover: { family: "path", act: "read", folder: "src/private" },
  };
  for (const command of ["rg TODO src", "rg TODO", "git log -p", "cat src/private/a.ts", "rg x SRC"])
    expect(widest(command, [])(command, [no]), command).toBe("ask");
  expect(widest("cat lib/a.ts", ["lib/a.ts"])("cat lib/a.ts", [no])).toBe("allowedBy");
});

test("a no about a command is not lost by another spelling of one of its words, or by words beside it", () => {
  const denied = bash("npm test src/danger.ts");
  const [, said] = rulesFor(denied, placed(denied));
  const noes: StandingRule[] = [{ ...said!, rule_id: "no", effect: "deny" }];
  const files = ["src/a.ts", "src/b.ts", "src/danger.ts", "./src/danger.ts", "src//danger.ts"];
  const one = widest("npm test src/a.ts", files);
  expect(one("npm test src/danger.ts", noes)).toBe("deniedBy");
  for (const command of ["npm test ./src/danger.ts", "npm test src//danger.ts"])
    expect(one(command, noes), command).toBe("ask");
  expect(widest("npm test src/a.ts src/b.ts", files)("npm test src/danger.ts src/a.ts", noes)).toBe("ask");
  expect(one("npm test src/b.ts", noes)).toBe("allowedBy");
});
