/**
 * What a session is told first: READY with its guild still unavailable, then the guild as this reader sees it.
 */
import { channelView } from "./channels.ts";
import type { Json } from "./form.ts";
import { guildCreate } from "./guild.ts";
import type { Realm } from "./realm.ts";
import type { Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { applicationFlags, memberView, requireUser, selfView } from "./users.ts";

export function readyPayload(realm: Realm, session: Session): Json {
  const { world } = realm;
  const application = world.applications[session.userId];
  const direct = Object.values(world.channels).filter((one) => one.guildId === null && one.recipients.includes(session.userId));
  return {
    v: 10,
    user: selfView(requireUser(world, session.userId)),
    guilds: world.members[session.userId] === undefined || !onShard(realm, session) ? [] : [{ id: world.guildId, unavailable: true }],
    session_id: session.id,
    resume_gateway_url: realm.gatewayUrl,
    ...(session.isBot ? { shard: [...session.shard] } : { private_channels: direct.map((one) => channelView(world, one, session.userId)) }),
    ...(application === undefined ? {} : { application: { id: application.id, flags: applicationFlags(application), flags_new: String(applicationFlags(application)) } }),
  };
}

/** The members of the guild, for a request over the gateway. */
export function guildMembers(realm: Realm): Json[] {
  return Object.values(realm.world.members).map((one) => memberView(realm.world, one));
}

export function sendGuilds(realm: Realm, sessions: Sessions, session: Session): void {
  if (realm.world.members[session.userId] === undefined || !onShard(realm, session)) return;
  if (session.isBot && (session.intents & 1) === 0) return;
  sessions.tell(session, "GUILD_CREATE", guildCreate(realm.world, session.userId));
}

function onShard(realm: Realm, session: Session): boolean {
  const [id, count] = session.shard;
  return Number((BigInt(realm.world.guildId) >> 22n) % BigInt(count)) === id;
}
