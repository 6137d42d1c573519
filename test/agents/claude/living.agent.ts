/**
 * The real Claude Code, living: prompt after prompt in one process, interrupted, put to sleep and woken, and what it
 * does by itself between two prompts.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { claudeDriver } from "../../../src/agents/claude/driver.ts";
import type { Agent, Turn } from "../../../src/agents/contract/driver.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { isAlive, systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { openProcesses } from "../../../src/host/processes/processes.ts";
import { programOf } from "../bench.ts";
import { all, only, silentLog, textOf } from "../stage.ts";
import { keyOf, openLivingBench, say } from "./living-bench.ts";

const { environment, home, left, model, open, project } = await openLivingBench();

it("takes the next prompt in the same process, and the model sees the earlier turn", async () => {
  const agent = await open();
  expect((await all(say(agent, "echo:one"))).at(-1)).toMatchObject({ outcome: "done", result: "one" });
  const updates = await all(say(agent, "hist:"));
  expect(updates.at(-1)).toMatchObject({ outcome: "done", result: 'HISTORY ["user:echo:one","assistant:one"]' });
  expect(textOf(updates)).toBe('HISTORY ["user:echo:one","assistant:one"]');
  expect(left().filter(({ parent }) => parent === process.pid)).toHaveLength(1);
});

it("sleeps and wakes in its conversation, and nothing of it is left meanwhile", async () => {
  const first = await open();
  const key = keyOf(await all(say(first, "echo:one")));
  await first.close();
  expect(isAlive(systemProcessTable(), first.process!)).toBe(false);
  const second = await open(key);
  expect((await all(say(second, "hist:"))).at(-1)).toMatchObject({
    outcome: "done",
    result: 'HISTORY ["user:echo:one","assistant:one"]',
  });
});

/** It speaks, is cancelled, and takes the next prompt. */
async function interrupts(agent: Agent, turn: Turn): Promise<void> {
  const updates: Update[] = [];
  for await (const update of turn.updates) {
    updates.push(update);
    if (update.kind === "text") void turn.cancel();
  }
  expect(updates.at(-1)).toEqual({ kind: "end", outcome: "cancelled" });
  expect(textOf(updates)).toMatch(/^chunk1 /);
  expect((await all(say(agent, "echo:again"))).at(-1)).toMatchObject({ outcome: "done", result: "again" });
  expect(isAlive(systemProcessTable(), agent.process!)).toBe(true);
}

describe("interrupted", () => {
  it("while it speaks, it is cancelled, its process lives on, and what it said is kept", async () => {
    const agent = await open();
    const turn = say(agent, "slow:200:50");
    await interrupts(agent, turn);
  });

  it("in the moment it is prompted, it is cancelled too", async () => {
    const agent = await open();
    await all(say(agent, "echo:one"));
    const turn = say(agent, "slow:200:50");
    void turn.cancel();
    expect((await all(turn)).at(-1)).toEqual({ kind: "end", outcome: "cancelled" });
    expect((await all(say(agent, "echo:again"))).at(-1)).toMatchObject({ outcome: "done", result: "again" });
  });

  it("while it asks, it is cancelled, and withdraws its request", async () => {
    const agent = await open();
    const turn = say(agent, `tool:bash:touch ${join(project, "never")}`);
    const updates: Update[] = [];
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind === "permission") void turn.cancel();
    }
    const [asked] = only(updates, "permission");
    expect(only(updates, "withdrawn")).toEqual([{ kind: "withdrawn", id: asked?.id }]);
    expect(updates.at(-1)).toEqual({ kind: "end", outcome: "cancelled" });
    expect((await all(say(agent, "echo:again"))).at(-1)).toMatchObject({ outcome: "done", result: "again" });
  });
});

it(
  "what it left in the background ends later as a turn of its own, which takes no prompt's place",
  { timeout: 60_000 },
  async () => {
    const agent = await open();
    const turn = say(
      agent,
      'call:Bash:{"command":"sleep 2; echo background-finished","run_in_background":true,"description":"bg"}',
    );
    for await (const update of turn.updates)
      if (update.kind === "permission") void turn.answer(update.id, { kind: "allow", input: update.input });
    expect(agent.background).toHaveLength(1);
    const updates = await all(await first(agent.between));
    expect(updates.at(-1)).toMatchObject({ kind: "end", outcome: "done" });
    expect(textOf(updates)).not.toBe("");
    expect(agent.background).toEqual([]);
    expect((await all(say(agent, "echo:after"))).at(-1)).toMatchObject({ outcome: "done", result: "after" });
  },
);

describe("what it does by itself", () => {
  /** The turn that it begins when its work in the background is over; the notice of that says what the model does. */
  async function byItself(agent: Agent, directive: string): Promise<Turn> {
    const turn = say(
      agent,
      `call:Bash:${JSON.stringify({ command: "sleep 1; echo over", run_in_background: true, description: `so ${directive}` })}`,
    );
    for await (const update of turn.updates)
      if (update.kind === "permission") void turn.answer(update.id, { kind: "allow", input: update.input });
    return first(agent.between);
  }

  it("is interrupted like any other turn, and its process lives on", { timeout: 60_000 }, async () => {
    const agent = await open();
    const turn = await byItself(agent, "slow:200:50:");
    await interrupts(agent, turn);
  });

  it("takes in what is said to it meanwhile, at the end of a tool", { timeout: 60_000 }, async () => {
    const agent = await open();
    const turn = await byItself(agent, "tool:bash:sleep 2; echo done #");
    let steered: Promise<unknown> | null = null;
    for await (const update of turn.updates) {
      if (update.kind === "permission") void turn.answer(update.id, { kind: "allow", input: update.input });
      if (update.kind === "tool_started")
        steered = turn.steer!({ text: "Mind the bullaces.", counters: null, log: silentLog });
    }
    expect(await steered).toEqual({ kind: "taken", by: turn });
    expect(JSON.stringify(model.asked.at(-1)?.body["messages"]).split("bullaces")).toHaveLength(2);
  });

  it(
    "ends where it takes up a prompt that was written in the same moment, and that is answered",
    { timeout: 30_000 },
    async () => {
      const agent = await open();
      const turn = await byItself(agent, "tool:bash:sleep 2; echo done #");
      let next: Turn | null = null;
      for await (const update of turn.updates) {
        if (update.kind === "permission") void turn.answer(update.id, { kind: "allow", input: update.input });
        if (update.kind === "tool_started") next = say(agent, "Mind the greengages.");
      }
      expect((await all(next!)).at(-1)).toMatchObject({ outcome: "done", result: "AFTER_TOOL done" });
      expect(JSON.stringify(model.asked.at(-1)?.body["messages"]).split("greengages")).toHaveLength(2);
      expect((await all(say(agent, "echo:again"))).at(-1)).toMatchObject({ outcome: "done", result: "again" });
    },
  );

  it("ends at a usage limit, which says when it lifts", { timeout: 60_000 }, async () => {
    const plan = await openLivingBench({ CLAUDE_CODE_OAUTH_TOKEN: "test-token" });
    const before = Date.now();
    const agent = await plan.open();
    const end = (await all(await byItself(agent, "limit:4000"))).at(-1);
    expect(end).toMatchObject({ kind: "end", outcome: "failed", code: "E_USAGE_LIMIT" });
    expect(end?.kind === "end" && end.outcome === "failed" && Number(end.details["resets_at"])).toBeGreaterThanOrEqual(
      before + 3_999_000,
    );
    expect((await all(say(agent, "echo:again"))).at(-1)).toMatchObject({ outcome: "done", result: "again" });
  });
});

describe("asks its owner though the user's own settings would let it act unasked", () => {
  /** A turn that wants to write a file, and is refused it. */
  async function writes(agent: Agent, name: string): Promise<Update[]> {
    const turn = say(agent, `call:Write:${JSON.stringify({ file_path: join(project, name), content: "x" })}`);
    const updates: Update[] = [];
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind === "permission") void turn.answer(update.id, { kind: "deny", message: "no" });
    }
    return updates;
  }

  async function prefers(defaultMode: string): Promise<void> {
    await mkdir(join(home, ".claude"), { recursive: true });
    await writeFile(
      join(home, ".claude", "settings.json"),
      JSON.stringify({ permissions: { defaultMode }, skipDangerousModePermissionPrompt: true }),
    );
  }

  it.each(["acceptEdits", "auto", "bypassPermissions"])("%s, when it is opened and when it is woken", async (mode) => {
    await prefers(mode);
    const first = await open();
    const updates = await writes(first, `${mode}.txt`);
    expect(only(updates, "permission")).toMatchObject([{ tool: "Write" }]);
    await first.close();
    expect(only(await writes(await open(keyOf(updates)), `${mode}-again.txt`), "permission")).toMatchObject([
      { tool: "Write" },
    ]);
  });

  // It refuses to begin with bypassPermissions as root, so that mode is not tried here.
  it("also where its command drops the mode that it is given: it is set back before it acts", async () => {
    const mode = "acceptEdits";
    await prefers(mode);
    const wrapper = join(home, "wrapped");
    const drops =
      'for one do shift; case "$one" in --permission-mode) drop=1;; *) [ -n "$drop" ] && drop= || set -- "$@" "$one";; esac; done';
    await writeFile(wrapper, `#!/bin/sh\n${drops}\nexec '${programOf("claude")}' "$@"\n`, { mode: 0o755 });
    const wrapped = claudeDriver({
      processes: openProcesses(),
      clock: systemClock,
      env: environment("probe"),
      command: [wrapper],
    });
    const agent = await wrapped.open({
      cwd: project,
      args: [],
      folders: [],
      key: null,
      env: environment(`agent_wrapped_${mode}`),
      log: silentLog,
    });
    onTestFinished(() => agent.close());
    const updates = await writes(agent, `${mode}-wrapped.txt`);
    expect(only(updates, "permission")).toMatchObject([{ tool: "Write" }]);
  });
});

it("has spoken to nobody but the model, and nothing of it is left", async () => {
  expect(model.asked.length).toBeGreaterThan(0);
  expect(left()).toEqual([]);
});

async function first(turns: AsyncIterable<Turn>): Promise<Turn> {
  for await (const turn of turns) return turn;
  throw new Error("it is gone");
}
