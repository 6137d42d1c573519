/** What is said of worktrees: in its thread, that a session's is gone; in the owner's channel, those that belong to no session. */
import { createHash } from "node:crypto";
import { shellWord } from "../../base/text.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { shownLine } from "../../core/decisions/hidden-characters.ts";
import type { State } from "../../core/state.ts";
import { SAID } from "../../core/posts/post-state.ts";
import { code, colours, inert, systemBody } from "./body.ts";
import type { DesiredPost } from "./desired-posts.ts";
import { sentence } from "./error-sentence.ts";

/** The sentence asks the owner to archive the thread: nothing can run in it any more. */
export function lostWorktree({ worktrees, sessions }: State, threadId: string, locale: Locale): DesiredPost[] {
  const worktree = worktrees?.[threadId];
  if (worktree?.is !== "lost") return [];
  const { path, branch } = worktree;
  const body = systemBody({ color: colours.waits, description: `${sentence(locale, "E_WORKTREE_GONE", { path, branch })} \`E_WORKTREE_GONE\`` });
  const since = Date.parse(sessions[threadId]?.created_at ?? "");
  return [{ subject: threadId, part: "worktree", thread_id: threadId, priority: "result", want: { kind: "show", body }, is: SAID, rings: true, since }];
}

/** One message a path. @param since ms since the epoch */
export function orphans({ orphans: all = {} }: State, { channelId, locale, since }: { channelId: string; locale: Locale; since: number }): DesiredPost[] {
  return Object.values(all).map(({ path, project_name }) => {
    const args = { path: code(shownLine(path), 900), project: `**${inert(project_name, 40)}**`, command: code(shownLine(`git worktree remove ${shellWord(path)}`), 900) };
    const body = systemBody({ color: colours.waits, title: say(locale, "worktree_orphan_title"), description: say(locale, "worktree_orphan", args) });
    const subject = `orphan:${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
    return { subject, part: "orphan", thread_id: channelId, priority: "cosmetic", want: { kind: "show", body }, is: SAID, rings: false, since };
  });
}
