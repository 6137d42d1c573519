/**
 * A session's two folders outside its project: `outputs`, where its agent puts files for the owner, and `uploads`,
 * which receives the owner's files. Agents are granted both from their start, so a file that arrives during a run can
 * be read.
 */
import { existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";

export interface SessionFolders {
  /** The parent of all sessions' output folders. */
  readonly outputsRoot: string;
  outputs(sessionId: string): string;
  /** The folders its agents may use, made if missing, first `outputs`. */
  granted(sessionId: string): string[];
  /**
   * Of a session whose agent was started before its thread was made: the folders it was given under the request's id
   * become the session's, and are still found under that id.
   */
  assignSession(requestId: string, sessionId: string): void;
}

/** @param stateDir absolute and existing */
export function sessionFolders(stateDir: string): SessionFolders {
  const outputsRoot = join(stateDir, "outputs");
  const uploadsRoot = join(stateDir, "uploads");
  const outputs = (sessionId: string): string => join(outputsRoot, sessionId);
  return {
    outputsRoot,
    outputs,
    granted(sessionId) {
      const own = [outputs(sessionId), join(uploadsRoot, sessionId)];
      for (const folder of own) mkdirSync(folder, { recursive: true, mode: 0o700 });
      return own;
    },
    assignSession(requestId, sessionId) {
      for (const root of [outputsRoot, uploadsRoot]) {
        if (!existsSync(join(root, requestId))) continue;
        renameSync(join(root, requestId), join(root, sessionId));
        symlinkSync(sessionId, join(root, requestId));
      }
    },
  };
}
