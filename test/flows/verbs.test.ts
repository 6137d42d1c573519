/** `/new`, `/compact`, model, mode and effort: the same for every agent, and said where one cannot. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { APIMessage } from "discord-api-types/v10";
import { configure } from "./workshop.ts";
import { openSession, type Daemon, type World, type WorldOptions } from "./world.ts";

interface Talk {
  world: World;
  daemon: Daemon;
  thread: string;
  say(prompt: string, mark?: string): Promise<string>;
  slash(name: string, options?: Record<string, string>): Promise<string>;
}

async function talk(options: WorldOptions = {}): Promise<Talk> {
  const { world, daemon, thread } = await openSession(options);
  return {
    world,
    daemon,
    thread,
    async say(prompt, mark = "✅") {
      const { id } = await world.owner(thread).send(prompt);
      await world.marked(id, mark);
      return id;
    },
    async slash(name, given = {}) {
      const answer = await (await world.owner(thread).slash(name, given)).answer();
      return wordsOf(answer as APIMessage);
    },
  };
}

const wordsOf = ({ content, embeds = [] }: APIMessage): string =>
  [content, ...embeds.flatMap(({ title = "", description = "" }) => [title, description])].filter(Boolean).join("\n");
const restart = async ({ world }: Talk): Promise<void> => void (await world.daemon().ready);
const last = ({ world }: Talk): { prompt: string; argv: string[]; mode?: string; resumed?: string; pid: number } =>
  world.agentStarts().at(-1)!;
const said = ({ world, thread }: Talk): string[] => world.said(thread).map(({ content }) => content);
const settings = ({ world }: Talk): { subtype: string }[] =>
  readFileSync(join(world.home, "settings"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { subtype: string });

test("/new begins a new conversation with the next prompt, and /resume finds the old one", async () => {
  const claude = await talk();
  await claude.say("count:one");
  expect(await claude.slash("new")).toContain("The next message here begins a new conversation with **claude**.");
  await claude.say("hist:");
  expect(last(claude).resumed).toBeUndefined();
  expect(said(claude)).toContain("HISTORY []");
  const { pid } = last(claude);
  await claude.say("hist: again");
  expect(last(claude).pid).toBe(pid);
});

test("/new holds after a kill", async () => {
  const claude = await talk();
  await claude.say("count:one");
  await claude.slash("new");
  await claude.daemon.kill("SIGKILL");
  await restart(claude);
  await claude.say("count:two");
  expect(last(claude)).toMatchObject({ prompt: "count:two" });
  expect(last(claude).resumed).toBeUndefined();
});

test("/compact says by how much, and why not", async () => {
  const claude = await talk();
  await claude.say("count:one");
  await claude.slash("compact", { focus: "the tests" });
  await claude.world.saying(claude.thread, (all) =>
    all.find(({ content }) => content.includes("The conversation was made shorter: 180k → 12k tokens.")),
  );
  expect(last(claude).prompt).toBe("/compact the tests");
  await claude.say("/compact fails:Not enough messages to compact.", "❌");
  const end = await claude.world.saying(claude.thread, (all) =>
    all.find((message) => JSON.stringify(message).includes("E_NOT_COMPACTED")),
  );
  expect(wordsOf(end)).toContain("“Not enough messages to compact”");
});

test("a model, an effort and a mode hold in the process that lives, and in the next one", async () => {
  const claude = await talk();
  await claude.say("count:one");
  const { pid } = last(claude);
  expect(await claude.slash("agent model", { model_id: "haiku" })).toBe("The model was changed to `haiku`");
  expect(await claude.slash("agent model", { model_id: "gpt" })).toContain("E_MODEL_UNAVAILABLE");
  expect(await claude.slash("agent effort", { level: "high" })).toBe("The effort was changed to `high`");
  expect(await claude.slash("agent mode", { mode_id: "plan" })).toBe("The mode was changed to `plan`");
  expect(await claude.slash("agent mode", { mode_id: "acceptEdits" })).toContain("E_MODE_UNAVAILABLE");
  expect(await claude.slash("agent commands")).toContain("`/compact [words]` Free up context");
  await claude.say("count:two");
  expect(last(claude).pid).toBe(pid);
  expect(settings(claude).map(({ subtype }) => subtype)).toEqual([
    "initialize",
    "set_model",
    "apply_flag_settings",
    "get_settings",
  ]);
  await claude.daemon.kill("SIGTERM");
  await restart(claude);
  await claude.say("count:three");
  const { argv } = last(claude);
  expect(argv).toEqual(expect.arrayContaining(["--model=haiku", "--effort=high"]));
  expect(argv[argv.lastIndexOf("--permission-mode") + 1]).toBe("plan");
});

test("a mode that the file does not allow any more is left for the file's", async () => {
  const claude = await talk({ args: ["--permission-mode", "acceptEdits"] });
  await claude.say("count:one");
  await claude.slash("agent mode", { mode_id: "acceptEdits" });
  await claude.daemon.kill("SIGTERM");
  configure(claude.world, ({ projects: { app } }) => Object.assign(app, { default_args: {} }));
  await restart(claude);
  await claude.say("count:two");
  const { argv } = last(claude);
  expect(argv).not.toContain("acceptEdits");
});

test("the mode that the file names can be chosen again, and is not set back", async () => {
  const claude = await talk({ args: ["--permission-mode", "acceptEdits"] });
  await claude.say("count:one");
  expect(await claude.slash("agent mode", { mode_id: "plan" })).toContain("`plan`");
  expect(await claude.slash("agent mode", { mode_id: "acceptEdits" })).toContain("`acceptEdits`");
  await claude.say("count:two");
  await claude.say("count:three");
  expect(last(claude)).toMatchObject({ prompt: "count:three", mode: "acceptEdits" });
  expect(JSON.stringify(claude.world.said(claude.thread))).not.toContain("switched it back");
});

test("Codex is given each with every prompt, and made shorter before one; Gemini says what it cannot", async () => {
  const codex = await talk({ tools: ["codex", "gemini"] });
  await codex.say("count:one");
  expect(await codex.slash("agent model", { model_id: "gpt-7" })).toContain("applies from your next message");
  expect(await codex.slash("agent effort", { level: "high" })).toContain("applies from your next message");
  expect(await codex.slash("agent mode", { mode_id: "workspace-write" })).toContain("E_MODE_UNAVAILABLE");
  expect(await codex.slash("compact")).toContain("before your next prompt");
  await codex.say("count:two");
  expect(last(codex).argv).toEqual(
    expect.arrayContaining([
      "--model=gpt-7",
      'model_reasoning_effort="high"',
      "model_auto_compact_token_limit=1",
      "resume",
    ]),
  );
  await codex.say("count:three");
  expect(last(codex).argv).not.toContain("model_auto_compact_token_limit=1");
  await codex.slash("new");
  await codex.say("count:four");
  expect(last(codex).argv).not.toContain("resume");
  await codex.slash("tool", { tool: "gemini" });
  await codex.say("count:five");
  expect(await codex.slash("agent effort", { level: "high" })).toContain("has no such setting");
  expect(await codex.slash("compact")).toContain("E_NOT_COMPACTED");
  expect(await codex.slash("agent mode", { mode_id: "plan" })).toContain("applies from your next message");
  await codex.say("count:six");
  expect(last(codex).argv.join(" ")).toContain("--approval-mode plan");
});

test("an agent whose program has been updated is opened anew, in its conversation; one that is being replaced goes on", async () => {
  const claude = await talk();
  const program = join(claude.world.home, "bin", "claude");
  await claude.say("count:one");
  const { pid } = last(claude);
  const script = readFileSync(program);
  rmSync(program);
  await claude.say("count:two");
  expect(last(claude).pid).toBe(pid);
  writeFileSync(`${program}-next`, script, { mode: 0o755 });
  renameSync(`${program}-next`, program);
  await claude.say("hist:");
  expect(last(claude).pid).not.toBe(pid);
  expect(said(claude).at(-1)).toMatch(/^HISTORY .*count:one.*count:two/);
});
