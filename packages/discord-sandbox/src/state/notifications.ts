/**
 * Notifications: for every message that somebody else posts, whether the owner's client notifies him of it, as
 * Discord's does with its usual settings. An edit notifies nobody.
 */
import { MessageFlags as Flag } from "discord-api-types/v10";
import type { Message, World } from "./world.ts";

/** `mention`: he is mentioned. `message`: an ordinary notification. `silent`: it is there when he looks. */
export type NotificationKind = "mention" | "message" | "silent";

export interface Notification {
  messageId: string;
  channelId: string;
  authorId: string;
  how: NotificationKind;
}

/** Messages, replies and answers to commands, which people and bots write; the other types are Discord's own lines. */
const SPOKEN = new Set<number>([0, 19, 20, 23]);

/** Null for the owner's own messages and for ephemeral ones. */
export function notificationOf(world: World, message: Message): Notification | null {
  const { id: messageId, channelId, authorId, flags, type, mentions, mentionEveryone } = message;
  if (authorId === world.ownerId || message.ephemeralFor !== null || !SPOKEN.has(type)) return null;
  const isSilent = (flags & Flag.SuppressNotifications) !== 0;
  const isMentioned = mentionEveryone || mentions.includes(world.ownerId);
  return { messageId, channelId, authorId, how: isSilent ? "silent" : isMentioned ? "mention" : "message" };
}
