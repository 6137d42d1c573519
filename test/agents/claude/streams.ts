/** The true streams of Claude Code 2.1.329 (`test/fixtures/claude`), and what the translation makes of lines. */
import { readFileSync } from "node:fs";
import { ClaudeTranslation } from "../../../src/agents/claude/translate.ts";
import { parseLine } from "../../../src/agents/fields.ts";
import type { Translated } from "../../../src/agents/process-run.ts";
import type { RunEnded, Update } from "../../../src/agents/updates.ts";

export interface Heard {
  updates: Update[];
  replies: Translated["replies"];
  ends: RunEnded[];
  unknown: [string, number][];
}

export function linesOf(name: string): string[] {
  const file = new URL(`../../fixtures/claude/${name}.ndjson`, import.meta.url);
  return readFileSync(file, "utf8").trim().split("\n");
}

export function translate(lines: readonly (string | object)[], resume: string | null = null): Heard {
  const translation = new ClaudeTranslation(resume);
  const heard: Heard = { updates: [], replies: [], ends: [], unknown: [] };
  for (const line of lines) {
    const message = parseLine(typeof line === "string" ? line : JSON.stringify(line));
    if (message === null) continue;
    const { updates, replies, end } = translation.take(message);
    heard.updates.push(...updates);
    heard.replies.push(...replies);
    if (end) heard.ends.push(end);
  }
  heard.unknown = [...translation.unknown];
  return heard;
}

export function only<K extends Update["kind"]>(updates: readonly Update[], kind: K): Extract<Update, { kind: K }>[] {
  return updates.filter((update): update is Extract<Update, { kind: K }> => update.kind === kind);
}

export function textOf(updates: readonly Update[]): string {
  return only(updates, "text")
    .map(({ delta }) => delta)
    .join("");
}
