/**
 * Claude Code's records of its conversations, as 2.1.329 keeps them: `projects/<directory>/<session id>.jsonl` in its
 * own directory. The directory's name has a `-` for each character of the path that is neither a letter nor a digit, so
 * the path in the record itself decides; a long one is cut off and has a digest at its end.
 */
import { existsSync, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { recordFolders, type Environment } from "../../../config/homes.ts";
import type { StoredConversation } from "../../../engine/live.ts";
import type { ReadBy } from "../../contract/driver.ts";
import { type Fields, inner, parseLine, records, text } from "../fields.ts";
import { CONVERSATION_ID, conversationsIn, endsOf, linesOf, newestFiles, type RecordFile } from "./records.ts";

const RECORD = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i;
const NAME_CHARS = 200;
/** Before what the user said when he refused a tool. */
const REASON = "the user said:\n";
/** Claude's own words, recorded as the user's. */
const INTERRUPTED = "[Request interrupted by user";

export async function claudeConversations(env: Environment, cwd: string): Promise<StoredConversation[]> {
  const projects = recordFolders.claude(env);
  const name = cwd.replace(/[^A-Za-z0-9]/g, "-");
  const directories = (await readdir(projects)).filter(
    (one) => one === name || (name.length > NAME_CHARS && one.startsWith(name.slice(0, NAME_CHARS))),
  );
  const paths = await Promise.all(
    directories.map(async (one) =>
      (await readdir(join(projects, one)).catch(() => []))
        .filter((file) => RECORD.test(file))
        .map((file) => join(projects, one, file)),
    ),
  );
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
    said: text(
      last
        .filter(isAnswer)
        .flatMap((line) => records(inner(line, "message")["content"]))
        .findLast((part) => part["type"] === "text")?.["text"],
    ),
    ...(branch !== "" && branch !== "HEAD" && { branch }),
  };
}

/** The owner's own title comes before Claude's. */
function titleIn(lines: readonly Fields[]): string {
  const titleOf = (type: string, key: string): string => text(lines.findLast((line) => line["type"] === type)?.[key]);
  return titleOf("custom-title", "customTitle") || titleOf("ai-title", "aiTitle") || titleOf("summary", "summary");
}

function isPrompt(line: Fields): boolean {
  return (
    line["type"] === "user" &&
    line["isSidechain"] !== true &&
    line["isMeta"] !== true &&
    line["isCompactSummary"] !== true
  );
}

function isAnswer(line: Fields): boolean {
  return line["type"] === "assistant" && line["isSidechain"] !== true;
}

/** Empty for what Claude records as the user's although he did not write it: commands, their output, tools' results. */
function promptOf(line: Fields | undefined): string {
  const content = inner(line ?? {}, "message")["content"];
  const words =
    typeof content === "string" ? content : text(records(content).find(({ type }) => type === "text")?.["text"]);
  return words.startsWith("<") ? "" : words;
}

/**
 * Whether Claude surely has no record of this conversation; false where that cannot be told. If it cannot resume one in
 * a terminal it may end without a word, and only this tells why.
 */
export function isUnrecorded(env: Environment, key: string): boolean {
  if (!CONVERSATION_ID.test(key)) return false;
  try {
    return recordsOf(env, key).length === 0;
  } catch {
    return false;
  }
}

/** See `Driver.readBy`. Claude writes its record a moment after it has read a message. */
export async function readBy(env: Environment, key: string, names: readonly string[]): Promise<ReadBy> {
  const found = new Map<string, "taken" | "begun">();
  if (!CONVERSATION_ID.test(key)) return found;
  try {
    for (const file of recordsOf(env, key)) {
      for await (const line of linesOf(file)) {
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
  let last: { id: unknown; text: string } | null = null;
  for (const line of await turnIn(env, key, promptId))
    if (line["type"] === "assistant") last = withMessage(last, inner(line, "message"));
  return last?.text ?? null;
}

export interface Entered {
  /** Empty: nothing that its user has typed. */
  prompt: string;
  /** Milliseconds since the epoch; null: it is not written down. */
  at: number | null;
}

/**
 * What its owner entered for the turn of this name, with `! ` before what he ran in Claude's shell; null: it is not
 * written down yet.
 */
export async function enteredPrompt(env: Environment, key: string, promptId: string): Promise<Entered | null> {
  const prompts = (await turnIn(env, key, promptId)).filter(isPrompt);
  for (const line of prompts) {
    const [, command] = /^<bash-input>([\s\S]*)<\/bash-input>$/.exec(text(inner(line, "message")["content"])) ?? [];
    if (command !== undefined)
      return {
        prompt: `! ${command.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")}`,
        at: momentOf(line),
      };
    const prompt = promptOf(line);
    if (prompt !== "") return { prompt: prompt.startsWith(INTERRUPTED) ? "" : prompt, at: momentOf(line) };
  }
  return prompts.length > 0 ? { prompt: "", at: null } : null;
}

function momentOf(line: Fields): number | null {
  const at = Date.parse(text(line["timestamp"]));
  return Number.isNaN(at) ? null : at;
}

export interface RefusedUse {
  name: string;
  input: Fields;
  /** Why; absent: he has not said. */
  reason?: string;
}

/** The uses of tools in this turn that its owner refused in their dialogs. */
export async function refusedUses(env: Environment, key: string, promptId: string): Promise<RefusedUse[]> {
  const lines = await turnIn(env, key, promptId);
  const parts = (line: Fields): Fields[] => records(inner(line, "message")["content"]);
  const refused = lines
    .filter((line) => line["toolDenialKind"] === "user-rejected" && line["toolDenialBeforeRun"] === true)
    .flatMap(parts);
  return lines.flatMap(parts).flatMap((part) => {
    const no = part["type"] === "tool_use" ? refused.find(({ tool_use_id }) => tool_use_id === part["id"]) : undefined;
    const [, reason] = text(no?.["content"]).split(REASON);
    return no === undefined
      ? []
      : [{ name: text(part["name"]), input: inner(part, "input"), ...(reason !== undefined && { reason }) }];
  });
}

/** Whether the last that is written down of the conversation is that its user interrupted the turn with this prompt. */
export async function isInterruptedIn(env: Environment, key: string, promptId: string): Promise<boolean> {
  if (!CONVERSATION_ID.test(key)) return false;
  try {
    const [file] = await newestFiles(recordsOf(env, key));
    if (file === undefined) return false;
    const last = (await endsOf(file)).last.findLast((line) => isPrompt(line) || isAnswer(line));
    return last !== undefined && last["promptId"] === promptId && promptOf(last).startsWith(INTERRUPTED);
  } catch {
    // What cannot be read is not known.
    return false;
  }
}

/** What is written down of the turn with this prompt, subagents left out. */
async function turnIn(env: Environment, key: string, promptId: string): Promise<Fields[]> {
  const found: Fields[] = [];
  if (!CONVERSATION_ID.test(key)) return found;
  let isIts = false;
  try {
    for (const file of recordsOf(env, key)) {
      for await (const one of linesOf(file)) {
        if (!/"(?:promptId|role":"assistant)"/.test(one)) continue;
        const line = parseLine(one) ?? {};
        if (line["type"] === "user" && line["promptId"] !== undefined) isIts = line["promptId"] === promptId;
        if (isIts && line["isSidechain"] !== true) found.push(line);
      }
    }
  } catch {
    // What was not found is not known.
  }
  return found;
}

/** What was said before a tool is not the last message. A line has one part of a message. */
function withMessage(
  last: { id: unknown; text: string } | null,
  { id, content }: Record<string, unknown>,
): { id: unknown; text: string } | null {
  const parts = records(content);
  if (parts.some(({ type }) => type === "tool_use")) return null;
  const said = parts
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n");
  if (said === "") return last;
  return { id, text: last !== null && last.id === id ? `${last.text}\n${said}` : said };
}

function recordsOf(env: Environment, key: string): string[] {
  const projects = recordFolders.claude(env);
  return readdirSync(projects)
    .map((directory) => join(projects, directory, `${key}.jsonl`))
    .filter((file) => existsSync(file));
}

/** What a line of a record says of the message of this name. */
function howRead(text: string, name: string): "taken" | "begun" | null {
  const line = parseLine(text) ?? {};
  if (line["type"] === "user" && line["uuid"] === name) return "begun";
  const absorbed =
    line["type"] === "queue-operation" && line["reason"] === "absorbed_mid_turn" && line["commandUuid"] === name;
  return absorbed || inner(line, "attachment")["source_uuid"] === name ? "taken" : null;
}
