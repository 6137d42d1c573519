/** A start that cannot work stops with one line that says what was found and what to do, and its own exit code. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { statusOf } from "./mcp/asked.ts";
import { answered, openSession, openWorld } from "./world.ts";

const cases: [string, Record<string, string>, number, RegExp][] = [
  [
    "a malformed owner",
    { DISCORD_OWNER_ID: "me" },
    78,
    /^E_CONFIG_INVALID: DISCORD_OWNER_ID: found "me", expected .*\n$/,
  ],
  [
    "an owner that config.json contradicts",
    { DISCORD_OWNER_ID: "123456789012345678" },
    78,
    /^E_CONFIG_INVALID: config\.json owner_id: found .*\n$/,
  ],
  [
    "a malformed guild",
    { DISCORD_GUILD_ID: "1;2" },
    78,
    /^E_CONFIG_INVALID: DISCORD_GUILD_ID: found "1;2", expected .*\n$/,
  ],
  [
    "an API that is no address",
    { BELLHOP_DISCORD_API: "discord" },
    78,
    /^E_CONFIG_INVALID: BELLHOP_DISCORD_API: found "discord", expected .*\n$/,
  ],
  [
    "a locale nobody speaks here",
    { BELLHOP_LOCALE: "xx" },
    78,
    /^E_CONFIG_INVALID: BELLHOP_LOCALE: found "xx", expected .*\n$/,
  ],
  [
    "a channel that is none of ours",
    { DISCORD_GUILD_ID: "", DISCORD_CHANNEL_ID: "123456789012345678" },
    78,
    /E_CONFIG_INVALID: DISCORD_CHANNEL_ID: found "123456789012345678", expected .*\n$/,
  ],
  ["a token Discord does not know", { DISCORD_BOT_TOKEN: "not.a.token" }, 77, /E_TOKEN_REFUSED/],
];

test.each(cases)("%s", async (_what, env, code, says) => {
  const world = await openWorld({ agent: "none" });
  const daemon = world.daemon({ env });
  expect(await daemon.exited).toEqual({ code, signal: null });
  expect(daemon.stderr()).toMatch(says);
  expect(daemon.stderr()).not.toContain(world.sandbox.botToken);
});

test("a full disk", async ({ skip }) => {
  const mine = [
    "-rm",
    "sh",
    "-c",
    'mount -t tmpfs -o size=8k tmpfs "$0" && { head -c 16384 /dev/zero > "$0/full" 2> /dev/null; exec "$@"; }',
  ];
  const world = await openWorld({ agent: "none" });
  if (spawnSync("unshare", [...mine, world.stateDir, "true"]).status !== 0)
    return skip("unshare or a mount of one's own is not to be had here");
  const daemon = world.daemon({ prefix: ["unshare", ...mine, world.stateDir] });
  expect(await daemon.exited).toEqual({ code: 73, signal: null });
  expect(daemon.stderr()).toMatch(/^E_PATH_REFUSED: Bellhop cannot use \S+ \(`write: ENOSPC`\)\. [^\n]*\n$/);
});

test("a channel that is for a project and for an agent's inbox", async () => {
  const world = await openWorld({ agent: "none", app: { channel_id: "123456789012345678" } });
  const daemon = world.daemon({ env: { DISCORD_CHANNEL_ID: "123456789012345678" } });
  expect(await daemon.exited).toEqual({ code: 78, signal: null });
  expect(daemon.stderr()).toMatch(
    /E_CONFIG_INVALID: config\.json projects\.app\.channel_id: found "123456789012345678", expected a channel other than DISCORD_CHANNEL_ID/,
  );
});

test.each(["STATE_DIR=./elsewhere", "DISCORD_TOKEN=a.b.c"])(
  "an unread .env here that seems to be meant, by %s",
  async (line) => {
    const world = await openWorld({ agent: "none" });
    writeFileSync(join(world.home, ".env"), `${line}\n`);
    const unset = Object.fromEntries(["STATE_DIR", "DISCORD_BOT_TOKEN"].map((name) => [name, ""]));
    const daemon = world.daemon({ env: unset });
    expect(await daemon.exited).toEqual({ code: 78, signal: null });
    expect(daemon.stderr()).toMatch(
      /^E_CONFIG_INVALID: \/.*\.env: found "(STATE_DIR|DISCORD_TOKEN)", .* add `--env-file \/.*\.env` or move these lines to \/.*\.config\/bellhop\/\.env\..*\n$/,
    );
    expect(existsSync(join(world.home, "elsewhere")) || existsSync(join(world.home, ".local"))).toBe(false);
  },
);

test("the same .env is read on the owner's word", async () => {
  const world = await openWorld({ agent: "none" });
  writeFileSync(join(world.home, ".env"), `STATE_DIR=./elsewhere\nDISCORD_TOKEN=${world.sandbox.botToken}\n`);
  const daemon = world.daemon({ env: { STATE_DIR: "", DISCORD_BOT_TOKEN: "" }, args: ["--env-file", ".env"] });
  expect((await daemon.ready)["state_dir"]).toBe(join(world.home, "elsewhere"));
});

test("intents that are not switched on stop the start, without another try", async () => {
  const world = await openWorld({ agent: "none" });
  world.sandbox.setIntents({ messageContent: false });
  const daemon = world.daemon();
  expect(await daemon.exited).toEqual({ code: 76, signal: null });
  expect(daemon.stderr()).toMatch(
    /Turn on Message Content Intent on your application's Bot page .* error_code=E_INTENT_REFUSED\n/,
  );
  expect(readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8")).toContain(
    "Turn on Message Content Intent on your application's Bot page",
  );
});

test("a token that Discord takes back says where to get another, on the terminal and in the log", async () => {
  const world = await openWorld({ agent: "none" });
  const daemon = world.daemon();
  await daemon.ready;
  world.sandbox.faults.gateway({ kind: "close", code: 4004 });
  expect(await daemon.exited).toEqual({ code: 77, signal: null });
  for (const text of [daemon.stderr(), readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8")])
    expect(text).toContain("Copy a new one from your application's Bot page");
});

test("a bot that is not in its server yet says so with the way to invite it, and is ready when it has arrived", async () => {
  const world = await openWorld({ agent: "none" });
  const { sandbox } = world;
  const invite = sandbox.kick(sandbox.botId);
  const daemon = world.daemon();
  await daemon.told(
    new RegExp(
      `not in the server ${sandbox.guildId} yet. Invite it with https://discord.com/oauth2/authorize\\?client_id=${sandbox.applicationId}&`,
    ),
  );
  await sandbox.until(({ connections }) => connections().some(({ userId }) => userId === sandbox.botId));
  let ready = false;
  void daemon.ready.then(() => (ready = true));
  // The connection is there, and that alone is no readiness.
  const phase = async (): Promise<unknown> => ((await statusOf(world))["gateway"] as { phase?: unknown } | null)?.phase;
  while ((await phase()) !== "live");
  expect([ready, sandbox.commands().length]).toEqual([false, 0]);
  invite();
  await daemon.ready;
  await sandbox.until(({ commands }) => commands().length > 0);
});

test("a token of another application than DISCORD_APP_ID names", async () => {
  const world = await openWorld({ agent: "none" });
  const daemon = world.daemon({ env: { DISCORD_APP_ID: "123456789012345678" } });
  expect(await daemon.exited).toEqual({ code: 78, signal: null });
  expect(daemon.stderr()).toContain(
    `DISCORD_APP_ID: found "123456789012345678", expected the id of the application that the token is of, ${world.sandbox.applicationId}.`,
  );
  await world.daemon({ env: { DISCORD_APP_ID: world.sandbox.applicationId } }).ready;
});

test("a config.json that is wrong names the place, what was found and what belongs there", async () => {
  const world = await openWorld({ agent: "none", config: { limits: { global_max_running: 0 } } });
  const daemon = world.daemon();
  expect((await daemon.exited).code).toBe(78);
  expect(daemon.stderr()).toMatch(/config\.json limits\.global_max_running: found 0, expected/);
});

test("an unknown key is kept and warned about with the nearest known name, and the rest starts", async () => {
  const world = await openWorld({ config: { after_cra: "wait" } });
  const daemon = world.daemon();
  await daemon.ready;
  // What it prints comes through two pipes.
  await daemon.told(/after_crash/);
  expect(readFileSync(join(world.stateDir, "config.json"), "utf8")).toContain("after_cra");
});

test("a project whose path is gone does not stop the start; its job says so", async () => {
  const { world, thread } = await openSession();
  rmSync(world.project, { recursive: true });
  await world.owner(thread).send("echo:hello");
  await world.saying(thread, (said) => JSON.stringify(said).includes("E_INVALID_PATH"));
});

test("a second daemon on the same state directory is refused, and the first continues", async () => {
  const world = await openWorld();
  const first = world.daemon();
  await first.ready;
  const second = world.daemon();
  expect((await second.exited).code).toBe(75);
  expect(second.stderr()).toContain(String(first.pid));
  const thread = await world.session();
  await world.owner(thread).send("echo:still here");
  await answered(world, thread, ["still here"]);
});

test("a damaged journal refuses the start and names the byte and the event", async () => {
  const world = await openWorld();
  const first = world.daemon();
  await first.ready;
  await world.session();
  await first.kill("SIGKILL");
  rmSync(join(world.stateDir, "snapshot.json"), { force: true });
  const file = join(world.stateDir, "events.ndjson");
  const bytes = readFileSync(file);
  const at = bytes.indexOf("claude");
  bytes[at] = bytes[at]! ^ 1;
  writeFileSync(file, bytes);
  const second = world.daemon();
  expect((await second.exited).code).toBe(65);
  expect(second.stderr()).toMatch(/E_JOURNAL_CORRUPT.*events\.ndjson/);
  expect(readFileSync(file)).toEqual(bytes);
});

test("an agent that is not in PATH fails its job with the exact command that installs it", async () => {
  const { world, thread } = await openSession({ agent: "none" });
  await world.owner(thread).send("echo:hello");
  const said = await world.saying(thread, (all) =>
    all.find((one) => JSON.stringify(one).includes("E_AGENT_START_FAILED")),
  );
  expect(JSON.stringify(said)).toContain("npm install --global @anthropic-ai/claude-code");
});
