/**
 * A directory as a person types it: absolute, of one line, there, readable, and a directory. What becomes a
 * project's path is where it really is, so that a link which later leads elsewhere takes no project with it.
 */
import { isAbsolute, normalize } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import { excerpt } from "../../base/text.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { code } from "../body.ts";
import type { CommandRoom } from "./room.ts";

export const PATH_CHARS = 1000;

/** The path, normalized and without a slash at its end. @throws E_INVALID_PATH for what cannot be one */
export function readPath(typed: string): string {
  const path = normalize(typed.trim());
  if (typed.length > PATH_CHARS || /\p{Cc}/u.test(typed) || !isAbsolute(path)) throw invalidPath(typed);
  return path === "/" ? path : path.replace(/\/+$/, "");
}

/** The directory at a path. @throws E_INVALID_PATH for a file, one that may not be read, and, unless taken up, none */
export async function directoryAt(path: string, room: Pick<CommandRoom, "checkDirectory">): Promise<{ path: string; wide: boolean }> {
  const found = await room.checkDirectory(path);
  if (found.is !== "directory") throw invalidPath(path);
  return found;
}

/** What is to be said of a directory beside that it is registered. */
export function pathRemarks(typed: string, { path, wide }: { path: string; wide: boolean }, locale: Locale): string[] {
  const real = typed === path ? [] : [say(locale, "path_real", { typed: code(typed, 300), path: code(path, 300) })];
  return wide ? [...real, say(locale, "path_wide")] : real;
}

/** What was typed, cut for a sentence; a dash for nothing. */
export function shown(typed: string): string {
  return typed === "" ? "—" : excerpt(typed, 100);
}

function invalidPath(typed: string): BellhopError {
  return new BellhopError("E_INVALID_PATH", { path: shown(typed) });
}
