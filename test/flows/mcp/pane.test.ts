/** In tmux the pane of a face shows that the owner is waited for, and has its own title again whatever ends the wait. */
import { expect, test } from "vitest";
import { tmuxOr } from "../../fakes/tmux.ts";
import { openWorld } from "../world.ts";
import { ask } from "./asked.ts";
import { faceEnvironment, openClient } from "./clients.ts";

const WAITS = /^⏳ Discord · \d+ s$/;

test("while a question waits, the pane says so; answered, it has its title again", async (context) => {
  const tmux = tmuxOr(context, "✳ Claude Code");
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const client = await openClient("2.x", { ...faceEnvironment(world), ...tmux.env }, world.home);
  await client.call("discord_check_pending", {});
  expect(tmux.title()).toBe("✳ Claude Code");
  const { thread, answer } = await ask(world, client);
  await tmux.titled(WAITS);
  await world.owner(thread).send("A");
  await answer;
  await tmux.titled("✳ Claude Code");
  expect(client.stderr()).toBe("");
});

test.for(["SIGKILL", "SIGTERM"] as const)("a face that is ended by %s while it waits leaves the pane its title", async (signal, context) => {
  const tmux = tmuxOr(context, "before");
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const client = await openClient("1.x", { ...faceEnvironment(world), ...tmux.env }, world.home);
  const { answer } = await ask(world, client);
  answer.catch(() => undefined);
  await tmux.titled(WAITS);
  process.kill(client.pid, signal);
  await tmux.titled("before");
});
