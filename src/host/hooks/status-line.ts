/**
 * The status line in the text of a settings file of Claude Code: its command is replaced by ours, which runs the
 * owner's own, and can be put back. Pure, except for the function that reads the file.
 */
import { join } from "node:path";
import { nodeDisk, readWhole } from "../../base/disk.ts";
import { removeMember, setMember } from "../../config/json-text.ts";
import { quoted, STATUS_LINE_SCRIPT } from "./hook-folder.ts";
import { isObject, settingsIn, StrangeSettings } from "./settings-text.ts";

/** As Claude Code reads it; it may have more members. */
export interface StatusLineEntry {
  type: "command";
  command: string;
}

/** The owner's own, whether it stands there or in ours; null: he has none. @throws StrangeSettings */
export function ownersLine(source: string, folder: string): StatusLineEntry | null {
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
export function withStatusLine(source: string, folder: string): string {
  const own = ownersLine(source, folder);
  return own === null
    ? setMember(source, ["statusLine"], lineWith(folder, null))
    : setMember(source, ["statusLine", "command"], lineCommand(folder, own.command));
}

/** @throws StrangeSettings */
export function withoutStatusLine(source: string, folder: string): string {
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
  const script = quoted(join(folder, STATUS_LINE_SCRIPT));
  return own === null
    ? `[ -r ${script} ] || exit 0; exec /bin/sh ${script}`
    : `set -- ${quoted(own)}; [ -r ${script} ] && exec /bin/sh ${script} "$1"; exec /bin/sh -c "$1"`;
}

/** Undefined if the command is not ours; null if it runs none of the owner's. */
function ownersCommand(folder: string, command: string): string | null | undefined {
  if (!command.includes(quoted(join(folder, STATUS_LINE_SCRIPT)))) return undefined;
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
