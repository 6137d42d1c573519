/**
 * Handles posts that Discord does not accept as they are: an archived thread is unarchived, a lost place is given up
 * for the next one, a refused answer becomes a short message with the name of its file, and cosmetic posts are
 * dropped. Only what the owner has to press is tried again for as long as it is owed, and nothing that matters is
 * dropped silently.
 */
import { MessageFlags, type APIMessage } from "discord-api-types/v10";
import { say } from "../../base/words/say.ts";
import { UNSETTLED } from "../../core/posts/post.ts";
import type { Body } from "../views/message.ts";
import { RestFailure, type FailureKind } from "../api/transport.ts";
import type { PostOperation, Spot, PostedMessage, PostWriterOptions } from "./posts-as-shown.ts";

/** The writer's own steps, which a fallback may have to repeat. */
export interface PostSteps {
  post(operation: PostOperation, body: Body, spot: Spot, replaces: string): Promise<APIMessage>;
  record(operation: PostOperation, channelId: string, messageId: string | null, as?: RecordOptions): Promise<void>;
  patch(operation: PostOperation, posted: PostedMessage, body: Body): Promise<void>;
}

/**
 * `is`: what it says now, if that is not what is owed. `isNotice`: a notice that it could not be posted is in its
 * place.
 */
export interface RecordOptions {
  is?: string;
  isNotice?: boolean;
}

/** After this many tries without an answer, the post itself may be the cause: a short notice is tried in its place. */
const UNANSWERED = 3;
const OPENINGS = 3;
/** The pauses between tries of a post that Discord accepts nowhere, each twice the one before. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 600_000;

export class Fallback {
  readonly #options: PostWriterOptions;
  readonly #steps: PostSteps;

  constructor(options: PostWriterOptions, steps: PostSteps) {
    this.#options = options;
    this.#steps = steps;
  }

  /** Where this post goes now; opens the owner's direct messages if necessary. */
  async spotOf({ desired }: PostOperation): Promise<Spot> {
    const thread = this.#options.engine.state.threads[desired.thread_id];
    const place = desired.to ?? thread?.place ?? "thread";
    if (!thread || place === "thread") return { place, channelId: desired.thread_id };
    if (place === "parent") return { place, channelId: thread.channel_id };
    return { place, channelId: await this.#options.openDirect() };
  }

  async createFailed(operation: PostOperation, body: Body, spot: Spot | null, error: unknown): Promise<void> {
    const { desired, shownPosts, memory } = operation;
    const kind = handled(error);
    if (this.#passing(operation, kind)) return;
    const channelId = spot?.channelId ?? desired.thread_id;
    switch (kind) {
      case "message_gone":
        // The first try created it, and somebody deleted it before we knew: its nonce belongs to a deleted message.
        if (memory.burnt || desired.priority === "cosmetic") return this.#giveUp(operation, channelId, kind);
        memory.burnt = true;
        return this.#options.lookLater(shownPosts, 0);
      case "archived":
        if (await this.#unarchive(operation, channelId)) return this.#options.lookLater(shownPosts, 0);
        return this.#losePlace(operation, spot, "locked");
      case "no_access":
        // Perhaps only files are not allowed here; the place is given up only when plain words are refused too.
        if (body.files?.length && spot) return this.#shortly(operation, body, spot, error);
        return this.#losePlace(operation, spot, kind);
      case "locked":
      case "channel_gone":
        return this.#losePlace(operation, spot, kind);
      default:
        return spot ? this.#shortly(operation, body, spot, error) : this.#giveUp(operation, channelId, kind);
    }
  }

  /** `anew`: it has to be posted again, in the current place. */
  async editFailed(
    operation: PostOperation,
    body: Body,
    posted: PostedMessage,
    error: unknown,
  ): Promise<"anew" | "settled"> {
    const { desired, shownPosts } = operation;
    const kind = handled(error);
    if (this.#passing(operation, kind)) return "settled";
    const cosmetic = desired.priority === "cosmetic";
    switch (kind) {
      case "message_gone":
        if (!cosmetic) return "anew";
        await this.#giveUp(operation, posted.channel_id, kind);
        return "settled";
      case "too_old":
        if (!cosmetic) return "anew";
        await this.#steps.record(operation, posted.channel_id, posted.message_id);
        return "settled";
      case "archived":
        if (await this.#unarchive(operation, posted.channel_id)) {
          this.#options.lookLater(shownPosts, 0);
          return "settled";
        }
        return this.#lostEdit(operation, posted, "locked");
      case "locked":
      case "no_access":
      case "channel_gone":
        return this.#lostEdit(operation, posted, kind);
      default:
        await this.#refusedEdit(operation, body, posted, error);
        return "settled";
    }
  }

  /** The message is where we cannot write any more: what matters is posted in the current place. */
  async #lostEdit(operation: PostOperation, posted: PostedMessage, kind: FailureKind): Promise<"anew" | "settled"> {
    if (operation.desired.priority === "cosmetic") {
      await this.#giveUp(operation, posted.channel_id, kind);
      return "settled";
    }
    const spot = await this.spotOf(operation);
    if (spot.channelId !== posted.channel_id) return "anew";
    await this.#losePlace(operation, spot, kind);
    return "settled";
  }

  /** The edit of a growing message failed. Returns whether it is worth looking at the message again. Never throws. */
  growthFailed(operation: PostOperation, error: unknown): boolean {
    const kind = kindOrNull(error);
    // Another try would be refused at once, too: nothing goes to Discord any more.
    if (kind === "closed" || kind === "unauthorized") return false;
    if (kind === "superseded" || kind === "unavailable") return true;
    operation.memory.letGo = true;
    if (kind !== "message_gone")
      this.#options.log.info("a growing message is not updated until its end", {
        ...named(operation),
        reason: String(error),
      });
    return true;
  }

  /** A change that says nothing new (a line below, a removal) is not posted in another place. */
  async markFailed(operation: PostOperation, channelId: string, error: unknown): Promise<void> {
    const kind = handled(error);
    if (this.#passing(operation, kind)) return;
    if (kind === "archived" && (await this.#unarchive(operation, channelId)))
      return this.#options.lookLater(operation.shownPosts, 0);
    await this.#giveUp(operation, channelId, kind);
  }

  /** Failures that pass by themselves: tried again at the next look. */
  #passing({ desired, shownPosts, memory }: PostOperation, kind: FailureKind): boolean {
    if (kind === "unavailable") memory.unanswered += 1;
    const patient = desired.priority === "cosmetic" || desired.want.kind !== "show" || memory.unanswered < UNANSWERED;
    const again = kind === "superseded" || (kind === "unavailable" && patient);
    if (again) this.#options.lookLater(shownPosts, 0);
    return again;
  }

  /** Even a short notice got no answer: Discord is the cause, not the post, and all of it is owed as before. */
  #isOutage({ shownPosts, memory }: PostOperation, kind: FailureKind): boolean {
    if (kind !== "unavailable" && kind !== "superseded") return false;
    memory.unanswered = 0;
    this.#options.lookLater(shownPosts, 0);
    return true;
  }

  async #losePlace(operation: PostOperation, spot: Spot | null, kind: FailureKind): Promise<void> {
    const { desired, shownPosts } = operation;
    const thread = this.#options.engine.state.threads[desired.thread_id];
    const place = spot?.place ?? "owner";
    if (!thread || place === "owner") return this.#giveUp(operation, spot?.channelId ?? desired.thread_id, kind);
    this.#options.log.warn("Discord no longer lets Bellhop post there", {
      error_code: "E_THREAD_ACCESS_FAILED",
      thread_id: desired.thread_id,
      place,
      reason: kind,
    });
    await this.#options.engine.submit({
      type: "lose_thread",
      thread_id: desired.thread_id,
      place,
      code: "E_THREAD_ACCESS_FAILED",
    });
    this.#options.lookLater(shownPosts, 0);
  }

  /**
   * Posts a short notice that there is more, and where, with the text as a file, which no filter reads; a refused post
   * counts as shown until it says something else.
   */
  async #shortly(operation: PostOperation, body: Body, spot: Spot, error: unknown): Promise<void> {
    const { desired, memory } = operation;
    if (desired.live) return void this.growthFailed(operation, error);
    if (desired.priority === "cosmetic") return this.#giveUp(operation, spot.channelId, "rejected");
    this.#options.log.warn("Discord refused a post; a short notice takes its place", {
      error_code: "E_INTERNAL",
      ...named(operation),
      reason: String(error),
    });
    const { sentAs = desired.part, ...post } = desired;
    const short: PostOperation = {
      ...operation,
      // It has a nonce of its own, since the whole post may turn out to stand after all.
      desired: { ...post, part: `${sentAs}:short` },
      memory: { ...memory, triedAt: null, burnt: false },
    };
    try {
      const message = await this.#eitherWay(operation, body, error, (notice) =>
        this.#steps.post(short, notice, spot, ""),
      );
      // Discord did not answer the whole post; now that it answers, an edit may turn the notice into the whole.
      const settled = kindOrNull(error) !== "unavailable";
      await this.#steps.record(operation, spot.channelId, message.id, {
        isNotice: true,
        ...(settled ? {} : { is: UNSETTLED }),
      });
      if (!settled) this.#options.lookLater(operation.shownPosts, 0);
    } catch (again) {
      const kind = handled(again);
      if (this.#isOutage(operation, kind)) return;
      if (kind === "rejected") return this.#giveUp(operation, spot.channelId, kind);
      return this.createFailed(operation, this.#notice(operation, error), spot, again);
    }
  }

  /** With the whole text as a file or, if files are not allowed, without. */
  async #eitherWay<T>(
    operation: PostOperation,
    body: Body,
    error: unknown,
    put: (notice: Body) => Promise<T>,
  ): Promise<T> {
    const file = fileOf(body, error);
    if (file === null) return put(this.#notice(operation, error));
    try {
      return await put(this.#notice(operation, error, file));
    } catch (again) {
      const kind = kindOrNull(again);
      if (kind !== "rejected" && kind !== "no_access") throw again;
      return put(this.#notice(operation, error));
    }
  }

  async #refusedEdit(operation: PostOperation, body: Body, posted: PostedMessage, error: unknown): Promise<void> {
    if (operation.desired.priority === "cosmetic")
      return this.#steps.record(operation, posted.channel_id, posted.message_id);
    this.#options.log.warn("Discord refused an edit; a short notice takes its place", {
      error_code: "E_INTERNAL",
      ...named(operation),
      reason: String(error),
    });
    try {
      await this.#eitherWay(operation, body, error, (notice) => this.#steps.patch(operation, posted, notice));
      await this.#steps.record(operation, posted.channel_id, posted.message_id, { isNotice: true });
    } catch (again) {
      if (this.#isOutage(operation, handled(again))) return;
      this.#options.log.failure("a post could not be edited", again, named(operation));
      await this.#steps.record(operation, posted.channel_id, posted.message_id);
    }
  }

  #notice({ desired }: PostOperation, error: unknown, file?: NonNullable<Body["files"]>[number]): Body {
    const code = error instanceof RestFailure ? error.code || error.status : 0;
    const kept = typeof this.#options.engine.state.runs[desired.subject]?.result_sha256 === "string";
    const lost = kept
      ? say(this.#options.locale, "post_refused", { code, file: `results/${desired.subject}.md` })
      : say(this.#options.locale, "post_refused_other", { code });
    const content = file ? `${lost} ${say(this.#options.locale, "post_refused_attached")}` : lost;
    const body: Body = {
      content,
      embeds: [],
      components: [],
      flags: MessageFlags.SuppressEmbeds,
      allowed_mentions: { parse: [], replied_user: false },
    };
    return file ? { ...body, files: [file] } : body;
  }

  async #giveUp(operation: PostOperation, channelId: string, kind: FailureKind): Promise<void> {
    const { desired, shownPosts, memory } = operation;
    const times = memory.refused?.is === desired.is ? memory.refused.times + 1 : 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LONGEST_PAUSE_MS);
    if (desired.stands === true) {
      memory.refused = { is: desired.is, times, until: this.#options.clock.monotonic() + pauseMs };
      shownPosts.tryAt = Math.min(shownPosts.tryAt, memory.refused.until);
    }
    if (desired.priority === "cosmetic" || times > 1)
      this.#options.log.info("a post is given up", { ...named(operation), reason: kind });
    else
      this.#options.log.warn("a post could not be sent anywhere; its text is on this machine", {
        error_code: "E_THREAD_ACCESS_FAILED",
        ...named(operation),
        reason: kind,
      });
    await this.#steps.record(operation, channelId, null);
  }

  /** @returns whether it is open now. */
  async #unarchive({ priority, shownPosts, memory }: PostOperation, channelId: string): Promise<boolean> {
    memory.opened += 1;
    // Somebody, or Discord, keeps archiving it.
    if (memory.opened > OPENINGS) return false;
    try {
      const { signal } = shownPosts;
      await this.#options.rest.call({
        method: "PATCH",
        path: `/channels/${channelId}`,
        body: { archived: false },
        priority,
        key: `open ${channelId}`,
        signal,
      });
      return true;
    } catch (error) {
      if (handled(error) === "superseded") return true;
      this.#options.log.info("an archived thread could not be opened", { thread_id: channelId, reason: String(error) });
      return false;
    }
  }
}

/**
 * The refused text as a file, without our small print below it; null if it had files already, or if the text was not
 * what was refused.
 */
function fileOf({ content, files = [] }: Body, error: unknown): { name: string; bytes: Uint8Array } | null {
  if (content === "" || files.length > 0 || kindOrNull(error) !== "rejected") return null;
  const lines = content.split("\n");
  while (lines.at(-1)?.startsWith("-# ")) lines.pop();
  return { name: "answer.md", bytes: Buffer.from(lines.join("\n"), "utf8") };
}

/** The failure's kind. Rethrows what is not a failure of Discord's, or ends all work. */
function handled(error: unknown): FailureKind {
  const kind = kindOrNull(error);
  if (kind === null || kind === "closed" || kind === "unauthorized") throw error;
  return kind;
}

function kindOrNull(error: unknown): FailureKind | null {
  return error instanceof RestFailure ? error.kind : null;
}

function named({ desired }: PostOperation): { thread_id: string; subject: string; part: string } {
  return { thread_id: desired.thread_id, subject: desired.subject, part: desired.part };
}
