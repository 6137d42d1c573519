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
import type { Spot, Task, Tools } from "./task.ts";

/** The writer's own steps, which a fallback may have to take once more. */
export interface Steps {
  post(task: Task, body: Body, spot: Spot, replaces: string): Promise<APIMessage>;
  record(task: Task, channelId: string, messageId: string | null, hash: string): Promise<void>;
  patch(task: Task, channelId: string, messageId: string, body: Body): Promise<void>;
}

type Standing = Post & { message_id: string };

export interface Fallback {
  /** Where this post goes now; opens the owner's direct messages where it comes to that. */
  spotOf(task: Task): Promise<Spot>;
  createFailed(task: Task, body: Body, hash: string, spot: Spot | null, error: unknown): Promise<void>;
  /** `anew`: it has to be posted again, in the place there is now. */
  editFailed(task: Task, hash: string, posted: Standing, error: unknown): Promise<"anew" | "settled">;
  /** An edit of a growing message; never rejects. */
  growthFailed(task: Task, error: unknown): void;
  /** A change that tells nothing new by itself (a line below, a removal) is not worth another place. */
  markFailed(task: Task, hash: string, posted: Standing, error: unknown): Promise<void>;
}

/** After so many rounds without an answer it may be the post itself: plain words are tried in its place. */
const UNANSWERED = 3;
const OPENINGS = 3;
/** The hash of a notice in the place of a post that is still owed. */
const UNSETTLED = "unsettled";

export function createFallback(tools: Tools, steps: Steps): Fallback {
  const { engine, rest, log, locale, lookLater } = tools;
  let dmChannel: Promise<string> | null = null;

  async function spotOf({ owed, lane, desk }: Task): Promise<Spot> {
    const thread = engine.state.threads[owed.thread_id];
    const place = thread?.place ?? "thread";
    if (!thread || place === "thread") return { place, channelId: owed.thread_id };
    if (place === "parent") return { place, channelId: thread.channel_id };
    dmChannel ??= rest
      .call<APIDMChannel>({
        method: "POST",
        path: "/users/@me/channels",
        body: { recipient_id: tools.ownerId },
        lane,
        signal: desk.withdraw.signal,
        repeatMs: Number.POSITIVE_INFINITY,
      })
      .then(({ id }) => id);
    try {
      return { place, channelId: await dmChannel };
    } catch (error) {
      dmChannel = null;
      throw error;
    }
  }

  async function createFailed(task: Task, body: Body, hash: string, spot: Spot | null, error: unknown): Promise<void> {
    const { owed, desk, memory } = task;
    const kind = handled(error);
    if (passing(task, kind)) return;
    const channelId = spot?.channelId ?? owed.thread_id;
    switch (kind) {
      case "message_gone":
        // The first try made it, and somebody deleted it before we knew: its nonce names a message that is gone.
        if (memory.burnt || owed.lane === "cosmetic") return giveUp(task, channelId, hash, kind);
        memory.burnt = true;
        return lookLater(desk, 0);
      case "archived":
        if (await unarchive(task, channelId)) return lookLater(desk, 0);
        return losePlace(task, hash, spot, "locked");
      case "no_access":
        // A file may be what is not allowed here; the place is given up only when plain words are not either.
        if (body.files?.length && spot) return shortly(task, hash, spot, error);
        return losePlace(task, hash, spot, kind);
      case "locked":
      case "channel_gone":
        return losePlace(task, hash, spot, kind);
      default:
        return spot ? shortly(task, hash, spot, error) : giveUp(task, channelId, hash, kind);
    }
  }

  async function editFailed(task: Task, hash: string, posted: Standing, error: unknown): Promise<"anew" | "settled"> {
    const { owed, desk } = task;
    const kind = handled(error);
    if (passing(task, kind)) return "settled";
    const cosmetic = owed.lane === "cosmetic";
    switch (kind) {
      case "message_gone":
        if (!cosmetic) return "anew";
        await giveUp(task, posted.channel_id, hash, kind);
        return "settled";
      case "too_old":
        if (!cosmetic) return "anew";
        await steps.record(task, posted.channel_id, posted.message_id, hash);
        return "settled";
      case "archived":
        if (await unarchive(task, posted.channel_id)) {
          lookLater(desk, 0);
          return "settled";
        }
        return lostEdit(task, hash, posted, "locked");
      case "locked":
      case "no_access":
      case "channel_gone":
        return lostEdit(task, hash, posted, kind);
      default:
        await refusedEdit(task, hash, posted, error);
        return "settled";
    }
  }

  /** The message stands where we cannot write any more: what matters is said in the place there is now. */
  async function lostEdit(task: Task, hash: string, posted: Standing, kind: FailureKind): Promise<"anew" | "settled"> {
    if (task.owed.lane === "cosmetic") {
      await giveUp(task, posted.channel_id, hash, kind);
      return "settled";
    }
    const spot = await spotOf(task);
    if (spot.channelId !== posted.channel_id) return "anew";
    await losePlace(task, hash, spot, kind);
    return "settled";
  }

  function growthFailed(task: Task, error: unknown): void {
    const kind = kindOrNull(error);
    if (kind === "superseded" || kind === "unavailable" || kind === "closed" || kind === "unauthorized") return;
    task.memory.letGo = true;
    if (kind !== "message_gone") log.info("a growing message is let go until its end", { ...named(task), reason: String(error) });
  }

  async function markFailed(task: Task, hash: string, posted: Standing, error: unknown): Promise<void> {
    const kind = handled(error);
    if (passing(task, kind)) return;
    if (kind === "archived" && (await unarchive(task, posted.channel_id))) return lookLater(task.desk, 0);
    await giveUp(task, posted.channel_id, hash, kind);
  }

  /** What is over by itself: try again at the next look. */
  function passing({ owed, desk, memory }: Task, kind: FailureKind): boolean {
    if (kind === "unavailable") memory.unanswered += 1;
    const patient = owed.lane === "cosmetic" || owed.want.kind !== "show" || memory.unanswered < UNANSWERED;
    const again = kind === "superseded" || (kind === "unavailable" && patient);
    if (again) lookLater(desk, 0);
    return again;
  }

  /** Not even a few plain words got an answer: it is Discord, not the post, and the whole of it is owed as before. */
  function isOutage({ desk, memory }: Task, kind: FailureKind): boolean {
    if (kind !== "unavailable" && kind !== "superseded") return false;
    memory.unanswered = 0;
    lookLater(desk, 0);
    return true;
  }

  async function losePlace(task: Task, hash: string, spot: Spot | null, kind: FailureKind): Promise<void> {
    const { owed, desk } = task;
    const thread = engine.state.threads[owed.thread_id];
    const place = spot?.place ?? "owner";
    if (!thread || place === "owner") return giveUp(task, spot?.channelId ?? owed.thread_id, hash, kind);
    log.warn("Discord lets us post there no more", { error_code: "E_THREAD_ACCESS_FAILED", thread_id: owed.thread_id, place, reason: kind });
    if (thread.place === place) {
      await engine.submit({ type: "lose_thread", thread_id: owed.thread_id, code: "E_THREAD_ACCESS_FAILED" });
    }
    lookLater(desk, 0);
  }

  /** Says in plain words that there is more, and where; a refused post counts as shown until it says something else. */
  async function shortly(task: Task, hash: string, spot: Spot, error: unknown): Promise<void> {
    const { owed, memory } = task;
    if (owed.live) return growthFailed(task, error);
    if (owed.lane === "cosmetic") return giveUp(task, spot.channelId, hash, "rejected");
    log.warn("Discord refused a post; a short notice takes its place", { error_code: "E_INTERNAL", ...named(task), reason: String(error) });
    const short: Task = { ...task, owed: { ...owed, part: `${owed.part}:short` }, memory: { ...memory, triedAt: null, burnt: false } };
    try {
      const message = await steps.post(short, notice(task, error), spot, "");
      // Discord had no answer to the whole; now that it has one, the notice may become the whole by an edit.
      const settled = kindOrNull(error) !== "unavailable";
      await steps.record(task, spot.channelId, message.id, settled ? hash : UNSETTLED);
      if (!settled) lookLater(task.desk, 0);
    } catch (again) {
      const kind = handled(again);
      if (isOutage(task, kind)) return;
      if (kind === "rejected") return giveUp(task, spot.channelId, hash, kind);
      return createFailed(task, notice(task, error), hash, spot, again);
    }
  }

  async function refusedEdit(task: Task, hash: string, posted: Standing, error: unknown): Promise<void> {
    if (task.owed.lane === "cosmetic") return steps.record(task, posted.channel_id, posted.message_id, hash);
    log.warn("Discord refused an edit; a short notice takes its place", { error_code: "E_INTERNAL", ...named(task), reason: String(error) });
    try {
      await steps.patch(task, posted.channel_id, posted.message_id, notice(task, error));
      await steps.record(task, posted.channel_id, posted.message_id, hash);
    } catch (again) {
      if (isOutage(task, handled(again))) return;
      log.failure("a post could not be edited", again, named(task));
      await steps.record(task, posted.channel_id, posted.message_id, hash);
    }
  }

  function notice({ owed }: Task, error: unknown): Body {
    const code = error instanceof RestFailure ? error.code || error.status : 0;
    const kept = typeof engine.state.runs[owed.subject]?.result_sha256 === "string";
    const content = kept
      ? say(locale, "post_refused", { code, file: `results/${owed.subject}.md` })
      : say(locale, "post_refused_other", { code });
    return { content, embeds: [], components: [], flags: MessageFlags.SuppressEmbeds, allowed_mentions: { parse: [], replied_user: false } };
  }

  async function giveUp(task: Task, channelId: string, hash: string, kind: FailureKind): Promise<void> {
    const { lane } = task.owed;
    if (lane === "cosmetic") log.info("a post is let go", { ...named(task), reason: kind });
    else log.warn("a post could not be put anywhere; what it says is on this machine", { error_code: "E_THREAD_ACCESS_FAILED", ...named(task), reason: kind });
    await steps.record(task, channelId, null, hash);
  }

  /** @returns whether it is open now. */
  async function unarchive({ lane, desk, memory }: Task, channelId: string): Promise<boolean> {
    memory.opened += 1;
    // Somebody, or Discord, keeps closing it.
    if (memory.opened > OPENINGS) return false;
    try {
      const { signal } = desk.withdraw;
      await rest.call({ method: "PATCH", path: `/channels/${channelId}`, body: { archived: false }, lane, key: `open ${channelId}`, signal });
      return true;
    } catch (error) {
      if (handled(error) === "superseded") return true;
      log.info("an archived thread could not be opened", { thread_id: channelId, reason: String(error) });
      return false;
    }
  }

  return { spotOf, createFailed, editFailed, growthFailed, markFailed };
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

function named({ owed }: Task): { thread_id: string; subject: string; part: string } {
  return { thread_id: owed.thread_id, subject: owed.subject, part: owed.part };
}
