/** What a client takes along to its daemon, and which daemon that is. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clientSettings } from "../../src/client/settings.ts";

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
    expect(clientSettings({ HOME: "/home/me", ...env }, cwd).variables).toMatchObject({ DISCORD_BOT_TOKEN: TOKEN });
  }
});

test("what .env here says counts for nothing, and relative paths are of here", () => {
  const cwd = folder("DISCORD_BOT_TOKEN=nonsense\nSTATE_DIR=.cache\nBELLHOP_DISCORD_API=https://example.com/api\n");
  const { variables, forDaemon, stateDirs } = clientSettings(
    {
      HOME: "/home/me",
      DISCORD_BOT_TOKEN: TOKEN,
      DISCORD_CHANNEL_ID: THREAD,
      PROJECT_NAME: "from-env",
      PENDING_DIR: "pending",
      UNRELATED: "y",
    },
    cwd,
  );
  expect(variables).toEqual({
    DISCORD_BOT_TOKEN: TOKEN,
    DISCORD_CHANNEL_ID: THREAD,
    PROJECT_NAME: "from-env",
    PENDING_DIR: join(cwd, "pending"),
    POLL_INTERVAL_SECONDS: "5",
  });
  expect(forDaemon).toEqual({ PENDING_DIR: join(cwd, "pending"), STATE_DIR: "/home/me/.local/state/bellhop" });
  expect(stateDirs).toEqual(["/home/me/.local/state/bellhop"]);
});

test("with a session's capability it is that session's daemon that is meant, whatever a .mcp.json says beside it", () => {
  const cwd = folder();
  const env = { HOME: "/home/me", BELLHOP_CAPABILITY: "abc", BELLHOP_OUTPUTS: `/srv/state/outputs/${THREAD}` };
  expect(clientSettings(env, cwd)).toMatchObject({ stateDirs: ["/srv/state"], capability: "abc" });
  expect(clientSettings({ ...env, STATE_DIR: "/srv/other", DISCORD_TOKEN: TOKEN }, cwd)).toMatchObject({
    stateDirs: ["/srv/state"],
    capability: "abc",
  });
  for (const wrong of [{ BELLHOP_OUTPUTS: "/srv/strange" }, { BELLHOP_CAPABILITY: " " }]) {
    const { stateDirs, capability } = clientSettings({ ...env, ...wrong }, cwd);
    expect([stateDirs[0], capability]).toEqual(["/home/me/.local/state/bellhop", undefined]);
  }
});

test("only a client without a token means the sandbox's daemon", () => {
  const cwd = folder();
  expect(clientSettings({ HOME: "/home/me" }, cwd).stateDirs).toEqual([
    "/home/me/.local/state/bellhop",
    "/home/me/.local/state/bellhop/sandbox",
  ]);
  expect(clientSettings({ HOME: "/home/me", DISCORD_TOKEN: TOKEN }, cwd).stateDirs).toHaveLength(1);
});

test("a daemon that is started for a client gets nothing of Discord's, and no address that other clients' tokens would be sent to", () => {
  const cwd = folder();
  const env = {
    HOME: "/home/me",
    DISCORD_TOKEN: TOKEN,
    DISCORD_OWNER_ID: THREAD,
    DISCORD_GUILD_ID: THREAD,
    AGENT_COMMAND: '["sh"]',
    PROJECTS: '["/"]',
  };
  for (const [api, kept] of [
    ["https://example.com/api", false],
    ["http://127.0.0.1:1/api", true],
    ["https://discord.com/api", true],
  ] as const) {
    const { forDaemon } = clientSettings({ ...env, BELLHOP_DISCORD_API: api }, cwd);
    expect(forDaemon).toEqual({
      STATE_DIR: "/home/me/.local/state/bellhop",
      ...(kept && { BELLHOP_DISCORD_API: api }),
    });
  }
});
