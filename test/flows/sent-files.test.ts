/**
 * Files that an agent sends by a marker in its words: each stands in the thread once, also after a crash, and nothing
 * else leaves.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recorded } from "./workshop.ts";
import { crashNotice, inFolder, openSession, openWorld, type World } from "./world.ts";

/** Bellhop's copies of files that agents send. */
function kept({ stateDir }: World): string[] {
  return readdirSync(join(stateDir, "results")).filter((name) => name.includes(".file-"));
}

function sent(world: World, thread: string): string[] {
  return world.said(thread).flatMap(({ attachments }) => attachments.map(({ filename }) => filename));
}

test.each(["claude", "codex", "gemini"] as const)(
  "of %s: its own come, others are refused with a reason, and no marker is seen",
  async (tool) => {
    const { world, daemon, thread } = await openSession({ unlimited: true, tools: [tool] });
    mkdirSync(join(world.stateDir, "outputs"), { recursive: true });
    writeFileSync(join(world.stateDir, "outputs", "secret.txt"), "not for anybody");
    const { id } = await world.owner(thread).send("send:chart.txt");
    await world.marked(id, "✅");
    const isThere = (said: ReturnType<typeof world.said>): boolean =>
      said.some(({ embeds }) => embeds[0]?.description?.startsWith("✅"));
    const said = await world.saying(thread, (all) => isThere(all) && all);
    const texts = said.map(({ content }) => content).filter((content) => content !== "");
    expect(texts.join("\n").replace(/ +/g, " ")).toBe(
      "Here: and it was.\n-# 📎 `chart.txt`\n-# 📎 `../secret.txt` was not sent: it is not in the folder for files to send.\n-# 📎 `none.txt` was not sent: there is no such file.",
    );
    const files = said.flatMap(({ attachments }) => attachments);
    expect(files.map(({ filename }) => filename)).toEqual(["chart.txt"]);
    // Bellhop keeps no copy of what stands in Discord, and what was sent is not sent again by the next daemon.
    await inFolder(join(world.stateDir, "results"), () => kept(world).length === 0);
    await daemon.kill("SIGKILL");
    await world.daemon().ready;
    await world.owner(thread).send("echo:on");
    await world.saying(thread, (all) => all.some(({ content }) => content.trim() === "on"));
    expect(world.said(thread).flatMap(({ attachments }) => attachments)).toHaveLength(1);
  },
);

test("of an agent that speaks ACP: it is told of its folder, and its file comes", async () => {
  const command = [process.execPath, join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs")];
  const { world, thread } = await openSession({
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: { commands: { acp: command } },
  });
  const folder = join(world.stateDir, "outputs", thread);
  await world.marked((await world.owner(thread).send("whole")).id, "✅");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes(`put it into ${folder} and`)));
  writeFileSync(join(folder, "chart.txt"), "one two three");
  await world.marked(
    (await world.owner(thread).send("echo see [DISCORD_ATTACH: chart.txt] and [DISCORD_ATTACH: ../secret.txt] here"))
      .id,
    "✅",
  );
  await world.saying(
    thread,
    (said) =>
      sent(world, thread).length === 1 && said.some(({ content }) => content.includes("`../secret.txt` was not sent")),
  );
  const words = world
    .said(thread)
    .map(({ content }) => content)
    .join("\n");
  expect(words.replace(/ +/g, " ")).toContain("see and here");
  expect(sent(world, thread)).toEqual(["chart.txt"]);
});

test("a file is as large as the server's boosts allow, and a larger one is said to be too large for it", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const refusals = (): number =>
    world
      .said(thread)
      .filter(({ content }) => content.includes("was not sent: it is larger than the 10 MiB that this server takes."))
      .length;
  const first = await world.owner(thread).send("sendbig:11");
  await world.marked(first.id, "✅");
  await world.saying(thread, () => refusals() === 1);
  // The gateway tells of the boosts while it runs.
  world.sandbox.setBoostLevel(2);
  await world.owner(thread).send("sendbig:12");
  await world.saying(thread, () => sent(world, thread).length === 1);
  expect(refusals()).toBe(1);
  expect(world.said(thread).flatMap(({ attachments }) => attachments)[0]?.size).toBe(12 * 1024 * 1024);
  await inFolder(join(world.stateDir, "results"), () => kept(world).length === 0);
});

test("a daemon that starts in a boosted server knows its limit at once", async () => {
  const world = await openWorld({ unlimited: true });
  world.sandbox.setBoostLevel(3);
  await world.daemon({ env: { DISCORD_GUILD_ID: undefined } }).ready;
  const thread = await world.session();
  await world.owner(thread).send("sendbig:11");
  await world.saying(thread, () => sent(world, thread).length === 1);
});

test("a secret in a file is taken out before a copy of it is kept", async () => {
  const world = await openWorld({ unlimited: true });
  const secret = "sk-ant-0123456789abcdef";
  await world.daemon({ env: { ANTHROPIC_API_KEY: secret } }).ready;
  const thread = await world.session();
  const stuck = world.sandbox.faults.hold({ method: "POST", path: `/channels/${thread}/messages` });
  await world.owner(thread).send("sendkey:%ANTHROPIC_API_KEY%");
  await recorded(world, ({ type, payload }) => type === "JobProgress" && payload["kind"] === "attachment");
  const [copy = ""] = kept(world);
  expect(readFileSync(join(world.stateDir, "results", copy), "utf8")).toBe("the key is [redacted].");
  stuck.lift();
  await world.saying(thread, () => sent(world, thread).length === 1);
});

test.each([
  ["while its job runs", "sendhang:chart.txt"],
  ["before it is posted", "send:chart.txt"],
])("a file is in the thread once when the daemon is killed %s", async (_, prompt) => {
  const world = await openWorld({ unlimited: true });
  const first = world.daemon();
  await first.ready;
  const thread = await world.session();
  const stuck = world.sandbox.faults.hold({ method: "POST", path: `/channels/${thread}/messages` });
  await world.owner(thread).send(prompt);
  await recorded(
    world,
    ({ type, payload }) =>
      type === (prompt.startsWith("send:") ? "JobCompleted" : "JobProgress") &&
      (prompt.startsWith("send:") || payload["kind"] === "attachment"),
  );
  await first.kill("SIGKILL");
  stuck.lift();
  await world.daemon().ready;
  await world.saying(
    thread,
    (said) => crashNotice(said) ?? said.find(({ embeds }) => embeds[0]?.description?.startsWith("✅")),
  );
  expect(sent(world, thread)).toEqual(["chart.txt"]);
  await inFolder(join(world.stateDir, "results"), () => kept(world).length === 0);
});

test("a file that Discord took without our hearing of it is not sent a second time", async () => {
  const world = await openWorld({ unlimited: true });
  const first = world.daemon();
  await first.ready;
  const thread = await world.session();
  await world.owner(thread).send("sendhang:chart.txt");
  await world.saying(thread, (said) => said.some(({ content }) => content.startsWith("I am sending")));
  const deaf = world.sandbox.faults.drop({ method: "POST", path: `/channels/${thread}/messages`, when: "after" });
  await (await world.owner(thread).slash("cancel")).answer();
  await world.saying(thread, () => sent(world, thread).length === 1);
  await first.kill("SIGKILL");
  deaf.lift();
  await world.daemon().ready;
  await world.owner(thread).send("echo:on");
  await world.saying(thread, (said) => said.some(({ content }) => content.trim() === "on"));
  expect(sent(world, thread)).toEqual(["chart.txt"]);
});

test("an answer that is only the path of a picture among its outputs is that picture", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const outputs = join(world.stateDir, "outputs", thread);
  mkdirSync(outputs, { recursive: true });
  writeFileSync(join(outputs, "chart.png"), "a picture");
  const { id } = await world.owner(thread).send(`echo:${join(outputs, "chart.png")}`);
  await world.marked(id, "✅");
  await world.saying(thread, () => sent(world, thread).includes("chart.png"));
  expect(world.said(thread).filter(({ content }) => content.includes("/outputs/"))).toEqual([]);
});
