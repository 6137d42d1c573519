/** The guild's channels with their threads beneath them, what is unread, and who one is. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { sectionsOf, type Listed } from "../state/directory.ts";
import { Avatar, Icon, IconButton } from "../icons.tsx";
import { isTextual, type Channel } from "../state/model.ts";
import { nameOf } from "../state/state.ts";
import { nextTheme, useTheme } from "../theme.ts";
import { isUnread } from "../state/timeline.ts";
import { useAttempt, useClient, useStore, useWords } from "../ui.ts";

export function Sidebar({
  guildId,
  open,
  onGuild,
  onPicked,
}: {
  guildId: string;
  open: boolean;
  onGuild: (id: string) => void;
  onPicked: () => void;
}): JSX.Element {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (open) nav.current?.querySelector<HTMLElement>("[aria-current], .channel")?.focus();
  }, [open]);
  const say = useWords();
  const guilds = useStore((s) => s.guilds);
  const channels = useStore((s) => s.channels);
  const here = useStore((s) => s.here);
  const sections = useMemo(() => sectionsOf(channels, guildId, here), [channels, guildId, here]);
  const all = Object.values(guilds);
  return (
    <nav ref={nav} class="sidebar" aria-label={say("channels")}>
      <header class="guild-name">
        {all.length > 1 ? (
          <select aria-label={say("guild")} value={guildId} onChange={(e) => onGuild(e.currentTarget.value)}>
            {all.map((g) => (
              <option key={g.id} value={g.id}>
                {g.name}
              </option>
            ))}
          </select>
        ) : (
          <h1>{guilds[guildId]?.name ?? ""}</h1>
        )}
        <IconButton icon="close" class="only-narrow" label={say("closeMenu")} onClick={onPicked} />
      </header>
      <div class="channels">
        {sections.map(({ category, channels: listed }) => (
          <section key={category?.id ?? "top"}>
            {category && <h2 class="category">{category.name}</h2>}
            <ul>
              {listed.map((item) => (
                <ChannelItem key={item.channel.id} item={item} onPicked={onPicked} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      <Me />
    </nav>
  );
}

function ChannelItem({ item, onPicked }: { item: Listed; onPicked: () => void }): JSX.Element {
  return (
    <li>
      <ChannelLink channel={item.channel} onPicked={onPicked} />
      {item.threads.length > 0 && (
        <ul class="threads">
          {item.threads.map((thread) => (
            <li key={thread.id}>
              <ChannelLink channel={thread} onPicked={onPicked} inThread />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function ChannelLink({
  channel,
  onPicked,
  inThread = false,
}: {
  channel: Channel;
  onPicked: () => void;
  inThread?: boolean;
}): JSX.Element {
  const { open } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  const current = useStore((s) => s.here === channel.id);
  const unread = useStore((s) => isUnread(channel, s.read[channel.id])) && !current;
  const typing = useStore((s) => s.typing[channel.id] !== undefined);
  return (
    <button
      type="button"
      class={unread ? "channel unread" : "channel"}
      aria-current={current ? "page" : undefined}
      disabled={!isTextual(channel)}
      onClick={() => {
        attempt(open(channel.id));
        onPicked();
      }}
    >
      {!inThread && <Icon name="hash" size={18} />}
      <span class="channel-name">{channel.name}</span>
      {channel.thread_metadata?.archived && <Icon name="archive" size={14} />}
      {typing && (
        <span class="dots small" title={say("someoneTyping")}>
          <i />
          <i />
          <i />
        </span>
      )}
      {unread && (
        <span class="unread-mark">
          <span class="unseen">{say("unread")}</span>
        </span>
      )}
    </button>
  );
}

function Me(): JSX.Element | null {
  const say = useWords();
  const me = useStore((s) => s.me);
  const name = useStore((s) => (s.me ? nameOf(s, s.me) : ""));
  const phase = useStore((s) => s.phase);
  const [theme, setTheme] = useTheme();
  if (!me) return null;
  const icon = theme === "dark" ? "moon" : theme === "light" ? "sun" : "auto";
  return (
    <footer class="self">
      <span class="self-avatar">
        <Avatar id={me.id} name={name} />
        <i class={`presence ${phase}`} />
      </span>
      <span class="self-name">
        <b>{name}</b>
        <small>{phase === "live" ? say("online") : say("reconnecting")}</small>
      </span>
      <IconButton icon={icon} label={say(`theme_${theme}`)} onClick={() => setTheme(nextTheme(theme))} />
    </footer>
  );
}
