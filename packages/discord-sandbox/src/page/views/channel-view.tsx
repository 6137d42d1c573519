/** The open channel: its head, its messages, who is typing, and where one writes. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Composer, type Intake } from "../composer/composer.tsx";
import { Icon, IconButton } from "../icons.tsx";
import { MessageList } from "./message-list.tsx";
import { isThread, type Channel, type Message } from "../state/model.ts";
import { nameOf } from "../state/state.ts";
import { ThreadsButton } from "./threads.tsx";
import { useAttempt, useClient, useStore, useWords } from "../ui.ts";

export function ChannelView({ channel, onMenu }: { channel: Channel; onMenu: () => void }): JSX.Element {
  const { store } = useClient();
  const [editing, setEditing] = useState<string | undefined>();
  const [replyTo, setReplyTo] = useState<Message | undefined>();
  const intake = useRef<Intake | undefined>(undefined);
  const drop = useDrop((files) => intake.current?.add(files));
  const say = useWords();
  const editLast = (): void => {
    const { me, history } = store.get();
    const own = history[channel.id]?.messages.findLast((m) => m.author.id === me?.id && !m.local && m.type !== 18);
    if (own) setEditing(own.id);
  };
  const locked = channel.thread_metadata?.locked === true;
  return (
    <main class="chat" {...drop.handlers}>
      <Head channel={channel} onMenu={onMenu} />
      <MessageList
        channel={channel}
        editing={editing}
        onEdit={(m) => setEditing(m?.id)}
        onReply={setReplyTo}
        onCommand={(step) => intake.current?.begin(step)}
      />
      {locked ? (
        <p class="locked">
          <Icon name="lock" size={16} />
          {say("locked")}
        </p>
      ) : (
        <Composer
          intake={intake}
          channel={channel}
          replyTo={replyTo}
          onReplied={() => setReplyTo(undefined)}
          onEditLast={editLast}
        />
      )}
      <Typing channelId={channel.id} />
      {drop.over && (
        <div class="drop">
          <Icon name="file" size={48} />
          <b>{say("dropHere", { name: channel.name ?? "" })}</b>
        </div>
      )}
    </main>
  );
}

function Head({ channel, onMenu }: { channel: Channel; onMenu: () => void }): JSX.Element {
  const { open, archive } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  const thread = isThread(channel);
  const parent = useStore((s) => (thread && channel.parent_id ? s.channels[channel.parent_id] : undefined));
  const archived = channel.thread_metadata?.archived === true;
  const otherUnread = useStore((s) =>
    Object.values(s.channels).some(
      (c) =>
        c.id !== channel.id && c.last_message_id && s.read[c.id] !== undefined && s.read[c.id] !== c.last_message_id,
    ),
  );
  return (
    <header class="head">
      <IconButton
        icon="menu"
        class={otherUnread ? "only-narrow has-unread" : "only-narrow"}
        label={say("openMenu")}
        onClick={onMenu}
      />
      {parent && (
        <button
          type="button"
          class="crumb"
          aria-label={`#${parent.name ?? ""}`}
          onClick={() => attempt(open(parent.id))}
        >
          <Icon name="hash" />
          <span>{parent.name}</span>
        </button>
      )}
      {parent && (
        <span class="crumb-mark" aria-hidden="true">
          ›
        </span>
      )}
      <h2>
        <Icon name={thread ? "thread" : "hash"} />
        <span>{channel.name}</span>
      </h2>
      {channel.topic && <p class="topic">{channel.topic}</p>}
      <span class="head-space" />
      {archived && <span class="tag quiet">{say("archived")}</span>}
      {thread ? (
        <IconButton
          icon="archive"
          label={archived ? say("unarchive") : say("archive")}
          onClick={() => attempt(archive(channel, !archived))}
        />
      ) : (
        <ThreadsButton channel={channel} />
      )}
    </header>
  );
}

function Typing({ channelId }: { channelId: string }): JSX.Element {
  const { store } = useClient();
  const say = useWords();
  const typing = useStore((s) => s.typing[channelId]);
  const names = useStore((s) =>
    Object.keys(s.typing[channelId] ?? {})
      .map((id) => nameOf(s, id))
      .join(", "),
  );
  useEffect(() => {
    if (!typing) return;
    const timer = setInterval(() => store.act({ type: "tick", now: Date.now() }), 1000);
    return () => clearInterval(timer);
  }, [typing, store]);
  const count = Object.keys(typing ?? {}).length;
  return (
    <p class="typing" role="status">
      {count > 0 && (
        <>
          <span class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {count > 3 ? say("manyTyping") : say(count === 1 ? "oneTyping" : "someTyping", { name: names })}
        </>
      )}
    </p>
  );
}

interface Drop {
  over: boolean;
  handlers: Record<string, (event: DragEvent) => void>;
}

/** Files dragged over the channel; entering a child counts, so that the veil does not flicker. */
function useDrop(take: (files: File[]) => void): Drop {
  const [depth, setDepth] = useState(0);
  const has = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  return {
    over: depth > 0,
    handlers: {
      onDragEnter: (event) => {
        if (has(event)) setDepth((d) => d + 1);
      },
      onDragLeave: (event) => {
        if (has(event)) setDepth((d) => Math.max(0, d - 1));
      },
      onDragOver: (event) => {
        if (has(event)) event.preventDefault();
      },
      onDrop: (event) => {
        setDepth(0);
        if (!event.dataTransfer?.files.length) return;
        event.preventDefault();
        take([...event.dataTransfer.files]);
      },
    },
  };
}
