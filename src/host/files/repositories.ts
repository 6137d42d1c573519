/** The repositories below a directory: itself, its directories and theirs, in the order of their paths. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const DEPTH = 2;
/** Directories looked into below one root, so that a wrong root costs little. */
const MOST_LOOKED_AT = 5_000;

/**
 * Never looks into a repository, follows no link, and leaves out hidden directories. @param root absolute
 * @throws what the disk throws for the root itself
 */
export async function repositoriesIn(root: string): Promise<string[]> {
  const found: string[] = [];
  let left = MOST_LOOKED_AT;
  let level = [root];
  for (let depth = 0; depth <= DEPTH; depth += 1) {
    const next: string[] = [];
    for (const directory of level) {
      if ((left -= 1) < 0) break;
      const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
        if (directory === root) throw error;
        return [];
      });
      // In a linked worktree it is a file.
      if (entries.some(({ name }) => name === ".git")) found.push(directory);
      else next.push(...entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules").map(({ name }) => join(directory, name)));
    }
    level = next.toSorted();
  }
  return found.toSorted();
}
