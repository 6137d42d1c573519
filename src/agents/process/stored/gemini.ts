/**
 * Gemini CLI's conversations, as 0.61.0 keeps them: `tmp/<name>/chats/session-*.jsonl` in its own directory, where
 * `tmp/<name>/.project_root` has the path of the project.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { recordFolders, type Environment } from "../../../config/homes.ts";
import type { StoredConversation } from "../../../engine/live.ts";
import { type Fields, records, text } from "../fields.ts";
import {
  beginningOf,
  CONVERSATION_ID,
  conversationsIn,
  eachOf,
  endsOf,
  newestFiles,
  type RecordFile,
} from "./records.ts";

/** Longer than any path. */
const PATH_BYTES = 8192;

export async function geminiConversations(env: Environment, cwd: string): Promise<StoredConversation[]> {
  const all = recordFolders.gemini(env);
  const places = (await readdir(all)).map((name) => join(all, name));
  const roots = await eachOf(places, (place) => beginningOf(join(place, ".project_root"), PATH_BYTES));
  const here = places.filter((_, index) => roots[index]?.trim() === cwd).map((place) => join(place, "chats"));
  const paths = await Promise.all(
    here.map(async (chats) =>
      (await readdir(chats).catch(() => []))
        .filter((name) => /^session-.*\.jsonl$/.test(name))
        .map((name) => join(chats, name)),
    ),
  );
  return conversationsIn(await newestFiles(paths.flat()), conversationIn);
}

async function conversationIn(file: RecordFile): Promise<StoredConversation | null> {
  const { first, last, cut } = await endsOf(file);
  const [begin = {}] = first;
  const about =
    first.map((line) => wordsOf(line, "user")).find((words) => words !== "" && !words.startsWith("<")) ?? "";
  const key = text(begin["sessionId"]);
  if (!CONVERSATION_ID.test(key) || begin["kind"] !== "main" || (about === "" && !cut)) return null;
  return {
    key,
    at: file.at,
    about,
    said: last.map((line) => wordsOf(line, "gemini")).findLast((words) => words !== "") ?? "",
  };
}

function wordsOf(line: Fields, type: "user" | "gemini"): string {
  if (line["type"] !== type) return "";
  const { content } = line;
  return typeof content === "string" ? content : text(records(content)[0]?.["text"]);
}
