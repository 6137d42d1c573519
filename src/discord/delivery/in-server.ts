/**
 * Waits with what is to be put into a server while the bot is not in it, where every request would be refused for good.
 */

/** Resolves when the bot is in its server again, or the signal is aborted. Null: it is there. */
export type Away = (signal: AbortSignal) => Promise<void> | null;

/**
 * Does it now, or when the bot is in its server again; nothing if that is aborted before. `away` absent: it always is
 * there.
 */
export async function inServer<T>(
  away: Away | undefined,
  changed: AbortSignal,
  act: () => Promise<T>,
): Promise<T | null> {
  const wait = away?.(changed) ?? null;
  if (wait !== null) await wait;
  return wait !== null && changed.aborted ? null : act();
}
