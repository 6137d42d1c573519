/**
 * Reads a directory as a person types it: an absolute path on one line to an existing, readable directory. The
 * project's path is the real path, so that a link changed later does not move the project.
 */
import { isAbsolute, normalize } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import { excerpt } from "../../base/text.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { underHome } from "../../config/homes.ts";
import { code } from "../views/body.ts";
import type { CommandContext } from "./command.ts";

export const PATH_CHARS = 1000;

/** The path, normalized and without a trailing slash; `~` is `home`. @throws E_INVALID_PATH if it cannot be a path */
export function readPath(typed: string, home: string): string {
  const path = normalize(underHome(typed.trim(), home));
  if (typed.length > PATH_CHARS || /\p{Cc}/u.test(typed) || !isAbsolute(path)) throw invalidPath(typed);
  return path === "/" ? path : path.replace(/(?<!\/)\/+$/, "");
}

/** The directory at a path. @throws E_INVALID_PATH if it is a file, unreadable or missing; E_STATE_DIRECTORY */
export async function directoryAt(
  path: string,
  context: Pick<CommandContext, "checkDirectory">,
): Promise<{ path: string; wide: boolean }> {
  const found = await context.checkDirectory(path);
  if (found.is === "ours") throw new BellhopError("E_STATE_DIRECTORY", { path: shown(path) });
  if (found.is !== "directory") throw invalidPath(path);
  return found;
}

/** Remarks on a directory, besides that it is registered. */
export function pathRemarks(typed: string, { path, wide }: { path: string; wide: boolean }, locale: Locale): string[] {
  const real = typed === path ? [] : [say(locale, "path_real", { typed: code(typed, 300), path: code(path, 300) })];
  return wide ? [...real, say(locale, "path_wide")] : real;
}

/** What was typed, shortened for a sentence; a dash if empty. */
export function shown(typed: string): string {
  return typed === "" ? "—" : excerpt(typed, 100);
}

function invalidPath(typed: string): BellhopError {
  return new BellhopError("E_INVALID_PATH", { path: shown(typed) });
}
