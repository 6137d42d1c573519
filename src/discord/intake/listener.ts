/**
 * The listener: takes what the owner writes in our threads, in watched channels or in direct messages, live or read
 * back, and processes it in the order written. A channel is either caught up, and gateway messages are processed as
 * they arrive, or it is being read from its watermark, and a gateway message only says that there is more to read.
 */
import type { APIMessage, GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import { withTimeout } from "../../base/clock.ts";
import { compareSnowflakes } from "../../base/ids.ts";
import { authorize, speakerOf } from "./authorize.ts";
import { CatchUp, type CatchUpOptions, type UnreadThreads, newChannel, type ChannelCatchUp } from "./catch-up.ts";
import { hasContent, MessageAcceptor, reopenedBy, type AcceptorOptions, type Reopened } from "./accept-message.ts";
import type { BotContext } from "../api/bot-context.ts";
import { isChangeKeptOut } from "../../core/jobs/lock.ts";
import { opensThreads } from "../../core/projects/project.ts";
import { openDecisions } from "../../core/decisions/decision.ts";
import type { State } from "../../core/state.ts";
import { isThreadOfBot, threadOn, type ThreadsOfBot } from "../../core/sessions/thread.ts";

export interface ListenerOptions extends CatchUpOptions, AcceptorOptions {
  /** Channels that this bot was asked to watch too, though another bot watched them first. */
  watches?: ReadonlySet<string>;
}

/** An edited message from the gateway: possibly only its id and its new content. */
export type Edit = Pick<APIMessage, "id" | "channel_id"> & Partial<APIMessage> & { guild_id?: string };

/** Ids kept above the watermark, more than Discord ever reorders; and the number at which the watermark is advanced. */
const KEPT_ABOVE = 64;
const TOO_MANY_ABOVE = 96;
/** The last edited messages of which the time of the newest edit is known. */
const KEPT_EDITS = 1_000;
const READ_ANEW_MS = 1_000;
/** How long a message is looked up: its owner waits for it, who has pressed a button, or what he has written since. */
const LOOK_UP_MS = 8_000;

export class Listener {
  readonly #context: BotContext;
  readonly #options: ListenerOptions;
  readonly #acceptor: MessageAcceptor;
  readonly #catchUp: CatchUp;
  readonly #channels = new Map<string, ChannelCatchUp>();
  /** When the edited messages were last edited, in milliseconds since the epoch. */
  readonly #editedAt = new Map<string, number>();
  readonly #unwatch: () => void;
  /** Before the gateway is first live, rechecked messages could change without an event. */
  #begun = false;
  #closed = false;

  constructor(context: BotContext, options: ListenerOptions) {
    this.#context = context;
    this.#options = options;
    this.#acceptor = new MessageAcceptor(context, options, (channel, id) =>
      withTimeout(context.clock, LOOK_UP_MS, options.one(channel, id)),
    );
    this.#catchUp = new CatchUp(context, options, this.#acceptor);
    this.#unwatch = context.engine.watch(
      ["place", "session", "project", "decision", "run", "end", "wait"],
      (topics) => {
        for (const topic of this.#begun ? topics : []) {
          const channel = this.#channelById(topic);
          if (channel && channel.is !== "failed") this.#catchUp.enqueue(channel);
        }
      },
    );
  }

  get left(): UnreadThreads {
    return this.#catchUp.left;
  }

  /** Reopens a closed session with a message that it refused. */
  async reopen(threadId: string, messageId: string): Promise<Reopened> {
    const { engine, ownerId } = this.#context;
    const message = await this.#options.one(threadId, messageId);
    if (message?.author.id === ownerId) return this.#acceptor.reopen(threadId, message);
    return reopenedBy(await engine.submit({ type: "reopen_session", thread_id: threadId }));
  }

  /** Sends a message that was held back to the agent. Resolves with false if it is gone, or was sent already. */
  async sendHeld(threadId: string, messageId: string): Promise<boolean> {
    const message = await this.#options.one(threadId, messageId);
    return (
      message !== null &&
      authorize(this.#context, { kind: "read_back", message }) &&
      this.#acceptor.sendHeld(threadId, message)
    );
  }

  /**
   * The words that a message of the owner's has now; undefined if it has none, is not his or is gone, or if Discord
   * does not tell in time. Never rejects.
   */
  async wordsNow(threadId: string, messageId: string): Promise<string | undefined> {
    const { clock, log } = this.#context;
    const looked = this.#options
      .one(threadId, messageId)
      .catch(
        (error: unknown) =>
          void log.warn("a message could not be looked up", { message_id: messageId, reason: String(error) }),
      );
    const message = await withTimeout(clock, LOOK_UP_MS, looked);
    return message &&
      authorize(this.#context, { kind: "read_back", message }) &&
      hasContent(message) &&
      !isChangeKeptOut(this.#context.engine.state, message.edited_timestamp)
      ? message.content
      : undefined;
  }

  /** Whether a message's files are being fetched. */
  isUnderWay(messageId: string): boolean {
    return this.#acceptor.isUnderWay(messageId);
  }

  /** Handles a message from the gateway. */
  message(message: GatewayMessageCreateDispatchData): void {
    const channel = this.#channelById(message.channel_id);
    if (!channel) return;
    if (!channel.caughtUp) {
      channel.more = true;
      return this.#catchUp.enqueue(channel, true);
    }
    const speaker = speakerOf(this.#context, { kind: "message", message, direct: this.#isDirect(channel.id) });
    channel.order.run(() => {
      // An earlier message failed, or the connection was lost: this one is read back in its turn.
      if (!channel.caughtUp || this.#closed) return void (channel.more = true);
      const slow = this.#acceptor.isSlow(channel.id, message);
      const accepted = this.#acceptor.accept(channel.id, message, speaker).then(() => this.#raise(channel, message.id));
      const over = accepted.catch((error: unknown) => this.#missed(channel, message.id, error));
      return slow ? over : undefined;
    });
  }

  /** Handles an edit from the gateway; also Discord's own, when it adds a link preview. */
  edited(edit: Edit): void {
    const { id, content, attachments = [] } = edit;
    const channel = this.#channelById(threadOn(this.#context.engine.state, edit.channel_id, id));
    if (!channel || typeof content !== "string") return;
    const at = Date.parse(edit.edited_timestamp ?? "");
    // A whole message that was never edited: Discord has added a link preview, or pinned it.
    if (Number.isNaN(at) && edit.timestamp !== undefined) return;
    // An edit without an author is looked up in the channel.
    if (edit.author === undefined) return this.#readAnew(channel, true);
    if (!authorize(this.#context, { kind: "edit", edit, direct: this.#isDirect(channel.id) })) return;
    if (!Number.isNaN(at) && !this.#isNewest(id, at)) return;
    if (!channel.caughtUp) channel.changed.set(id, content);
    this.#change(channel, id, () => this.#acceptor.edit(channel.id, { ...edit, id, content, attachments }));
  }

  /** Updates may arrive out of order: whether none of this message that arrived before is newer. */
  #isNewest(messageId: string, at: number): boolean {
    if (at < (this.#editedAt.get(messageId) ?? 0)) return false;
    this.#editedAt.delete(messageId);
    this.#editedAt.set(messageId, at);
    const [oldest] = this.#editedAt.keys();
    if (this.#editedAt.size > KEPT_EDITS && oldest !== undefined) this.#editedAt.delete(oldest);
    return true;
  }

  /** Handles one or more deleted messages; Discord does not say who deleted them. */
  deleted(channelId: string, ids: readonly string[], gone: { guild_id?: string } = {}): void {
    if (!Array.isArray(ids)) return;
    if (!authorize(this.#context, { kind: "deletion", gone, direct: this.#isDirect(channelId) })) return;
    for (const id of ids) {
      const channel = this.#channelById(threadOn(this.#context.engine.state, channelId, id));
      if (!channel) continue;
      if (!channel.caughtUp) channel.changed.set(id, null);
      this.#change(channel, id, () => this.#acceptor.delete(channel.id, id));
    }
  }

  /**
   * The gateway is connected again: reads back what was written meanwhile; `missed`: edits may have been missed too.
   */
  catchUp({ missed = true }: { missed?: boolean } = {}): void {
    const { engine } = this.#context;
    this.#begun = true;
    for (const id of placesToRead(engine.state, this.#context, this.#options.watches)) {
      const channel = this.#channel(id);
      // What is just being read may have been edited since, and is queued only in a moment.
      this.#readAnew(
        channel,
        missed && (channel.is === "being read" || (engine.state.sessions[id]?.queue.length ?? 0) > 0),
      );
    }
  }

  /**
   * Discord shows a thread that may have been inaccessible. `woke`: it was archived, and is not any more: the message
   * that woke it may not have come.
   */
  onThreadVisible(threadId: string, woke: boolean): void {
    const channel = this.#channelById(threadId);
    if (channel?.is === "failed" || (channel && woke)) this.#readAnew(channel, channel.is === "failed");
  }

  /**
   * Resolves with whether everything written in these channels up to now has been processed. `live`: the gateway
   * delivers messages; otherwise the channels are read first.
   */
  async isAllProcessed(ids: readonly string[], live: boolean): Promise<boolean> {
    const { sessions } = this.#context.engine.state;
    // Until the gateway is live, a session's queued messages may change without an event; its thread is read then.
    const known = ids
      .filter((id) => this.#begun || sessions[id] === undefined)
      .flatMap((id) => this.#channelById(id) ?? []);
    for (const channel of known) {
      if (!live || !this.#begun) this.#readAnew(channel, false);
      else if (!channel.caughtUp) this.#catchUp.enqueue(channel, true);
    }
    await this.#catchUp.until(() => known.every(({ caughtUp, is }) => caughtUp || is === "failed"));
    await Promise.all(known.flatMap(({ order }) => order.busy ?? []));
    return known.every(({ caughtUp }) => caughtUp);
  }

  /** Resolves when every channel is caught up (or waits for room in its queue), and all that arrived is on disk. */
  async whenCaughtUp(): Promise<void> {
    await this.#catchUp.whenAllRead();
    const busy = [...this.#channels.values()].flatMap(({ order }) => order.busy ?? []);
    if (busy.length === 0) return;
    await Promise.all(busy);
    return this.whenCaughtUp();
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#catchUp.close();
  }

  #channelById(id: string): ChannelCatchUp | undefined {
    return listensAt(this.#context.engine.state, id, this.#context, this.#options.watches)
      ? this.#channel(id)
      : undefined;
  }

  #isDirect(id: string): boolean {
    return this.#context.engine.state.channels[id]?.kind === "direct";
  }

  #channel(id: string): ChannelCatchUp {
    let channel = this.#channels.get(id);
    if (!channel) this.#channels.set(id, (channel = newChannel(id)));
    return channel;
  }

  #readAnew(channel: ChannelCatchUp, recheck: boolean): void {
    channel.caughtUp = false;
    channel.more = true;
    channel.ahead = [];
    channel.recheck ||= recheck;
    this.#catchUp.enqueue(channel);
  }

  /** Runs after everything of the channel that is in progress: a message goes before its own edit. */
  #change(channel: ChannelCatchUp, messageId: string, submit: () => Promise<void>): void {
    channel.order.run(() => {
      submit().catch((error: unknown) =>
        this.#context.log.failure("a change of a message could not be processed", error, { message_id: messageId }),
      );
      return undefined;
    });
  }

  /** The message was not written, so nothing from there on may count as read: all since the watermark is read again. */
  #missed(channel: ChannelCatchUp, messageId: string, error: unknown): void {
    const { log, clock } = this.#context;
    if (this.#closed) return;
    log.failure("a message could not be processed", error, { message_id: messageId });
    channel.caughtUp = false;
    channel.more = true;
    clock.after(READ_ANEW_MS, () => this.#catchUp.enqueue(channel));
  }

  /** Advances the watermark behind what was processed, leaving room for events that still arrive out of order. */
  async #raise(channel: ChannelCatchUp, messageId: string): Promise<void> {
    channel.above.add(messageId);
    if (!channel.caughtUp || channel.above.size < TOO_MANY_ABOVE) return;
    const sorted = [...channel.above].sort(compareSnowflakes);
    channel.above = new Set(sorted.slice(-KEPT_ABOVE));
    const through = sorted.at(-KEPT_ABOVE - 1);
    if (through) await this.#context.engine.submit({ type: "channel_read", channel_id: channel.id, through });
  }
}

/**
 * Which channels the daemon listens in: threads of sessions and of questions, the owner's direct messages, watched
 * channels; each by the bot it belongs to.
 */
export function listensAt(state: State, id: string, bot: ThreadsOfBot, watches?: ReadonlySet<string>): boolean {
  if (state.threads[id] && !isGivenUp(state, id)) return isThreadOfBot(state, id, bot);
  const { bot_id, kind, forum } = state.channels[id] ?? {};
  if (kind === "project") return bot_id === bot.botId && !forum && opensThreads(state, id) !== undefined;
  return bot_id === bot.botId || (kind === "watched" && watches?.has(id) === true);
}

/**
 * A channel that config.json no longer names for its session's project, or not as a session: nothing written there is
 * its prompt.
 */
export function isGivenUp({ threads, sessions, projects }: State, id: string): boolean {
  const { channel_id, channel } = projects[sessions[id]?.project_name ?? ""] ?? {};
  return threads[id]?.kind === "channel" && (channel_id !== id || channel === "threads");
}

/** All these channels: first those in which a decision is open, then the most active. */
function placesToRead(state: State, bot: ThreadsOfBot, watches?: ReadonlySet<string>): string[] {
  const asked = openDecisions(state).flatMap(({ thread_id }) => thread_id ?? []);
  const sessions = Object.values(state.sessions).toSorted((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1));
  const direct = Object.values(state.channels).toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  const all = [
    ...asked,
    ...direct.map(({ channel_id }) => channel_id),
    ...sessions.map(({ thread_id }) => thread_id),
    // Threads of closed questions, the newest first.
    ...Object.keys(state.threads).toReversed(),
  ];
  return [...new Set(all)].filter((id) => listensAt(state, id, bot, watches));
}
