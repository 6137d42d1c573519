/**
 * What a long request to allow something costs those who do not wait for it: how long it holds the daemon's event loop
 * at a time, and what it takes of memory, whether it is refused for its length or shown. Beside each a short one, shown
 * by the same daemon just before.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./journal.ts";
import { Bench, ms, pause, percentile, root } from "./stage.ts";

const MEGABYTE = 1_000_000;
const fakes = join(root, "test", "fakes", "agents");
const acpAgent = [process.execPath, join(fakes, "acp.mjs")];

interface Case {
  name: string;
  prompt: string;
  /** Absent: it is shown. */
  refused?: true;
  acp?: true;
}

const CASES: readonly Case[] = [
  { name: "a command of 7.8 million hidden characters, refused", prompt: "bulk:7800000", refused: true },
  { name: "the same over ACP", prompt: "bulk", refused: true, acp: true },
  { name: "an edit of twice 3.9 million hidden characters, refused", prompt: "rewrite:3900000", refused: true },
  { name: "a command of 950,000 hidden characters (2,534 pages), refused", prompt: "bulk:950000", refused: true },
  { name: "a command of 120,000 hidden characters (484 pages), shown", prompt: "bulk:120000" },
];

export async function requests(rounds = 3): Promise<Figure[]> {
  const figures: Figure[] = [];
  const firsts: Cost[] = [];
  for (const one of CASES) {
    const [floor, cost]: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const seen = await measured(one);
      if (one.acp === undefined) firsts.push(seen.first);
      floor.push(seen.floor);
      cost.push(seen.cost);
    }
    figures.push(figure(one.name, cost, floor));
    if (one === CASES.at(-1)) figures.push(figure("a short command, the first of its daemon, shown", firsts, floor));
  }
  return figures;
}

/**
 * The longest time that the loop was held, by the clock and by the processor time of its thread, and what it took of
 * memory.
 */
interface Cost {
  wall: number;
  cpu: number;
  bytes: number;
}

/** To an agent that is awake: the first short request of its daemon, a second one, and then the one that is meant. */
async function measured({ prompt, refused, acp }: Case): Promise<{ first: Cost; floor: Cost; cost: Cost }> {
  const bench = await new Bench().open({ limits: { idle_agents: 2 }, ...(acp && { acp: acpAgent }) });
  try {
    const claude = join(bench.home, "bin", "claude");
    rmSync(claude);
    writeFileSync(claude, `#!/bin/sh\nexec '${process.execPath}' '${join(fakes, "claude.mjs")}' "$@"\n`, {
      mode: 0o755,
    });
    const loop = new Holds(bench);
    await bench.start(loop.preload);
    const thread = await bench.session();
    const owner = bench.owner(thread);
    const done = (id: string) => bench.sandbox.until(({ reactions }) => reactions(id)["✅"] !== undefined);
    const ask = async (text: string, isRefused: boolean): Promise<Cost> => {
      await bench.rest();
      return loop.during(async () => {
        const { id } = await owner.send(text);
        if (isRefused) return done(id);
        const prompt = await bench.sandbox.until(({ messages }) =>
          messages(thread).find(({ components }) => JSON.stringify(components ?? []).includes('"Deny"')),
        );
        await bench.rest();
        await (await owner.clickButton(prompt.id, "Deny")).acknowledged();
        return done(id);
      });
    };
    // What an agent costs that is just started is no part of it.
    await done((await owner.send(acp ? "garbage" : "echo:x")).id);
    const short = acp ? "permit" : "may:ls";
    const first = await ask(short, false);
    const floor = await ask(short, false);
    return { first, floor, cost: await ask(prompt, refused === true) };
  } finally {
    await bench.close();
  }
}

function figure(name: string, cost: readonly Cost[], floor: readonly Cost[]): Figure {
  const longest = (of: readonly Cost[], what: "wall" | "cpu"): number => Math.max(...of.map((one) => one[what]));
  const grown = (of: readonly Cost[]): string =>
    `${(Math.max(...of.map(({ bytes }) => bytes)) / MEGABYTE).toFixed(0)} MB`;
  const holds = (of: readonly Cost[]): string =>
    `${ms(longest(of, "cpu"))} of its processor time (median ${ms(
      percentile(
        of.map(({ cpu }) => cpu),
        50,
      ),
    )}), ${ms(longest(of, "wall"))} by the clock`;
  return {
    name: `${name}, ${cost.length} times: the event loop is held`,
    reached: `at most ${holds(cost)}, ${grown(cost)} more; a short one ${holds(floor)}, ${grown(floor)} more`,
    value: longest(cost, "cpu"),
    bar: "≤ 20 ms of processor time, < 60 MB more",
    holds: longest(cost, "cpu") <= 20 && cost.every(({ bytes }) => bytes < 60 * MEGABYTE),
  };
}

/** How long each turn of the daemon's loop took, as told from within; at each SIGUSR2 it begins anew. */
class Holds {
  readonly preload: string[];
  readonly #bench: Bench;
  readonly #out: string;

  constructor(bench: Bench) {
    this.#bench = bench;
    const file = join(bench.home, "holds.mjs");
    this.#out = join(bench.home, "holds.json");
    this.preload = ["--import", file];
    // The processor time of the loop's own thread is told apart: on a machine that others use it alone says anything.
    writeFileSync(
      file,
      `import { renameSync, writeFileSync } from "node:fs";
      const cpu = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000; };
      let seen = { wall: 0, cpu: 0 }, at = performance.now(), used = cpu();
      const look = () => {
        const [time, spent] = [performance.now(), cpu()];
        seen = { wall: Math.max(seen.wall, time - at - 1), cpu: Math.max(seen.cpu, spent - used) };
        [at, used] = [performance.now(), cpu()];
        setTimeout(look, 1).unref();
      };
      setTimeout(look, 1).unref();
      process.on("SIGUSR2", () => {
        writeFileSync(${JSON.stringify(`${this.#out}.tmp`)}, JSON.stringify(seen));
        renameSync(${JSON.stringify(`${this.#out}.tmp`)}, ${JSON.stringify(this.#out)});
        [seen, at, used] = [{ wall: 0, cpu: 0 }, performance.now(), cpu()];
      });`,
    );
  }

  async during(act: () => Promise<unknown>): Promise<Cost> {
    const pid = this.#bench.child?.pid ?? 0;
    await this.#read(pid);
    // The highest so far is forgotten.
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
    const before = this.#bench.peak();
    await act();
    return { ...(await this.#read(pid)), bytes: this.#bench.peak() - before };
  }

  async #read(pid: number): Promise<Omit<Cost, "bytes">> {
    rmSync(this.#out, { force: true });
    process.kill(pid, "SIGUSR2");
    while (!existsSync(this.#out)) await pause(5);
    return JSON.parse(readFileSync(this.#out, "utf8")) as Omit<Cost, "bytes">;
  }
}
