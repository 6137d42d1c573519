/** What a check of `bellhop doctor` found: one sentence, and where something is wrong, the sentence that mends it. */
import { BellhopError } from "./errors.ts";
import { pathRefusal } from "./path-refusal.ts";
import type { WordArgs, WordKey } from "./words/say.ts";

export interface Finding {
  /** What was looked at, such as `token`; the same in every language. */
  check: string;
  /** `idle`: there was nothing to look at, or something else must work first. */
  verdict: "good" | "warn" | "bad" | "idle";
  says: WordKey;
  args?: WordArgs;
  /** How it is mended. An error's own sentence says it already. */
  mend?: { says: WordKey; args?: WordArgs };
  /** Mends it, where it is Bellhop's own. */
  fix?(): Promise<void>;
}

/** A failure as a finding; its sentence says what to do. Anything unforeseen is thrown again. */
export function failedFinding(check: string, thrown: unknown): Finding {
  const error = pathRefusal(thrown) ?? thrown;
  if (!(error instanceof BellhopError)) throw error;
  return { check, verdict: "bad", says: error.code, args: error.details };
}
