/** What a face takes along to its daemon, and which daemon that is. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { faceSettings } from "../../../src/cli/face/settings.ts";

const TOKEN = `${"a".repeat(24)}.bbbbbb.${"c".repeat(38)}`;
const THREAD = "900000000000000001";

function folder(dotenv = ""): string {
  const made = mkdtempSync(join(tmpdir(), "bellhop-settings-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  writeFileSync(join(made, ".env"), dotenv);
  return made;
}

test("the token travels by one name and without its prefix, wherever it came from", () => {
  const cwd = folder();
  const file = join(cwd, "token");
  writeFileSync(file, `Bot ${TOKEN}\n`, { mode: 0o600 });
  for (const env of [{ DISCORD_BOT_TOKEN: `Bot ${TOKEN}` }, { DISCORD_TOKEN: TOKEN }, { DISCORD_TOKEN_FILE: file }]) {
    expect(faceSettings({ HOME: "/home/me", ...env }, cwd).variables).toMatchObject({ DISCORD_BOT_TOKEN: TOKEN });
  }
});

test("what .env here says counts where the environment says nothing, and relative paths are of here", () => {
  const cwd = folder(`DISCORD_BOT_TOKEN=${TOKEN}\nDISCORD_CHANNEL_ID=${THREAD}\nPROJECT_NAME=from-file\nPENDING_DIR=pending\nNOT_OURS=x\n`);
  const { variables, forDaemon, stateDirs } = faceSettings({ HOME: "/home/me", PROJECT_NAME: "from-env", UNRELATED: "y" }, cwd);
  expect(variables).toEqual({ DISCORD_BOT_TOKEN: TOKEN, DISCORD_CHANNEL_ID: THREAD, PROJECT_NAME: "from-env", PENDING_DIR: join(cwd, "pending"), POLL_INTERVAL_SECONDS: "5" });
  expect(forDaemon).toEqual({ DISCORD_BOT_TOKEN: TOKEN, DISCORD_CHANNEL_ID: THREAD, PROJECT_NAME: "from-env", PENDING_DIR: join(cwd, "pending"), STATE_DIR: "/home/me/.local/state/bellhop" });
  expect(stateDirs).toEqual(["/home/me/.local/state/bellhop"]);
});

test("inside a session it is that session's daemon that is meant, and its thread that is asked in", () => {
  const cwd = folder();
  const env = { HOME: "/home/me", BELLHOP_SESSION: THREAD, BELLHOP_OUTPUTS: `/srv/state/outputs/${THREAD}` };
  const { stateDirs, session, variables } = faceSettings(env, cwd);
  expect(stateDirs[0]).toBe("/srv/state");
  expect(session).toBe(THREAD);
  expect(variables).toMatchObject({ BELLHOP_SESSION: THREAD });
  expect(faceSettings({ ...env, STATE_DIR: "/srv/other" }, cwd).stateDirs[0]).toBe("/srv/other");
  expect(faceSettings({ ...env, BELLHOP_OUTPUTS: "/srv/strange" }, cwd).stateDirs[0]).toBe("/home/me/.local/state/bellhop");
  expect(faceSettings({ ...env, BELLHOP_SESSION: "general" }, cwd).session).toBeUndefined();
});

test("the sandbox's daemon is meant only by a face without a token", () => {
  const cwd = folder();
  expect(faceSettings({ HOME: "/home/me" }, cwd).stateDirs).toEqual(["/home/me/.local/state/bellhop", "/home/me/.local/state/bellhop/sandbox"]);
  expect(faceSettings({ HOME: "/home/me", DISCORD_TOKEN: TOKEN }, cwd).stateDirs).toHaveLength(1);
});
