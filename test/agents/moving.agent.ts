/** The real programs of one vendor go on with each other's conversations, in one thread. */
import { execFile } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test, type TestContext } from "vitest";
import { eventsOf, says } from "../flows/acceptance/stage.ts";
import { type Daemon, type World } from "../flows/world.ts";
import { agentsEnvironment, programOf } from "./bench.ts";
import { openReal } from "./real-world.ts";
import { openDesk } from "./tmux/desk.ts";

interface Place {
  world: World;
  start(): Promise<Daemon>;
}

/** A window needs the terminal it is drawn on. */
const openPlace = (tools: [string, ...string[]], context: TestContext): Promise<Place> =>
  tools.includes("tmux") ? openDesk(context, {}, [], { tools }) : openReal(tools);

/** Resolves when the model was given this conversation, as it says itself. */
async function remembers(world: World, thread: string, conversation: readonly string[]): Promise<void> {
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  const words = JSON.stringify(conversation).slice(1, -1);
  await world.saying(thread, (said) => said.some(({ content }) => content.includes(words)));
}

async function moved(world: World, thread: string, to: string): Promise<void> {
  expect(await says(world, thread, "tool", { tool: to })).toContain("The conversation goes along");
}

describe("a conversation moves and comes back", () => {
  test.for([
    ["claude", "claude-agent-acp"],
    ["claude-agent-acp", "claude"],
    ["codex", "codex-acp"],
    ["codex-acp", "codex"],
    ["gemini", "gemini-acp"],
    ["gemini-acp", "gemini"],
    ["tmux", "claude"],
    ["claude", "tmux"],
    ["tmux", "claude-agent-acp"],
    ["claude-agent-acp", "tmux"],
    ["tmux", "claude", "claude-agent-acp"],
  ] as const)("%j", async (tools, context) => {
    const { world, start } = await openPlace([...tools], context);
    const daemon = await start();
    const thread = await world.session();
    const conversation: string[] = [];
    for (const tool of tools) {
      if (conversation.length > 0) await moved(world, thread, tool);
      await world.marked((await world.owner(thread).send(`echo:with ${tool}`)).id, "✅");
      conversation.push(`user:echo:with ${tool}`, `assistant:with ${tool}`);
    }
    await moved(world, thread, tools[0]);
    await remembers(world, thread, conversation);
    expect(
      eventsOf(world)
        .filter(({ type }) => type === "ToolChanged")
        .map(({ payload }) => typeof payload["carried"]),
    ).toEqual(tools.map(() => "object"));
    await daemon.kill("SIGTERM");
  });
});

describe("a conversation that moved and is gone fails as one that is resumed, and the next message begins anew", () => {
  test.for([
    ["claude", "claude-agent-acp", ".claude/projects"],
    ["claude-agent-acp", "claude", ".claude/projects"],
    ["codex", "codex-acp", ".codex/sessions"],
    ["gemini", "gemini-acp", ".gemini/tmp"],
    ["claude", "tmux", ".claude/projects"],
  ] as const)("%s → %s", async ([from, to, store], context) => {
    const { world, start } = await openPlace([from, to], context);
    const before = await start();
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("echo:violet")).id, "✅");
    // A daemon that stops has ended its agents: none of them writes the conversation down again.
    await before.kill("SIGTERM");
    for (const name of readdirSync(join(world.home, store))) rmSync(join(world.home, store, name), { recursive: true });
    const daemon = await start();
    await moved(world, thread, to);
    await world.marked((await world.owner(thread).send("echo:lost")).id, "❌");
    await world.saying(thread, (said) => JSON.stringify(said).includes("E_RESUME_UNKNOWN"));
    await world.marked((await world.owner(thread).send("hist:")).id, "✅");
    await world.saying(thread, (said) =>
      said.some(({ content }) => content.includes("HISTORY") && !content.includes("violet")),
    );
    expect(
      eventsOf(world)
        .filter(({ type }) => type === "JobFailed")
        .map(({ payload }) => payload["error_code"]),
    ).toEqual(["E_RESUME_UNKNOWN"]);
    await daemon.kill("SIGTERM");
  });
});

describe("a conversation of the agent's own program, begun without Bellhop, goes on in a thread with all that was said", () => {
  test.for([
    ["claude", ["-p", "echo:from the terminal"], "claude"],
    ["claude", ["-p", "echo:from the terminal"], "claude-agent-acp"],
    ["codex", ["exec", "--skip-git-repo-check", "echo:from the terminal"], "codex"],
    ["gemini", ["-p", "echo:from the terminal"], "gemini"],
  ] as const)("%s %j → %s", async ([program, args, tool]) => {
    const { world, model, start } = await openReal([tool]);
    const env = {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: world.home,
      LANG: "C.UTF-8",
      TMPDIR: world.home,
      GEMINI_CLI_NO_RELAUNCH: "true",
      ...agentsEnvironment(model),
    };
    const said = promisify(execFile)(programOf(program), args, { cwd: world.project, env, timeout: 60_000 });
    // Codex waits for its end.
    said.child.stdin?.end();
    await said;
    const daemon = await start();
    const here = world.owner(world.sandbox.channelId);
    await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "resume"));
    const [offered] = await here.autocomplete("resume", "conversation", "");
    expect(offered).toMatchObject({
      name: expect.stringContaining(" · echo:from the terminal") as string,
      value: expect.stringMatching(new RegExp(`^${tool}:`)) as string,
    });
    const { content } = await (await here.slash("resume", { conversation: String(offered?.value) })).answer();
    expect(content).toContain("Last answer: “from the terminal”");
    await remembers(world, /\d{17,20}/.exec(content)?.[0] ?? "", [
      "user:echo:from the terminal",
      "assistant:from the terminal",
    ]);
    await daemon.kill("SIGTERM");
  });
});
