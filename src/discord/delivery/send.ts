/**
 * Takes one step towards what should stand in Discord, and records in the journal which message is where. A step may be
 * taken any number of times, in this process or the next; the result is one message. What Discord does not accept as it
 * is becomes something that it does: an archived thread is opened, a lost place is given up for the next one, a refused
 * answer becomes a short notice with its text as a file. Nothing that matters is dropped silently.
 */
import { say } from "../../base/words/say.ts";
import { GROWING, UNKNOWN, UNSETTLED } from "../../core/posts/post.ts";
import type { BotContext } from "../api/bot-context.ts";
import { failureKind, RestFailure, type FailureKind } from "../api/transport.ts";
import { agentBody, hashOf, type Body, type DesiredPost } from "../views/message.ts";
import {
  remedyFor,
  type PostedMessage,
  type PostOperation,
  type Remedy,
  type ShownPosts,
  type Step,
  type Tried,
} from "./diff.ts";
import { handled, PostRequests, type SendOptions, type Spot } from "./post-requests.ts";

/** The pauses between tries of a post that Discord accepts nowhere, each twice the one before. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 600_000;

export class Sender {
  readonly #context: BotContext;
  readonly #requests: PostRequests;
  readonly #lookLater: (shownPosts: ShownPosts, ms: number) => void;

  /** @param lookLater has the post sync look again in so many milliseconds; 0: next */
  constructor(context: BotContext, options: SendOptions, lookLater: (shownPosts: ShownPosts, ms: number) => void) {
    this.#context = context;
    this.#requests = new PostRequests(context, options);
    this.#lookLater = lookLater;
  }

  /**
   * If more is to do later, it has the post sync look again. Rejects only when nothing can be done any more: on close,
   * or when the journal has failed.
   */
  async send(step: Step, on: Omit<PostOperation, "hash">): Promise<void> {
    const { shownPosts } = on;
    const hash = "body" in step ? hashOf(step.body) : "posted" in step ? step.posted.hash : "";
    const operation: PostOperation = { ...on, hash };
    switch (step.do) {
      case "nothing":
        return;
      case "wait":
        if (step.isAwaited) this.#lookLater(shownPosts, step.until - this.#context.clock.monotonic());
        else shownPosts.tryAt = Math.min(shownPosts.tryAt, step.until);
        return;
      case "create":
        return this.#create(operation, step.body, step.replaces);
      case "move":
        return this.#moveToEnd(operation, step.body, step.posted);
      case "edit":
        return this.#edit(operation, step.body, step.posted);
      case "grow":
        return this.#grow(operation, step.body, step.posted);
      case "record":
        return this.#requests.record(operation, step.posted.channel_id, step.posted.message_id);
      case "interrupt":
        return this.#interrupt(operation, step.line, step.posted);
      case "remove":
        return this.#remove(operation, step.posted);
      default:
        return this.#find(operation, step);
    }
  }

  /** The new message's nonce names the old one, so that it is posted once, however often this is interrupted. */
  async #moveToEnd(operation: PostOperation, body: Body, posted: PostedMessage): Promise<void> {
    try {
      await this.#requests.delete(operation, posted);
    } catch (error) {
      return this.#markFailed(operation, posted.channel_id, error);
    }
    await this.#create(operation, body, posted.message_id);
  }

  async #create(operation: PostOperation, body: Body, replaces: string): Promise<void> {
    const { desired, memory, hash } = operation;
    let spot: Spot | null = null;
    try {
      spot = await this.#requests.spotOf(operation);
      const { message_id, isAsWanted } = await this.#requests.post(operation, body, spot, replaces);
      memory.sentAt = this.#context.clock.monotonic();
      memory.shown = isAsWanted ? hash : UNKNOWN;
      await this.#requests.record(operation, spot.channelId, message_id, {
        is: desired.live ? GROWING : isAsWanted ? desired.is : UNKNOWN,
      });
    } catch (error) {
      await this.#createFailed(operation, body, spot, error);
    }
  }

  async #edit(operation: PostOperation, body: Body, posted: PostedMessage): Promise<void> {
    const { channel_id, message_id } = posted;
    try {
      // Until the answer arrives it may show either.
      operation.memory.shown = UNKNOWN;
      await this.#requests.edit(operation, posted, body);
      operation.memory.shown = operation.hash;
      await this.#requests.record(operation, channel_id, message_id);
    } catch (error) {
      await this.#editFailed(operation, body, posted, error);
    }
  }

  #grow(operation: PostOperation, body: Body, posted: PostedMessage): void {
    const { shownPosts, memory, hash } = operation;
    const mine = { hash, sent: false };
    memory.edit = mine;
    const onSend = (): void => {
      mine.sent = true;
      memory.sentAt = this.#context.clock.monotonic();
    };
    const editing = this.#requests
      .edit(operation, posted, body, { onSend, waits: false })
      .then(() => {
        memory.shown = hash;
        return true;
      })
      .catch((error) => {
        // It may have been applied all the same.
        if (mine.sent) memory.shown = UNKNOWN;
        return this.#letGo(operation, error);
      })
      .then((goesOn) => {
        if (memory.edit === mine) memory.edit = null;
        shownPosts.background.delete(editing);
        if (goesOn) this.#lookLater(shownPosts, 0);
      });
    shownPosts.background.add(editing);
  }

  async #interrupt(operation: PostOperation, line: string, posted: PostedMessage): Promise<void> {
    const { channel_id, message_id } = posted;
    try {
      await this.#requests.addLine(operation, posted, line);
      await this.#requests.record(operation, channel_id, message_id);
    } catch (error) {
      await this.#markFailed(operation, channel_id, error);
    }
  }

  async #remove(operation: PostOperation, posted: PostedMessage): Promise<void> {
    try {
      await this.#requests.delete(operation, posted);
    } catch (error) {
      return this.#markFailed(operation, posted.channel_id, error);
    }
    await this.#requests.record(operation, posted.channel_id, null);
  }

  /** Records it if it stands, and otherwise that it does not. */
  async #find(
    operation: PostOperation,
    { body, above, grown = false }: { body: Body; above?: string; grown?: boolean },
  ): Promise<void> {
    const spot = await this.#requests.spotOf(operation);
    const inThread = above !== undefined && spot.place === "thread";
    try {
      const message_id = await this.#requests.find(operation, spot, { body, above, inThread, mayGoOn: grown });
      await this.#requests.record(operation, spot.channelId, message_id);
    } catch (error) {
      await this.#markFailed(operation, spot.channelId, error);
    }
  }

  async #createFailed(operation: PostOperation, body: Body, spot: Spot | null, error: unknown): Promise<void> {
    const { desired, shownPosts, memory } = operation;
    const channelId = spot?.channelId ?? desired.thread_id;
    const [remedy, kind] = await this.#remedy("create", operation, channelId, error, body.files);
    switch (remedy) {
      case "again":
        return this.#lookLater(shownPosts, 0);
      case "burn":
        memory.burnt = true;
        return this.#lookLater(shownPosts, 0);
      case "lose_place":
        return this.#losePlace(operation, spot, kind);
      case "let_go":
        return void this.#letGo(operation, error);
      case "shorten":
        return spot ? this.#shorten(operation, body, spot, error) : this.#giveUp(operation, channelId, kind);
      default:
        return this.#giveUp(operation, channelId, kind);
    }
  }

  async #editFailed(operation: PostOperation, body: Body, posted: PostedMessage, error: unknown): Promise<void> {
    const { channel_id, message_id } = posted;
    const [remedy, kind] = await this.#remedy("edit", operation, channel_id, error);
    switch (remedy) {
      case "again":
        return this.#lookLater(operation.shownPosts, 0);
      case "anew":
        return this.#create(operation, body, message_id);
      case "lose_place": {
        const spot = await this.#requests.spotOf(operation);
        // The message is where we cannot write any more, and the thread's posts go elsewhere already.
        if (spot.channelId !== channel_id) return this.#create(operation, body, message_id);
        return this.#losePlace(operation, spot, kind);
      }
      case "record":
        return this.#requests.record(operation, channel_id, message_id);
      case "shorten":
        return this.#shortenEdit(operation, body, posted, error);
      default:
        return this.#giveUp(operation, channel_id, kind);
    }
  }

  /** A change that says nothing new (a line below, a removal) is not posted in another place. */
  async #markFailed(operation: PostOperation, channelId: string, error: unknown): Promise<void> {
    const [remedy, kind] = await this.#remedy("mark", operation, channelId, error);
    if (remedy === "again") return this.#lookLater(operation.shownPosts, 0);
    return this.#giveUp(operation, channelId, kind);
  }

  /** What follows, once an archived thread has been opened or could not be; and why. */
  async #remedy(
    tried: Tried,
    operation: PostOperation,
    channelId: string,
    error: unknown,
    files: Body["files"] = [],
  ): Promise<[Remedy, FailureKind]> {
    const kind = handled(error);
    if (kind === "unavailable") operation.memory.unanswered += 1;
    const remedy = remedyFor(tried, kind, operation, files.length > 0);
    if (remedy !== "unarchive") return [remedy, kind];
    if (await this.#requests.unarchive(operation, channelId)) return ["again", kind];
    return [remedyFor(tried, "locked", operation, files.length > 0), "locked"];
  }

  async #losePlace(operation: PostOperation, spot: Spot | null, kind: FailureKind): Promise<void> {
    const { thread_id } = operation.desired;
    const place = spot?.place ?? "owner";
    if (!this.#context.engine.state.threads[thread_id] || place === "owner")
      return this.#giveUp(operation, spot?.channelId ?? thread_id, kind);
    const code = "E_THREAD_ACCESS_FAILED";
    this.#context.log.warn("Discord no longer lets Bellhop post there", {
      error_code: code,
      thread_id,
      place,
      reason: kind,
    });
    await this.#context.engine.submit({ type: "lose_thread", thread_id, place, code });
    this.#lookLater(operation.shownPosts, 0);
  }

  /**
   * A growing message was refused: it is left alone until its end, unless that passes by itself. Returns whether it is
   * worth looking at again. Never throws.
   */
  #letGo({ desired, memory }: PostOperation, error: unknown): boolean {
    const kind = failureKind(error);
    // Another try would be refused at once, too: nothing goes to Discord any more.
    if (kind === "closed" || kind === "unauthorized") return false;
    if (kind === "superseded" || kind === "unavailable") return true;
    memory.letGo = true;
    if (kind !== "message_gone")
      this.#context.log.info("a growing message is not updated until its end", {
        ...named(desired),
        reason: String(error),
      });
    return true;
  }

  /**
   * Posts a short notice that there is more, and where, with the text as a file, which no filter reads; a refused post
   * counts as shown until it says something else.
   */
  async #shorten(operation: PostOperation, body: Body, spot: Spot, error: unknown): Promise<void> {
    const { desired, memory } = operation;
    this.#context.log.warn("Discord refused a post; a short notice takes its place", {
      error_code: "E_INTERNAL",
      ...named(desired),
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
      const { message_id } = await this.#eitherWay(operation, body, error, (notice) =>
        this.#requests.post(short, notice, spot, ""),
      );
      // Discord did not answer the whole post; now that it answers, an edit may turn the notice into the whole.
      const settled = failureKind(error) !== "unavailable";
      await this.#requests.record(operation, spot.channelId, message_id, {
        isNotice: true,
        ...(settled ? {} : { is: UNSETTLED }),
      });
      if (!settled) this.#lookLater(operation.shownPosts, 0);
    } catch (again) {
      const kind = handled(again);
      if (this.#isOutage(operation, kind)) return;
      if (kind === "rejected") return this.#giveUp(operation, spot.channelId, kind);
      return this.#createFailed(operation, this.#notice(desired, error), spot, again);
    }
  }

  async #shortenEdit(operation: PostOperation, body: Body, posted: PostedMessage, error: unknown): Promise<void> {
    const { channel_id, message_id } = posted;
    this.#context.log.warn("Discord refused an edit; a short notice takes its place", {
      error_code: "E_INTERNAL",
      ...named(operation.desired),
      reason: String(error),
    });
    try {
      await this.#eitherWay(operation, body, error, (notice) => this.#requests.edit(operation, posted, notice));
      await this.#requests.record(operation, channel_id, message_id, { isNotice: true });
    } catch (again) {
      if (this.#isOutage(operation, handled(again))) return;
      this.#context.log.failure("a post could not be edited", again, named(operation.desired));
      await this.#requests.record(operation, channel_id, message_id);
    }
  }

  /** With the whole text as a file or, if files are not allowed, without. */
  async #eitherWay<T>(
    { desired }: PostOperation,
    body: Body,
    error: unknown,
    put: (notice: Body) => Promise<T>,
  ): Promise<T> {
    const file = fileOf(body, error);
    if (file === null) return put(this.#notice(desired, error));
    try {
      return await put(this.#notice(desired, error, file));
    } catch (again) {
      const kind = failureKind(again);
      if (kind !== "rejected" && kind !== "no_access") throw again;
      return put(this.#notice(desired, error));
    }
  }

  /** Even a short notice got no answer: Discord is the cause, not the post, and all of it is owed as before. */
  #isOutage({ shownPosts, memory }: PostOperation, kind: FailureKind): boolean {
    if (kind !== "unavailable" && kind !== "superseded") return false;
    memory.unanswered = 0;
    this.#lookLater(shownPosts, 0);
    return true;
  }

  #notice({ subject }: DesiredPost, error: unknown, file?: NonNullable<Body["files"]>[number]): Body {
    const { locale, engine } = this.#context;
    const code = error instanceof RestFailure ? error.code || error.status : 0;
    const kept = typeof engine.state.runs[subject]?.result_sha256 === "string";
    const lost = kept
      ? say(locale, "post_refused", { code, file: `results/${subject}.md` })
      : say(locale, "post_refused_other", { code });
    const content = file ? `${lost} ${say(locale, "post_refused_attached")}` : lost;
    return { ...agentBody(content), ...(file && { files: [file] }) };
  }

  async #giveUp(operation: PostOperation, channelId: string, kind: FailureKind): Promise<void> {
    const { desired, shownPosts, memory } = operation;
    const times = memory.refused?.is === desired.is ? memory.refused.times + 1 : 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LONGEST_PAUSE_MS);
    if (desired.stands === true) {
      memory.refused = { is: desired.is, times, until: this.#context.clock.monotonic() + pauseMs };
      shownPosts.tryAt = Math.min(shownPosts.tryAt, memory.refused.until);
    }
    if (desired.priority === "cosmetic" || times > 1)
      this.#context.log.info("a post is given up", { ...named(desired), reason: kind });
    else
      this.#context.log.warn("a post could not be sent anywhere; its text is on this machine", {
        error_code: "E_THREAD_ACCESS_FAILED",
        ...named(desired),
        reason: kind,
      });
    await this.#requests.record(operation, channelId, null);
  }
}

/**
 * The refused text as a file, without our small print below it; null if it had files already, or if the text was not
 * what was refused.
 */
function fileOf({ content, files = [] }: Body, error: unknown): { name: string; bytes: Uint8Array } | null {
  if (content === "" || files.length > 0 || failureKind(error) !== "rejected") return null;
  const lines = content.split("\n");
  while (lines.at(-1)?.startsWith("-# ")) lines.pop();
  return { name: "answer.md", bytes: Buffer.from(lines.join("\n"), "utf8") };
}

function named({ thread_id, subject, part }: DesiredPost): { thread_id: string; subject: string; part: string } {
  return { thread_id, subject, part };
}
