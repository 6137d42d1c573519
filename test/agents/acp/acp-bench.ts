/** What the real agents that speak ACP have in common at the driver: the laws that each of them is held to. */
import { readdir } from "node:fs/promises";
import { expect, it } from "vitest";
import { acpDriver } from "../../../src/agents/acp/driver.ts";
import type { Driver } from "../../../src/agents/contract/driver.ts";
import { actIn, bytesOf } from "../../../src/core/decisions/review-text.ts";
import type { Act } from "../../../src/core/decisions/shapes.ts";
import type { Processes } from "../../../src/host/processes/processes.ts";
import type { ProcessDriverOptions } from "../../../src/agents/process/process-driver.ts";
import type { Update, TurnUsage } from "../../../src/agents/contract/updates.ts";
import { type Bench, onFirst } from "../bench.ts";
import { only, textOf } from "../stage.ts";

/** What went over the wire with the agents of one bench, line by line. */
const wire: { sent: Record<string, unknown>[]; got: string } = { sent: [], got: "" };

export const driverOf =
  (command: readonly string[]) =>
  ({ processes, clock, env }: ProcessDriverOptions): Driver =>
    acpDriver({ processes: overheard(processes), clock, tool: "acp", commands: [command], env, version: "0.0.0" });

function overheard(processes: Processes): Processes {
  const spawn: Processes["spawn"] = (request) => {
    const child = processes.spawn({
      ...request,
      onStdout(chunk) {
        wire.got += chunk.toString();
        request.onStdout?.(chunk);
      },
    });
    const { input } = child;
    const write = input?.write.bind(input);
    if (input && write) {
      input.write = (text) => {
        wire.sent.push(JSON.parse(text) as Record<string, unknown>);
        return write(text);
      };
    }
    return child;
  };
  return { ...processes, spawn };
}

/** What the sentences say that it asks for; null: it has no known shape. */
export function actsIn(updates: readonly Update[], cwd: string): (Act | null)[] {
  return only(updates, "permission").map(({ tool, input }) => actIn(bytesOf({ tool, call: input }), cwd));
}

/** The kinds of the options that we have chosen so far. */
function chosen(): unknown[] {
  const options = wire.got
    .split("\n")
    .flatMap((line) =>
      line.includes('"session/request_permission"')
        ? (JSON.parse(line) as { params: { options: { optionId: string; kind: string }[] } }).params.options
        : [],
    );
  return wire.sent.flatMap(({ result }) => {
    const { optionId } = (result as { outcome?: { optionId?: string } } | undefined)?.outcome ?? {};
    return optionId === undefined ? [] : [options.find((option) => option.optionId === optionId)?.kind];
  });
}

export interface Particulars {
  /** The prompt with which the model has the agent run this command, for which it has to ask. */
  acting?(command: string): string;
  /** Whether it is a program that runs another one, which is the agent proper. */
  isAdapter?: boolean;
  /** What it makes of an answer that breaks off; null where it asks for that again for longer than a test may wait. */
  cut: object | null;
}

export function keepsTheContract(
  { ask, converse, left, model, project }: Bench,
  { acting = (command) => `tool:bash:${command}`, isAdapter = false, cut }: Particulars,
): void {
  it("answers what the model said, as it was streamed", async () => {
    const { updates, end, key } = await ask("echo:the first turn");
    expect(end).toEqual({ kind: "end", outcome: "done", result: "the first turn" });
    expect(textOf(updates)).toBe("the first turn");
    expect(key).toBeDefined();
    expect(left()).toEqual([]);
  });

  it("runs what is allowed, once", async () => {
    const { updates, end } = await ask(acting("touch allowed && ls"), {
      on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "allow", input: {} })),
    });
    expect(only(updates, "permission")).toMatchObject([{ title: expect.stringContaining("touch allowed") as string }]);
    expect(await readdir(project)).toContain("allowed");
    expect(end).toMatchObject({ outcome: "done", result: textOf(updates) });
    expect(chosen().at(-1)).toBe("allow_once");
    expect(textOf(updates)).toMatch(/^(?:Running a command\.|Calling exec_command)\n\nAFTER_TOOL /);
  });

  it("does not run what is refused", async () => {
    const { updates, end } = await ask(acting("touch refused && ls"), {
      on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "deny", message: "no" })),
    });
    expect(await readdir(project)).not.toContain("refused");
    expect(only(updates, "denied")).toHaveLength(1);
    expect(chosen().at(-1)).toBe("reject_once");
    expect(end).toMatchObject({ outcome: "done" });
  });

  it("does not run what it asked for when it is cancelled", async () => {
    const { end } = await ask(acting("touch cancelled && ls"), {
      on: onFirst("permission", (run) => void run.cancel()),
    });
    expect(end).toEqual({ kind: "end", outcome: "cancelled" });
    expect(await readdir(project)).not.toContain("cancelled");
    expect(left()).toEqual([]);
  });

  it("says once of each failure of the model what it was, and goes on", async () => {
    const { say, close } = await converse();
    const ends: unknown[] = [];
    for (const prompt of ["error:400", "error:429", "error:500"]) {
      const { updates, end } = await say(prompt);
      ends.push(end);
      expect(textOf(updates)).toBe("");
    }
    if (cut !== null) ends.push((await say("cut:3")).end);
    const next = (await say("echo:and on")).end;
    await close();
    expect(ends).toMatchObject([
      { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { status: 400 } },
      { outcome: "failed", code: "E_USAGE_LIMIT", details: { status: 429 } },
      { outcome: "failed", code: "E_SERVICE_BUSY" },
      ...(cut === null ? [] : [cut]),
    ]);
    expect(next).toMatchObject({ outcome: "done", result: "and on" });
  });

  it.each(isAdapter ? ["it", "what it runs"] : ["it"])(
    "killed (%s) has failed, and leaves no process",
    async (which) => {
      const before = model.asked.length;
      const asking = ask("hang:");
      await model.until(before + 1);
      const rows = left();
      const own = rows.find(({ parent }) => !rows.some(({ pid }) => pid === parent))!;
      // What it runs may run something for a moment beside its agent.
      const killed = which === "it" ? [own] : rows.filter(({ parent }) => parent === own.pid);
      expect(killed.length).toBeGreaterThan(0);
      for (const { pid } of killed) if (left().some((one) => one.pid === pid)) process.kill(pid, "SIGKILL");
      expect((await asking).end).toMatchObject({ outcome: "failed", code: "E_CLI_EXIT_NONZERO" });
      expect(left()).toEqual([]);
    },
  );

  it("that is to go on with a conversation nobody knows says so", async () => {
    expect((await ask("echo:x", { key: "11111111-2222-3333-4444-555555555555" })).end).toMatchObject({
      outcome: "failed",
      code: "E_RESUME_UNKNOWN",
    });
  });
}

export function goesOn({ ask }: Bench): void {
  it("goes on where its session was", async () => {
    const first = await ask("echo:remember this");
    const second = await ask("hist:", { key: first.key! });
    expect(second.end).toMatchObject({
      outcome: "done",
      result: expect.stringContaining("echo:remember this") as string,
    });
  });
}

/** With an agent that tells what a conversation has cost so far. */
export function tellsCosts({ ask, converse }: Bench): void {
  it("tells what each turn has cost, of a process that lives and of a new one", async () => {
    const living = await converse();
    const first = await living.say("echo:one");
    const second = await living.say("echo:two");
    await living.close();
    const third = await ask("echo:three", { key: first.key!, counters: usageOf(second.updates).counters ?? null });
    const all = [first, second, third].map(({ updates }) => usageOf(updates));
    const whole = all[2]?.counters?.["conversation_cost_usd"] ?? 0;
    expect(whole).toBeGreaterThan(0);
    expect(all.reduce((sum, { cost }) => sum + (cost?.amount ?? 0), 0)).toBeCloseTo(whole, 6);
    for (const { cost } of all) expect(cost?.amount).toBeGreaterThan(0);
    expect(usageOf((await ask("echo:four", { key: first.key! })).updates)).not.toHaveProperty("cost");
  });
}

function usageOf(updates: readonly Update[]): TurnUsage {
  return Object.assign({}, ...only(updates, "usage").map(({ usage }) => usage)) as TurnUsage;
}

/**
 * Without its owner's yes nothing runs, whatever stands in the owner's own files or in the agent's command: not in a
 * new session, not in one that is resumed, and not in one that wakes in the mode that was told of it.
 * @param reopened how often its session is opened again; the last time it wakes
 */
export function asksAnyway({ converse, project }: Bench, prompt: string, { reopened = 2 } = {}): void {
  it("that would not ask by its own settings asks, new and whenever it is opened again", async () => {
    const before = await readdir(project);
    let asked: Parameters<Bench["converse"]>[0] = {};
    for (let opened = 0; opened <= reopened; opened++) {
      const conversation = await converse(asked);
      const { updates, key = null } = await conversation.say(prompt, {
        on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "deny", message: "no" })),
      });
      await conversation.close();
      expect(only(updates, "permission")).toHaveLength(1);
      const mode = only(updates, "mode").at(-1);
      asked = { key, ...(mode && opened === reopened - 1 && { mode }) };
    }
    expect(await readdir(project)).toEqual(before);
  });
}
