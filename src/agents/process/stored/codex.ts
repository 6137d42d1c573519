/**
 * Codex's conversations, as 0.169.0 keeps them: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl` in its own
 * directory, those of all projects together. The first line says where each was begun.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { once } from "../../../base/once.ts";
import { recordFolders, type Environment } from "../../../config/homes.ts";
import type { StoredConversation } from "../../../engine/live.ts";
import type { ConversationLookup } from "../../contract/driver.ts";
import { type Fields, inner, records, text } from "../fields.ts";
import {
  beginningOf,
  CONVERSATION_ID,
  conversationsIn,
  eachOf,
  endsOf,
  MOST_RECORDS,
  newestFiles,
  type RecordFile,
} from "./records.ts";

/** At most this many files are read for their directory, the newest first. */
const MOST_ASKED = 300;
/** The directory stands near the beginning of the first line. */
const ASKED_BYTES = 4096;
/** Year, month and day. */
const LEVELS = 3;

export function lookAtCodex(env: Environment): ConversationLookup {
  const sessions = recordFolders.codex(env);
  const newest = once(async () => {
    const files = await newestFiles(await rolloutsIn(sessions, LEVELS), MOST_ASKED);
    return eachOf(files, async (file) => ({ file, beginning: await beginningOf(file.path, ASKED_BYTES) }));
  });
  return async (cwd) => {
    const here = `"cwd":${JSON.stringify(cwd)}`;
    const own = (await newest()).filter(({ beginning }) => beginning.includes(here)).slice(0, MOST_RECORDS);
    return conversationsIn(
      own.map(({ file }) => file),
      (file) => conversationIn(file, cwd),
    );
  };
}

/**
 * Links are not followed: they may lead in a circle. @throws what the disk throws of this directory, but not of those
 * in it
 */
async function rolloutsIn(directory: string, levels: number): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && entry.name.startsWith("rollout-") && entry.name.endsWith(".jsonl"),
  );
  const deeper =
    levels === 0
      ? []
      : await eachOf(
          entries.filter((entry) => entry.isDirectory()),
          ({ name }) => rolloutsIn(join(directory, name), levels - 1).catch(() => []),
        );
  return [...files.map(({ name }) => join(directory, name)), ...deeper.flat()];
}

async function conversationIn(file: RecordFile, cwd: string): Promise<StoredConversation | null> {
  const { first, last, cut } = await endsOf(file);
  const [begin = {}] = first;
  const session = inner(begin, "payload");
  // A subagent's conversation is not the user's.
  if (begin["type"] !== "session_meta" || session["cwd"] !== cwd || (session["thread_source"] ?? "user") !== "user")
    return null;
  const key = text(session["id"]);
  const about =
    first
      .map((line) => wordsOf(line, "user"))
      .find((words) => words !== "" && !words.startsWith("<") && !words.startsWith("# AGENTS.md")) ?? "";
  if (!CONVERSATION_ID.test(key) || (about === "" && !cut)) return null;
  const branch = text(inner(session, "git")["branch"]);
  return {
    key,
    at: file.at,
    about,
    said: last.map((line) => wordsOf(line, "assistant")).findLast((words) => words !== "") ?? "",
    ...(branch !== "" && { branch }),
  };
}

function wordsOf(line: Fields, role: "user" | "assistant"): string {
  const message = inner(line, "payload");
  if (line["type"] !== "response_item" || message["type"] !== "message" || message["role"] !== role) return "";
  return text(records(message["content"])[0]?.["text"]);
}
