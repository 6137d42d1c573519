/** The channel list as it is shown: categories, channels in their order, and under each its open threads. */
import { compareSnowflakes } from "../../state/snowflake-order.ts";
import { isThread, type Channel } from "./model.ts";

export interface Listed {
  channel: Channel;
  threads: Channel[];
}
export interface Section {
  category: Channel | undefined;
  channels: Listed[];
}

const CATEGORY = 4;

/** One guild's channels; `here` keeps an archived thread visible while it is open. */
export function sectionsOf(channels: Record<string, Channel>, guildId: string, here: string | undefined): Section[] {
  const own = Object.values(channels).filter((c) => c.guild_id === guildId);
  const categories = own.filter((c) => c.type === CATEGORY).sort(byPosition);
  const threads = own.filter((c) => isThread(c) && (!c.thread_metadata?.archived || c.id === here)).sort(byAge);
  const listed = own
    .filter((c) => c.type !== CATEGORY && !isThread(c))
    .sort(byPosition)
    .map((channel) => ({ channel, threads: threads.filter((t) => t.parent_id === channel.id) }));
  const loose = listed.filter((l) => !categories.some((c) => c.id === l.channel.parent_id));
  const sections: Section[] = loose.length > 0 ? [{ category: undefined, channels: loose }] : [];
  for (const category of categories)
    sections.push({ category, channels: listed.filter((l) => l.channel.parent_id === category.id) });
  return sections;
}

/** The channel to open first: the first one that can be written in. */
export function firstChannel(channels: Record<string, Channel>): Channel | undefined {
  return Object.values(channels)
    .filter((c) => c.type === 0 || c.type === 5)
    .sort(byPosition)[0];
}

function byPosition(a: Channel, b: Channel): number {
  return (a.position ?? 0) - (b.position ?? 0) || byAge(a, b);
}

function byAge(a: Channel, b: Channel): number {
  return compareSnowflakes(a.id, b.id);
}
