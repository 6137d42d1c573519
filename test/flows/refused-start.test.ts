/** A start that cannot work stops with one line that says what was found and what to do, and its own exit code. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, openWorld } from "./world.ts";

const cases: [string, Record<string, string>, number, RegExp][] = [
  ["a malformed owner", { DISCORD_OWNER_ID: "me" }, 78, /^E_CONFIG_INVALID: DISCORD_OWNER_ID: found "me", expected .*\n$/],
  ["an owner that config.json contradicts", { DISCORD_OWNER_ID: "123456789012345678" }, 78, /^E_CONFIG_INVALID: config\.json owner_id: found .*\n$/],
  ["a malformed guild", { DISCORD_GUILD_ID: "1;2" }, 78, /^E_CONFIG_INVALID: DISCORD_GUILD_ID: found "1;2", expected .*\n$/],
  ["an API that is no address", { BELLHOP_DISCORD_API: "discord" }, 78, /^E_CONFIG_INVALID: BELLHOP_DISCORD_API: found "discord", expected .*\n$/],
  ["a locale nobody speaks here", { BELLHOP_LOCALE: "xx" }, 78, /^E_CONFIG_INVALID: BELLHOP_LOCALE: found "xx", expected .*\n$/],
  ["a channel that is none of ours", { DISCORD_GUILD_ID: "", DISCORD_CHANNEL_ID: "123456789012345678" }, 78, /E_CONFIG_INVALID: DISCORD_CHANNEL_ID: found "123456789012345678", expected .*\n$/],
  ["a token Discord does not know", { DISCORD_BOT_TOKEN: "not.a.token" }, 77, /E_TOKEN_REFUSED/],
];

test.each(cases)("%s", async (_what, env, code, says) => {
  const world = await openWorld({ agent: "none" });
  const daemon = world.daemon({ env });
  expect(await daemon.exited).toEqual({ code, signal: null });
  expect(daemon.stderr()).toMatch(says);
  expect(daemon.stderr()).not.toContain(world.sandbox.botToken);
});

test("intents that are not switched on stop the start, without another try", async () => {
  const world = await openWorld({ agent: "none" });
  world.sandbox.setIntents({ messageContent: false });
  const daemon = world.daemon();
  expect(await daemon.exited).toEqual({ code: 76, signal: null });
  expect(daemon.stderr()).toContain("E_INTENT_REFUSED");
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
  expect(daemon.stderr()).toContain("after_crash");
  expect(readFileSync(join(world.stateDir, "config.json"), "utf8")).toContain("after_cra");
});

test("a project whose path is gone does not stop the start; its job says so", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const thread = await world.session();
  rmSync(world.project, { recursive: true });
  await world.owner(thread).send("echo:hello");
  await world.saying(thread, (said) => JSON.stringify(said).includes("E_INVALID_PATH"));
});

test("a second daemon on the same state directory is refused, and the first goes on", async () => {
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
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const thread = await world.session();
  await world.owner(thread).send("echo:hello");
  const said = await world.saying(thread, (all) => all.find((one) => JSON.stringify(one).includes("E_AGENT_START_FAILED")));
  expect(JSON.stringify(said)).toContain("npm install --global @anthropic-ai/claude-code");
});
