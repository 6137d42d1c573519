import { describe, expect, test } from "vitest";
import stringWidth from "string-width";
import { bellhop } from "../../src/cli/bellhop.ts";

async function run(
  argv: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const code = await bellhop(argv, {
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
    env,
  });
  return { code, ...said };
}

describe("the command line", () => {
  test.each(["--help", "-h", "help"])("says its verbs when asked by %s", async (ask) => {
    const { code, out, err } = await run([ask]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Usage: bellhop <verb>[\s\S]*\n {2}start +runs the daemon/);
    for (const verb of ["start", "sandbox", "status", "logs", "tail", "service", "journal"])
      expect(out).toContain(`\n  ${verb} `);
  });

  test.each(["en", "ko", "ja", "zh-TW"])("says them within 80 columns in %s", async (locale) => {
    const { out } = await run(["--help"], { BELLHOP_LOCALE: locale });
    expect(out.split("\n").filter((line) => stringWidth(line) > 80)).toEqual([]);
  });

  test("says them as an error when no verb is given", async () => {
    expect(await run([])).toMatchObject({ code: 64, out: "", err: expect.stringMatching(/^Usage/) as string });
  });

  test.each(["strat", "toString", "__proto__", ""])("knows no verb %s", async (verb) => {
    const { code, out, err } = await run([verb]);
    expect({ code, out }).toEqual({ code: 64, out: "" });
    expect(err).toMatch(/^Unknown verb/);
  });

  test("speaks the language of the environment", async () => {
    expect((await run(["x"], { LANG: "ko_KR.UTF-8" })).err).toContain("알 수 없는 명령입니다");
    expect((await run(["x"], { LANG: "ko_KR.UTF-8", BELLHOP_LOCALE: "zh-TW" })).err).toContain("未知的指令：x");
  });

  test("turns a refusal into one sentence and the exit code of its error", async () => {
    const { code, out, err } = await run(["start"], { HOME: "/nowhere", DISCORD_OWNER_ID: "me" });
    expect({ code, out }).toEqual({ code: 78, out: "" });
    expect(err).toMatch(/^E_CONFIG_INVALID: DISCORD_OWNER_ID: found "me", expected [^\n]+\n$/);
  });

  const verbs = ["start", "sandbox", "doctor", "status", "logs", "tail", "journal"];

  test.each([...verbs, "service", "init"])(
    "says how %s is called, in every language within 80 columns, and starts nothing",
    async (verb) => {
      for (const locale of ["en", "ko", "ja", "zh-TW"]) {
        for (const argv of [
          [verb, "--help"],
          [verb, "-h"],
          ["help", verb],
          ["--help", verb],
        ]) {
          const { code, out, err } = await run(argv, { BELLHOP_LOCALE: locale });
          expect({ code, err }).toEqual({ code: 0, err: "" });
          expect(out).toContain(`bellhop ${verb} `);
          expect(out.split("\n").filter((line) => stringWidth(line) > 80)).toEqual([]);
        }
      }
    },
  );

  test.each(verbs)("says which word was wrong, and how %s is called", async (verb) => {
    const usage = (await run([verb, "--help"])).out;
    for (const [word, says] of [
      ["--nonsense", "Unknown option: --nonsense."],
      ["--json=yes", "The option --json cannot be used like that."],
    ] as const) {
      const { code, out, err } = await run([verb, word], { STATE_DIR: "/nowhere" });
      expect({ code, out }).toEqual({ code: 64, out: "" });
      expect(err).toBe(`${says}\n\n${usage}`);
    }
  });

  test.each([
    [["status", "now"], "Unexpected argument: now."],
    [["logs", "-n", "many"], "-n takes a whole number from 0 to 1000000, not many."],
    [["logs", "-n"], "The option -n cannot be used like that."],
    [["logs", "a", "b\x1b[2J"], "Unexpected argument: b\\u001b[2J."],
    [["start", "--port", "x"], "--port takes a whole number from 0 to 65535, not x."],
    [["watch", "--interval", "0"], "--interval takes a whole number from 1 to 3600, not 0."],
    [["sandbox", "--port", "65536"], "--port takes a whole number from 0 to 65535, not 65536."],
    [["service"], "An argument is missing."],
    [["service", "start"], "Unknown verb: start."],
    [["service", "print", "--force"], "Unknown option: --force."],
    [["journal"], "An argument is missing."],
    [["journal", "mend"], "Unknown verb: mend."],
    [["tail", "a", "b"], "Unexpected argument: b."],
  ])("teaches whoever calls %j", async (argv, says) => {
    const { code, out, err } = await run(argv, { STATE_DIR: "/nowhere" });
    expect({ code, out }).toEqual({ code: 64, out: "" });
    expect(err).toMatch(/^[^\n]+\n\nUsage: bellhop /);
    expect(err.split("\n")[0]).toBe(says);
    // An option that is explained stands in the usage below.
    const option = /^(?:The option )?(-[\w-]+)/.exec(says)?.[1];
    if (option !== undefined) expect(err).toMatch(new RegExp(`^Usage: .*\\[${option} `, "m"));
  });
});
