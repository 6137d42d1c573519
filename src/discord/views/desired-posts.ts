/**
 * The posts owed to Discord: the contract between the view, which says what should be posted where, and the post sync,
 * which makes it so. A post is named by its subject and part (`posts/post.ts`); its body is exactly what Discord is
 * sent.
 */
import type { APIAllowedMentions, APIEmbed, APIMessageTopLevelComponent } from "discord-api-types/v10";
import type { Locale } from "../../base/words/say.ts";
import type { Priority } from "../api/request-queue.ts";
import type { Markdown } from "../text/markdown.ts";
import type { Upto } from "../../core/posts/post.ts";

/** In whose language posts are, and what reads agents' Markdown. */
export interface Rendering {
  locale: Locale;
  markdown: Markdown;
}

/**
 * The body of a create or edit. `allowed_mentions` and `flags` are always set: agent text never pings, never unfurls.
 */
export interface Body {
  content: string;
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  flags: number;
  allowed_mentions: APIAllowedMentions;
  files?: { name: string; bytes: Uint8Array }[];
}

export interface DesiredPost {
  subject: string;
  part: string;
  /** The session's thread; the post sync finds the place to post from `state.threads[...].place`. */
  thread_id: string;
  priority: Priority;
  /**
   * - `show`: a message with this body; `partly`: not all of its subject could be put into it
   * - `interrupted`: the existing message stays, with this line below its text (which only Discord knows)
   * - `remove`: no message; one that shows `unrecorded` may stand although it was never recorded
   * - `found`: the message stays that an earlier process may have posted without recording it: the one with this body,
   *   or
   *   the first of its kind above the message `above`; it is looked for once, and nothing is posted
   */
  want:
    | { kind: "show"; body: Body; partly?: true }
    | { kind: "interrupted"; line: string }
    | { kind: "remove"; unrecorded?: Body }
    | { kind: "found"; body: Body; above?: string };
  /** `owner`: in the owner's direct messages; `parent`: in the thread's channel; wherever the thread's posts go. */
  to?: "owner" | "parent";
  /**
   * It must be seen, as the owner presses what is in it: if its thread is gone, it is posted again in the current
   * place, and where Discord refuses it everywhere, it is tried again later.
   */
  stands?: boolean;
  /**
   * Something else was posted below it, and it belongs at the end: it is posted again, and the message above removed.
   */
  buried?: boolean;
  /**
   * The name of what it says (`posts/post-state.ts`): a post is edited when its name changes, and not when only our
   * wording does. `growing` for a body that still grows.
   */
  is: string;
  /** For the last message of an answer that continues below something else. */
  upto?: Upto;
  /** Whether the owner's client notifies of it, on creation only; Discord notifies of no edit. */
  rings: boolean;
  /** The message this one replies to, on creation only. */
  reply_to?: string | null;
  /**
   * Milliseconds since the epoch: since when this is owed. After the nonce's life, Discord is asked before it is
   * resent.
   */
  since: number;
  /** A body that is still growing: shown at low priority, recorded once, the latest wins. */
  live?: boolean;
}

/** The text and tools of a running job, kept by `live-stream.ts`; lost in a crash without harm. */
export interface Live {
  text: string;
  /** Running and just finished tools, oldest first, one line each. */
  tools: {
    id: string;
    name: string;
    title: string;
    state: "running" | "ok" | "failed" | "denied";
    /** Why it was denied, in the agent's words. */
    reason?: string;
  }[];
  /** Number of earlier tools that are no longer kept. */
  toolsBefore?: number;
  /** The agent's latest plan. */
  plan?: { text: string; state: "pending" | "active" | "done" }[];
  /** What it thinks, until it says or does something. */
  thought?: string;
  /** What holds it up, until it continues. */
  notice?: { code: string; text: string };
}

/** A message that was posted while a job ran, and how much its agent had written by then. */
export interface Below {
  id: string;
  /** Characters. */
  at: number;
}
