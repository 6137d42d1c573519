/**
 * Claude Code's records of conversations, as 2.1.329 keeps them: `projects/<directory>/<session id>.jsonl` in its own
 * directory. If it cannot resume one in a terminal it may end without a word, and only these records tell why. They also tell
 * what it has read of the messages that a daemon was sending to it when that daemon ended.
 */
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { claudeHome, type Environment } from "../../config/homes.ts";
import type { ReadBy } from "../contract/driver.ts";
import { inner, parseLine, records } from "../process/fields.ts";

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it surely has none of this conversation; false where that cannot be told. */
export function isUnrecorded(env: Environment, key: string): boolean {
  if (!SESSION_ID.test(key)) return false;
  try {
    return recordsOf(env, key).length === 0;
  } catch {
    return false;
  }
}

/** See `Driver.readBy`. Claude writes its record a moment after it has read a message. */
export async function readBy(env: Environment, key: string, names: readonly string[]): Promise<ReadBy> {
  const found = new Map<string, "taken" | "begun">();
  if (!SESSION_ID.test(key)) return found;
  try {
    for (const file of recordsOf(env, key)) {
      for await (const line of createInterface({ input: createReadStream(file) })) {
        for (const name of names.filter((one) => line.includes(one))) {
          const how = howRead(line, name);
          if (how !== null) found.set(name, how);
        }
      }
    }
  } catch {
    // What was not found is not known.
  }
  return found;
}

/** The last message of the turn with this prompt; null: none is written down, or not yet. */
export async function lastMessage(env: Environment, key: string, promptId: string): Promise<string | null> {
  if (!SESSION_ID.test(key)) return null;
  let isIts = false;
  let last: { id: unknown; text: string } | null = null;
  try {
    for (const file of recordsOf(env, key)) {
      for await (const text of createInterface({ input: createReadStream(file) })) {
        if (!/"(?:promptId|role":"assistant)"/.test(text)) continue;
        const line = parseLine(text) ?? {};
        if (line["type"] === "user" && line["promptId"] !== undefined) isIts = line["promptId"] === promptId;
        else if (isIts && line["type"] === "assistant" && line["isSidechain"] !== true) last = withMessage(last, inner(line, "message"));
      }
    }
  } catch {
    // What was not found is not known.
  }
  return last?.text ?? null;
}

/** What was said before a tool is not the last message. A line has one part of a message. */
function withMessage(last: { id: unknown; text: string } | null, { id, content }: Record<string, unknown>): { id: unknown; text: string } | null {
  const parts = records(content);
  if (parts.some(({ type }) => type === "tool_use")) return null;
  const said = parts.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
  if (said === "") return last;
  return { id, text: last !== null && last.id === id ? `${last.text}\n${said}` : said };
}

function recordsOf(env: Environment, key: string): string[] {
  const projects = join(claudeHome(env), "projects");
  return readdirSync(projects).map((directory) => join(projects, directory, `${key}.jsonl`)).filter((file) => existsSync(file));
}

/** What a line of a record says of the message of this name. */
function howRead(text: string, name: string): "taken" | "begun" | null {
  const line = parseLine(text) ?? {};
  if (line["type"] === "user" && line["uuid"] === name) return "begun";
  const absorbed = line["type"] === "queue-operation" && line["reason"] === "absorbed_mid_turn" && line["commandUuid"] === name;
  return absorbed || inner(line, "attachment")["source_uuid"] === name ? "taken" : null;
}
