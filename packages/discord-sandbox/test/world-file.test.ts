/** A sandbox with a file is the same world after a restart; one that cannot be read is not written over. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../src/discord-sandbox.ts";
import { commands } from "./bot.ts";
import { manualClock } from "./manual-clock.ts";
import { ask } from "./wire.ts";

let file: string;
beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-sandbox-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  file = join(dir, "state", "discord.json");
});

test("threads, messages, files, commands and people are there again", async () => {
  const first = await startSandbox({ file });
  const other = first.addUser("other");
  const owner = first.channel(first.channelId).user(first.owner.id);
  const said = await owner.send("with a file", { files: [{ name: "a.txt", bytes: Buffer.from("kept") }] });
  const thread = await owner.createThread("talk", { messageId: said.id });
  await first.channel(thread.id).user(other.id).send("inside");
  await owner.react(said.id, "👍");
  await ask(first.api, "PUT", `/applications/${first.applicationId}/guilds/${first.guildId}/commands`, {
    token: `Bot ${first.botToken}`,
    body: commands,
  });
  await first.close();

  const second = await startSandbox({ file });
  onTestFinished(() => second.close());
  expect([second.applicationId, second.owner.id]).toEqual([first.applicationId, first.owner.id]);
  expect(second.messages(thread.id).map(({ content }) => content)).toEqual(["", "inside"]);
  expect(second.message(said.id)).toMatchObject({ content: "with a file", flags: 32, thread: { id: thread.id } });
  expect(second.reactions(said.id)).toEqual({ "👍": [first.owner.id] });
  expect(second.commands().map(({ name }) => name)).toEqual(["plan", "job"]);
  const link = second.message(said.id)?.attachments[0]?.url ?? "";
  expect(await (await fetch(link)).text()).toBe("kept");
  const next = await second.channel(thread.id).user(other.id).send("after");
  expect(BigInt(next.id)).toBeGreaterThan(BigInt(said.id));
});

test("tokens stand in no file and are new at each start, also where an earlier version wrote them down", async () => {
  const first = await startSandbox({ file });
  await first.close();
  const text = readFileSync(file, "utf8");
  for (const token of [first.botToken, first.owner.token]) expect(text).not.toContain(token);
  const world = JSON.parse(text) as { users: Record<string, { token?: string }> };
  for (const user of Object.values(world.users)) user.token = first.owner.token;
  writeFileSync(file, JSON.stringify(world));
  const second = await startSandbox({ file });
  onTestFinished(() => second.close());
  expect([second.botToken, second.owner.token]).not.toContain(first.owner.token);
});

test("ids only grow, even if the clock went back in between", async () => {
  const clock = manualClock();
  const first = await startSandbox({ file, clock });
  clock.advance(60_000);
  const before = await first.channel(first.channelId).user(first.owner.id).send("before");
  await first.close();
  const second = await startSandbox({ file, clock: manualClock(0) });
  onTestFinished(() => second.close());
  const after = await second.channel(second.channelId).user(second.owner.id).send("after");
  expect(BigInt(after.id)).toBeGreaterThan(BigInt(before.id));
});

test("a nonce of before the restart still holds", async () => {
  const clock = manualClock();
  const body = { content: "once", nonce: "n", enforce_nonce: true };
  const first = await startSandbox({ file, clock });
  const send = (sandbox: typeof first) =>
    ask(sandbox.api, "POST", `/channels/${sandbox.channelId}/messages`, { token: `Bot ${sandbox.botToken}`, body });
  const sent = await send(first);
  await first.close();
  const second = await startSandbox({ file, clock });
  onTestFinished(() => second.close());
  expect((await send(second)).body["id"]).toBe(sent.body["id"]);
});

test("a quiet thread is put away after a restart too", async () => {
  const clock = manualClock();
  const first = await startSandbox({ file, clock });
  await first.channel(first.channelId).user(first.owner.id).createThread("talk", { autoArchiveMinutes: 60 });
  clock.advance(50 * 60_000);
  await first.close();
  const second = await startSandbox({ file, clock });
  onTestFinished(() => second.close());
  expect(second.threads()[0]?.thread_metadata?.archived).toBe(false);
  clock.advance(11 * 60_000);
  expect(second.threads()[0]?.thread_metadata?.archived).toBe(true);
});

test("the file and what is beside it are the owner's alone, and whole at any time", async () => {
  const sandbox = await startSandbox({ file });
  await sandbox
    .channel(sandbox.channelId)
    .user(sandbox.owner.id)
    .upload([{ name: "a.txt", bytes: Buffer.from("a") }]);
  await sandbox.close();
  const dir = join(file, "..");
  expect(readdirSync(dir).toSorted()).toEqual(["discord.json", "discord.json.attachments"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(`${file}.attachments`).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(`${file}.attachments`))
    expect(statSync(join(`${file}.attachments`, name)).mode & 0o777).toBe(0o600);
});

test("without a file nothing is written", async () => {
  const sandbox = await startSandbox();
  await sandbox.channel(sandbox.channelId).user(sandbox.owner.id).send("gone soon");
  await sandbox.close();
  expect(() => readdirSync(join(file, ".."))).toThrow("ENOENT");
});

test.each([
  ["is no JSON", "{"],
  ["is something else", '{"version":2}'],
])("a file that %s stops the start and stays as it is", async (_what, text) => {
  const bad = join(file, "..", "..", "bad.json");
  writeFileSync(bad, text);
  await expect(startSandbox({ file: bad })).rejects.toThrow();
  expect(readFileSync(bad, "utf8")).toBe(text);
});

test("a port that is taken is said, not waited for", async () => {
  const first = await startSandbox();
  onTestFinished(() => first.close());
  await expect(startSandbox({ port: Number(new URL(first.url).port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
