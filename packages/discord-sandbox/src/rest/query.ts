/**
 * Query parameters, read with Discord's errors. They are text, whatever they mean.
 */
import { Form } from "./form.ts";

/** `limit`, from 1 to `max`, else the default. */
export function readLimit(query: URLSearchParams, fallback: number, max: number): number {
  const text = query.get("limit") ?? "";
  const form = new Form({ ...(text !== "" && { limit: /^-?\d+$/.test(text) ? Number(text) : text }) });
  const limit = form.integer("limit", { min: 1, max });
  form.done();
  return limit ?? fallback;
}

export function readSnowflake(query: URLSearchParams, key: string): string | null {
  const form = new Form(Object.fromEntries(query));
  const id = form.snowflake(key);
  form.done();
  return id ?? null;
}

export function readFlag(query: URLSearchParams, key: string): boolean {
  return ["true", "1"].includes(query.get(key)?.toLowerCase() ?? "");
}
