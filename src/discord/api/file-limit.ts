/**
 * The largest file that Discord accepts from us: it depends on the boost level of the server (Discord, reference:
 * uploading files), which may change at any time.
 */
const MEGABYTE = 1024 * 1024;

export interface FileLimit {
  bytes(): number;
  /** One event of the gateway; only those about the server matter here. */
  onServerEvent(t: string, d: unknown): void;
}

/** `premiumTier`: the server's boost level at the start. */
export function openFileLimit({ guildId, premiumTier }: { guildId: string; premiumTier: number }): FileLimit {
  let tier = premiumTier;
  return {
    bytes: () => (tier >= 3 ? 100 : tier === 2 ? 50 : 10) * MEGABYTE,
    onServerEvent(t, d) {
      if (t !== "GUILD_CREATE" && t !== "GUILD_UPDATE") return;
      const { id, premium_tier } = (d ?? {}) as { id?: unknown; premium_tier?: unknown };
      if (id === guildId && typeof premium_tier === "number") tier = premium_tier;
    },
  };
}
