/** One thread, three agents: each keeps its own conversation, and what each tells is told alike. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { open } from "./workshop.ts";
import { answered, openSession, openWorld, type World } from "./world.ts";

const tools = ["claude", "codex", "gemini"] as const;

async function change(world: World, thread: string, tool: string): Promise<void> {
  await (await world.owner(thread).slash("tool", { tool })).answer();
}

test("going back to a tool takes its own conversation up again, and the job that runs keeps the tool it began with", async () => {
  const { world, thread } = await openSession({ tools, unlimited: true });
  const answers: string[] = [];
  const ask = async (prompt: string, answer: string): Promise<void> => {
    await world.owner(thread).send(prompt);
    answers.push(answer);
    await answered(world, thread, answers);
  };
  await ask("echo:one", "one");
  await change(world, thread, "codex");
  await ask("echo:two", "two");
  await change(world, thread, "gemini");
  await ask("echo:three", "three");
  await change(world, thread, "claude");
  await ask("hist:", 'HISTORY ["echo:one"]');
  await change(world, thread, "codex");
  await ask("hist:", 'HISTORY ["echo:two"]');
  await change(world, thread, "gemini");
  await ask("hist:", 'HISTORY ["echo:three"]');
  const starts = world.agentStarts();
  expect(starts.map(({ tool }) => tool)).toEqual(["claude", "codex", "gemini", "claude", "codex", "gemini"]);
  expect(starts.slice(0, 3).map(({ resumed }) => resumed)).toEqual([undefined, undefined, undefined]);

  await world.owner(thread).send("until:now");
  await world.agents(7);
  await change(world, thread, "claude");
  await world.owner(thread).send("echo:last");
  open(world, "now");
  answers.push("now is over", "last");
  await answered(world, thread, answers);
  expect(
    world
      .agentStarts()
      .slice(6)
      .map(({ tool }) => tool),
  ).toEqual(["gemini", "claude"]);
});

test("what a conversation of Codex has used is counted from its beginning, and each job is told its own share", async () => {
  const { world, thread } = await openSession({ tools: ["codex"], unlimited: true });
  await world.owner(thread).send("echo:one");
  await answered(world, thread, ["one"]);
  const { id } = await world.owner(thread).send("echo:two");
  await answered(world, thread, ["one", "two"]);
  // The answer is seen before the job's end is told.
  await world.marked(id, "✅");
  const lines = readFileSync(join(world.stateDir, "events.ndjson"), "utf8").trim().split("\n");
  const ends = lines
    .map((line) => JSON.parse(line) as { type: string; payload: { usage: unknown } })
    .filter(({ type }) => type === "JobCompleted");
  expect(ends.map(({ payload }) => payload.usage)).toMatchObject([
    { input_tokens: 12, output_tokens: 34 },
    { input_tokens: 12, output_tokens: 34 },
  ]);
});

test("whichever of them fails once before anything was done is tried once more, and words among its lines do no harm", async () => {
  const world = await openWorld({ tools, unlimited: true, config: { limits: { global_max_running: 3 } } });
  await world.daemon().ready;
  const noise = "noise:{ not a line: of any protocol }";
  const threads: string[] = [];
  for (const tool of tools) {
    const thread = await world.session();
    await change(world, thread, tool);
    threads.push(thread);
  }
  for (const thread of threads) await world.owner(thread).send(`flaky:${thread}`);
  for (const thread of threads) {
    await answered(world, thread, [thread]);
    await world.owner(thread).send(noise);
  }
  for (const [at, thread] of threads.entries()) {
    await answered(world, thread, [thread, "heard through the noise"]);
    const starts = world.agentStarts().filter(({ tool }) => tool === tools[at]);
    expect(starts.map(({ prompt }) => prompt)).toEqual([`flaky:${thread}`, `flaky:${thread}`, noise]);
  }
});

test("each one's usage limit parks its thread with the job not lost, and after a tool has run the job fails instead", async () => {
  const world = await openWorld({ tools, unlimited: true, config: { limits: { global_max_running: 3 } } });
  await world.daemon().ready;
  for (const tool of tools) {
    const thread = await world.session();
    await change(world, thread, tool);
    const early = await world.owner(thread).send(`limit:7200 ${tool}`);
    const notice = await world.saying(thread, (said) =>
      said.find(({ components }) => JSON.stringify(components ?? []).includes("unpark:")),
    );
    const [customId = ""] = /unpark:\w+/.exec(JSON.stringify(notice.components)) ?? [];
    await (await world.owner(thread).clickButton(notice.id, customId)).acknowledged();
    await world.marked(early.id, "✅");
    const late = await world.owner(thread).send(`late:7200 ${tool}`);
    await world.marked(late.id, "❌");
  }
  const prompts = world.agentStarts().map(({ prompt }) => prompt);
  expect(prompts).toEqual(tools.flatMap((tool) => [`limit:7200 ${tool}`, `limit:7200 ${tool}`, `late:7200 ${tool}`]));
});

test.each([
  ["codex", "shell", '{"codex":["-s","workspace-write"]}'],
  ["gemini", "run_shell_command", '{"gemini":["--approval-mode","auto_edit"]}'],
])(
  "%s, which only reads, has its end say how to let it write where something was refused",
  async (tool, name, args) => {
    const { world, thread } = await openSession({ tools: [tool], unlimited: true });
    const ends = (): string[] =>
      world.said(thread).flatMap(({ content, embeds }) => {
        const text = [content, ...embeds.map(({ description }) => description)].join("\n");
        return text.includes("✅") ? [text.replaceAll("\\", "")] : [];
      });
    await world.marked((await world.owner(thread).send("tool:Write")).id, "✅");
    await world.marked((await world.owner(thread).send("deny:Write")).id, "✅");
    const [whole = "", refused = ""] = await world.saying(thread, () => (ends().length === 2 ? ends() : undefined));
    expect(whole).toContain("could only read here");
    expect(whole).not.toContain(args);
    expect(refused).toContain(`not allowed: ${name}`);
    expect(refused.split(`To let it write, give the project these arguments`)).toHaveLength(2);
    expect(refused).toContain(args);
  },
);
