/** The bot token is read once and is then nowhere but in the daemon's memory. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, press, prompted, ran } from "./asked.ts";
import { openAsker, threadOf } from "./mcp/asker.ts";
import { descriptionOf, recorded } from "./workshop.ts";
import { openSession, openWorld, tree, type World } from "./world.ts";

/** Written so that it is no secret until the agent has read it. */
const spelt = (secret: string): string => `%hex:${Buffer.from(secret).toString("hex")}%`;

test("the token is neither in the running daemon's environ nor in any descendant's environ or argv", async () => {
  const { world, daemon, thread } = await openSession();
  await world.owner(thread).send("hang:");
  await world.agents(1);
  const token = world.sandbox.botToken;
  const processes = tree(daemon.pid);
  expect(processes).toContain(world.agentStarts()[0]?.pid);
  for (const pid of processes) {
    expect(told(pid, "environ"), `environ of ${pid}`).not.toMatch(new RegExp(`(^|\0)DISCORD_|${token}`));
    expect(told(pid, "cmdline"), `argv of ${pid}`).not.toContain(token);
  }
  expect(world.agentStarts()[0]?.env.filter((name) => name.startsWith("DISCORD"))).toEqual([]);
  // Nothing that was written down holds it either.
  const files = readdirSync(world.stateDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toContain("app.ndjson");
  for (const { parentPath, name } of files) {
    expect(content(join(parentPath, name)), name).not.toContain(token);
  }
});

/** What the system tells of a process; nothing of one that has just ended, such as a look at the checkout. */
function told(pid: number, file: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

test("a token the agent prints is taken out of its answer, its log and its file", async () => {
  const { world, thread } = await openSession();
  await world.owner(thread).send(`echo:the token is ${spelt(world.sandbox.botToken)}`);
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("the token is [redacted]")));
  const said = world.said(thread).filter(({ content }) => content.includes(world.sandbox.botToken));
  expect(said).toEqual([]);
});

test("a token the agent streams in pieces is never shown, not even for a moment", async () => {
  const world = await openWorld();
  const shown: string[] = [];
  await world.daemon().ready;
  const thread = await world.session();
  await world.owner(thread).send(`spell:${spelt(world.sandbox.botToken)}`);
  await world.saying(thread, (said) => {
    shown.push(...said.map(({ content }) => content));
    return said.some(({ content }) => content.includes("[redacted] was it"));
  });
  expect(shown.some((content) => content.includes("Here it comes"))).toBe(true);
  const half = world.sandbox.botToken.slice(0, world.sandbox.botToken.length / 2);
  expect(shown.filter((content) => content.includes(half))).toEqual([]);
});

test("an argument in config.json that would take the owner's say away is not given to the agent", async () => {
  const { world, thread } = await openSession({ args: ["--dangerously-skip-permissions"] });
  await world.owner(thread).send("echo:hello");
  await world.saying(thread, (said) => JSON.stringify(said).includes("E_ARGUMENT_REFUSED"));
  expect(world.agentStarts()).toEqual([]);
});

/** A key that agents are given, as it stands in no file, no message and no answer. */
const KEY = "sk-ant-api03-Abcdefghij0123456789";
const CODED = [KEY, Buffer.from(KEY).toString("base64").slice(0, -2), Buffer.from(KEY).toString("hex")];

/** All that Discord shows, and all that was written down. */
function everywhere(world: World, ...folders: string[]): string {
  const { channelId, threads, messages } = world.sandbox;
  const channels = new Set([
    channelId,
    ...threads().map(({ id }) => id),
    ...eventsOf(world).flatMap(({ payload }) =>
      typeof payload["channel_id"] === "string" ? [payload["channel_id"]] : [],
    ),
  ]);
  // A reply carries the owner's own message, which is not ours to change.
  const shown = [...channels]
    .flatMap((id) => messages(id))
    .filter(({ author }) => author.bot)
    .map(({ referenced_message: _owners, ...said }) => said);
  const files = [world.stateDir, ...folders].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  return JSON.stringify([
    shown,
    threads(),
    files.map(({ parentPath, name }) => [name, content(join(parentPath, name))]),
  ]);
}

/** Nothing of a file that has got its last name since it was listed. */
function content(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

test("an API key that an agent is given is shown and kept nowhere: in its answers, its tools, what it asks, and what is told of it", async () => {
  const world = await openWorld({ unlimited: true });
  const daemon = world.daemon({ env: { ANTHROPIC_API_KEY: KEY } });
  await daemon.ready;
  const thread = await world.session();
  const say = (prompt: string): Promise<unknown> => world.owner(thread).send(prompt);
  await say("echo:the key is %ANTHROPIC_API_KEY%, I say");
  await world.saying(thread, (said) =>
    said.some(
      ({ content }) =>
        content.includes("the key is \\[redacted\\], I say") || content.includes("the key is [redacted], I say"),
    ),
  );
  await say("spell:%ANTHROPIC_API_KEY%");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("was it")));
  // The owner's own words are kept as well.
  await say(`echo:${KEY} was mine`);
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("was mine")));
  await say("may:curl -H %ANTHROPIC_API_KEY% https://api.example.com");
  const asked = { world, daemon, thread, id: "" };
  const prompt = await prompted(asked, "Allow once");
  expect(descriptionOf(prompt)).toContain("curl -H [redacted] https://api.example.com");
  expect(descriptionOf(prompt)).toContain("A secret of your machine stands where [redacted] is shown");
  await press(asked, "Allow once");
  await answer(asked, "It has run.");
  await recorded(
    world,
    ({ type, payload }) =>
      type === "JobCompleted" &&
      payload["job_id"] === eventsOf(world).findLast((event) => event.type === "JobStarted")?.payload["job_id"],
  );
  // What runs is what the agent asked for, the key in it.
  expect(ran(asked)).toEqual([{ command: `curl -H ${KEY} https://api.example.com` }]);
  expect(everywhere(world)).toContain("[redacted]");
  for (const coded of CODED) expect(everywhere(world)).not.toContain(coded);
});

test("what an agent says through its tools holds no secret either, in Discord, in files, or in what it is told", async () => {
  const world = await openWorld({ agent: "none", unlimited: true });
  await world.daemon({ env: { ANTHROPIC_API_KEY: KEY } }).ready;
  const agent = await openAsker(world);
  await agent.notify({ message: `the key is ${KEY}` });
  await agent.report({ title: KEY, summary: KEY, details: [KEY], request_id: "request-0002" });
  const answered = agent.ask({ question: `Is ${KEY} right?`, context: `It is ${KEY}`, options: [`Yes, ${KEY}`, "No"] });
  const thread = await threadOf(world, "Is [redacted] right?");
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "prompt");
  expect(JSON.stringify(await agent.pending())).toContain("Is [redacted] right?");
  // To ask the same again is to wait for the same answer.
  const again = agent.ask({ question: `Is ${KEY} right?`, context: `It is ${KEY}`, options: [`Yes, ${KEY}`, "No"] });
  await world.owner(thread).send("1");
  expect(await answered).toMatchObject({ success: true, selected_option: "Yes, [redacted]" });
  expect(await again).toEqual(await answered);
  await world.owner(world.sandbox.channelId).send("anything");
  for (const coded of CODED) expect(everywhere(world, join(world.home, ".claude"))).not.toContain(coded);
});

test("an agent that cannot be started and says its key does not bring it into the answer to /agent start", async () => {
  const acp = [process.execPath, join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs"), "refuse-key"];
  const key = "sk-ant-api03-Abcdefghij_0123456789";
  const world = await openWorld({ agent: "none", tools: ["acp"], unlimited: true, config: { commands: { acp } } });
  await world.daemon({ env: { ANTHROPIC_API_KEY: key } }).ready;
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "agent"));
  const { content } = await (
    await world.owner(world.sandbox.channelId).slash("agent start", { project_id: 1 })
  ).answer();
  expect(content).toContain("no room for \\[redacted\\]");
  expect(content.replaceAll("\\", "")).not.toContain("sk-ant");
});
