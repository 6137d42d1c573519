/** What can be done with a message: the toolbar that comes with hover, focus or a tap, and its keys. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { EmojiPicker } from "../composer/emoji-picker.tsx";
import { IconButton } from "../icons.tsx";
import { FLAG, has, isThread, type Message } from "../state/model.ts";
import { Dialog, Popover } from "./popover.tsx";
import { useAttempt, useClient, useStore, useWords } from "../ui.ts";

type Asking = "delete" | "thread" | undefined;

export interface Doing {
  mine: boolean;
  picking: HTMLElement | undefined;
  asking: Asking;
  pickEmoji: (anchor: HTMLElement | undefined) => void;
  ask: (asking: Asking) => void;
  edit: () => void;
  reply: () => void;
  copy: () => void;
  key: (event: KeyboardEvent) => void;
}

interface Acting {
  message: Message;
  onEdit: (message: Message) => void;
  onReply: (message: Message) => void;
}

/** The actions of one message; `key` is what its keys do while the row has the focus. */
export function useActions({ message, onEdit, onReply }: Acting): Doing {
  const [picking, pickEmoji] = useState<HTMLElement | undefined>();
  const [asking, ask] = useState<Asking>();
  const mine = useStore((s) => s.me?.id === message.author.id);
  const edit = (): void => onEdit(message);
  const reply = (): void => onReply(message);
  const copy = (): void => void navigator.clipboard.writeText(message.content);
  const key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || message.local) return;
    const row = event.currentTarget as HTMLElement;
    const keys: Record<string, () => void> = {
      r: reply,
      c: copy,
      "+": () => pickEmoji(row),
      Delete: () => ask("delete"),
      ...(mine ? { e: edit } : {}),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  return { mine, picking, asking, pickEmoji, ask, edit, reply, copy, key };
}

export function MessageActions({ message, doing }: { message: Message; doing: Doing }): JSX.Element {
  const { react } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  const private_ = has(message, FLAG.ephemeral);
  const inThread = useStore((s) => {
    const channel = s.channels[message.channel_id];
    return channel === undefined || isThread(channel);
  });
  return (
    <div class={doing.picking ? "actions open" : "actions"} role="toolbar" aria-label={say("messageActions")}>
      {!private_ && (
        <IconButton
          icon="smile"
          label={say("addReaction")}
          onClick={(e) => doing.pickEmoji(e.currentTarget as HTMLElement)}
        />
      )}
      {!private_ && <IconButton icon="reply" label={say("reply")} onClick={doing.reply} />}
      {doing.mine && !private_ && <IconButton icon="edit" label={say("edit")} onClick={doing.edit} />}
      {!inThread && !private_ && !message.thread && (
        <IconButton icon="thread" label={say("createThread")} onClick={() => doing.ask("thread")} />
      )}
      <IconButton icon="copy" label={say("copy")} onClick={doing.copy} />
      {!private_ && (
        <IconButton icon="trash" class="danger" label={say("delete")} onClick={() => doing.ask("delete")} />
      )}
      {doing.picking && (
        <Popover anchor={doing.picking} label={say("addReaction")} onClose={() => doing.pickEmoji(undefined)}>
          <EmojiPicker
            onPick={(character) => {
              doing.pickEmoji(undefined);
              attempt(react(message, { name: character }, true));
            }}
          />
        </Popover>
      )}
      {doing.asking === "delete" && <AskDelete message={message} onClose={() => doing.ask(undefined)} />}
      {doing.asking === "thread" && <AskThread message={message} onClose={() => doing.ask(undefined)} />}
    </div>
  );
}

function AskDelete({ message, onClose }: { message: Message; onClose: () => void }): JSX.Element {
  const { remove } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  return (
    <Dialog label={say("deleteMessage")} onClose={onClose}>
      <h2>{say("deleteMessage")}</h2>
      <p>{say("deleteSure")}</p>
      <blockquote class="preview">{message.content.slice(0, 300)}</blockquote>
      <footer>
        <button type="button" class="button secondary" onClick={onClose}>
          {say("cancel")}
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            onClose();
            attempt(remove(message));
          }}
        >
          {say("delete")}
        </button>
      </footer>
    </Dialog>
  );
}

function AskThread({ message, onClose }: { message: Message; onClose: () => void }): JSX.Element {
  const { createThread, open } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  const [name, setName] = useState(message.content.split("\n")[0]?.slice(0, 40) ?? "");
  const create = (event: Event): void => {
    event.preventDefault();
    onClose();
    attempt(createThread(message, name.trim() || say("newThread")).then((thread) => open(thread.id)));
  };
  return (
    <Dialog label={say("createThread")} onClose={onClose}>
      <form onSubmit={create}>
        <h2>{say("createThread")}</h2>
        <label for="thread-name">{say("threadName")}</label>
        <input
          id="thread-name"
          type="text"
          value={name}
          maxLength={100}
          autocomplete="off"
          onInput={(e) => setName(e.currentTarget.value)}
        />
        <footer>
          <button type="button" class="button secondary" onClick={onClose}>
            {say("cancel")}
          </button>
          <button type="submit" class="button primary">
            {say("create")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
