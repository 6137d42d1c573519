/**
 * `bellhop watch`, also as `discord-watch`: shows new messages in the watched channels, in its terminal and in the
 * title of its tmux pane. The daemon watches them and this only displays: when it ends nothing is lost, and what is
 * written meanwhile is in the inbox.
 */
import { systemClock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { isSnowflake } from "../base/ids.ts";
import { jsonForTerminal, terminalLine } from "../base/terminal-text.ts";
import { say, type Locale } from "../base/words/say.ts";
import { tokenMissing } from "../config/token.ts";
import { openPane } from "../host/terminal/pane.ts";
import { MOST_INTERVAL } from "../protocol/fields.ts";
import type { WatchParams, WatchPart } from "../protocol/watch.ts";
import { ClientConnection } from "../client/daemon-connection.ts";
import { clientSettings, type ClientSettings } from "../client/settings.ts";
import { startDaemon } from "../client/start-daemon.ts";
import { localeOf, type Io, type StdoutScreen } from "./io.ts";
import { readOptions, wholeNumber, WrongCall } from "./options.ts";
import { localTime, zoneOf } from "./terminal/time.ts";

/** Prefix of our titles. */
const TITLE = "📥 Discord";

/**
 * Resolves with 0 when it is told to stop.
 * @param argv `[--interval seconds] [--channel id …] [--json]`
 * @throws E_CONFIG_INVALID, E_NO_DAEMON if none can be started or reached, errors of the daemon
 */
export async function watch(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    interval: { type: "string" },
    channel: { type: "string", multiple: true },
    json: { type: "boolean" },
  });
  const interval_seconds = wholeNumber("--interval", values.interval ?? "10", 1, MOST_INTERVAL);
  const channels = (values.channel ?? []).flatMap((text) => text.split(",")).map((text) => text.trim());
  const wrong = channels.find((id) => !isSnowflake(id));
  if (wrong !== undefined)
    throw new WrongCall("cli.watch.wrong_channel", { channel: JSON.stringify(wrong).slice(0, 80) });
  const client = clientSettings(io.env, process.cwd());
  const shown = values.json ? asJson(io) : onScreen(io, zoneOf(client.settings.stateDir));
  const connection = connect(io, client, shown.showNotice);
  const stop = stopSignal();
  // Nothing else keeps the process alive while a daemon is started or waited for.
  const alive = setInterval(() => undefined, 2 ** 30);
  // Asked again after a restart, the daemon sends only what came after the last message shown.
  const params: WatchParams = { channels, interval_seconds, after: null };
  const part = (value: unknown): void => {
    const news = value as WatchPart;
    params.after = news.last_message_id ?? params.after;
    shown.show(news);
  };
  try {
    await connection.call("watch_status", params, { part, signal: stop });
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    clearInterval(alive);
    connection.close();
    await shown.stop();
  }
  return 0;
}

interface WatchDisplay {
  show(part: WatchPart): void;
  showNotice(text: string): void;
  stop(): Promise<void>;
}

/** One JSON object per line; notices that are not the daemon's go to standard error. */
function asJson({ stdout, stderr }: Io): WatchDisplay {
  return {
    show: (part) => void stdout.write(`${jsonForTerminal(part)}\n`),
    showNotice: (text) => void stderr.write(`${text}\n`),
    stop: async () => undefined,
  };
}

function onScreen(io: Io, zone: string | undefined): WatchDisplay {
  const view = new WatchView(localeOf(io.env), { write: (text) => io.stdout.write(text), screen: io.screen, zone });
  const pane = openPane(io.env, TITLE);
  return {
    show(part) {
      view.show(part, localTime(new Date(systemClock.now()).toISOString(), zone).slice(-8));
      const unread = unreadIn(part.channels);
      void pane?.showText(`${unread > 0 ? ` ${unread}` : ""}${part.phase === "live" ? "" : " ○"}`);
    },
    showNotice: (text) => view.say(text),
    async stop() {
      view.stop();
      await pane?.giveBack();
    },
  };
}

function connect(io: Io, client: ClientSettings, note: (text: string) => void): ClientConnection {
  const locale = localeOf(io.env);
  const dir = client.settings.stateDir;
  return new ClientConnection({
    role: "watch",
    client,
    locale,
    async start() {
      if (client.settings.token === undefined) throw tokenMissing(locale);
      return startDaemon(io.env, client, locale);
    },
    unavailable(why) {
      note(say(locale, "cli.watch.not_started", { why }));
      return new BellhopError("E_NO_DAEMON", { dir });
    },
    on: {
      started: (pid) => note(say(locale, "cli.mcp.started", { pid, dir })),
      steppedBack: () => note(say(locale, "cli.mcp.stepped_back")),
      onConnectionLost: () => note(say(locale, "cli.tail.lost")),
      onReconnected: () => note(say(locale, "cli.tail.back")),
    },
  });
}

/** Aborted by the signals that a terminal sends to end a program. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/*
 * The display of `bellhop watch`: each message on a line that stays, and below them one status line that is updated in
 * place. Pure except for the two functions it writes through; control sequences from Discord never reach the terminal.
 */

export interface WatchOutput {
  write(text: string): unknown;
  /** Where a line can be updated in place; without it the status is printed again only when it changes. */
  screen: StdoutScreen | undefined;
  /** Of the times shown; undefined: this machine's. */
  zone?: string | undefined;
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
        [
          timeOf(timestamp, this.#output.zone),
          where,
          `${terminalLine(author, AUTHOR)}:`,
          terminalLine(content, LONGEST),
        ].join("  "),
      );
    }
    this.#parts += 1;
    for (const { channel_id, watched } of part.channels) this.#noticeWatched(channel_id, watched);
    this.#renew(statusOf(part, this.#locale), now);
  }

  /** Prints a notice: the daemon went away, or is back. */
  say(text: string): void {
    this.#line(text);
  }

  /** Leaves the cursor below the output. */
  stop(): void {
    if (this.#output.screen && this.#status !== "") this.#output.write("\n");
  }

  /** A channel is queried before it is watched, so only the second result counts. */
  #noticeWatched(id: string, watched: boolean): void {
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

function timeOf(timestamp: string, zone: string | undefined): string {
  return Number.isNaN(Date.parse(timestamp)) ? "--:--:--" : localTime(timestamp, zone).slice(-8);
}
