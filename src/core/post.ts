/**
 * A post: a message we have put into Discord for something in the state. What is *owed* is not stored, it follows
 * from the state (the view renders it); this noun only remembers what stands where, so that it is sent once,
 * edited later and found again after a restart.
 */

export interface Post {
  channel_id: string;
  /** Null: Discord would not take it anywhere, and we gave up saying it. */
  message_id: string | null;
  /** Digest of the content last shown; another digest means an edit is owed. */
  hash: string;
}

/** Posts by what they speak of (a job, a thread, a refused message), then by part (`card`, `answer:0`, `end`, …). */
export type Posts = Record<string, Record<string, Post>>;

/** The part that tells how a job ended badly: a failure, or the notice of a crash that its thread's queue waits on. */
export const CRASH_PART = "end";

/** The part by which a decision is put before its owner. */
export const PROMPT_PART = "prompt";

export interface PostEvent {
  type: "PostRecorded";
  payload: Post & { subject: string; part: string };
}

export type PostCommand = Post & { type: "record_post"; subject: string; part: string };

export function decidePost(posts: Posts, command: PostCommand): PostEvent[] {
  const { type: _type, ...payload } = command;
  const known = posts[payload.subject]?.[payload.part];
  const same =
    known?.message_id === payload.message_id &&
    known.hash === payload.hash &&
    known.channel_id === payload.channel_id;
  return same ? [] : [{ type: "PostRecorded", payload }];
}

/** Callers say whether the subject still lives; a record for what has left the live state is let go. */
export function evolvePost(posts: Posts, event: PostEvent): void {
  const { subject, part, channel_id, message_id, hash } = event.payload;
  (posts[subject] ??= {})[part] = { channel_id, message_id, hash };
}
