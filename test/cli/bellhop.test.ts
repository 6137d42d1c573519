import { describe, expect, test } from "vitest";
import { bellhop } from "../../src/cli/bellhop.ts";

async function run(argv: string[], env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const code = await bellhop(argv, { stdout: { write: (text) => (said.out += text) }, stderr: { write: (text) => (said.err += text) }, env });
  return { code, ...said };
}

describe("the command line", () => {
  test.each(["--help", "-h", "help"])("says its verbs when asked by %s", async (ask) => {
    const { code, out, err } = await run([ask]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Usage: bellhop <verb>[\s\S]*\n {2}start +runs the daemon/);
    for (const verb of ["start", "sandbox", "journal"]) expect(out).toContain(`\n  ${verb} `);
  });

  test("says them as an error when no verb is given", async () => {
    expect(await run([])).toMatchObject({ code: 64, out: "", err: expect.stringMatching(/^Usage/) as string });
  });

  test.each(["strat", "toString", "__proto__", ""])("knows no verb %s", async (verb) => {
    const { code, out, err } = await run([verb]);
    expect({ code, out }).toEqual({ code: 64, out: "" });
    expect(err).toMatch(/^There is no verb/);
  });

  test("speaks the language of the environment", async () => {
    expect((await run(["x"], { LANG: "ko_KR.UTF-8" })).err).toContain("그런 동사는 없습니다");
    expect((await run(["x"], { LANG: "ko_KR.UTF-8", BELLHOP_LOCALE: "zh-TW" })).err).toContain("沒有 x 這個動詞");
  });

  test("turns a refusal into one sentence and the exit code of its error", async () => {
    const { code, out, err } = await run(["start"], { HOME: "/nowhere", DISCORD_OWNER_ID: "me" });
    expect({ code, out }).toEqual({ code: 78, out: "" });
    expect(err).toMatch(/^E_CONFIG_INVALID: DISCORD_OWNER_ID: found "me", expected [^\n]+\n$/);
  });
});
