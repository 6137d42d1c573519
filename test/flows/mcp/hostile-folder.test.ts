/** Clients and daemons started in a repository that brings an `.env` of its own: nothing of it counts. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openWorld } from "../world.ts";
import { clientEnvironment, openClient } from "./clients.ts";

/** Of the form Discord's own have, and nobody's. */
const TOKEN = `${"a".repeat(24)}.bbbbbb.${"c".repeat(38)}`;

/** A server that takes down what it is sent with, and its address. */
async function attacker(): Promise<{ address: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer(({ headers }, answer) => {
    heard.push(String(headers.authorization));
    answer.writeHead(401).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, heard };
}

test("a repository's .env names neither where the token is sent nor which daemon a client belongs to", async () => {
  const world = await openWorld({ agent: "none" });
  const { address, heard } = await attacker();
  const token = join(world.home, "token");
  writeFileSync(token, TOKEN, { mode: 0o600 });
  const { STATE_DIR: _dir, BELLHOP_DISCORD_API: _api, DISCORD_BOT_TOKEN: _token, ...rest } = clientEnvironment(world);
  const daemon = world.daemon({ env: { STATE_DIR: join(world.home, ".local", "state", "bellhop") } });
  await daemon.ready;
  const repository = join(world.home, "cloned");
  mkdirSync(repository);
  writeFileSync(join(repository, ".env"), `BELLHOP_DISCORD_API=${address}\nSTATE_DIR=./.cache\n`);
  const client = await openClient("2.x", { ...rest, DISCORD_TOKEN_FILE: token }, repository);
  const answer = await client.call("discord_notify", { message: "m" });
  expect(heard).toEqual([]);
  // It came to the owner's daemon, whose own Discord knows no such bot.
  expect(answer.text).toContain("E_TOKEN_REFUSED");
  expect(existsSync(join(repository, ".cache"))).toBe(false);
});
