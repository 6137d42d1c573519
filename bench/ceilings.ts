/**
 * The most memory the daemon ever has while agents are out of hand: one asks without end, one answers with 160 MB, one
 * writes a line without an end. Each against what the same daemon had before it.
 */
import { readFileSync } from "node:fs";
import { systemClock } from "../src/base/clock.ts";
import { openCaller } from "../src/client/call.ts";
import type { Figure } from "./journal.ts";
import { Bench, pause } from "./stage.ts";

const MEGABYTE = 1_000_000;

export async function ceilings(): Promise<Figure[]> {
  return [
    await prompted("an answer of 160 MB: the daemon's memory at its highest", "flood 160", 300),
    await prompted("a line of 110 MB", "giant 110", 110),
    await prompted("a line of three million arrays, each in the one before (6 MB)", "nest 3", 60),
    await asked(),
  ];
}

async function prompted(name: string, prompt: string, bar: number): Promise<Figure> {
  const bench = await new Bench().open();
  try {
    await bench.start();
    const thread = await bench.session();
    const owner = bench.owner(thread);
    const ends = (count: number) => bench.sandbox.until(() => bench.ends(thread).length === count);
    await owner.send("warm");
    await ends(1);
    const before = bench.peak();
    await owner.send(prompt);
    await ends(2);
    return grown(name, before, bench.peak(), bar);
  } finally {
    await bench.close();
  }
}

/** Ten askers with sixty questions of 99 kB each, of which 80 are asked. */
async function asked(): Promise<Figure> {
  const bench = await new Bench().open();
  try {
    await bench.start();
    const before = bench.peak();
    const { botToken, channelId } = bench.sandbox;
    const context = "c".repeat(99_000);
    const callers = [];
    for (let asker = 0; asker < 10; asker += 1) {
      const variables = { DISCORD_BOT_TOKEN: botToken, DISCORD_CHANNEL_ID: channelId, PROJECT_NAME: `app-${asker}` };
      const caller = await openCaller({ stateDir: `${bench.home}/state`, role: "mcp", clock: systemClock, variables });
      callers.push(caller);
      const params = (number: number) => ({
        question: `Shall I do step ${number} of ${asker}?`,
        context,
        options: [],
        timeout_seconds: null,
        thread_id: null,
      });
      for (let number = 0; number < 60; number += 1) caller.call("mcp_ask", params(number)).catch(() => undefined);
    }
    const journal = (): string => readFileSync(`${bench.home}/state/events.ndjson`, "utf8");
    while ((journal().match(/"type":"DecisionAsked"/g) ?? []).length < 80) await pause(500);
    await pause(5_000);
    for (const caller of callers) caller.close();
    return grown("600 questions of 99 kB by ten askers, of which 80 are asked", before, bench.peak(), 400);
  } finally {
    await bench.close();
  }
}

function grown(name: string, before: number, peak: number, bar: number): Figure {
  return {
    name,
    reached: `${Math.round(peak / MEGABYTE)} MB, ${Math.round((peak - before) / MEGABYTE)} MB more than before`,
    value: peak - before,
    bar: `< ${bar} MB more`,
    holds: peak - before < bar * MEGABYTE,
  };
}
