/**
 * The error for an invalid setting: it says where, what was found, what is expected and how to fix it, in the owner's
 * language. It never repeats a secret.
 */
import { BellhopError } from "../base/errors.ts";
import { terminalLine } from "../base/terminal-text.ts";
import { say, type Locale, type WordArgs, type WordKey } from "../base/words/say.ts";

export interface SettingProblem {
  /** The setting, as the owner can find it: `DISCORD_OWNER_ID`, `config.json projects.app.path`. */
  where: string;
  /** The value found; `undefined` for none. For a secret, a `FoundSecret`. */
  found: unknown;
  /** The words for what is expected. */
  want: WordKey;
  /** The words for how to fix it. */
  mend: WordKey;
  args?: WordArgs;
}

/** Where a value stands in config.json, for a person: `config.json projects.app.path`. */
export function configPlace(path: readonly PropertyKey[]): string {
  return ["config.json", path.map(String).join(".")].filter((part) => part !== "").join(" ");
}

/** The error for an invalid setting; the caller throws it. */
export function invalidSetting(locale: Locale, refusal: SettingProblem): BellhopError {
  const args = refusal.args ?? {};
  return new BellhopError("E_CONFIG_INVALID", {
    where: refusal.where,
    found: shown(locale, refusal.found),
    expected: say(locale, refusal.want, args),
    mend: say(locale, refusal.mend, args),
  });
}

/** Stands for an invalid secret: its size, and nothing of its content. */
export class FoundSecret {
  readonly length: number;

  constructor(secret: string) {
    this.length = secret.length;
  }
}

function shown(locale: Locale, found: unknown): string {
  if (found === undefined || found === "") return say(locale, "config.found.nothing");
  if (found instanceof FoundSecret) return say(locale, "config.found.secret", { length: found.length });
  return terminalLine(JSON.stringify(found) ?? String(found), 80);
}
