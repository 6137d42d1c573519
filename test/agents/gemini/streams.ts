/** The true streams of Gemini CLI 0.61.0, and what the translation makes of lines. */
import { existsSync, readFileSync } from "node:fs";
import { parseLine } from "../../../src/agents/process/fields.ts";
import type { GeminiOutput } from "../../../src/agents/gemini/driver.ts";
import { GeminiTranslation } from "../../../src/agents/gemini/translate.ts";
import type { TurnEnded, Update } from "../../../src/agents/contract/updates.ts";

const folder = new URL("../../fixtures/gemini/", import.meta.url);

/** One recorded stream, line by line; `err` is its stderr. */
export function linesOf(name: string, kind: "ndjson" | "err" = "ndjson"): string[] {
  const file = new URL(`${name}.${kind}`, folder);
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

/** The exit code the recording says it ended with. */
export function exitOf(name: string): number {
  return Number(readFileSync(new URL(`${name}.rc`, folder), "utf8"));
}

/** When all of stderr is heard. */
export const HEARD_AT = Date.parse("2026-01-01T00:00:00.000Z");

export interface Heard {
  updates: Update[];
  ends: TurnEnded[];
  unknown: [string, number][];
  translation: GeminiTranslation;
}

export interface Played {
  resume?: string | null;
  output?: GeminiOutput;
  /** Lines of stderr, heard before all others. */
  stderr?: readonly string[];
}

/** What a run would make of these lines: each is looked at as a piece first, then as an object. */
export function translate(
  lines: readonly (string | object)[],
  { resume = null, output = "stream-json", stderr = [] }: Played = {},
): Heard {
  const translation = new GeminiTranslation(resume, output, () => HEARD_AT);
  const updates = stderr.flatMap((line) => translation.overhear(line));
  const ends: Heard["ends"] = [];
  for (const line of lines) {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    const object = parseLine(text);
    const taken = translation.piece(text) ?? (object && translation.translate(object));
    if (taken === null) continue;
    updates.push(...taken.updates);
    if (taken.end) ends.push(taken.end);
  }
  return { updates, ends, unknown: [...translation.unknown], translation };
}
