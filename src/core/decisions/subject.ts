/** What the owner is asked to allow: a yes holds for these very bytes, and only once all of them were shown. */
import { say, type Locale } from "../../base/words/say.ts";
import type { MixedWord } from "./look-alikes.ts";
import type { Act } from "./shapes.ts";

/** What would be done: its exact bytes are in `STATE_DIR/decisions/<decision_id>.json`, and this is their digest. */
export interface Subject {
  tool: string;
  /** One line for people. */
  title: string;
  /** What its prompt's first line says that it would do. Absent: that it would use the tool. */
  act?: Act;
  /** Hex digest of what is shown. */
  sha256: string;
  /**
   * If marks replace secrets in what is shown: a fingerprint of the exact bytes, with a key that only the daemon that
   * asked had. Absent: what is shown is exact.
   */
  exact?: string;
  /** The number of pages needed to show all of it (`review-text.ts`); a yes counts only once the last was shown. */
  pages: number;
  /**
   * ISO 8601: when a grant for the session would end if given at once; a later one lasts as long from when it is given.
   */
  grant_until: string;
  /**
   * What is shown is its agent's description of the call, which the agent is trusted to follow, and a reason beside a
   * no goes with its next prompt; absent: what will run, and the agent hears the reason.
   */
  described?: true;
  /** Words of its command or path that mix scripts; absent: none does. */
  mixed?: MixedWord[];
  /** Absolute: where its command starts; null: that is not sure; absent: it has none, or its agent never says. */
  cwd?: string | null;
  /** The owner can make a rule of it; absent: he cannot. */
  rules?: true;
  /** Its agent takes no yes to just this, so it can only be refused; absent: it can be allowed. */
  no_yes?: true;
}

/**
 * Who wants to do what, as a sentence.
 * @param drawn how a thing is written in it
 */
export function wantsTo(
  locale: Locale,
  agent: string,
  { tool, act }: Pick<Subject, "tool" | "act">,
  drawn: (thing: string) => string = (thing) => thing,
): string {
  const { object, where = "" } = act ?? { object: tool };
  const key = act === undefined ? "decision_permission" : (`decision_${act.verb}` as const);
  return say(locale, key, { agent, object: drawn(object), where: drawn(where) });
}
