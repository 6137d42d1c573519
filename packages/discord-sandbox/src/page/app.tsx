/** The whole page: what to show in each state of the connection, the two panes, and the drawer on narrow screens. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ChannelView } from "./views/channel-view.tsx";
import { firstChannel } from "./state/directory.ts";
import { IconButton } from "./icons.tsx";
import { ModalHost } from "./views/modal.tsx";
import { Sidebar } from "./views/sidebar.tsx";
import { isUnread } from "./state/timeline.ts";
import { useAttempt, useClient, useStore, useWords, type Say } from "./ui.ts";
import type { PageWord } from "./words/words.ts";

export function App(): JSX.Element {
  const say = useWords();
  const phase = useStore((s) => s.phase);
  const known = useStore((s) => Object.keys(s.guilds).length > 0);
  if (phase === "refused") return <Notice say={say} title="refusedTitle" text="refusedText" />;
  if (!known)
    return <Notice say={say} title="connectingTitle" text={phase === "live" ? "noGuild" : "connectingText"} busy />;
  return <Panes />;
}

/** A page of its own for when there is nothing else to show. */
export function Notice({
  say,
  title,
  text,
  busy = false,
}: {
  say: Say;
  title: PageWord;
  text: PageWord;
  busy?: boolean;
}): JSX.Element {
  return (
    <main class="notice" aria-live="polite">
      {busy && (
        <span class="dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
      )}
      <h1>{say(title)}</h1>
      <p>{say(text)}</p>
    </main>
  );
}

function Panes(): JSX.Element {
  const say = useWords();
  const here = useStore((s) => (s.here ? s.channels[s.here] : undefined));
  const guilds = useStore((s) => s.guilds);
  const [picked, setPicked] = useState<string | undefined>();
  const [drawer, setDrawer] = useState(false);
  const guildId = picked ?? here?.guild_id ?? Object.keys(guilds)[0] ?? "";
  useFirstChannel();
  useTitle();
  return (
    <div
      class={drawer ? "app drawer-open" : "app"}
      onKeyDown={(event) => {
        if (event.key === "Escape") setDrawer(false);
      }}
    >
      <Sidebar guildId={guildId} open={drawer} onGuild={setPicked} onPicked={() => setDrawer(false)} />
      <button type="button" class="veil" aria-label={say("closeMenu")} tabIndex={-1} onClick={() => setDrawer(false)} />
      <div class="pane" inert={drawer}>
        <Connection />
        {here ? (
          <ChannelView key={here.id} channel={here} onMenu={() => setDrawer(true)} />
        ) : (
          <Notice say={say} title="nothingOpenTitle" text="nothingOpenText" />
        )}
      </div>
      <ModalHost />
      <Toast />
    </div>
  );
}

/** Opens what the address names, else the first channel; and again when the open one is deleted. */
function useFirstChannel(): void {
  const { open, store } = useClient();
  const attempt = useAttempt();
  const here = useStore((s) => s.here);
  const any = useStore((s) => Object.keys(s.channels).length);
  useEffect(() => {
    const { channels } = store.get();
    const named = channelInAddress();
    const first = (named && channels[named]) || firstChannel(channels);
    if (!here && first) attempt(open(first.id));
  }, [here, any]);
  useEffect(() => {
    if (here && channelInAddress() !== here) history.pushState(null, "", `#channel=${here}`);
  }, [here]);
  useEffect(() => {
    const back = (): void => {
      const id = channelInAddress();
      if (id && store.get().channels[id]) attempt(open(id));
    };
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
}

function channelInAddress(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get("channel") ?? undefined;
}

function useTitle(): void {
  const name = useStore((s) => (s.here ? (s.channels[s.here]?.name ?? "") : ""));
  const unread = useStore((s) =>
    Object.values(s.channels).some((c) => s.read[c.id] !== undefined && isUnread(c, s.read[c.id])),
  );
  const guild = useStore((s) => s.guilds[s.channels[s.here ?? ""]?.guild_id ?? ""]?.name ?? "Discord sandbox");
  useEffect(() => {
    document.title = `${unread ? "• " : ""}${name ? `#${name} · ` : ""}${guild}`;
  }, [name, guild, unread]);
}

function Connection(): JSX.Element | null {
  const say = useWords();
  const phase = useStore((s) => s.phase);
  if (phase === "live") return null;
  return (
    <p class="connection" role="status">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {say("reconnectingLong")}
    </p>
  );
}

function Toast(): JSX.Element | null {
  const { store } = useClient();
  const say = useWords();
  const notice = useStore((s) => s.notice);
  const close = (): void => store.act({ type: "notice", notice: undefined });
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(close, 8000);
    return () => clearTimeout(timer);
  }, [notice]);
  if (!notice) return null;
  return (
    <div class="toast" role="alert">
      <span>
        {say("refusedAction")} {notice.text}
      </span>
      <IconButton icon="close" size={16} label={say("dismiss")} onClick={close} />
    </div>
  );
}
