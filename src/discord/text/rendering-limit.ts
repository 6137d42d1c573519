/**
 * Renders agents' text, and gives a post up if that fails or takes too long; what is shown in its place says so. An
 * unforeseen text costs a moment, once, and never delays the other threads.
 */
import type { Within } from "../../host/time-limit.ts";

/**
 * The result of `render`, or of `instead` if it throws or takes too long; from then on it is not tried again.
 * `subject`: the job or the decision.
 */
export type Attempt = <T>(subject: string, render: () => T, instead: () => T) => T;

/** Many times what the longest answer takes. */
export const LONGEST_MS = 3_000;

export interface RenderingOptions {
  within: Within;
  /** Called once for each subject. */
  givenUp(subject: string, error: unknown): void;
}

export function openRendering({ within, givenUp }: RenderingOptions): Attempt {
  const hopeless = new Set<string>();
  return (subject, render, instead) => {
    if (hopeless.has(subject)) return instead();
    try {
      return within(LONGEST_MS, render);
    } catch (error) {
      hopeless.add(subject);
      givenUp(subject, error);
      return instead();
    }
  };
}

/** Gives nothing up: for a view whose caller handles failures itself. */
export const always: Attempt = (_subject, render) => render();
