/**
 * The real interactive Claude Code in tmux asks through our `.mcp.json` and waits. From 2.1.212 on it moves a call of
 * more than two minutes into the background and works on, unless its own settings say otherwise, as docs/mcp.md has it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { expect, test } from "vitest";
import { events } from "../../flows/mcp/asked.ts";
import { recorded } from "../../flows/workshop.ts";
import { openInteractive } from "./interactive.ts";

/** In the long tests the owner takes longer than Claude would wait by itself. */
const LONG = process.env["BELLHOP_TEST_LONG"] === "1";
const AWAY_MS = 130_000;
const QUESTION = {
  question: "Run the migration?",
  context: "v1 to v2",
  options: ["A) Run it now", "B) Staging first"],
};

/** The `env` that the page tells an owner to put into Claude's settings. */
function settingsOfThePage(): Record<string, string> {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "mcp.md"), "utf8");
  const [, json] = /```json\n(\s*\{\s*"env": [\s\S]*?)```/.exec(page) ?? [];
  if (json === undefined) throw new Error("docs/mcp.md has no settings for Claude");
  return (JSON.parse(json) as { env: Record<string, string> }).env;
}

test(
  `a question${LONG ? " of more than two minutes" : ""} keeps it waiting, and the answer is the next thing its model hears`,
  { timeout: 120_000 + (LONG ? AWAY_MS : 0) },
  async (context) => {
    const { world, model } = await openInteractive(
      context,
      `call:mcp__discord-decision__discord_ask_decision:${JSON.stringify(QUESTION)}`,
      settingsOfThePage(),
    );
    await recorded(world, ({ type }) => type === "DecisionPlaced");
    const thread = String(events(world, "DecisionPlaced")[0]?.["thread_id"]);
    await world.saying(thread, (said) => said.length > 0);
    if (LONG) await pass(AWAY_MS);
    expect(model.asked).toHaveLength(1);
    await world.owner(thread).send("B로 해줘");
    await model.until(2);
    const heard = model.asked[1]?.turns.flatMap(({ toolResult }) => toolResult ?? []).at(-1) ?? "";
    expect(JSON.parse(heard)).toMatchObject({ success: true, selected_option: "B) Staging first" });
    await recorded(world, ({ type }) => type === "AnswerDelivered");
  },
);
