/**
 * What one message costs where much is kept: 10,000 open decisions and 5,000 threads, against ten of each in the same
 * run. Both daemons are the built one on the local Discord, and take turns, so that the machine's moods meet both.
 */
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decideAndEvolve } from "../src/core/decider.ts";
import { emptyState, type State } from "../src/core/state.ts";
import type { Event } from "../src/core/slices.ts";
import { evolve } from "../src/core/evolve.ts";
import { encode } from "../src/journal/format.ts";
import type { Figure } from "./journal.ts";
import { Bench, ms, now, pause, percentile } from "./stage.ts";

interface Kept {
  decisions: number;
  threads: number;
}

/** What one round of messages cost, per message. */
export interface Cost {
  /** The daemon's processor time, in milliseconds. */
  cpu: number;
  /** From the message's dispatch to its answer's last post, median. */
  took: number;
}

const FEW: Kept = { decisions: 10, threads: 10 };
export const MANY: Kept = { decisions: 10_000, threads: 5_000 };
const BOT = "1100000000000000001";
const GUILD = "1100000000000000002";
const FIRST_CHANNEL = 1_100_000_000_000_001_000n;
const FIRST_THREAD = 1_100_000_001_000_000_000n;
/** Open at once of one asker; the core takes no more than 32. */
const EACH_ASKER = 25;
const MOST = 1.2;

/** @param rounds odd, so that there is a median */
export async function scale(rounds = 5, messages = 100): Promise<Figure[]> {
  const [few, many] = await Promise.all([begin((bench) => keep(bench, FEW)), begin((bench) => keep(bench, MANY))]);
  if (!few || !many) throw new Error("the daemons did not start");
  try {
    const queued: [Cost[], Cost[]] = [[], []];
    const answered: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, stand] of [few, many].entries()) queued[index]?.push(await stand.queue(messages));
      for (const [index, stand] of [few, many].entries()) answered[index]?.push(await stand.answer(messages / 10));
    }
    const what = `${MANY.decisions} open decisions and ${MANY.threads} threads to ${FEW.decisions} of each`;
    return [
      decided(),
      costs(`one message queued behind a running one: ${what}`, queued),
      costs(`one message answered by an agent: ${what}`, answered),
    ];
  } finally {
    await Promise.all([few.close(), many.close()]);
  }
}

export function costs(name: string, [few, many]: [Cost[], Cost[]]): Figure {
  const cost = (all: readonly Cost[]): number =>
    percentile(
      all.map(({ cpu }) => cpu),
      50,
    );
  const took = (all: readonly Cost[]): number =>
    percentile(
      all.map((one) => one.took),
      50,
    );
  const ratio = cost(many) / cost(few);
  return {
    name,
    reached: `processor time ${ms(cost(many))} to ${ms(cost(few))}, ratio ${ratio.toFixed(2)}; it takes p50 ${ms(took(many))} to ${ms(took(few))}`,
    value: ratio,
    bar: `ratio ≤ ${MOST}`,
    holds: ratio <= MOST,
  };
}

/** The core's part alone, in this process: heard, started, ended, its process gone. */
function decided(rounds = 41, messages = 25): Figure {
  const stands = [FEW, MANY].map((kept) => settled(kept));
  const times = stands.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, state] of stands.entries()) {
      const from = now();
      for (let count = 0; count < messages; count += 1) oneMessage(state, round * messages + count);
      times[index]?.push(((now() - from) * 1000) / messages);
    }
  }
  const [few = Number.NaN, many = Number.NaN] = times.map((all) => percentile(all, 50));
  const ratio = many / few;
  return {
    name: `one message decided and believed: ${MANY.decisions} open decisions and ${MANY.threads} threads to ${FEW.decisions} of each`,
    reached: `${many.toFixed(0)} µs to ${few.toFixed(0)} µs, ratio ${ratio.toFixed(2)}`,
    value: ratio,
    bar: `ratio ≤ ${MOST}`,
    holds: ratio <= MOST,
  };
}

function settled(kept: Kept): State {
  const state = emptyState();
  const ts = new Date().toISOString();
  for (const event of stored(kept, "/pending", ts)) evolve(state, { ...event, ts });
  return state;
}

function oneMessage(state: State, number: number): void {
  const rules = {
    max_queue_per_session: 20,
    global_max_running: 2,
    after_crash: "wait",
    resume_after_limit: "ask",
    max_prompt_chars: 200_000,
  } as const;
  const at = new Date().toISOString();
  const thread_id = String(FIRST_THREAD);
  const discord_message_id = String(FIRST_THREAD + 3_000_000n + BigInt(number));
  const events = decideAndEvolve(
    state,
    { type: "hear", thread_id, discord_message_id, prompt: "mend it", files: [], refused_files: [], reply_to: null },
    { at, rules },
  );
  const [job_id = ""] = events.flatMap((event) => (event.type === "JobStarted" ? [event.payload.job_id] : []));
  decideAndEvolve(
    state,
    { type: "complete", job_id, result_excerpt: "", result_sha256: "", model: null, usage: null },
    { at, rules },
  );
  decideAndEvolve(state, { type: "progress", job_id, progress: { kind: "gone" } }, { at, rules });
  decideAndEvolve(state, { type: "channel_read", channel_id: thread_id, through: discord_message_id }, { at, rules });
}

export interface Stand {
  /** Messages into a thread whose job hangs; each is on disk and bears its sign. */
  queue(messages: number): Promise<Cost>;
  /** Messages that an agent answers, one after the other. */
  answer(messages: number): Promise<Cost>;
  close(): Promise<void>;
}

/**
 * A daemon in whose state directory something is kept already.
 * @param prepare resolves with a function that says whether the daemon has done what it does with that at its start
 */
export async function begin(prepare: (bench: Bench) => Promise<() => boolean>): Promise<Stand> {
  // The snapshot is of the whole state, so it is left out here: it comes with the time that passes, not with a message.
  const rare = { snapshot_every_events: 1_000_000, snapshot_every_seconds: 86_400 };
  const bench = await new Bench().open({ limits: { ...rare, global_max_running: 100 } });
  const isReady = await prepare(bench);
  await bench.start();
  while (!isReady()) await pause(100);
  const thread = await bench.session();
  const owner = bench.owner(thread);
  let sent = 0;
  let answers = 0;

  async function queue(messages: number): Promise<Cost> {
    // A thread of its own each time: what waits in a queue is part of the cost.
    const fresh = await bench.session();
    const writer = bench.owner(fresh);
    await writer.send(`hang ${(sent += 1)}`);
    await bench.rest();
    const cpu = bench.cpu();
    const took: number[] = [];
    for (let count = 0; count < messages; count += 1) {
      const from = now();
      const { id } = await writer.send(`hang ${(sent += 1)}`);
      await bench.sandbox.until(({ messages: all }) =>
        all(fresh).some((one) => one.id === id && (one.reactions ?? []).length > 0),
      );
      took.push(now() - from);
    }
    return { cpu: (bench.cpu() - cpu) / messages, took: percentile(took, 50) };
  }

  async function answer(messages: number): Promise<Cost> {
    await bench.rest();
    const cpu = bench.cpu();
    const took: number[] = [];
    for (let count = 0; count < messages; count += 1) {
      const from = now();
      await owner.send(`message ${(sent += 1)}`);
      answers += 1;
      await bench.sandbox.until(
        ({ messages: all }) => all(thread).filter(({ content }) => content.startsWith("done")).length >= answers,
      );
      took.push(now() - from);
    }
    await bench.rest();
    return { cpu: (bench.cpu() - cpu) / messages, took: percentile(took, 50) };
  }

  return { queue, answer, close: () => bench.close() };
}

async function keep({ home }: Bench, kept: Kept): Promise<() => boolean> {
  const pending = join(home, "pending");
  await writeFile(join(home, "state", "events.ndjson"), journal(kept, pending), { mode: 0o600 });
  return () => existsSync(pending) && readdirSync(pending).length >= kept.decisions;
}

/** A journal in which that much is kept, all of it under another bot, so that nothing of it is owed to this Discord. */
function journal(kept: Kept, pending_dir: string): Buffer {
  const ts = new Date().toISOString();
  const events = stored(kept, pending_dir, ts);
  return Buffer.concat(events.map((event, index) => encode(event, index + 1, ts).line));
}

export function stored({ decisions, threads }: Kept, pending_dir: string, ts: string): Event[] {
  return [...sessions(threads / 2), ...questions(decisions, threads / 2, pending_dir, ts)];
}

function sessions(count: number): Event[] {
  return Array.from({ length: count }, (_, number): Event[] => {
    const start = {
      request_id: String(FIRST_THREAD + BigInt(number)),
      project_name: "app",
      tool: "claude",
      channel_id: channel(number),
      guild_id: GUILD,
      bot_id: BOT,
    };
    return [
      { type: "SessionRequested", payload: start },
      { type: "SessionCreated", payload: { thread_id: start.request_id, ...start } },
    ];
  }).flat();
}

/** One in two of them has a time limit. */
function questions(count: number, threads: number, pending_dir: string, ts: string): Event[] {
  const lapses = new Date(Date.parse(ts) + 86_400_000).toISOString();
  return Array.from({ length: count }, (_, number): Event[] => {
    const decision_id = `question_${number}`;
    const channel_id = channel(Math.floor(number / EACH_ASKER));
    const asker = {
      by: "mcp",
      project: `project-${Math.floor(number / EACH_ASKER)}`,
      pending_dir,
      timeout_seconds: null,
      wanted_thread: null,
      channel_id,
      bot_id: BOT,
    } as const;
    const asked = {
      question: `What about number ${number}?`,
      header: "",
      options: [
        { label: "A", description: "" },
        { label: "B", description: "" },
      ],
      many: false,
      words: true,
    };
    const thread_id = String(FIRST_THREAD + 1_000_000n + BigInt(number % threads));
    return [
      {
        type: "DecisionAsked",
        payload: {
          decision_id,
          thread_id: null,
          kind: "question",
          asker,
          context: "It has to be settled.",
          questions: [asked],
          subject: null,
          lapses_at: number % 2 === 0 ? null : lapses,
        },
      },
      {
        type: "DecisionPlaced",
        payload: { decision_id, thread_id, channel_id, guild_id: GUILD, bot_id: BOT, since: thread_id },
      },
      {
        type: "PostRecorded",
        payload: {
          subject: decision_id,
          part: "prompt",
          channel_id: thread_id,
          message_id: String(FIRST_THREAD + 2_000_000n + BigInt(number)),
          hash: "0123456789abcdef0123456789abcdef",
          is: "open",
        },
      },
    ];
  }).flat();
}

function channel(number: number): string {
  return String(FIRST_CHANNEL + BigInt(number));
}
