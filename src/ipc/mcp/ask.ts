/**
 * `mcp_ask`: an agent's question, on disk before it reaches Discord, and its answer, however long it takes. Asking the
 * same again waits for the same answer; any number of callers may. When the last of them is gone the question stays,
 * marked as disconnected, and the next caller that asks it picks it up.
 */
import { createHash, randomBytes } from "node:crypto";
import { isoTime } from "../../base/clock.ts";
import { atTime } from "../../base/discord-time.ts";
import { BellhopError } from "../../base/errors.ts";
import type { Locale } from "../../base/words/say.ts";
import { type AskCommand, type Decision, isOpen } from "../../core/decisions/decision.ts";
import { sameAsked } from "../../core/decisions/lifecycle.ts";
import { answerOf } from "../../core/decisions/pending-file.ts";
import { GRACE_MS, TOLD_MS } from "../../engine/decision-expiry.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Call, Method } from "../connection.ts";
import { asksFor, namedThread, underBot, wrongChannel, type Bound, type HeldBot, type McpContext } from "./scope.ts";
import { readAsk, readDelivered, type AskParams, type AskPart, type AskResult } from "../../protocol/mcp.ts";

export interface AskMethods {
  readonly ask: Method;
  readonly delivered: Method;
  /** Resolves when everything about callers who left is written. */
  whenDisconnectsRecorded(): Promise<void>;
}

const PROJECT_CHARS = 40;

export function openAsking(mcp: McpContext): AskMethods {
  const { engine } = mcp;
  const waiters = new Waiters(mcp);
  return {
    ask: (call) => {
      const params = readAsk(call.params);
      return underBot(mcp, call, async (bot, bound) => {
        for (;;) {
          // A caller that has left meanwhile did not ask.
          if (call.cancelled.aborted) throw new BellhopError("E_DECISION_CLOSED");
          const now = mcp.time.now();
          const command = mcp.withoutSecrets(askCommand(mcp, bot, bound, params, now));
          // Another caller may receive its answer before this one looks: then it is not found as one that is asked.
          const before = sameAsked(engine.state, command);
          const isOver = before !== undefined && isOpen(before) && isPast(before.lapses_at, now);
          const wasTold = isOver && before.told_over;
          await engine.submit(command);
          const { decision_id, lapses_at } = await engine.until(
            (state) => state.decisions[command.decision_id] ?? sameAsked(state, command) ?? before,
            ["decision"],
          );
          const decision = await waiters.final(decision_id, call, timesOf(command, lapses_at, { now, wasTold }));
          // It was open only for an answer that had been written in time, and there is none: it is asked anew.
          if (!wasTold || engine.state.decisions[decision_id]?.state !== "lapsed")
            return resultOf(decision, mcp.settings.locale);
        }
      });
    },
    delivered: async (call) => {
      const { question_id: decision_id } = readDelivered(call.params);
      return underBot(mcp, call, async (bot, bound) => {
        const decision = engine.state.decisions[decision_id];
        const ours =
          decision !== undefined &&
          asksFor(decision, bound, {
            botId: bot.bot_id,
            pendingDir: bound.pendingDir ?? mcp.settings.pendingDir,
          });
        if (ours) await engine.submit({ type: "answer_delivered", decision_id });
        return { success: true };
      });
    },
    whenDisconnectsRecorded: () => waiters.whenDisconnectsRecorded(),
  };
}

/** When a caller stops waiting, by Discord's clock; null: never. */
interface CallerDeadlines {
  /** If other callers have more time. */
  own: number | null;
  /** At the latest, though there may still be an answer that was written in time. */
  last: number | null;
}

/** A caller that comes when the time is over is not sent away before there was a look. */
const LOOK_MS = 5_000;

/** `wasTold`: another caller was told that the time is over, so this one begins a wait of its own. */
function timesOf(
  { lapses_at: until }: AskCommand,
  lapses_at: string | null,
  { now, wasTold }: { now: number; wasTold: boolean },
): CallerDeadlines {
  if (isPast(lapses_at, now) && !wasTold)
    return { own: null, last: Math.max(Date.parse(lapses_at ?? "") + TOLD_MS, now + LOOK_MS) };
  if (until === null) return { own: null, last: null };
  return { own: Date.parse(until) + GRACE_MS, last: Date.parse(until) + TOLD_MS };
}

function isPast(lapses_at: string | null, now: number): boolean {
  return lapses_at !== null && Date.parse(lapses_at) < now;
}

/** Which callers wait for which answer. A question is connected as long as one of them waits. */
class Waiters {
  readonly #engine: Engine;
  readonly #mcp: McpContext;
  readonly #waiting = new Map<string, number>();
  readonly #noting = new Set<Promise<unknown>>();

  constructor(mcp: McpContext) {
    this.#engine = mcp.engine;
    this.#mcp = mcp;
  }

  async whenDisconnectsRecorded(): Promise<void> {
    await Promise.all(this.#noting);
  }

  /**
   * The settled decision, once it can be handed over: a press that the owner could still take back becomes final. One
   * that is still open has lapsed for this caller.
   */
  async final(id: string, call: Call, times: CallerDeadlines): Promise<Decision> {
    for (;;) {
      const decision = await this.waitForAnswer(id, call, times);
      if (!isRevocable(decision)) return decision;
      await this.#engine.submit({ type: "answer_stands", decision_id: id });
      // It may have been taken back at this very moment; then the owner is waited for again.
      await this.#engine.until((state) => !isRevocable(state.decisions[id]), ["decision"]);
    }
  }

  /**
   * Resolves with the decision when it is settled, or still open when this caller's time is over; rejects when the caller
   * has gone.
   */
  waitForAnswer(id: string, call: Call, { own, last }: CallerDeadlines): Promise<Decision> {
    return new Promise((resolve, reject) => {
      let sent = "";
      const end = (settle: () => void): void => {
        stop();
        forget();
        call.cancelled.removeEventListener("abort", gone);
        this.#leave(id);
        settle();
      };
      const gone = (): void => end(() => reject(new BellhopError("E_DECISION_CLOSED")));
      const look = (): void => {
        const decision = this.#engine.state.decisions[id];
        if (!decision) return gone();
        const part: AskPart = { question_id: id, thread_id: decision.thread_id, state: decision.state };
        if (sent !== (sent = JSON.stringify(part))) call.part(part);
        if (!isOpen(decision)) return end(() => resolve(decision));
        // Another caller left at the moment this one came.
        if (decision.state === "disconnected") this.#recordConnection(id, "reconnect");
      };
      const late = (atLast: boolean): void => {
        const decision = this.#engine.state.decisions[id];
        // If no other caller has more time, the decision expires by itself.
        const isLonger = decision?.lapses_at === null || Date.parse(decision?.lapses_at ?? "") + GRACE_MS > (own ?? 0);
        if (decision && isOpen(decision) && (atLast || isLonger)) end(() => resolve(decision));
      };
      const timers = [own, last].flatMap((at) => (at === null ? [] : [atTime(this.#mcp, at, () => late(at === last))]));
      const forget = (): void => timers.forEach((stop) => stop());
      this.#waiting.set(id, (this.#waiting.get(id) ?? 0) + 1);
      const stop = this.#engine.watch(["decision"], look);
      call.cancelled.addEventListener("abort", gone, { once: true });
      if (call.cancelled.aborted) gone();
      else look();
    });
  }

  #leave(id: string): void {
    const left = (this.#waiting.get(id) ?? 1) - 1;
    if (left > 0) return void this.#waiting.set(id, left);
    this.#waiting.delete(id);
    if (this.#engine.state.decisions[id]?.state === "open") this.#recordConnection(id, "disconnect");
  }

  #recordConnection(decision_id: string, type: "disconnect" | "reconnect"): void {
    // If this cannot be written the daemon ends, and the next one starts with every question disconnected.
    const written = this.#engine.submit({ type, decision_id }).catch(() => undefined);
    this.#noting.add(written);
    void written.finally(() => this.#noting.delete(written));
  }
}

function isRevocable(decision: Decision | undefined): boolean {
  return decision?.state === "answered" && decision.revocable !== undefined;
}

/** A new question id: the project, made safe for a file name, the day (UTC) and six unused hex digits. */
export function questionId(project: string, at: number, isTaken: (id: string) => boolean): string {
  const day = isoTime(at).slice(0, 10).replaceAll("-", "");
  for (;;) {
    const id = `${fitForFile(project)}_${day}_${randomBytes(3).toString("hex")}`;
    if (!isTaken(id)) return id;
  }
}

/** A digest distinguishes names that lose characters because they are not plain ASCII. */
function fitForFile(project: string): string {
  const fit = project
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, PROJECT_CHARS);
  if (/^[\x20-\x7e]*$/.test(project)) return fit || "project";
  const digest = createHash("sha256").update(project.normalize("NFC")).digest("hex").slice(0, 6);
  return `${fit.slice(0, PROJECT_CHARS - 7) || "project"}-${digest}`;
}

/** `now`: by Discord's clock. @throws E_LINK_REFUSED for a thread that belongs to somebody else */
function askCommand(mcp: McpContext, { bot_id }: HeldBot, bound: Bound, params: AskParams, now: number): AskCommand {
  const { engine, settings } = mcp;
  const { question, context, options, timeout_seconds } = params;
  const { project, home } = bound;
  const seconds = timeout_seconds ?? mcp.lapseSeconds() ?? null;
  return {
    type: "ask",
    now: isoTime(now),
    decision_id: questionId(project, now, (id) => id in engine.state.decisions),
    kind: "question",
    thread_id: "thread" in home ? home.thread : null,
    asker: {
      by: "mcp",
      project,
      pending_dir: bound.pendingDir ?? settings.pendingDir,
      timeout_seconds,
      wanted_thread: namedThread(mcp, bound, params.thread_id),
      channel_id: "channel" in home ? home.channel : null,
      bot_id,
    },
    context,
    questions: [
      { question, header: "", options: options.map((label) => ({ label, description: "" })), many: false, words: true },
    ],
    subject: null,
    lapses_at: seconds === null ? null : isoTime(Math.ceil(now + seconds * 1000)),
  };
}

/** @throws why there was nowhere to ask: E_CONFIG_INVALID where the channel is none of ours; E_LOCKED */
function resultOf(decision: Decision, locale: Locale): AskResult {
  const { decision_id, state, asker, thread_id } = decision;
  if (decision.state === "void" && decision.voided === "locked") throw new BellhopError("E_LOCKED");
  const placeless = decision.state === "void" && decision.voided === "no_place" ? decision : null;
  if (placeless !== null && asker.by === "mcp" && thread_id === null) {
    const { refused } = placeless;
    if (refused !== undefined) throw new BellhopError(refused.code, refused.details);
    if (asker.wanted_thread === null && asker.channel_id !== null) throw wrongChannel(locale, asker.channel_id);
    throw new BellhopError("E_THREAD_ACCESS_FAILED", { thread: `<#${asker.wanted_thread ?? "?"}>` });
  }
  return {
    success: state === "answered",
    ...answerOf(decision),
    question_id: decision_id,
    timed_out: state === "lapsed" || isOpen(decision),
    aborted: state === "aborted" || state === "void",
    thread_id,
    ...(placeless !== null && { placeless: true }),
  };
}
