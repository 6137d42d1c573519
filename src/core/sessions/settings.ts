/**
 * Which model and which effort the owner chose for a session and its tool. Each holds for every agent that is opened for
 * it, until another is chosen; a model also until the agent does not offer it any more.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";
import { sessionKey } from "./session.ts";

export type ModelEvent =
  | { type: "ModelChosen"; payload: { thread_id: string; tool: string; model: string } }
  | { type: "EffortChosen"; payload: { thread_id: string; tool: string; effort: string } }
  /** The agent does not offer it: it is chosen no more. */
  | { type: "ModelSettled"; payload: { thread_id: string; tool: string; model: string; code: ErrorCode } };

export type ModelCommand =
  | { type: "choose_model"; thread_id: string; tool: string; model: string }
  | { type: "choose_effort"; thread_id: string; tool: string; effort: string };

export function decideModel({ threads }: State, { type: _type, ...choice }: ModelCommand): ModelEvent[] {
  const thread = threads[choice.thread_id];
  if (!thread) return [];
  if ("effort" in choice)
    return thread.efforts?.[choice.tool] === choice.effort ? [] : [{ type: "EffortChosen", payload: choice }];
  return thread.models?.[choice.tool] === choice.model ? [] : [{ type: "ModelChosen", payload: choice }];
}

/** What the end of a job says of the model it was to run with. */
export function settledBy(
  { threads }: State,
  { thread_id, tool }: { thread_id: string; tool: string },
  code: ErrorCode,
): ModelEvent[] {
  const model = threads[thread_id]?.models?.[tool];
  return code !== "E_MODEL_UNAVAILABLE" || model === undefined
    ? []
    : [{ type: "ModelSettled", payload: { thread_id, tool, model, code } }];
}

export function evolveModel({ threads }: State, event: ModelEvent): void {
  const { thread_id, tool } = event.payload;
  const thread = threads[thread_id];
  if (!thread) return;
  if (event.type === "EffortChosen") {
    thread.efforts = { ...thread.efforts, [tool]: event.payload.effort };
    return;
  }
  const { model } = event.payload;
  const { [tool]: _before, ...others } = thread.models ?? {};
  const models = event.type === "ModelChosen" ? { ...others, [tool]: model } : others;
  if (Object.keys(models).length > 0) thread.models = models;
  else delete thread.models;
}

/*
 * What the owner chooses for a thread in Discord and config.json is to hold: its tool, and the model of that tool. The
 * choice is on disk first and counts until the file holds it; then the file does. What it has no room for, the models
 * of the thread's other tools, stays here.
 */

interface SavedSettings {
  tool: string;
  /** Absent: none was chosen. */
  model?: string;
}

export type SettingsEvent =
  /** config.json is to hold the thread's tool and model. */
  | { type: "ThreadSettingsChosen"; payload: { thread_id: string } }
  /** It could not be written. Told once, until it can be written again. */
  | { type: "ThreadSettingsRefused"; payload: { thread_id: string; code: ErrorCode; details: ErrorDetails } }
  /** It holds these now. `parked`: a tool and its model that were there before. */
  | {
      type: "ThreadSettingsSaved";
      payload: { thread_id: string; settings: SavedSettings; parked?: Required<SavedSettings> };
    };

export type SettingsCommand =
  | { type: "choose_settings"; thread_id: string }
  | { type: "settings_refused"; thread_id: string; code: ErrorCode; details: ErrorDetails }
  | { type: "settings_saved"; thread_id: string; settings: SavedSettings; parked?: Required<SavedSettings> };

export function decideSettings(
  { threads, sessions }: State,
  { type: _type, ...payload }: SettingsCommand,
): SettingsEvent[] {
  const thread = threads[payload.thread_id];
  if (!thread || !sessions[payload.thread_id]) return [];
  if ("code" in payload)
    return thread.unsaved && !thread.unsaved.failure ? [{ type: "ThreadSettingsRefused", payload }] : [];
  if ("settings" in payload) return thread.unsaved ? [{ type: "ThreadSettingsSaved", payload }] : [];
  return thread.unsaved ? [] : [{ type: "ThreadSettingsChosen", payload }];
}

export function evolveSettings({ threads, sessions }: State, { type, payload }: SettingsEvent, at: string): void {
  const thread = threads[payload.thread_id];
  if (!thread) return;
  if (type === "ThreadSettingsChosen") {
    thread.unsaved = {};
    return;
  }
  if (type === "ThreadSettingsRefused") {
    const { code, details } = payload;
    thread.unsaved = { failure: { code, details: { ...details }, at } };
    return;
  }
  const { settings, parked } = payload;
  const { [settings.tool]: chosen, ...others } = thread.models ?? {};
  // Another one was chosen meanwhile.
  const isNew = sessions[payload.thread_id]?.tool !== settings.tool || chosen !== settings.model;
  if (isNew) thread.unsaved &&= {};
  else delete thread.unsaved;
  const models = {
    ...(parked && { [parked.tool]: parked.model }),
    ...others,
    ...(isNew && chosen !== undefined && { [settings.tool]: chosen }),
  };
  if (Object.keys(models).length > 0) thread.models = models;
  else delete thread.models;
}

/*
 * What the owner wants of his session's conversation before its next prompt: a new one, or that it is made shorter. It
 * is done when the next job starts, so what runs now, or is typed at a terminal meanwhile, stays in the old one.
 */

export type NextConversation = "new" | "compacted";

export interface ConversationEvent {
  type: "ConversationWanted";
  payload: { thread_id: string; how: NextConversation };
}

/** Ignored where there is no conversation, and where the same, or a new one, is wanted already. */
export interface ConversationCommand {
  type: "want_conversation";
  thread_id: string;
  how: NextConversation;
}

function decideConversation(
  { sessions, threads }: State,
  { thread_id, how }: ConversationCommand,
): ConversationEvent[] {
  const [session, thread] = [sessions[thread_id], threads[thread_id]];
  if (!session || !thread || thread.next_conversation === how || thread.next_conversation === "new") return [];
  const isThere = sessionKey(session) !== null || (how === "new" && thread.busy_job !== null);
  return isThere ? [{ type: "ConversationWanted", payload: { thread_id, how } }] : [];
}

function evolveConversation({ threads }: State, { payload: { thread_id, how } }: ConversationEvent): void {
  const thread = threads[thread_id];
  if (thread) thread.next_conversation = how;
}

/** A job starts: where a new conversation is wanted, the old one is left. @returns what is wanted */
export function takeNextConversation({ sessions, threads }: State, thread_id: string): NextConversation | undefined {
  const [session, thread] = [sessions[thread_id], threads[thread_id]];
  const how = thread?.next_conversation;
  if (!session || !thread || how === undefined) return undefined;
  delete thread.next_conversation;
  if (how === "compacted") return how;
  session.adapter_state = {};
  thread.checkout = null;
  const { context: _context, cost: _cost, ...told } = thread.told?.[session.tool] ?? {};
  if (thread.told?.[session.tool]) thread.told[session.tool] = told;
  return how;
}

export const conversationSlice: Slice<ConversationCommand, ConversationEvent> = {
  decide: { want_conversation: decideConversation },
  evolve: { ConversationWanted: evolveConversation },
  // The other tool's conversation is another one.
  alsoEvolves: { ToolChanged: (state, { payload }) => void takeNextConversation(state, payload.thread_id) },
  kinds: "choice",
};

export const modelSlice: Slice<ModelCommand, ModelEvent> = {
  decide: each(decideModel, "choose_model", "choose_effort"),
  evolve: each(evolveModel, "ModelChosen", "EffortChosen", "ModelSettled"),
  kinds: "choice",
};

export const settingsSlice: Slice<SettingsCommand, SettingsEvent> = {
  decide: each(decideSettings, "choose_settings", "settings_refused", "settings_saved"),
  evolve: each(evolveSettings, "ThreadSettingsChosen", "ThreadSettingsRefused", "ThreadSettingsSaved"),
  kinds: "choice",
};
