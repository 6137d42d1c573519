/**
 * What becomes of a post that Discord will not take as it is: an archived thread is opened again, a lost place is
 * given up for the next one, a refused answer is said shortly with the name of its file, and what nobody would miss
 * is let go. Nothing is tried for ever, and nothing that matters is dropped without a word.
 */
import { MessageFlags, type APIDMChannel, type APIMessage } from "discord-api-types/v10";
import { say } from "../base/words/say.ts";
import type { Post } from "../core/post.ts";
import type { Body } from "./owed.ts";
import { RestFailure, type FailureKind } from "./rest-failure.ts";
import type { Spot, Mending, Tools } from "./mending.ts";

/** The writer's own steps, which a fallback may have to take once more. */
export interface Steps {
  post(mending: Mending, body: Body, spot: Spot, replaces: string): Promise<APIMessage>;
  record(mending: Mending, channelId: string, messageId: string | null, hash: string): Promise<void>;
  patch(mending: Mending, channelId: string, messageId: string, body: Body): Promise<void>;
}

type Standing = Post & { message_id: string };

/** After so many rounds without an answer it may be the post itself: plain words are tried in its place. */
const UNANSWERED = 3;
const OPENINGS = 3;
/** The hash of a notice in the place of a post that is still owed. */
const UNSETTLED = "unsettled";

export class Fallback {
  readonly #tools: Tools;
  readonly #steps: Steps;
  #dmChannel: Promise<string> | null = null;

  constructor(tools: Tools, steps: Steps) {
    this.#tools = tools;
    this.#steps = steps;
  }

  /** Where this post goes now; opens the owner's direct messages where it comes to that. */
  async spotOf({ owed, lane, desk }: Mending): Promise<Spot> {
    const thread = this.#tools.engine.state.threads[owed.thread_id];
    const place = owed.to ?? thread?.place ?? "thread";
    if (!thread || place === "thread") return { place, channelId: owed.thread_id };
    if (place === "parent") return { place, channelId: thread.channel_id };
    this.#dmChannel ??= this.#tools.rest
      .call<APIDMChannel>({
        method: "POST",
        path: "/users/@me/channels",
        body: { recipient_id: this.#tools.ownerId },
        lane,
        signal: desk.withdraw.signal,
        repeatMs: Number.POSITIVE_INFINITY,
      })
      .then(async ({ id, last_message_id }) => {
        // Where we speak to him he may answer.
        await this.#tools.engine.submit({ type: "open_channel", channel_id: id, guild_id: null, bot_id: thread.bot_id, kind: "direct", since: last_message_id ?? id });
        return id;
      });
    try {
      return { place, channelId: await this.#dmChannel };
    } catch (error) {
      this.#dmChannel = null;
      throw error;
    }
  }

  async createFailed(mending: Mending, body: Body, hash: string, spot: Spot | null, error: unknown): Promise<void> {
    const { owed, desk, memory } = mending;
    const kind = handled(error);
    if (this.#passing(mending, kind)) return;
    const channelId = spot?.channelId ?? owed.thread_id;
    switch (kind) {
      case "message_gone":
        // The first try made it, and somebody deleted it before we knew: its nonce names a message that is gone.
        if (memory.burnt || owed.lane === "cosmetic") return this.#giveUp(mending, channelId, hash, kind);
        memory.burnt = true;
        return this.#tools.lookLater(desk, 0);
      case "archived":
        if (await this.#unarchive(mending, channelId)) return this.#tools.lookLater(desk, 0);
        return this.#losePlace(mending, hash, spot, "locked");
      case "no_access":
        // A file may be what is not allowed here; the place is given up only when plain words are not either.
        if (body.files?.length && spot) return this.#shortly(mending, body, hash, spot, error);
        return this.#losePlace(mending, hash, spot, kind);
      case "locked":
      case "channel_gone":
        return this.#losePlace(mending, hash, spot, kind);
      default:
        return spot ? this.#shortly(mending, body, hash, spot, error) : this.#giveUp(mending, channelId, hash, kind);
    }
  }

  /** `anew`: it has to be posted again, in the place there is now. */
  async editFailed(mending: Mending, body: Body, hash: string, posted: Standing, error: unknown): Promise<"anew" | "settled"> {
    const { owed, desk } = mending;
    const kind = handled(error);
    if (this.#passing(mending, kind)) return "settled";
    const cosmetic = owed.lane === "cosmetic";
    switch (kind) {
      case "message_gone":
        if (!cosmetic) return "anew";
        await this.#giveUp(mending, posted.channel_id, hash, kind);
        return "settled";
      case "too_old":
        if (!cosmetic) return "anew";
        await this.#steps.record(mending, posted.channel_id, posted.message_id, hash);
        return "settled";
      case "archived":
        if (await this.#unarchive(mending, posted.channel_id)) {
          this.#tools.lookLater(desk, 0);
          return "settled";
        }
        return this.#lostEdit(mending, hash, posted, "locked");
      case "locked":
      case "no_access":
      case "channel_gone":
        return this.#lostEdit(mending, hash, posted, kind);
      default:
        await this.#refusedEdit(mending, body, hash, posted, error);
        return "settled";
    }
  }

  /** The message stands where we cannot write any more: what matters is said in the place there is now. */
  async #lostEdit(mending: Mending, hash: string, posted: Standing, kind: FailureKind): Promise<"anew" | "settled"> {
    if (mending.owed.lane === "cosmetic") {
      await this.#giveUp(mending, posted.channel_id, hash, kind);
      return "settled";
    }
    const spot = await this.spotOf(mending);
    if (spot.channelId !== posted.channel_id) return "anew";
    await this.#losePlace(mending, hash, spot, kind);
    return "settled";
  }

  /** An edit of a growing message. Never throws. */
  growthFailed(mending: Mending, error: unknown): void {
    const kind = kindOrNull(error);
    if (kind === "superseded" || kind === "unavailable" || kind === "closed" || kind === "unauthorized") return;
    mending.memory.letGo = true;
    if (kind !== "message_gone") this.#tools.log.info("a growing message is let go until its end", { ...named(mending), reason: String(error) });
  }

  /** A change that tells nothing new by itself (a line below, a removal) is not worth another place. */
  async markFailed(mending: Mending, hash: string, posted: Standing, error: unknown): Promise<void> {
    const kind = handled(error);
    if (this.#passing(mending, kind)) return;
    if (kind === "archived" && (await this.#unarchive(mending, posted.channel_id))) return this.#tools.lookLater(mending.desk, 0);
    await this.#giveUp(mending, posted.channel_id, hash, kind);
  }

  /** What is over by itself: try again at the next look. */
  #passing({ owed, desk, memory }: Mending, kind: FailureKind): boolean {
    if (kind === "unavailable") memory.unanswered += 1;
    const patient = owed.lane === "cosmetic" || owed.want.kind !== "show" || memory.unanswered < UNANSWERED;
    const again = kind === "superseded" || (kind === "unavailable" && patient);
    if (again) this.#tools.lookLater(desk, 0);
    return again;
  }

  /** Not even a few plain words got an answer: it is Discord, not the post, and the whole of it is owed as before. */
  #isOutage({ desk, memory }: Mending, kind: FailureKind): boolean {
    if (kind !== "unavailable" && kind !== "superseded") return false;
    memory.unanswered = 0;
    this.#tools.lookLater(desk, 0);
    return true;
  }

  async #losePlace(mending: Mending, hash: string, spot: Spot | null, kind: FailureKind): Promise<void> {
    const { owed, desk } = mending;
    const thread = this.#tools.engine.state.threads[owed.thread_id];
    const place = spot?.place ?? "owner";
    if (!thread || place === "owner") return this.#giveUp(mending, spot?.channelId ?? owed.thread_id, hash, kind);
    this.#tools.log.warn("Discord lets us post there no more", { error_code: "E_THREAD_ACCESS_FAILED", thread_id: owed.thread_id, place, reason: kind });
    await this.#tools.engine.submit({ type: "lose_thread", thread_id: owed.thread_id, place, code: "E_THREAD_ACCESS_FAILED" });
    this.#tools.lookLater(desk, 0);
  }

  /**
   * Says in plain words that there is more, and where, and brings it as a file, which no filter reads; a refused post
   * counts as shown until it says something else.
   */
  async #shortly(mending: Mending, body: Body, hash: string, spot: Spot, error: unknown): Promise<void> {
    const { owed, memory } = mending;
    if (owed.live) return this.growthFailed(mending, error);
    if (owed.lane === "cosmetic") return this.#giveUp(mending, spot.channelId, hash, "rejected");
    this.#tools.log.warn("Discord refused a post; a short notice takes its place", { error_code: "E_INTERNAL", ...named(mending), reason: String(error) });
    const short: Mending = { ...mending, owed: { ...owed, part: `${owed.part}:short` }, memory: { ...memory, triedAt: null, burnt: false } };
    try {
      const message = await this.#eitherWay(mending, body, error, (notice) => this.#steps.post(short, notice, spot, ""));
      // Discord had no answer to the whole; now that it has one, the notice may become the whole by an edit.
      const settled = kindOrNull(error) !== "unavailable";
      await this.#steps.record(mending, spot.channelId, message.id, settled ? hash : UNSETTLED);
      if (!settled) this.#tools.lookLater(mending.desk, 0);
    } catch (again) {
      const kind = handled(again);
      if (this.#isOutage(mending, kind)) return;
      if (kind === "rejected") return this.#giveUp(mending, spot.channelId, hash, kind);
      return this.createFailed(mending, this.#notice(mending, error), hash, spot, again);
    }
  }

  /** With the file that says it all, or, where files are what is not allowed, without. */
  async #eitherWay<T>(mending: Mending, body: Body, error: unknown, put: (notice: Body) => Promise<T>): Promise<T> {
    const file = fileOf(body, error);
    if (file === null) return put(this.#notice(mending, error));
    try {
      return await put(this.#notice(mending, error, file));
    } catch (again) {
      const kind = kindOrNull(again);
      if (kind !== "rejected" && kind !== "no_access") throw again;
      return put(this.#notice(mending, error));
    }
  }

  async #refusedEdit(mending: Mending, body: Body, hash: string, posted: Standing, error: unknown): Promise<void> {
    if (mending.owed.lane === "cosmetic") return this.#steps.record(mending, posted.channel_id, posted.message_id, hash);
    this.#tools.log.warn("Discord refused an edit; a short notice takes its place", { error_code: "E_INTERNAL", ...named(mending), reason: String(error) });
    try {
      await this.#eitherWay(mending, body, error, (notice) => this.#steps.patch(mending, posted.channel_id, posted.message_id, notice));
      await this.#steps.record(mending, posted.channel_id, posted.message_id, hash);
    } catch (again) {
      if (this.#isOutage(mending, handled(again))) return;
      this.#tools.log.failure("a post could not be edited", again, named(mending));
      await this.#steps.record(mending, posted.channel_id, posted.message_id, hash);
    }
  }

  #notice({ owed }: Mending, error: unknown, file?: NonNullable<Body["files"]>[number]): Body {
    const code = error instanceof RestFailure ? error.code || error.status : 0;
    const kept = typeof this.#tools.engine.state.runs[owed.subject]?.result_sha256 === "string";
    const lost = kept
      ? say(this.#tools.locale, "post_refused", { code, file: `results/${owed.subject}.md` })
      : say(this.#tools.locale, "post_refused_other", { code });
    const content = file ? `${lost} ${say(this.#tools.locale, "post_refused_attached")}` : lost;
    const body: Body = { content, embeds: [], components: [], flags: MessageFlags.SuppressEmbeds, allowed_mentions: { parse: [], replied_user: false } };
    return file ? { ...body, files: [file] } : body;
  }

  async #giveUp(mending: Mending, channelId: string, hash: string, kind: FailureKind): Promise<void> {
    const { lane } = mending.owed;
    if (lane === "cosmetic") this.#tools.log.info("a post is let go", { ...named(mending), reason: kind });
    else this.#tools.log.warn("a post could not be put anywhere; what it says is on this machine", { error_code: "E_THREAD_ACCESS_FAILED", ...named(mending), reason: kind });
    await this.#steps.record(mending, channelId, null, hash);
  }

  /** @returns whether it is open now. */
  async #unarchive({ lane, desk, memory }: Mending, channelId: string): Promise<boolean> {
    memory.opened += 1;
    // Somebody, or Discord, keeps closing it.
    if (memory.opened > OPENINGS) return false;
    try {
      const { signal } = desk.withdraw;
      await this.#tools.rest.call({ method: "PATCH", path: `/channels/${channelId}`, body: { archived: false }, lane, key: `open ${channelId}`, signal });
      return true;
    } catch (error) {
      if (handled(error) === "superseded") return true;
      this.#tools.log.info("an archived thread could not be opened", { thread_id: channelId, reason: String(error) });
      return false;
    }
  }
}

/** The refused words as a file; none where they had one already, or where it was not the words that were refused. */
function fileOf({ content, files = [] }: Body, error: unknown): { name: string; bytes: Uint8Array } | null {
  if (content === "" || files.length > 0 || kindOrNull(error) !== "rejected") return null;
  return { name: "answer.md", bytes: Buffer.from(content, "utf8") };
}

/** The failure's kind. What is no failure of Discord's, or means the end, goes on up. */
function handled(error: unknown): FailureKind {
  const kind = kindOrNull(error);
  if (kind === null || kind === "closed" || kind === "unauthorized") throw error;
  return kind;
}

function kindOrNull(error: unknown): FailureKind | null {
  return error instanceof RestFailure ? error.kind : null;
}

function named({ owed }: Mending): { thread_id: string; subject: string; part: string } {
  return { thread_id: owed.thread_id, subject: owed.subject, part: owed.part };
}
