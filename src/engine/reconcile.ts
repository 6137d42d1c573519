/**
 * The one loop that makes something outside match the state. It learns what a change is about, asks for each such thing
 * whether a step is needed, and takes one step at a time for each. A failed step is retried with growing pauses; one
 * that keeps failing is given up, which is logged, and tried again when something changes after a pause. Once the
 * journal has failed, nothing is begun, retried or reported.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { decisionsAbout } from "../core/decisions/decision.ts";
import { parkedThreads } from "../core/sessions/thread.ts";
import { WINDOW_TOOL } from "../core/sessions/windows.ts";
import type { Kind } from "../core/slice.ts";
import type { State } from "../core/state.ts";
import type { Engine } from "./engine.ts";

export interface Reconciling {
  engine: Engine;
  clock: Clock;
  log: Log;
  /** The log text for a failed step. */
  failure: string;
  /** The log fields beside that. */
  details(key: string): Record<string, string>;
  /** The name of a part of the state, or what the reconciler itself says it follows. It is called for nothing else. */
  follows: keyof typeof parts | SubjectSource;
  /**
   * Begins one step towards what is wanted; null if nothing is to be done; a number if nothing is to be done for that
   * many milliseconds, with which a step may end too. `again`: an earlier process, or a step that failed, may have done
   * part of it. `changed` is aborted when the thing changes during the step, which is looked at again after it, and
   * when the reconciler closes.
   */
  step(key: string, again: boolean, changed: AbortSignal): Promise<unknown> | number | null;
  /**
   * The line a thing stands in, by default none. A few of a line have a step in progress; the others wait by name only.
   */
  line?(key: string): string;
}

export interface SubjectSource {
  /** The changes that can concern it. */
  kinds: readonly Kind[];
  /** Everything to look at, at the start. */
  all(state: State): Iterable<string>;
  /** What a changed topic may be about. */
  about(topic: string, state: State): Iterable<string>;
}

export interface Reconciler {
  /** Looks at everything once, and from then on at what changes. */
  start(): void;
  /** Something that is not in the state has changed. */
  markChanged(key: string): void;
  /** Resolves when no step is in progress. */
  whenIdle(): Promise<void>;
  /** Begins nothing more; resolves when no step is in progress. */
  close(): Promise<void>;
}

/** After this many failed steps … */
const MOST_FAILURES = 5;
/** … within this time a thing is given up, and left alone as long. */
const WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
/** So many of a line have a step in progress: the next is ready when Discord has answered one. */
const AT_ONCE = 4;
/** Why a step's signal is aborted. Without a reason each abort makes an exception with a stack, which nobody reads. */
const CHANGED = "changed";

interface Thing {
  step: { over: Promise<void>; changed: AbortController } | null;
  /** It has changed while a step was in progress. */
  dirty: boolean;
  /** When its steps have failed since the last success; by the monotonic clock. */
  failed: number[];
  /** It is not looked at before that time. */
  restsUntil: number;
  /** Removes the timer of the next look, if one is set. */
  cancelTimer: (() => void) | null;
}

interface SubjectQueue {
  name: string;
  inProgress: number;
  /** What waits for its turn, and whether it was inherited. */
  waiting: Map<string, boolean>;
}

/** What of the state is followed by name. */
const parts = {
  windows: entriesOf(["window", "run", "end", "session"], ({ windows }) => windows),
  worktrees: entriesOf(["worktree"], ({ worktrees }) => worktrees),
  archives: entriesOf(["archive", "run", "end"], ({ archives }) => archives),
  starts: singleTopic("starts", ["start"], ({ starts }) => Object.keys(starts)),
  decisions: {
    kinds: ["decision"],
    all: ({ decisions }) => Object.keys(decisions),
    about: (topic, state) => decisionsAbout(state, topic).map(({ decision_id }) => decision_id),
  },
  /** Threads that wait before anything else starts in them. */
  waiting: {
    kinds: ["wait", "session"],
    all: (state) => parkedThreads(state).map(({ thread_id }) => thread_id),
    about: (topic, { threads }) => (threads[topic]?.wait ? [topic] : []),
  },
  /** Sessions that work in a window. */
  windowed: {
    kinds: ["window", "session"],
    all: ({ sessions }) => Object.keys(sessions).filter((id) => sessions[id]?.tool === WINDOW_TOOL),
    about: (topic, { sessions }) => (sessions[topic]?.tool === WINDOW_TOOL ? [topic] : []),
  },
} satisfies Record<string, SubjectSource>;

/** A record whose entries change under their own ids. */
export function entriesOf(
  kinds: SubjectSource["kinds"],
  record: (state: State) => Readonly<Record<string, unknown>>,
): SubjectSource {
  return {
    kinds,
    all: (state) => Object.keys(record(state)),
    about: (topic, state) => (record(state)[topic] === undefined ? [] : [topic]),
  };
}

/** What has no topics of its own, but one for all of it. */
export function singleTopic(topic: string, kinds: SubjectSource["kinds"], all: SubjectSource["all"]): SubjectSource {
  return { kinds, all, about: (changed, state) => (changed === topic ? all(state) : []) };
}

export function reconcile(options: Reconciling): Reconciler {
  const loop = new Loop(options);
  return {
    start: () => loop.start(),
    markChanged: (key) => loop.markChanged(key),
    whenIdle: () => loop.whenIdle(),
    close: () => loop.close(),
  };
}

class Loop {
  readonly #options: Reconciling;
  readonly #things = new Map<string, Thing>();
  readonly #lines = new Map<string, SubjectQueue>();
  readonly #forgetEnd: (() => void) | undefined;
  #closed = false;
  #unwatch = (): unknown => undefined;

  constructor(options: Reconciling) {
    this.#options = options;
    this.#forgetEnd = options.engine.atEnd(() => this.#stop());
  }

  start(): void {
    const { engine, follows } = this.#options;
    const { kinds, all, about } = typeof follows === "string" ? parts[follows] : follows;
    this.#unwatch = engine.watch(kinds, (topics) => {
      for (const topic of topics) {
        let isFollowed = false;
        for (const key of about(topic, engine.state)) {
          isFollowed = true;
          this.markChanged(key);
        }
        // What is not followed any more may still have a step or a timer.
        if (!isFollowed && this.#things.has(topic)) this.markChanged(topic);
      }
    });
    for (const key of all(engine.state)) this.markChanged(key, true);
  }

  async whenIdle(): Promise<void> {
    for (let under = this.#stepsInProgress(); under.length > 0; under = this.#stepsInProgress())
      await Promise.all(under);
  }

  close(): Promise<void> {
    this.#stop();
    return this.whenIdle();
  }

  get #isOver(): boolean {
    return this.#closed || this.#options.engine.over;
  }

  #stepsInProgress(): Promise<void>[] {
    return [...this.#things.values()].flatMap(({ step }) => step?.over ?? []);
  }

  markChanged(key: string, inherited = false): void {
    if (this.#isOver) return;
    const thing = this.#things.get(key) ?? newThing();
    if (thing.step) return changedMeanwhile(thing, thing.step);
    const restMs = thing.restsUntil - this.#options.clock.monotonic();
    // What is given up has no timer until it changes.
    if (restMs > 0) return thing.cancelTimer ? undefined : this.#lookIn(restMs, key, thing);
    thing.cancelTimer?.();
    thing.cancelTimer = null;
    this.#begin(key, thing, inherited || thing.failed.length > 0);
  }

  #lookIn(ms: number, key: string, thing: Thing): void {
    thing.cancelTimer = this.#options.clock.after(Math.ceil(ms), () => {
      thing.cancelTimer = null;
      this.markChanged(key);
    });
  }

  #replaceThing(key: string): Thing {
    const thing = newThing();
    this.#things.set(key, thing);
    return thing;
  }

  #begin(key: string, thing: Thing, again: boolean): void {
    const line = this.#lineOf(key);
    if (line && line.inProgress >= AT_ONCE) return void line.waiting.set(key, again || line.waiting.get(key) === true);
    const changed = new AbortController();
    const next = this.#step(key, again, changed.signal);
    if (next === null) return void this.#things.delete(key);
    this.#things.set(key, thing);
    if (typeof next === "number") return this.#lookIn(next, key, thing);
    thing.dirty = false;
    if (line) this.#enter(line);
    thing.step = { over: this.#afterStep(key, thing, line ? next.finally(() => this.#leave(line)) : next), changed };
  }

  #lineOf(key: string): SubjectQueue | null {
    const name = this.#options.line?.(key);
    return name === undefined ? null : (this.#lines.get(name) ?? { name, inProgress: 0, waiting: new Map() });
  }

  #enter(line: SubjectQueue): void {
    line.inProgress += 1;
    this.#lines.set(line.name, line);
  }

  #leave(line: SubjectQueue): void {
    line.inProgress -= 1;
    for (const [key, inherited] of line.waiting) {
      if (line.inProgress >= AT_ONCE) return;
      line.waiting.delete(key);
      this.markChanged(key, inherited);
    }
    if (line.inProgress === 0) this.#lines.delete(line.name);
  }

  /** One that throws before it begins has failed like any other. */
  #step(key: string, again: boolean, changed: AbortSignal): ReturnType<Reconciling["step"]> {
    try {
      return this.#options.step(key, again, changed);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #afterStep(key: string, thing: Thing, step: Promise<unknown>): Promise<void> {
    try {
      const next = await step;
      this.#things.delete(key);
      if (thing.dirty) this.markChanged(key);
      else if (typeof next === "number" && !this.#isOver) this.#lookIn(next, key, this.#replaceThing(key));
    } catch (error) {
      this.#retryLater(key, thing, error);
    }
  }

  #retryLater(key: string, thing: Thing, error: unknown): void {
    const { clock, log, failure, details } = this.#options;
    thing.step = null;
    if (this.#isOver) return;
    const { isFirst, isLast, pauseMs } = setBack(thing, clock.monotonic());
    if (isFirst) log.failure(failure, error, details(key));
    if (isLast) log.failure(`${failure}; it is given up`, error, { ...details(key), failures: thing.failed.length });
    if (!isLast || thing.dirty) this.#lookIn(pauseMs, key, thing);
  }

  #stop(): void {
    this.#closed = true;
    this.#unwatch();
    this.#forgetEnd?.();
    for (const { cancelTimer: forget, step } of this.#things.values()) {
      forget?.();
      step?.changed.abort(CHANGED);
    }
  }
}

function newThing(): Thing {
  return { step: null, dirty: false, failed: [], restsUntil: 0, cancelTimer: null };
}

function changedMeanwhile(thing: Thing, step: NonNullable<Thing["step"]>): void {
  thing.dirty = true;
  step.changed.abort(CHANGED);
}

/** Records a failure, and how long the thing rests after it. */
function setBack(thing: Thing, now: number): { isFirst: boolean; isLast: boolean; pauseMs: number } {
  thing.failed = [...thing.failed.filter((at) => now - at < WITHIN_MS), now];
  const count = thing.failed.length;
  const isLast = count >= MOST_FAILURES;
  const pauseMs = isLast ? WITHIN_MS : FIRST_PAUSE_MS * 2 ** (count - 1);
  thing.restsUntil = now + pauseMs;
  return { isFirst: count === 1, isLast, pauseMs };
}
