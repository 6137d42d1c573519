/**
 * In tmux the pane of a client shows that the owner is being waited for, and gets its own title back however the wait
 * ends.
 */
import { expect, test } from "vitest";
import { tmuxOr } from "../../fakes/tmux.ts";
import { openWorld } from "../world.ts";
import { ask } from "./asked.ts";
import { clientEnvironment, openClient } from "./clients.ts";

const WAITS = /^⏳ Discord · \d+ s$/;

test("while a question waits, the pane says so; answered, it has its title again", async (context) => {
  const tmux = tmuxOr(context, "✳ Claude Code");
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const client = await openClient("2.x", { ...clientEnvironment(world), ...tmux.env }, world.home);
  await client.call("discord_check_pending", {});
  expect(tmux.title()).toBe("✳ Claude Code");
  const { thread, answer } = await ask(world, client);
  await tmux.titled(WAITS);
  await world.owner(thread).send("A");
  await answer;
  await tmux.titled("✳ Claude Code");
  expect(client.stderr()).toBe("");
});

test.for(["SIGKILL", "SIGTERM"] as const)(
  "a client that is ended by %s while it waits restores the title of its pane",
  async (signal, context) => {
    const tmux = tmuxOr(context, "before");
    const world = await openWorld({ agent: "none" });
    await world.daemon().ready;
    const client = await openClient("1.x", { ...clientEnvironment(world), ...tmux.env }, world.home);
    const { answer } = await ask(world, client);
    answer.catch(() => undefined);
    await tmux.titled(WAITS);
    process.kill(client.pid, signal);
    await tmux.titled("before");
  },
);
