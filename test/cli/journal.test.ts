/**
 * Which journal the verb looks at: the one of the settings, or the sandbox's; and what it says where there is none yet.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { bellhop } from "../../src/cli/bellhop.ts";

async function journal(
  argv: string[],
  env: Record<string, string>,
): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const code = await bellhop(["journal", ...argv], {
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
    env,
  });
  return { code, ...said };
}

async function verified(state: string, ...argv: string[]): Promise<number> {
  const { out } = await journal(["verify", "--json", ...argv], { STATE_DIR: state });
  return (JSON.parse(out) as { bytes: number }).bytes;
}

test("the sandbox's journal is looked at where it is the only one, or is asked for; a directory without one has none", async () => {
  const state = mkdtempSync(join(tmpdir(), "bellhop-journal-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  mkdirSync(join(state, "sandbox"));
  expect((await journal(["verify", "--json"], { STATE_DIR: state })).code).toBe(66);
  writeFileSync(join(state, "sandbox", "events.ndjson"), "not an event\n");
  expect(await verified(state)).toBe(13);
  writeFileSync(join(state, "events.ndjson"), "");
  expect(await verified(state)).toBe(0);
  expect(await verified(state, "--sandbox")).toBe(13);
});

describe("before the first start", () => {
  let state: string;

  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), "bellhop-journal-"));
    onTestFinished(() => rmSync(state, { recursive: true }));
  });

  test.each(["verify", "repair", "export"])(
    "%s says that there is no journal yet and what makes it, and makes nothing",
    async (verb) => {
      const path = join(state, "not-yet");
      const says = (where: string, command: string): string =>
        `E_JOURNAL_MISSING: There is no journal in ${where} yet. The first \`${command}\` makes it. If there should be one, check STATE_DIR.\n`;
      expect(await journal([verb], { STATE_DIR: path })).toEqual({
        code: 66,
        out: "",
        err: says(path, "bellhop start"),
      });
      expect(await journal([verb, "--sandbox"], { STATE_DIR: path })).toEqual({
        code: 66,
        out: "",
        err: says(join(path, "sandbox"), "bellhop sandbox"),
      });
      expect(
        (await journal([verb], { STATE_DIR: path, npm_package_name: "bellhop", npm_lifecycle_event: "bellhop" })).err,
      ).toContain("The first `npm start` makes it.");
      expect(existsSync(path)).toBe(false);
      // The same where there are settings already.
      writeFileSync(join(state, "config.json"), "{}");
      expect(await journal([verb], { STATE_DIR: state })).toEqual({
        code: 66,
        out: "",
        err: says(state, "bellhop start"),
      });
      expect(readdirSync(state)).toEqual(["config.json"]);
    },
  );

  test("an empty journal is one, and so is what a snapshot is left of", async () => {
    writeFileSync(join(state, "events.ndjson"), "");
    expect((await journal(["verify"], { STATE_DIR: state })).out).toMatch(/^The journal is intact: 0 events/);
    rmSync(join(state, "events.ndjson"));
    writeFileSync(join(state, "snapshot.json"), "{}");
    expect((await journal(["verify"], { STATE_DIR: state })).out).toContain("snapshot");
  });

  test("a state directory that cannot be looked at is another matter", async () => {
    writeFileSync(join(state, "file"), "");
    expect(await journal(["verify"], { STATE_DIR: join(state, "file", "below") })).toMatchObject({
      code: 73,
      err: expect.stringMatching(/^E_PATH_REFUSED: .*ENOTDIR/) as string,
    });
  });
});
