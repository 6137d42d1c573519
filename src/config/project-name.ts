/**
 * The rule for project names, the same for config.json and for commands, so that no name a command accepts stops the
 * next start. Names are looked up in records without a prototype, so `constructor` is an ordinary name.
 */
import { basename } from "node:path";

export const PROJECT_NAME = /^[a-z0-9-_]{1,40}$/;

/** The pattern, except for the one name that no JavaScript object can hold as its own key. */
export function isProjectName(name: string): boolean {
  return PROJECT_NAME.test(name) && name !== "__proto__";
}

const NAME_CHARS = 40;

/** Such as `my-app` for `/home/me/My App`; with a number appended if that is taken. */
export function projectName(path: string, isTaken: (name: string) => boolean): string {
  const words = basename(path).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const fitted = words
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, NAME_CHARS);
  const name = isProjectName(fitted) ? fitted : "project";
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? "" : `-${number}`;
    const candidate = `${name.slice(0, NAME_CHARS - ending.length)}${ending}`;
    if (!isTaken(candidate)) return candidate;
  }
}
