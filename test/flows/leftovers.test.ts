/** What a kill leaves of files that were being replaced is gone after the next start, wherever Bellhop keeps files. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { AskPart } from "../../src/protocol/mcp.ts";
import { mirror, openAsker, promptOf } from "./mcp/asker.ts";
import { inFolder, openWorld } from "./world.ts";

test("half-written files of a killed daemon are removed; those of others stay", async () => {
  const world = await openWorld({ agent: "none" });
  const first = world.daemon();
  await first.ready;
  const parts: AskPart[] = [];
  const asked = (await openAsker(world)).ask({ question: "Still there?" }, { parts });
  await promptOf(world, "Still there?");
  const id = parts[0]?.question_id ?? "";
  await mirror(world, id, "pending");
  await first.kill("SIGKILL");
  const pending = join(world.home, ".claude", "pending_decisions");
  const left = (folder: string, name: string): string => join(folder, `.${name}.0123456789abcdef.tmp`);
  const ours = [
    left(world.stateDir, "snapshot.json"),
    left(world.stateDir, "config.json"),
    ...["decisions", "results", "configurations", "hooks", "hooks/adopted"].map((folder) =>
      left(join(world.stateDir, folder), "one"),
    ),
    left(pending, `${id}.json`),
    left(dirname(pending), "discord_inbox.json"),
  ];
  const others = [
    left(pending, "other_20260301_abc123.json"),
    left(dirname(pending), "settings.json"),
    join(world.stateDir, "notes.tmp"),
  ];
  writeFileSync(join(dirname(pending), "discord_inbox.json"), "{}");
  for (const path of [...ours, ...others]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "half");
  }
  await world.daemon().ready;
  for (const path of ours) await inFolder(dirname(path), () => !existsSync(path));
  expect(others.filter((path) => !existsSync(path))).toEqual([]);
  await world.owner(await promptOf(world, "Still there?")).send("yes, it is");
  expect(await asked).toMatchObject({ success: true, answer: "yes, it is" });
});

test("questions that an agent has cancelled do not keep it from asking, and can still be answered", async () => {
  const world = await openWorld({ agent: "none", unlimited: true });
  await world.daemon().ready;
  const agent = await openAsker(world);
  const first = new AbortController();
  const parts: AskPart[] = [];
  const cancelled = agent.ask({ question: "Question 0?" }, { signal: first.signal, parts }).catch(() => "cancelled");
  for (let n = 1; n < 32; n += 1) void agent.ask({ question: `Question ${n}?` }).catch(() => undefined);
  await promptOf(world, "Question 31?");
  await expect(agent.ask({ question: "Question 32?" })).rejects.toMatchObject({ code: "E_TOO_MANY_QUESTIONS" });
  first.abort();
  expect(await cancelled).toBe("cancelled");
  await mirror(world, parts[0]?.question_id ?? "", "disconnected");
  void agent.ask({ question: "Question 32?" }).catch(() => undefined);
  await promptOf(world, "Question 32?");
  expect((await agent.pending()).pending_questions.map(({ question }) => question)).toContain("Question 0?");
});
