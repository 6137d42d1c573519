/**
 * The usage that Gemini reports for a run, in both formats: totals and a table of models (`stream-json`), or only the
 * table, with different field names (`json`). Both count this run alone, also for a resumed conversation.
 */
import { count, type Fields, fieldsOf, inner, known } from "../process/fields.ts";
import type { Usage } from "../contract/updates.ts";

export function usageOf(stats: Fields): Usage {
  const models = Object.entries(inner(stats, "models")).map(([name, used]) => ({ name, used: tokensOf(fieldsOf(used) ?? {}) }));
  const sum = (key: keyof Tokens): number | undefined =>
    models.length === 0 ? undefined : models.reduce((all, { used }) => all + (used[key] ?? 0), 0);
  // Small models do side work such as routing; the model with the most output wrote the answer.
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
