/**
 * What an outside turn shows beside the posts it shares with jobs: a line that says where it began, and the message
 * that closes it. It has no buttons, because it is never run again.
 */
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import type { OutsideTurn } from "../../../core/jobs/outside-turn.ts";
import { code } from "../body.ts";

const PROMPT_CHARS = 200;

/** Where the turn began. */
export function originLine({ origin, prompt, error_code }: OutsideTurn, locale: Locale): string {
  if (error_code === "E_BACKGROUND_ENDED" || error_code === "E_BACKGROUND_SILENT") return `🌙 ${say(locale, "outside_lost")}`;
  const sign = origin === "background" ? "🌙" : "⌨️";
  const words = prompt === null || prompt.trim() === "" ? "" : ` ${code(prompt, PROMPT_CHARS)}`;
  return `${sign} ${say(locale, `outside_${origin}` satisfies WordKey)}${words}`;
}

/** What a restart of Bellhop means for it. */
export function unknownLine(hasAnswer: boolean, locale: Locale): string {
  return say(locale, hasAnswer ? "outside_unknown_kept" : "outside_unknown");
}
