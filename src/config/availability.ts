/**
 * Which projects can be used now. A directory that is gone, or a disk that is not mounted, makes its project
 * unavailable; it is no reason for the others not to start.
 */
import { stat } from "node:fs/promises";

/** The projects whose path is not a directory at this moment, in their order. */
export async function unavailable<Project extends { path: string }>(projects: readonly Project[]): Promise<Project[]> {
  const there = await Promise.all(projects.map(({ path }) => isDirectory(path)));
  return projects.filter((_, index) => there[index] === false);
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
