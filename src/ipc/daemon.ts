/**
 * The socket as the daemon opens it: its place and its methods. Facts about the daemon are read at each call and never
 * cached, so that no answer is stale. If the socket cannot be opened, the command line gets no answers, and Discord is
 * not affected.
 */
import { isoTime } from "../base/clock.ts";
import type { LoggedFailure } from "../base/log.ts";
import { lockedSince } from "../core/jobs/lock.ts";
import type { Engine } from "../engine/engine.ts";
import type { Forgotten } from "../engine/forgetting.ts";
import type { JobLiveEvent, LiveEvents } from "../engine/live.ts";
import type { UnlockWords } from "../engine/unlock-words.ts";
import type { Methods } from "./connection.ts";
import { openIpcServer, type IpcServer, type IpcServerOptions } from "./server.ts";
import { tailMethod } from "./tail.ts";
import { sessionsStatus, type AppFacts, type DaemonStatus } from "./status.ts";

export interface DaemonIpcOptions extends Omit<IpcServerOptions, "methods" | "limits"> {
  logDir: string;
  engine: Engine;
  liveEvents: LiveEvents<JobLiveEvent>;
  failures: Failures;
  facts(): AppFacts;
  /** Starts to shut down, to make room for a daemon that can serve more; false if this daemon does not give way. */
  stepAside(): boolean;
  unlockWords: UnlockWords;
  /** Removes what was said in a session from this machine. */
  forget(threadId: string): Promise<Forgotten>;
  /** The methods besides those that every daemon has. */
  methods: ClientMethods;
}

export type ClientMethods = Omit<Methods, "ping" | "status" | "tail" | "step_aside" | "lock" | "unlock" | "forget">;

/** The last failures that were logged. */
export interface Failures {
  addFailure(failure: LoggedFailure): void;
  readonly last: readonly LoggedFailure[];
}

const FAILURES_KEPT = 10;

export function rememberFailures(): Failures {
  const last: LoggedFailure[] = [];
  return {
    last,
    addFailure(failure) {
      last.push(failure);
      if (last.length > FAILURES_KEPT) last.shift();
    },
  };
}

function threadOf(params: unknown): string {
  const thread = typeof params === "object" && params !== null && "thread" in params ? params.thread : undefined;
  return typeof thread === "string" ? thread.slice(0, 80) : "";
}

/** Null if it cannot be opened, which is logged. */
export async function openDaemonIpc(options: DaemonIpcOptions): Promise<IpcServer | null> {
  const { engine, clock, log } = options;
  const since = isoTime(clock.now());
  const status = (): DaemonStatus => ({
    version: options.bellhop,
    pid: process.pid,
    since,
    state_dir: options.stateDir,
    log_dir: options.logDir,
    ...options.facts(),
    ...sessionsStatus(engine.state),
    failures: options.failures.last,
  });
  try {
    return await openIpcServer({
      ...options,
      methods: {
        ...options.methods,
        ping: async () => ({ version: options.bellhop, pid: process.pid, since }),
        status: async () => status(),
        step_aside: async () => ({ steps_aside: options.stepAside() }),
        lock: () => lock(engine),
        unlock: async () => ({ word: options.unlockWords.showWord() }),
        forget: ({ params }) => options.forget(threadOf(params)),
        tail: tailMethod(engine, options.liveEvents),
      },
    });
  } catch (error) {
    log.failure("the socket for the command line cannot be opened", error);
    return null;
  }
}

async function lock({ submit, state }: Engine): Promise<{ since: string; ended: number; was_locked: boolean }> {
  const events = await submit({ type: "lock", by: "machine" });
  return {
    since: lockedSince(state) ?? "",
    ended: events.filter(({ type }) => type === "JobCancelRequested").length,
    was_locked: !events.some(({ type }) => type === "Locked"),
  };
}
