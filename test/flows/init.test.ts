/**
 * `bellhop init` in a terminal, from the token to the first message: each branch, interrupted anywhere, and repeated.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PermissionFlagsBits as Bit } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { openFreshMachine, type FreshMachine } from "./fresh-machine.ts";
import { hasTerminal, keys, type Terminal } from "./terminal.ts";

if (!hasTerminal)
  process.stderr.write(
    "bellhop init is not tested in a terminal: there is no util-linux script (Debian: apt-get install bsdutils).\n",
  );
const inTerminal = test.skipIf(!hasTerminal);

const INVITE =
  /https:\/\/discord\.com\/oauth2\/authorize\?client_id=(\d+)&scope=bot\+applications\.commands&permissions=328565066752\s/;

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** From the token's question to the end, taking what is offered. */
async function takeAll({ sandbox }: FreshMachine, terminal: Terminal): Promise<void> {
  await terminal.sees(/The bot token/);
  terminal.type(`${sandbox.botToken}${keys.enter}`);
  await terminal.sees(/In which directories/);
  terminal.type(keys.enter);
  await terminal.sees(/How should Bellhop run\?/);
  terminal.type(keys.enter);
  expect(await terminal.done).toBe(0);
}

inTerminal(
  "from a token to the first message: what is offered is taken, the token is never shown, and the daemon starts with it",
  async () => {
    const machine = await openFreshMachine();
    const { sandbox, paths, repository } = machine;
    const terminal = machine.terminal(["init"]);
    await takeAll(machine, terminal);
    expect(terminal.raw).not.toContain(sandbox.botToken);
    expect(terminal.raw).not.toContain(sandbox.botToken.slice(-12));
    expect(terminal.shown).toContain("claude 2.1.329 is installed.");
    expect(terminal.shown).toContain("npm install --global @openai/codex");
    expect([paths.token, paths.env, join(paths.state, "config.json")].map(modeOf)).toEqual(["600", "600", "600"]);
    expect(readFileSync(paths.token, "utf8")).toBe(`${sandbox.botToken}\n`);
    expect(readFileSync(paths.env, "utf8")).not.toContain(sandbox.botToken);
    expect(
      Object.keys(machine.files())
        .filter((path) => !path.endsWith("/bin/claude"))
        .sort(),
    ).toEqual([paths.env, paths.token, join(paths.state, "config.json")].sort());
    const [first = ""] = machine.posted();
    expect(first).toContain(`<@${sandbox.owner.id}>`);
    const { id } = sandbox.messages(sandbox.channelId).at(-1) ?? { id: "" };
    expect(terminal.shown).toContain(`https://discord.com/channels/${sandbox.guildId}/${sandbox.channelId}/${id}`);

    await machine.start();
    await sandbox.until(({ commands }) => commands().some(({ name }) => name === "start"));
    const owner = sandbox.channel(sandbox.channelId).user(sandbox.owner.id);
    const answer = await (await owner.slash("start")).answer();
    const [thread = ""] = /\d{17,20}/.exec(answer.content) ?? [];
    await sandbox.channel(thread).user(sandbox.owner.id).send("echo:It works.");
    await sandbox.until(({ messages }) => messages(thread).some(({ content }) => content.startsWith("It works.")));
    expect(repository).toContain("shop");
  },
);

inTerminal(
  "what is not a bot's token is named as what it is, one that Discord rejects is asked for again",
  async () => {
    const machine = await openFreshMachine();
    const { sandbox } = machine;
    const terminal = machine.terminal(["init"]);
    await terminal.sees(/The bot token/);
    for (const [typed, said] of [
      ["", /Nothing was entered/],
      [sandbox.applicationId, /This is an id/],
      ["a".repeat(64), /public key/],
      ["x".repeat(32), /client secret/],
      ["https://discord.com/api/webhooks/1/abc", /address of a webhook/],
    ] as const) {
      terminal.type(`${typed}${keys.enter}`);
      await terminal.sees(said);
    }
    terminal.type(`${sandbox.resetToken(sandbox.botId).replace(/.$/, "_")}${keys.enter}`);
    await terminal.sees(/Discord rejects this token[\s\S]*The bot token/);
    const token = sandbox.resetToken(sandbox.botId);
    terminal.type(`Bot ${token}${keys.enter}`);
    await terminal.sees(/Discord accepts the token[\s\S]*Written: /);
    expect(readFileSync(machine.paths.token, "utf8")).toBe(`${token}\n`);
  },
);

inTerminal(
  "an intent that is off, a bot in no server and a missing permission are named, and waited for until they are mended",
  async () => {
    const machine = await openFreshMachine();
    const { sandbox, paths } = machine;
    sandbox.setIntents({ messageContent: false });
    const invite = sandbox.kick(sandbox.botId);
    const second = sandbox.addChannel("bots");
    sandbox.setOverwrites(second, [
      { id: sandbox.botId, type: 1, allow: "0", deny: String(Bit.EmbedLinks | Bit.CreatePublicThreads) },
    ]);
    const terminal = machine.terminal(["init"], { DISCORD_BOT_TOKEN: sandbox.botToken });
    await terminal.sees(
      new RegExp(`Message Content Intent is off[\\s\\S]*applications/${sandbox.applicationId}/bot[\\s\\S]*Waiting`),
    );
    sandbox.setIntents({ messageContent: true });
    await terminal.sees(/Message Content Intent is on/);
    await terminal.sees(INVITE);
    await terminal.sees(/▀▀▀[\s\S]*Or scan this with your phone/);
    invite();
    await terminal.sees(/Server: Sandbox/);
    await terminal.sees(/#bots/);
    terminal.type(`${keys.down}${keys.enter}`);
    await terminal.sees(/In #bots the bot lacks: Create Public Threads, Embed Links\./);
    sandbox.setOverwrites(second, [{ id: sandbox.botId, type: 1, allow: "0", deny: String(Bit.EmbedLinks) }]);
    await terminal.sees(/In #bots the bot lacks: Embed Links\./);
    sandbox.setOverwrites(second, []);
    await terminal.sees(/Channel: #bots/);
    expect(readFileSync(paths.env, "utf8")).toContain(`DISCORD_CHANNEL_ID='${second}'`);
    // The token of the shell is kept for a start without it.
    expect(readFileSync(paths.token, "utf8")).toBe(`${sandbox.botToken}\n`);
  },
);

const stages: [string, RegExp][] = [
  ["at the token", /The bot token/],
  ["when the token is kept", /Discord accepts the token/],
  ["at the server", /Server: /],
  ["at the channel", /Channel: /],
  ["at the projects", /In which directories/],
  ["when the first message is posted", /Posted the first message/],
  ["at the last question", /How should Bellhop run/],
];

inTerminal.each(stages)("killed %s, it goes on there, and posts one message", async (_where, seen) => {
  const machine = await openFreshMachine();
  const { sandbox, paths } = machine;
  const first = machine.terminal(["init"]);
  await first.sees(/The bot token/);
  if (!/token/.test(seen.source) || /accepts/.test(seen.source)) first.type(`${sandbox.botToken}${keys.enter}`);
  if (/Posted|How/.test(seen.source)) {
    await first.sees(/In which directories/);
    first.type(keys.enter);
  }
  await first.sees(seen);
  await first.kill();
  const asked = seen.source.includes("bot token") || seen.source.includes("accepts");
  const again = machine.terminal(
    ["init", "--run", "later", "--yes"],
    asked ? { DISCORD_BOT_TOKEN: sandbox.botToken } : {},
  );
  expect(await again.done).toBe(0);
  expect(machine.posted()).toHaveLength(1);
  expect(readFileSync(paths.token, "utf8")).toBe(`${sandbox.botToken}\n`);
  expect(JSON.parse(readFileSync(join(paths.state, "config.json"), "utf8"))).toMatchObject({
    projects: { shop: { path: machine.repository, enabled_tools: ["claude"], default_tool: "claude" } },
  });
});

inTerminal("Ctrl-C keeps everything so far, and says how to continue", async () => {
  const machine = await openFreshMachine();
  const terminal = machine.terminal(["init"]);
  await terminal.sees(/The bot token/);
  terminal.type(`${machine.sandbox.botToken}${keys.enter}`);
  await terminal.sees(/In which directories/);
  terminal.type(keys.stop);
  expect(await terminal.done).toBe(130);
  expect(terminal.shown).toContain("run `bellhop init` again");
  expect(readFileSync(machine.paths.env, "utf8")).toContain("DISCORD_CHANNEL_ID");
});

inTerminal(
  "a second set-up over a working one asks nothing but how to run, and changes nothing; an option changes what it names",
  async () => {
    const machine = await openFreshMachine();
    const { sandbox, paths } = machine;
    await takeAll(machine, machine.terminal(["init"]));
    const before = machine.files();
    const again = machine.terminal(["init"]);
    await again.sees(/How should Bellhop run/);
    expect(again.shown).not.toContain("The bot token");
    expect(again.shown).not.toContain("In which");
    again.type(keys.enter);
    expect(await again.done).toBe(0);
    expect(machine.files()).toEqual(before);
    expect(machine.posted()).toHaveLength(1);

    const second = sandbox.addChannel("second");
    const other = join(machine.home, "work", "Ähnlich wie");
    mkdirSync(other, { recursive: true });
    const named = await machine.run([
      "init",
      "--channel",
      "#second",
      "--project",
      "~/work/Ähnlich wie",
      "--run",
      "later",
    ]);
    expect(named).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(paths.env, "utf8")).toContain(`DISCORD_CHANNEL_ID='${second}'`);
    expect(JSON.parse(readFileSync(join(paths.state, "config.json"), "utf8"))).toMatchObject({
      projects: { shop: {}, "ahnlich-wie": { path: other } },
    });
  },
);

inTerminal("over a running daemon it says so, and a project that is added is there at once", async () => {
  const machine = await openFreshMachine();
  const { sandbox } = machine;
  expect(
    await machine.run(["init", "--yes", "--run", "later"], { env: { DISCORD_BOT_TOKEN: sandbox.botToken } }),
  ).toMatchObject({ code: 0, err: "" });
  await machine.start();
  mkdirSync(join(machine.home, "more"));
  const again = await machine.run(["init", "--project", "~/more"]);
  expect(again).toMatchObject({ code: 0, err: "" });
  expect(again.out).toMatch(/Bellhop is running \(process \d+\)\./);
  const owner = sandbox.channel(sandbox.channelId).user(sandbox.owner.id);
  while (!(await owner.autocomplete("start", "project_name", "more")).some(({ value }) => value === "more"));
});

inTerminal("another directory can be typed, with ~, and one that is not there is asked for again", async () => {
  const machine = await openFreshMachine({ agent: false });
  mkdirSync(join(machine.home, "elsewhere"));
  const terminal = machine.terminal(["init"], { DISCORD_BOT_TOKEN: machine.sandbox.botToken });
  await terminal.sees(/No agent can work yet[\s\S]*Continue without one/);
  terminal.type(keys.enter);
  await terminal.sees(/Another directory…/);
  terminal.type(`${keys.space}${keys.down}${keys.space}${keys.enter}`);
  await terminal.sees(/◆\s+The directory/);
  terminal.type(`~/nowhere${keys.enter}`);
  await terminal.sees(/~\/nowhere is not a directory[\s\S]*◆\s+The directory/);
  terminal.type(`~/elsewhere${keys.enter}`);
  await terminal.sees(/Project elsewhere: /);
  expect(JSON.parse(readFileSync(join(machine.paths.state, "config.json"), "utf8"))).toMatchObject({
    projects: {
      elsewhere: { path: join(machine.home, "elsewhere"), enabled_tools: ["claude", "codex", "gemini", "acp"] },
    },
  });
});

inTerminal("an agent that is installed meanwhile is found by looking again", async () => {
  const machine = await openFreshMachine({ agent: false });
  const terminal = machine.terminal(["init"], { DISCORD_BOT_TOKEN: machine.sandbox.botToken });
  await terminal.sees(/No agent can work yet[\s\S]*Continue without one/);
  writeFileSync(join(machine.home, "bin", "claude"), '#!/bin/sh\n[ "$1" = auth ] || echo "2.1.329 (Claude Code)"\n', {
    mode: 0o755,
  });
  terminal.type(`\x1b[A${keys.enter}`);
  await terminal.sees(/claude 2\.1\.329 is installed\.[\s\S]*In which directories/);
});
