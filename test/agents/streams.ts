/** The true streams of the agents (`test/fixtures`), and what a translation makes of lines. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { parseLine } from "../../src/agents/process/fields.ts";
import type { Translated, Translation } from "../../src/agents/process/dialect.ts";
import type { TurnEnded, Update } from "../../src/agents/contract/updates.ts";

export interface Heard {
  updates: Update[];
  replies: Translated["replies"];
  ends: TurnEnded[];
  unknown: [string, number][];
}

/** The lines of `test/fixtures/TOOL/NAME.ndjson`. */
export function linesOf(tool: string, name: string): string[] {
  const file = new URL(`../fixtures/${tool}/${name}.ndjson`, import.meta.url);
  return readFileSync(file, "utf8").trim().split("\n");
}

export function translate(translation: Translation, lines: readonly (string | object)[]): Heard {
  const heard: Heard = { updates: [], replies: [], ends: [], unknown: [] };
  for (const line of lines) {
    const message = parseLine(typeof line === "string" ? line : JSON.stringify(line));
    if (message === null) continue;
    const { updates, replies, end } = translation.translate(message);
    heard.updates.push(...updates);
    heard.replies.push(...replies);
    if (end) heard.ends.push(end);
  }
  heard.unknown = [...translation.unknown];
  return heard;
}

/**
 * The law of every good stream: one end, whose result is the deltas joined, one session key, and nothing not
 * understood.
 */
export function expectOneAnswer({ updates, ends, unknown }: Heard, answer: string): void {
  expect(ends).toMatchObject([{ outcome: "done", result: answer }]);
  expect(updates.flatMap((update) => (update.kind === "text" ? [update.delta] : [])).join("")).toBe(answer);
  expect(unknown).toEqual([]);
  expect(updates.filter(({ kind }) => kind === "session_key")).toHaveLength(1);
}
