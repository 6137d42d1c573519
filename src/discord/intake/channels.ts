/**
 * What Discord sends about the channels Bellhop posts in: a thread or channel that is gone, a server with an outage or
 * one that removed the bot, and the return of any of them. A job continues whatever happens to its thread; only where
 * its answer is posted changes.
 */
import type { Command } from "../../core/slices.ts";
import type { State } from "../../core/state.ts";
import { isThreadOfBot, threadsOf } from "../../core/sessions/thread.ts";
import { isInitialName } from "../threads/thread-upkeep.ts";
import { type APIChannel, AuditLogEvent, type APIAuditLogEntry } from "discord-api-types/v10";
import type { BotContext } from "../api/bot-context.ts";
import { failureKind } from "../api/transport.ts";
import { isSnowflake, snowflakeTime, compareSnowflakes, firstSnowflake } from "../../base/ids.ts";
import { hasLeft } from "../../core/sessions/archives.ts";
import { pause } from "../../base/clock.ts";

interface ChannelEventsOptions {
  /** A thread is visible (again). */
  onThreadVisible(threadId: string, woke: boolean): void;
  /** The server is back after an outage, or the bot has joined again. */
  onServerBack(): void;
}

export interface ChannelEvents {
  /** Handles one gateway event; events of other kinds are ignored. */
  onGatewayEvent(t: string, d: unknown): void;
  /** The gateway is connected: what is heard from now on is new. Before, an earlier daemon's events may be replayed. */
  connected(): void;
}

/** The common fields of these events; any may be missing. */
interface ChannelPayload extends ThreadFacts {
  name?: unknown;
  unavailable?: unknown;
  threads?: unknown;
  channels?: unknown;
  channel_ids?: unknown;
}

export function openChannelEvents(
  context: BotContext,
  { onThreadVisible, onServerBack }: ChannelEventsOptions,
): ChannelEvents {
  const { engine, log, guildId } = context;
  const archived = openArchivedThreads(context);
  /** Threads that were archived while the gateway was there. */
  const asleep = new Set<string>();
  let away = false;

  const submit = (command: Command): void =>
    void engine
      .submit(command)
      .catch((error: unknown) => log.failure("a change of a thread could not be recorded", error));
  const names = openNames((thread_id, name) => submit({ type: "name_session", thread_id, name, renamed: true }));
  const ours = (id: unknown): id is string => typeof id === "string" && isThreadOfBot(engine.state, id, context);

  function lost(id: unknown): void {
    if (!ours(id) || engine.state.threads[id]?.place !== "thread") return;
    log.warn("a session's thread is gone; its remaining posts go to its channel", {
      error_code: "E_THREAD_ACCESS_FAILED",
      thread_id: id,
    });
    submit({ type: "lose_thread", thread_id: id, place: "thread", code: "E_THREAD_ACCESS_FAILED" });
  }

  /** The channel's threads are gone with it. Where their posts go is determined when there is something to post. */
  function channelLost(id: unknown): void {
    if (typeof id === "string") for (const { thread_id } of threadsOf(engine.state, id)) lost(thread_id);
  }

  function found({ id, name, thread_metadata }: ChannelPayload): void {
    if (!ours(id)) return;
    if (isName(engine.state, id, name)) names.addName(id, name);
    if (thread_metadata?.locked === true) return;
    if (engine.state.threads[id]?.place !== "thread") submit({ type: "find_thread", thread_id: id });
    onThreadVisible(id, asleep.has(id) && thread_metadata?.archived === false);
    if (thread_metadata?.archived === true) asleep.add(id);
    else asleep.delete(id);
  }

  function guildLost({ id, unavailable }: ChannelPayload): void {
    if (id !== guildId) return;
    away = true;
    if (unavailable === true) log.info("the server is unavailable; Discord will tell when it is back");
    else
      log.failure("Bellhop was removed from the server: jobs go on, and their answers are kept on this machine", null, {
        error_code: "E_THREAD_ACCESS_FAILED",
        guild_id: guildId,
      });
  }

  function guildThere(payload: ChannelPayload): void {
    if (payload.id !== guildId || payload.unavailable === true) return;
    seenIn(payload).forEach(found);
    archived.among(objectsIn(payload.threads));
    if (away) onServerBack();
    away = false;
  }

  function hear(t: string, d: unknown): void {
    if (typeof d !== "object" || d === null) return;
    const payload: ChannelPayload = d;
    switch (t) {
      case "THREAD_DELETE":
        return lost(payload.id);
      case "CHANNEL_DELETE":
        return channelLost(payload.id);
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
        archived.onThreadFacts(payload);
        return found(payload);
      case "THREAD_LIST_SYNC":
        return seenIn(payload).forEach(found);
      case "GUILD_DELETE":
        return guildLost(payload);
      case "GUILD_CREATE":
        return guildThere(payload);
    }
  }

  return { onGatewayEvent: hear, connected: names.connected };
}

/**
 * Names that a thread had one after the other: before the gateway is connected only the last of them is taken, then
 * each.
 */
function openNames(take: (threadId: string, name: string) => void): {
  addName(threadId: string, name: string): void;
  connected(): void;
} {
  let replayed: Map<string, string> | null = new Map();
  return {
    addName: (threadId, name) => void (replayed ? replayed.set(threadId, name) : take(threadId, name)),
    connected() {
      const last = replayed ?? [];
      replayed = null;
      for (const [threadId, name] of last) take(threadId, name);
    },
  };
}

/**
 * Whether lists may name the session so. A thread that we made has its first name until ours stands in Discord, which
 * may take minutes.
 */
function isName({ threads, sessions }: State, threadId: string, name: unknown): name is string {
  if (typeof name !== "string") return false;
  return threads[threadId]?.kind !== undefined || (sessions[threadId] !== undefined && !isInitialName(name));
}

/** The threads that it tells of, and the channels, which may be sessions too. */
function seenIn({ threads, channels, channel_ids }: ChannelPayload): ChannelPayload[] {
  const parents: readonly unknown[] = Array.isArray(channel_ids) ? channel_ids : [];
  return [...objectsIn(threads), ...objectsIn(channels), ...parents.map((id) => ({ id }))];
}

function objectsIn(list: unknown): ChannelPayload[] {
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  return all.filter((one): one is ChannelPayload => typeof one === "object" && one !== null);
}

/*
 * A channel watched for an agent: messages there that belong to no session go into the inbox. Watching begins at the
 * channel's newest message: nothing older is replayed, and nothing newer is missed.
 */

/**
 * Resolves with whether it is watched from now on; not for a channel of another server, or one that Discord does not
 * show. Never rejects.
 */
export async function watchChannel(
  { engine, rest, log, guildId, botId }: BotContext,
  channelId: string,
): Promise<boolean> {
  const { channels, threads } = engine.state;
  const known = channels[channelId];
  if (threads[channelId]?.kind === "channel")
    log.warn("a channel that is a session of its project is not watched", {
      error_code: "E_CONFIG_INVALID",
      channel_id: channelId,
    });
  if (known || threads[channelId]) return known?.kind === "watched" && known.guild_id === guildId;
  try {
    const channel = await rest.call<APIChannel>({ method: "GET", path: `/channels/${channelId}`, priority: "result" });
    if (!("guild_id" in channel) || channel.guild_id !== guildId) {
      log.warn("a channel of another server is not watched", { channel_id: channelId });
      return false;
    }
    const newest = "last_message_id" in channel ? channel.last_message_id : null;
    await engine.submit({
      type: "open_channel",
      channel_id: channelId,
      guild_id: guildId,
      bot_id: botId,
      kind: "watched",
      since: newest ?? channelId,
    });
    return true;
  } catch (error) {
    if (isKept(error))
      log.warn("Discord does not let Bellhop watch a channel", {
        error_code: "E_THREAD_ACCESS_FAILED",
        channel_id: channelId,
        reason: String(error),
      });
    else log.failure("a channel cannot be watched", error, { channel_id: channelId });
    return false;
  }
}

/** The channel's name. Null: Discord does not show it, or it is another server's. @throws other errors of `rest` */
export async function lookAtChannel(
  { rest, guildId }: BotContext,
  channelId: string,
): Promise<{ name: string } | null> {
  try {
    const channel = await rest.call<APIChannel>({ method: "GET", path: `/channels/${channelId}`, priority: "result" });
    return "guild_id" in channel && channel.guild_id === guildId ? { name: channel.name ?? "" } : null;
  } catch (error) {
    if (isKept(error)) return null;
    throw error;
  }
}

function isKept(error: unknown): boolean {
  return ["channel_gone", "no_access", "rejected"].includes(failureKind(error) ?? "");
}

/*
 * Whether a thread is archived, and whether its owner surely did that. Where the audit log may be read, only his entry
 * counts. Elsewhere the time decides: Discord itself archives inactive threads, in a server with many of them even
 * earlier than their own setting says, but never within the shortest time that it offers.
 */

/** The fields of a thread that tell it; any may be missing. */
export interface ThreadFacts {
  id?: unknown;
  last_message_id?: unknown;
  thread_metadata?: {
    archived?: unknown;
    archive_timestamp?: unknown;
    auto_archive_duration?: unknown;
    locked?: unknown;
  } | null;
}

const SHORTEST_MS = 60 * 60_000;

interface ArchivedThreads {
  /** Discord tells of this thread. */
  onThreadFacts(thread: ThreadFacts): void;
  /** These are active. Another one may have been archived while nobody listened: it is asked for. */
  among(active: readonly ThreadFacts[]): void;
}

function openArchivedThreads(context: BotContext): ArchivedThreads {
  const { engine, rest, log, ownerId } = context;
  /** The threads whose archiver the audit log is being asked for, and when they were archived. */
  const asked = new Map<string, string>();

  function note(thread: ThreadFacts): void {
    const { id } = thread;
    if (typeof id !== "string" || !isThreadOfBot(engine.state, id, context)) return;
    const archived = archivedBy(thread);
    if (archived) return void noteArchived(id, archived).catch(failed);
    asked.delete(id);
    if (engine.state.archives[id] !== undefined && thread.thread_metadata?.archived === false)
      engine.submit({ type: "reopen_thread", thread_id: id }).catch(failed);
  }

  async function noteArchived(thread_id: string, { at, surely }: { at: string; surely: boolean }): Promise<void> {
    if (asked.get(thread_id) === at || engine.state.archives[thread_id]?.at === at || !hasLeft(engine.state, thread_id))
      return;
    asked.set(thread_id, at);
    const who = await whoArchived(context, thread_id, Date.parse(at)).catch((error: unknown) => {
      if (asked.get(thread_id) === at) asked.delete(thread_id);
      throw error;
    });
    // It was opened again meanwhile.
    if (asked.get(thread_id) !== at) return;
    asked.delete(thread_id);
    const isOwner = typeof who === "object" && who.by === ownerId;
    const by = typeof who === "object" && !isOwner ? { by: who.by } : {};
    await engine.submit({
      type: "archive_thread",
      thread_id,
      at,
      surely: who === "unreadable" ? surely : isOwner,
      ...by,
    });
  }

  function failed(error: unknown): void {
    const kind = failureKind(error);
    if (kind !== "closed" && kind !== "unauthorized") log.failure("a change of a thread could not be recorded", error);
  }

  function among(active: readonly ThreadFacts[]): void {
    active.forEach(note);
    const { windows, worktrees } = engine.state;
    const there = new Set(active.map(({ id }) => id));
    for (const id of new Set([...Object.keys(windows), ...Object.keys(worktrees)])) {
      if (!isThreadOfBot(engine.state, id, context) || there.has(id) || (!windows[id] && worktrees[id]?.is !== "there"))
        continue;
      rest
        .call<ThreadFacts>({ method: "GET", path: `/channels/${id}`, priority: "cosmetic" })
        .then(note)
        .catch((error: unknown) =>
          log.info("whether a thread is archived could not be asked", { thread_id: id, reason: String(error) }),
        );
    }
  }

  return { onThreadFacts: note, among };
}

/** Null: it is not archived, or does not say when. */
function archivedBy({ id, last_message_id, thread_metadata }: ThreadFacts): { at: string; surely: boolean } | null {
  const { archived, archive_timestamp, auto_archive_duration } = thread_metadata ?? {};
  const at = Date.parse(String(archive_timestamp));
  if (archived !== true || Number.isNaN(at)) return null;
  const active = [id, last_message_id].filter(isSnowflake).map(snowflakeTime);
  const least = Math.min(SHORTEST_MS, Number(auto_archive_duration) * 60_000);
  return { at: new Date(at).toISOString(), surely: active.length > 0 && at < Math.max(...active) + least };
}

/** The person or bot that did it; nobody, by the log; or the log may not be read. */
export type Archiver = { by: string } | "nobody" | "unreadable";

/** The waits before an entry is looked for again. */
const AGAIN_MS = [1_000, 2_000, 4_000, 8_000];
/** After this long, everything that will be in the log is in it. */
const SETTLED_MS = 60_000;
/** How far apart Discord's two times may be. */
const APART_MS = 5_000;
const TIRED_MS = 10_000;

/**
 * Who has archived a thread, as the server's audit log tells it. A bot may read that only with the permission View
 * Audit Log, which Bellhop does not ask for; Discord's own archiving is not in it, and an entry may come after its
 * event.
 * @param at when it was archived, in milliseconds since the epoch. @throws RestFailure where nothing more is sent
 */
export async function whoArchived(
  { rest, clock, guildId }: BotContext,
  threadId: string,
  at: number,
): Promise<Archiver> {
  const after = firstSnowflake(at - APART_MS);
  const path =
    `/guilds/${guildId}/audit-logs?action_type=${AuditLogEvent.ThreadUpdate}&target_id=${threadId}&after=${after}&limit=100` as const;
  for (const [index, waitMs] of [0, ...AGAIN_MS].entries()) {
    if (index > 0 && clock.now() - at > SETTLED_MS) break;
    if (waitMs > 0) await pause(clock, waitMs);
    try {
      const { audit_log_entries } = await rest.call<{ audit_log_entries?: unknown }>({
        method: "GET",
        path,
        priority: "cosmetic",
        repeatMs: TIRED_MS,
      });
      const found = archiverIn(audit_log_entries, threadId, after);
      if (found !== null) return { by: found };
    } catch (error) {
      const kind = failureKind(error);
      if (kind === "no_access") return "unreadable";
      if (kind !== "unavailable" && kind !== "rejected") throw error;
    }
  }
  return "nobody";
}

/** Who archived it, by the newest entry about that; null if that entry is about opening it, or there is none. */
function archiverIn(entries: unknown, threadId: string, after: string): string | null {
  const all = (Array.isArray(entries) ? entries : []) as (Partial<APIAuditLogEntry> | null)[];
  const about = all.flatMap((entry) => {
    const { id, target_id, user_id, action_type, changes } = entry ?? {};
    const change = Array.isArray(changes) ? changes.find(({ key }) => key === "archived") : undefined;
    const isIts =
      isSnowflake(id) &&
      compareSnowflakes(id, after) > 0 &&
      target_id === threadId &&
      action_type === AuditLogEvent.ThreadUpdate;
    return isIts && change ? [{ id, by: user_id, archived: change.new_value === true }] : [];
  });
  const last = about.toSorted((a, b) => compareSnowflakes(a.id, b.id)).at(-1);
  return last?.archived && isSnowflake(last.by) ? last.by : null;
}
