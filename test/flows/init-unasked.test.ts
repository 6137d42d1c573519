/** `bellhop init` without a terminal: nothing is asked, what is missing is named, and every answer is an option. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PermissionFlagsBits as Bit } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { openFreshMachine, type FreshMachine } from "./fresh-machine.ts";

const withToken = ({ sandbox }: FreshMachine) => ({ env: { DISCORD_BOT_TOKEN: sandbox.botToken } });

test("an answer that is missing ends it with the option that gives it, and nothing is written", async () => {
  const machine = await openFreshMachine();
  const before = machine.files();
  const none = await machine.run(["init"]);
  expect(none.code).toBe(64);
  expect(none.err).toMatch(/^Without a terminal nothing is asked\. Give --token-file, or --yes/);
  const yes = await machine.run(["init", "--yes"]);
  expect(yes.code).toBe(64);
  expect(yes.err).toMatch(/^--token-file has no default\. Give it\./);
  expect(machine.files()).toEqual(before);
  const projects = await machine.run(["init"], withToken(machine));
  expect(projects.code).toBe(64);
  expect(projects.err).toMatch(/^Without a terminal nothing is asked\. Give --project, or --yes/);
  expect((await machine.run(["init", "--run", "sometimes"])).err).toMatch(
    /^--run takes one of: service, terminal, later\./,
  );
  expect((await machine.run(["init", "--token", "x"])).err).toMatch(/^Unknown option: --token\./);
});

test("every answer is an option, the token comes from standard input, and neither output nor settings hold it", async () => {
  const machine = await openFreshMachine();
  const { sandbox, paths } = machine;
  mkdirSync(join(machine.home, "app"));
  const done = await machine.run(
    [
      "init",
      "--token-file",
      "-",
      "--server",
      sandbox.guildId,
      "--channel",
      "general",
      "--project",
      "~/app",
      "--project",
      machine.repository,
      "--run",
      "later",
    ],
    { input: `Bot ${sandbox.botToken}\n` },
  );
  expect(done).toMatchObject({ code: 0, err: "" });
  expect(done.out).not.toContain(sandbox.botToken);
  expect(done.out).not.toContain("\x1b");
  expect(readFileSync(paths.token, "utf8")).toBe(`${sandbox.botToken}\n`);
  const config = JSON.parse(readFileSync(join(paths.state, "config.json"), "utf8")) as {
    projects: Record<string, unknown>;
  };
  expect(Object.keys(config.projects)).toEqual(["app", "shop"]);
  expect(machine.posted()).toHaveLength(1);
});

test("a token file of the owner's is named, not copied; one that others can read is refused with what to do", async () => {
  const machine = await openFreshMachine();
  const { sandbox, paths } = machine;
  const file = join(machine.home, "my token");
  writeFileSync(file, sandbox.botToken, { mode: 0o600 });
  chmodSync(file, 0o644);
  const refused = await machine.run(["init", "--token-file", "~/my token", "--yes", "--run", "later"]);
  expect(refused.code).toBe(78);
  expect(refused.err).toContain("0644");
  chmodSync(file, 0o600);
  expect(await machine.run(["init", "--token-file", "~/my token", "--yes", "--run", "later"])).toMatchObject({
    code: 0,
    err: "",
  });
  expect(readFileSync(paths.env, "utf8")).toContain(`DISCORD_TOKEN_FILE='${file}'`);
  expect(Object.keys(machine.files())).not.toContain(paths.token);
  await machine.start();
});

test("what a person would have to mend is named once, each with its own exit code", async () => {
  const machine = await openFreshMachine();
  const { sandbox } = machine;
  const init = (...argv: string[]) => machine.run(["init", "--yes", "--run", "later", ...argv], withToken(machine));
  sandbox.setIntents({ messageContent: false });
  const intent = await init();
  expect(intent.code).toBe(76);
  expect(intent.err).toMatch(/^E_INTENT_REFUSED: .*Message Content Intent/);
  sandbox.setIntents({ messageContent: true });

  const invite = sandbox.kick(sandbox.botId);
  const away = await init();
  expect(away.code).toBe(78);
  expect(away.err).toContain(
    `client_id=${sandbox.applicationId}&scope=bot+applications.commands&permissions=328565066752`,
  );
  invite();

  sandbox.setEveryonePermissions(
    Bit.ViewChannel |
      Bit.SendMessages |
      Bit.SendMessagesInThreads |
      Bit.CreatePublicThreads |
      Bit.ReadMessageHistory |
      Bit.EmbedLinks |
      Bit.AddReactions,
  );
  sandbox.setBotPermissions(328565066752n);
  const right = await init();
  expect(right.code).toBe(78);
  expect(right.err).toMatch(/In #general it lacks: Attach Files\. Allow this in the channel's settings/);

  const channel = await init("--channel", "nowhere");
  expect(channel.code).toBe(78);
  expect(channel.err).toMatch(/DISCORD_CHANNEL_ID: found "nowhere".*Name one of the server's text channels: general/);

  sandbox.setBotPermissions(328565066752n | Bit.AttachFiles);
  const project = await init("--project", "~/nothing");
  expect(project.code).toBe(66);
  expect(project.err).toContain("~/nothing is not a directory Bellhop can use");
  const own = await init("--project", machine.paths.state);
  expect(own.code).toBe(66);
  expect(own.err).toMatch(/^E_STATE_DIRECTORY/);
});

test("a token of another application, one that was reset, and a Discord that does not answer", async () => {
  const machine = await openFreshMachine();
  const { sandbox } = machine;
  const init = (env: Record<string, string>) => machine.run(["init", "--yes", "--run", "later"], { env });
  const other = await init({ DISCORD_BOT_TOKEN: sandbox.botToken, DISCORD_APP_ID: "123456789012345678" });
  expect(other.code).toBe(78);
  expect(other.err).toContain(sandbox.applicationId);
  const old = sandbox.botToken;
  const fresh = sandbox.resetToken(sandbox.botId);
  const reset = await init({ DISCORD_BOT_TOKEN: old });
  expect(reset.code).toBe(77);
  expect(reset.out).toContain("DISCORD_BOT_TOKEN of this shell");
  const away = await init({ DISCORD_BOT_TOKEN: fresh, BELLHOP_DISCORD_API: "http://127.0.0.1:9/api" });
  expect(away.code).toBe(68);
  expect(away.err).toMatch(/^E_DISCORD_UNREACHABLE: Discord cannot be reached \(.+\)/);
  for (const { err, out } of [other, reset, away]) expect(err + out).not.toContain(fresh.slice(-12));
});

test("a token kept in .env itself is used and left there; one that is rejected there gives way to a file", async () => {
  const machine = await openFreshMachine();
  const { sandbox, paths } = machine;
  mkdirSync(join(machine.home, ".config", "bellhop"), { recursive: true });
  writeFileSync(paths.env, `# mine\nDISCORD_TOKEN=${sandbox.botToken}\nPENDING_DIR=~/p\n`);
  expect(await machine.run(["init", "--yes", "--run", "later"])).toMatchObject({ code: 0, err: "" });
  expect(readFileSync(paths.env, "utf8")).toBe(
    `# mine\nDISCORD_TOKEN=${sandbox.botToken}\nPENDING_DIR=~/p\nDISCORD_GUILD_ID='${sandbox.guildId}'\nDISCORD_CHANNEL_ID='${sandbox.channelId}'\n`,
  );
  const fresh = sandbox.resetToken(sandbox.botId);
  expect((await machine.run(["init", "--token-file", "-"], { input: fresh })).code).toBe(64);
  expect(readFileSync(paths.env, "utf8")).toBe(
    `# mine\nPENDING_DIR=~/p\nDISCORD_GUILD_ID='${sandbox.guildId}'\nDISCORD_CHANNEL_ID='${sandbox.channelId}'\nDISCORD_TOKEN_FILE='${paths.token}'\n`,
  );
});
