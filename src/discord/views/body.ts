/**
 * The bodies of posts. A reader can always tell two kinds apart: an agent's text is plain content that pings nobody
 * and unfurls nothing; our own text is in embeds. External text enters an embed only through `inert` or `code`, so
 * nothing in it is formatting there.
 */
import {
  ButtonStyle,
  ComponentType,
  MessageFlags,
  type APIEmbed,
  type APIMessageTopLevelComponent,
} from "discord-api-types/v10";
import { excerpt, oneLine, withoutMarkdown } from "../../base/text.ts";
import type { Body } from "./desired-posts.ts";

export interface Button {
  /** At most 100 characters; names what is wanted and the job. */
  customId: string;
  label: string;
  emphasis: "main" | "plain";
}

/** Red, amber, blue, green, grey, and violet for what is asked of the owner. Only our own posts have colours. */
export const colours = { bad: 0xc83c3c, waits: 0xd69a2d, runs: 0x4b7bec, good: 0x3a9d5d, quiet: 0x7a7f87, asks: 0x8b5cf6 } as const;

/** An agent's text: `content` has been through `agentText` and `split`. */
export function agentBody(content: string): Body {
  return { content, embeds: [], components: [], flags: MessageFlags.SuppressEmbeds, allowed_mentions: nobody() };
}

/** Our own text, as one embed with at most one row of buttons. */
export function systemBody(embed: APIEmbed, buttons: readonly Button[] = []): Body {
  return { content: "", embeds: [embed], components: row(buttons), flags: 0, allowed_mentions: nobody() };
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

function nobody(): Body["allowed_mentions"] {
  return { parse: [], replied_user: false };
}

function row(buttons: readonly Button[]): APIMessageTopLevelComponent[] {
  if (buttons.length === 0) return [];
  return [
    {
      type: ComponentType.ActionRow,
      components: buttons.map(({ customId, label, emphasis }) => ({
        type: ComponentType.Button,
        style: emphasis === "main" ? ButtonStyle.Primary : ButtonStyle.Secondary,
        label: excerpt(label, 80),
        custom_id: customId,
      })),
    },
  ];
}
