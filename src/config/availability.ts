/**
 * Which projects can be used now. A missing directory or an unmounted disk makes its project unavailable; it does not
 * stop the others from starting.
 */
import { stat } from "node:fs/promises";

/** The projects whose path is currently not a directory, in their order. */
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
