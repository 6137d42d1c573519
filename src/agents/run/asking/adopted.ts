/**
 * What an agent of Bellhop's gets at its start, for a Claude that its owner started himself: the folders of its
 * session, which it may read without a question, and what its model has to know of them.
 */
import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { HookNote, HookRequest } from "../../../engine/hook-channel.ts";
import { contextFor, type HookPayload } from "../../../protocol/hooks.ts";
import type { RunContext } from "../run-context.ts";
import { adoptedNote } from "../prompt.ts";

/** Whether Claude asks to read a file that is in its session's own folders, wherever its links lead. */
export async function isGrantedRead(
  folders: RunContext["folders"],
  { payload, owner, cut }: HookRequest,
): Promise<boolean> {
  const { hook_event_name, tool_name, tool_input } = payload;
  const path = tool_input["file_path"];
  if (hook_event_name !== "PermissionRequest" || tool_name !== "Read" || typeof path !== "string" || cut !== undefined)
    return false;
  try {
    const file = await realpath(path);
    const granted = await Promise.all(folders.granted(owner.thread_id).map((folder) => realpath(folder)));
    return granted.some((folder) => file.startsWith(`${folder}${sep}`));
  } catch {
    return false;
  }
}

/** It is told once in a conversation, and once more when that was compacted. */
export class AdoptedNotes {
  readonly #context: RunContext;
  /** By thread: the conversation that knows it. */
  readonly #told = new Map<string, string>();

  constructor(context: RunContext) {
    this.#context = context;
  }

  noteFor(payload: HookPayload, threadId: string): HookNote | null {
    const { hook_event_name: hook, session_id } = payload;
    if (hook !== "SessionStart" && hook !== "UserPromptSubmit") return null;
    if (hook === "UserPromptSubmit" && this.#told.get(threadId) === session_id) return null;
    if (this.#context.engine.state.windows[threadId]?.adopted !== true) return null;
    const [outputs = ""] = this.#context.folders.granted(threadId);
    return {
      answer: contextFor(hook, adoptedNote(outputs)),
      onDelivered: () => void this.#told.set(threadId, session_id),
    };
  }
}
