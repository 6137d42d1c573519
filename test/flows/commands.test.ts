/** Slash commands in the whole app: registered once, completed while typed, answered however slow Discord is. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MessageFlags, type APIMessage } from "discord-api-types/v10";
import { journalOf } from "./journal.ts";
import { expect, test } from "vitest";
import { recorded, withButton } from "./workshop.ts";
import { answered, openSession, openWorld, type World } from "./world.ts";

const wordsOf = ({ content, embeds }: APIMessage): string =>
  [content, ...embeds.map(({ description = "" }) => description)].join("\n");

/** What a command of the owner's is answered with. */
async function says(
  world: World,
  channel: string,
  command: string,
  options: Record<string, string> = {},
): Promise<string> {
  return wordsOf(await (await world.owner(channel).slash(command, options)).answer());
}

test("the commands are written to the guild once; a restart that finds them there writes nothing", async () => {
  const world = await openWorld();
  const written = (): number =>
    world.sandbox.requests.filter(({ method, path }) => method === "PUT" && path.endsWith("/commands")).length;
  const looked = (): number =>
    world.sandbox.requests.filter(({ method, path }) => method === "GET" && path.includes("/commands")).length;
  const daemon = world.daemon();
  await daemon.ready;
  await world.sandbox.until(() => written() > 0);
  expect(written()).toBe(1);
  await daemon.kill("SIGTERM");
  const before = looked();
  await world.daemon().ready;
  await world.session();
  await world.sandbox.until(() => looked() > before);
  expect(written()).toBe(1);
  const names = world.sandbox
    .commands()
    .map(({ name }) => name)
    .sort();
  expect(names).toEqual([
    "agent",
    "ask",
    "budget",
    "cancel",
    "compact",
    "lock",
    "new",
    "pending",
    "project",
    "projects",
    "queue",
    "resume",
    "retry",
    "rules",
    "session",
    "start",
    "status",
    "tool",
    "unlock",
  ]);
});

test("projects, sessions, jobs and tools are offered while they are typed", async () => {
  const { world, thread } = await openSession();
  const { id } = await world.owner(thread).send("fail:400");
  await world.marked(id, "❌");
  const offered = async (command: string, option: string, typed = ""): Promise<string[]> =>
    (await world.owner(thread).autocomplete(command, option, typed)).map(({ value }) => String(value));
  for (const command of ["start", "project status", "project switch", "session list"])
    expect(await offered(command, "project_name", "a")).toEqual(["app"]);
  expect(await offered("session open", "session_id")).toEqual([thread]);
  expect(await offered("tool", "tool")).toEqual(["claude"]);
  expect(await offered("project create", "tools_csv", "cl")).toEqual(["claude"]);
  expect(await offered("project create", "default_tool", "c")).toContain("codex");
  const [job = ""] = await offered("retry", "job_id");
  expect(job).toMatch(/^job_\d{8}_0001$/);
});

test("a session's thread is named by its first message, once, and the list of sessions shows it", async () => {
  const world = await openWorld();
  let daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  const renames = (): string[] =>
    world.sandbox.requests
      .filter(({ method, path }) => method === "PATCH" && path.endsWith(`/channels/${thread}`))
      .map(({ path }) => path);
  const { id } = await world.owner(thread).send("echo:mend the door");
  await world.marked(id, "✅");
  await world.sandbox.until(() => renames().length === 1);
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "named");
  const { id: second } = await world.owner(thread).send("echo:and the window");
  await world.marked(second, "✅");
  expect(await says(world, world.sandbox.channelId, "session list")).toContain(
    "**[echo\\:mend the door](https://discord.com/channels/",
  );
  await daemon.kill("SIGTERM");
  daemon = world.daemon();
  await daemon.ready;
  const { id: third } = await world.owner(thread).send("echo:and the roof");
  await world.marked(third, "✅");
  expect(renames()).toHaveLength(1);
});

test("what the owner writes in a channel with sessions is answered with a button that opens one on it; a stranger is not answered", async () => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  await world.session();
  const { channelId } = world.sandbox;
  const stranger = world.sandbox.addUser("mallory", { admin: true });
  await world.sandbox.channel(channelId).user(stranger.id).send("mend the door");
  const { id } = await world.owner(channelId).send("echo:mend the door");
  const hint = await world.saying(channelId, (said) => withButton(said, "s-on"));
  expect(hint.message_reference?.message_id).toBe(id);
  const owner = world.owner(channelId);
  for (const tap of await Promise.all([1, 2].map(() => owner.clickButton(hint.id, "Open a session here"))))
    await tap.acknowledged();
  await world.marked(id, "✅");
  await world.saying(channelId, (said) => said.find((one) => one.id === hint.id)?.components?.length === 0);
  expect(journalOf(world).filter(({ type }) => type === "SessionRequested")).toHaveLength(2);
  expect(world.said(channelId).filter(({ message_reference: to }) => to !== undefined)).toHaveLength(1);
});

test("a command is acknowledged while Discord is slow with what it asks for, and answered when that is done", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  await world.sandbox.until(({ commands }) => commands().length > 0);
  const stuck = world.sandbox.faults.hold({ method: "POST", path: /\/messages\/\d+\/threads$/ });
  const invoked = await world.owner(world.sandbox.channelId).slash("start", { project_name: "app" });
  await stuck.hit();
  await invoked.acknowledged();
  expect(invoked.interaction.thinking).toBe(true);
  // Nobody else waits for it.
  expect(await says(world, world.sandbox.channelId, "project status", { project_name: "app" })).toMatch(
    /^Project Status: app\nsession_total: 0\n/,
  );
  stuck.lift();
  expect(wordsOf(await invoked.answer())).toMatch(/<#\d{17,20}>.*`\d{17,20}`/);
});

test("who starts a session while Discord takes no threads is told at once until when, and so is the next one", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const { channelId, faults } = world.sandbox;
  await world.sandbox.until(({ commands }) => commands().length > 0);
  faults.rateLimit({ method: "POST", path: /\/messages\/\d+\/threads$/, retryAfter: 200 });
  for (const _time of ["first", "second"]) {
    const said = await says(world, channelId, "start", { project_name: "app" });
    expect(said).toMatch(/^Discord makes Bellhop wait .* opens by itself <t:\d+:R>\.$/);
    const until = Number(/<t:(\d+)/.exec(said)?.[1]) * 1000 - Date.now();
    expect(until).toBeGreaterThan(100_000);
    expect(until).toBeLessThan(201_000);
  }
});

test("a command's reply does not go on thinking after a crash, and its thread is made once", async () => {
  const world = await openWorld({ unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  const { channelId, faults } = world.sandbox;
  await world.sandbox.until(({ commands }) => commands().length > 0);
  const stuck = faults.hold({ method: "POST", path: /\/messages\/\d+\/threads$/ });
  await world.owner(channelId).slash("start", { project_name: "app" });
  await stuck.hit();
  const thinking = (): boolean =>
    world.sandbox.messages(channelId).some(({ flags = 0 }) => (flags & MessageFlags.Loading) !== 0);
  expect(thinking()).toBe(true);
  await daemon.kill("SIGKILL");
  stuck.lift();
  await world.daemon().ready;
  await world.sandbox.until(({ threads }) => threads().length === 1 && !thinking());
  expect(world.said(channelId)).toHaveLength(1);
  await recorded(world, ({ type }) => type === "SessionCreated");
});

test("a directory is registered where it really is; one that vanishes costs its jobs nothing but a retry", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const { channelId } = world.sandbox;
  await world.sandbox.until(({ commands }) => commands().length > 0);
  const [shop, link, file] = [join(world.home, "My Shop"), join(world.project, "out"), join(world.home, "file")];
  mkdirSync(shop);
  symlinkSync(shop, link);
  writeFileSync(file, "");
  for (const path of ["My Shop", file, join(world.home, "none")]) {
    expect(await says(world, channelId, "project add", { path })).toContain("`E_INVALID_PATH`");
  }
  expect(await says(world, channelId, "project add", { path: link })).toContain(`\`${link}\` leads to \`${shop}\``);
  expect(await says(world, channelId, "project add", { path: `${world.home}/app/../My Shop/` })).toContain(
    "`E_PROJECT_EXISTS`",
  );
  await says(world, channelId, "project switch", { project_name: "my-shop" });
  const thread = await sessionOf(world);
  renameSync(shop, `${shop} (moved)`);
  const { id } = await world.owner(thread).send("count:one");
  await world.saying(thread, (said) => JSON.stringify(said).includes("E_INVALID_PATH"));
  await world.marked(id, "❌");
  expect(await says(world, channelId, "projects")).toContain("⚠️");
  expect(await says(world, channelId, "start")).toContain("`E_INVALID_PATH`");
  renameSync(`${shop} (moved)`, shop);
  const [job] = await world.owner(thread).autocomplete("retry", "job_id", "");
  await says(world, thread, "retry", { job_id: String(job?.value) });
  await answered(world, thread, ["did one"]);
});

/** `/start` without a name: in the active project. */
async function sessionOf(world: World): Promise<string> {
  const [, thread = ""] = /<#(\d{17,20})>/.exec(await says(world, world.sandbox.channelId, "start")) ?? [];
  await world.saying(thread, (said) => said.length > 0);
  return thread;
}
