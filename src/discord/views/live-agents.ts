/** The agents that are open now, one line each: where, since when, what they do, and their memory. */
import type { APIEmbed } from "discord-api-types/v10";
import { say, type Locale } from "../../base/words/say.ts";
import type { LiveAgent } from "../../engine/live-agent.ts";
import { colours, inert } from "./body.ts";
import { clock } from "./decisions/frame.ts";

/** More than a machine usually has memory for, and few enough for one embed. */
const SHOWN = 20;
const SIGNS = { working: "⚙️", idle: "💤" } as const;

/** This thread's first, then the longest open. */
export function liveAgents(living: readonly LiveAgent[], threadId: string, locale: Locale): APIEmbed {
  const isHere = ({ thread_id }: LiveAgent): boolean => thread_id === threadId;
  const sorted = living.toSorted((a, b) => Number(isHere(b)) - Number(isHere(a)) || (a.since < b.since ? -1 : 1));
  const lines = [
    ...(living.some(isHere) ? [] : [say(locale, "living_none_here")]),
    ...sorted.slice(0, SHOWN).map((one) => line(one, locale)),
    ...(sorted.length > SHOWN ? [say(locale, "living_more", { count: sorted.length - SHOWN })] : []),
  ];
  return { color: living.length === 0 ? colours.quiet : colours.runs, title: say(locale, "living_title", { count: living.length }), description: lines.join("\n") };
}

function line({ thread_id, tool, state, since, background, bytes }: LiveAgent, locale: Locale): string {
  return [
    `${SIGNS[state]} **${inert(tool, 40)}** <#${thread_id}>`,
    say(locale, `living_${state}`),
    ...(background > 0 ? [say(locale, "living_background", { count: background })] : []),
    say(locale, "living_since", { since: clock(since, "R") }),
    ...(bytes === null ? [] : [`${Math.round(bytes / 1_000_000)} MB`]),
  ].join(" · ");
}
