/**
 * The channels of projects, and the threads that the owner makes there: each becomes a session when it is first seen,
 * with what is written from then on. Of a forum only its posts do. A channel's history is never run. If config.json no longer names a channel for its
 * project, its session is closed.
 */
import { ChannelType, type APIChannel } from "discord-api-types/v10";
import { compareSnowflakes, isSnowflake, firstSnowflake, snowflakeTime } from "../../base/ids.ts";
import { say } from "../../base/words/say.ts";
import { sessionSettings } from "../../config/session-settings.ts";
import { holdsSessions, opensThreads, projectOfChannel, type Project } from "../../core/projects/project.ts";
import { channelSessions } from "../../core/sessions/thread.ts";
import { singleTopic, reconcile, type Reconciler } from "../../engine/reconcile.ts";
import type { BotContext } from "../api/bot-context.ts";
import { failureKind } from "../api/transport.ts";
import { FORUM_CHANNELS, TEXT_CHANNELS } from "../api/rights.ts";
import { authorize, type AccessPolicy } from "./authorize.ts";
import { isGivenUp } from "./listener.ts";

/** What Discord tells of a thread; any field may be missing. */
interface FoundThread {
  id?: unknown;
  guild_id?: unknown;
  parent_id?: unknown;
  owner_id?: unknown;
  type?: unknown;
  last_message_id?: unknown;
  thread_metadata?: { create_timestamp?: unknown; locked?: unknown } | null;
}

interface ThreadListing {
  threads?: FoundThread[];
}

const THREADS: ReadonlySet<unknown> = new Set([
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
]);

export class ProjectChannels {
  readonly #context: BotContext;
  readonly #isWatched: (channelId: string) => boolean;
  readonly #loop: Reconciler;
  /** Channels that cannot be taken, until config.json changes or the gateway is connected anew. */
  readonly #refused = new Set<string>();

  /** @param isWatched whether what is written there is for an agent's inbox */
  constructor(context: BotContext, isWatched: (channelId: string) => boolean) {
    this.#context = context;
    this.#isWatched = isWatched;
    this.#loop = reconcile({
      ...context,
      failure: "the channel of a project could not be made its session",
      details: (channel_id) => ({ channel_id }),
      follows: singleTopic("projects", ["project"], () => this.#all()),
      step: (id) => this.#step(id),
    });
    this.#loop.start();
  }

  /** Handles one gateway event; events of other kinds are ignored. */
  onGatewayEvent(t: string, d: unknown): void {
    for (const thread of threadsIn(t, d)) this.#onThreadFound(thread);
  }

  /** The gateway is connected: tries again what was refused, and looks for threads that were archived meanwhile. */
  connected(): void {
    for (const id of this.#all()) this.#loop.markChanged(id);
    const { state } = this.#context.engine;
    const opening = Object.values(state.channels).flatMap(({ channel_id, kind }) =>
      kind === "project" ? [channel_id] : [],
    );
    for (const id of [...opening, ...channelSessions(state).map(({ thread_id }) => thread_id)])
      void this.#findArchived(id);
  }

  close(): void {
    void this.#loop.close();
  }

  #all(): string[] {
    const { state } = this.#context.engine;
    this.#refused.clear();
    const named = Object.values(state.projects).flatMap(({ channel_id }) => channel_id ?? []);
    return [...new Set([...named, ...channelSessions(state).map(({ thread_id }) => thread_id)])];
  }

  #step(id: string): Promise<unknown> | null {
    const { engine, botId } = this.#context;
    const { threads, channels } = engine.state;
    const { bot_id, closed } = threads[id] ?? {};
    const ends = bot_id === botId && closed === undefined && isGivenUp(engine.state, id);
    const project = projectOfChannel(engine.state, id);
    const isBound =
      project && holdsSessions(engine.state, project) ? channels[id]?.kind === "project" : threads[id] !== undefined;
    const binds = project && !isBound && !this.#refused.has(id) ? project : null;
    return ends || binds ? this.#settle(id, { ends, binds }) : null;
  }

  async #settle(id: string, { ends, binds }: { ends: boolean; binds: Project | null }): Promise<void> {
    if (ends) await this.#context.engine.submit({ type: "close_session", thread_id: id, by: "owner" });
    if (binds) await this.#bindChannel(id, binds);
  }

  async #bindChannel(id: string, project: Project): Promise<void> {
    const { engine, rest, log, guildId } = this.#context;
    if (this.#isWatched(id)) return this.#refuse(id, project, "channel_watched");
    try {
      const channel = await rest.call<APIChannel>({ method: "GET", path: `/channels/${id}`, priority: "result" });
      const isForum = FORUM_CHANNELS.has(channel.type);
      if (!("guild_id" in channel) || channel.guild_id !== guildId || !(isForum || TEXT_CHANNELS.has(channel.type)))
        return this.#refuse(id, project, "channel_elsewhere");
      const newest = "last_message_id" in channel ? channel.last_message_id : null;
      const since = [newest ?? id, ...(await this.#toldInThreads(id))].reduce((a, b) =>
        compareSnowflakes(a, b) > 0 ? a : b,
      );
      if (isForum || project.channel === "threads") {
        const { guild_id, bot_id } = this.#boundTo(project, id);
        const place = { channel_id: id, guild_id, bot_id, since, ...(isForum && { forum: true as const }) };
        await engine.submit({ type: "open_channel", kind: "project", ...place });
        void this.#findActive(id);
        const what = isForum ? "each post in a forum is a session" : "each message in a channel opens a thread";
        return log.info(what, { channel_id: id, project: project.name });
      }
      await engine.submit({
        type: "take_place",
        kind: "channel",
        thread_id: id,
        channel_id: id,
        since,
        ...this.#boundTo(project, id),
      });
      log.info("a channel is a session of its project", { channel_id: id, project: project.name });
    } catch (error) {
      if (!["channel_gone", "no_access", "rejected"].includes(failureKind(error) ?? "")) throw error;
      this.#refuse(id, project, "channel_elsewhere");
    }
  }

  /**
   * What there is in the channel's threads: an old message may have a thread that is newer than all messages of the
   * channel.
   */
  async #toldInThreads(id: string): Promise<string[]> {
    const { rest } = this.#context;
    const active = await rest.call<ThreadListing>(this.#activeThreads);
    const archived = await rest.call<ThreadListing>({ method: "GET", path: archivedIn(id), priority: "result" });
    const here = [...(active.threads ?? []), ...(archived.threads ?? [])].filter(({ parent_id }) => parent_id === id);
    return here.flatMap((thread) =>
      isSnowflake(thread.id)
        ? [
            snowflakeAt(madeAt(thread.id, thread)),
            ...(isSnowflake(thread.last_message_id) ? [thread.last_message_id] : []),
          ]
        : [],
    );
  }

  get #activeThreads(): { method: "GET"; path: `/${string}`; priority: "result" } {
    return { method: "GET", path: `/guilds/${this.#context.guildId}/threads/active`, priority: "result" };
  }

  #boundTo(project: Project, id: string): { project_name: string; tool: string; guild_id: string; bot_id: string } {
    const { config, guildId, botId } = this.#context;
    const settings = config().projects[project.name];
    const tool = settings ? sessionSettings(settings, id).tool : project.default_tool;
    return { project_name: project.name, tool, guild_id: guildId, bot_id: botId };
  }

  #refuse(id: string, { name: project }: Project, why: "channel_watched" | "channel_elsewhere"): void {
    const { log, locale, config } = this.#context;
    this.#refused.add(id);
    // With bots in several servers, it is another one's.
    if (why === "channel_elsewhere" && Object.keys(config().servers).length > 0)
      return log.info("a project's channel is not in this server", { channel_id: id, project });
    log.failure(say(locale, why, { channel: id, project }), null, {
      error_code: "E_CONFIG_INVALID",
      channel_id: id,
      project,
    });
  }

  /** A thread in the channel of a project becomes a session if the owner made it after that channel became one. */
  #onThreadFound(thread: FoundThread): void {
    const { engine, botId, rest, log } = this.#context;
    const { id, parent_id, type, thread_metadata } = thread;
    if (!isSnowflake(id) || !isSnowflake(parent_id) || !THREADS.has(type) || thread_metadata?.locked === true) return;
    if (engine.state.threads[id] || !authorize(this.#context, { kind: "thread", thread })) return;
    const project = projectOfChannel(engine.state, parent_id);
    const { since, bot_id } = this.#sessionsIn(parent_id);
    if (!project || since === undefined || bot_id !== botId) return;
    if (madeAt(id, thread) <= snowflakeTime(since)) return;
    // Discord might not send events of a thread the bot has not joined.
    rest
      .call({ method: "PUT", path: `/channels/${id}/thread-members/@me`, priority: "cosmetic" })
      .catch((error: unknown) => {
        log.debug("a thread could not be joined", { thread_id: id, reason: String(error) });
      });
    engine
      .submit({
        type: "take_place",
        kind: "found",
        thread_id: id,
        channel_id: parent_id,
        since: this.#readFrom(id, parent_id, since),
        ...this.#boundTo(project, id),
      })
      .catch((error: unknown) =>
        log.failure("a thread of the owner's could not become a session", error, { thread_id: id }),
      );
  }

  /** The first message of a post has the thread's id, and stands in the thread. */
  #readFrom(threadId: string, channelId: string, since: string): string {
    if (this.#context.engine.state.channels[channelId]?.forum) return String(BigInt(threadId) - 1n);
    return compareSnowflakes(threadId, since) > 0 ? threadId : since;
  }

  /** Since when the owner's threads in a channel are sessions, and of which bot; nothing: they are not. */
  #sessionsIn(channelId: string): { since?: string | undefined; bot_id?: string } {
    const { state } = this.#context.engine;
    if (opensThreads(state, channelId)) return state.channels[channelId] ?? {};
    const { [channelId]: thread } = state.threads;
    return thread?.kind === "channel" && !isGivenUp(state, channelId) ? thread : {};
  }

  /** Finds those that were made while the channel was being bound, of which Discord has told too early. */
  async #findActive(id: string): Promise<void> {
    const { rest, log, guildId } = this.#context;
    try {
      const { threads } = await rest.call<ThreadListing>(this.#activeThreads);
      for (const thread of threads ?? [])
        if (thread.parent_id === id) this.#onThreadFound({ ...thread, guild_id: guildId });
    } catch (error) {
      log.info("the threads of a channel cannot be read", { channel_id: id, reason: String(error) });
    }
  }

  /** Finds those that are archived; Discord sends the open ones by itself. */
  async #findArchived(id: string): Promise<void> {
    const { rest, log, guildId } = this.#context;
    try {
      const { threads } = await rest.call<ThreadListing>({ method: "GET", path: archivedIn(id), priority: "cosmetic" });
      for (const thread of threads ?? []) this.#onThreadFound({ ...thread, guild_id: guildId });
    } catch (error) {
      log.info("the archived threads of a channel cannot be read", { channel_id: id, reason: String(error) });
    }
  }
}

/** The threads of which a gateway event tells. */
function threadsIn(t: string, d: unknown): FoundThread[] {
  if (typeof d !== "object" || d === null) return [];
  const payload = d as FoundThread & { threads?: unknown };
  if (t === "THREAD_CREATE" || t === "THREAD_UPDATE") return [payload];
  if ((t !== "THREAD_LIST_SYNC" && t !== "GUILD_CREATE") || !Array.isArray(payload.threads)) return [];
  const guild_id = t === "GUILD_CREATE" ? payload.id : payload.guild_id;
  return (payload.threads as (FoundThread | null)[]).map((thread) => ({ ...thread, guild_id }));
}

/** Those of them that the owner has made, and their channels. */
export function ownThreadsIn(t: string, d: unknown, policy: AccessPolicy): { id: string; parent_id: string }[] {
  return threadsIn(t, d).flatMap((thread) => {
    const { id, parent_id, type } = thread;
    const isOwn = isSnowflake(id) && isSnowflake(parent_id) && THREADS.has(type);
    return isOwn && authorize(policy, { kind: "thread", thread }) ? [{ id, parent_id }] : [];
  });
}

/** The last hundred of them. */
function archivedIn(id: string): `/${string}` {
  return `/channels/${id}/threads/archived/public?limit=100`;
}

/** Discord says when a thread was made; one made from a message has that message's id, which may be much older. */
function madeAt(id: string, { thread_metadata }: FoundThread): number {
  const said = Date.parse(String(thread_metadata?.create_timestamp ?? ""));
  return Number.isNaN(said) ? snowflakeTime(id) : said;
}

/** The highest id of that millisecond. */
function snowflakeAt(ms: number): string {
  return String(BigInt(firstSnowflake(ms + 1)) - 1n);
}
