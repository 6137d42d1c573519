/**
 * The messages of the open channel, and where the reader stands in them. At the bottom the list follows
 * what comes; anywhere else the message being read stays where it is on the screen, whatever grows.
 */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Invocable } from "../composer/commands.ts";
import { Icon } from "../icons.tsx";
import { MessageRow } from "./message.tsx";
import type { Channel, Message } from "../state/model.ts";
import { PendingCommands } from "./pending-commands.tsx";
import { emptyHistory } from "../state/state.ts";
import { rowsOf, type Row } from "../state/timeline.ts";
import { timeText } from "../state/times.ts";
import { useAttempt, useClient, useStore, useWords } from "../ui.ts";
import { Welcome } from "./welcome.tsx";

interface Props {
  channel: Channel;
  editing: string | undefined;
  onEdit: (message: Message | undefined) => void;
  onReply: (message: Message) => void;
  onCommand: (step: Invocable) => void;
}

export function MessageList({ channel, editing, onEdit, onReply, onCommand }: Props): JSX.Element {
  const { store, older, markRead } = useClient();
  const say = useWords();
  const attempt = useAttempt();
  const history = useStore((s) => s.history[channel.id] ?? emptyHistory);
  const me = useStore((s) => s.me?.id);
  const [readBefore] = useState(() => store.get().read[channel.id]);
  const rows = useMemo(() => rowsOf(history.messages, readBefore, me), [history.messages, readBefore, me]);
  const box = useRef<HTMLDivElement>(null);
  const fetching = useRef(false);
  const place = usePlace(box, history.messages);

  useEffect(() => {
    if (place.atBottom && history.loaded && document.hasFocus()) markRead(channel.id);
  });
  useEffect(() => {
    const back = (): void => {
      if (place.atBottom && history.loaded) markRead(channel.id);
    };
    addEventListener("focus", back);
    return () => removeEventListener("focus", back);
  }, [channel.id, place.atBottom, history.loaded]);
  const scrolled = (): void => {
    place.note();
    if (!box.current || box.current.scrollTop > 400 || history.complete || !history.loaded || fetching.current) return;
    fetching.current = true;
    attempt(
      older(channel.id).finally(() => {
        fetching.current = false;
      }),
    );
  };
  return (
    <div class="list-frame">
      <div
        ref={box}
        class="list"
        tabIndex={0}
        role="region"
        aria-label={say("messages")}
        onScroll={scrolled}
        onKeyDown={(event) => moveBetween(event, box.current)}
      >
        {history.complete && <Welcome channel={channel} onCommand={onCommand} empty={history.messages.length === 0} />}
        {!history.complete && <Skeleton />}
        <ol class="rows" aria-label={channel.name ?? ""}>
          {rows.map((row) => (
            <RowView key={row.key} row={row} editing={editing} onEdit={onEdit} onReply={onReply} />
          ))}
        </ol>
        <PendingCommands channelId={channel.id} />
      </div>
      {!place.atBottom && <ToPresent missed={place.missed} onClick={place.toBottom} />}
      <Announcer messages={history.messages} />
    </div>
  );
}

interface Place {
  atBottom: boolean;
  missed: number;
  note: () => void;
  toBottom: () => void;
}

const BOTTOM_PX = 40;

/** Keeps the reader's place: `note` is called on scrolling, everything else is seen by itself. */
function usePlace(box: { current: HTMLDivElement | null }, messages: readonly Message[]): Place {
  const anchor = useRef<{ id: string; top: number } | undefined>(undefined);
  const stick = useRef(true);
  const top = useRef(0);
  const [atBottom, setAtBottom] = useState(true);
  const [seen, setSeen] = useState(0);
  const settle = (): void => {
    const list = box.current;
    if (!list) return;
    if (stick.current) {
      list.scrollTop = list.scrollHeight;
      top.current = list.scrollTop;
      return;
    }
    const held = anchor.current && list.querySelector<HTMLElement>(`[data-id="${CSS.escape(anchor.current.id)}"]`);
    if (held && anchor.current) list.scrollTop += held.getBoundingClientRect().top - anchor.current.top;
    top.current = list.scrollTop;
  };
  const note = (): void => {
    const list = box.current;
    if (!list) return;
    const bottom = list.scrollHeight - list.scrollTop - list.clientHeight < BOTTOM_PX;
    // Only moving up leaves the bottom: when the list itself has grown or shrunk, this may come before it has settled.
    if (bottom || list.scrollTop < top.current) stick.current = bottom;
    top.current = list.scrollTop;
    anchor.current = firstVisible(list);
    setAtBottom(stick.current);
    if (stick.current) setSeen(messages.length);
  };
  const toBottom = (): void => {
    stick.current = true;
    settle();
    setAtBottom(true);
    setSeen(messages.length);
  };
  const last = messages.at(-1);
  useLayoutEffect(() => {
    if (last?.local?.state === "sending") stick.current = true;
    settle();
    if (stick.current) setSeen(messages.length);
  }, [messages]);
  useEffect(() => {
    const list = box.current;
    if (!list) return;
    // Pictures that load, a keyboard that opens, a composer that grows.
    const observer = new ResizeObserver(() => settle());
    observer.observe(list);
    for (const child of list.children) observer.observe(child);
    return () => observer.disconnect();
  }, [box]);
  return { atBottom, missed: Math.max(0, messages.length - seen), note, toBottom };
}

function firstVisible(list: HTMLElement): { id: string; top: number } | undefined {
  const edge = list.getBoundingClientRect().top;
  for (const row of list.querySelectorAll<HTMLElement>("[data-id]")) {
    const { top, bottom } = row.getBoundingClientRect();
    if (bottom > edge) return { id: row.dataset["id"] ?? "", top };
  }
  return undefined;
}

interface RowProps {
  row: Row;
  editing: string | undefined;
  onEdit: Props["onEdit"];
  onReply: Props["onReply"];
}

function RowView({ row, editing, onEdit, onReply }: RowProps): JSX.Element {
  const { locale } = useClient();
  const say = useWords();
  if (row.kind === "day")
    return (
      <li class="divider" role="separator">
        <span>{timeText(row.at, "D", row.at, locale)}</span>
      </li>
    );
  if (row.kind === "new")
    return (
      <li class="divider new" role="separator">
        <span>{say("new")}</span>
      </li>
    );
  return (
    <MessageRow
      message={row.message}
      opens={row.opens}
      editing={editing === row.message.id}
      onEdit={onEdit}
      onReply={onReply}
    />
  );
}

function ToPresent({ missed, onClick }: { missed: number; onClick: () => void }): JSX.Element {
  const say = useWords();
  return (
    <button type="button" class="to-present" onClick={onClick}>
      <span>{missed > 0 ? say("newMessages", { count: missed }) : say("olderMessages")}</span>
      <span class="to-present-go">
        {say("toPresent")}
        <Icon name="down" size={16} />
      </span>
    </button>
  );
}

/** Reads new messages aloud once; edits of a streaming one are not read again and again. */
function Announcer({ messages }: { messages: readonly Message[] }): JSX.Element {
  const last = messages.at(-1);
  const first = useRef(last?.id);
  const text =
    last && last.id !== first.current && !last.local
      ? `${last.author.global_name ?? last.author.username}: ${last.content.slice(0, 200)}`
      : "";
  const spoken = useRef({ id: "", text: "" });
  if (last && spoken.current.id !== last.id) spoken.current = { id: last.id, text };
  return (
    <div class="unseen" role="log" aria-live="polite">
      {spoken.current.text}
    </div>
  );
}

function Skeleton(): JSX.Element {
  return (
    <div class="skeleton" aria-hidden="true">
      {[70, 45, 85, 60, 30].map((width, i) => (
        <div key={i}>
          <i />
          <b class={`w${width}`} />
        </div>
      ))}
    </div>
  );
}

/** Up enters the messages from the list and walks through them; one tab stop is enough for all. */
function moveBetween(event: KeyboardEvent, list: HTMLElement | null): void {
  const focused = document.activeElement;
  if (!list || !(focused instanceof HTMLElement) || (focused !== list && !focused.dataset["id"])) return;
  const rows = [...list.querySelectorAll<HTMLElement>("[data-id]")];
  const at = focused === list ? rows.length : rows.indexOf(focused);
  const to: Record<string, HTMLElement | undefined> = {
    ArrowUp: rows[at - 1],
    ArrowDown: rows[at + 1],
    Home: rows[0],
    End: rows.at(-1),
  };
  const next = to[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}
