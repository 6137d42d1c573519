/**
 * What is said of what sessions leave on the machine: in its thread, that a session's worktree is gone; in the channel
 * around a thread that was archived, what its session still has there, with a button, or what was put away; in the
 * owner's channel, worktrees that belong to no session.
 */
import { createHash } from "node:crypto";
import { shellWord } from "../../base/text.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { shownLine } from "../../base/hidden-characters.ts";
import { SAID } from "../../core/jobs/post-state.ts";
import type { State } from "../../core/state.ts";
import { archiveMark, type Archived, type ArchiveLeftovers } from "../../core/sessions/archives.ts";
import type { Orphan, Worktree } from "../../core/sessions/worktrees.ts";
import { button, code, colours, plainLine, systemBody, type Body, type DesiredPost, sentence } from "./message.ts";
import { customId } from "./custom-id.ts";

const PATH_CHARS = 900;

/** The sentence asks the owner to archive the thread: nothing can run in it any more. */
export function lostWorktree(
  { sessions }: State,
  { thread_id: threadId, is, path, branch }: Worktree,
  locale: Locale,
): DesiredPost[] {
  if (is !== "lost") return [];
  const body = systemBody({
    color: colours.waits,
    description: `${sentence(locale, "E_WORKTREE_GONE", { path, branch })} \`E_WORKTREE_GONE\``,
  });
  const since = Date.parse(sessions[threadId]?.created_at ?? "");
  return [
    {
      subject: threadId,
      part: "worktree",
      thread_id: threadId,
      priority: "result",
      want: { kind: "show", body },
      is: SAID,
      news: { kind: "told" },
      since,
    },
  ];
}

/** @param since ms since the epoch */
export function orphanedWorktree(
  { path, project_name }: Orphan,
  { channelId, locale, since }: { channelId: string; locale: Locale; since: number },
): DesiredPost {
  const args = {
    path: code(shownLine(path), PATH_CHARS),
    project: `**${plainLine(project_name, 40)}**`,
    command: code(shownLine(`git worktree remove ${shellWord(path)}`), PATH_CHARS),
  };
  const body = systemBody({
    color: colours.waits,
    title: say(locale, "worktree_orphan_title"),
    description: say(locale, "worktree_orphan", args),
  });
  const subject = `orphan:${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  return {
    subject,
    part: "orphan",
    thread_id: channelId,
    priority: "cosmetic",
    want: { kind: "show", body },
    is: SAID,
    since,
  };
}

/**
 * About a thread that was archived while its session had a window or a worktree. Nothing is posted in the thread, which
 * that would reopen.
 */
export function archivedPosts(state: State, archived: Archived, { locale }: { locale: Locale }): DesiredPost[] {
  const { thread_id: threadId } = archived;
  const part = `archived:${Date.parse(archived.at)}`;
  const wasAsked = state.posts[threadId]?.[part] !== undefined;
  const asks = archived.is === "asks";
  // What had no worktree and was not asked about needs no word.
  if (!asks && !wasAsked && !(archived.is === "done" && archived.left?.worktree)) return [];
  const body = asks ? question(archived, locale) : small(outcome(archived, locale));
  const is = asks
    ? `asks ${archiveMark(archived)}${archived.left?.failed === undefined ? "" : " failed"}`
    : archived.is;
  return [
    {
      subject: threadId,
      part,
      thread_id: threadId,
      to: "parent",
      priority: "result",
      want: { kind: "show", body },
      is,
      ...(asks && { news: { kind: "waits" } as const }),
      since: Date.parse(archived.at),
    },
  ];
}

function question(archived: Archived, locale: Locale): Body {
  const { thread_id, surely, by, left } = archived;
  const lines = [
    say(locale, "archive_thread", { thread: `<#${thread_id}>` }),
    ...(surely || left?.failed !== undefined
      ? []
      : [by === undefined ? say(locale, "archive_unsure") : say(locale, "archive_other", { who: `<@${by}>` })]),
    ...(left?.busy ? [say(locale, "archive_busy")] : []),
    ...(left?.window ? [say(locale, "archive_window")] : []),
    ...worktreeLines(left?.worktree ?? null, locale),
    ...(left?.worktree && left.failed !== undefined
      ? [`❌ ${sentence(locale, "E_WORKTREE_FAILED", left.failed)} \`E_WORKTREE_FAILED\``]
      : []),
  ];
  const label = say(locale, left?.worktree ? "archive_button" : "archive_button_end");
  const remove = button(customId("remove_worktree", { thread: thread_id, mark: archiveMark(archived) }), label);
  return systemBody({ color: colours.waits, title: say(locale, "archive_title"), description: lines.join("\n") }, [
    remove,
  ]);
}

function worktreeLines(worktree: ArchiveLeftovers["worktree"], locale: Locale): string[] {
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
  return left?.worktree
    ? say(locale, "archive_removed", { thread, branch: code(left.worktree.branch) })
    : say(locale, "archive_ended", { thread });
}

function small(description: string): Body {
  return systemBody({ color: colours.runs, description });
}
