/**
 * What the open permissions and plans of a thread would do, as shown: read from their files once, forgotten when they
 * are settled, and shown only if it is byte for byte what was asked.
 */
import { decisionsIn, isOpen, type Decision } from "../../core/decisions/decision.ts";
import { reviewText } from "../../core/decisions/review-text.ts";
import type { Page } from "../../core/decisions/pages.ts";
import type { Engine } from "../../engine/engine.ts";
import { askedBytes, type DecisionFiles } from "../../host/files/decision-files.ts";
import { openWithin, type Within } from "../../host/time-limit.ts";
import { LONGEST_MS } from "../text/rendering-limit.ts";

export interface ReviewTextsOptions {
  engine: Pick<Engine, "state">;
  decisionFiles: Pick<DecisionFiles, "read">;
  /** A file cannot be read, or has changed; the view says so in its place. */
  unreadable(subject: string, error: unknown): void;
}

/** Returns the pages of a thread's decisions, by their ids. Never throws: what cannot be read is left out. */
export type ReviewTexts = (threadId: string) => Promise<ReadonlyMap<string, readonly Page[]>>;

export function openReviewTexts(options: ReviewTextsOptions): ReviewTexts {
  const known = new Map<string, readonly Page[] | null>();
  const within = openWithin();
  return async (threadId) => {
    const pages = new Map<string, readonly Page[]>();
    for (const decision of decisionsIn(options.engine.state, threadId)) {
      const { decision_id, subject } = decision;
      if (subject === null) continue;
      if (!isOpen(decision)) known.delete(decision_id);
      else {
        if (!known.has(decision_id)) known.set(decision_id, await pagesOf(decision, options, within));
        const found = known.get(decision_id);
        if (found) pages.set(decision_id, found);
      }
    }
    return pages;
  };
}

async function pagesOf(decision: Decision, { decisionFiles, unreadable }: ReviewTextsOptions, within: Within): Promise<readonly Page[] | null> {
  try {
    const bytes = await askedBytes(decisionFiles, decision);
    if (bytes === null) throw new Error("the file of a request is missing or has changed");
    return within(LONGEST_MS, () => reviewText(bytes).pages);
  } catch (error) {
    unreadable(decision.decision_id, error);
    return null;
  }
}
