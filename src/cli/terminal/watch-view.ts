/**
 * The display of `bellhop watch`: each message on a line that stays, and below them one status line that is updated in
 * place. Pure except for the two functions it writes through; control sequences from Discord never reach the terminal.
 */
import { terminalLine } from "../../base/terminal-text.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { WatchPart } from "../../protocol/watch.ts";
import type { Screen } from "../io.ts";
import { localTime } from "./time.ts";

export interface WatchOutput {
  write(text: string): unknown;
  /** Where a line can be updated in place; without it the status is printed again only when it changes. */
  screen: Screen | undefined;
}

const CHANNELS_NAMED = 3;
const AUTHOR = 32;
const NAME = 40;
const LONGEST = 2_000;
const CLEAR = "\r\x1b[K";

export class WatchView {
  readonly #locale: Locale;
  readonly #output: WatchOutput;
  #status = "";
  readonly #names = new Map<string, string>();
  #refused = new Set<string>();
  #parts = 0;

  constructor(locale: Locale, output: WatchOutput) {
    this.#locale = locale;
    this.#output = output;
  }

  /** @param now for display, such as `12:30:05` */
  show(part: WatchPart, now: string): void {
    for (const channel of part.channels) this.#names.set(channel.channel_id, nameOf(channel));
    for (const { channel_id, thread_id, author, content, timestamp } of part.fresh) {
      const where = [this.#names.get(channel_id) ?? channel_id, ...(thread_id === null ? [] : [thread_id])].join("/");
      this.#line(
        [timeOf(timestamp), where, `${terminalLine(author, AUTHOR)}:`, terminalLine(content, LONGEST)].join("  "),
      );
    }
    this.#parts += 1;
    for (const { channel_id, watched } of part.channels) this.#note(channel_id, watched);
    this.#renew(statusOf(part, this.#locale), now);
  }

  /** Prints a notice: the daemon went away, or is back. */
  say(text: string): void {
    this.#line(text);
  }

  /** Leaves the cursor below the output. */
  end(): void {
    if (this.#output.screen && this.#status !== "") this.#output.write("\n");
  }

  /** A channel is queried before it is watched, so only the second result counts. */
  #note(id: string, watched: boolean): void {
    const channel = this.#names.get(id) ?? id;
    if (watched) this.#refused.delete(channel);
    else if (this.#parts > 1 && !this.#refused.has(channel)) {
      this.#refused.add(channel);
      this.#line(say(this.#locale, "cli.watch.refused", { channel }));
    }
  }

  #line(text: string): void {
    const { screen, write } = this.#output;
    screen?.draw(CLEAR);
    write(`${text}\n`);
  }

  #renew(status: string, now: string): void {
    const { screen, write } = this.#output;
    if (screen === undefined) {
      if (status !== this.#status) write(`${status}\n`);
    } else {
      screen.draw(CLEAR);
      write(terminalLine(`${status} · ${now}`, Math.max(20, screen.columns - 1)));
    }
    this.#status = status;
  }
}

/** Without the time, so that it does not change while nothing changes. */
export function statusOf({ phase, channels }: WatchPart, locale: Locale): string {
  const named = channels.slice(0, CHANNELS_NAMED).map(({ unread, ...channel }) => `${nameOf(channel)} (${unread})`);
  const more = channels.length > CHANNELS_NAMED ? ` +${channels.length - CHANNELS_NAMED}` : "";
  const unread = unreadIn(channels);
  // A channel that Discord does not let us read sends nothing, even with a good connection.
  const readable = channels.some(({ watched }) => watched);
  const how = say(locale, phase !== "live" ? "cli.watch.away" : readable ? "cli.watch.live" : "cli.watch.unreadable");
  return `${phase === "live" && readable ? "●" : "○"} ${named.join(", ")}${more} · ${say(locale, "cli.watch.unread", { unread })} · ${how}`;
}

/** The channel's name on Discord; its id if that is not known. */
function nameOf({ channel_id, name }: Pick<WatchPart["channels"][number], "channel_id" | "name">): string {
  return name === null || name === "" ? channel_id : `#${terminalLine(name, NAME)}`;
}

export function unreadIn(channels: WatchPart["channels"]): number {
  return channels.reduce((sum, { unread }) => sum + unread, 0);
}

/** In this machine's time zone, like the status line. */
function timeOf(timestamp: string): string {
  return Number.isNaN(Date.parse(timestamp)) ? "--:--:--" : localTime(timestamp).slice(-8);
}
