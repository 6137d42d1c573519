/**
 * Two servers of one owner, each with a bot of its own: two strict local Discords behind one address, as Discord's own
 * servers are. A request goes to the Discord whose bot's token it bears; an answer to an interaction bears none, and
 * goes to the one that knows it.
 */
import { writeFileSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { startSandbox, type Sandbox } from "discord-sandbox";
import { onTestFinished } from "vitest";
import { contract } from "../../packages/discord-sandbox/test/contract/contract.ts";
import { inTwo, openWorld, unlinked, type Daemon, type World, type WorldOptions } from "./world.ts";

export interface TwoServers {
  world: World;
  /** The Discord of the second server. */
  second: Sandbox;
  tokenFile: string;
  /** The one address. */
  api: string;
  /** The daemon, which reaches both. */
  daemon(env?: Record<string, string | undefined>): Daemon;
  /** What the second server's bot has written in a channel, oldest first. */
  said(channelId: string): APIMessage[];
  saying<T>(channelId: string, fact: (said: APIMessage[]) => T | undefined | false): Promise<T>;
  /** The owner in the second server. */
  owner(channelId: string): ReturnType<World["owner"]>;
  /** `/start` in the second server. */
  session(): Promise<string>;
}

const SPOKEN = new Set<number>([0, 19]);

/** @param server keys of the second server's entry in config.json, named `second` */
export async function openTwoServers(
  options: WorldOptions = {},
  server: Record<string, unknown> | ((second: Sandbox) => Record<string, unknown>) = {},
): Promise<TwoServers> {
  const world = await openWorld(options);
  const judge = contract();
  const second = await startSandbox({
    observe: judge.observe,
    names: { guild: "Second", bot: "second-bot" },
    beside: world.sandbox,
  });
  const address = await openAddress([world.sandbox, second]);
  onTestFinished(async () => {
    address.close();
    await second.close();
    judge.assertClean();
  });
  const tokenFile = join(world.home, "second-token");
  writeFileSync(tokenFile, `${second.botToken}\n`, { mode: 0o600 });
  const file = join(world.stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as { servers?: object };
  const more = typeof server === "function" ? server(second) : server;
  writeFileSync(
    file,
    JSON.stringify(
      {
        ...config,
        servers: { ...config.servers, second: { token_file: tokenFile, guild_id: second.guildId, ...more } },
      },
      null,
      2,
    ),
  );
  const said: TwoServers["said"] = (channelId) =>
    second
      .messages(channelId)
      .filter(({ author, type }) => author.id === second.botId && SPOKEN.has(type))
      .map(unlinked)
      .map(inTwo);
  const servers: TwoServers = {
    world,
    second,
    tokenFile,
    api: address.api,
    daemon: (env = {}) => world.daemon({ env: { BELLHOP_DISCORD_API: address.api, ...env } }),
    said,
    saying: (channelId, fact) => second.until(() => fact(said(channelId))),
    owner: (channelId) => second.channel(channelId).user(second.owner.id),
    async session() {
      await second.until(({ commands }) => commands().some(({ name }) => name === "start"));
      const invoked = await servers.owner(second.channelId).slash("start", { project_name: "app" });
      const [thread = ""] = /\d{17,20}/.exec((await invoked.answer()).content) ?? [];
      await servers.saying(thread, (posts) => posts.length > 0);
      return thread;
    },
  };
  return servers;
}

async function openAddress(sandboxes: readonly Sandbox[]): Promise<{ api: string; close(): void }> {
  const server = createServer((request, response) => void pass(request, response, sandboxes));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function pass(request: IncomingMessage, response: ServerResponse, sandboxes: readonly Sandbox[]): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { authorization } = request.headers;
  const own = sandboxes.filter(({ botToken }) => authorization === `Bot ${botToken}`);
  const asked = authorization === undefined ? sandboxes : own.length > 0 ? own : sandboxes.slice(0, 1);
  try {
    for (const [index, { url }] of asked.entries()) {
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(
          ([name]) => !["host", "connection", "content-length", "transfer-encoding"].includes(name),
        ),
      ) as Record<string, string>;
      const method = request.method ?? "GET";
      const answer = await fetch(`${url}${request.url ?? ""}`, {
        method,
        headers,
        ...(parts.length > 0 && { body: new Uint8Array(Buffer.concat(parts)) }),
      });
      if (answer.status === 404 && index + 1 < asked.length) continue;
      const kept = [...answer.headers].filter(
        ([name]) => !["connection", "content-length", "transfer-encoding", "content-encoding"].includes(name),
      );
      response.writeHead(answer.status, Object.fromEntries(kept));
      return void response.end(Buffer.from(await answer.arrayBuffer()));
    }
  } catch {
    response.destroy();
  }
}
