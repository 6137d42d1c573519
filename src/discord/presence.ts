/**
 * Whether the bot is in its server. A bot can be started before it is invited, and removed and invited again: the
 * commands are written each time it joins, because they could not be written while it was away, and what is to be
 * posted waits for that.
 */

export interface PresenceOptions {
  guildId: string;
  /** According to Discord at the start. */
  isMember: boolean;
  /** Called at once if it is in the server, and each time it joins. `late`: it was not in it before. */
  arrived(late: boolean): void;
}

export interface Presence {
  /** Resolves when it is in the server for the first time. */
  readonly here: Promise<void>;
  /** While it is not in its server: resolves when it is, or when the signal is aborted. Null: it is. */
  away(signal: AbortSignal): Promise<void> | null;
  /** One gateway event; only events about servers matter. */
  hear(t: string, d: unknown): void;
}

export function openPresence({ guildId, isMember, arrived }: PresenceOptions): Presence {
  const here = Promise.withResolvers<void>();
  const waiting = new Set<() => void>();
  let present = isMember;

  function arrive(late: boolean): void {
    present = true;
    here.resolve();
    arrived(late);
    for (const goOn of waiting) goOn();
  }

  if (isMember) arrive(false);
  return {
    here: here.promise,
    away(signal) {
      if (present) return null;
      return new Promise((resolve) => {
        const goOn = (): void => {
          waiting.delete(goOn);
          signal.removeEventListener("abort", goOn);
          resolve();
        };
        waiting.add(goOn);
        signal.addEventListener("abort", goOn);
        if (signal.aborted) goOn();
      });
    },
    hear(t, d) {
      const { id, unavailable } = (d ?? {}) as { id?: unknown; unavailable?: unknown };
      // The start of an outage is not a removal, and its end sends the same event as a join.
      if (id !== guildId || unavailable === true) return;
      if (t === "GUILD_DELETE") present = false;
      if (t === "GUILD_CREATE" && !present) arrive(true);
    },
  };
}
