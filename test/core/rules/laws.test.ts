/**
 * What holds for every rule and every request: a rule allows only what is its own request but for the words left open,
 * a no takes away and never gives, and whatever comes in, the answer is the same each time.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { wordsOf } from "../../../src/core/rules/commands.ts";
import {
  judge,
  offersFor,
  pathsOf,
  serverOf,
  type RuleFacts,
  type RuleRequest,
  type StandingRule,
} from "../../../src/core/rules/judge.ts";
import { bash, facts, placed, request, rulesFor } from "./asked.ts";
import { commandTable, covered } from "./table.ts";

const isWhole = process.env["BELLHOP_TEST_ALL"] === "1";
const RUNS = { numRuns: isWhole ? 10_000 : 2_000 };

const words = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.,/-]{1,10}$/),
  fc.constantFrom("7", "src/a.ts", "./...", "..", "../x", "/etc/passwd", ".env", "package.json", "-", "--", "-p", "-u"),
  fc.constantFrom(
    "--pre=x",
    "--ext-diff",
    "--output=x",
    "-exec",
    ";",
    "&&",
    "|",
    "$X",
    "`x`",
    "$(x)",
    "*",
    "~",
    "'a b'",
    '""',
  ),
);

/** A command of the table, mostly with a few of its words replaced, left out, doubled or added. */
const alike = fc
  .tuple(
    fc.constantFrom(...covered),
    fc.array(fc.tuple(fc.nat(9), fc.constantFrom("replace", "replace", "grow", "remove", "add"), words), {
      maxLength: 3,
    }),
  )
  .map(([command, changes]) => {
    const all = command.split(" ");
    for (const [at, how, word] of changes) {
      const place = at % (all.length + 1);
      if (how === "add") all.splice(place, 0, word);
      else if (how === "grow") all[place] = `${all[place] ?? ""}${word}`;
      else all.splice(place, 1, ...(how === "replace" ? [word] : []));
    }
    return { of: command, command: all.join(" ") };
  });
const beside = fc.constantFrom({}, { timeout: 5 }, { timeout: 6 }, { run_in_background: true }, { description: "x" });

test("a rule for a command allows what reads like its own, word by word, but for those left open", () => {
  let [allowed, asked] = [0, 0];
  fc.assert(
    fc.property(alike, beside, beside, ({ of, command }, one, other) => {
      const [made, now] = [bash(of, one), bash(command, other)];
      for (const rule of rulesFor(made, placed(made))) {
        if (judge(now, [rule], placed(now)) === "ask") {
          asked += 1;
          continue;
        }
        allowed += 1;
        const { cover } = rule;
        if (cover.family === "exact") {
          expect(now.bytes).toBe(made.bytes);
          continue;
        }
        expect({ ...other, description: null }).toEqual({ ...one, description: null });
        const [before, after] = [wordsOf(of) ?? [], wordsOf(command) ?? []];
        expect(after.length).toBe(before.length);
        if (cover.family !== "command") throw new Error(cover.family);
        for (const [at, word] of after.entries()) {
          const { open } = cover.words[at] ?? {};
          if (open === undefined) expect(word).toBe(before[at]);
          else {
            expect(word).toMatch(open === "number" ? /^[0-9]+$/ : /^[A-Za-z0-9_.,][A-Za-z0-9_.,/-]*$/);
            if (open === "path") expect(`/${word}/`).not.toMatch(/\/\.\.\/|\/\.env\/|\/package\.json\//);
          }
        }
      }
    }),
    RUNS,
  );
  expect(Math.min(allowed, asked)).toBeGreaterThan(100);
});

const names = fc.oneof(
  fc.constantFrom(
    "src",
    "docs",
    "a.ts",
    "b.md",
    "core",
    "Makefile",
    ".git",
    ".env",
    "..",
    ".",
    "",
    "package.json",
    "~",
  ),
  fc.stringMatching(/^[a-zA-Z.]{1,4}$/),
);
const filePaths = fc
  .tuple(
    fc.constantFrom("/home/me/app/", "/home/me/app/src/", "/home/me/app", "/home/me/", "/", "", "./"),
    fc.array(names, { minLength: 1, maxLength: 4 }),
  )
  .map(([start, all]) => start + all.join("/"));
/** Where a link leads to. */
const places = fc.option(
  fc.constantFrom(
    "/home/me/app/src/x.ts",
    "/home/me/app/.git/config",
    "/etc/passwd",
    "/home/me/app",
    "/home/me/app/src/../x",
    "x",
  ),
  { nil: null },
);
const edit = (file_path: string): RuleRequest =>
  request({ tool: "Edit", input: { file_path, old_string: "a", new_string: "b" } });
const read = (file_path: string): RuleRequest => request({ tool: "Read", input: { file_path } });
const write = (file_path: string): RuleRequest => request({ tool: "Write", input: { file_path, content: "" } });

test("a rule for a folder allows its act on what really is below it, by no name that runs code", () => {
  let allowed = 0;
  const acts = fc.constantFrom(edit, read, write);
  fc.assert(
    fc.property(acts, acts, filePaths, fc.option(places, { nil: undefined }), (first, second, path, place) => {
      const made = first("/home/me/app/src/core/a.ts");
      const now = second(path);
      const known = placed(now);
      const at: RuleFacts = place === undefined ? known : { ...known, real: new Map([[path, place]]) };
      for (const rule of rulesFor(made, placed(made))) {
        const { cover } = rule;
        if (cover.family !== "path" || judge(now, [rule], at) === "ask") continue;
        allowed += 1;
        expect(first === read).toBe(second === read);
        const real = at.real.get(path) ?? "";
        expect(real.startsWith(`/home/me/app/${cover.folder === "" ? "" : `${cover.folder}/`}`)).toBe(true);
        for (const one of [real.slice("/home/me/app/".length), path.replace(/^\/home\/me\/app\//, "")])
          expect(`/${one}/`).not.toMatch(/\/\.git\/|\/\.env\/|\/package\.json\/|\/makefile\/|\/\.\.\//i);
      }
    }),
    RUNS,
  );
  expect(allowed).toBeGreaterThan(50);
});

const made: RuleRequest[] = [
  ...commandTable.filter((_, at) => at % 7 === 0).map(({ of }) => bash(of)),
  ...["src/a.ts", "src/core/b.ts", "docs/c.md"].flatMap((path) =>
    [edit, read].map((act) => act(`/home/me/app/${path}`)),
  ),
  request({ tool: "mcp__db__query", input: { sql: "" } }),
  request({ tool: "mcp__db__drop", input: {} }),
];
const known = { ...facts, definition: "d" };
const all = made.flatMap((one) => rulesFor(one, placed(one, known)));
/** A request, and rules of which most are about it. */
const judgedWith = fc.constantFrom(...made).chain((now) => {
  const own = rulesFor(now, placed(now, known));
  const one = own.length === 0 ? fc.constantFrom(...all) : fc.oneof(fc.constantFrom(...own), fc.constantFrom(...all));
  const scoped = fc
    .record({ rule: one, effect: fc.constantFrom("allow", "allow", "deny"), scope: fc.constantFrom(...scopes) })
    .map(({ rule, effect, scope }): StandingRule => ({ ...rule, effect, scope }));
  return fc.record({ now: fc.constant(now), rules: fc.array(scoped, { maxLength: 6 }), rule: one });
});
const scopes: StandingRule["scope"][] = [
  { by: "thread", thread_id: "1" },
  { by: "thread", thread_id: "2" },
  { by: "project", project: "app" },
  { by: "project", project: "other" },
];
test("a no takes away and never gives, and wins wherever it stands", () => {
  let taken = 0;
  fc.assert(
    fc.property(judgedWith, fc.nat(8), ({ now, rules, rule }, at) => {
      const where = placed(now, known);
      const before = judge(now, rules, where);
      const no: StandingRule = { ...rule, effect: "deny" };
      const after = judge(now, rules.toSpliced(at, 0, no), where);
      if (before === "ask") expect(after === "ask" || "deniedBy" in after).toBe(true);
      else if ("deniedBy" in before) expect(after).toHaveProperty("deniedBy");
      else if (after === "ask" || "deniedBy" in after) taken += 1;
      // What it would allow, it forbids.
      if (judge(now, [{ ...no, effect: "allow" }], where) !== "ask") expect(after).toHaveProperty("deniedBy");
      if (rules.every(({ effect }) => effect === "deny")) expect(before === "ask" || "deniedBy" in before).toBe(true);
    }),
    RUNS,
  );
  expect(taken).toBeGreaterThan(50);
});

test("a rule of another thread, project or folder allows nothing", () => {
  fc.assert(
    fc.property(fc.constantFrom(...made), fc.constantFrom(...all), (now, rule) => {
      const where = placed(now, known);
      for (const scope of scopes) {
        const is = judge(now, [{ ...rule, scope }], where) !== "ask";
        if (is) expect(scope).toBeOneOf([scopes[0], scopes[2]]);
      }
      for (const root of ["/home/me", "/home/me/app/", "/home/me/other"]) {
        expect(judge(now, [{ ...rule, root }], where)).toBe("ask");
        expect(judge(now, [rule], { ...where, root })).toBe("ask");
      }
      expect(judge(now, [rule], { ...where, root: null })).toBe("ask");
    }),
    { numRuns: 500 },
  );
});

test("whatever comes in, nothing throws, nothing is changed, and the answer is the same again", () => {
  const junk = fc.anything({ withNullPrototype: true, withMap: true });
  const spoiltRequest = fc
    .tuple(fc.constantFrom(...made), fc.dictionary(fc.constantFrom("kind", "asker", "subject", "bytes"), junk))
    .map(([one, more]) => ({ ...one, ...more }));
  const spoiltRule = fc
    .tuple(fc.constantFrom(...all), fc.dictionary(fc.constantFrom("effect", "scope", "root", "cover"), junk), junk)
    .map(([rule, more, cover]) => ({ ...rule, cover: { ...rule.cover, ...Object(cover) }, ...more }));
  const spoiltFacts = fc
    .dictionary(fc.constantFrom("thread_id", "project", "root", "cwd", "real", "definition"), junk)
    .map((more) => ({
      ...known,
      ...more,
    }));
  fc.assert(
    fc.property(
      fc.oneof(spoiltRequest, junk) as fc.Arbitrary<RuleRequest>,
      fc.oneof(fc.array(fc.oneof(spoiltRule, junk), { maxLength: 3 }), junk) as fc.Arbitrary<StandingRule[]>,
      fc.oneof(spoiltFacts, junk) as fc.Arbitrary<RuleFacts>,
      (now, rules, where) => {
        const before = fc.stringify([now, rules, where]);
        const judgement = judge(now, rules, where);
        expect(judge(now, rules, where)).toEqual(judgement);
        expect(offersFor(now, where)).toEqual(offersFor(now, where));
        expect(pathsOf(now, where)).toEqual(pathsOf(now, where));
        expect(serverOf(now)).toBe(serverOf(now));
        expect(fc.stringify([now, rules, where])).toBe(before);
        if (judgement !== "ask" && "allowedBy" in judgement)
          expect(["exact", "command", "path", "tool"]).toContain(judgement.allowedBy.cover.family);
      },
    ),
    RUNS,
  );
});
