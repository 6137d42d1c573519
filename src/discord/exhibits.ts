/**
 * What the open permissions and plans of a thread would do, as it is shown: read from their files once, forgotten when
 * they are settled, and shown only if it is to the byte what was asked.
 */
import { isOpen } from "../core/decision.ts";
import { exhibit } from "../core/exhibit.ts";
import type { Engine } from "../engine/engine.ts";
import { digestOf, type DecisionFiles } from "../host/decision-files.ts";

export interface ExhibitsOptions {
  engine: Pick<Engine, "state">;
  decisionFiles: Pick<DecisionFiles, "read">;
  /** A file cannot be read, or is not what it was; the view says so in its place. */
  unreadable(subject: string, error: unknown): void;
}

/** Asks for the pages of a thread's decisions, by their ids. Never throws: what cannot be read is not among them. */
export type Exhibits = (threadId: string) => Promise<ReadonlyMap<string, readonly string[]>>;

export function openExhibits(options: ExhibitsOptions): Exhibits {
  const known = new Map<string, readonly string[] | null>();
  return async (threadId) => {
    const pages = new Map<string, readonly string[]>();
    for (const decision of Object.values(options.engine.state.decisions)) {
      const { decision_id, subject, thread_id } = decision;
      if (thread_id !== threadId || subject === null) continue;
      if (!isOpen(decision)) known.delete(decision_id);
      else {
        if (!known.has(decision_id)) known.set(decision_id, await pagesOf(decision_id, subject.sha256, options));
        const found = known.get(decision_id);
        if (found) pages.set(decision_id, found);
      }
    }
    return pages;
  };
}

async function pagesOf(decisionId: string, sha256: string, { decisionFiles, unreadable }: ExhibitsOptions): Promise<readonly string[] | null> {
  try {
    const bytes = await decisionFiles.read(decisionId);
    if (bytes === null || digestOf(bytes) !== sha256) throw new Error("what was asked is not on the disk as it was");
    return exhibit(bytes).pages;
  } catch (error) {
    unreadable(decisionId, error);
    return null;
  }
}
