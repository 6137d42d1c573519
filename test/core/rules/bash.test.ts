/**
 * The reader against a real bash. What it refuses is never run. What it accepts is given to bash as arguments, then as
 * the command of a program that does not exist; and what rules allow runs under a trace of all that is executed, with
 * programs that do nothing.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "sh-syntax";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wordsOf } from "../../../src/core/rules/commands.ts";
import { judge } from "../../../src/core/rules/judge.ts";
import { bash, placed, ruleFor } from "./asked.ts";
import { commandTable, covered } from "./table.ts";

const isWhole = process.env["BELLHOP_TEST_ALL"] === "1";
const BASH = "/bin/bash";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rules-"));
  // A pattern or braces that bash would expand have something to find.
  for (const name of ["a", "b", "ls", "x=y"]) writeFileSync(join(folder, name), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The words of each string as bash sees them; null: it sees no command, or more than one. */
function seenByBash(strings: readonly string[], how: "arguments" | "command"): (string[] | null)[] {
  const script = `
    show_words_seen() { printf '%s\\0' "$#" "$@"; }
    command_not_found_handle() { printf '%s\\0' "$#" "$@"; }
    while IFS= read -r -d '' line; do eval -- "${how === "arguments" ? "show_words_seen " : ""}$line"; printf '.\\0'; done`;
  const said = execFileSync(BASH, ["--noprofile", "--norc", "-c", script], {
    cwd: folder,
    env: { PATH: "/nonexistent", HOME: "/home/of/nobody", IFS: " a" },
    input: strings.map((one) => `${one}\0`).join(""),
    maxBuffer: 1e9,
    stdio: ["pipe", "pipe", "ignore"],
  })
    .toString()
    .split("\0");
  let at = 0;
  return strings.map(() => {
    const commands: string[][] = [];
    for (; said[at] !== "."; at += 1) {
      const count = Number(said[at]);
      commands.push(said.slice(at + 1, at + 1 + count));
      at += count;
    }
    at += 1;
    return commands.length === 1 ? (commands[0] ?? null) : null;
  });
}

const JUNK = Array.from(" \t\n\r'\"\\$`!#*?[]{}()<>|&;~^=%+:,./-_@abzAZ019\u00e9\u00a0\u200b\u000b\u000c");
const BARE = Array.from("abcXYZ019_@%+=:,./-");
const pieces = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: fc.constantFrom(...BARE), minLength: 1, maxLength: 8 }) },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom(...JUNK), maxLength: 6 }).map((text) => `'${text}'`) },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom(...JUNK), maxLength: 6 }).map((text) => `"${text}"`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("if", "time", "!", "{", "}", "[[", "coproc", "do", "a=1", "--", "-", "2", "~"),
  },
);
const grammar = fc
  .array(
    fc.array(pieces, { minLength: 1, maxLength: 3 }).map((all) => all.join("")),
    { minLength: 1, maxLength: 5 },
  )
  .chain((words) => fc.constantFrom(" ", "  ", "\t").map((blank) => words.join(blank)));
const junk = fc.string({ unit: fc.constantFrom(...JUNK), maxLength: 12 });
const spoilt = fc
  .tuple(grammar, fc.constantFrom(...JUNK), fc.nat(30))
  .map(([text, sign, at]) => `${text.slice(0, at)}${sign}${text.slice(at)}`);

function accepted(count: number): { command: string; words: string[] }[] {
  const strings = fc.sample(fc.oneof(grammar, junk, spoilt), count);
  return [...strings, ...commandTable.map(({ of }) => of)].flatMap((command) => {
    const words = wordsOf(command);
    return words === null ? [] : [{ command, words }];
  });
}

test("bash sees the words that the reader sees", () => {
  const all = accepted(isWhole ? 100_000 : 6_000);
  expect(all.length).toBeGreaterThan(isWhole ? 8_000 : 700);
  const seen = seenByBash(
    all.map(({ command }) => command),
    "arguments",
  );
  for (const [at, one] of all.entries()) expect(seen[at], JSON.stringify(one.command)).toEqual(one.words);
});

test("what the reader accepts is one command for bash", () => {
  const builtins = new Set(execFileSync(BASH, ["--norc", "-c", "compgen -b"]).toString().split("\n"));
  // A word with a slash would be run without being looked for.
  const all = accepted(isWhole ? 20_000 : 1_500).filter(
    ({ words: [first = ""] }) => !first.includes("/") && !builtins.has(first),
  );
  expect(all.length).toBeGreaterThan(isWhole ? 2_000 : 200);
  const seen = seenByBash(
    all.map(({ command }) => command),
    "command",
  );
  for (const [at, one] of all.entries()) expect(seen[at], JSON.stringify(one.command)).toEqual(one.words);
});

test("another parser sees one plain statement in it", async () => {
  // It starts anew for each.
  for (const { command } of accepted(2_000).slice(0, isWhole ? 400 : 40)) {
    const { Stmts } = await parse(command);
    const [one] = Stmts;
    const plain = { Negated: false, Background: false, Coprocess: false, Redirs: [], Comments: [] };
    expect(Stmts.length, JSON.stringify(command)).toBe(1);
    expect(one, JSON.stringify(command)).toMatchObject(plain);
    // It is all that there is.
    const { Pos, End } = one?.Cmd ?? {};
    expect(command.slice(Pos?.Offset, End?.Offset), JSON.stringify(command)).toBe(
      command.replaceAll(/^[ \t]+|[ \t]+$/g, ""),
    );
  }
});

const isTraced = (() => {
  try {
    execFileSync("strace", ["-f", "-qq", "-e", "trace=execve", "/bin/true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!isTraced && !isWhole)(
  "what a rule allows runs its program once with these words, and nothing else",
  () => {
    const programs = join(folder, "programs");
    mkdirSync(programs);
    for (const name of new Set(covered.map((command) => wordsOf(command)?.[0] ?? "")))
      symlinkSync("/bin/true", join(programs, name));
    const commands = covered.flatMap((command) => {
      const rule = ruleFor(bash(command), "command", placed(bash(command)));
      const others = fc.sample(otherWords(command), 12).filter((other) => {
        const asked = bash(other);
        return judge(asked, [rule], placed(asked)) !== "ask";
      });
      return [command, ...others];
    });
    expect(commands.length).toBeGreaterThan(covered.length * 1.5);
    const out = join(folder, "trace");
    const script = `while IFS= read -r -d '' line; do eval -- "$line" </dev/null; done`;
    execFileSync(
      "strace",
      [
        "-f",
        "-qq",
        "-v",
        "-E",
        `PATH=${programs}`,
        "-s",
        "4096",
        "-e",
        "trace=execve",
        "-o",
        out,
        BASH,
        "--norc",
        "--noprofile",
        "-c",
        script,
      ],
      {
        cwd: folder,
        env: { PATH: process.env["PATH"] },
        input: commands.map((one) => `${one}\0`).join(""),
      },
    );
    // The first is bash itself.
    const [, ...executed] = readFileSync(out, "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, program = "", words = ""] = /execve\("([^"]*)", (\[.*?\]), \[/.exec(line) ?? [];
        return words === "" ? [] : [{ program, words: JSON.parse(words) as string[] }];
      });
    expect(executed).toEqual(
      commands.map((command) => {
        const words = wordsOf(command) ?? [];
        return { program: join(programs, words[0] ?? ""), words };
      }),
    );
  },
);

/** The command with some words in place of others, most of them such as a rule might let pass. */
function otherWords(command: string): fc.Arbitrary<string> {
  const word = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_.,/-]{1,12}$/),
    fc.constantFrom("7", "42", "src/x.ts", "./a/b", "x-y", "a,b", "...", "./..."),
  );
  const words = command.split(" ");
  return fc.tuple(...words.map((one) => fc.oneof(fc.constant(one), word))).map((all) => all.join(" "));
}
