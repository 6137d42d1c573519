/**
 * Where one writes: text with suggestions, files by button, paste and drop, an answer to a message, and
 * slash commands. What is written and not sent stays with its channel.
 */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CommandEntry } from "./command-entry.tsx";
import { readTyped, type Entries, type Invocable } from "./commands.ts";
import { withEmoji } from "../text/emoji.ts";
import { EmojiPicker } from "./emoji-picker.tsx";
import { FileChips, useFiles, type Files } from "../views/files.tsx";
import { Icon, IconButton } from "../icons.tsx";
import { isThread, type Channel, type Message } from "../state/model.ts";
import { Popover } from "../views/popover.tsx";
import { nameOf } from "../state/state.ts";
import { filled } from "./suggest.ts";
import { moved, suggestionId, Suggestions, SUGGESTIONS_ID, type Suggestion } from "./suggestions.tsx";
import { fitHeight } from "./text-area.ts";
import { isComposing, isTouch, useClient, useStore, useWords } from "../ui.ts";
import { useCommands, useSuggestions } from "./use-suggestions.ts";

const MAX_CONTENT = 2000;
const COUNT_FROM = 1800;

/** The ways into the composer from elsewhere on the page: dropped files, a command that was pressed. */
export interface Intake {
  add: (files: readonly File[]) => void;
  begin: (invocable: Invocable) => void;
}

interface Props {
  intake: { current: Intake | undefined };
  channel: Channel;
  replyTo: Message | undefined;
  onReplied: () => void;
  onEditLast: () => void;
}

interface Command {
  invocable: Invocable;
  entries: Entries;
}

export function Composer({ intake, channel, replyTo, onReplied, onEditLast }: Props): JSX.Element {
  const draft = useDraft(channel.id);
  const files = useFiles();
  const [command, setCommand] = useState<Command | undefined>();
  // Before it is drawn: a key pressed on seeing the reply bar belongs here already.
  useLayoutEffect(() => {
    if (!isTouch() || replyTo) draft.area.current?.focus();
  }, [channel.id, replyTo, command]);
  const begin = (invocable: Invocable, entries: Entries = {}): void => {
    draft.write("");
    setCommand({ invocable, entries });
  };
  intake.current = { add: files.add, begin };
  if (command) {
    return (
      <div class="composer">
        <CommandEntry
          key={command.invocable.title}
          channelId={channel.id}
          invocable={command.invocable}
          first={command.entries}
          onLeave={(rest) => {
            setCommand(undefined);
            draft.write(rest);
          }}
        />
      </div>
    );
  }
  return (
    <Writing
      channel={channel}
      draft={draft}
      files={files}
      begin={begin}
      replyTo={replyTo}
      onReplied={onReplied}
      onEditLast={onEditLast}
    />
  );
}

interface Draft {
  area: { current: HTMLTextAreaElement | null };
  text: string;
  caret: number;
  write: (text: string, caret?: number) => void;
  setCaret: (caret: number) => void;
}

/** What is written in a channel and not sent; it is still there when one comes back to the channel. */
function useDraft(channelId: string): Draft {
  const { drafts } = useClient();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => drafts.get(channelId) ?? "");
  const [caret, setCaret] = useState(text.length);
  const write = (next: string, at = next.length): void => {
    setText(next);
    setCaret(at);
    drafts.set(channelId, next);
    requestAnimationFrame(() => area.current?.setSelectionRange(at, at));
  };
  return { area, text, caret, write, setCaret };
}

interface WritingProps {
  channel: Channel;
  draft: Draft;
  files: Files;
  begin: (invocable: Invocable, entries?: Entries) => void;
  replyTo: Message | undefined;
  onReplied: () => void;
  onEditLast: () => void;
}

function Writing({ channel, draft, files, begin, replyTo, onReplied, onEditLast }: WritingProps): JSX.Element {
  const { send } = useClient();
  const say = useWords();
  const { text, caret, write } = draft;
  const all = useCommands(channel.guild_id, text.startsWith("/"));
  const offered = useOffered(draft, all, begin);
  const over = text.length - MAX_CONTENT;
  const submit = (): void => {
    const typed = text.startsWith("/") ? readTyped(all, text.trim()) : undefined;
    if (typed) return begin(typed.invocable, typed.entries);
    const content = withEmoji(text.trim());
    if ((content === "" && files.chosen.length === 0) || content.length > MAX_CONTENT) return;
    void send(
      channel.id,
      content,
      files.chosen.map((f) => f.file),
      replyTo,
    );
    write("");
    files.clear();
    onReplied();
  };
  const key = (event: KeyboardEvent): void => {
    if (isComposing(event) || offered.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !isTouch()) {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape") onReplied();
    else if (event.key === "ArrowUp" && text === "") {
      event.preventDefault();
      onEditLast();
    }
  };
  return (
    <div class="composer">
      <Suggestions
        label={offered.label}
        items={offered.items}
        active={offered.active}
        note={text === "/" && all.length === 0 ? say("noCommands") : undefined}
      />
      {replyTo && <ReplyBar message={replyTo} onCancel={onReplied} />}
      <FileChips files={files} />
      <div class="composer-row">
        <IconButton icon="plus" label={say("upload")} onClick={files.browse} />
        <TextArea
          channel={channel}
          draft={draft}
          files={files}
          active={offered.items.length > 0 ? suggestionId(offered.active) : undefined}
          onKey={key}
        />
        {text.length > COUNT_FROM && (
          <span class={over > 0 ? "count over" : "count"} role="status">
            {MAX_CONTENT - text.length}
          </span>
        )}
        <EmojiButton
          onPick={(character) => write(text.slice(0, caret) + character + text.slice(caret), caret + character.length)}
        />
        <button
          type="button"
          class="send"
          aria-label={say("send")}
          title={say("send")}
          disabled={(text.trim() === "" && files.chosen.length === 0) || over > 0}
          onClick={submit}
        >
          <Icon name="send" />
        </button>
      </div>
      {over > 0 && (
        <p class="failed" role="alert">
          {say("tooLong", { count: over })}
        </p>
      )}
    </div>
  );
}

interface Offered {
  label: string;
  items: Suggestion[];
  active: number;
  key: (event: KeyboardEvent) => boolean;
}

/**
 * The list above the text and its keys; `key` says whether the press was the list's. Escape hides it until the text
 * changes.
 */
function useOffered(draft: Draft, all: readonly Invocable[], begin: WritingProps["begin"]): Offered {
  const { text, caret, write } = draft;
  const [active, setActive] = useState(0);
  const [hushed, setHushed] = useState("");
  const { label, items, asked } = useSuggestions(draft, all, {
    begin,
    insert(words) {
      const next = asked && filled(text, caret, asked, words);
      if (next) write(next.text, next.caret);
    },
  });
  useEffect(() => setActive(0), [text]);
  const shown = hushed === text ? [] : items;
  const key = (event: KeyboardEvent): boolean => {
    const to = moved(event.key, active, shown.length);
    const taken = (event.key === "Tab" || event.key === "Enter") && !event.shiftKey ? shown[active] : undefined;
    const hush = event.key === "Escape" && shown.length > 0;
    if (to !== undefined) setActive(to);
    if (hush) setHushed(text);
    taken?.take();
    if (to === undefined && !taken && !hush) return false;
    event.preventDefault();
    return true;
  };
  return { label, items: shown, active, key };
}

function TextArea({
  channel,
  draft,
  files,
  active,
  onKey,
}: {
  channel: Channel;
  draft: Draft;
  files: Files;
  active: string | undefined;
  onKey: (event: KeyboardEvent) => void;
}): JSX.Element {
  const { typing } = useClient();
  const say = useWords();
  const place = say(isThread(channel) ? "writeInThread" : "writeIn", { name: channel.name ?? "" });
  useLayoutEffect(() => fitHeight(draft.area.current), [draft.text]);
  return (
    <textarea
      ref={draft.area}
      rows={1}
      value={draft.text}
      placeholder={isTouch() ? say("writeShort") : place}
      aria-label={place}
      aria-autocomplete="list"
      aria-controls={SUGGESTIONS_ID}
      aria-activedescendant={active}
      onInput={({ currentTarget: area }) => {
        draft.write(area.value, area.selectionStart);
        if (area.value.trim() && !area.value.startsWith("/")) typing(channel.id);
      }}
      onSelect={(e) => draft.setCaret(e.currentTarget.selectionStart)}
      onKeyDown={onKey}
      onPaste={(e) => {
        if (!e.clipboardData?.files.length) return;
        e.preventDefault();
        files.add(e.clipboardData.files);
      }}
    />
  );
}

function ReplyBar({ message, onCancel }: { message: Message; onCancel: () => void }): JSX.Element {
  const say = useWords();
  const name = useStore((s) => nameOf(s, message.author));
  return (
    <div class="reply-bar">
      <Icon name="reply" size={16} />
      <span>{say("replyingTo", { name })}</span>
      <IconButton icon="close" size={16} label={say("cancel")} onClick={onCancel} />
    </div>
  );
}

function EmojiButton({ onPick }: { onPick: (character: string) => void }): JSX.Element {
  const say = useWords();
  const [anchor, setAnchor] = useState<HTMLElement | undefined>();
  return (
    <>
      <IconButton
        icon="smile"
        label={say("emoji")}
        class="emoji-button"
        onClick={(e) => setAnchor(anchor ? undefined : (e.currentTarget as HTMLElement))}
      />
      {anchor && (
        <Popover anchor={anchor} label={say("emoji")} onClose={() => setAnchor(undefined)}>
          <EmojiPicker
            onPick={(character) => {
              setAnchor(undefined);
              onPick(character);
            }}
          />
        </Popover>
      )}
    </>
  );
}
