/**
 * `bellhop watch`, also as `discord-watch`: shows new messages in the watched channels, in its terminal and in the
 * title of its tmux pane. The daemon watches them and this only displays: when it ends nothing is lost, and what is
 * written meanwhile is in the inbox.
 */
import { systemClock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { isSnowflake } from "../base/ids.ts";
import { jsonForTerminal } from "../base/terminal-text.ts";
import { say } from "../base/words/say.ts";
import { tokenMissing } from "../config/token.ts";
import { openPane } from "../host/terminal/pane.ts";
import { MOST_INTERVAL } from "../protocol/limits.ts";
import type { WatchParams, WatchPart } from "../protocol/watch.ts";
import { ClientConnection } from "../client/daemon-connection.ts";
import { clientSettings, type ClientSettings } from "../client/settings.ts";
import { startDaemon } from "../client/start-daemon.ts";
import { localeOf, type Io } from "./io.ts";
import { readOptions, wholeNumber, WrongCall } from "./options.ts";
import { localTime } from "./terminal/time.ts";
import { unreadIn, WatchView } from "./terminal/watch-view.ts";

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
  const shown = values.json ? asJson(io) : onScreen(io);
  const connection = connect(io, client, shown.note);
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
    await shown.end();
  }
  return 0;
}

interface Shown {
  show(part: WatchPart): void;
  note(text: string): void;
  end(): Promise<void>;
}

/** One JSON object per line; notices that are not the daemon's go to standard error. */
function asJson({ stdout, stderr }: Io): Shown {
  return {
    show: (part) => void stdout.write(`${jsonForTerminal(part)}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    end: async () => undefined,
  };
}

function onScreen(io: Io): Shown {
  const view = new WatchView(localeOf(io.env), { write: (text) => io.stdout.write(text), screen: io.screen });
  const pane = openPane(io.env, TITLE);
  return {
    show(part) {
      view.show(part, localTime(new Date(systemClock.now()).toISOString()).slice(-8));
      const unread = unreadIn(part.channels);
      void pane?.show(`${unread > 0 ? ` ${unread}` : ""}${part.phase === "live" ? "" : " ○"}`);
    },
    note: (text) => view.say(text),
    async end() {
      view.end();
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
      lost: () => note(say(locale, "cli.tail.lost")),
      back: () => note(say(locale, "cli.tail.back")),
    },
  });
}

/** Aborted by the signals that a terminal sends to end a program. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
