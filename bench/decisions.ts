/**
 * What it takes until an agent has its owner's word: by a press and by a typed reply, to a headless agent and to one
 * that asks over MCP; ten thousand presses, most of them doubles, on two hundred that are open at once; and what a
 * client costs that only waits.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { APIMessage } from "discord-api-types/v10";
import { systemClock } from "../src/base/clock.ts";
import { openCaller, type Caller } from "../src/client/call.ts";
import type { AskResult } from "../src/protocol/mcp.ts";
import type { Figure } from "./journal.ts";
import { Bench, ms, now, pause, percentile, root } from "./stage.ts";

const WORD = "p50 ≤ 5 ms, p95 ≤ 15 ms";

/** From the dispatch of the owner's word to the moment the agent has read it. */
export async function answered(rounds = 50): Promise<Figure[]> {
  const bench = await new Bench().open();
  try {
    await bench.start();
    const thread = await bench.session();
    const owner = bench.owner(thread);
    await owner.send("permit");
    const clicked: number[] = [];
    const typed: number[] = [];
    for (let round = 0; round < 2 * rounds; round += 1) {
      const prompt = await openPrompt(bench, thread, `part-${round + 1}`);
      // What the daemon does after a prompt is posted is no part of what is measured.
      await pause(40);
      if (round % 2 === 0) await (await owner.clickButton(prompt.id, "Allow once")).acknowledged();
      else await owner.send("yes", { replyTo: prompt.id });
      while (bench.times("answered").length <= round) await pause(15);
      const at = bench.times("answered")[round] ?? Number.NaN;
      if (round % 2 === 0) clicked.push(at - bench.pressed);
      else typed.push(at - (bench.dispatched.get("yes") ?? Number.NaN));
    }
    const bare = await floors(bench, rounds);
    return [
      figure(`pressed → the headless agent has it (${bare})`, clicked),
      figure("typed → the headless agent has it", typed),
      ...(await overMcp(bench, rounds)),
    ];
  } finally {
    await bench.close();
  }
}

/** What no daemon can do without on this machine now: one write with its sync, and one request to Discord and back. */
async function floors(bench: Bench, rounds: number): Promise<string> {
  const syncs: number[] = [];
  const requests: number[] = [];
  const file = await open(join(bench.home, "floor"), "a");
  for (let round = 0; round < rounds; round += 1) {
    const from = now();
    await file.write("x".repeat(300));
    await file.datasync();
    const between = now();
    await (await fetch(`${bench.sandbox.api}/v10/gateway`)).text();
    syncs.push(between - from);
    requests.push(now() - between);
  }
  await file.close();
  return `a bare write and sync p50 ${ms(percentile(syncs, 50))}, a bare request p50 ${ms(percentile(requests, 50))}`;
}

async function overMcp(bench: Bench, rounds: number): Promise<Figure[]> {
  const caller = await openFace(bench);
  try {
    const thread = await openThread(bench);
    const owner = bench.owner(thread);
    const clicked: number[] = [];
    const typed: number[] = [];
    const slowest = new Map<number[], { question_id: string; from: number }>();
    for (let round = 0; round < 2 * rounds; round += 1) {
      let at = Number.NaN;
      const answer = ask(caller, `Question ${round}`, thread).then((result) => ((at = now()), result));
      answer.catch(() => undefined);
      const prompt = await openPrompt(bench, thread, `Question ${round}`);
      await pause(40);
      const words = `2${".".repeat(round)}`;
      if (round % 2 === 0) await owner.clickButton(prompt.id, "B · Blue");
      else await owner.send(words);
      const { question_id } = await answer;
      const from = round % 2 === 0 ? bench.pressed : (bench.dispatched.get(words) ?? Number.NaN);
      const times = round % 2 === 0 ? clicked : typed;
      times.push(at - from);
      if (at - from === Math.max(...times)) slowest.set(times, { question_id, from });
      await caller.call("mcp_delivered", { question_id });
    }
    return [
      figure("pressed → the caller over the socket has it", clicked, decided(bench, slowest.get(clicked))),
      figure("typed → the caller over the socket has it", typed, decided(bench, slowest.get(typed))),
    ];
  } finally {
    caller.close();
  }
}

/** Of the slowest answer: how long it was on its way when it was decided, before it was synced. */
function decided(bench: Bench, slowest: { question_id: string; from: number } | undefined): string {
  const lines = readFileSync(join(bench.home, "state", "events.ndjson"), "utf8").split("\n");
  const line =
    lines.find((one) => one.includes('"DecisionAnswered"') && one.includes(`"${slowest?.question_id}"`)) ?? "{}";
  return `, decided after ${ms(Date.parse((JSON.parse(line) as { ts?: string }).ts ?? "") - (slowest?.from ?? Number.NaN))}`;
}

/**
 * Two hundred questions are open; each is pressed fifty times, all mixed, while Discord is slow with edits, so that the
 * buttons stay for every press.
 */
export async function clicks(many = 200, each = 50, atOnce = 32): Promise<Figure[]> {
  const bench = await new Bench().open();
  try {
    await bench.start();
    // As many as one project may have open, and more projects.
    const callers = await Promise.all(
      Array.from({ length: Math.ceil(many / 32) }, (_, number) => openFace(bench, `bench-${number}`)),
    );
    const thread = await openThread(bench);
    const owner = bench.owner(thread);
    let results = 0;
    const answers = new Map<number, AskResult[]>();
    for (let number = 0; number < many; number += 1) {
      const caller = callers[number % callers.length] as Caller;
      void ask(caller, `Question ${number} of many`, thread).then((result) => {
        results += 1;
        answers.set(number, [...(answers.get(number) ?? []), result]);
      });
    }
    const prompts = await bench.sandbox.until(({ messages }) => {
      const found = messages(thread).filter(({ components }) => JSON.stringify(components ?? []).includes("B · Blue"));
      return found.length === many ? found : undefined;
    });
    const slow = bench.sandbox.faults.hold({ method: "PATCH", path: "/messages/" });
    const order = shuffled(Array.from({ length: many * each }, (_, index) => index % many));
    const acknowledged: number[] = [];
    const from = now();
    let next = 0;
    const presser = async (): Promise<void> => {
      for (let index = next++; index < order.length; index = next++) {
        const label = index % 2 === 0 ? "A · Red" : "B · Blue";
        acknowledged.push(await (await owner.clickButton(prompts[order[index] ?? 0]?.id ?? "", label)).acknowledged());
      }
    };
    await Promise.all(Array.from({ length: atOnce }, presser));
    const took = (now() - from) / 1000;
    slow.lift();
    while (results < many) await pause(5);
    await bench.idle();
    const once =
      answers.size === many && [...answers.values()].every((all) => all.length === 1 && all[0]?.success === true);
    for (const caller of callers) caller.close();
    const p99 = percentile(acknowledged, 99);
    return [
      {
        name: `${many} open, ${order.length} presses with doubles, ${atOnce} under way at once: pressed → acknowledged`,
        reached: `p50 ${ms(percentile(acknowledged, 50))}, p99 ${ms(p99)}, max ${ms(Math.max(...acknowledged))}; ${(order.length / took).toFixed(0)} presses a second`,
        value: p99,
        bar: "p99 < 1 s",
        holds: p99 < 1000,
      },
      {
        name: "their results",
        reached: `${answers.size} questions, ${results} results`,
        value: results,
        bar: "one result each",
        holds: once && results === many,
      },
    ];
  } finally {
    await bench.close();
  }
}

/** `bellhop mcp` from its start until it has answered its client's first word, and what it holds while it waits. */
export async function clientFigures(rounds = 9): Promise<Figure[]> {
  const bench = await new Bench().open();
  try {
    await bench.start();
    const starts: number[] = [];
    let resident = Number.NaN;
    for (let round = 0; round < rounds; round += 1) {
      const from = now();
      const env = { ...bench.environment(), DISCORD_CHANNEL_ID: bench.sandbox.channelId };
      const child = spawn(process.execPath, [join(root, "bin", "bellhop.cjs"), "mcp"], {
        cwd: bench.home,
        env,
        stdio: ["pipe", "pipe", "ignore"],
      });
      const lines = createInterface({ input: child.stdout });
      const welcomed = new Promise((resolve) => lines.once("line", resolve));
      const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`);
      await welcomed;
      starts.push(now() - from);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
      if (round === rounds - 1) {
        await pause(3000);
        resident = bench.rss(child.pid);
      }
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      await gone;
    }
    const start = percentile(starts, 50);
    return [
      {
        name: "`bellhop mcp`: spawned → its client is answered",
        reached: `p50 ${ms(start)}, max ${ms(Math.max(...starts))}`,
        value: start,
        bar: "≤ 300 ms",
        holds: start <= 300,
      },
      {
        name: "`bellhop mcp`, idle",
        reached: `${resident.toFixed(0)} MB resident`,
        value: resident,
        bar: "≤ 95 MB",
        holds: resident <= 95,
      },
    ];
  } finally {
    await bench.close();
  }
}

function openFace(bench: Bench, project = "bench"): Promise<Caller> {
  const variables = {
    DISCORD_BOT_TOKEN: bench.sandbox.botToken,
    DISCORD_CHANNEL_ID: bench.sandbox.channelId,
    PROJECT_NAME: project,
  };
  return openCaller({ stateDir: join(bench.home, "state"), role: "mcp", clock: systemClock, variables });
}

/** A thread of the channel, in which its clients may ask. */
async function openThread(bench: Bench): Promise<string> {
  return (await bench.owner(bench.sandbox.channelId).createThread("bench")).id;
}

function ask(caller: Caller, question: string, thread_id: string): Promise<AskResult> {
  return caller.call("mcp_ask", {
    question,
    context: "",
    options: ["Red", "Blue"],
    timeout_seconds: null,
    thread_id,
  }) as Promise<AskResult>;
}

/** The prompt with these words, once it can be pressed. */
function openPrompt(bench: Bench, thread: string, words: string): Promise<APIMessage> {
  return bench.sandbox.until(({ messages }) => {
    const found = messages(thread).findLast(
      (message) =>
        (message.components ?? []).length > 0 && JSON.stringify([message.content, message.embeds]).includes(words),
    );
    return found;
  });
}

/** @param of the slowest */
function figure(name: string, times: readonly number[], of = ""): Figure {
  const [p50, p95] = [percentile(times, 50), percentile(times, 95)];
  return {
    name,
    reached: `p50 ${ms(p50)}, p95 ${ms(p95)}, max ${ms(Math.max(...times))}${of}`,
    value: p50,
    bar: WORD,
    holds: p50 <= 5 && p95 <= 15,
  };
}

/** The same order in every run. */
function shuffled(all: number[]): number[] {
  let seed = 4;
  for (let last = all.length - 1; last > 0; last -= 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const other = seed % (last + 1);
    [all[last], all[other]] = [all[other] ?? 0, all[last] ?? 0];
  }
  return all;
}
