/**
 * Renders agents' text, and gives a post up if that fails or takes too long; what is shown in its place says so. An
 * unforeseen text costs a moment, once, and never delays the other threads.
 */
import type { Within } from "../../host/time-limit.ts";

/**
 * The result of `render`, or of `instead` if it throws or takes too long; from then on it is not tried again.
 * `subject`: the job or the decision. `chars`: how much text is rendered.
 */
export type Attempt = <T>(subject: string, chars: number, render: () => T, instead: () => T) => T;

/** Many times what the longest answer takes. */
export const LONGEST_MS = 3_000;

/**
 * Text of this length fits into one message. It is rendered without a limit of its own, because a limit costs a thread
 * and most looks at a thread render no more than that; where it is parsed, the parser has one (`markdown.ts`).
 */
const SHORT_CHARS = 2_000;

export interface RenderingOptions {
  within: Within;
  /** Called once for each subject. */
  givenUp(subject: string, error: unknown): void;
}

export function openRendering({ within, givenUp }: RenderingOptions): Attempt {
  const hopeless = new Set<string>();
  return (subject, chars, render, instead) => {
    if (hopeless.has(subject)) return instead();
    try {
      return chars <= SHORT_CHARS ? render() : within(LONGEST_MS, render);
    } catch (error) {
      hopeless.add(subject);
      givenUp(subject, error);
      return instead();
    }
  };
}

/** Gives nothing up: for a view whose caller handles failures itself. */
export const always: Attempt = (_subject, _chars, render) => render();
