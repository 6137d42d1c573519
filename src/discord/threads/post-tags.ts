/**
 * The reconciler of the tags `waiting` and `done` on the posts of a project's forum, where somebody has made tags with
 * these names: the first once a session has waited for its owner for a minute, the second once it has had nothing to do
 * for a minute, neither while it works. At most one change in five minutes; which tag was set and when is on disk, so a
 * restart changes nothing. Other tags, and archived posts, are left alone.
 */
import { ChannelFlags, type APIGuildForumChannel, type APIThreadChannel } from "discord-api-types/v10";
import { decisionsIn, isOpen } from "../../core/decisions/decision.ts";
import { workersIn } from "../../core/jobs/job-or-turn.ts";
import { isInForum } from "../../core/sessions/thread.ts";
import type { State } from "../../core/state.ts";
import { entriesOf, reconcile } from "../../engine/reconcile.ts";
import type { BotContext } from "../api/bot-context.ts";
import { failureKind } from "../api/transport.ts";

/** What is set; `none`: neither. */
type Tag = "waiting" | "done" | "none";

interface ForumTags {
  waiting?: string | undefined;
  done?: string | undefined;
  /** Discord refuses a post without a tag. */
  requiresOne: boolean;
}

/** The post part that records which tag was set last, and when: its hash is that time, or empty if none ever was. */
const TAG_PART = "tag";
const SETTLED_MS = 60_000;
const BETWEEN_MS = 5 * 60_000;
/** A forum in which Discord refuses a change is left alone as long. */
const REFUSED_MS = 60 * 60_000;
/** How long it is not asked again which tags a forum has. */
const REMEMBERED_MS = 5 * 60_000;
const MOST_TAGS = 5;

export function openPostTags(context: BotContext): { close(): void } {
  const { engine, clock, rest, botId, log } = context;
  /** Since when, by the monotonic clock, the posts whose tag is to change have wanted this one. */
  const wantedSince = new Map<string, { tag: Tag; at: number }>();
  const forums = new Map<string, { tags: ForumTags; until: number }>();
  const refusedUntil = new Map<string, number>();

  function step(threadId: string): Promise<unknown> | number | null {
    const thread = engine.state.threads[threadId];
    const wanted = wantedTag(engine.state, threadId);
    const set = engine.state.posts[threadId]?.[TAG_PART];
    const isOurs = thread?.bot_id === botId && thread.place === "thread" && isInForum(engine.state, thread);
    if (!isOurs || wanted === (set?.is ?? "none")) {
      wantedSince.delete(threadId);
      return null;
    }
    const now = clock.monotonic();
    const known = wantedSince.get(threadId);
    const since = known?.tag === wanted ? known.at : now;
    wantedSince.set(threadId, { tag: wanted, at: since });
    const settles = wanted === "none" ? 0 : since + SETTLED_MS - now;
    const may = Math.min(BETWEEN_MS, Date.parse(set?.hash || "1970-01-01") + BETWEEN_MS - clock.now());
    const free = (refusedUntil.get(thread.channel_id) ?? 0) - now;
    const waitMs = Math.max(settles, may, free);
    return waitMs > 0 ? waitMs : setTag(threadId, thread.channel_id, wanted);
  }

  async function setTag(threadId: string, forumId: string, wanted: Tag): Promise<void> {
    const isChanged = await change(threadId, forumId, wanted);
    if (isChanged === null) return;
    const before = engine.state.posts[threadId]?.[TAG_PART]?.hash ?? "";
    await engine.submit({
      type: "record_post",
      subject: threadId,
      part: TAG_PART,
      channel_id: threadId,
      message_id: null,
      hash: isChanged ? new Date(clock.now()).toISOString() : before,
      is: wanted,
    });
  }

  /** Resolves with whether the post's tags were changed; null: what is wanted has changed, or Discord refuses it. */
  async function change(threadId: string, forumId: string, wanted: Tag): Promise<boolean | null> {
    try {
      const forum = await tagsOf(forumId);
      if (forum.waiting === undefined && forum.done === undefined) return false;
      const path = `/channels/${threadId}` as const;
      const post = await rest.call<Partial<APIThreadChannel>>({ method: "GET", path, priority: "cosmetic" });
      const { archived, locked } = post.thread_metadata ?? {};
      const applied_tags = tagsWith(post.applied_tags ?? [], wanted, forum);
      if (archived || locked || applied_tags === null) return false;
      if (wantedTag(engine.state, threadId) !== wanted) return null;
      await rest.call({ method: "PATCH", path, body: { applied_tags }, priority: "cosmetic" });
      return true;
    } catch (error) {
      return refused(forumId, threadId, error);
    }
  }

  async function tagsOf(forumId: string): Promise<ForumTags> {
    const known = forums.get(forumId);
    if (known && known.until > clock.monotonic()) return known.tags;
    const { available_tags = [], flags = 0 } = await rest.call<Partial<APIGuildForumChannel>>({
      method: "GET",
      path: `/channels/${forumId}`,
      priority: "cosmetic",
    });
    const named = (name: string): string | undefined =>
      available_tags.find((tag) => tag.name.trim().toLowerCase() === name)?.id;
    const requiresOne = (flags & ChannelFlags.RequireTag) !== 0;
    const tags = { waiting: named("waiting"), done: named("done"), requiresOne };
    forums.set(forumId, { tags, until: clock.monotonic() + REMEMBERED_MS });
    return tags;
  }

  /** A post that is gone or closed is left alone, and a forum in which the bot lacks the right. */
  function refused(forumId: string, threadId: string, error: unknown): null {
    const kind = failureKind(error);
    // Its tags may be others by now.
    forums.delete(forumId);
    if (kind === "channel_gone" || kind === "archived" || kind === "locked") return null;
    if (kind !== "no_access") throw error;
    if (!refusedUntil.has(forumId))
      log.warn("the tags of a forum's posts cannot be kept", {
        channel_id: forumId,
        thread_id: threadId,
        reason: String(error),
      });
    refusedUntil.set(forumId, clock.monotonic() + REFUSED_MS);
    return null;
  }

  const tags = reconcile({
    ...context,
    failure: "a post's tags could not be set",
    details: (thread_id) => ({ thread_id }),
    follows: entriesOf(["session", "queue", "run", "end", "wait", "decision", "place"], ({ sessions }) => sessions),
    step,
  });
  tags.start();
  return tags;
}

/** Which tag fits what a session does now. */
export function wantedTag(state: State, threadId: string): Tag {
  const { [threadId]: thread } = state.threads;
  const { [threadId]: session } = state.sessions;
  if (!thread || !session) return "none";
  const { wait, hold } = thread;
  const isParked = hold !== null || (wait !== null && (wait.kind !== "limit" || wait.lifted === true));
  if (isParked || decisionsIn(state, threadId).some(isOpen)) return "waiting";
  const isIdle = workersIn(state, threadId).length === 0 && session.queue.length === 0 && !wait;
  const hasWorked = session.last_job_id !== null || thread.ended.length > 0 || thread.turns !== undefined;
  return isIdle && hasWorked ? "done" : "none";
}

/** The post's tags with this one in place of ours; null if they are to stay as they are. */
function tagsWith(applied: readonly string[], wanted: Tag, forum: ForumTags): string[] | null {
  const others = applied.filter((id) => id !== forum.waiting && id !== forum.done);
  const id = wanted === "none" ? undefined : forum[wanted];
  const tags = id === undefined || others.length >= MOST_TAGS ? others : [...others, id];
  const isSame = tags.length === applied.length && tags.every((one) => applied.includes(one));
  return isSame || (tags.length === 0 && forum.requiresOne) ? null : tags;
}
