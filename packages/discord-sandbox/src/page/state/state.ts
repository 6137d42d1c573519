/**
 * Everything the page knows, in one immutable value. It is filled only from REST answers and gateway
 * events (`store.ts`); nothing here is shown that Discord's own protocol did not say, except what
 * this browser itself is waiting for.
 */
import type { Channel, Component, Guild, Member, Message, User } from "./model.ts";

export type Phase = "no-token" | "refused" | "connecting" | "live" | "reconnecting";

export interface History {
  messages: Message[];
  /** The first page has been fetched. */
  loaded: boolean;
  /** The beginning of the channel is in `messages`. */
  complete: boolean;
  /** Events may have been missed since: fetch the newest page again before trusting it. */
  stale: boolean;
  /** The newest message known when it became stale. */
  knownTo?: string | undefined;
}

/** An interaction this browser has sent and whose acknowledgement it awaits. */
export interface Pending {
  nonce: string;
  channelId: string;
  kind: "command" | "component" | "modal";
  /** What was pressed: the message and the component, or the command's title. */
  messageId?: string;
  customId?: string;
  title?: string;
  applicationId: string;
  failed: boolean;
}

export interface ModalShown {
  nonce: string;
  id: string;
  channelId: string;
  applicationId: string;
  applicationName: string;
  customId: string;
  title: string;
  components: Component[];
}

export interface State {
  phase: Phase;
  sessionId: string | undefined;
  me: User | undefined;
  guilds: Record<string, Guild>;
  channels: Record<string, Channel>;
  users: Record<string, User>;
  nicks: Record<string, string>;
  roles: Record<string, string>;
  history: Record<string, History>;
  /** channel → user → when the indicator ends, ms since the epoch. */
  typing: Record<string, Record<string, number>>;
  pending: Record<string, Pending>;
  modal: ModalShown | undefined;
  /** channel → newest message read. Kept in this browser. */
  read: Record<string, string>;
  here: string | undefined;
  /** Something the reader asked for was refused; `text` is the server's reason, if it gave one. */
  notice: { text: string } | undefined;
  /** Moves whenever the commands may have changed, so that the index is fetched again. */
  commandsSeen: number;
}

export const nothing: State = {
  phase: "connecting",
  sessionId: undefined,
  me: undefined,
  guilds: {},
  channels: {},
  users: {},
  nicks: {},
  roles: {},
  history: {},
  typing: {},
  pending: {},
  modal: undefined,
  read: {},
  here: undefined,
  notice: undefined,
  commandsSeen: 0,
};

export const emptyHistory: History = { messages: [], loaded: false, complete: false, stale: false };

/** The name to show for a user: nickname, display name, user name. */
export function nameOf(state: Pick<State, "users" | "nicks">, user: Member["user"] | string): string {
  const known = typeof user === "string" ? state.users[user] : user;
  const id = typeof user === "string" ? user : user?.id;
  return (id ? state.nicks[id] : undefined) ?? known?.global_name ?? known?.username ?? id ?? "";
}

/** The record without one key; the very same record where the key was not in it. */
export function without<T>(record: Record<string, T>, key: string): Record<string, T> {
  if (!(key in record)) return record;
  const { [key]: _, ...rest } = record;
  return rest;
}
