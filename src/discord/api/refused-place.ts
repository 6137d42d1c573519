/**
 * Why Discord refuses a channel or a thread, in an error for a person: the permissions that the bot lacks there by the
 * names in Discord's own settings, the limit that is reached, or Discord's own words.
 */
import { ChannelType, type APIGuild, type APIGuildMember, type APITextChannel } from "discord-api-types/v10";
import { BellhopError, theirWords, type ErrorDetails } from "../../base/errors.ts";
import { say, type WordKey } from "../../base/words/say.ts";
import type { BotContext } from "./bot-context.ts";
import { RestFailure } from "./transport.ts";
import { missingOf, permissionsIn, sessionRights } from "./rights.ts";

export const THREAD_TYPES: ReadonlySet<number> = new Set<number>([
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
]);

/** "Maximum number of active threads reached". */
const TOO_MANY_THREADS = 160006;

/** E_PLACE_REFUSED {place}, with the reason. */
export async function refusedPlace(context: BotContext, channelId: string, error: unknown): Promise<BellhopError> {
  return new BellhopError(
    "E_PLACE_REFUSED",
    { place: `<#${channelId}>`, ...(await reasonOf(context, channelId, error)) },
    { cause: error },
  );
}

async function reasonOf(
  context: BotContext,
  channelId: string,
  error: unknown,
): Promise<Pick<ErrorDetails, "reason" | "because"> & { rights?: string }> {
  if (!(error instanceof RestFailure)) return { because: "why_nothing_said" };
  if (error.code === TOO_MANY_THREADS) return { because: "why_too_many_threads" };
  if (error.kind === "message_gone") return { because: "why_message_gone" };
  const lacks = error.kind === "no_access" ? await lacking(context, channelId) : [];
  if (lacks.length > 0)
    return { because: "why_rights", rights: lacks.map((key) => say(context.locale, key)).join(", ") };
  return error.says === "" ? { because: "why_nothing_said" } : { reason: theirWords(error.says) };
}

/** The permissions that the bot lacks there; empty if it has all, or if Discord does not tell. */
async function lacking({ rest, clock, botId, guildId }: BotContext, channelId: string): Promise<WordKey[]> {
  const ask = <T>(path: `/${string}`): Promise<T> => rest.call<T>({ method: "GET", path, priority: "decision" });
  try {
    const place = await ask<APITextChannel>(`/channels/${channelId}`);
    // A thread has the permissions of its channel.
    const { permission_overwrites: overwrites = [] } =
      THREAD_TYPES.has(place.type) && place.parent_id ? await ask<typeof place>(`/channels/${place.parent_id}`) : place;
    const [guild, member] = await Promise.all([
      ask<APIGuild>(`/guilds/${guildId}`),
      ask<APIGuildMember>(`/guilds/${guildId}/members/${botId}`),
    ]);
    return missingOf(permissionsIn({ guild, member, userId: botId, overwrites }, clock.now()), sessionRights);
  } catch (error) {
    if (!(error instanceof RestFailure)) throw error;
    return error.kind === "no_access" ? ["right_view"] : [];
  }
}
