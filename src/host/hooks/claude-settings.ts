/**
 * Bellhop's hooks in the text of a settings file of Claude Code: put in beside what its owner has there, and taken out
 * again. Pure, and every other byte stays as it is.
 */
import { appendItem, placeOf, removeItem, removeMember } from "../../config/json-text.ts";
import { askingHooks, hookNames, type HookName } from "../../protocol/hooks.ts";
import { hookCommand, isHookCommand } from "./hook-folder.ts";

/** One entry of a hook, as Claude Code reads it. */
export interface HookEntry {
  matcher?: string;
  hooks: { type: "command"; command: string; timeout: number; onFailure?: "block" }[];
}

export interface Wanted {
  /** Of the command's script. */
  folder: string;
  /** Tools that the owner is asked about before each use, whatever Claude's own rules say. */
  permissionTools: readonly string[];
}

/** The owner may take this long to answer; Claude would give up after ten minutes. */
const A_DAY = 86_400;
/** The others answer at once; the script itself waits no longer than this. */
const SECONDS = 10;

/** A settings file that is not JSON, or has hooks in a form of its own. */
export class StrangeSettings extends Error {
  override readonly name = "StrangeSettings";
  readonly line: number | null;

  constructor(line: number | null) {
    super("strange settings");
    this.line = line;
  }
}

/** The hooks by name, as in the member `hooks` of the settings. */
export function hookEntries({ folder, permissionTools }: Wanted): Partial<Record<HookName, HookEntry[]>> {
  const used = hookNames.filter((name) => name !== "PreToolUse" || permissionTools.length > 0);
  return Object.fromEntries(used.map((name) => [name, [entryOf(folder, name, permissionTools)]]));
}

/** @throws StrangeSettings */
export function withHooks(source: string, wanted: Wanted): string {
  if (hasHooks(source, wanted)) return source;
  let text = withoutHooks(source, wanted.folder, source);
  for (const [name, entries] of Object.entries(hookEntries(wanted))) for (const entry of entries) text = appendItem(text, ["hooks", name], entry);
  return text;
}

/**
 * @param before the text to which they were added: what it did not have either goes with them
 * @throws StrangeSettings
 */
export function withoutHooks(source: string, folder: string, before: string): string {
  let text = source;
  const had = hooksIn(before);
  for (const [name, entries] of Object.entries(hooksIn(source) ?? {})) {
    const ours = entries.flatMap((entry, place) => (isOurs(folder, entry) ? [place] : []));
    for (const place of ours.toReversed()) text = removeItem(text, ["hooks", name], place);
    if (ours.length > 0 && ours.length === entries.length && had?.[name] === undefined) text = removeMember(text, ["hooks", name]);
  }
  const left = hooksIn(text);
  return text !== source && left !== null && Object.keys(left).length === 0 && had === null ? removeMember(text, ["hooks"]) : text;
}

/** Whether every hook that is wanted is there as it should be, and no other of ours. @throws StrangeSettings */
export function hasHooks(source: string, wanted: Wanted): boolean {
  const ours = Object.entries(hooksIn(source) ?? {}).flatMap(([name, entries]) => entries.filter((entry) => isOurs(wanted.folder, entry)).map((entry) => JSON.stringify([name, entry])));
  const all = Object.entries(hookEntries(wanted)).flatMap(([name, entries]) => entries.map((entry) => JSON.stringify([name, entry])));
  return ours.toSorted().join() === all.toSorted().join();
}

function entryOf(folder: string, name: HookName, permissionTools: readonly string[]): HookEntry {
  const asks = (askingHooks as readonly string[]).includes(name);
  const command = { type: "command" as const, command: hookCommand(folder, name), timeout: asks ? A_DAY : SECONDS };
  // A dialog at the terminal is no failure to guard against; a tool that runs unasked is.
  if (name !== "PreToolUse") return { hooks: [command] };
  return { matcher: permissionTools.join("|"), hooks: [{ ...command, onFailure: "block" }] };
}

function hooksIn(source: string): Record<string, unknown[]> | null {
  const text = source.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StrangeSettings(placeOf(text, error).line);
  }
  if (!isObject(value)) throw new StrangeSettings(null);
  const { hooks = null } = value;
  if (hooks === null) return null;
  if (!isObject(hooks) || !Object.values(hooks).every(Array.isArray)) throw new StrangeSettings(null);
  return hooks as Record<string, unknown[]>;
}

function isOurs(folder: string, entry: unknown): boolean {
  return isObject(entry) && Array.isArray(entry["hooks"]) && entry["hooks"].some((hook) => isObject(hook) && isHookCommand(folder, hook["command"]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
