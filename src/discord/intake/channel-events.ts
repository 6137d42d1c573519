/**
 * What Discord sends about the channels Bellhop posts in: a thread or channel that is gone, a server with an outage or
 * one that removed the bot, and the return of any of them. A job continues whatever happens to its thread; only where
 * its answer is posted changes.
 */
import type { Command } from "../../core/decider.ts";
import type { State } from "../../core/state.ts";
import { isThreadOfBot, threadsOf } from "../../core/sessions/thread.ts";
import { isInitialName } from "../threads/rename-threads.ts";
import { openArchivedThreads, type ArchivedThreadsOptions, type ThreadFacts } from "./archived-threads.ts";

export interface ChannelEventsOptions extends ArchivedThreadsOptions {
  /** A thread is visible (again). */
  found(threadId: string): void;
  /** The server is back after an outage, or the bot has joined again. */
  back(): void;
}

export interface ChannelEvents {
  /** Handles one gateway event; events of other kinds are ignored. */
  hear(t: string, d: unknown): void;
  /** The gateway is connected: what is heard from now on is new. Before, an earlier daemon's events may be replayed. */
  connected(): void;
}

/** The common fields of these events; any may be missing. */
interface Payload extends ThreadFacts {
  name?: unknown;
  unavailable?: unknown;
  threads?: unknown;
  channels?: unknown;
  channel_ids?: unknown;
}

export function openChannelEvents(options: ChannelEventsOptions): ChannelEvents {
  const { engine, log, guildId } = options;
  const archived = openArchivedThreads(options);
  let away = false;

  const submit = (command: Command): void =>
    void engine
      .submit(command)
      .catch((error: unknown) => log.failure("a change of a thread could not be recorded", error));
  const names = openNames((thread_id, name) => submit({ type: "name_session", thread_id, name, renamed: true }));
  const ours = (id: unknown): id is string => typeof id === "string" && isThreadOfBot(engine.state, id, options);

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

  function found({ id, name, thread_metadata }: Payload): void {
    if (!ours(id)) return;
    if (isName(engine.state, id, name)) names.heard(id, name);
    if (thread_metadata?.locked === true) return;
    if (engine.state.threads[id]?.place !== "thread") submit({ type: "find_thread", thread_id: id });
    options.found(id);
  }

  function guildLost({ id, unavailable }: Payload): void {
    if (id !== guildId) return;
    away = true;
    if (unavailable === true) log.info("the server is unavailable; Discord will tell when it is back");
    else
      log.failure("Bellhop was removed from the server: jobs go on, and their answers are kept on this machine", null, {
        error_code: "E_THREAD_ACCESS_FAILED",
        guild_id: guildId,
      });
  }

  function guildThere(payload: Payload): void {
    if (payload.id !== guildId || payload.unavailable === true) return;
    seenIn(payload).forEach(found);
    archived.among(objectsIn(payload.threads));
    if (away) options.back();
    away = false;
  }

  function hear(t: string, d: unknown): void {
    if (typeof d !== "object" || d === null) return;
    const payload: Payload = d;
    switch (t) {
      case "THREAD_DELETE":
        return lost(payload.id);
      case "CHANNEL_DELETE":
        return channelLost(payload.id);
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
        archived.note(payload);
        return found(payload);
      case "THREAD_LIST_SYNC":
        return seenIn(payload).forEach(found);
      case "GUILD_DELETE":
        return guildLost(payload);
      case "GUILD_CREATE":
        return guildThere(payload);
    }
  }

  return { hear, connected: names.connected };
}

/**
 * Names that a thread had one after the other: before the gateway is connected only the last of them is taken, then
 * each.
 */
function openNames(take: (threadId: string, name: string) => void): {
  heard(threadId: string, name: string): void;
  connected(): void;
} {
  let replayed: Map<string, string> | null = new Map();
  return {
    heard: (threadId, name) => void (replayed ? replayed.set(threadId, name) : take(threadId, name)),
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
function seenIn({ threads, channels, channel_ids }: Payload): Payload[] {
  const parents: readonly unknown[] = Array.isArray(channel_ids) ? channel_ids : [];
  return [...objectsIn(threads), ...objectsIn(channels), ...parents.map((id) => ({ id }))];
}

function objectsIn(list: unknown): Payload[] {
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  return all.filter((one): one is Payload => typeof one === "object" && one !== null);
}
