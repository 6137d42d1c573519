/** What the real agents that speak ACP have in common at the driver: the laws that each of them is held to. */
import { readdir } from "node:fs/promises";
import { expect, it } from "vitest";
import { acpDriver } from "../../../src/agents/acp/driver.ts";
import type { Driver } from "../../../src/agents/contract/driver.ts";
import type { ProcessDriverOptions } from "../../../src/agents/process/process-driver.ts";
import { type Bench, onFirst } from "../bench.ts";
import { only, textOf } from "../stage.ts";

export const driverOf = (command: readonly string[]) => ({ processes, clock, env }: ProcessDriverOptions): Driver => acpDriver({ processes, clock, tool: "acp", commands: [command], env, version: "0.0.0" });

/** The prompt with which the model has an agent run this command, for which it has to ask. */
export type Acting = (command: string) => string;

export function keepsTheContract({ ask, left, project }: Bench, acting: Acting = (command) => `tool:bash:${command}`): void {
  it("answers what the model said, as it was streamed", async () => {
    const { updates, end, key } = await ask("echo:the first turn");
    expect(end).toEqual({ kind: "end", outcome: "done", result: "the first turn" });
    expect(textOf(updates)).toBe("the first turn");
    expect(key).toBeDefined();
    expect(left()).toEqual([]);
  });

  it("runs what is allowed, once", async () => {
    const { updates, end } = await ask(acting("touch allowed && ls"), { on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "allow", input: {} })) });
    expect(only(updates, "permission")).toMatchObject([{ title: expect.stringContaining("touch allowed") as string }]);
    expect(await readdir(project)).toContain("allowed");
    expect(end).toMatchObject({ outcome: "done", result: textOf(updates) });
    expect(textOf(updates)).toMatch(/^(?:Running a command\.|Calling exec_command)\n\nAFTER_TOOL /);
  });

  it("does not run what is refused", async () => {
    const { updates, end } = await ask(acting("touch refused && ls"), { on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "deny", message: "no" })) });
    expect(await readdir(project)).not.toContain("refused");
    expect(only(updates, "denied")).toHaveLength(1);
    expect(end).toMatchObject({ outcome: "done" });
  });

  it("does not run what it asked for when it is cancelled", async () => {
    const { end } = await ask(acting("touch cancelled && ls"), { on: onFirst("permission", (run) => void run.cancel()) });
    expect(end).toEqual({ kind: "end", outcome: "cancelled" });
    expect(await readdir(project)).not.toContain("cancelled");
    expect(left()).toEqual([]);
  });

  it("says that the model refused, with its status", async () => {
    expect((await ask("error:400")).end).toMatchObject({ outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { status: 400 } });
  });

  it("that is to go on with a conversation nobody knows says so", async () => {
    expect((await ask("echo:x", { key: "11111111-2222-3333-4444-555555555555" })).end).toMatchObject({ outcome: "failed", code: "E_RESUME_UNKNOWN" });
  });
}
