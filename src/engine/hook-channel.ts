/**
 * The way of hooks from the socket to whatever drives the Claude they come from. A taker says which Claudes
 * are its own, and gets their calls in the order in which they arrive. Nothing is kept but the last
 * status line of each thread, and that only in memory.
 */
import type { AskingPayload, HookOrigin, HookPayload } from "../protocol/hooks.ts";
import type { StatusLine } from "../protocol/status-line.ts";

/** Where a call comes from. */
export interface HookPlace {
  /** The Claude that runs the hook: pid and start time, as in `host/processes`. Null if it has already ended. */
  claude: { pid: number; startTime: string } | null;
  /** The tmux server's socket and the pane (`%3`); null outside of tmux. */
  pane: { socket: string; id: string } | null;
  /** The thread that `BELLHOP_SESSION` names. Any program can set it, so it proves nothing by itself. */
  session: string | null;
}

/** One call of a hook. */
export interface HookCall extends HookPlace {
  payload: HookPayload;
  /** It was kept in a file while no daemon ran, and may be one that was already taken. */
  late: boolean;
}

/** Whose Claude a call comes from. */
export interface HookOwner {
  thread_id: string;
  /** The job or the outside turn that works now, if any. */
  work: { job_id: string } | { turn_id: string } | null;
}

export interface HookTaker {
  /** Null if the call comes from none of its Claudes, such as from one that runs inside of its own. */
  ownerOf(call: HookPlace & { payload?: HookPayload }): HookOwner | null;
  /**
   * Takes a call of one of its Claudes, also one that asks: it is answered elsewhere. Resolves when what follows from
   * it is on disk. A call may come twice, and must change nothing the second time.
   */
  onHook(call: HookCall): Promise<void>;
  /**
   * Whether the dialog of this thread's Claude was answered in the terminal, as far as its screen shows now; absent:
   * nobody looks.
   */
  isAnswered?(threadId: string): Promise<boolean>;
  /**
   * Says no to the dialog of this thread's Claude, if what stands there has this digest. False: it has another, or
   * there is none.
   */
  refuse?(threadId: string, digest: string): Promise<boolean>;
}

/** The calls of hooks, and whose they are. */
interface HookCalls {
  /** Returns a function that takes no more. */
  register(taker: HookTaker): () => void;
  /** Null if nobody takes its calls. */
  ownerOf(call: HookCall): HookOwner | null;
  /** False if nobody takes it. */
  dispatchHook(call: HookCall): Promise<boolean>;
  /** Shows each call to the listener, with whose Claude it comes from; nobody waits for it. */
  watch(listener: (call: HookCall, owner: HookOwner | null) => void): void;
  /**
   * Something that may make the Claude of a call that nobody takes somebody's. It resolves when it has, or will not.
   */
  registerClaimer(holder: (call: HookCall, gone: AbortSignal) => Promise<void>): void;
  /** For the socket: waits for that. Resolves with whose Claude it is then; null: nobody's. */
  waitForOwner(call: HookCall, gone: AbortSignal): Promise<HookOwner | null>;
  /** For the socket: a call has come. */
  notifyWatchers(call: HookCall, owner: HookOwner | null): void;
}

/** The dialogs on the screens of Claudes. */
interface HookDialogs {
  /** See `HookTaker`. */
  isAnswered(threadId: string): Promise<boolean>;
  /** The dialogs of this thread's Claude were answered in the terminal. */
  onDialogAnswered(threadId: string, denied?: readonly HookPayload[]): void;
  /** Calls the listener with each thread of which that is told. */
  watchAnswered(listener: (threadId: string, denied: readonly HookPayload[]) => void): void;
  /** The text of a dialog that no hook tells of stands on the screen of this Claude; null: none stands there. */
  reportDialog(owner: HookOwner, dialog: string | null): void;
  watchStanding(listener: (owner: HookOwner, dialog: string | null) => void): void;
  /** See `HookTaker`. */
  refuse(threadId: string, digest: string): Promise<boolean>;
}

export interface HookChannel extends HookCalls, HookDialogs {
  /** For the socket: a Claude has said this for its status line. */
  setStatusLine(place: HookPlace, line: StatusLine): void;
  /** What the Claude with this pid has last said for its status line in this thread. */
  statusLine(threadId: string, pid: number | undefined): StatusLine | null;
  /** Resolves when what was kept while no daemon ran has been taken. */
  readonly caughtUp: Promise<void>;
  hasCaughtUp(): void;
}

/** Asks the owner what a hook asks. */
export interface HookAsking {
  /**
   * May be called again for the same request, after its call broke off.
   * @throws what the disk throws: nobody was asked, and the hook calls again
   */
  ask(request: HookRequest): Promise<HookAnswer>;
  /** Settles what the terminal has answered meanwhile. Resolves when it is on disk. */
  settleFromHook(payload: HookPayload, owner: HookOwner): Promise<void>;
  /** What its Claude's model does not know yet; null: nothing, or this hook cannot tell it. */
  noteFor(payload: HookPayload, owner: HookOwner): HookNote | null;
}

export interface HookNote {
  /** In Claude's own terms. */
  answer: object;
  /** Called when the hook has it. */
  onDelivered(): void;
}

export interface HookRequest {
  payload: AskingPayload;
  owner: HookOwner;
  origin: HookOrigin;
  /** The bytes of a call so long that only what it is about was read. Absent: all of it was. */
  cut?: number;
  /** The hook's process has ended, or does not wait any more. */
  gone: AbortSignal;
}

export interface HookAnswer {
  /** What Claude is told, in its own terms; null: nothing, because the terminal asks. */
  told: object | null;
  /** Called when the hook has it. */
  delivered(): void;
}

export function createHookChannel(): HookChannel {
  const takers = new Set<HookTaker>();
  const listeners = new Set<(call: HookCall, owner: HookOwner | null) => void>();
  const holders = new Set<Parameters<HookChannel["registerClaimer"]>[0]>();
  const toldStanding = new Set<Parameters<HookChannel["watchStanding"]>[0]>();
  const toldAnswered = new Set<Parameters<HookChannel["watchAnswered"]>[0]>();
  const caughtUp = Promise.withResolvers<void>();
  const lines = new Map<string, { pid: number; line: StatusLine }>();
  const ownerOf: HookTaker["ownerOf"] = (call) =>
    [...takers].map((taker) => taker.ownerOf(call)).find((owner) => owner !== null) ?? null;
  const takerOf = (call: HookCall): HookTaker | undefined => [...takers].find((taker) => taker.ownerOf(call) !== null);
  return {
    caughtUp: caughtUp.promise,
    hasCaughtUp: () => caughtUp.resolve(),
    register(taker) {
      takers.add(taker);
      return () => takers.delete(taker);
    },
    ownerOf,
    async dispatchHook(call) {
      const taker = takerOf(call);
      await taker?.onHook(call);
      return taker !== undefined;
    },
    registerClaimer: (holder) => void holders.add(holder),
    async waitForOwner(call, gone) {
      await Promise.all([...holders].map((holder) => holder(call, gone)));
      return ownerOf(call);
    },
    watch: (listener) => void listeners.add(listener),
    setStatusLine(place, line) {
      const owner = ownerOf(place);
      if (owner !== null && place.claude !== null) lines.set(owner.thread_id, { pid: place.claude.pid, line });
    },
    statusLine(threadId, pid) {
      const last = lines.get(threadId);
      return last?.pid === pid ? (last?.line ?? null) : null;
    },
    isAnswered: async (threadId) =>
      (await Promise.all([...takers].map((taker) => taker.isAnswered?.(threadId)))).includes(true),
    onDialogAnswered: (threadId, denied = []) => toldAnswered.forEach((listener) => listener(threadId, denied)),
    watchAnswered: (listener) => void toldAnswered.add(listener),
    reportDialog: (owner, dialog) => toldStanding.forEach((listener) => listener(owner, dialog)),
    watchStanding: (listener) => void toldStanding.add(listener),
    refuse: async (threadId, digest) =>
      (await Promise.all([...takers].map((taker) => taker.refuse?.(threadId, digest)))).includes(true),
    notifyWatchers: (call, owner) => listeners.forEach((listener) => listener(call, owner)),
  };
}
