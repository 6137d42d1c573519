/**
 * Bellhop's hooks and its status line in the text of a settings file of Claude Code: put in beside what its owner has
 * there, and taken out again. Pure, and every other byte stays as it is.
 */
import { appendItem, removeItem, removeMember, placeOf, setMember } from "../../config/json-text.ts";
import { askingHooks, hookNames, type HookName } from "../../protocol/hooks.ts";
import { folderOfHook, hookCommand, isHookCommand, shellQuote, STATUS_LINE_SCRIPT } from "./hook-folder.ts";
import { join } from "node:path";
import { nodeDisk, readWhole } from "../../base/disk.ts";

/** One entry of a hook, as Claude Code reads it. */
interface HookEntry {
  matcher?: string;
  hooks: { type: "command"; command: string; timeout: number; onFailure?: "block" }[];
}

export interface HookSettings {
  /** Of the command's script. */
  folder: string;
  /** Tools that the owner is asked about before each use, whatever Claude's own rules say. */
  permissionTools: readonly string[];
}

/** The owner may take this long to answer; Claude would give up after ten minutes. */
const A_DAY = 86_400;
/** The others answer at once; the script itself waits no longer than this. */
const SECONDS = 10;

/** The hooks by name, as in the member `hooks` of the settings. */
export function hookEntries({ folder, permissionTools }: HookSettings): Partial<Record<HookName, HookEntry[]>> {
  const used = hookNames.filter((name) => name !== "PreToolUse" || permissionTools.length > 0);
  return Object.fromEntries(used.map((name) => [name, [entryOf(folder, name, permissionTools)]]));
}

/** @throws StrangeSettings */
export function withHooks(source: string, wanted: HookSettings): string {
  if (hasHooks(source, wanted) && hasStatusLine(source, wanted.folder)) return source;
  let text = withoutHooks(source, wanted.folder, source);
  for (const [name, entries] of Object.entries(hookEntries(wanted)))
    for (const entry of entries) text = appendItem(text, ["hooks", name], entry);
  return withStatusLine(text, wanted.folder);
}

/**
 * @param before the text to which they were added: what it did not have either goes with them
 * @throws StrangeSettings
 */
export function withoutHooks(source: string, folder: string, before: string): string {
  const had = hooksIn(before);
  const hooked = hooksIn(source);
  let text = withoutStatusLine(source, folder);
  for (const [name, entries] of Object.entries(hooked ?? {})) {
    let left = entries.length;
    for (const [place, entry] of [...entries.entries()].toReversed()) {
      const ours = oursIn(folder, entry);
      const isAll = ours.length > 0 && ours.length === commandsIn(entry).length;
      if (isAll) [text, left] = [removeItem(text, ["hooks", name], place), left - 1];
      // Its owner has put a hook of his own beside ours.
      else for (const one of ours.toReversed()) text = removeItem(text, ["hooks", name, place, "hooks"], one);
    }
    if (entries.length > 0 && left === 0 && had?.[name] === undefined) text = removeMember(text, ["hooks", name]);
  }
  const left = hooksIn(text);
  return hooked !== null && text !== source && left !== null && Object.keys(left).length === 0 && had === null
    ? removeMember(text, ["hooks"])
    : text;
}

/** Whether exactly the wanted hooks of ours are there, each as it should be. @throws StrangeSettings */
export function hasHooks(source: string, wanted: HookSettings): boolean {
  const ours = Object.entries(hooksIn(source) ?? {}).flatMap(([name, entries]) =>
    entries.filter((entry) => oursIn(wanted.folder, entry).length > 0).map((entry) => JSON.stringify([name, entry])),
  );
  const all = Object.entries(hookEntries(wanted)).flatMap(([name, entries]) =>
    entries.map((entry) => JSON.stringify([name, entry])),
  );
  return ours.toSorted().join() === all.toSorted().join();
}

/** The folders of all of Bellhop's hooks in it, for any state directory. @throws StrangeSettings */
export function hookFoldersIn(source: string): string[] {
  const commands = Object.values(hooksIn(source) ?? {})
    .flat()
    .flatMap(commandsIn);
  return [...new Set(commands.flatMap((command) => folderOfHook(command) ?? []))];
}

function entryOf(folder: string, name: HookName, permissionTools: readonly string[]): HookEntry {
  const asks = (askingHooks as readonly string[]).includes(name);
  const command = { type: "command" as const, command: hookCommand(folder, name), timeout: asks ? A_DAY : SECONDS };
  // A dialog at the terminal is no failure to guard against; a tool that runs unasked is.
  if (name !== "PreToolUse") return { hooks: [command] };
  return { matcher: permissionTools.join("|"), hooks: [{ ...command, onFailure: "block" }] };
}

function hooksIn(source: string): Record<string, unknown[]> | null {
  const { hooks = null } = settingsIn(source);
  if (hooks === null) return null;
  if (!isObject(hooks) || !Object.values(hooks).every(Array.isArray)) throw new StrangeSettings(null);
  return hooks as Record<string, unknown[]>;
}

/** The places of Bellhop's hooks in an entry. */
function oursIn(folder: string, entry: unknown): number[] {
  return commandsIn(entry).flatMap((command, place) => (isHookCommand(folder, command) ? [place] : []));
}

function commandsIn(entry: unknown): unknown[] {
  const hooks: unknown[] = isObject(entry) && Array.isArray(entry["hooks"]) ? entry["hooks"] : [];
  return hooks.map((hook) => (isObject(hook) ? hook["command"] : null));
}

/* The text of a settings file of Claude Code, as an object. Pure. */

/** A settings file that is not JSON, or has hooks or a status line in a form of its own. */
export class StrangeSettings extends Error {
  override readonly name = "StrangeSettings";
  readonly line: number | null;

  constructor(line: number | null) {
    super("strange settings");
    this.line = line;
  }
}

/** @throws StrangeSettings */
function settingsIn(source: string): Record<string, unknown> {
  const text = source.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StrangeSettings(placeOf(text, error).line);
  }
  if (!isObject(value)) throw new StrangeSettings(null);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/*
 * The status line in the text of a settings file of Claude Code: its command is replaced by ours, which runs the
 * owner's own, and can be put back. Pure, except for the function that reads the file.
 */

/** As Claude Code reads it; it may have more members. */
export interface StatusLineEntry {
  type: "command";
  command: string;
}

/** The owner's own, whether it stands there or in ours; null: he has none. @throws StrangeSettings */
function ownersLine(source: string, folder: string): StatusLineEntry | null {
  const line = lineIn(source);
  const ours = line && ownersCommand(folder, line.command);
  if (line === null || ours === undefined) return line;
  return ours === null ? null : { ...line, command: ours };
}

/** The owner's own in his settings file; null also where it cannot be read. */
export async function readOwnersLine(path: string, folder: string): Promise<StatusLineEntry | null> {
  try {
    const bytes = await readWhole(nodeDisk, path);
    return bytes === undefined ? null : ownersLine(bytes.toString(), folder);
  } catch {
    return null;
  }
}

/** Ours, which shows this one. */
export function lineWith(folder: string, own: StatusLineEntry | null): StatusLineEntry {
  return { ...own, type: "command", command: lineCommand(folder, own?.command ?? null) };
}

/** @throws StrangeSettings */
function withStatusLine(source: string, folder: string): string {
  const own = ownersLine(source, folder);
  return own === null
    ? setMember(source, ["statusLine"], lineWith(folder, null))
    : setMember(source, ["statusLine", "command"], lineCommand(folder, own.command));
}

/** @throws StrangeSettings */
function withoutStatusLine(source: string, folder: string): string {
  const line = lineIn(source);
  const own = line && ownersLine(source, folder);
  if (own?.command === line?.command) return source;
  return own == null ? removeMember(source, ["statusLine"]) : setMember(source, ["statusLine", "command"], own.command);
}

/** Whether it is ours, as this version makes it. @throws StrangeSettings */
export function hasStatusLine(source: string, folder: string): boolean {
  return lineIn(source)?.command === lineWith(folder, ownersLine(source, folder)).command;
}

/** Where the script is gone, the owner's line is all there is. */
function lineCommand(folder: string, own: string | null): string {
  const script = shellQuote(join(folder, STATUS_LINE_SCRIPT));
  return own === null
    ? `[ -r ${script} ] || exit 0; exec /bin/sh ${script}`
    : `set -- ${shellQuote(own)}; [ -r ${script} ] && exec /bin/sh ${script} "$1"; exec /bin/sh -c "$1"`;
}

/** Undefined if the command is not ours; null if it runs none of the owner's. */
function ownersCommand(folder: string, command: string): string | null | undefined {
  if (!command.includes(shellQuote(join(folder, STATUS_LINE_SCRIPT)))) return undefined;
  const word = /^set -- '((?:[^']|'\\'')*)'; \[ -r /.exec(command)?.[1];
  return word === undefined ? null : word.replaceAll("'\\''", "'");
}

function lineIn(source: string): StatusLineEntry | null {
  const { statusLine: line = null } = settingsIn(source);
  if (line === null) return null;
  if (!isObject(line) || line["type"] !== "command" || typeof line["command"] !== "string")
    throw new StrangeSettings(null);
  return line as unknown as StatusLineEntry;
}
