/**
 * What a session is told first: READY with its guild still unavailable, then the guild as this reader sees it.
 */
import { channelView } from "../state/channels.ts";
import type { Json } from "../rest/form.ts";
import { guildCreate } from "../state/guild.ts";
import type { Context } from "../context.ts";
import type { Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { applicationFlags, memberView, requireUser, selfView } from "../state/users.ts";

export function readyPayload(context: Context, session: Session): Json {
  const { world } = context;
  const application = world.applications[session.userId];
  const direct = Object.values(world.channels).filter(
    (one) => one.guildId === null && one.recipients.includes(session.userId),
  );
  return {
    v: 10,
    user: selfView(requireUser(world, session.userId)),
    guilds:
      world.members[session.userId] === undefined || !onShard(context, session)
        ? []
        : [{ id: world.guildId, unavailable: true }],
    session_id: session.id,
    resume_gateway_url: session.isBot ? context.gatewayNamed("READY") : context.gatewayUrl,
    ...(session.isBot
      ? { shard: [...session.shard] }
      : { private_channels: direct.map((one) => channelView(world, one, session.userId)) }),
    ...(application === undefined
      ? {}
      : {
          application: {
            id: application.id,
            flags: applicationFlags(application),
            flags_new: String(applicationFlags(application)),
          },
        }),
  };
}

/** The members of the guild, for a request over the gateway. */
export function guildMembers(context: Context): Json[] {
  return Object.values(context.world.members).map((one) => memberView(context.world, one));
}

export function sendGuilds(context: Context, sessions: Sessions, session: Session): void {
  if (context.world.members[session.userId] === undefined || !onShard(context, session)) return;
  if (session.isBot && (session.intents & 1) === 0) return;
  sessions.tell(session, "GUILD_CREATE", guildCreate(context.world, session.userId));
}

function onShard(context: Context, session: Session): boolean {
  const [id, count] = session.shard;
  return Number((BigInt(context.world.guildId) >> 22n) % BigInt(count)) === id;
}
