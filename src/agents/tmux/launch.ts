/**
 * How Claude is started in a window: its argv, which never has a prompt in it, and the settings that make its hooks
 * ours. Its own settings stay as they are.
 */
import { hookEntries, type HookSettings, lineWith, type StatusLineEntry } from "../../host/hooks/claude-settings.ts";
import { rules as claudeRules } from "../claude/arguments.ts";
import { sameReasonForEach, type ArgumentRules, valueOf } from "../process/dialect.ts";

export interface Launch {
  /** The file made of `settingsFor`. */
  settings: string;
  key: string | null;
  args: readonly string[];
}

export function argumentsFor({ settings, key, args }: Launch): [string, ...string[]] {
  const mode = valueOf(["--permission-mode"], args) === null ? ["--permission-mode", "default"] : [];
  return ["--settings", settings, ...mode, ...(key === null ? [] : ["-r", key]), ...args];
}

/** Those of headless Claude; and a second `--settings` would take the place of ours. */
export const rules: ArgumentRules = {
  ...claudeRules,
  refused: { ...claudeRules.refused, ...sameReasonForEach("ours", "--settings") },
};

/**
 * The folders it may read are rules, because for `--add-dir` Claude asks in a dialog whether they are trusted.
 * @param readable absolute
 * @param own the status line that its owner has otherwise, which these would take the place of
 */
export function settingsFor(wanted: HookSettings, readable: readonly string[], own: StatusLineEntry | null): object {
  return {
    permissions: { allow: readable.map((one) => `Read(/${one}/**)`) },
    hooks: hookEntries(wanted),
    statusLine: lineWith(wanted.folder, own),
  };
}
