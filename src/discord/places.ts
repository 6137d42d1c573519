/**
 * What Discord tells about the places we write in: a thread or channel that is gone, a server that has an outage or
 * has put us out, and any of them back again. A job goes on whatever becomes of its thread; only where its answer is
 * posted changes, and changes back.
 */
import type { Log } from "../base/log.ts";
import type { Command } from "../core/house.ts";
import type { Engine } from "../engine/engine.ts";

export interface PlacesOptions {
  engine: Pick<Engine, "state" | "submit">;
  log: Log;
  botId: string;
  guildId: string;
  /** A thread can be seen (again). */
  found(threadId: string): void;
  /** The server is there again after an outage, or has taken us back. */
  back(): void;
}

export interface Places {
  /** One event of the gateway; those of other kinds mean nothing here. */
  hear(t: string, d: unknown): void;
}

/** What these events have in common; anything may be missing. */
interface Told {
  id?: unknown;
  unavailable?: unknown;
  threads?: unknown;
  thread_metadata?: { locked?: unknown } | null;
}

export function openPlaces(options: PlacesOptions): Places {
  const { engine, log, botId, guildId } = options;
  let away = false;

  function submit(command: Command): void {
    engine.submit(command).catch((error: unknown) => log.failure("a change of a thread could not be recorded", error));
  }

  function ours(id: unknown): id is string {
    return typeof id === "string" && engine.state.threads[id]?.bot_id === botId;
  }

  function lost(id: unknown): void {
    if (!ours(id) || engine.state.threads[id]?.place !== "thread") return;
    log.warn("a session's thread is gone; what it is still owed is posted in its channel", { error_code: "E_THREAD_ACCESS_FAILED", thread_id: id });
    submit({ type: "lose_thread", thread_id: id, place: "thread", code: "E_THREAD_ACCESS_FAILED" });
  }

  /** Its threads are gone with it. Where they are posted then is found out when there is something to post. */
  function channelLost(id: unknown): void {
    for (const thread of Object.values(engine.state.threads)) if (thread.channel_id === id) lost(thread.thread_id);
  }

  function found(told: Told): void {
    const { id } = told;
    if (!ours(id) || told.thread_metadata?.locked === true) return;
    if (engine.state.threads[id]?.place !== "thread") submit({ type: "find_thread", thread_id: id });
    options.found(id);
  }

  function guildLost({ id, unavailable }: Told): void {
    if (id !== guildId) return;
    away = true;
    if (unavailable === true) log.info("the server is unavailable; Discord will tell when it is back");
    else log.failure("Bellhop was removed from the server: jobs go on, and their answers are kept on this machine", null, { error_code: "E_THREAD_ACCESS_FAILED", guild_id: guildId });
  }

  function guildThere(told: Told): void {
    if (told.id !== guildId || told.unavailable === true) return;
    threadsIn(told).forEach(found);
    if (away) options.back();
    away = false;
  }

  function hear(t: string, d: unknown): void {
    if (typeof d !== "object" || d === null) return;
    const told: Told = d;
    switch (t) {
      case "THREAD_DELETE":
        return lost(told.id);
      case "CHANNEL_DELETE":
        return channelLost(told.id);
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
        return found(told);
      case "THREAD_LIST_SYNC":
        return threadsIn(told).forEach(found);
      case "GUILD_DELETE":
        return guildLost(told);
      case "GUILD_CREATE":
        return guildThere(told);
    }
  }

  return { hear };
}

function threadsIn({ threads }: Told): Told[] {
  const all: readonly unknown[] = Array.isArray(threads) ? threads : [];
  return all.filter((one): one is Told => typeof one === "object" && one !== null);
}
