/**
 * What a person can do on the page, as calls: each one is REST to the server, and what comes of it is
 * heard from the gateway. The store is changed here only by what was asked or answered.
 */
import { Gateway, type GatewayEvents } from "./gateway.ts";
import { createInteractions, type Interactions } from "./interactions.ts";
import { emojiKey, isThread, type Channel, type Choice, type Emoji, type Message } from "../state/model.ts";
import { discordLocale } from "../locale.ts";
import { openRest, type Rest } from "./rest.ts";
import { createSending, type Sending } from "./sending.ts";
import { newestIn, type Store } from "../state/store.ts";

export interface Reading {
  open(channelId: string): Promise<void>;
  older(channelId: string): Promise<void>;
  markRead(channelId: string): void;
  archivedThreads(channelId: string): Promise<void>;
}

export interface Changing {
  edit(message: Message, content: string): Promise<void>;
  remove(message: Message): Promise<void>;
  react(message: Message, emoji: Emoji, on: boolean): Promise<void>;
  createThread(message: Message, name: string): Promise<Channel>;
  archive(channel: Channel, archived: boolean): Promise<void>;
}

export interface Client extends Reading, Changing, Sending {
  store: Store;
  /** The browser's language tag, for dates and the page's own words. */
  locale: string;
  interactions: Interactions;
  /** What is written and not yet sent, by channel. */
  drafts: Map<string, string>;
  /** Autocomplete answers, by the nonce of their question. */
  onChoices(listener: (nonce: string, choices: Choice[]) => void): () => void;
  close(): void;
}

/** Keeps the read marks between visits; a browser that keeps nothing only forgets them. */
export interface Marks {
  load(): Record<string, string>;
  save(read: Record<string, string>): void;
}

type ChoiceListener = (nonce: string, choices: Choice[]) => void;

const PAGE = 50;
/** At most this many pages of a hundred archived threads are listed. */
const ARCHIVE_PAGES = 5;
const THREAD_MINUTES = 10_080;

export function createClient(token: string, store: Store, locale: string, marks: Marks): Client {
  const rest = openRest(token, discordLocale(locale), () => store.act({ type: "phase", phase: "refused" }));
  const listeners = new Set<ChoiceListener>();
  const address = async (): Promise<string> => (await rest.get<{ url: string }>("/gateway")).url;
  const gateway = new Gateway(
    { token, locale: discordLocale(locale), address, open: (at) => new WebSocket(at) },
    hearing(rest, store, listeners),
  );
  const hurry = (): void => gateway.hurry();
  globalThis.addEventListener("online", hurry);
  document.addEventListener("visibilitychange", hurry);
  void gateway.connect();
  return {
    store,
    locale,
    drafts: new Map(),
    interactions: createInteractions(rest, store, discordLocale(locale)),
    ...reading(rest, store, marks),
    ...changing(rest, store),
    ...createSending(rest, store),
    onChoices(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      globalThis.removeEventListener("online", hurry);
      document.removeEventListener("visibilitychange", hurry);
      gateway.close();
    },
  };
}

function reading(rest: Rest, store: Store, marks: Marks): Reading {
  return {
    async open(channelId) {
      store.act({ type: "here", channelId });
      const history = store.get().history[channelId];
      if (!history?.loaded || history.stale) await latest(rest, store, channelId);
    },
    async older(channelId) {
      const before = store.get().history[channelId]?.messages.find((m) => !m.local)?.id;
      if (!before) return;
      const messages = await rest.get<Message[]>(`/channels/${channelId}/messages?limit=${PAGE}&before=${before}`);
      store.act({ type: "page", channelId, messages, limit: PAGE, older: true });
    },
    markRead(channelId) {
      const newest = newestIn(store.get(), channelId);
      if (!newest || store.get().read[channelId] === newest) return;
      store.act({ type: "read", channelId, messageId: newest });
      marks.save(store.get().read);
    },
    async archivedThreads(channelId) {
      let before = "";
      for (let pages = 0; pages < ARCHIVE_PAGES; pages += 1) {
        const path = `/channels/${channelId}/threads/archived/public?limit=100${before && `&before=${encodeURIComponent(before)}`}`;
        const { threads, has_more } = await rest.get<{ threads: Channel[]; has_more: boolean }>(path);
        store.act({ type: "channels", channels: threads });
        before = threads.at(-1)?.thread_metadata?.archive_timestamp ?? "";
        if (!has_more || !before) return;
      }
    },
  };
}

function changing(rest: Rest, store: Store): Changing {
  return {
    async edit(message, content) {
      await rest.send("PATCH", pathOf(message), { content });
    },
    async remove(message) {
      if (message.local) store.act({ type: "forget", channelId: message.channel_id, ids: [message.id] });
      else await rest.send("DELETE", pathOf(message));
    },
    async react(message, emoji, on) {
      await rest.send(on ? "PUT" : "DELETE", `${pathOf(message)}/reactions/${encodeURIComponent(emojiKey(emoji))}/@me`);
    },
    async createThread(message, name) {
      const thread = await rest.send<Channel>("POST", `${pathOf(message)}/threads`, {
        name,
        auto_archive_duration: THREAD_MINUTES,
      });
      store.act({ type: "channels", channels: [thread] });
      return thread;
    },
    async archive(channel, archived) {
      const thread = await rest.send<Channel>("PATCH", `/channels/${channel.id}`, { archived });
      store.act({ type: "channels", channels: [thread] });
    },
  };
}

function hearing(rest: Rest, store: Store, listeners: ReadonlySet<ChoiceListener>): GatewayEvents {
  const phase = (to: "live" | "refused" | "reconnecting" | "connecting"): void =>
    store.act({ type: "phase", phase: to });
  return {
    dispatch(event, data) {
      if (event === "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE") {
        const answer = data as { nonce?: string; choices?: Choice[] };
        for (const listener of listeners) listener(answer.nonce ?? "", answer.choices ?? []);
        return;
      }
      store.act({ type: "dispatch", event, data, now: Date.now() });
      if (event === "READY") void catchUp(rest, store);
      if (event === "GUILD_CREATE") void findThreads(rest, store, (data as { id: string }).id);
    },
    lost: () => phase(store.get().sessionId ? "reconnecting" : "connecting"),
    resumed: () => phase("live"),
    refused: () => phase("refused"),
  };
}

async function latest(rest: Rest, store: Store, channelId: string): Promise<void> {
  const messages = await rest.get<Message[]>(`/channels/${channelId}/messages?limit=${PAGE}`);
  store.act({ type: "page", channelId, messages, limit: PAGE, older: false });
}

/** A new session replays nothing, so what is on the screen is asked for again; the rest when it is opened. */
async function catchUp(rest: Rest, store: Store): Promise<void> {
  const { here, history } = store.get();
  if (here && history[here]?.stale) await latest(rest, store, here).catch(() => undefined);
}

/** Threads that GUILD_CREATE did not carry, and the open thread if it has been archived meanwhile. */
async function findThreads(rest: Rest, store: Store, guildId: string): Promise<void> {
  const none = { threads: [] as Channel[] };
  const { threads } = await rest.get<typeof none>(`/guilds/${guildId}/threads/active`).catch(() => none);
  store.act({ type: "channels", channels: threads });
  const { here, channels } = store.get();
  const open = here ? channels[here] : undefined;
  if (!open || !isThread(open) || threads.some((t) => t.id === open.id)) return;
  const now = await rest.get<Channel>(`/channels/${open.id}`).catch(() => undefined);
  if (now) store.act({ type: "channels", channels: [now] });
}

function pathOf(message: Message): string {
  return `/channels/${message.channel_id}/messages/${message.id}`;
}
