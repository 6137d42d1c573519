/**
 * What Claude Code tells the command of its status line, read only as far as it is shown: each part that is missing or
 * makes no sense is left out, and the others stay. Pure: a text in, what it says out.
 */
import * as z from "zod";
import { isModest } from "../base/json-size.ts";
import { once } from "../base/once.ts";
import { oneLine } from "../base/text.ts";

/** The name under which the command calls the daemon, among those of the hooks. */
export const STATUS_LINE = "StatusLine" as const;

export interface UsageLimit {
  percent: number;
  /** Milliseconds since the epoch; null: not known. */
  resetsAt: number | null;
}

export interface StatusLine {
  /** As Claude names it to its user. */
  model: string | null;
  /** Of the context, in percent. */
  context: number | null;
  /** In the context, and how many it can hold. */
  tokens: { used: number; size: number } | null;
  /** US dollars, since the conversation began. */
  cost: number | null;
  session: UsageLimit | null;
  weekly: UsageLimit | null;
}

const MODEL_CHARS = 40;
/** Later than any limit; in seconds, as Claude counts. */
const LATEST_S = 100_000_000_000;

const statusLine = once(() => {
  const amount = z.number().min(0).lt(1e12);
  const percent = z.number().min(0).lt(100.5).transform(Math.round);
  const moment = z.union([
    z
      .number()
      .positive()
      .max(LATEST_S)
      .transform((seconds) => seconds * 1000),
    z.iso.datetime({ offset: true }).transform(Date.parse),
  ]);
  const limit = z
    .object({ used_percentage: percent, resets_at: moment.nullable().catch(null) })
    .transform(({ used_percentage, resets_at }): UsageLimit => ({ percent: used_percentage, resetsAt: resets_at }));

  return z
    .object({
      model: z
        .object({ display_name: z.string().transform((name) => oneLine(name, MODEL_CHARS) || null) })
        .nullable()
        .catch(null),
      context_window: z
        .object({
          used_percentage: percent.nullable().catch(null),
          total_input_tokens: amount.nullable().catch(null),
          context_window_size: amount.positive().nullable().catch(null),
        })
        .partial()
        .nullable()
        .catch(null),
      cost: z.object({ total_cost_usd: amount }).nullable().catch(null),
      rate_limits: z
        .object({ five_hour: limit.nullable().catch(null), seven_day: limit.nullable().catch(null) })
        .nullable()
        .catch(null),
    })
    .transform(({ model, context_window, cost, rate_limits }): StatusLine => ({
      model: model?.display_name ?? null,
      context: context_window?.used_percentage ?? null,
      tokens:
        context_window?.total_input_tokens != null && context_window.context_window_size != null
          ? { used: context_window.total_input_tokens, size: context_window.context_window_size }
          : null,
      cost: cost?.total_cost_usd ?? null,
      session: rate_limits?.five_hour ?? null,
      weekly: rate_limits?.seven_day ?? null,
    }));
});

/** Undefined for what is no object, or too long or nested too deeply. */
export function readStatusLine(body: string): StatusLine | undefined {
  try {
    return isModest(body) ? statusLine().safeParse(JSON.parse(body)).data : undefined;
  } catch {
    return undefined;
  }
}
