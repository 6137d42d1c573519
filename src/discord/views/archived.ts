/**
 * What is said, in the channel around it, about a thread that was archived while its session had a window or a worktree:
 * what is still there, with a button, or what was put away. Nothing is posted in the thread, which that would reopen.
 */
import { theirWords } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { shownLine } from "../../core/decisions/hidden-characters.ts";
import type { State } from "../../core/state.ts";
import { archiveMark, type Archived, type Left } from "../../core/sessions/archives.ts";
import { button, code, colours, systemBody } from "./body.ts";
import { customId } from "./custom-id.ts";
import type { Body, DesiredPost } from "./desired-posts.ts";
import { sentence } from "./error-sentence.ts";
import { CALLS_NOBODY, calling, type Calls } from "./mention.ts";

const PATH_CHARS = 900;

export function archivedPosts(state: State, threadId: string, { locale, calls = CALLS_NOBODY }: { locale: Locale; calls?: Calls }): DesiredPost[] {
  const archived = state.archives?.[threadId];
  if (!archived) return [];
  const part = `archived:${Date.parse(archived.at)}`;
  const wasAsked = state.posts[threadId]?.[part] !== undefined;
  const asks = archived.is === "asks";
  // What had no worktree and was not asked about needs no word.
  if (!asks && !wasAsked && !(archived.is === "done" && archived.left?.worktree)) return [];
  const call = calls("waiting", null);
  const body = asks ? calling(question(archived, locale), call) : small(outcome(archived, locale));
  const is = asks ? `asks ${archiveMark(archived)}${archived.left?.failed === undefined ? "" : " failed"}` : archived.is;
  return [{ subject: threadId, part, thread_id: threadId, to: "parent", priority: "result", want: { kind: "show", body }, is, rings: asks && call.rings, since: Date.parse(archived.at) }];
}

function question(archived: Archived, locale: Locale): Body {
  const { thread_id, surely, by, left } = archived;
  const lines = [
    say(locale, "archive_thread", { thread: `<#${thread_id}>` }),
    ...(surely || left?.failed !== undefined ? [] : [by === undefined ? say(locale, "archive_unsure") : say(locale, "archive_other", { who: `<@${by}>` })]),
    ...(left?.busy ? [say(locale, "archive_busy")] : []),
    ...(left?.window ? [say(locale, "archive_window")] : []),
    ...worktreeLines(left?.worktree ?? null, locale),
    ...(left?.worktree && left.failed !== undefined ? [`❌ ${sentence(locale, "E_WORKTREE_FAILED", typeof left.failed === "string" ? { path: left.worktree.path, reason: theirWords(left.failed) } : left.failed)} \`E_WORKTREE_FAILED\``] : []),
  ];
  const label = say(locale, left?.worktree ? "archive_button" : "archive_button_end");
  const remove = button(customId("w-remove", { thread: thread_id, mark: archiveMark(archived) }), label);
  return systemBody({ color: colours.waits, title: say(locale, "archive_title"), description: lines.join("\n") }, [remove]);
}

function worktreeLines(worktree: Left["worktree"], locale: Locale): string[] {
  if (worktree === null) return [];
  const { path, branch, files, commits } = worktree;
  const onBranch = say(locale, commits > 0 ? "archive_commits" : "archive_branch", { branch: code(branch), commits });
  if (files === 0) return [say(locale, "archive_clean", { path: code(shownLine(path), PATH_CHARS) }), onBranch];
  const lost = files === null ? say(locale, "archive_files_unknown") : say(locale, "archive_files", { files });
  return [`${sentence(locale, "E_WORKTREE_DIRTY", { path })} \`E_WORKTREE_DIRTY\``, lost, onBranch];
}

function outcome({ is, thread_id, left }: Archived, locale: Locale): string {
  const thread = `<#${thread_id}>`;
  if (is === "reopened") return say(locale, "archive_reopened", { thread });
  if (is !== "done") return say(locale, "archive_agreed");
  return left?.worktree ? say(locale, "archive_removed", { thread, branch: code(left.worktree.branch) }) : say(locale, "archive_ended", { thread });
}

function small(description: string): Body {
  return systemBody({ color: colours.runs, description });
}
