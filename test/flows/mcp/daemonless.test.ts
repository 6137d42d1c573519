/** A client where no daemon runs: it starts one that outlives it, and however many start one, one stays. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { alive, inFolder, openWorld } from "../world.ts";
import { ask, daemonOf, endDaemon, events } from "./asked.ts";
import { clientEnvironment, openClient } from "./clients.ts";

test("starts one with only the variables of old, says so, and leaves it running without the token in its environment", async () => {
  const world = await openWorld({ agent: "none" });
  endDaemon(world);
  const { DISCORD_BOT_TOKEN = "", ...rest } = clientEnvironment(world);
  const client = await openClient("1.x", { ...rest, DISCORD_BOT_TOKEN, SECRET_OF_MINE: "x" }, world.home);
  const { thread, answer } = await ask(world, client);
  const pid = daemonOf(world);
  expect(client.stderr()).toContain(`No daemon was running for ${world.stateDir}; one was started (process ${pid})`);
  const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
  expect(environment).not.toContain(world.sandbox.botToken);
  expect(environment).not.toContain("SECRET_OF_MINE");
  await world.owner(thread).send("A");
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "A) Run it now" });
  await client.close();
  expect(alive(pid)).toBe(true);
  // Its own group and session: what ends the client's terminal does not reach it.
  expect(
    readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
      .slice(2, 4),
  ).toEqual([String(pid), String(pid)]);
  // It says on standard error that it ends, where nobody reads any more; that must not end it otherwise than in order.
  process.kill(pid, "SIGTERM");
  await inFolder(world.stateDir, () => !existsSync(join(world.stateDir, "link.json")));
  await inFolder(join(world.stateDir, "logs"), () =>
    readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8").includes("Bellhop ends"),
  );
});

test("two that start one at once leave one daemon, and both are served", async () => {
  const world = await openWorld({ agent: "none" });
  endDaemon(world);
  const clients = await Promise.all([
    openClient("1.x", clientEnvironment(world), world.home),
    openClient("2.x", clientEnvironment(world), world.home),
  ]);
  const results = await Promise.all(
    clients.map((client, at) => client.call("discord_notify", { message: `from ${at}` })),
  );
  expect(results.map(({ structured }) => structured["success"])).toEqual([true, true]);
  expect(events(world, "DecisionAsked")).toEqual([]);
  const pid = daemonOf(world);
  for (const client of clients) {
    const [, started] = /one was started \(process (\d+)\)/.exec(client.stderr()) ?? [];
    if (started === undefined || Number(started) === pid) continue;
    await client.told(/Another daemon was started first/);
    expect(alive(Number(started))).toBe(false);
  }
  expect(clients.map((client) => client.stderr()).join("")).toContain(`one was started (process ${pid})`);
});

test("one that Discord refuses says so in the answer, soon and by its code, and the next call tries again", async () => {
  const world = await openWorld({ agent: "none" });
  const client = await openClient(
    "2.x",
    { ...clientEnvironment(world), DISCORD_BOT_TOKEN: "no-such-token-there-is" },
    world.home,
  );
  for (const tool of ["discord_check_pending", "discord_notify"]) {
    const refused = await client.call(tool, tool === "discord_notify" ? { message: "m" } : {});
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/E_TOKEN_REFUSED/);
    expect(refused.text).not.toContain("no-such-token");
  }
});

test("two projects with bots and channels of their own, each by its environment, are served by the one daemon that the first has started", async () => {
  const world = await openWorld({ agent: "none" });
  endDaemon(world);
  const { sandbox } = world;
  const bot = sandbox.addUser("other-bot", { bot: true });
  const channel = sandbox.addChannel("other");
  const other = join(world.home, "other");
  mkdirSync(other);
  const theirsIs = {
    ...clientEnvironment(world),
    DISCORD_BOT_TOKEN: `Bot ${bot.token}`,
    DISCORD_CHANNEL_ID: channel,
    PROJECT_NAME: "other",
  };
  const ours = await openClient("1.x", clientEnvironment(world), world.home);
  const first = await ours.call("discord_notify", { message: "from ours" });
  const theirs = await openClient("2.x", theirsIs, other);
  const second = await theirs.call("discord_notify", { message: "from theirs" });
  const authorOf = (place: string, { structured }: typeof first): string | undefined =>
    sandbox.messages(place).find(({ id }) => id === structured["message_id"])?.author.id;
  expect([authorOf(sandbox.channelId, first), authorOf(channel, second)]).toEqual([sandbox.botId, bot.id]);
  expect(theirs.stderr()).toBe("");
});

test("a daemon that is stopped while nothing waits is let go, and the next call starts another", async () => {
  const world = await openWorld({ agent: "none" });
  endDaemon(world);
  const daemon = world.daemon();
  await daemon.ready;
  const client = await openClient("2.x", clientEnvironment(world), world.home);
  await client.call("discord_check_pending", {});
  await daemon.kill("SIGTERM");
  // What needs no daemon goes through the client all the same, and after that it has seen the other one go.
  await client.call("discord_notify", {});
  expect(client.stderr()).toBe("");
  expect((await client.call("discord_notify", { message: "m" })).structured).toMatchObject({ success: true });
  expect(client.stderr()).toBe(
    `No daemon was running for ${world.stateDir}; one was started (process ${daemonOf(world)}).\n`,
  );
});
