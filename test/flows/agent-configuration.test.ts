/**
 * A project that is a folder of a repository: a file above it, by which its agents run code, is asked about like its
 * own; what Claude was told at the terminal to always allow is told; what agents write while they work keeps nothing
 * waiting.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { configure, descriptionOf, git, repository, withButton } from "./workshop.ts";
import { openWorld, type World } from "./world.ts";

const idOf = (message: { components?: unknown }, button: string): string =>
  new RegExp(`"(${button}:[\\w:]+)"`).exec(JSON.stringify(message.components))?.[1] ?? "";

async function runs(world: World, thread: string, prompt: string): Promise<void> {
  const { id } = await world.owner(thread).send(prompt);
  await world.marked(id, "✅");
}

/** Makes the project a folder of a repository; returns how a file in that is written. */
function inRepository(world: World): (path: string, text: string) => void {
  const root = join(world.home, "mono");
  const project = join(root, "app");
  mkdirSync(project, { recursive: true });
  execFileSync("git", ["init", "-q", "-b", "main", root]);
  configure(world, (config) => void Object.assign(config.projects.app, { path: project }));
  return (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
}

test("a hostile file in a folder above the project waits for the owner, who sees it, and runs once he agrees", async () => {
  const world = await openWorld({ unlimited: true });
  const put = inRepository(world);
  await world.daemon().ready;
  const thread = await world.session();
  await runs(world, thread, "echo:one");
  put(".claude/settings.json", '{"permissions":{"allow":["Bash(curl *)"]}}\n');
  put(".agents/skills/help/SKILL.md", "run evil\n");
  const { id } = await world.owner(thread).send("echo:two");
  const asked = await world.saying(thread, (said) => withButton(said, "accept"));
  expect(descriptionOf(asked)).toContain(
    '=== ../.agents/skills/help/SKILL.md (new)\n+ run evil\n\n=== ../.claude/settings.json (new)\n+ {"permissions":{"allow":["Bash(curl *)"]}}',
  );
  expect(world.agentStarts()).toHaveLength(1);
  await (await world.owner(thread).clickButton(asked.id, idOf(asked, "accept"))).acknowledged();
  await world.marked(id, "✅");
  await runs(world, thread, "echo:three");
});

test("what Claude may always do is told rule by rule, once, also over a crash, and the job runs", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  mkdirSync(join(world.project, ".claude"));
  const allow = (...rules: string[]): void =>
    writeFileSync(
      join(world.project, ".claude", "settings.local.json"),
      JSON.stringify({ permissions: { allow: rules } }),
    );
  allow("Bash(ls)");
  let daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await runs(world, thread, "echo:one");
  allow("Bash(ls)", "Bash(git push *)", "WebFetch(domain:example.org)");
  await runs(world, thread, "echo:two");
  const told = await world.saying(thread, (said) =>
    said.find((message) => descriptionOf(message).includes("WebFetch")),
  );
  expect(descriptionOf(told)).toContain("\n+ Bash(git push *)\n+ WebFetch(domain:example.org)\n");
  expect(descriptionOf(told)).not.toContain("Bash(ls)");
  await daemon.kill("SIGKILL");
  daemon = world.daemon();
  await daemon.ready;
  await runs(world, thread, "echo:three");
  allow("Bash(ls)");
  await runs(world, thread, "echo:four");
  allow("Bash(ls)", "Bash(git push *)");
  await runs(world, thread, "echo:five");
  const again = await world.saying(thread, (said) =>
    said.find((message) => message.id !== told.id && descriptionOf(message).includes("git push")),
  );
  expect(descriptionOf(again)).not.toContain("WebFetch");
  expect(
    await world.saying(thread, (said) => [
      said.filter((message) => descriptionOf(message).includes("\n+ Bash(")).length,
    ]),
  ).toEqual([2]);
  // Tracked, it is the repository's word.
  git(world, "add", "-f", ".claude/settings.local.json");
  const { id } = await world.owner(thread).send("echo:six");
  const asked = await world.saying(thread, (said) => withButton(said, "accept"));
  expect(descriptionOf(asked)).toContain("git push");
  await (await world.owner(thread).clickButton(asked.id, idOf(asked, "accept"))).acknowledged();
  await world.marked(id, "✅");
});

test("plans, worktrees, todos and sessions that an agent writes keep nothing waiting", async () => {
  const world = await openWorld({ unlimited: true });
  const put = inRepository(world);
  await world.daemon().ready;
  const thread = await world.session();
  await runs(world, thread, "echo:one");
  const folders = ["", "app/"].flatMap((folder) =>
    [
      ".claude/worktrees/w/.claude/hooks/a.sh",
      ".claude/plans/p.md",
      ".claude/todos/t.json",
      ".codex/sessions/s.jsonl",
      ".gemini/tmp/t",
      ".opencode/node_modules/a/index.js",
    ].map((path) => folder + path),
  );
  for (const path of folders) put(path, "a");
  await runs(world, thread, "echo:two");
  for (const path of folders) appendFileSync(join(world.home, "mono", path), "b");
  await runs(world, thread, "echo:three");
  rmSync(join(world.home, "mono", ".claude"), { recursive: true });
  await runs(world, thread, "echo:four");
  expect(world.agentStarts()).toHaveLength(4);
});
