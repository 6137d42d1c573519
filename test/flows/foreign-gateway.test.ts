/**
 * Who names the gateway's address does not get the token: wherever READY, Discord's answer or the state file lead, it
 * goes only to Discord or this machine, and the bot is connected in the end.
 */
import { createServer } from "node:http";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { answered, inFolder, openSession, openWorld, type Daemon, type World } from "./world.ts";

const session = ({ sandbox }: World): string | undefined => sandbox.connections().find(({ isBot }) => isBot)?.sessionId;

/** A gateway of somebody else's that greets and listens, at an address that is not this machine's by its name. */
async function thief(): Promise<{ url: string; visits: string[] }> {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    visits.push(request.url ?? "");
    response.end();
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    visits.push("a socket");
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 100 }, s: null, t: null }));
    socket.on("message", (data) => visits.push(String(data)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    sockets.close();
    for (const one of sockets.clients) one.terminate();
    server.close();
  });
  const { port } = server.address() as { port: number };
  // The system connects it to this machine.
  return { url: `ws://0.0.0.0:${port}`, visits };
}

test("an address that Discord's answer names is not called while it is not Discord's, which the log says", async () => {
  const { url, visits } = await thief();
  const world = await openWorld({ agent: "none" });
  const elsewhere = world.sandbox.faults.gateway({ kind: "elsewhere", url });
  const daemon = world.daemon();
  await daemon.told(/E_GATEWAY_ADDRESS/);
  await elsewhere.hit(2);
  elsewhere.lift();
  await daemon.ready;
  expect(session(world)).toBeDefined();
  expect(visits).toEqual([]);
});

/** Kills the daemon once the session that it would resume is in the state file, and returns both. */
async function killed(
  world: World,
  daemon: Daemon,
): Promise<{ file: string; kept: { session: { id: string; resumeUrl: string } } }> {
  const file = join(world.stateDir, `gateway-${world.sandbox.botId}.json`);
  await inFolder(world.stateDir, () => existsSync(file) && readFileSync(file, "utf8").includes("resumeUrl"));
  await daemon.kill("SIGKILL");
  return { file, kept: JSON.parse(readFileSync(file, "utf8")) as { session: { id: string; resumeUrl: string } } };
}

/** A daemon that is started now refuses the address, and is connected in a session of its own. */
async function refusesAddress(world: World, thread: string, earlier: string): Promise<void> {
  const daemon = world.daemon();
  await daemon.told(/E_GATEWAY_ADDRESS/);
  await daemon.ready;
  await world.owner(thread).send("echo:after");
  await answered(world, thread, ["after"]);
  expect([undefined, earlier]).not.toContain(session(world));
}

test("an address for resuming that READY names is forgotten with its session when it is not Discord's", async () => {
  const { url, visits } = await thief();
  const world = await openWorld();
  const elsewhere = world.sandbox.faults.gateway({ kind: "elsewhere", url, in: "READY" });
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  elsewhere.lift();
  const { kept } = await killed(world, daemon);
  expect(kept.session.resumeUrl).toBe(url);
  await refusesAddress(world, thread, kept.session.id);
  expect(visits).toEqual([]);
});

test("one in the state file is forgotten too, whoever has written it there", async () => {
  const { url, visits } = await thief();
  const { world, daemon, thread } = await openSession();
  const { file, kept } = await killed(world, daemon);
  writeFileSync(file, JSON.stringify({ ...kept, session: { ...kept.session, resumeUrl: url } }));
  await refusesAddress(world, thread, kept.session.id);
  expect(visits).toEqual([]);
  expect(readFileSync(file, "utf8")).not.toContain(url);
});

test("a redirect of Discord's API is not followed, with the token or without", async () => {
  const { url, visits } = await thief();
  const world = await openWorld({ agent: "none" });
  const portal = createServer((request, response) => {
    moved.push(request.headers.authorization ?? "");
    response.writeHead(307, { location: `${url.replace("ws:", "http:")}${request.url}` }).end();
  });
  const moved: string[] = [];
  await new Promise<void>((resolve) => portal.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void portal.close().closeAllConnections());
  const { port } = portal.address() as { port: number };
  const daemon = world.daemon({ env: { BELLHOP_DISCORD_API: `http://127.0.0.1:${port}/api` } });
  await daemon.told(/answered 307/);
  expect([new Set(moved), visits]).toEqual([new Set([`Bot ${world.sandbox.botToken}`]), []]);
});
