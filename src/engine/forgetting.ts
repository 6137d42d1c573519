/**
 * Forgets a session. Once that is in the journal, it goes on until it is done, also after a crash: its agent ends, the
 * snapshot is written anew and the live file closed, so that nothing is needed of the lines that had its words; these
 * are blanked, its files are removed, and only then is it said to be forgotten.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Stays } from "../base/what-stays.ts";
import { journalCopies, removeFilesOf } from "../host/files/forgotten-files.ts";
import type { Blanked, Blanking } from "../journal/blanking.ts";
import type { Engine } from "./engine.ts";
import { reconcile } from "./reconcile.ts";

interface ForgettingOptions {
  engine: Engine;
  clock: Clock;
  log: Log;
  stateDir: string;
  logDir: string;
  /** See `Journal.closeHistory`. */
  closeHistory(): Promise<number>;
  blank(what: Blanking, closing: AbortSignal): Promise<Blanked>;
  /** Ends the session's agent, if there is one. */
  endAgent(threadId: string): Promise<void>;
  /** Where the agent of a tool keeps its own records; null: that is not known. */
  recordsOf(tool: string): string | null;
}

export interface Forgotten {
  thread_id: string;
  /** How many lines of the journal were blanked. */
  events: number;
  stays: Stays;
}

export interface Forgetting {
  /**
   * Resolves when none of its words is on the disk any more.
   * @throws BellhopError E_SESSION_NOT_FOUND, E_SESSION_BUSY; what has failed meanwhile, and is tried again
   */
  forget(threadId: string): Promise<Forgotten>;
  /** What stays of it elsewhere. Resolves when a job that has just ended is gone. */
  stays(threadId: string): Promise<Stays>;
  close(): Promise<void>;
}

export function openForgetting({ engine, clock, log, stateDir, logDir, ...does }: ForgettingOptions): Forgetting {
  const underWay = new Map<string, ReturnType<typeof finish>>();
  const closing = new AbortController();
  /** Two at once would replace the same files. */
  let last: Promise<unknown> = Promise.resolve();

  async function stays(threadId: string): Promise<Stays> {
    await settled(threadId);
    const { sessions, parked } = engine.state;
    const tools = [...new Set([sessions[threadId]?.tool ?? [], Object.keys(parked[threadId] ?? {})].flat())];
    return {
      records: tools.map((tool) => ({ tool, place: does.recordsOf(tool) })),
      copies: await journalCopies(stateDir),
    };
  }

  /** Of a job that has just ended, the process may still be there. */
  async function settled(threadId: string): Promise<void> {
    await engine.until(
      ({ sessions, threads }) =>
        (threads[threadId]?.busy_job ?? null) === null || sessions[threadId]?.running_job_id !== null,
      ["run", "end"],
    );
  }

  async function finish(threadId: string): Promise<Omit<Forgotten, "stays">> {
    await does.endAgent(threadId);
    const through = await does.closeHistory();
    const { events, ...files } = await does.blank({ dir: stateDir, threadId, through }, closing.signal);
    await removeFilesOf({ stateDir, logDir }, { threadId, ...files });
    await engine.submit({ type: "forgetting_done", thread_id: threadId });
    log.info("a session was forgotten", { thread_id: threadId, events });
    return { thread_id: threadId, events };
  }

  function finished(threadId: string): ReturnType<typeof finish> {
    let one = underWay.get(threadId);
    if (one === undefined) {
      one = last.then(() => finish(threadId)).finally(() => underWay.delete(threadId));
      underWay.set(threadId, one);
      last = one.catch(() => undefined);
    }
    return one;
  }

  const isForgetting = (id: string): boolean => engine.state.threads[id]?.forgetting === true;
  const reconciler = reconcile({
    engine,
    clock,
    log,
    failure: "a session could not be forgotten yet",
    details: (thread_id) => ({ thread_id }),
    follows: {
      kinds: ["session"],
      all: ({ threads }) => Object.keys(threads).filter(isForgetting),
      about: (topic) => (isForgetting(topic) ? [topic] : []),
    },
    step: (id) => (isForgetting(id) ? finished(id) : null),
  });
  reconciler.start();
  return {
    async forget(threadId) {
      const left = await stays(threadId);
      await engine.submit({ type: "forget_session", thread_id: threadId });
      return { ...(await finished(threadId)), stays: left };
    },
    stays,
    close() {
      closing.abort();
      return reconciler.close();
    },
  };
}
