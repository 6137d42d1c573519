/**
 * The real Claude Code, spoken to while it is at a turn: it reads that at the next end of a tool, once; without a tool
 * it begins a turn of its own with it; and what it has not begun with when it ends, it was never given.
 */
import { describe, expect, it } from "vitest";
import type { Steered, Turn } from "../../../src/agents/contract/driver.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { all, silentLog } from "../stage.ts";
import { keyOf, openLivingBench, say } from "./living-bench.ts";

const { left, model, open } = await openLivingBench();
const steer = (turn: Turn, text: string): Promise<Steered> => turn.steer!({ text, counters: null, log: silentLog });
const TOOL = "tool:bash:sleep 2; echo done";

/** Says these when the tool has begun. */
async function withTool(turn: Turn, ...words: string[]): Promise<{ updates: Update[]; steered: Promise<Steered>[] }> {
  const updates: Update[] = [];
  let steered: Promise<Steered>[] = [];
  for await (const update of turn.updates) {
    updates.push(update);
    if (update.kind === "tool_started") steered = words.map((text) => steer(turn, text));
  }
  return { updates, steered };
}

/** Says these once the turn speaks. */
async function speaking(
  turn: Turn,
  words: string[],
  then: () => void = () => undefined,
): Promise<{ updates: Update[]; steered: Promise<Steered>[] }> {
  const updates: Update[] = [];
  let steered: Promise<Steered>[] | null = null;
  for await (const update of turn.updates) {
    updates.push(update);
    if (update.kind !== "text" || steered !== null) continue;
    steered = words.map((text) => steer(turn, text));
    then();
  }
  return { updates, steered: steered ?? [] };
}

async function begun(steered: Promise<Steered> | undefined): Promise<Turn> {
  const what = await steered;
  if (what?.kind !== "begun") throw new Error(`it was ${what?.kind}`);
  return what.turn;
}

/** How often a word is in what the model was last asked. */
const timesAsked = (word: string): number =>
  JSON.stringify(model.asked.at(-1)?.body["messages"]).split(word).length - 1;

describe("at the end of a tool", () => {
  it("it reads both of two messages once, in the running turn, whose one end is the end of all", async () => {
    const agent = await open();
    const turn = say(agent, TOOL);
    const { updates, steered } = await withTool(turn, "Mind the kumquats.", "Mind the quinces.");
    expect(await Promise.all(steered)).toEqual([
      { kind: "taken", by: turn },
      { kind: "taken", by: turn },
    ]);
    expect(updates.at(-1)).toMatchObject({ kind: "end", outcome: "done" });
    expect([timesAsked("kumquats"), timesAsked("quinces")]).toEqual([1, 1]);
    expect((await all(say(agent, "echo:next"))).at(-1)).toMatchObject({ outcome: "done", result: "next" });
    expect([timesAsked("kumquats"), timesAsked("quinces")]).toEqual([1, 1]);
  });

  it("it knows it once when it was killed after that and is resumed", async () => {
    const agent = await open();
    const turn = say(agent, TOOL);
    const { updates, steered } = await withTool(turn, "Mind the medlars.");
    expect(await steered[0]).toEqual({ kind: "taken", by: turn });
    process.kill(agent.process!.pid, "SIGKILL");
    await agent.gone;
    const again = await open(keyOf(updates));
    expect((await all(say(again, "echo:again"))).at(-1)).toMatchObject({ outcome: "done", result: "again" });
    expect(timesAsked("medlars")).toBe(1);
  });

  it("it may have lost it when it was killed in the moment it took it, and never has it twice", async () => {
    const agent = await open();
    const turn = say(agent, TOOL);
    const updates: Update[] = [];
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind === "tool_started")
        void steer(turn, "Mind the loquats.").then(() => process.kill(agent.process!.pid, "SIGKILL"));
    }
    await agent.gone;
    const again = await open(keyOf(updates));
    await all(say(again, "echo:again"));
    expect(timesAsked("loquats")).toBeLessThanOrEqual(1);
  });
});

it("drops what is taken back before it has read it, and the model never sees it", async () => {
  const agent = await open();
  const turn = say(agent, TOOL);
  const updates: Update[] = [];
  let steered: Promise<Steered> | null = null;
  for await (const update of turn.updates) {
    updates.push(update);
    if (update.kind === "tool_started")
      steered = turn.steer!({ text: "Mind the damsons.", counters: null, log: silentLog }, Promise.resolve());
  }
  expect(await steered).toEqual({ kind: "refused" });
  expect(updates.at(-1)).toMatchObject({ kind: "end", outcome: "done" });
  expect((await all(say(agent, "echo:next"))).at(-1)).toMatchObject({ outcome: "done", result: "next" });
  expect(timesAsked("damsons")).toBe(0);
});

describe("without a tool", () => {
  it("it begins a turn of its own with it when the running one is over", async () => {
    const agent = await open();
    const turn = say(agent, "slow:10:50");
    const { updates, steered } = await speaking(turn, ["echo:of its own"]);
    expect(updates.at(-1)).toMatchObject({ kind: "end", outcome: "done", result: expect.stringMatching(/chunk10/) });
    expect((await all(await begun(steered[0]))).at(-1)).toMatchObject({ outcome: "done", result: "of its own" });
    expect((await all(say(agent, "echo:next"))).at(-1)).toMatchObject({ outcome: "done", result: "next" });
  });

  it("it begins with it also when that was said before it had begun at all", async () => {
    const agent = await open();
    const turn = say(agent, "echo:one");
    const steered = steer(turn, "echo:at once");
    const updates = await all(turn);
    const what = await steered;
    expect(updates.at(-1)).toMatchObject({ outcome: "done", result: what.kind === "taken" ? "at once" : "one" });
    if (what.kind !== "taken")
      expect((await all(await begun(steered))).at(-1)).toMatchObject({ outcome: "done", result: "at once" });
  });

  it("it takes the second of two in the turn that it begins with the first", async () => {
    const agent = await open();
    const { steered } = await speaking(say(agent, "slow:10:50"), ["Mind the first.", "echo:second"]);
    const own = await begun(steered[0]);
    expect((await all(own)).at(-1)).toMatchObject({ outcome: "done", result: "second" });
    expect(await steered[1]).toEqual({ kind: "taken", by: own });
  });

  it("it begins with it too when the running turn is interrupted", async () => {
    const agent = await open();
    const turn = say(agent, "slow:200:50");
    const { updates, steered } = await speaking(turn, ["echo:after the stop"], () => void turn.cancel());
    expect(updates.at(-1)).toEqual({ kind: "end", outcome: "cancelled" });
    expect((await all(await begun(steered[0]))).at(-1)).toMatchObject({ outcome: "done", result: "after the stop" });
  });

  it("it was never given what it has not begun with when it is killed", async () => {
    const agent = await open();
    const turn = say(agent, "slow:200:50");
    const updates: Update[] = [];
    let steered: Promise<Steered> | null = null;
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind !== "text") continue;
      steered ??= steer(turn, "Mind the sorb.");
      // By then it is on its way, and the conversation is on Claude's disk.
      if (update.delta.includes("chunk9")) process.kill(agent.process!.pid, "SIGKILL");
    }
    expect(updates.at(-1)).toMatchObject({ kind: "end", outcome: "failed" });
    expect(await steered).toEqual({ kind: "refused" });
    expect(model.asked.map((one) => JSON.stringify(one)).filter((one) => one.includes("sorb"))).toEqual([]);
    const again = await open(keyOf(updates));
    expect((await all(say(again, "echo:again"))).at(-1)).toMatchObject({ outcome: "done", result: "again" });
    expect(timesAsked("sorb")).toBe(0);
  });
});

it("has left nothing running", () => expect(left()).toEqual([]));
