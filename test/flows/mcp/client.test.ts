/**
 * The built client before there is a daemon: what it offers to either MCP client, and what it says when it can do
 * nothing.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tools } from "../../../src/client/mcp/server.ts";
import { kinds, openClient } from "./clients.ts";

/** A home without anything of ours. */
function machine(): { home: string; env: Record<string, string> } {
  const home = mkdtempSync(join(tmpdir(), "bellhop-client-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(home, "app"));
  return { home, env: { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", BELLHOP_LOCALE: "en" } };
}

describe.each(kinds)("with a client of the SDK %s", (kind) => {
  test("it offers its six tools, and ends with its client", async () => {
    const { home, env } = machine();
    const client = await openClient(kind, env, home);
    expect(client.server).toMatchObject({ name: "discord-decision-mcp" });
    expect(await client.tools()).toEqual(tools.map(({ name }) => name));
    expect(client.stderr()).toBe("");
    await client.close();
  });

  test("a wrong call is an answer that teaches", async () => {
    const { home, env } = machine();
    const client = await openClient(kind, env, home);
    const wrong = await client.call("discord_ask_decision", { question: "q", contxt: "c", options: [] });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining("Did you mean context?") as string });
  });
});

describe("what it cannot do it says in the answer to each call", () => {
  test("no channel to ask in", async () => {
    const { home, env } = machine();
    const client = await openClient(
      "2.x",
      { ...env, DISCORD_BOT_TOKEN: "a".repeat(24) + ".bbbbbb." + "c".repeat(38) },
      home,
    );
    expect(await client.call("discord_notify", { message: "m" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("DISCORD_CHANNEL_ID is not set") as string,
    });
  });

  test("no daemon, and no token to start one with", async () => {
    const { home, env } = machine();
    const client = await openClient("2.x", { ...env, DISCORD_CHANNEL_ID: "900000000000000001" }, home);
    expect(await client.call("discord_notify", { message: "m" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("no bot token to start one with") as string,
    });
  });

  test("a wrong setting, and shows nothing of the token", async () => {
    const { home, env } = machine();
    const client = await openClient(
      "1.x",
      { ...env, DISCORD_BOT_TOKEN: "nonsense-token", DISCORD_CHANNEL_ID: "900000000000000001" },
      join(home, "app"),
    );
    const refused = await client.call("discord_check_pending", {});
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/^This server's settings are wrong.*DISCORD_BOT_TOKEN/);
    expect(refused.text + client.stderr()).not.toContain("nonsense-token");
    expect(client.stderr()).toContain("DISCORD_BOT_TOKEN");
  });

  test("a daemon that cannot start says why, and the next call tries again", async () => {
    const { home, env } = machine();
    const state = join(home, "state");
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, "config.json"), '{"version": 1, "limits": {"global_max_running": 0}}', { mode: 0o600 });
    const token = "a".repeat(24) + ".bbbbbb." + "c".repeat(38);
    const client = await openClient(
      "2.x",
      { ...env, STATE_DIR: state, DISCORD_BOT_TOKEN: token, DISCORD_CHANNEL_ID: "900000000000000001" },
      home,
    );
    for (const _ of [1, 2]) {
      const refused = await client.call("discord_notify", { message: "m" });
      expect(refused.isError).toBe(true);
      expect(refused.text).toMatch(/could not be started: E_CONFIG_INVALID: .*global_max_running.*Nothing was sent/);
    }
  });
});
