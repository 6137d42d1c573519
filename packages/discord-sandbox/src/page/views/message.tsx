/**
 * One message as a row: who wrote it and when, what it replies to, what it says, and what one can do with it. It is
 * drawn again only when the message itself has changed, so a streaming neighbour costs nothing.
 */
import { Component, type JSX } from "preact";
import { useRef } from "preact/hooks";
import { Controls } from "./controls.tsx";
import { AttachmentView, EmbedView, Reactions } from "./embed.tsx";
import { Editor } from "../composer/editor.tsx";
import { Avatar, Icon } from "../icons.tsx";
import { InlineMarkdown, Markdown } from "../text/markdown-view.tsx";
import { MessageActions, useActions, type Doing } from "./message-actions.tsx";
import { FLAG, has, MESSAGE, type Message } from "../state/model.ts";
import { nameOf } from "../state/state.ts";
import { isSystem } from "../state/timeline.ts";
import { shortTime, timeText } from "../state/times.ts";
import { isTouch, useClient, useNow, useStore, useWords } from "../ui.ts";

export interface MessageProps {
  message: Message;
  opens: boolean;
  editing: boolean;
  onEdit: (message: Message | undefined) => void;
  onReply: (message: Message) => void;
}

export class MessageRow extends Component<MessageProps> {
  override shouldComponentUpdate(next: MessageProps): boolean {
    const { message, opens, editing } = this.props;
    return next.message !== message || next.opens !== opens || next.editing !== editing;
  }

  override render(): JSX.Element {
    return <Row {...this.props} />;
  }
}

function Row(props: MessageProps): JSX.Element {
  const { message, opens, editing, onEdit } = props;
  const row = useRef<HTMLLIElement>(null);
  const mine = useStore((s) => s.me?.id);
  const mentioned = message.mention_everyone || (message.mentions ?? []).some((u) => u.id === mine);
  const doing = useActions(props);
  const classes = [
    "message",
    opens && "opens",
    message.local && `local-${message.local.state}`,
    has(message, FLAG.ephemeral) && "ephemeral",
    mentioned && message.author.id !== mine && "mentions-me",
  ]
    .filter(Boolean)
    .join(" ");
  if (isSystem(message)) return <SystemRow message={message} />;
  return (
    <li
      ref={row}
      class={classes}
      data-id={message.id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.target === row.current) doing.key(event);
      }}
      onClick={(event) => {
        if (isTouch() && !(event.target as Element).closest("a, button, input, textarea"))
          row.current?.focus({ preventScroll: true });
      }}
    >
      <Reference message={message} />
      {opens && <Author message={message} />}
      <div class="message-body">
        {!opens && <HoverTime message={message} />}
        {editing ? <Editor message={message} onDone={() => onEdit(undefined)} /> : <Body message={message} />}
        <Extras message={message} doing={doing} />
      </div>
      {!editing && !message.local && <MessageActions message={message} doing={doing} />}
    </li>
  );
}

function Author({ message }: { message: Message }): JSX.Element {
  const { locale } = useClient();
  const say = useWords();
  const now = useNow(60_000);
  const name = useStore((s) => nameOf(s, message.author));
  const at = Date.parse(message.timestamp);
  return (
    <div class="author">
      <Avatar id={message.author.id} name={name} />
      <span class="author-name">{name}</span>
      {message.author.bot && <span class="tag">{say("bot")}</span>}
      <time dateTime={message.timestamp} title={timeText(at, "F", now, locale)}>
        {shortTime(at, now, locale)}
      </time>
    </div>
  );
}

function HoverTime({ message }: { message: Message }): JSX.Element {
  const { locale } = useClient();
  const at = Date.parse(message.timestamp);
  return (
    <time class="hover-time" dateTime={message.timestamp} title={timeText(at, "F", at, locale)}>
      {timeText(at, "t", at, locale)}
    </time>
  );
}

function Body({ message }: { message: Message }): JSX.Element {
  const say = useWords();
  if (has(message, FLAG.loading) && message.content === "") {
    return (
      <p class="thinking">
        <span class="dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        {say("thinking")}
      </p>
    );
  }
  return (
    <div class="content">
      {message.content !== "" && <Markdown text={message.content} jumbo />}
      {message.edited_timestamp && message.content !== "" && (
        <span class="edited" title={message.edited_timestamp}>
          {say("edited")}
        </span>
      )}
    </div>
  );
}

function Extras({ message, doing }: { message: Message; doing: Doing }): JSX.Element {
  const hasReactions = (message.reactions ?? []).length > 0;
  return (
    <>
      {(message.attachments ?? []).length > 0 && !has(message, FLAG.componentsV2) && (
        <div class="attachments">
          {message.attachments?.map((a) => (
            <AttachmentView key={a.id} attachment={a} />
          ))}
        </div>
      )}
      {!has(message, FLAG.suppressEmbeds) && message.embeds?.map((embed, i) => <EmbedView key={i} embed={embed} />)}
      {(message.components ?? []).length > 0 && <Controls message={message} />}
      {message.thread && <ThreadChip message={message} />}
      {hasReactions && <Reactions message={message} onAdd={doing.pickEmoji} />}
      {message.local?.state === "failed" && <Unsent message={message} />}
      {has(message, FLAG.ephemeral) && <OnlyYou message={message} />}
    </>
  );
}

/** Above a message: the message it replies to, or the command it answers. */
function Reference({ message }: { message: Message }): JSX.Element | null {
  const say = useWords();
  const by = message.interaction_metadata?.user ?? message.interaction?.user;
  const byName = useStore((s) => (by ? nameOf(s, by) : ""));
  const to = message.referenced_message;
  const toName = useStore((s) => (to ? nameOf(s, to.author) : ""));
  const command = message.interaction?.name ?? message.interaction_metadata?.name;
  if (by && message.type === MESSAGE.command) {
    return (
      <div class="reference">
        <Avatar id={by.id} name={byName} small />
        <span>
          <b>{byName}</b> {say("used")} <span class="mention">/{command ?? "…"}</span>
        </span>
      </div>
    );
  }
  if (message.type !== MESSAGE.reply) return null;
  if (!to)
    return (
      <div class="reference">
        <i>{say("originalGone")}</i>
      </div>
    );
  return (
    <button
      type="button"
      class="reference"
      aria-label={say("goToOriginal", { name: toName })}
      onClick={() => goTo(to.id)}
    >
      <Avatar id={to.author.id} name={toName} small />
      <b>{toName}</b>
      <span class="reference-text">
        {to.content ? (
          <InlineMarkdown text={to.content.split("\n")[0]?.slice(0, 200) ?? ""} />
        ) : (
          <i>{say("attachmentOnly")}</i>
        )}
      </span>
    </button>
  );
}

function goTo(id: string): void {
  const row = document.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
  row?.scrollIntoView({ block: "center" });
  row?.focus();
}

function ThreadChip({ message }: { message: Message }): JSX.Element | null {
  const { open } = useClient();
  const say = useWords();
  const thread = useStore((s) => s.channels[message.thread?.id ?? ""]) ?? message.thread;
  if (!thread) return null;
  return (
    <button type="button" class="thread-chip" onClick={() => void open(thread.id)}>
      <Icon name="thread" size={18} />
      <b>{thread.name}</b>
      <span>
        {thread.message_count === 1 ? say("oneMessage") : say("messageCount", { count: thread.message_count ?? 0 })}
      </span>
    </button>
  );
}

function Unsent({ message }: { message: Message }): JSX.Element {
  const { retry, remove } = useClient();
  const say = useWords();
  return (
    <p class="failed" role="alert">
      {say("unsent")}
      {message.local?.reason ? ` ${message.local.reason}` : ""}{" "}
      <button type="button" class="text-button" onClick={() => retry(message)}>
        {say("tryAgain")}
      </button>
      {" · "}
      <button type="button" class="text-button" onClick={() => void remove(message)}>
        {say("discard")}
      </button>
    </p>
  );
}

function OnlyYou({ message }: { message: Message }): JSX.Element {
  const { store } = useClient();
  const say = useWords();
  const dismiss = (): void => store.act({ type: "forget", channelId: message.channel_id, ids: [message.id] });
  return (
    <p class="only-you">
      <Icon name="eye" size={14} />
      {say("onlyYou")}
      {" · "}
      <button type="button" class="text-button" onClick={dismiss}>
        {say("dismiss")}
      </button>
    </p>
  );
}

function SystemRow({ message }: { message: Message }): JSX.Element {
  const { open, locale } = useClient();
  const say = useWords();
  const now = useNow(60_000);
  const name = useStore((s) => nameOf(s, message.author));
  const thread = message.type === MESSAGE.threadCreated ? message.message_reference?.channel_id : undefined;
  const to = message.referenced_message;
  if (message.type === MESSAGE.threadStarter && to)
    return <MessageRow message={to} opens editing={false} onEdit={() => undefined} onReply={() => undefined} />;
  return (
    <li class="message system" data-id={message.id} tabIndex={-1}>
      <Icon name={thread ? "thread" : "arrow"} size={18} />
      <span>
        <b>{name}</b>{" "}
        {thread
          ? say("startedThread")
          : message.type === MESSAGE.join
            ? say("joined")
            : message.type === MESSAGE.pinned
              ? say("pinned")
              : message.content}{" "}
        {thread && (
          <button type="button" class="text-button strong" onClick={() => void open(thread)}>
            {message.content}
          </button>
        )}
        <time dateTime={message.timestamp}>{shortTime(Date.parse(message.timestamp), now, locale)}</time>
      </span>
    </li>
  );
}
