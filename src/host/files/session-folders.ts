/**
 * A session's two folders outside its project: `outputs`, where its agent puts files for the owner, and `uploads`,
 * which receives the owner's files. Agents are granted both from their start, so a file that arrives during a run can
 * be read.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

export interface SessionFolders {
  /** The parent of all sessions' output folders. */
  readonly outputsRoot: string;
  outputs(sessionId: string): string;
  /**
   * The folders its agents may use, made if missing, first `outputs`; also the one where an earlier version kept the
   * files of this message.
   */
  granted(sessionId: string, messageId: string): string[];
}

/** @param stateDir absolute and existing */
export function sessionFolders(stateDir: string): SessionFolders {
  const outputsRoot = join(stateDir, "outputs");
  const uploadsRoot = join(stateDir, "uploads");
  const outputs = (sessionId: string): string => join(outputsRoot, sessionId);
  return {
    outputsRoot,
    outputs,
    granted(sessionId, messageId) {
      const own = [outputs(sessionId), join(uploadsRoot, sessionId)];
      for (const folder of own) mkdirSync(folder, { recursive: true, mode: 0o700 });
      return [...own, ...[join(uploadsRoot, messageId)].filter((folder) => existsSync(folder))];
    },
  };
}
