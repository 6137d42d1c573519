/**
 * The guild as REST and the gateway write it down, roles included.
 */
import { channelView, guildChannels, threadsOf } from "./channels.ts";
import type { Json } from "../rest/form.ts";
import { Bit, mayIn } from "./permissions.ts";
import { memberView } from "./users.ts";
import type { Role, World } from "./world.ts";

export function guildView(world: World): Json {
  return {
    id: world.guildId,
    name: world.guildName,
    icon: null,
    description: null,
    home_header: null,
    splash: null,
    discovery_splash: null,
    features: [],
    banner: null,
    owner_id: world.ownerId,
    application_id: null,
    region: "deprecated",
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 0,
    roles: rolesView(world),
    default_message_notifications: 0,
    mfa_level: 0,
    explicit_content_filter: 0,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: world.boostLevel ?? 0,
    premium_subscription_count: 0,
    preferred_locale: "en-US",
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    premium_progress_bar_enabled_user_updated_at: null,
    nsfw: false,
    nsfw_level: 0,
    emojis: [],
    stickers: [],
    incidents_data: null,
  };
}

export function rolesView(world: World): Json[] {
  return Object.values(world.roles)
    .toSorted((a, b) => a.position - b.position)
    .map(roleView);
}

export function roleView(role: Role): Json {
  return {
    id: role.id,
    name: role.name,
    permissions: role.permissions,
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: role.managed,
    mentionable: false,
    icon: null,
    unicode_emoji: null,
    ...(role.botId === null ? {} : { tags: { bot_id: role.botId } }),
    flags: 0,
  };
}

/** The guild itself as the gateway writes it down, in `GUILD_UPDATE` and `GUILD_CREATE`. */
export function guildUpdate(world: World): Json {
  const {
    home_header: _header,
    premium_progress_bar_enabled_user_updated_at: _bar,
    nsfw: _nsfw,
    ...guild
  } = guildView(world);
  return { ...guild, hub_type: null };
}

/** The `GUILD_CREATE` payload for one user: the channels and active threads this user can see. */
export function guildCreate(world: World, viewerId: string): Json {
  const self = world.members[viewerId];
  const visible = guildChannels(world).filter((one) => mayIn(world, one, viewerId, Bit.ViewChannel));
  return {
    ...guildUpdate(world),
    joined_at: self?.joinedAt ?? world.createdAt,
    large: false,
    unavailable: false,
    member_count: Object.keys(world.members).length,
    voice_states: [],
    members: Object.values(world.members).map((one) => memberView(world, one)),
    channels: visible.map((one) => channelView(world, one, viewerId)),
    threads: threadsOf(world)
      .filter((one) => !one.thread.archived && mayIn(world, one, viewerId, Bit.ViewChannel))
      .map((one) => channelView(world, one, viewerId)),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
