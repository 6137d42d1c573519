/**
 * The post sync: makes Discord show what the state says it should. For each thread that changed it takes the plan of
 * what should stand, finds the difference to what does, and has the steps sent, one post after the other within a
 * thread, all threads in parallel. It holds nothing of its own that a restart would need.
 */
import { kinds, type Kind } from "../../core/slice.ts";
import { isOpen } from "../../core/decisions/decision.ts";
import { PROMPT_PART, subjectsAt, UNKNOWN } from "../../core/posts/post.ts";
import { offeredIn } from "../../core/sessions/adoptions.ts";
import type { State } from "../../core/state.ts";
import { reconcile, type Reconciler } from "../../engine/reconcile.ts";
import { diff, inheritedOf, keyOf, memoryOf, newShownPosts, forgetUndesiredPosts, type ShownPosts } from "./diff.ts";
import { Sender } from "./send.ts";
import type { SendOptions } from "./post-requests.ts";
import type { BotContext } from "../api/bot-context.ts";
import { priorities, type Priority } from "../api/rate-limits.ts";
import { withCommands } from "../views/command-mentions.ts";
import { withHeadline, type DesiredPost } from "../views/message.ts";
import { calledFor, withMention } from "../views/rings.ts";
import { failureKind } from "../api/transport.ts";
import { isThreadOfBot } from "../../core/sessions/thread.ts";
import { inServer, type Away } from "./in-server.ts";

export interface PostSyncOptions extends SendOptions {
  /** What should be posted in a thread, in the order of posting. */
  plan(thread_id: string): Promise<DesiredPost[]> | DesiredPost[];
  whenPresent?: Away;
}

export interface PostSync {
  /**
   * Something that is not in the state has changed for this thread (streamed text), or a channel is to be looked
   * at.
   */
  syncThread(thread_id: string): void;
  /**
   * These messages were deleted. A prompt that waits for its answer is posted again: without it nobody could answer.
   */
  onMessagesDeleted(messageIds: readonly string[]): void;
  /** Resolves when everything owed to this thread is in Discord, or given up. */
  whenDelivered(thread_id: string): Promise<void>;
  /** The same for all threads. */
  idle(): Promise<void>;
  /** Withdraws what waits, and lets what is in flight be recorded. Close `rest` at the same time, not after. */
  close(): Promise<void>;
}

export function openPostSync(context: BotContext, options: PostSyncOptions): PostSync {
  return new SyncedPosts(context, options);
}

/** What no post of a thread, or of the owner's channel, shows. */
const UNSHOWN: ReadonlySet<Kind> = new Set(["told", "start", "inbox", "agent_post", "daemon"]);
const SHOWN = kinds.filter((kind) => !UNSHOWN.has(kind));

class SyncedPosts implements PostSync {
  readonly #context: BotContext;
  readonly #options: PostSyncOptions;
  readonly #sender: Sender;
  readonly #shown = new Map<string, ShownPosts>();
  readonly #waiters = new Set<() => void>();
  readonly #loop: Reconciler;
  #closed = false;

  constructor(context: BotContext, options: PostSyncOptions) {
    const { panelId } = context;
    const channelId = ownersChannel(context);
    this.#context = context;
    this.#options = options;
    this.#sender = new Sender(context, options, (shownPosts, ms) => this.#lookLater(shownPosts, ms));
    this.#loop = reconcile({
      ...context,
      failure: "the posts of a thread could not be brought up to date",
      details: (thread_id) => ({ thread_id }),
      follows: {
        kinds: SHOWN,
        all: (state) => [
          ...Object.keys(state.threads),
          ...Object.keys(state.channels).filter((id) => isDirect(state, id)),
          ...Object.values(state.adoptions).map(({ channel_id }) => channel_id),
          ...new Set([channelId, panelId].filter((id) => id !== undefined)),
        ],
        about: (topic, state) => this.#news(topic === "projects" ? (channelId ?? "") : topic, state),
      },
      step: (id, again, changed) =>
        this.#isOurs(id)
          ? inServer(options.whenPresent, changed, () => this.#pass(this.#shownIn(id, again), changed))
          : null,
    });
    this.#loop.start();
  }

  syncThread(thread_id: string): void {
    this.#markBusy(thread_id);
    this.#loop.markChanged(thread_id);
  }

  onMessagesDeleted(messageIds: readonly string[]): void {
    const { posts, decisions } = this.#context.engine.state;
    for (const id of messageIds) {
      for (const subject of subjectsAt(posts, id)) {
        const decision = decisions[subject];
        if (!decision?.thread_id || !isOpen(decision) || posts[subject]?.[PROMPT_PART]?.message_id !== id) continue;
        const memory = this.#shown.get(decision.thread_id)?.memory.get(keyOf({ subject, part: PROMPT_PART }));
        // Its edit then finds it gone.
        if (memory) memory.shown = UNKNOWN;
        this.syncThread(decision.thread_id);
      }
    }
  }

  whenDelivered(thread_id: string): Promise<void> {
    return this.#when(() => this.#shown.get(thread_id)?.busy !== true);
  }

  idle(): Promise<void> {
    return this.#when(() => ![...this.#shown.values()].some(({ busy }) => busy));
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#tellWaiters();
    return this.#loop.close();
  }

  #news(id: string, state: State): string[] {
    return this.#markBusy(id) || state.threads[id] || isDirect(state, id) || offeredIn(state, id).length > 0
      ? [id]
      : [];
  }

  /** Whether it is known. It is busy from the moment it changes. */
  #markBusy(id: string): boolean {
    const shownPosts = this.#shown.get(id);
    if (shownPosts) shownPosts.busy = true;
    return shownPosts !== undefined;
  }

  #isOurs(id: string): boolean {
    const { engine, botId } = this.#context;
    const { threads, channels } = engine.state;
    return threads[id] ? isThreadOfBot(engine.state, id, this.#context) : (channels[id]?.bot_id ?? botId) === botId;
  }

  /** `again`: an earlier process may have posted there. It may also have where Bellhop did not make the place. */
  #shownIn(id: string, again: boolean): ShownPosts {
    const { state } = this.#context.engine;
    const shownPosts =
      this.#shown.get(id) ?? newShownPosts(id, !again && (state.threads[id] !== undefined || isDirect(state, id)));
    this.#shown.set(id, shownPosts);
    return shownPosts;
  }

  /** Returns in how many milliseconds to look again, if anything is to do later. */
  async #pass(shownPosts: ShownPosts, changed: AbortSignal): Promise<number | null> {
    shownPosts.busy = true;
    shownPosts.signal = changed;
    shownPosts.lookAt = Number.POSITIVE_INFINITY;
    shownPosts.tryAt = Number.POSITIVE_INFINITY;
    try {
      await this.#mendAll(shownPosts, changed);
    } catch (error) {
      shownPosts.lookAt = Number.POSITIVE_INFINITY;
      shownPosts.tryAt = Number.POSITIVE_INFINITY;
      this.#onRefused(error);
    } finally {
      const { lookAt, background } = shownPosts;
      shownPosts.busy = changed.aborted || background.size > 0 || lookAt < Number.POSITIVE_INFINITY;
      this.#tellWaiters();
    }
    const next = Math.min(shownPosts.lookAt, shownPosts.tryAt);
    return next < Number.POSITIVE_INFINITY ? next - this.#context.clock.monotonic() : null;
  }

  async #mendAll(shownPosts: ShownPosts, changed: AbortSignal): Promise<void> {
    const { engine, clock, config } = this.#context;
    const { decisions } = engine.state;
    const all = (await this.#options.plan(shownPosts.thread_id)).map((one) => {
      if (one.want.kind !== "show") return one;
      // What is asked is shown as it was asked.
      const said = decisions[one.subject] ? one.want.body : withCommands(one.want.body, this.#context.commandIds);
      const body = one.news === undefined ? said : withHeadline(said);
      return { ...one, want: { ...one.want, body: withMention(body, calledFor(this.#context, one.news)) } };
    });
    shownPosts.inherited ??= inheritedOf(engine.state, all);
    forgetUndesiredPosts(shownPosts, all);
    const inOrder = shownPosts.reading?.isDone
      ? all
      : [...all.filter((one) => !isOnlySought(one)), ...all.filter(isOnlySought)];
    for (const [index, desired] of inOrder.entries()) {
      if (changed.aborted) return;
      const editIntervalMs = config().limits.status_edit_min_interval_ms;
      const moment = { now: clock.now(), monotonic: clock.monotonic(), editIntervalMs };
      const step = diff(engine.state, desired, shownPosts, moment);
      const priority = mostUrgent(inOrder.slice(index));
      await this.#sender.send(step, { desired, shownPosts, priority, memory: memoryOf(shownPosts, desired) });
    }
  }

  /** Without Discord there is nothing to try again. */
  #onRefused(error: unknown): void {
    const kind = failureKind(error);
    if (kind !== "closed" && kind !== "unauthorized") throw error;
    void this.close();
  }

  #lookLater(shownPosts: ShownPosts, ms: number): void {
    if (ms <= 0) this.syncThread(shownPosts.thread_id);
    else shownPosts.lookAt = Math.min(shownPosts.lookAt, this.#context.clock.monotonic() + ms);
  }

  #tellWaiters(): void {
    for (const ask of this.#waiters) ask();
  }

  /** Resolves when the condition holds, or when all work ends. */
  #when(fact: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const ask = (): void => {
        if (!this.#closed && !this.#context.engine.over && !fact()) return;
        this.#waiters.delete(ask);
        resolve();
      };
      this.#waiters.add(ask);
      ask();
    });
  }
}

/** The channel with the welcome, if there is one; looked at again when the projects change. */
export function ownersChannel({ role, channelId }: BotContext): string | undefined {
  return role === "serves" ? channelId : undefined;
}

function isDirect(state: State, id: string): boolean {
  return state.channels[id]?.kind === "direct";
}

/** What is only looked for: nothing waits until the channel is read for that. */
function isOnlySought({ want }: DesiredPost): boolean {
  return want.kind === "found" && want.grown === true;
}

function mostUrgent(desired: readonly DesiredPost[]): Priority {
  return priorities.find((priority) => desired.some((one) => one.priority === priority)) ?? "cosmetic";
}
