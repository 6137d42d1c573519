/**
 * Forums: their tags, and their posts, each a thread with a message in it that has the thread's id.
 */
import { MessageFlags as Flag } from "discord-api-types/v10";
import { limits } from "../limits.ts";
import type { Form } from "../rest/form.ts";
import { Code, refuse } from "../rest/refusals.ts";
import type { ThreadChannel } from "../state/channels.ts";
import { Bit, mayIn, requirePermission } from "../state/permissions.ts";
import { startThread, type ThreadStart } from "../state/threads.ts";
import type { Channel, Forum, ForumTag, Message } from "../state/world.ts";
import type { Context } from "../context.ts";
import type { Draft } from "./message-form.ts";
import { append, newMessage } from "./message-store.ts";
import { fill } from "./messages.ts";

/** Flags that the first message of a post may have. */
export const postFlags = Flag.SuppressEmbeds | Flag.SuppressNotifications | Flag.IsComponentsV2;

/** Of a forum's flags: each post needs a tag. */
const REQUIRE_TAG = 1 << 4;

/** Starts a post. The caller has checked its tags. */
export function startPost(
  context: Context,
  forum: Channel,
  start: Omit<ThreadStart, "type" | "from" | "id">,
  draft: Draft,
): { thread: ThreadChannel; message: Message } {
  const { world } = context;
  if (draft.files.length > 0) requirePermission(world, forum, start.ownerId, Bit.AttachFiles);
  if ((draft.embeds ?? []).length > 0) requirePermission(world, forum, start.ownerId, Bit.EmbedLinks);
  const id = context.ids.next();
  const message = fill(context, { ...newMessage(context, id, start.ownerId), id }, { ...draft, nonce: null });
  const thread = startThread(context, forum, { ...start, id, type: 11, from: null });
  return { thread, message: append(context, message) };
}

/** The ids of the tags that a post is to have. Undefined: none are given. */
export function readAppliedTags(form: Form): string[] | undefined {
  return form.values("applied_tags", { max: limits.postTags })?.map(String);
}

/**
 * 10087 for a tag that the forum has not, 50013 where somebody changes a moderated one without the right, 40067 for
 * none where one is required.
 */
export function requireTags(
  context: Context,
  forum: Channel,
  userId: string,
  tags: { before: readonly string[]; after: readonly string[] },
): void {
  const { tags: known, requireTag } = forum.forum ?? { tags: [], requireTag: false };
  if (tags.after.some((id) => !known.some((one) => one.id === id))) throw refuse(Code.UnknownTag);
  const moderates = mayIn(context.world, forum, userId, Bit.ManageThreads);
  const isChanged = (id: string): boolean => tags.before.includes(id) !== tags.after.includes(id);
  if (!moderates && known.some(({ id, moderated }) => moderated && isChanged(id)))
    throw refuse(Code.MissingPermissions);
  if (requireTag && tags.after.length === 0) throw refuse(Code.TagRequiredToCreateAForumPostInThisChannel);
}

/** What a request makes of a forum: its tags and whether one is required. What it does not give stays. */
export function readForum(context: Context, form: Form, before: Forum): Forum {
  const tags = form.list("available_tags", { max: limits.forumTags }, (part) => readTag(context, part, before.tags));
  const flags = form.integer("flags");
  if (tags && new Set(tags.map(({ name }) => name)).size !== tags.length) throw refuse(Code.TagNamesMustBeUnique);
  return {
    tags: tags ?? before.tags,
    requireTag: typeof flags === "number" ? (flags & REQUIRE_TAG) !== 0 : before.requireTag,
  };
}

function readTag(context: Context, form: Form, before: readonly ForumTag[]): ForumTag {
  const id = form.snowflake("id");
  return {
    id: before.find((one) => one.id === id)?.id ?? context.ids.next(),
    name: form.text("name", { max: limits.tagName, required: true }) ?? "",
    moderated: form.boolean("moderated") ?? false,
    emojiId: form.snowflake("emoji_id") ?? null,
    emojiName: form.text("emoji_name", { max: 100 }) ?? null,
  };
}
