/**
 * Writes what a command changed about projects into the text of config.json, which belongs to its owner: everything
 * else, order and layout included, stays as it is. Pure; the caller writes the file.
 */
import { removeMember, setMember } from "./json-text.ts";

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

export interface ProjectChanges {
  /** Set if the file names no owner or another one. */
  ownerId?: string;
  created?: readonly SavedProject[];
  updated?: readonly SavedProject[];
  /** Names. */
  removed?: readonly string[];
}

/**
 * The new text of config.json.
 * @param text the current content, valid for `readConfig`; null if there is no file
 */
export function mergeProjects(text: string | null, changes: ProjectChanges): string {
  let merged = text ?? '{\n  "version": 1,\n  "projects": {}\n}\n';
  const { ownerId, created = [], updated = [], removed = [] } = changes;
  if (ownerId !== undefined) merged = setIfOther(merged, ["owner_id"], ownerId);
  for (const project of [...created, ...updated]) {
    for (const [key, value] of Object.entries(project)) merged = setIfOther(merged, ["projects", project.name, key], value);
  }
  for (const name of removed) merged = removeMember(merged, ["projects", name]);
  return merged;
}

/** A member that already has this value keeps the form its owner gave it. */
function setIfOther(text: string, path: string[], value: unknown): string {
  const now = path.reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), JSON.parse(text.replace(/^\uFEFF/, "")));
  return JSON.stringify(now) === JSON.stringify(value) ? text : setMember(text, path, value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
