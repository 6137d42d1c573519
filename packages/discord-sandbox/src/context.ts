/**
 * What every part of the sandbox shares: the world, the clock, the ids, the way to the gateway, and the list of
 * violations. Made once, by `compose.ts`.
 */
import type { Notification } from "./state/notifications.ts";
import type { Clock } from "./clock.ts";
import type { AttachmentStore } from "./state/attachments.ts";
import type { Json } from "./rest/form.ts";
import type { InteractionRegistry } from "./interactions/interaction.ts";
import type { Session } from "./gateway/session.ts";
import type { Snowflakes } from "./state/snowflakes.ts";
import type { Timers } from "./timers.ts";
import type { Message, World } from "./state/world.ts";

/** One REST request and its answer. `requestBody` is the JSON, or the `payload_json` of a multipart. */
export interface Exchange {
  operationId: string | null;
  method: string;
  path: string;
  query: Record<string, string>;
  requestBody: unknown;
  files: { field: string; name: string; size: number }[];
  status: number;
  responseBody: unknown;
  auth: "bot" | "user" | "interaction" | "none";
  /** Set when an injected fault, not a rule, made the answer. */
  injected: boolean;
}

export type ViolationKind =
  | "bad_request"
  | "forbidden"
  | "not_found"
  | "unauthorized"
  | "rate_limited"
  | "missed_ack"
  | "double_ack"
  | "unknown_interaction"
  | "expired_token"
  | "gateway_close"
  | "identify_budget";

/** Something the bot did that Discord refuses or counts against it. */
export interface Violation {
  kind: ViolationKind;
  /** Discord's JSON error code or the gateway's close code; 0 where there is none. */
  code: number;
  message: string;
  at: number;
  exchange?: Exchange;
}

/** A gateway event, before it is decided who receives it. */
export interface Dispatch {
  t: string;
  /** The payload, which may differ by who reads it; `blank` where the reader may not see message content. */
  d: Json | ((viewerId: string, blank: boolean) => Json);
  /** Only those who see this channel receive it. */
  channelId?: string;
  /** Only these users receive it. */
  only?: readonly string[];
  /** These do not, though they otherwise would. */
  except?: readonly string[];
}

export interface Context {
  world: World;
  clock: Clock;
  ids: Snowflakes;
  timers: Timers;
  origin: string;
  gatewayUrl: string;
  /** The address that bots are told, which a fault may change. */
  gatewayNamed(place: "READY" | "REST"): string;
  attachments: AttachmentStore;
  interactions: InteractionRegistry;
  violations: Violation[];
  /** Notifications of the owner since the start, the latest few thousand. */
  notifications: Notification[];
  /** Ephemeral messages by id: seen by one user, reached only through their interaction, gone with the process. */
  ephemerals: Map<string, Message>;
  /** What the server's AutoMod lets no bot say, and with which code it says so. */
  blocked: { words: RegExp; code: number } | null;
  /** Entries of the audit log from this id on are not to be seen yet; null: all are. */
  auditHeldFrom: string | null;
  /** The latest message by author and nonce. */
  nonces: Map<string, { channelId: string; messageId: string }>;
  /** When commands were created, by application and guild (200 a day). */
  commandCreates: Map<string, number[]>;
  typing: { channelId: string; userId: string; at: number }[];
  /** `session_start_limit` for a bot. */
  identifyLimit(userId: string): Json;
  /** The gateway session with this id, where it is this user's. */
  session(id: string, userId: string): Session | undefined;
  dispatch(event: Dispatch): void;
  /** Says that the world has changed: saves it in a while, and looks at every awaited fact. */
  changed(): void;
  violation(kind: ViolationKind, code: number, message: string, exchange?: Exchange): void;
}

/** ISO 8601 as Discord writes it, microseconds and offset included. */
export function discordTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000+00:00`;
}
