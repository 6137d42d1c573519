/**
 * The socket as the daemon opens it: its place, and what is answered to whom. What it tells of the daemon is asked
 * for at each call and kept nowhere, so nobody is told what was true a minute ago. A socket that cannot be had costs
 * the people at the command line an answer, and the people in Discord nothing.
 */
import { isoTime, type Clock } from "../base/clock.ts";
import type { Log, LoggedFailure } from "../base/log.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobSignal, Signals } from "../engine/signals.ts";
import type { Methods } from "./connection.ts";
import { openLink, type Link } from "./listen.ts";
import { rememberSaid } from "./said.ts";
import { sessionsStatus, type DaemonStatus } from "./status.ts";
import { tailMethod } from "./tail.ts";

/** What only the whole house knows. */
export type HouseFacts = Pick<DaemonStatus, "bot_id" | "guild_id" | "owner_id" | "gateway" | "agents" | "max_running">;

export interface DaemonLinkOptions {
  stateDir: string;
  logDir: string;
  runtimeDir: string | undefined;
  clock: Clock;
  log: Log;
  /** Our version. */
  bellhop: string;
  engine: Engine;
  signals: Signals<JobSignal>;
  failures: Failures;
  facts(): HouseFacts;
  /** What is answered beside what every daemon tells of itself. */
  methods: FaceMethods;
}

export type FaceMethods = Omit<Methods, "ping" | "status" | "tail">;

/** The last failures that were logged. */
export interface Failures {
  note(failure: LoggedFailure): void;
  readonly last: readonly LoggedFailure[];
}

const FAILURES_KEPT = 10;

export function rememberFailures(): Failures {
  const last: LoggedFailure[] = [];
  return {
    last,
    note(failure) {
      last.push(failure);
      if (last.length > FAILURES_KEPT) last.shift();
    },
  };
}

/** Null where it cannot be opened, which is logged. */
export async function openDaemonLink(options: DaemonLinkOptions): Promise<Link | null> {
  const { engine, clock, log } = options;
  const since = isoTime(clock.now());
  const said = rememberSaid(engine, options.signals);
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
    return await openLink({
      ...options,
      methods: {
        ...options.methods,
        ping: async () => ({ version: options.bellhop, pid: process.pid, since }),
        status: async () => status(),
        tail: tailMethod({ engine, signals: options.signals, said }),
      },
    });
  } catch (error) {
    log.failure("the socket for the command line cannot be opened", error);
    return null;
  }
}
