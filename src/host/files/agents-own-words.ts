/** What agents write into a project's configuration by themselves, told apart from the rest of the file. */

/** More is not told rule by rule. */
const MOST_RULES = 2_000;
const MOST_CHARS = 64 * 1024;

/**
 * Claude's settings: what is allowed without asking, and the text without that, written in one way; it is empty if
 * nothing else is in it. Null: there is something other than a list of rules, or too long a one.
 */
export function withoutAllowed(text: string): { allowed: string[]; left: string } | null {
  const settings = objectIn(text);
  if (settings === null) return null;
  const { permissions = {}, ...others } = settings;
  if (!isObject(permissions)) return null;
  const { allow = [], ...left } = permissions;
  if (!Array.isArray(allow) || allow.length > MOST_RULES || !allow.every((rule) => typeof rule === "string"))
    return null;
  if (allow.reduce((chars, rule) => chars + rule.length, 0) > MOST_CHARS) return null;
  return { allowed: allow, left: written({ ...others, ...(Object.keys(left).length > 0 && { permissions: left }) }) };
}

const OWN_PLUGIN = "@opencode-ai/plugin";
/** Of the registry, and nothing else that could stand in its place. */
const VERSION = /^(?:[\^~]?\d{1,9}\.\d{1,9}\.\d{1,9}(?:[.+-][\w.+-]{0,99})?|latest|\*)$/;

/**
 * opencode's `package.json` without the dependency that opencode adds when it starts, written in one way. Empty if
 * nothing else is in it.
 */
export function withoutOwnPlugin(text: string): string {
  const manifest = objectIn(text);
  if (manifest === null) return text;
  const { dependencies = {}, ...others } = manifest;
  if (!isObject(dependencies)) return text;
  const { [OWN_PLUGIN]: version = "*", ...left } = dependencies;
  if (typeof version !== "string" || !VERSION.test(version)) return text;
  return written({ ...others, ...(Object.keys(left).length > 0 && { dependencies: left }) });
}

function written(value: object): string {
  return Object.keys(value).length === 0 ? "" : `${JSON.stringify(value, null, 2)}\n`;
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
