/**
 * Threads that remember what was written in them, and a listener that can be taken away and come back: as a connection
 * that was lost, or as a daemon that was killed and starts from its events. Nothing runs, so every accepted message
 * stays a job in its queue.
 */
import type { APIMessage, GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import { compareSnowflakes } from "../../../src/base/ids.ts";
import { defaultConfig, type Config } from "../../../src/config/config-file.ts";
import type { RecordedEvent } from "../../../src/core/state.ts";
import type { Rules } from "../../../src/core/jobs/job.ts";
import type { CatchUpOptions } from "../../../src/discord/intake/catch-up.ts";
import { Listener } from "../../../src/discord/intake/listener.ts";
import type { UploadResult, Uploads } from "../../../src/discord/intake/uploads.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal, type MemoryJournal } from "../../fakes/memory-journal.ts";
import { part } from "../../fakes/part.ts";

export const OWNER = "100000000000000001";
export const GUILD = "200000000000000001";
export const BOT = "3";
/** Places without a session: the owner's direct messages, a watched channel, the thread of a question. */
export const DIRECT = "310000000000000001";
export const WATCHED = "310000000000000002";
export const ASKED = "310000000000000003";

export type Spoken = GatewayMessageCreateDispatchData;

export interface SceneOptions {
  threads?: number;
  rules?: Partial<Rules>;
  take?: (message: Pick<APIMessage, "id" | "attachments">) => Promise<UploadResult>;
  unreadable?: CatchUpOptions["unreadable"];
  inboxFrom?: "owner" | "anyone";
}

export class ListenerScene {
  readonly clock: FakeClock = createFakeClock();
  readonly threads: string[];
  /** What stands in each thread, oldest first. */
  readonly written = new Map<string, Spoken[]>();
  /** Every page asked for, in order, as `thread after`; and every single message. */
  readonly reads: string[] = [];
  readonly ones: string[] = [];
  /** How a single message is looked up instead. */
  lookUp: (() => Promise<null>) | null = null;
  /** Channels that this bot watches although another one began. */
  readonly watches = new Set<string>();
  /** What became of each message that was heard outside of a session. */
  readonly accepted: string[][] = [];
  /** Set to have the next reads of a thread refused. */
  readonly refused = new Map<string, Error>();
  engine!: Engine;
  listener!: Listener;
  readonly #options: SceneOptions;
  readonly #rules: Rules;
  readonly #journal: MemoryJournal;
  #kill = (): void => undefined;
  #lastId = 900_000_000_000_000_000n;

  constructor(options: SceneOptions = {}) {
    this.#options = options;
    this.#rules = {
      max_queue_per_session: 20_000,
      global_max_running: 0,
      after_crash: "wait",
      resume_after_limit: "ask",
      max_prompt_chars: 200_000,
      ...options.rules,
    };
    this.#journal = createMemoryJournal(this.clock, this.#rules);
    this.threads = Array.from({ length: options.threads ?? 1 }, (_, index) =>
      String(300_000_000_000_000_000n + BigInt(index)),
    );
    for (const thread of this.threads) this.written.set(thread, []);
  }

  static async open(options: SceneOptions = {}): Promise<ListenerScene> {
    const scene = new ListenerScene(options);
    scene.#begin();
    for (const [index, thread_id] of scene.threads.entries()) await scene.#session(thread_id, String(index));
    return scene;
  }

  /** Everything that is on disk. */
  get events(): readonly RecordedEvent[] {
    return this.#journal.events;
  }

  get thread(): string {
    return this.threads[0] ?? "";
  }

  /** The daemon is killed and starts again from what it had written down. */
  async restart(): Promise<void> {
    this.listener.close();
    this.#kill();
    this.#begin();
    await this.engine.submit({ type: "restart" });
  }

  /** Somebody writes, the owner unless told otherwise; nobody hears it yet. */
  write(over: Partial<APIMessage> = {}, thread = this.thread): Spoken {
    this.#lastId += 10n;
    const author = { id: OWNER, username: "owner", discriminator: "0", global_name: null, avatar: null };
    const message = {
      id: String(this.#lastId),
      channel_id: thread,
      content: `prompt ${this.#lastId}`,
      author,
      type: 0,
      attachments: [],
      ...over,
    };
    const spoken = { guild_id: GUILD, mentions: [], ...message } as unknown as Spoken;
    this.written.get(thread)?.push(spoken);
    return spoken;
  }

  /** Its words are changed where it stands; nobody hears of it yet. */
  edit(message: Spoken, content: string): Spoken {
    message.content = content;
    return message;
  }

  /** It is taken away; nobody hears of it yet. */
  delete({ id, channel_id }: Spoken): void {
    const there = this.written.get(channel_id) ?? [];
    this.written.set(
      channel_id,
      there.filter((one) => one.id !== id),
    );
  }

  /**
   * Direct messages and a watched channel are opened, and so many questions asked, each in its own thread or all in
   * one.
   */
  async openPlaces({ questions = 1, bot_id = BOT }: { questions?: number; bot_id?: string } = {}): Promise<void> {
    for (const id of [DIRECT, WATCHED, ASKED]) this.written.set(id, []);
    const { engine } = this;
    const since = String(this.#lastId);
    await engine.submit({ type: "open_channel", channel_id: DIRECT, guild_id: null, bot_id, kind: "direct", since });
    await engine.submit({ type: "open_channel", channel_id: WATCHED, guild_id: GUILD, bot_id, kind: "watched", since });
    for (let number = 1; number <= questions; number += 1) await this.ask(`q${number}`, bot_id);
  }

  /** A question with the options A and B, in the thread for questions. */
  async ask(decision_id: string, bot_id = BOT): Promise<void> {
    const options = ["A) Now", "B) Later"].map((label) => ({ label, description: "" }));
    await this.engine.submit({
      type: "ask",
      decision_id,
      kind: "question",
      thread_id: null,
      context: "",
      lapses_at: null,
      subject: null,
      asker: {
        by: "mcp",
        project: decision_id,
        pending_dir: "/p",
        timeout_seconds: null,
        wanted_thread: null,
        channel_id: WATCHED,
        bot_id,
      },
      questions: [{ question: "Deploy?", header: "", options, many: false, words: true }],
    });
    await this.engine.submit({
      type: "place_decision",
      decision_id,
      thread_id: ASKED,
      channel_id: WATCHED,
      guild_id: GUILD,
      bot_id,
      since: String(this.#lastId),
    });
  }

  /** Everything heard so far is on disk, and everything to be read has been. */
  async quiet(): Promise<void> {
    let over = false;
    const settled = this.listener.whenCaughtUp().then(() => (over = true));
    while (!over) {
      await this.clock.settle();
      if (!over && this.clock.armed > 0) await this.clock.step();
    }
    await settled;
    await this.clock.settle();
  }

  /** What waits in a thread, in its order. */
  queue(thread = this.thread): string[] {
    return (this.engine.state.sessions[thread]?.queue ?? []).map((id) => this.engine.state.jobs[id]?.prompt ?? "?");
  }

  /** What stands in a thread. */
  contents(thread = this.thread): string[] {
    return (this.written.get(thread) ?? []).map(({ content }) => content);
  }

  #begin(): void {
    const { engine, kill } = this.#journal.open();
    this.engine = engine;
    this.#kill = kill;
    const { max_queue_per_session } = this.#rules;
    const config: Config = {
      ...defaultConfig(),
      inbox_from: this.#options.inboxFrom ?? "owner",
      limits: { ...defaultConfig().limits, max_queue_per_session },
    };
    const own = { ownerId: OWNER, guildId: GUILD, botId: BOT };
    this.listener = new Listener(botContext({ engine, clock: this.clock, ...own, config: () => config }), {
      watches: this.watches,
      accepted: (channel, id, events) => this.accepted.push([channel, id, ...events.map(({ type }) => type)]),
      uploads: part<Uploads>({
        download: (_session, _channel, message) =>
          this.#options.take?.(message) ?? Promise.resolve({ files: [], refused: [] }),
        readText: () => Promise.resolve(null),
      }),
      read: async (channel, after) => this.#page(channel, after),
      one: async (channel, id) => {
        this.ones.push(id);
        if (this.lookUp) return this.lookUp();
        return (this.written.get(channel) ?? []).find((one) => one.id === id) ?? null;
      },
      unreadable: this.#options.unreadable ?? (() => "gone"),
    });
  }

  #page(channel: string, after: string): APIMessage[] {
    this.reads.push(`${channel} ${after}`);
    const refusal = this.refused.get(channel);
    if (refusal) throw refusal;
    const later = (this.written.get(channel) ?? []).filter(({ id }) => compareSnowflakes(id, after) > 0);
    return structuredClone(later.slice(0, 100)).reverse();
  }

  async #session(thread_id: string, request_id: string): Promise<void> {
    const { engine } = this;
    if (!engine.state.projects["app"]) {
      const project = {
        name: "app",
        path: "/app",
        enabled_tools: ["claude"],
        default_tool: "claude",
        default_args: {},
      };
      await engine.submit({ type: "create_project", project });
    }
    await engine.submit({
      type: "start_session",
      request_id,
      project_name: "app",
      channel_id: "2",
      guild_id: GUILD,
      bot_id: "3",
    });
    await engine.submit({ type: "open_session", request_id, thread_id });
  }
}

/** Each item `copies` times, displaced by fewer than fifty places. */
export function shuffled<T>(items: readonly T[], copies: number, seed: number): T[] {
  const random = chance(seed);
  const placed = items.flatMap((item, index) =>
    Array.from({ length: copies }, () => ({ item, at: index + random() * 49 })),
  );
  return placed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/** Numbers from 0 up to 1, the same for the same seed. */
export function chance(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
