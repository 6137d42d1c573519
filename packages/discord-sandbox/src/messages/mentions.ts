/**
 * Who a text mentions, after the sender's `allowed_mentions` and permissions have had their say.
 */
import type { AllowedMentions } from "./message-form.ts";
import type { World } from "../state/world.ts";

export interface Mentions {
  users: string[];
  roles: string[];
  everyone: boolean;
}

/** `mayEveryone`: whether the author may mention everyone here. */
export function mentionsIn(
  world: World,
  content: string,
  allowed: AllowedMentions | null,
  mayEveryone: boolean,
): Mentions {
  const users = unique(content, /<@!?(\d+)>/g).filter((id) => world.users[id] !== undefined);
  const roles = unique(content, /<@&(\d+)>/g).filter((id) => world.roles[id] !== undefined);
  const everyone = mayEveryone && /@(?:everyone|here)\b/.test(content);
  if (allowed === null) return { users, roles, everyone };
  return {
    users: allowed.parse.includes("users") ? users : users.filter((id) => allowed.users.includes(id)),
    roles: allowed.parse.includes("roles") ? roles : roles.filter((id) => allowed.roles.includes(id)),
    everyone: everyone && allowed.parse.includes("everyone"),
  };
}

function unique(content: string, pattern: RegExp): string[] {
  return [...new Set([...content.matchAll(pattern)].map((match) => match[1] ?? ""))];
}
