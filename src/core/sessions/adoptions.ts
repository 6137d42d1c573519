/**
 * Claudes that the owner started himself, in his own terminal: each is offered to him once in Discord, and goes into a
 * thread only if he says so, by a press or a setting. Bellhop never ends one.
 */
import { follow, indexed, remove, type Index } from "../indexed.ts";
import type { Start } from "./session.ts";
import type { Location } from "./thread.ts";
import { isBusy, WINDOW_TOOL, type RunningClaude, type WindowEnd, type WindowEvent } from "./windows.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** A Claude that was found, and where its owner is asked about it. */
export interface Offer extends RunningClaude, Location {
  /** Claude's own id of the conversation. */
  claude_session: string;
  project_name: string;
  /** Its permission mode, once it has told one. */
  mode?: string;
}

export interface Adoption extends Offer {
  at: string;
  /** Null: its owner has not decided; false: he has ignored it, which he can take back. */
  adopted: boolean | null;
  /** It ended before its owner had decided. */
  gone?: true;
  /** Where it went. */
  thread_id?: string;
  /** How its time in the thread ended. */
  ended?: { why: WindowEnd; at: string };
}

export type AdoptionEvent =
  | { type: "AdoptionOffered"; payload: Offer }
  | { type: "AdoptionSettled"; payload: { claude_session: string; adopted: boolean; thread_id?: string; gone?: true } };

export type AdoptionCommand =
  /** Also when more becomes known of it. */
  | ({ type: "offer_adoption" } & Offer)
  /** Its owner has decided; `gone`: it has ended before. `request_id`: of the thread that is made for it, if one is. */
  | { type: "adopt"; claude_session: string; adopted: true; request_id: string }
  | { type: "adopt"; claude_session: string; adopted: false; gone?: true };

/** The number of conversations that are remembered, so that none is offered twice. Changing it changes replay. */
const KEPT = 200;

export function decideAdoption(
  state: State,
  command: AdoptionCommand,
): (AdoptionEvent | WindowEvent | { type: "SessionRequested"; payload: Omit<Start, "at" | "readied"> })[] {
  const known = state.adoptions[command.claude_session];
  if (command.type === "offer_adoption") {
    const { type: _type, ...offer } = command;
    return isNews(state, known, offer)
      ? [{ type: "AdoptionOffered", payload: { ...offer, ...(known && place(known)) } }]
      : [];
  }
  const { claude_session } = command;
  if (known === undefined || !mayBe(known, command.adopted)) return [];
  if (!command.adopted)
    return [
      { type: "AdoptionSettled", payload: { claude_session, adopted: false, ...(command.gone && { gone: true }) } },
    ];
  const thread = threadOf(state, claude_session) ?? freeChannel(state, known);
  if (thread !== undefined) return taken(known, thread);
  if (startOf(state, claude_session)) return [];
  const { project_name, channel_id, guild_id, bot_id } = known;
  return [
    {
      type: "SessionRequested",
      payload: {
        request_id: command.request_id,
        project_name,
        tool: WINDOW_TOOL,
        channel_id,
        guild_id,
        bot_id,
        adoption: claude_session,
      },
    },
  ];
}

export function evolveAdoption(state: State, event: AdoptionEvent, ts: string): void {
  const all = state.adoptions;
  const { claude_session } = event.payload;
  if (event.type === "AdoptionOffered") {
    all[claude_session] = { ...event.payload, at: ts, adopted: null };
    follow(all, claude_session);
    for (const oldest of Object.values(all)
      .filter((one) => one.adopted !== null && !isHere(state, one))
      .slice(0, Math.max(0, Object.keys(all).length - KEPT)))
      forget(state, oldest);
    return;
  }
  const { adopted, thread_id, gone } = event.payload;
  const known = all[claude_session];
  if (known) Object.assign(known, { adopted, ...(thread_id !== undefined && { thread_id }), ...(gone && { gone }) });
  follow(all, claude_session);
}

/** The start that makes the thread for this Claude; undefined: there is none. */
export function startOf({ starts }: State, claudeSession: string): Start | undefined {
  return Object.values(starts).find(({ adoption }) => adoption === claudeSession);
}

/** The thread of a start is made: the Claude it was made for goes there. */
function takenWith(
  { starts, adoptions }: State,
  request_id: string,
  thread_id: string,
): (AdoptionEvent | WindowEvent)[] {
  const known = adoptions[starts[request_id]?.adoption ?? ""];
  return known !== undefined && mayBe(known, true) ? taken(known, thread_id) : [];
}

/** Whether it can still be adopted, or ignored. What its owner has ignored he may adopt after all. */
function mayBe({ adopted, gone }: Adoption, wanted: boolean): boolean {
  return adopted === null || (wanted && !adopted && gone !== true);
}

/** Its thread says what became of an adopted one. */
function evolveEnded(
  state: State,
  { payload: { thread_id, why } }: Extract<WindowEvent, { type: "WindowClosed" }>,
  at: string,
): void {
  for (const one of adoptedIn(state, thread_id)) if (isHere(state, one)) one.ended = { why, at };
}

/** Adopted ones in their threads, and those that were there. */
export function adoptedIn({ adoptions }: State, threadId: string): Adoption[] {
  return adoptionIndex(adoptions)
    .idsOf(`in ${threadId}`)
    .flatMap((id) => adoptions[id] ?? []);
}

/** Those that were offered in this channel. */
export function offeredIn({ adoptions }: State, channelId: string): Adoption[] {
  return adoptionIndex(adoptions)
    .idsOf(`of ${channelId}`)
    .flatMap((id) => adoptions[id] ?? []);
}

function adoptionIndex(adoptions: Record<string, Adoption>): Index<Adoption> {
  return indexed(adoptions, ({ channel_id, thread_id }) => [
    `of ${channel_id}`,
    ...(thread_id === undefined ? [] : [`in ${thread_id}`]),
  ]);
}

/** The name under which its posts are recorded. Another process with the same conversation is another card. */
export function adoptionSubject({ claude_session, pid }: Offer): string {
  return `adoption:${claude_session}:${pid}`;
}

function taken(
  { claude_session, socket, window_id, pane_id, pid, start_time, cwd }: Adoption,
  thread_id: string,
): [AdoptionEvent, WindowEvent] {
  return [
    { type: "AdoptionSettled", payload: { claude_session, adopted: true, thread_id } },
    {
      type: "WindowOpened",
      payload: {
        thread_id,
        server: "owner",
        socket,
        window_id,
        pane_id,
        pid,
        start_time,
        cwd,
        adopted: true,
        claude_session,
      },
    },
  ];
}

/** A process is offered once, and again only if more is known of it. What its owner refused is not offered again. */
function isNews(state: State, known: Adoption | undefined, { pid, start_time, mode }: Offer): boolean {
  if (known === undefined) return true;
  const isSame = known.pid === pid && known.start_time === start_time;
  if (known.adopted === null) return !isSame || (mode !== undefined && mode !== known.mode);
  return !isSame && !isHere(state, known) && (known.adopted || known.gone === true);
}

/** An offer that waits for its owner stays where its card is. */
function place({ adopted, channel_id, guild_id, bot_id }: Adoption): Partial<Offer> {
  return adopted === null ? { channel_id, guild_id, bot_id } : {};
}

function isHere({ windows }: State, { thread_id, pid, start_time }: Adoption): boolean {
  const window = windows[thread_id ?? ""];
  return window?.pid === pid && window.start_time === start_time;
}

/** The open session that has this conversation already and no window for it. */
function threadOf({ sessions, windows, threads }: State, claudeSession: string): string | undefined {
  const session = Object.values(sessions).find(
    ({ thread_id, tool, adapter_state }) =>
      tool === WINDOW_TOOL &&
      Object.values(adapter_state).includes(claudeSession) &&
      !windows[thread_id] &&
      threads[thread_id]?.closed === undefined,
  );
  return session?.thread_id;
}

/** The session of the channel itself, if it has neither a terminal nor a conversation yet. */
function freeChannel(state: State, { channel_id, project_name }: Adoption): string | undefined {
  const { sessions, threads, windows } = state;
  const session = sessions[channel_id];
  const isOpen = threads[channel_id]?.kind === "channel" && threads[channel_id].closed === undefined;
  if (!isOpen || session?.project_name !== project_name || session.tool !== WINDOW_TOOL || windows[channel_id])
    return undefined;
  return Object.keys(session.adapter_state).length === 0 && !isBusy(state, channel_id) ? channel_id : undefined;
}

function forget(state: State, one: Adoption): void {
  if (state.adoptions) remove(state.adoptions, one.claude_session);
  remove(state.posts, adoptionSubject(one));
}

export const adoptionSlice: Slice<AdoptionCommand, AdoptionEvent> = {
  decide: each(decideAdoption, "offer_adoption", "adopt"),
  evolve: each(evolveAdoption, "AdoptionOffered", "AdoptionSettled"),
  kinds: "adoption",
  alsoDecides: { open_session: (state, { request_id, thread_id }) => takenWith(state, request_id, thread_id) },
  alsoEvolves: { WindowClosed: evolveEnded },
  topic: ({ adoptions }, { payload }) => adoptions[payload.claude_session]?.channel_id ?? "adoptions",
};
