/**
 * What a watcher shows: each message as a line of its own that stays, and below them one line that is renewed in
 * place and says how things stand. Pure but for the two functions it writes through; nothing that somebody wrote on
 * Discord is ever obeyed by the terminal.
 */
import { oneLine } from "../base/text.ts";
import { say, type Locale } from "../base/words/say.ts";
import type { WatchPart } from "../link/watch.ts";
import { localTime } from "./time.ts";

export interface WatchScreen {
  write(text: string): unknown;
  /** Whether a line can be renewed in place; where not, it is written anew only when it says something else. */
  terminal: boolean;
  columns: number;
}

const CHANNELS_NAMED = 3;
const AUTHOR = 32;
const LONGEST = 2_000;
const CLEAR = "\r\x1b[K";

export class WatchView {
  readonly #locale: Locale;
  readonly #screen: WatchScreen;
  #status = "";
  #refused = new Set<string>();
  #parts = 0;

  constructor(locale: Locale, screen: WatchScreen) {
    this.#locale = locale;
    this.#screen = screen;
  }

  /** @param now for people, such as `12:30:05` */
  show(part: WatchPart, now: string): void {
    for (const { channel_id, thread_id, author, content, timestamp } of part.fresh) {
      const where = thread_id ?? channel_id;
      this.#line([timeOf(timestamp), where, `${oneLine(author, AUTHOR)}:`, oneLine(content, LONGEST)].join("  "));
    }
    this.#parts += 1;
    for (const { channel_id, watched } of part.channels) this.#note(channel_id, watched);
    this.#renew(statusOf(part, this.#locale), now);
  }

  /** What is said beside the messages: the daemon went away, or is back. */
  say(text: string): void {
    this.#line(text);
  }

  /** Leaves the cursor below what was shown. */
  end(): void {
    if (this.#screen.terminal && this.#status !== "") this.#screen.write("\n");
  }

  /** A channel is asked for before it is watched, so only the second look counts. */
  #note(channel: string, watched: boolean): void {
    if (watched) this.#refused.delete(channel);
    else if (this.#parts > 1 && !this.#refused.has(channel)) {
      this.#refused.add(channel);
      this.#line(say(this.#locale, "cli.watch.refused", { channel }));
    }
  }

  #line(text: string): void {
    const { terminal, write } = this.#screen;
    write(`${terminal ? CLEAR : ""}${text}\n`);
  }

  #renew(status: string, now: string): void {
    const { terminal, columns, write } = this.#screen;
    if (!terminal) {
      if (status !== this.#status) write(`${status}\n`);
    } else write(`${CLEAR}${oneLine(`${status} · ${now}`, Math.max(20, columns - 1))}`);
    this.#status = status;
  }
}

/** Without the time, so that it stays the same for as long as nothing changes. */
export function statusOf({ phase, channels }: WatchPart, locale: Locale): string {
  const named = channels.slice(0, CHANNELS_NAMED).map(({ channel_id, unread }) => `${channel_id} (${unread})`);
  const more = channels.length > CHANNELS_NAMED ? ` +${channels.length - CHANNELS_NAMED}` : "";
  const unread = unreadIn(channels);
  const how = phase === "live" ? say(locale, "cli.watch.live") : say(locale, "cli.watch.away");
  return `${phase === "live" ? "●" : "○"} ${named.join(", ")}${more} · ${say(locale, "cli.watch.unread", { unread })} · ${how}`;
}

export function unreadIn(channels: WatchPart["channels"]): number {
  return channels.reduce((sum, { unread }) => sum + unread, 0);
}

/** In this machine's own zone, as the line below has it. */
function timeOf(timestamp: string): string {
  return Number.isNaN(Date.parse(timestamp)) ? "--:--:--" : localTime(timestamp).slice(-8);
}
