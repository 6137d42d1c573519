/**
 * People and members as Discord writes them down, and who is behind a token.
 */
import type { Json } from "../rest/form.ts";
import { guildPermissions } from "./permissions.ts";
import { Code, refuse } from "../rest/refusals.ts";
import type { Application, Member, User, World } from "./world.ts";

export function userView(user: User): Json {
  return {
    id: user.id,
    username: user.username,
    avatar: null,
    discriminator: user.bot ? "0000" : "0",
    public_flags: 0,
    flags: 0,
    ...(user.bot ? { bot: true } : {}),
    banner: null,
    accent_color: null,
    global_name: user.globalName,
    avatar_decoration_data: null,
    collectibles: null,
    primary_guild: null,
  };
}

/** The answer of `GET /users/@me`. */
export function selfView(user: User): Json {
  return { ...userView(user), mfa_enabled: false, locale: "en-US", premium_type: 0, email: null, verified: true };
}

/** A member with its user, as the member routes give it. */
export function memberView(world: World, member: Member): Json {
  const user = world.users[member.userId];
  if (user === undefined) throw refuse(Code.UnknownMember);
  return { ...memberPart(member), user: userView(user) };
}

/** A member without its user, as messages carry it. */
export function memberPart(member: Member): Json {
  return {
    avatar: null,
    banner: null,
    communication_disabled_until: null,
    flags: 0,
    joined_at: member.joinedAt,
    nick: member.nick,
    pending: false,
    premium_since: null,
    roles: member.roles,
    mute: false,
    deaf: false,
  };
}

/** A member with its permissions, as interactions carry it. */
export function interactionMember(world: World, member: Member, permissions: bigint): Json {
  return { ...memberView(world, member), permissions: String(permissions) };
}

export function applicationView(world: World, application: Application): Json {
  const owner = requireUser(world, application.ownerId);
  const bot = requireUser(world, application.botId);
  const intents = applicationFlags(application);
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: "",
    type: null,
    bot: userView(bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: Buffer.from(application.id.padEnd(32, "0")).toString("hex"),
    flags: intents,
    flags_new: String(intents),
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: application.teamId === null ? userView(owner) : teamAsUser(application.teamId),
    approximate_guild_count: 1,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: application.teamId === null ? null : teamView(application.teamId, owner),
    eligible_oauth2_scopes: [],
    integration_types_config: {
      0: { oauth2_install_params: { scopes: ["applications.commands", "bot"], permissions: "0" } },
    },
  };
}

/** Application flags: limited message content, presence and members intents, where they are switched on. */
export function applicationFlags(application: Application): number {
  return (application.messageContentIntent ? 1 << 19 : 0) | (application.privilegedIntents ? (1 << 13) | (1 << 15) : 0);
}

export function userByToken(world: World, token: string): User | undefined {
  return Object.values(world.users).find((user) => user.token === token);
}

export function requireUser(world: World, id: string): User {
  const user = world.users[id];
  if (user === undefined) throw refuse(Code.UnknownUser);
  return user;
}

/** An entry of `GET /users/@me/guilds`. */
export function ownGuildView(world: World, userId: string): Json {
  return {
    id: world.guildId,
    name: world.guildName,
    icon: null,
    banner: null,
    owner: world.ownerId === userId,
    permissions: String(guildPermissions(world, userId)),
    features: [],
    approximate_member_count: Object.keys(world.members).length,
    approximate_presence_count: Object.keys(world.members).length,
  };
}

function teamView(teamId: string, owner: User): Json {
  return {
    id: teamId,
    icon: null,
    name: "Sandbox team",
    owner_user_id: owner.id,
    members: [{ user: userView(owner), team_id: teamId, membership_state: 2, role: "admin", permissions: ["*"] }],
  };
}

/** For a team's application Discord gives a stand-in user named after the team. */
function teamAsUser(teamId: string): Json {
  return {
    ...userView({ id: teamId, username: `team${teamId}`, globalName: null, bot: false, token: "" }),
    public_flags: 1024,
    flags: 1024,
  };
}
