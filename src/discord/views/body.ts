/**
 * The bodies of posts. A reader can always tell two kinds apart: an agent's text is plain content that pings nobody
 * and unfurls nothing; our own text is in embeds. External text enters an embed only through `inert` or `code`, so
 * nothing in it is formatting there.
 */
import {
  ButtonStyle,
  ComponentType,
  MessageFlags,
  type APIButtonComponentWithCustomId,
  type APIEmbed,
  type APIMessageTopLevelComponent,
} from "discord-api-types/v10";
import { excerpt, oneLine, withoutMarkdown } from "../../base/text.ts";
import type { Post } from "../../core/posts/post.ts";
import type { State } from "../../core/state.ts";
import type { Body } from "./desired-posts.ts";

export type Button = APIButtonComponentWithCustomId;

/** Discord's limit for the buttons of a row. */
export const ROW_BUTTONS = 5;

/** Red, amber, blue, green, grey, and violet for what is asked of the owner. Only our own posts have colours. */
export const colours = {
  bad: 0xc83c3c,
  waits: 0xd69a2d,
  runs: 0x4b7bec,
  good: 0x3a9d5d,
  quiet: 0x7a7f87,
  asks: 0x8b5cf6,
} as const;

/** An agent's text: `content` has been through `agentText` and `split`. */
export function agentBody(content: string): Body {
  return { content, embeds: [], components: [], flags: MessageFlags.SuppressEmbeds, allowed_mentions: nobody() };
}

/** Our own text, as one embed with buttons below it. */
export function systemBody(embed: APIEmbed, buttons: readonly Button[] = []): Body {
  return { content: "", embeds: [embed], components: rows(buttons), flags: 0, allowed_mentions: nobody() };
}

/**
 * A line of our own below or above an agent's text, in Discord's small print. `agentText` neutralises small print in
 * agents' text, so such a line is always ours.
 */
export function smallPrint(line: string): string {
  return `-# ${line}`;
}

/** External text as one line of plain text, at most `max` characters. */
export function inert(text: string, max: number): string {
  return withoutMarkdown(oneLine(text, max));
}

/** External text as one line of code, at most `max` characters; its backticks are replaced by a look-alike. */
export function code(text: string, max = 200): string {
  const line = oneLine(text, max).replaceAll("`", "ˋ");
  return line === "" ? "" : `\`${line}\``;
}

/** The address of a channel or a thread or, with its id, of a message there. `guildId` null: in direct messages. */
export function discordUrl(guildId: string | null, channelId: string, messageId: string | null = null): string {
  return ["https://discord.com/channels", guildId ?? "@me", channelId, ...(messageId === null ? [] : [messageId])].join(
    "/",
  );
}

/** The address of a thread or of a message of it, which may also stand in its channel or in direct messages. */
export function urlOf(
  { threads }: Pick<State, "threads">,
  threadId: string,
  at: Partial<Pick<Post, "channel_id" | "message_id">> = {},
): string {
  const thread = threads[threadId];
  const { channel_id = threadId, message_id } = at;
  const isInGuild = thread !== undefined && (channel_id === threadId || channel_id === thread.channel_id);
  return discordUrl(isInGuild ? thread.guild_id : null, channel_id, message_id);
}

function nobody(): Body["allowed_mentions"] {
  return { parse: [], replied_user: false };
}

export function button(custom_id: string, label: string, style: Button["style"] = ButtonStyle.Secondary): Button {
  return { type: ComponentType.Button, style, label: excerpt(label, 80), custom_id };
}

/** As many rows as the buttons need. */
export function rows(buttons: readonly Button[]): APIMessageTopLevelComponent[] {
  return chunksOf(buttons, ROW_BUTTONS).map((components) => ({ type: ComponentType.ActionRow, components }));
}

export function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, place) =>
    all.slice(place * size, (place + 1) * size),
  );
}
