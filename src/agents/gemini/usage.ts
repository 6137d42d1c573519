/**
 * What Gemini says a run used, in both its forms: totals beside a table of models (`stream-json`), or only the table,
 * with names of its own (`json`). Both count this run alone, also where it went on from another.
 */
import { count, type Fields, fieldsOf, inner, known } from "../fields.ts";
import type { Usage } from "../updates.ts";

export function usageOf(stats: Fields): Usage {
  const models = Object.entries(inner(stats, "models")).map(([name, used]) => ({ name, used: tokensOf(fieldsOf(used) ?? {}) }));
  const sum = (key: keyof Tokens): number | undefined =>
    models.length === 0 ? undefined : models.reduce((all, { used }) => all + (used[key] ?? 0), 0);
  // Small models do side work such as routing; the one that wrote most wrote the answer.
  const main = models.sort((a, b) => (b.used.output ?? 0) - (a.used.output ?? 0))[0];
  return known<Usage>({
    input: count(stats["input"]) ?? sum("input"),
    output: count(stats["output_tokens"]) ?? sum("output"),
    cacheRead: count(stats["cached"]) ?? sum("cached"),
    durationMs: count(stats["duration_ms"]) || undefined,
    model: main && (main.used.output ?? 0) > 0 ? main.name : undefined,
  });
}

interface Tokens {
  input: number | undefined;
  output: number | undefined;
  cached: number | undefined;
}

function tokensOf(used: Fields): Tokens {
  const tokens = fieldsOf(used["tokens"]) ?? used;
  const thoughts = count(tokens["thoughts"]) ?? 0;
  const candidates = count(tokens["candidates"]);
  return {
    input: count(tokens["input"]),
    output: count(tokens["output_tokens"]) ?? (candidates === undefined ? undefined : candidates + thoughts),
    cached: count(tokens["cached"]),
  };
}
