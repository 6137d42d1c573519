/** A conversation that was begun in a terminal goes on in a thread of its own, where it was, and in one thread only. */
import { randomUUID } from "node:crypto";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasTmux, openDesk, started } from "./desk.ts";
import { journalOf } from "./journal.ts";
import { descriptionOf, learnt, recorded, repository, withButton } from "./workshop.ts";
import { answered, openWorld, unlinked, type World } from "./world.ts";

/** Writes down a conversation as Claude Code does. */
function converse(
  world: World,
  branch: string,
  prompt: string,
  said = "It is the parser.",
  id: string = randomUUID(),
): string {
  const cwd = realpathSync(world.project);
  const directory = join(world.home, ".claude", "projects", cwd.replace(/[^A-Za-z0-9]/g, "-"));
  const line = (type: string, content: unknown): string =>
    `${JSON.stringify({ type, isSidechain: false, message: { role: type, content }, cwd, gitBranch: branch, sessionId: id })}\n`;
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, `${id}.jsonl`),
    line("user", prompt) + line("assistant", [{ type: "text", text: said }]),
  );
  return id;
}

async function resume(world: World, conversation: string): Promise<string> {
  const asked = await world.owner(world.sandbox.channelId).slash("resume", { conversation });
  return unlinked(await asked.answer()).content;
}

const offered = async (world: World): Promise<unknown[]> =>
  (await world.owner(world.sandbox.channelId).autocomplete("resume", "conversation", "")).map(({ value }) => value);

test("it is offered, its thread is named after it, and the first message there resumes it, after a restart too", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  const id = converse(world, "main", "why is the parser slow");
  const first = world.daemon();
  await first.ready;
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "resume"));
  expect(await offered(world)).toEqual([`claude:${id}`]);
  const answer = await resume(world, `claude:${id}`);
  expect(answer).toContain("It continues “why is the parser slow”, last used <t:");
  expect(answer).toContain("Last answer: “It is the parser.”");
  const [thread = ""] = /\d{17,20}/.exec(answer) ?? [];
  await world.sandbox.until(({ threads }) =>
    threads().some(({ id: one, name }) => one === thread && name === "why is the parser slow"),
  );
  expect(await resume(world, id)).toBe(
    `This conversation already has a thread: <#${thread}>. Write there to continue it. \`E_CONVERSATION_IN_USE\``,
  );
  expect(await offered(world)).toEqual([]);
  expect(world.agentStarts()).toEqual([]);
  await first.kill("SIGKILL");
  await world.daemon().ready;
  await world.owner(thread).send("echo:go on");
  await answered(world, thread, ["go on"]);
  expect(world.agentStarts().map(({ prompt, resumed }) => ({ prompt, resumed }))).toEqual([
    { prompt: "echo:go on", resumed: id },
  ]);
});

test("on another branch nothing runs until its owner says how", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  const id = converse(world, "feature", "add the feature");
  await world.daemon().ready;
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "resume"));
  const answer = await resume(world, `claude:${id}`);
  expect(answer).toContain("It was on the branch **feature**.");
  const [thread = ""] = /\d{17,20}/.exec(answer) ?? [];
  const { id: message } = await world.owner(thread).send("echo:go on");
  const notice = await world.saying(thread, (said) => withButton(said, "accept"));
  expect(descriptionOf(notice)).toMatch(/Then: `feature`[^\n]*\nNow: `main` at `[0-9a-f]{10}`/);
  expect(world.agentStarts()).toEqual([]);
  const [, customId = ""] = /"(accept:[\w:]+)"/.exec(JSON.stringify(notice.components)) ?? [];
  await (await world.owner(thread).clickButton(notice.id, customId)).acknowledged();
  await world.marked(message, "✅");
  expect(world.agentStarts()).toMatchObject([{ resumed: id }]);
});

test("what was said in it is told to its owner alone, without secrets, and Bellhop's own words do not name it", async () => {
  const key = "sk-ant-api03-Abcdefghij_0123456789";
  const world = await openWorld({ unlimited: true });
  repository(world);
  const note =
    "[Note from Bellhop, which runs you, not from the user: to send the user a file, put it into /out and write [DISCORD_ATTACH: name] with its name in that folder where you speak of it.]";
  // The excerpt of it ends within the key.
  const id = converse(
    world,
    "main",
    `${note}\n\nwhat is ${key}\n\n[Files that came with this message, on this machine:]\n- /in/1.png`,
    `${"so ".repeat(95)}${key}`,
  );
  await world.daemon({ env: { ANTHROPIC_API_KEY: key } }).ready;
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "resume"));
  const choices = await world.owner(world.sandbox.channelId).autocomplete("resume", "conversation", "");
  expect(choices.map(({ name }) => name)).toEqual([expect.stringMatching(/ · what is \[redacted\]$/)]);
  const invoked = await world.owner(world.sandbox.channelId).slash("resume", { conversation: id });
  const { content } = await invoked.answer();
  expect(await invoked.ephemeral()).toBe(true);
  expect(content).toContain("It continues “what is \\[redacted\\]”");
  expect(content.replaceAll("\\", "")).not.toMatch(/sk-ant/);
  const [thread = ""] = /\d{17,20}/.exec(content) ?? [];
  await world.sandbox.until(({ threads }) =>
    threads().some(({ id: one, name }) => one === thread && name === "what is [redacted]"),
  );
});

test.skipIf(!hasTmux)(
  "one whose thread was deleted is not opened twice while its window stands, and can be had once that is closed",
  async () => {
    const { world } = await openDesk();
    repository(world);
    await started(world);
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("count:one")).id, "✅");
    await learnt(world, "gone");
    const [key = ""] = journalOf(world).flatMap(({ type, payload }) =>
      type === "JobProgress" && payload["kind"] === "session_key"
        ? Object.values(payload["adapter_state"] as Record<string, string>)
        : [],
    );
    converse(world, "main", "count one", "did one", key);
    expect(await offered(world)).toEqual([]);
    await fetch(`${world.sandbox.api}/v10/channels/${thread}`, {
      method: "DELETE",
      headers: { authorization: world.sandbox.owner.token },
    });
    await recorded(world, ({ type }) => type === "ThreadLost");
    expect(await offered(world)).toEqual([]);
    // The daemon knows it a moment after it is on the disk.
    while ((await resume(world, key)).startsWith("This conversation already has a thread"));
    expect(await resume(world, key)).toBe(
      "This conversation is still open in a window, and the thread of that window is gone. Close the window with `/agent stop`, then continue the conversation here. `E_CONVERSATION_IN_WINDOW`",
    );
    await (await world.owner(world.sandbox.channelId).slash("agent stop", {})).answer();
    await recorded(world, ({ type }) => type === "WindowClosed");
    while ((await offered(world)).length === 0);
    expect(await offered(world)).toEqual([`tmux:${key}`]);
    expect(await resume(world, key)).toContain("It continues “count one”");
  },
);
