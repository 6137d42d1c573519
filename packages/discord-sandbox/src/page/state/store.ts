/**
 * The page's one store: a pure `reduce` from state and action to state, and a holder that tells listeners.
 * Gateway events go to `events.ts`; the rest is what this browser does by itself.
 */
import { dispatched } from "./events.ts";
import { arrived, change, inHistory, mergeLatest, mergeOlder, newestStored, put, remove } from "./history.ts";
import type { Channel, Message } from "./model.ts";
import { nothing, without, type Pending, type Phase, type State } from "./state.ts";

export type Action =
  | { type: "phase"; phase: Phase }
  | { type: "dispatch"; event: string; data: unknown; now: number }
  | { type: "page"; channelId: string; messages: Message[]; limit: number; older: boolean }
  | { type: "channels"; channels: Channel[] }
  | { type: "sending"; message: Message }
  | { type: "sent"; message: Message }
  | { type: "unsent"; channelId: string; nonce: string; reason: string }
  | { type: "forget"; channelId: string; ids: string[] }
  | { type: "here"; channelId: string | undefined }
  | { type: "read"; channelId: string; messageId: string }
  | { type: "tick"; now: number }
  | { type: "asked"; pending: Pending }
  | { type: "unanswered"; nonce: string }
  | { type: "settled"; nonce: string }
  | { type: "notice"; notice: State["notice"] }
  | { type: "closeModal" };

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "phase":
      return { ...state, phase: action.phase };
    case "dispatch":
      return dispatched(state, action.event, action.data, action.now);
    case "page":
      return withPage(state, action);
    case "channels":
      return withChannels(state, action.channels);
    case "sending":
      return inHistory(state, action.message.channel_id, (h) => put(h, action.message));
    case "sent":
      return inHistory(state, action.message.channel_id, (h) => arrived(h, action.message));
    case "unsent":
      return inHistory(state, action.channelId, (h) =>
        change(h, localId(action.nonce), (m) => ({ ...m, local: { state: "failed", reason: action.reason } })),
      );
    case "forget":
      return inHistory(state, action.channelId, (h) => remove(h, action.ids));
    case "here":
      return { ...state, here: action.channelId };
    case "read":
      return { ...state, read: { ...state.read, [action.channelId]: action.messageId } };
    case "tick":
      return withoutOldTyping(state, action.now);
    case "asked":
      return { ...state, pending: { ...state.pending, [action.pending.nonce]: action.pending } };
    case "unanswered":
      return unanswered(state, action.nonce);
    case "settled":
      return { ...state, pending: without(state.pending, action.nonce) };
    case "notice":
      return { ...state, notice: action.notice };
    case "closeModal":
      return { ...state, modal: undefined };
  }
}

/** The id under which a message stands until Discord has given it one. */
export function localId(nonce: string): string {
  return `local-${nonce}`;
}

export interface Store {
  get(): State;
  act(action: Action): void;
  /** Calls back after every change; returns how to stop. */
  watch(listener: () => void): () => void;
}

export function createStore(first: Partial<State> = {}): Store {
  let state: State = { ...nothing, ...first };
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    act(action) {
      const next = reduce(state, action);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener();
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The channel's newest message id as far as anything has told us. */
export function newestIn(state: State, channelId: string): string | undefined {
  const history = state.history[channelId];
  const stored = history?.loaded && !history.stale ? newestStored(history)?.id : undefined;
  return stored ?? state.channels[channelId]?.last_message_id ?? undefined;
}

function withPage(state: State, page: Extract<Action, { type: "page" }>): State {
  const merge = page.older ? mergeOlder : mergeLatest;
  const next = inHistory(state, page.channelId, (h) => merge(h, page.messages, page.limit));
  const users = { ...next.users };
  for (const message of page.messages) users[message.author.id] = message.author;
  return { ...next, users };
}

function withChannels(state: State, channels: readonly Channel[]): State {
  if (channels.length === 0) return state;
  const known = { ...state.channels };
  for (const channel of channels) known[channel.id] = { ...known[channel.id], ...channel };
  return { ...state, channels: known };
}

function withoutOldTyping(state: State, now: number): State {
  const typing: State["typing"] = {};
  let changed = false;
  for (const [channelId, users] of Object.entries(state.typing)) {
    const still = Object.entries(users).filter(([, until]) => until > now);
    if (still.length !== Object.keys(users).length) changed = true;
    if (still.length > 0) typing[channelId] = Object.fromEntries(still);
  }
  return changed ? { ...state, typing } : state;
}

function unanswered(state: State, nonce: string): State {
  const pending = state.pending[nonce];
  if (!pending || pending.failed) return state;
  return { ...state, pending: { ...state.pending, [nonce]: { ...pending, failed: true } } };
}
