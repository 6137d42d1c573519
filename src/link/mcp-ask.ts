/**
 * `mcp_ask`: a question of an agent, on disk before Discord hears of it, and its answer, however long it takes. To ask
 * the same again is to wait for the same answer, by as many callers as there are; when the last of them is gone the
 * question stays, marked as one that nobody hears, and is picked up by whoever asks it again.
 */
import { randomBytes } from "node:crypto";
import { isoTime } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import type { AskCommand, Decision } from "../core/decision.ts";
import { isOpen } from "../core/decision.ts";
import { sameAsked } from "../core/deciding.ts";
import { answerOf } from "../core/pending-file.ts";
import type { Engine } from "../engine/engine.ts";
import type { Call, Method } from "./connection.ts";
import { belongs, underBot, type HeldBot, type McpHouse } from "./mcp-house.ts";
import { readAsk, readDelivered, type AskParams, type AskPart, type AskResult, type FaceVariables } from "./mcp-protocol.ts";

export interface Asking {
  readonly ask: Method;
  readonly delivered: Method;
  /** Resolves when all that is to be written down of callers who left has been. */
  settled(): Promise<void>;
}

const PROJECT_CHARS = 40;

export function openAsking(house: McpHouse): Asking {
  const { engine } = house;
  const waiters = new Waiters(engine);
  return {
    ask: (call) => {
      const params = readAsk(call.params);
      return underBot(house, call, async (bot, face) => {
        // Whoever has left meanwhile did not ask.
        if (call.cancelled.aborted) throw new BellhopError("E_DECISION_CLOSED");
        const command = askCommand(house, bot, face, params);
        await engine.submit(command);
        const known = await engine.until((state) => state.decisions[command.decision_id] ?? sameAsked(state, command));
        return resultOf(await waiters.answer(known.decision_id, call));
      });
    },
    delivered: async (call) => {
      const { question_id: decision_id } = readDelivered(call.params);
      if (engine.state.decisions[decision_id]?.asker.by === "mcp") await engine.submit({ type: "answer_delivered", decision_id });
      return { success: true };
    },
    settled: () => waiters.settled(),
  };
}

/** Who waits for which answer. A question is heard as long as one of them does. */
class Waiters {
  readonly #engine: Engine;
  readonly #waiting = new Map<string, number>();
  readonly #noting = new Set<Promise<unknown>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#noting);
  }

  /** Resolves with the decision when it is settled; rejects when the caller has gone. */
  answer(id: string, call: Call): Promise<Decision> {
    return new Promise((resolve, reject) => {
      let told = "";
      const end = (settle: () => void): void => {
        stop();
        call.cancelled.removeEventListener("abort", gone);
        this.#leave(id);
        settle();
      };
      const gone = (): void => end(() => reject(new BellhopError("E_DECISION_CLOSED")));
      const look = (): void => {
        const decision = this.#engine.state.decisions[id];
        if (!decision) return gone();
        const part: AskPart = { question_id: id, thread_id: decision.thread_id, state: decision.state };
        if (told !== (told = JSON.stringify(part))) call.part(part);
        if (!isOpen(decision)) return end(() => resolve(decision));
        // Another caller left in the moment this one came.
        if (decision.state === "disconnected") this.#note(id, "reconnect");
      };
      this.#waiting.set(id, (this.#waiting.get(id) ?? 0) + 1);
      const stop = this.#engine.watch(look);
      call.cancelled.addEventListener("abort", gone, { once: true });
      if (call.cancelled.aborted) gone();
      else look();
    });
  }

  #leave(id: string): void {
    const left = (this.#waiting.get(id) ?? 1) - 1;
    if (left > 0) return void this.#waiting.set(id, left);
    this.#waiting.delete(id);
    if (this.#engine.state.decisions[id]?.state === "open") this.#note(id, "disconnect");
  }

  #note(decision_id: string, type: "disconnect" | "reconnect"): void {
    // Where it cannot be written the daemon ends, and the next one begins with everybody gone.
    const written = this.#engine.submit({ type, decision_id }).catch(() => undefined);
    this.#noting.add(written);
    void written.finally(() => this.#noting.delete(written));
  }
}

/** Seed A's name for it: the project, made fit for a file's name, the day (UTC) and six hex digits that no other has. */
export function questionId(project: string, at: number, isTaken: (id: string) => boolean): string {
  const fit = project.normalize("NFKD").replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, PROJECT_CHARS) || "project";
  const day = isoTime(at).slice(0, 10).replaceAll("-", "");
  for (;;) {
    const id = `${fit}_${day}_${randomBytes(3).toString("hex")}`;
    if (!isTaken(id)) return id;
  }
}

function askCommand(house: McpHouse, { bot_id }: HeldBot, face: FaceVariables, params: AskParams): AskCommand {
  const { engine, clock, pendingDir } = house;
  const now = clock.now();
  const { question, context, options, timeout_seconds, thread_id: wanted_thread } = params;
  const seconds = timeout_seconds ?? house.lapseSeconds() ?? null;
  const at = wanted_thread === null ? belongs(house, face) : null;
  return {
    type: "ask",
    decision_id: questionId(face.project, now, (id) => id in engine.state.decisions),
    kind: "question",
    thread_id: at !== null && "thread" in at ? at.thread : null,
    asker: {
      by: "mcp",
      project: face.project,
      pending_dir: face.pendingDir ?? pendingDir,
      timeout_seconds,
      wanted_thread,
      channel_id: at !== null && "channel" in at ? at.channel : null,
      bot_id,
    },
    context,
    questions: [{ question, header: "", options: options.map((label) => ({ label, description: "" })), many: false, words: true }],
    subject: null,
    lapses_at: seconds === null ? null : isoTime(Math.ceil(now + seconds * 1000)),
  };
}

/** @throws E_THREAD_ACCESS_FAILED {thread} where there was nowhere to ask */
function resultOf(decision: Decision): AskResult {
  const { decision_id, state, voided, asker, thread_id } = decision;
  if (voided === "no_place" && asker.by === "mcp") {
    throw new BellhopError("E_THREAD_ACCESS_FAILED", { thread: `<#${asker.wanted_thread ?? asker.channel_id ?? "?"}>` });
  }
  return {
    success: state === "answered",
    ...answerOf(decision),
    question_id: decision_id,
    timed_out: state === "lapsed",
    aborted: state === "aborted" || state === "void",
    thread_id,
  };
}
