/**
 * Several servers, each with a bot of its own: every session is its server's, and one that fails leaves the others at
 * work.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { events, QUESTION, statusOf } from "./mcp/asked.ts";
import { clientEnvironment, openClient } from "./mcp/clients.ts";
import { openTwoServers, type TwoServers } from "./two-servers.ts";
import { open as gate } from "./workshop.ts";
import { agentEnvironment, answered, openWorld } from "./world.ts";

/** Resolves when the agent has answered this in a thread of the second server. */
function answeredThere(servers: TwoServers, thread: string, words: string): Promise<boolean> {
  return servers.saying(thread, (said) => said.some(({ content }) => content === words));
}

test("a session belongs to the bot of its server, also after a restart, and what was written meanwhile is caught up in both", async () => {
  const servers = await openTwoServers();
  const { world, second } = servers;
  const first = servers.daemon();
  await first.ready;
  const [here, there] = [await world.session(), await servers.session()];
  await world.owner(here).send("count:here");
  await answered(world, here, ["did here"]);
  await servers.owner(there).send("count:there");
  await answeredThere(servers, there, "did there");
  expect(events(world, "SessionCreated")).toMatchObject([
    { thread_id: here, guild_id: world.sandbox.guildId, bot_id: world.sandbox.botId },
    { thread_id: there, guild_id: second.guildId, bot_id: second.botId },
  ]);
  expect(await statusOf(world)).toMatchObject({
    bot_id: world.sandbox.botId,
    servers: [{ name: "second", guild_id: second.guildId, bot_id: second.botId, phase: "live", error: null }],
  });
  await first.kill("SIGKILL");
  await world.owner(here).send("count:meanwhile here");
  await servers.owner(there).send("count:meanwhile there");
  await servers.daemon().ready;
  await answeredThere(servers, there, "did meanwhile there");
  await answered(world, here, ["did here", "did meanwhile here"]);
  expect(
    world
      .agentStarts()
      .map(({ prompt }) => prompt)
      .toSorted(),
  ).toEqual(["count:here", "count:meanwhile here", "count:meanwhile there", "count:there"]);
});

test("in the second server too a stranger has no effect, and the commands and buttons there are its own bot's", async () => {
  const servers = await openTwoServers();
  const { world, second } = servers;
  await servers.daemon().ready;
  const thread = await servers.session();
  const { id: mallory } = second.addUser("mallory", { admin: true });
  await second.channel(thread).user(mallory).send("count:evil");
  const status = await second.channel(thread).user(mallory).slash("status");
  expect([await status.ephemeral(), (await status.answer()).content]).toEqual([
    true,
    expect.stringContaining("E_OWNER_ONLY"),
  ]);
  await servers.owner(thread).send("fail:400");
  const failed = await servers.saying(thread, (said) =>
    said.find(({ components }) => JSON.stringify(components ?? []).includes("retry:")),
  );
  const pressed = await second.channel(thread).user(mallory).clickButton(failed.id, "Retry");
  expect((await pressed.answer()).content).toContain("E_OWNER_ONLY");
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["fail:400"]);
  await (await servers.owner(thread).clickButton(failed.id, "Retry")).answer();
  await world.agents(2);
});

test("a token that Discord refuses takes its own server only; status and the log say which", async () => {
  const servers = await openTwoServers();
  const { world, second, tokenFile } = servers;
  writeFileSync(tokenFile, "no-such-token", { mode: 0o600 });
  const daemon = servers.daemon();
  await daemon.ready;
  await daemon.told(/second: Discord rejected the bot token/);
  expect(await statusOf(world)).toMatchObject({
    servers: [{ name: "second", bot_id: null, phase: null, error: { code: "E_TOKEN_REFUSED" } }],
  });
  const thread = await world.session();
  await world.owner(thread).send("count:on");
  await answered(world, thread, ["did on"]);
  expect(second.commands()).toEqual([]);
});

test("where the main bot's token is refused, the other server is served", async () => {
  const servers = await openTwoServers();
  const daemon = servers.daemon({ DISCORD_BOT_TOKEN: "no-such-token" });
  expect(await daemon.ready).toMatchObject({ bot_id: servers.second.botId, guild_id: servers.second.guildId });
  const thread = await servers.session();
  await servers.owner(thread).send("count:on");
  await answeredThere(servers, thread, "did on");
});

test("when every bot is refused the daemon ends with the exit code of a refused token", async () => {
  const servers = await openTwoServers();
  writeFileSync(servers.tokenFile, "no-such-token", { mode: 0o600 });
  const daemon = servers.daemon({ DISCORD_BOT_TOKEN: "no-such-token-either" });
  const alone = (await openWorld()).daemon({ env: { DISCORD_BOT_TOKEN: "no-such-token" } });
  expect((await daemon.exited).code).toBe((await alone.exited).code);
});

test("without a token in the environment the first server of config.json is the main one", async () => {
  const servers = await openTwoServers();
  const daemon = servers.daemon({ DISCORD_BOT_TOKEN: undefined, DISCORD_GUILD_ID: undefined });
  expect(await daemon.ready).toMatchObject({ bot_id: servers.second.botId });
  expect(await statusOf(servers.world)).toMatchObject({ serves: "all", servers: [] });
  await servers.session();
});

test("a token file that others can read, and another owner, are said with the key; the other owner stops the start", async () => {
  const servers = await openTwoServers();
  chmodSync(servers.tokenFile, 0o644);
  const open = servers.daemon();
  await open.ready;
  await open.told(/config\.json servers\.second\.token_file.*mode 0644/);
  await open.kill("SIGTERM");
  const { world } = await openTwoServers({}, { owner_id: "100000000000000001" });
  const refused = world.daemon();
  expect((await refused.exited).code).not.toBe(0);
  expect(refused.stderr()).toContain("config.json servers.second.owner_id");
});

test("a server's token is in no process's environment or arguments, no log and no journal", async () => {
  const servers = await openTwoServers();
  const { world, second } = servers;
  const daemon = servers.daemon();
  await daemon.ready;
  const thread = await servers.session();
  await servers.owner(thread).send("hang:1");
  await world.agents(1);
  const pids = [daemon.pid, ...world.agentStarts().map(({ pid }) => pid)];
  for (const pid of pids)
    for (const file of ["environ", "cmdline"])
      expect(readFileSync(`/proc/${pid}/${file}`, "utf8")).not.toContain(second.botToken);
  const files = readdirSync(world.stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.filter((path) => existsSync(path)))
    expect([file, readFileSync(file, "utf8").includes(second.botToken)]).toEqual([file, false]);
});

test("an agent asks in its session's thread, under the bot of that server", async () => {
  const servers = await openTwoServers();
  const { world, second } = servers;
  await servers.daemon().ready;
  const thread = await servers.session();
  await servers.owner(thread).send("until:gate");
  await world.agents(1);
  const { BELLHOP_CAPABILITY = "" } = agentEnvironment(world);
  const { PATH = "", HOME = "", LANG = "" } = clientEnvironment(world);
  const client = await openClient(
    "2.x",
    { PATH, HOME, LANG, BELLHOP_CAPABILITY, BELLHOP_OUTPUTS: join(world.stateDir, "outputs", thread) },
    world.project,
  );
  const answer = client.call("discord_ask_decision", QUESTION);
  await servers.saying(thread, (said) => JSON.stringify(said).includes(QUESTION.question));
  await servers.owner(thread).send("A");
  expect((await answer).structured).toMatchObject({ success: true, thread_id: thread });
  expect(second.messages(thread).map(({ author }) => author.id)).not.toContain(world.sandbox.botId);
  gate(world, "gate");
});

test("the doctor checks each server by itself, and makes its token's file private", async () => {
  const { world, tokenFile, api } = await openTwoServers({ agent: "none" }, (second) => ({
    general_channel_id: second.channelId,
  }));
  chmodSync(tokenFile, 0o640);
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: world.home,
    STATE_DIR: world.stateDir,
    DISCORD_BOT_TOKEN: world.sandbox.botToken,
    BELLHOP_DISCORD_API: api,
    BELLHOP_LOCALE: "en",
  };
  const doctor = async (...more: string[]): Promise<{ check: string; verdict: string; says: string }[]> => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs"), "doctor", "--json", ...more],
      { cwd: world.home, env, stdio: ["ignore", "pipe", "inherit"] },
    );
    const { findings } = JSON.parse(await text(child.stdout)) as {
      findings: { check: string; verdict: string; says: string }[];
    };
    return findings.filter(({ check }) => check.startsWith("server second"));
  };
  expect(await doctor()).toMatchObject([
    { verdict: "idle" },
    { check: "server second", verdict: "bad", says: expect.stringContaining("mode 0640") },
  ]);
  const mended = await doctor("--fix");
  expect(mended.map(({ check, verdict }) => [check, verdict])).toEqual([
    ["server second", "idle"],
    ["server second: token", "good"],
    ["server second: intents", "good"],
    ["server second: server", "good"],
    ["server second: channel", "good"],
    ["server second: panel", "good"],
    ["server second: gateway", "good"],
  ]);
});
