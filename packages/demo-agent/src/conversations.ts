/**
 * What was said in each session, one file each, so that a session can be resumed by another process. A file is replaced
 * as a whole; a file that cannot be read counts as a session that does not exist.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";

export interface Message {
  by: "user" | "agent";
  text: string;
}

export interface Conversation {
  readonly id: string;
  model: string;
  messages: Message[];
}

export interface Conversations {
  create(model: string): Promise<Conversation>;
  /** Null if there is none with this id. */
  find(id: string): Promise<Conversation | null>;
  save(conversation: Conversation): Promise<void>;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Older messages leave a session first. */
const MOST_MESSAGES = 200;

/** @param env `XDG_STATE_HOME` says where programs keep their state */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const given = env["XDG_STATE_HOME"] ?? "";
  const state = path.isAbsolute(given) ? given : path.join(env["HOME"] || homedir(), ".local", "state");
  return path.join(state, "acp-demo-agent");
}

export function openConversations(folder: string): Conversations {
  const fileOf = (id: string): string => path.join(folder, `${id}.json`);

  async function save({ id, model, messages }: Conversation): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fresh = `${fileOf(id)}.${process.pid}.new`;
    await writeFile(fresh, JSON.stringify({ model, messages: messages.slice(-MOST_MESSAGES) }), { mode: 0o600 });
    await rename(fresh, fileOf(id));
  }

  async function create(model: string): Promise<Conversation> {
    const conversation = { id: randomUUID(), model, messages: [] };
    await save(conversation);
    return conversation;
  }

  async function find(id: string): Promise<Conversation | null> {
    if (!ID.test(id)) return null;
    try {
      return { id, ...read(await readFile(fileOf(id), "utf8")) };
    } catch {
      return null;
    }
  }

  return { create, find, save };
}

/** @throws where the text is not what `save` writes */
function read(text: string): { model: string; messages: Message[] } {
  const { model, messages } = JSON.parse(text) as { model?: unknown; messages?: unknown };
  if (typeof model !== "string" || !Array.isArray(messages)) throw new TypeError("not a conversation");
  return { model, messages: messages.filter(isMessage) };
}

function isMessage(value: unknown): value is Message {
  const { by, text } = (value ?? {}) as { by?: unknown; text?: unknown };
  return (by === "user" || by === "agent") && typeof text === "string";
}
