/**
 * Which model the owner chose for a session and its tool. It holds for every agent that is opened for it, until another
 * is chosen or the agent does not offer it any more.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

export type ModelEvent =
  | { type: "ModelChosen"; payload: { thread_id: string; tool: string; model: string } }
  /** The agent does not offer it: it is chosen no more. */
  | { type: "ModelSettled"; payload: { thread_id: string; tool: string; model: string; code: ErrorCode } };

export interface ModelCommand {
  type: "choose_model";
  thread_id: string;
  tool: string;
  model: string;
}

export function decideModel({ threads }: State, { type: _type, ...choice }: ModelCommand): ModelEvent[] {
  const thread = threads[choice.thread_id];
  return !thread || thread.models?.[choice.tool] === choice.model ? [] : [{ type: "ModelChosen", payload: choice }];
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
  const { thread_id, tool, model } = event.payload;
  const thread = threads[thread_id];
  if (!thread) return;
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

export const modelSlice: Slice<ModelCommand, ModelEvent> = {
  decide: { choose_model: decideModel },
  evolve: each(evolveModel, "ModelChosen", "ModelSettled"),
  kinds: "choice",
};

export const settingsSlice: Slice<SettingsCommand, SettingsEvent> = {
  decide: each(decideSettings, "choose_settings", "settings_refused", "settings_saved"),
  evolve: each(evolveSettings, "ThreadSettingsChosen", "ThreadSettingsRefused", "ThreadSettingsSaved"),
  kinds: "choice",
};
