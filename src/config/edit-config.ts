/**
 * Writes what a command changed about projects into the text of config.json, which belongs to its owner: everything
 * else, order and layout included, stays as it is. Pure; the caller writes the file.
 */
import { appendItem, removeMember, setMember, type JsonPath } from "./json-text.ts";

/** The fields of a project that a command may set, as they are in the file. */
export interface SavedProject {
  name: string;
  path: string;
  enabled_tools: readonly string[];
  default_tool: string;
  default_args: Readonly<Record<string, readonly string[]>>;
  created_at: string;
  updated_at: string;
}

/** What the owner chose for one thread of a project. */
export interface ChosenForThread {
  project_name: string;
  thread_id: string;
  tool: string;
  /** Of this tool; absent: none was chosen. */
  model?: string | undefined;
}

export interface ProjectChanges {
  /** Set if the file names no owner or another one. */
  ownerId?: string;
  created?: readonly SavedProject[];
  updated?: readonly SavedProject[];
  /** Names. */
  removed?: readonly string[];
  threads?: readonly ChosenForThread[];
}

/**
 * The new text of config.json.
 * @param text the current content, valid for `readConfig`; null if there is no file
 */
export function mergeProjects(text: string | null, changes: ProjectChanges): string {
  let merged = text ?? '{\n  "version": 1,\n  "projects": {}\n}\n';
  const { ownerId, created = [], updated = [], removed = [], threads = [] } = changes;
  if (ownerId !== undefined) merged = setIfOther(merged, ["owner_id"], ownerId);
  for (const project of [...created, ...updated]) {
    for (const [key, value] of Object.entries(project))
      merged = setIfOther(merged, ["projects", project.name, key], value);
  }
  for (const name of removed) merged = removeMember(merged, ["projects", name]);
  for (const chosen of threads) merged = withThread(merged, chosen);
  return merged;
}

/** Writes into the thread's entry among `threads` of its project; the entry is made if there is something to write. */
function withThread(text: string, { project_name, thread_id, tool, model }: ChosenForThread): string {
  const path = ["projects", project_name, "threads"];
  const project = valueAt(text, path.slice(0, 2));
  const entries = valueAt(text, path);
  const all: unknown[] = Array.isArray(entries) ? entries : [];
  const place = all.findIndex((one) => isObject(one) && one["thread_id"] === thread_id);
  const entry = isObject(all[place]) ? all[place] : {};
  const before = entry["tool"] ?? (isObject(project) ? project["default_tool"] : undefined);
  const wanted = { ...(tool !== before && { tool }), ...(model !== undefined && { model }) };
  if (place === -1) return Object.keys(wanted).length === 0 ? text : appendItem(text, path, { thread_id, ...wanted });
  // Another tool's model means nothing to this one.
  const kept = tool !== before && model === undefined ? removeMember(text, [...path, place, "model"]) : text;
  return Object.entries(wanted).reduce(
    (merged, [key, value]) => setIfOther(merged, [...path, place, key], value),
    kept,
  );
}

/** A member that already has this value keeps the form its owner gave it. */
function setIfOther(text: string, path: JsonPath, value: unknown): string {
  return JSON.stringify(valueAt(text, path)) === JSON.stringify(value) ? text : setMember(text, path, value);
}

function valueAt(text: string, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined,
    JSON.parse(text.replace(/^\uFEFF/, "")),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
