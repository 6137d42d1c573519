/** Makes directories projects in a config.json, for verbs that do so before a daemon runs. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isoTime, systemClock } from "../base/clock.ts";
import { nodeDisk, readWhole, writeAtomically } from "../base/disk.ts";
import { mergeProjects, type SavedProject } from "../config/edit-config.ts";
import { projectName } from "../config/project-name.ts";

/**
 * Returns those that were added: no directory becomes a project twice.
 * @param stateDir exists
 * @param known the projects that are there
 * @param paths real paths of directories
 */
export async function writeProjects(
  stateDir: string,
  known: readonly { name: string; path: string }[],
  paths: readonly string[],
  tools: readonly string[],
): Promise<SavedProject[]> {
  const created: SavedProject[] = [];
  const now = isoTime(systemClock.now());
  for (const path of paths) {
    const taken = [...known, ...created];
    if (taken.some((project) => project.path === path)) continue;
    const name = projectName(path, (candidate) => taken.some((project) => project.name === candidate));
    created.push({
      name,
      path,
      enabled_tools: tools,
      default_tool: tools[0] ?? "",
      default_args: {},
      created_at: now,
      updated_at: now,
    });
  }
  if (created.length === 0) return [];
  const file = join(stateDir, "config.json");
  const before = (await readWhole(nodeDisk, file))?.toString("utf8") ?? null;
  await writeAtomically(nodeDisk, file, Buffer.from(mergeProjects(before, { created })));
  return created;
}

export function isRepository(path: string): boolean {
  return lstatSync(join(path, ".git"), { throwIfNoEntry: false }) !== undefined;
}
