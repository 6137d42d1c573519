/**
 * What an agent can reach through its tools, with the environment it really got: its own session and nothing else,
 * whatever a `.mcp.json` beside it says, and only while its job runs.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { learnt, open, recorded } from "../workshop.ts";
import { agentEnvironment, openWorld, type World } from "../world.ts";
import { ask, events } from "./asked.ts";
import { clientEnvironment, openClient } from "./clients.ts";

async function openSessions(
  config: Record<string, unknown> = {},
): Promise<{ world: World; own: string; other: string; id: string }> {
  const world = await openWorld({ config });
  await world.daemon().ready;
  const [own, other] = [await world.session(), await world.session()];
  const { id } = await world.owner(own).send("until:gate");
  await world.agents(1);
  return { world, own, other, id };
}

test("an agent asks and writes in its own session's thread, whatever a .mcp.json names, and nothing is anywhere else", async () => {
  const { world, own, other } = await openSessions();
  // All that a repository's `.mcp.json` can put beside what the agent was given.
  const client = await openClient(
    "2.x",
    {
      ...clientEnvironment(world),
      ...agentEnvironment(world),
      STATE_DIR: "/nowhere",
      PROJECT_NAME: "other",
      BELLHOP_SESSION: other,
    },
    world.project,
  );
  const { thread, answer } = await ask(world, client);
  expect(thread).toBe(own);
  // In a thread where others stand already: what is written above a prompt is no answer to it.
  await world.saying(own, (said) => JSON.stringify(said).includes("Run the migration?"));
  await world.owner(own).send("A");
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "A) Run it now", thread_id: own });
  expect(events(world, "DecisionAsked")).toMatchObject([
    { thread_id: own, asker: { project: "app", channel_id: null } },
  ]);
  const before = world.said(other).length;
  for (const thread_id of [other, world.sandbox.channelId]) {
    const refused = await client.call("discord_notify", { message: "not mine", thread_id });
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringContaining(`thread_id is "${thread_id}"; that is not the thread of this session`) as string,
    ]);
    expect(
      await client.call("discord_ask_decision", { question: "not mine?", context: "", options: [], thread_id }),
    ).toMatchObject({ isError: true });
  }
  expect(world.said(other)).toHaveLength(before);
  expect(JSON.stringify(world.said(world.sandbox.channelId))).not.toContain("not mine");
  expect((await client.call("discord_notify", { message: "on it" })).structured).toMatchObject({
    success: true,
    thread_id: own,
  });
  open(world, "gate");
});

test("a file that answers its question lies in its session's own folder, which was there before the agent began", async () => {
  const { world, own } = await openSessions();
  const uploads = join(world.stateDir, "uploads", own);
  expect(existsSync(uploads)).toBe(true);
  const [start] = world.agentStarts();
  const granted = start?.argv.filter((_, at) => start.argv[at - 1] === "--add-dir");
  expect(granted).toEqual([join(world.stateDir, "outputs", own), uploads]);
  const agent = await openClient("2.x", { ...clientEnvironment(world), ...agentEnvironment(world) }, world.project);
  const { answer } = await ask(world, agent, { question: "Which log is it?", context: "", options: [] });
  await world.saying(own, (said) => JSON.stringify(said).includes("Which log is it?"));
  const sent = await world.owner(own).upload([{ name: "error.log", bytes: Buffer.from("disk full") }], "this one");
  const path = join(uploads, sent.id, "1-error.log");
  expect((await answer).structured).toMatchObject({ success: true, answer: `this one\n${path}` });
  expect(readFileSync(path, "utf8")).toBe("disk full");
  open(world, "gate");
});

test("an agent reads and clears no inbox but its session's own", async () => {
  const { world } = await openSessions();
  const client = await openClient("2.x", clientEnvironment(world), world.project);
  await client.call("discord_read_inbox", {});
  await recorded(world, ({ type }) => type === "ChannelOpened");
  const { id } = await world.owner(world.sandbox.channelId).send("for whoever reads this channel");
  await world.marked(id, "📥");
  const agent = await openClient("2.x", { ...clientEnvironment(world), ...agentEnvironment(world) }, world.project);
  expect((await agent.call("discord_read_inbox", {})).structured).toEqual({
    messages: [],
    unread_count: 0,
    caught_up: true,
  });
  expect((await agent.call("discord_clear_inbox", { read_only: false })).structured).toEqual({
    success: true,
    cleared_count: 0,
  });
  expect((await client.call("discord_read_inbox", {})).structured).toMatchObject({ unread_count: 1 });
  open(world, "gate");
});

test("a capability ends with its agent: what the agent left behind reaches nobody", async () => {
  const { world, own, id } = await openSessions({ limits: { idle_agents: 0 } });
  // Without the mark by which whatever a job leaves is found and ended.
  const { BELLHOP_JOB: _mark, ...left } = agentEnvironment(world);
  const client = await openClient("2.x", { ...clientEnvironment(world), ...left }, world.project);
  expect((await client.call("discord_notify", { message: "while it runs" })).isError).toBeFalsy();
  open(world, "gate");
  await world.marked(id, "✅");
  // The sign may come while the agent still ends.
  await learnt(world, "gone");
  const late = await client.call("discord_notify", { message: "after it" });
  expect(late).toMatchObject({ isError: true });
  expect(JSON.stringify(world.said(own))).not.toContain("after it");
});

test("a channel's client writes only in threads of that channel, and in no session's", async () => {
  const { world, other } = await openSessions();
  const client = await openClient("2.x", clientEnvironment(world), world.project);
  const { thread, answer } = await ask(world, client);
  expect((await client.call("discord_notify", { message: "same matter", thread_id: thread })).structured).toMatchObject(
    { thread_id: thread },
  );
  await world.owner(thread).send("A");
  await answer;
  const { id: elsewhere } = await world.owner(world.sandbox.addChannel("random")).createThread("elsewhere");
  for (const thread_id of [other, elsewhere]) {
    expect(await client.call("discord_notify", { message: "not mine", thread_id })).toMatchObject({ isError: true });
    expect(
      await client.call("discord_ask_decision", { question: "not mine?", context: "", options: [], thread_id }),
    ).toMatchObject({ isError: true });
    expect(JSON.stringify(world.said(thread_id))).not.toContain("not mine");
  }
  // Nor by having a session's thread for its channel.
  const disguised = await openClient("2.x", { ...clientEnvironment(world), DISCORD_CHANNEL_ID: other }, world.project);
  for (const [tool, args] of [
    ["discord_notify", { message: "not mine" }],
    ["discord_report_progress", { title: "not mine", summary: "at all" }],
  ] as const) {
    expect(await disguised.call(tool, args)).toMatchObject({
      isError: true,
      text: expect.stringContaining("DISCORD_CHANNEL_ID") as string,
    });
  }
  expect(JSON.stringify(world.said(other))).not.toContain("not mine");
  open(world, "gate");
});
