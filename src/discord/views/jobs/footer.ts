/**
 * The line below an answer of a Claude at a terminal: its model, how full its context is, and how much of its usage
 * limits is used, as it last said. What is not known is left out.
 */
import type { StatusLine, UsageLimit } from "../../../protocol/status-line.ts";
import { inert } from "../body.ts";

const MODEL_CHARS = 40;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The longest that a limit can take until it resets, with some room. */
const LONGEST_MS = { session: 6 * HOUR_MS, weekly: 8 * 24 * HOUR_MS } as const;

/** @param at when the answer was finished, in milliseconds since the epoch. Null: nothing is known */
export function footerLine({ model, context, session, weekly }: StatusLine, at: number): string | null {
  const name = [model === null ? "" : inert(model, MODEL_CHARS), context === null ? "" : `${context}%`]
    .filter((part) => part !== "")
    .join(" ");
  const parts = [name, limitOf("session", session, at), limitOf("weekly", weekly, at)].filter((part) => part !== "");
  return parts.length === 0 ? null : `📊 ${parts.join(" │ ")}`;
}

/** Empty if it was reset since: what was used of it then says nothing now. */
function limitOf(name: keyof typeof LONGEST_MS, limit: UsageLimit | null, at: number): string {
  if (limit === null) return "";
  const left = limit.resetsAt === null ? null : limit.resetsAt - at;
  if (left !== null && left <= 0) return "";
  return `${name}:${limit.percent}%${left === null || left > LONGEST_MS[name] ? "" : `(${timeLeft(left)})`}`;
}

/** `5d03h`, `2h30m`, `9m`. */
function timeLeft(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  const two = (count: number): string => String(count).padStart(2, "0");
  if (hours >= 24) return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
  return hours >= 1 ? `${hours}h${two(minutes % 60)}m` : `${minutes}m`;
}
