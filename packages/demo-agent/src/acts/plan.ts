/**
 * A plan whose steps are done one after another, slowly enough to be watched, with a thought first and one tool that
 * only reads.
 */
import { readdir } from "node:fs/promises";
import type { PlanEntry } from "@agentclientprotocol/sdk";
import type { Act } from "../act.ts";
import type { Turn } from "../turn.ts";
import { within } from "./pace.ts";

const STEPS = ["Look at the directory", "Count what is there", "Say how many"];
const SHOWN = 20;
const LONGEST_STEP_S = 3_600;

export const plan: Act = {
  name: "plan",
  description: "Makes a plan and follows it: counts the files of the project",
  hint: "[SECONDS]",
  async perform({ turn, rest }) {
    const stepMs = within(rest, { otherwise: 1, least: 0, most: LONGEST_STEP_S }) * 1000;
    await turn.think("Three steps will do: look, count, and say.");
    await show(turn, 0);
    await turn.wait(stepMs);
    const names = await look(turn);
    await show(turn, 1);
    await turn.wait(stepMs);
    await show(turn, 2);
    await turn.wait(stepMs);
    await turn.say(`There are ${names.length} entries in ${turn.cwd}.`);
    await show(turn, 3);
  },
};

/** @param done how many steps are done; the next one is being done */
async function show(turn: Turn, done: number): Promise<void> {
  const state = (at: number): PlanEntry["status"] =>
    at < done ? "completed" : at === done ? "in_progress" : "pending";
  await turn.plan(STEPS.map((content, at) => ({ content, priority: "medium", status: state(at) })));
}

async function look(turn: Turn): Promise<string[]> {
  const tool = await turn.tool({
    name: "list",
    title: "List the project's directory",
    kind: "read",
    rawInput: { path: turn.cwd },
    locations: [{ path: turn.cwd }],
  });
  const names = await readdir(turn.cwd).catch(() => null);
  const text = names === null ? "It cannot be read." : names.slice(0, SHOWN).join("\n");
  await tool.end(names !== null, [{ type: "content", content: { type: "text", text } }]);
  return names ?? [];
}
