/** Recognizes what else people copy from Discord's pages in place of a bot token, so that it can be named. */
import type { WordKey } from "../base/words/say.ts";
import { isTokenShaped } from "./token.ts";

const others: readonly [RegExp, WordKey][] = [
  [/^\d{17,20}$/, "cli.init.is_id"],
  [/^[0-9a-f]{64}$/i, "cli.init.is_public_key"],
  [/^https?:\/\/\S*\/webhooks\//i, "cli.init.is_webhook"],
  [/^https?:\/\//i, "cli.init.is_link"],
  [/^mfa\./, "cli.init.is_person"],
  [/^[\w-]{32}$/, "cli.init.is_secret"],
];

/** Why this is no bot token; undefined if it may be one. @param ownServer as for `readToken` */
export function notAToken(typed: string, ownServer: boolean): WordKey | undefined {
  const text = typed.trim().replace(/^Bot\s+/i, "");
  if (text === "") return "cli.init.is_empty";
  return others.find(([pattern]) => pattern.test(text))?.[1] ?? (isTokenShaped(text, ownServer) ? undefined : "cli.init.is_other");
}
