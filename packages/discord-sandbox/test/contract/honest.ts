/**
 * Exchanges and payloads as Discord would make them, small but whole. A test changes one thing in one of them
 * and sees the judge notice exactly that.
 */
import type { WatchedDispatch, WatchedExchange } from "./contract.ts";

const user = {
  id: "900000000000000001",
  username: "bell",
  discriminator: "0000",
  global_name: null,
  avatar: null,
  public_flags: 0,
  flags: 0,
  bot: true,
  banner: null,
  accent_color: null,
  primary_guild: null,
};

export const message = {
  id: "900000000000000010",
  channel_id: "900000000000000002",
  type: 0,
  content: "hello",
  author: user,
  mentions: [],
  mention_roles: [],
  mention_everyone: false,
  attachments: [],
  embeds: [],
  components: [],
  timestamp: "2026-08-01T10:00:00.000000+00:00",
  edited_timestamp: null,
  flags: 0,
  pinned: false,
  tts: false,
};

export const thread = {
  id: "900000000000000011",
  type: 11,
  guild_id: "900000000000000003",
  parent_id: "900000000000000002",
  owner_id: "900000000000000001",
  name: "a thread",
  flags: 0,
  last_message_id: null,
  message_count: 0,
  member_count: 1,
  total_message_sent: 0,
  rate_limit_per_user: 0,
  thread_metadata: {
    archived: false,
    archive_timestamp: "2026-08-01T10:00:00.000000+00:00",
    auto_archive_duration: 1440,
    locked: false,
    create_timestamp: "2026-08-01T10:00:00.000000+00:00",
  },
};

const channelPath = "/api/v10/channels/900000000000000002";

/** One exchange with what is given changed. */
export function exchange(change: Partial<WatchedExchange>): WatchedExchange {
  return {
    operationId: null,
    method: "POST",
    path: `${channelPath}/messages`,
    query: {},
    requestBody: undefined,
    files: [],
    status: 200,
    responseBody: undefined,
    auth: "bot",
    ...change,
  };
}

/** A message sent with this body and answered as it should be. */
export function sent(requestBody: Record<string, unknown>, change: Partial<WatchedExchange> = {}): WatchedExchange {
  return exchange({ requestBody, responseBody: message, ...change });
}

/** A callback of an interaction, answered with nothing, as it should be. */
export function answered(requestBody: Record<string, unknown>): WatchedExchange {
  return exchange({
    path: "/api/v10/interactions/900000000000000020/token/callback",
    requestBody,
    status: 204,
    auth: "interaction",
  });
}

/** A replacement of all commands of the guild. Its answer is judged elsewhere. */
export function commands(requestBody: unknown[]): WatchedExchange {
  const path = "/api/v10/applications/900000000000000001/guilds/900000000000000003/commands";
  return exchange({ method: "PUT", path, requestBody, responseBody: [] });
}

/** A row of components in a message. */
export function row(...components: unknown[]): Record<string, unknown> {
  return { components: [{ type: 1, components }] };
}

export const button = { type: 2, style: 1, label: "Yes", custom_id: "yes" };

export const choice = (value: string): Record<string, unknown> => ({ label: value, value });

export const command = { name: "start", description: "Starts a session", type: 1 };

/** One thing of every kind that passes between a bot and Discord. */
export const honest: readonly WatchedExchange[] = [
  sent({
    content: "x".repeat(2000),
    nonce: "n1",
    enforce_nonce: true,
    ...row(button, { type: 2, style: 5, label: "Go", url: "https://example.com" }),
  }),
  sent({
    embeds: [{ title: "t", description: "d", fields: [{ name: "n", value: "v" }] }],
    allowed_mentions: { parse: [] },
  }),
  sent({ flags: 1 << 15, components: [{ type: 17, components: [{ type: 10, content: "text" }] }] }),
  sent({ attachments: [{ id: "0", filename: "a.txt" }] }, { files: [{ field: "files[0]", name: "a.txt", size: 3 }] }),
  exchange({
    method: "PATCH",
    path: `${channelPath}/messages/900000000000000010`,
    requestBody: { content: "", components: [] },
    responseBody: message,
  }),
  exchange({ method: "DELETE", path: `${channelPath}/messages/900000000000000010`, status: 204 }),
  exchange({ method: "GET", path: `${channelPath}/messages`, query: { limit: "50" }, responseBody: [message] }),
  exchange({
    method: "PUT",
    path: `${channelPath}/messages/900000000000000010/reactions/%F0%9F%91%8D/@me`,
    status: 204,
  }),
  exchange({
    path: `${channelPath}/threads`,
    requestBody: { name: "a thread", type: 11, auto_archive_duration: 1440 },
    status: 201,
    responseBody: thread,
  }),
  exchange({
    method: "PATCH",
    path: "/api/v10/channels/900000000000000011",
    requestBody: { archived: true },
    responseBody: thread,
  }),
  exchange({ status: 404, requestBody: { content: "x" }, responseBody: { code: 10003, message: "Unknown Channel" } }),
  exchange({
    status: 429,
    requestBody: { content: "x" },
    responseBody: { message: "You are being rate limited.", retry_after: 0.5, global: false },
  }),
  exchange({ status: 500, requestBody: { content: "x" }, responseBody: "oops" }),
  exchange({ status: 0, requestBody: null, responseBody: null, injected: true }),
  exchange({
    status: 429,
    requestBody: null,
    responseBody: { message: "You are being rate limited.", retry_after: 1, global: true },
    injected: true,
  }),
  answered({ type: 5, data: { flags: 64 } }),
  answered({ type: 8, data: { choices: [{ name: "one", value: "1" }] } }),
  answered({
    type: 9,
    data: {
      custom_id: "m",
      title: "T",
      components: [{ type: 18, label: "L", component: { type: 4, custom_id: "t", style: 1 } }],
    },
  }),
  commands([command, { name: "Look at this", type: 3 }]),
  exchange({ method: "POST", path: "/api/v9/interactions", requestBody: { type: 2 }, status: 204, auth: "user" }),
];

export const heard: readonly WatchedDispatch[] = [
  { op: 10, d: { heartbeat_interval: 41250 }, t: null, s: null, to: "bot" },
  { op: 11, d: null, t: null, s: null, to: "bot" },
  { op: 9, d: false, t: null, s: null, to: "bot" },
  { op: 0, t: "RESUMED", d: {}, s: 5, to: "bot" },
  { op: 0, t: "MESSAGE_CREATE", s: 6, to: "bot", d: eventMessage({}) },
  { op: 0, t: "MESSAGE_CREATE", s: 7, to: "user", d: { anything: true } },
];

/** A message as the gateway sends it: the types know fewer fields of its author than an answer has. */
export function eventMessage(change: Record<string, unknown>): Record<string, unknown> {
  const { flags: _flags, ...author } = user;
  return { ...message, author, guild_id: "900000000000000003", ...change };
}
