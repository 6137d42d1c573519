/**
 * What we owe Discord: the contract between the view, which says what should stand where, and the outbox, which
 * makes it so. A post is named by its subject and part (`core/post.ts`); its body is what Discord is sent, exactly.
 */
import type { APIAllowedMentions, APIEmbed, APIMessageTopLevelComponent } from "discord-api-types/v10";

/** Who goes first when Discord lets us say only so much. */
export type Lane = "decision" | "result" | "cosmetic";

/** The body of a create or edit. `allowed_mentions` and `flags` are always set: agent text never pings, never unfurls. */
export interface Body {
  content: string;
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  flags: number;
  allowed_mentions: APIAllowedMentions;
  files?: { name: string; bytes: Uint8Array }[];
}

export interface Owed {
  subject: string;
  part: string;
  /** The session's thread; the outbox finds the place to post from `state.threads[...].place`. */
  thread_id: string;
  lane: Lane;
  /**
   * - `show`: stand there with this body
   * - `interrupted`: what stands there stays, with this line below it (its text is known only to Discord)
   * - `remove`: nothing stands there
   */
  want: { kind: "show"; body: Body } | { kind: "interrupted"; line: string } | { kind: "remove" };
  /** `owner`: in the owner's direct messages, wherever the thread's posts go. */
  to?: "owner";
  /** The message this one replies to, on creation only. */
  reply_to: string | null;
  /** Milliseconds since the epoch: since when this is owed. Past the nonce's life, Discord is asked before it is sent again. */
  since: number;
  /** A body that is still growing: shown when convenient, its hash not recorded, the latest wins. */
  live: boolean;
}

/** What is being said while a job runs, kept by `stream.ts`, lost in a crash without harm. */
export interface Live {
  text: string;
  /** Running and just finished tools, oldest first, as one line each. */
  tools: {
    id: string;
    name: string;
    title: string;
    state: "running" | "ok" | "failed" | "denied";
    /** Why it was denied, in the agent's words. */
    reason?: string;
  }[];
  /** Tools before these that are kept no more. */
  toolsBefore?: number;
  /** What the agent means to do, as it last said. */
  plan?: { text: string; state: "pending" | "active" | "done" }[];
  /** What it is held up by, until it goes on. */
  notice?: { code: string; text: string };
}
