/**
 * The bodies of what we post. Two kinds, which a reader can always tell apart: an agent's words are plain content
 * that pings nobody and unfurls nothing; ours are embeds. Words that come from outside enter an embed only through
 * `inert` or `code`, so nothing they hold is formatting there.
 */
import {
  ButtonStyle,
  ComponentType,
  MessageFlags,
  type APIEmbed,
  type APIMessageTopLevelComponent,
} from "discord-api-types/v10";
import { excerpt, oneLine } from "../base/text.ts";
import type { Body } from "./owed.ts";

export interface Button {
  /** At most 100 characters; says what is wanted and of which job. */
  customId: string;
  label: string;
  emphasis: "main" | "plain";
}

/** Red, amber, blue, green, grey, and violet for what is asked of the owner: only ours have colours. */
export const colours = { bad: 0xc83c3c, waits: 0xd69a2d, runs: 0x4b7bec, good: 0x3a9d5d, quiet: 0x7a7f87, asks: 0x8b5cf6 } as const;

/** An agent's words: `content` has been through `agentText` and `split`. */
export function spoken(content: string): Body {
  return { content, embeds: [], components: [], flags: MessageFlags.SuppressEmbeds, allowed_mentions: nobody() };
}

/** Our own words, as one embed with at most one row of buttons. */
export function told(embed: APIEmbed, buttons: readonly Button[] = []): Body {
  return { content: "", embeds: [embed], components: row(buttons), flags: 0, allowed_mentions: nobody() };
}

/**
 * A line of ours below or above an agent's words. Discord's small print, which `agentText` takes from agents,
 * so that a line like this is always ours.
 */
export function smallPrint(line: string): string {
  return `-# ${line}`;
}

/** Words from outside as one line of plain text, at most `max` characters. */
export function inert(text: string, max: number): string {
  return oneLine(text, max).replace(/[\\`*_~|<>[\]()#@:-]/g, "\\$&");
}

/** Words from outside as one line of code, at most `max` characters; a backtick in them is drawn as a look-alike. */
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
