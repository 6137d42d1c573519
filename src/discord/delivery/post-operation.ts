/**
 * One post that is being corrected, and what the writer and its fallbacks need for it.
 */
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Locale } from "../../base/words/say.ts";
import type { Post } from "../../core/posts/post.ts";
import type { Place } from "../../core/sessions/thread.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ShownPosts, Memory } from "./posts-as-shown.ts";
import type { Priority } from "../api/priority.ts";
import type { DesiredPost } from "../views/desired-posts.ts";
import type { Rest } from "../api/rest.ts";

export interface PostOperation {
  desired: DesiredPost;
  shownPosts: ShownPosts;
  /** That of the most urgent post waiting behind this one, if higher than its own. */
  priority: Priority;
  memory: Memory;
  /** Digest of what counts as shown afterwards: the body that is owed, or else what stands there. */
  hash: string;
}

/** A message that stands in Discord. */
export type Standing = Post & { message_id: string };

/** Where a thread's posts go now. */
export interface Spot {
  place: Place;
  channelId: string;
}

export interface WriterOptions {
  engine: Engine;
  rest: Rest;
  clock: Clock;
  log: Log;
  botId: string;
  /** Opens the owner's direct messages, once; resolves with the channel's id. */
  openDirect(): Promise<string>;
  locale: Locale;
  /** Minimum time between two edits of one growing message, in milliseconds. */
  editIntervalMs(): number;
  /** A message was posted in this channel. */
  posted(channelId: string, messageId: string): void;
  /** Has the post sync look again in `ms`; 0: next. */
  lookLater(shownPosts: ShownPosts, ms: number): void;
}
