/**
 * Claude Code's conversations, as 2.1.329 keeps them: `projects/<directory>/<session id>.jsonl` in its own directory. The
 * directory's name has a `-` for each character of the path that is neither a letter nor a digit, so the path in the
 * record itself decides; a long one is cut off and has a digest at its end.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { claudeHome, type Environment } from "../../../config/homes.ts";
import type { StoredConversation } from "../../../engine/resumable.ts";
import { type Fields, inner, records, text } from "../fields.ts";
import { conversationsIn, endsOf, newestFiles, type RecordFile } from "./records.ts";

const RECORD = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i;
const NAME_CHARS = 200;

export async function claudeConversations(env: Environment, cwd: string): Promise<StoredConversation[]> {
  const projects = join(claudeHome(env), "projects");
  const name = cwd.replace(/[^A-Za-z0-9]/g, "-");
  const directories = (await readdir(projects)).filter((one) => one === name || (name.length > NAME_CHARS && one.startsWith(name.slice(0, NAME_CHARS))));
  const paths = await Promise.all(directories.map(async (one) => (await readdir(join(projects, one))).filter((file) => RECORD.test(file)).map((file) => join(projects, one, file))));
  return conversationsIn(await newestFiles(paths.flat()), (file) => conversationIn(file, cwd));
}

async function conversationIn(file: RecordFile, cwd: string): Promise<StoredConversation | null> {
  const { first, last, cut } = await endsOf(file);
  const said = first.filter(isPrompt);
  const place = first.find((line) => typeof line["cwd"] === "string");
  if (place?.["cwd"] !== cwd || (said.length === 0 && !cut)) return null;
  const branch = text(last.findLast(({ gitBranch }) => typeof gitBranch === "string")?.["gitBranch"]);
  return {
    key: RECORD.exec(file.path)?.[1] ?? "",
    at: file.at,
    about: titleIn(last) || promptOf(said.find((line) => promptOf(line) !== "")),
    said: text(last.filter(isAnswer).flatMap((line) => records(inner(line, "message")["content"])).findLast((part) => part["type"] === "text")?.["text"]),
    ...(branch !== "" && branch !== "HEAD" && { branch }),
  };
}

/** The owner's own title before Claude's. */
function titleIn(lines: readonly Fields[]): string {
  const titleOf = (type: string, key: string): string => text(lines.findLast((line) => line["type"] === type)?.[key]);
  return titleOf("custom-title", "customTitle") || titleOf("ai-title", "aiTitle") || titleOf("summary", "summary");
}

function isPrompt(line: Fields): boolean {
  return line["type"] === "user" && line["isSidechain"] !== true && line["isMeta"] !== true && line["isCompactSummary"] !== true;
}

function isAnswer(line: Fields): boolean {
  return line["type"] === "assistant" && line["isSidechain"] !== true;
}

/** Empty for what Claude writes down as the user's and he has not written: commands, their output, tools' results. */
function promptOf(line: Fields | undefined): string {
  const content = inner(line ?? {}, "message")["content"];
  const words = typeof content === "string" ? content : text(records(content).find(({ type }) => type === "text")?.["text"]);
  return words.startsWith("<") ? "" : words;
}
