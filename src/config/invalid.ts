/**
 * How the config room refuses: one error that says where, what was found, and what was expected together with
 * how to mend it, in the owner's language. It never repeats a secret.
 */
import { BellhopError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { say, type Locale, type WordArgs, type WordKey } from "../base/words/say.ts";

export interface Refusal {
  /** The setting, as the owner can find it: `DISCORD_OWNER_ID`, `config.json projects.app.path`. */
  where: string;
  /** The value as it stands there; `undefined` for nothing. For a secret, `foundSecret`. */
  found: unknown;
  /** The words for what belongs there. */
  want: WordKey;
  /** The words for how to mend it. */
  mend: WordKey;
  args?: WordArgs;
}

/** The error for a wrong setting; to be thrown. */
export function invalid(locale: Locale, refusal: Refusal): BellhopError {
  const args = refusal.args ?? {};
  return new BellhopError("E_CONFIG_INVALID", {
    where: refusal.where,
    found: shown(locale, refusal.found),
    expected: say(locale, refusal.want, args),
    mend: say(locale, refusal.mend, args),
  });
}

/** What stands for a secret that is wrong: its size, and nothing of it. */
export class FoundSecret {
  readonly length: number;

  constructor(secret: string) {
    this.length = secret.length;
  }
}

function shown(locale: Locale, found: unknown): string {
  if (found === undefined || found === "") return say(locale, "config.found.nothing");
  if (found instanceof FoundSecret) return say(locale, "config.found.secret", { length: found.length });
  return oneLine(JSON.stringify(found) ?? String(found), 80);
}
