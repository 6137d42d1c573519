/**
 * The posting half of the daemon against the strict local Discord over real HTTP, on a clock that stands still
 * while a request is under way: a session's thread, an engine on a journal in memory, and a process that can be
 * killed at any request and started again from its events.
 */
import type { APIMessage } from "discord-api-types/v10";
import { onTestFinished } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createSignals, type JobSignal, type Signals } from "../../src/engine/signals.ts";
import { openOutbox, type Outbox } from "../../src/discord/outbox.ts";
import type { Body, Owed } from "../../src/discord/owed.ts";
import { openReactions, type Reactions } from "../../src/discord/reactions.ts";
import { openRest, type Rest } from "../../src/discord/rest.ts";
import { openStream, type Stream } from "../../src/discord/stream.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import type { Exchange } from "../../src/sandbox/realm.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { contract } from "./discord-contract/contract.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { createMemoryJournal, type MemoryJournal } from "./memory-journal.ts";

export type View = (engine: Engine, threadId: string, stream: Stream) => Owed[];

export interface Process {
  engine: Engine;
  rest: Rest;
  outbox: Outbox;
  reactions: Reactions;
  stream: Stream;
  signals: Signals<JobSignal>;
  /** No promise of it is kept from here on. */
  kill(): void;
}

export interface PostBench {
  clock: FakeClock;
  sandbox: Sandbox;
  journal: MemoryJournal;
  threadId: string;
  owner: ReturnType<ReturnType<Sandbox["channel"]>["user"]>;
  start(view: View, options?: { keepers?: boolean }): Process;
  /** Lets time go on, but never past a request under way, until the promise is settled. */
  run<T>(promise: Promise<T>): Promise<T>;
  /** The same until a fact holds. */
  until(fact: () => boolean): Promise<void>;
  /** Kills the process when this request's answer is here, before it hears of it. */
  killAt(process: () => Process, request: (method: string, path: string) => boolean): void;
  /** What the bot has in a channel, oldest first. */
  said(channelId?: string): APIMessage[];
  /** Requests as they left, with the clock's time. */
  readonly sent: { at: number; method: string; path: string }[];
  /** Bot requests the server has seen, as `METHOD /path`. */
  asked(pattern: RegExp): string[];
  /** The owner writes a message and it becomes a job, which starts; its id. */
  job(process: Process, prompt?: string): Promise<string>;
  succeed(process: Process, jobId: string): Promise<void>;
}

/** `refusals`: this test has Discord refuse something, so a refused request is no breach of its contract. */
export async function openPostBench(options: { refusals?: boolean } = {}): Promise<PostBench> {
  const clock = createFakeClock();
  const judge = contract(options);
  // Where a fault cut the connection there was no answer to judge.
  const exchange = (one: Exchange): void => void (one.status !== 0 && judge.observe.exchange(one));
  const sandbox = await startSandbox({ clock, observe: { ...judge.observe, exchange } });
  const processes: Process[] = [];
  onTestFinished(async () => {
    for (const process of processes) process.kill();
    await sandbox.close();
    judge.assertClean();
  });
  const journal = createMemoryJournal(clock);
  const flying = new Set<Promise<unknown>>();
  const sent: PostBench["sent"] = [];
  let killing: { process: () => Process; request: (method: string, path: string) => boolean } | null = null;
  const owner = sandbox.channel(sandbox.channelId).user(sandbox.ownerId);
  const thread = await owner.createThread("session");

  function fetcher(isDead: () => boolean) {
    return async (url: string, init: RequestInit): Promise<Response> => {
      if (isDead()) return new Promise<Response>(() => undefined);
      sent.push({ at: clock.monotonic(), method: init.method ?? "", path: new URL(url).pathname });
      const answer = fetch(url, init).then(async (response) => ({ response, text: await response.text() }));
      const settled: Promise<unknown> = answer.catch(() => undefined).finally(() => flying.delete(settled));
      flying.add(settled);
      const { response, text } = await answer;
      if (killing?.request(init.method ?? "", new URL(url).pathname)) {
        killing.process().kill();
        killing = null;
      }
      if (isDead()) return new Promise<Response>(() => undefined);
      return new Response(text === "" ? null : text, { status: response.status, headers: response.headers });
    };
  }

  function start(view: View, { keepers = false }: { keepers?: boolean } = {}): Process {
    const { engine, kill } = journal.open();
    let dead = false;
    const log = silentLog;
    const rest = openRest({ token: sandbox.botToken, api: sandbox.api, clock, log, onUnauthorized: () => undefined, fetch: fetcher(() => dead), random: () => 0.5 });
    const common = { engine, rest, clock, log, botId: sandbox.botId };
    const signals = createSignals<JobSignal>();
    const nothing = createSignals<JobSignal>();
    const editIntervalMs = (): number => 1200;
    const stream = openStream({ ...common, signals: keepers ? signals : nothing, editIntervalMs, changed: (id) => outbox.look(id) });
    const outbox = openOutbox({ ...common, ownerId: sandbox.ownerId, locale: "en", editIntervalMs, owed: (id) => view(engine, id, stream) });
    const reactions = openReactions(keepers ? common : { ...common, botId: "" });
    const process: Process = {
      engine,
      rest,
      outbox,
      reactions,
      stream,
      signals,
      kill() {
        dead = true;
        kill();
        void stream.close();
      },
    };
    processes.push(process);
    return process;
  }

  async function until(fact: () => boolean): Promise<void> {
    for (;;) {
      for (let turn = 0; turn < 4; turn += 1) await clock.settle();
      if (fact()) return;
      if (flying.size > 0) await Promise.race(flying);
      else await clock.step();
    }
  }

  async function run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const mark = (): void => void (settled = true);
    promise.then(mark, mark);
    await until(() => settled);
    return promise;
  }

  const bench: PostBench = {
    clock,
    sandbox,
    journal,
    threadId: thread.id,
    owner: sandbox.channel(thread.id).user(sandbox.ownerId),
    sent,
    start,
    run,
    until,
    killAt: (process, request) => void (killing = { process, request }),
    said: (channelId = thread.id) => sandbox.messages(channelId).filter(({ author }) => author.id === sandbox.botId),
    asked: (pattern) =>
      sandbox.requests
        .filter(({ auth }) => auth === "bot")
        .map(({ method, path }) => `${method} ${path}`)
        .filter((line) => pattern.test(line)),
    async job({ engine }, prompt = "hello") {
      const message = await bench.owner.send(prompt);
      await engine.submit({ type: "hear", thread_id: thread.id, discord_message_id: message.id, prompt, attachments: [] });
      return Object.keys(engine.state.jobs).at(-1) ?? "";
    },
    async succeed({ engine }, job_id) {
      await engine.submit({ type: "complete", job_id, result_excerpt: "", result_sha256: "00", model: null, usage: null });
      await engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
    },
  };
  await seed(journal, sandbox, thread.id);
  return bench;
}

/** A body of plain words, as an agent's. */
export function words(content: string): Body {
  return { content, embeds: [], components: [], flags: 4, allowed_mentions: { parse: [], replied_user: false } };
}

/** Something owed, a job's answer unless told otherwise. */
export function owes(bench: PostBench, subject: string, content: string, more: Partial<Owed> = {}): Owed {
  const since = bench.clock.now();
  const want = { kind: "show", body: words(content) } as const;
  return { subject, part: "answer:0", thread_id: bench.threadId, lane: "result", want, reply_to: null, since, live: false, ...more };
}

async function seed(journal: MemoryJournal, sandbox: Sandbox, threadId: string): Promise<void> {
  const { engine } = journal.open();
  const at = "2026-03-01T00:00:00.000Z";
  const project = { name: "app", path: "/app", enabled_tools: ["claude"], default_tool: "claude", default_args: {}, created_at: at, updated_at: at };
  await engine.submit({ type: "adopt_projects", projects: [project] });
  const ids = { channel_id: sandbox.channelId, guild_id: sandbox.guildId, bot_id: sandbox.botId };
  await engine.submit({ type: "start_session", request_id: "1", project_name: "app", ...ids });
  await engine.submit({ type: "open_session", request_id: "1", thread_id: threadId });
}
