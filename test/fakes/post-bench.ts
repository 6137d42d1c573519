/**
 * The posting half of the daemon against the strict local Discord over real HTTP, on a clock that stands still
 * while a request is under way: a session's thread, an engine on a journal in memory, and a process that can be
 * killed at any request and started again from its events.
 */
import type { APIMessage } from "discord-api-types/v10";
import { onTestFinished } from "vitest";
import { silentLog, type Log } from "../../src/base/log.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createLiveEvents, type JobLiveEvent, type LiveEvents } from "../../src/engine/live.ts";
import { openDirectChannel } from "../../src/discord/intake/direct-messages.ts";
import { openPostSync, type PostSync } from "../../src/discord/delivery/sync-posts.ts";
import type { Body, DesiredPost } from "../../src/discord/views/message.ts";
import { openReactions, type Reactions } from "../../src/discord/delivery/reactions.ts";
import { openRest, type Rest } from "../../src/discord/api/rest.ts";
import { openStream, type Stream } from "../../src/discord/delivery/live-stream.ts";
import { openTyping } from "../../src/discord/bot-posts.ts";
import { startSandbox, type Exchange, type Sandbox } from "discord-sandbox";
import { contract } from "../../packages/discord-sandbox/test/contract/contract.ts";
import { botContext } from "./bot-context.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { createMemoryJournal, type MemoryJournal } from "./memory-journal.ts";
import { noSecrets } from "./no-secrets.ts";

export type View = (engine: Engine, threadId: string, stream: Stream) => DesiredPost[];

export interface Process {
  engine: Engine;
  rest: Rest;
  postSync: PostSync;
  reactions: Reactions;
  stream: Stream;
  liveEvents: LiveEvents<JobLiveEvent>;
  /** No promise of it is kept from here on. */
  kill(): void;
}

type KillAt = { process: () => Pick<Process, "kill">; request: (method: string, path: string) => boolean };

/** `refusals`: this test has Discord refuse something, so a refused request is no breach of its contract. */
export async function openPostBench(options: { refusals?: boolean } = {}): Promise<PostBench> {
  const clock = createFakeClock();
  const judge = contract(options);
  // Where a fault cut the connection there was no answer to judge.
  const exchange = (one: Exchange): void => void (one.status !== 0 && judge.observe.exchange(one));
  const sandbox = await startSandbox({ clock, observe: { ...judge.observe, exchange } });
  const thread = await sandbox.channel(sandbox.channelId).user(sandbox.ownerId).createThread("session");
  const bench = new PostBench(clock, sandbox, thread.id);
  onTestFinished(async () => {
    bench.killAll();
    await sandbox.close();
    judge.assertClean();
  });
  await seed(bench.journal, sandbox, thread.id);
  return bench;
}

export class PostBench {
  readonly clock: FakeClock;
  readonly sandbox: Sandbox;
  readonly threadId: string;
  readonly journal: MemoryJournal;
  /** The owner, writing in the thread. */
  readonly owner: ReturnType<ReturnType<Sandbox["channel"]>["user"]>;
  /** Requests as they left, with the clock's time. */
  readonly sent: { at: number; method: string; path: string }[] = [];
  readonly #processes: Process[] = [];
  readonly #flying = new Set<Promise<unknown>>();
  #killing: KillAt | null = null;

  constructor(clock: FakeClock, sandbox: Sandbox, threadId: string) {
    this.clock = clock;
    this.sandbox = sandbox;
    this.threadId = threadId;
    this.journal = createMemoryJournal(clock);
    this.owner = sandbox.channel(threadId).user(sandbox.ownerId);
  }

  /** A process as after a restart. `reconcilers`: with the stream and the reactions, too. */
  start(view: View, { keepers = false, log = silentLog }: { keepers?: boolean; log?: Log } = {}): Process {
    const { clock, sandbox } = this;
    const { engine, kill } = this.journal.open();
    let dead = false;
    const wire = (url: string, init: RequestInit): Promise<Response> => this.#fetch(url, init, () => dead);
    const rest = openRest({
      redactor: noSecrets,
      token: sandbox.botToken,
      api: sandbox.api,
      clock,
      log,
      onUnauthorized: () => undefined,
      fetch: wire,
      random: () => 0.5,
    });
    const liveEvents = createLiveEvents<JobLiveEvent>();
    const context = botContext({
      engine,
      rest,
      clock,
      log,
      liveEvents: keepers ? liveEvents : createLiveEvents<JobLiveEvent>(),
      botId: sandbox.botId,
      ownerId: sandbox.ownerId,
    });
    const stream = openStream(context, (id) => postSync.syncThread(id));
    const postSync = openPostSync(context, {
      openDirect: openDirectChannel(context).open,
      plan: (id) => view(engine, id, stream),
      onPosted: (at, id) => stream.onMessagePosted(at, id),
    });
    const reactions = openReactions(keepers ? context : { ...context, botId: "" });
    const typing = openTyping(context);
    const die = (): void => {
      dead = true;
      kill();
      void stream.close();
      typing.close();
    };
    const process: Process = { engine, rest, postSync, reactions, stream, liveEvents, kill: die };
    this.#processes.push(process);
    return process;
  }

  /** Lets time go on, but never past a request under way, until the fact holds. */
  async until(fact: () => boolean): Promise<void> {
    for (;;) {
      for (let turn = 0; turn < 4; turn += 1) await this.clock.settle();
      if (fact()) return;
      if (this.#flying.size > 0) await Promise.race(this.#flying);
      else await this.clock.step();
    }
  }

  /** The same until a promise is settled. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const mark = (): void => void (settled = true);
    promise.then(mark, mark);
    await this.until(() => settled);
    return promise;
  }

  /** The same for so long. */
  async wait(ms: number): Promise<void> {
    const end = this.clock.monotonic() + ms;
    this.clock.after(ms, () => undefined);
    await this.until(() => this.clock.monotonic() >= end);
  }

  /** Kills the process when this request's answer is here, before it hears of it. */
  killAt(process: KillAt["process"], request: KillAt["request"]): void {
    this.#killing = { process, request };
  }

  killAll(): void {
    for (const process of this.#processes) process.kill();
  }

  /** What the bot has in a channel, oldest first. */
  said(channelId = this.threadId): APIMessage[] {
    return this.sandbox.messages(channelId).filter(({ author }) => author.id === this.sandbox.botId);
  }

  /** Bot requests the server has seen, as `METHOD /path`. */
  asked(pattern: RegExp): string[] {
    const bots = this.sandbox.requests.filter(({ auth }) => auth === "bot");
    return bots.map(({ method, path }) => `${method} ${path}`).filter((line) => pattern.test(line));
  }

  /** The owner writes a message and it becomes a job, which starts where it may; its id. */
  async job({ engine }: Process, prompt = "hello"): Promise<string> {
    const message = await this.owner.send(prompt);
    await engine.submit({
      type: "hear",
      thread_id: this.threadId,
      discord_message_id: message.id,
      prompt,
      files: [],
      refused_files: [],
      reply_to: null,
    });
    return Object.keys(engine.state.jobs).at(-1) ?? "";
  }

  async succeed({ engine }: Process, job_id: string): Promise<void> {
    await engine.submit({
      type: "complete",
      job_id,
      result_excerpt: "",
      result_sha256: "00",
      model: null,
      usage: null,
    });
    await engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
  }

  /** The wire of one process. A dead one's requests are never sent, and never answered. */
  async #fetch(url: string, init: RequestInit, isDead: () => boolean): Promise<Response> {
    if (isDead()) return new Promise<Response>(() => undefined);
    const { method = "" } = init;
    const path = new URL(url).pathname;
    this.sent.push({ at: this.clock.monotonic(), method, path });
    const answer = fetch(
      url,
      Array.isArray(init.body) ? { ...init, body: new Blob(init.body as Uint8Array<ArrayBuffer>[]) } : init,
    ).then(async (response) => ({ response, text: await response.text() }));
    const settled: Promise<unknown> = answer.catch(() => undefined).finally(() => this.#flying.delete(settled));
    this.#flying.add(settled);
    const { response, text } = await answer;
    if (this.#killing?.request(method, path)) {
      this.#killing.process().kill();
      this.#killing = null;
    }
    if (isDead()) return new Promise<Response>(() => undefined);
    return new Response(text === "" ? null : text, { status: response.status, headers: response.headers });
  }
}

/** A body of plain words, as an agent's. */
export function words(content: string): Body {
  return { content, embeds: [], components: [], flags: 4, allowed_mentions: { parse: [], replied_user: false } };
}

/** Something owed, a job's answer unless told otherwise; what it says is its name as well. */
export function owes(bench: PostBench, subject: string, content: string, more: Partial<DesiredPost> = {}): DesiredPost {
  const since = bench.clock.now();
  const want = { kind: "show", body: words(content) } as const;
  const is = more.want && more.want.kind !== "show" ? more.want.kind : more.live ? "growing" : content;
  return {
    subject,
    part: "answer:0",
    thread_id: bench.threadId,
    priority: "result",
    want,
    is: is === "remove" ? "removed" : is,
    news: { kind: "told" },
    reply_to: null,
    since,
    live: false,
    ...more,
  };
}

async function seed(journal: MemoryJournal, sandbox: Sandbox, threadId: string): Promise<void> {
  const { engine } = journal.open();
  const at = "2026-03-01T00:00:00.000Z";
  const project = {
    name: "app",
    path: "/app",
    enabled_tools: ["claude"],
    default_tool: "claude",
    default_args: {},
    created_at: at,
    updated_at: at,
  };
  await engine.submit({ type: "adopt_projects", projects: [project] });
  const ids = { channel_id: sandbox.channelId, guild_id: sandbox.guildId, bot_id: sandbox.botId };
  await engine.submit({ type: "start_session", request_id: "1", project_name: "app", ...ids });
  await engine.submit({ type: "open_session", request_id: "1", thread_id: threadId });
}
