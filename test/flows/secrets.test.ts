/** The bot token is read once and is then nowhere but in the daemon's memory. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorld, tree } from "./world.ts";

test("the token is neither in the running daemon's environ nor in any descendant's environ or argv", async () => {
  const world = await openWorld();
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await world.owner(thread).send("hang:");
  await world.agents(1);
  const token = world.sandbox.botToken;
  const processes = tree(daemon.pid);
  expect(processes).toContain(world.agentStarts()[0]?.pid);
  for (const pid of processes) {
    expect(readFileSync(`/proc/${pid}/environ`, "utf8"), `environ of ${pid}`).not.toContain(token);
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8"), `argv of ${pid}`).not.toContain(token);
  }
  expect(world.agentStarts()[0]?.env.filter((name) => name.startsWith("DISCORD"))).toEqual([]);
  // Nothing that was written down holds it either.
  const files = readdirSync(world.stateDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toContain("app.ndjson");
  for (const { parentPath, name } of files) {
    expect(readFileSync(join(parentPath, name), "utf8"), name).not.toContain(token);
  }
});

test("a token the agent prints is taken out of its answer, its log and its file", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const thread = await world.session();
  await world.owner(thread).send(`echo:the token is ${world.sandbox.botToken}`);
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("the token is [redacted]")));
  const said = world.said(thread).filter(({ content }) => content.includes(world.sandbox.botToken));
  expect(said).toEqual([]);
});

test("a token the agent streams in pieces is never shown, not even for a moment", async () => {
  const world = await openWorld();
  const shown: string[] = [];
  await world.daemon().ready;
  const thread = await world.session();
  await world.owner(thread).send(`spell:${world.sandbox.botToken}`);
  await world.saying(thread, (said) => {
    shown.push(...said.map(({ content }) => content));
    return said.some(({ content }) => content.includes("[redacted] was it"));
  });
  expect(shown.some((content) => content.includes("Here it comes"))).toBe(true);
  const half = world.sandbox.botToken.slice(0, world.sandbox.botToken.length / 2);
  expect(shown.filter((content) => content.includes(half))).toEqual([]);
});

test("an argument in config.json that would take the owner's say away is not given to the agent", async () => {
  const world = await openWorld({ args: ["--dangerously-skip-permissions"] });
  await world.daemon().ready;
  const thread = await world.session();
  await world.owner(thread).send("echo:hello");
  await world.saying(thread, (said) => JSON.stringify(said).includes("E_ARGUMENT_REFUSED"));
  expect(world.agentStarts()).toEqual([]);
});
