/**
 * Claude Code's records of conversations, as 2.1.329 keeps them: `projects/<directory>/<session id>.jsonl` in its own
 * directory. Where it cannot resume one in a terminal it may end without a word, and only this tells why.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { claudeHome, type Environment } from "../../config/homes.ts";

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it surely has none of this conversation; false where that cannot be told. */
export function isUnrecorded(env: Environment, key: string): boolean {
  const projects = join(claudeHome(env), "projects");
  if (!SESSION_ID.test(key)) return false;
  try {
    return !readdirSync(projects).some((directory) => existsSync(join(projects, directory, `${key}.jsonl`)));
  } catch {
    return false;
  }
}
