/** A channel's threads in one list: those that are open, and the archived ones, which are asked for when it opens. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { arrows } from "./controls.tsx";
import { IconButton } from "../icons.tsx";
import { isThread, type Channel } from "../state/model.ts";
import { Popover } from "./popover.tsx";
import { shortTime } from "../state/times.ts";
import { useAttempt, useClient, useStore, useWords } from "../ui.ts";

export function ThreadsButton({ channel }: { channel: Channel }): JSX.Element {
  const say = useWords();
  const [anchor, setAnchor] = useState<HTMLElement | undefined>();
  const close = (): void => setAnchor(undefined);
  return (
    <>
      <IconButton
        icon="threads"
        label={say("threads")}
        pressed={anchor !== undefined}
        onClick={(e) => setAnchor(anchor ? undefined : (e.currentTarget as HTMLElement))}
      />
      {anchor && (
        <Popover anchor={anchor} label={say("threads")} onClose={close}>
          <ThreadList channel={channel} onClose={close} />
        </Popover>
      )}
    </>
  );
}

function ThreadList({ channel, onClose }: { channel: Channel; onClose: () => void }): JSX.Element {
  const { archivedThreads } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  const [asked, setAsked] = useState(false);
  const channels = useStore((s) => s.channels);
  const threads = useMemo(
    () => Object.values(channels).filter((c) => isThread(c) && c.parent_id === channel.id),
    [channels, channel.id],
  );
  useEffect(() => attempt(archivedThreads(channel.id).finally(() => setAsked(true))), [channel.id]);
  const open = threads.filter((t) => !t.thread_metadata?.archived);
  const archived = threads.filter((t) => t.thread_metadata?.archived);
  return (
    <div class="thread-list" onKeyDown={arrows}>
      <Group title={say("activeThreads")} threads={open} onClose={onClose} />
      <Group title={say("archivedThreads")} threads={archived} onClose={onClose} />
      {asked && threads.length === 0 && <p class="subtext">{say("noThreads")}</p>}
    </div>
  );
}

function Group({
  title,
  threads,
  onClose,
}: {
  title: string;
  threads: Channel[];
  onClose: () => void;
}): JSX.Element | null {
  const { open, locale } = useClient();
  const attempt = useAttempt();
  if (threads.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      {threads.map((thread) => (
        <button
          key={thread.id}
          type="button"
          class="thread-item"
          onClick={() => {
            onClose();
            attempt(open(thread.id));
          }}
        >
          <b>{thread.name}</b>
          <small>
            {thread.thread_metadata?.archive_timestamp
              ? shortTime(Date.parse(thread.thread_metadata.archive_timestamp), Date.now(), locale)
              : ""}
          </small>
        </button>
      ))}
    </section>
  );
}
