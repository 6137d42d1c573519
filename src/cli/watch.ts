/**
 * `bellhop watch`, also as `discord-watch`: shows what comes into the watched channels, in its terminal and in the
 * title of its tmux pane. It has the daemon watch them and only looks on: ended, it takes nothing along, and what is
 * written meanwhile stands in the inbox.
 */
import { systemClock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { isSnowflake } from "../base/ids.ts";
import { say } from "../base/words/say.ts";
import { tokenMissing } from "../config/token.ts";
import { openPane } from "../host/pane.ts";
import type { WatchPart } from "../link/watch.ts";
import { FaceConnection } from "./face/connection.ts";
import { faceSettings, type FaceSettings } from "./face/settings.ts";
import { startDaemon } from "./face/starting.ts";
import { localeOf, type Io } from "./io.ts";
import { readOptions, wholeNumber, WrongCall } from "./options.ts";
import { localTime } from "./time.ts";
import { unreadIn, WatchView } from "./watch-view.ts";

/** What our titles begin with. */
const TITLE = "📥 Discord";
const MOST_SECONDS = 3_600;

/**
 * Resolves with 0 when it is told to stop.
 * @param argv `[--interval seconds] [--channel id …] [--json]`
 * @throws E_CONFIG_INVALID, E_NO_DAEMON where none can be had, what the daemon refuses it with
 */
export async function watch(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, { interval: { type: "string" }, channel: { type: "string", multiple: true }, json: { type: "boolean" } });
  const interval_seconds = wholeNumber("--interval", values.interval ?? "10", 1, MOST_SECONDS);
  const channels = (values.channel ?? []).flatMap((text) => text.split(",")).map((text) => text.trim());
  const wrong = channels.find((id) => !isSnowflake(id));
  if (wrong !== undefined) throw new WrongCall("cli.watch.wrong_channel", { channel: JSON.stringify(wrong).slice(0, 80) });
  const face = faceSettings(io.env, process.cwd());
  const shown = values.json ? asJson(io) : onScreen(io);
  const connection = connect(io, face, shown.note);
  const stop = stopSignal();
  // While a daemon is started or waited for nothing else keeps the process.
  const alive = setInterval(() => undefined, 2 ** 30);
  // Asked anew of a daemon that was restarted, it tells only what came after what was shown.
  const params: { channels: string[]; interval_seconds: number; after: string | null } = { channels, interval_seconds, after: null };
  const part = (value: unknown): void => {
    const told = value as WatchPart;
    params.after = told.last_message_id ?? params.after;
    shown.show(told);
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

/** One object a line; what is not the daemon's goes to standard error. */
function asJson({ stdout, stderr }: Io): Shown {
  return {
    show: (part) => void stdout.write(`${JSON.stringify(part)}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    end: async () => undefined,
  };
}

function onScreen(io: Io): Shown {
  const { stdout } = process;
  const view = new WatchView(localeOf(io.env), {
    write: (text) => io.stdout.write(text),
    terminal: io.stdout === stdout && stdout.isTTY === true,
    get columns() {
      return stdout.columns ?? 80;
    },
  });
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

function connect(io: Io, face: FaceSettings, note: (text: string) => void): FaceConnection {
  const locale = localeOf(io.env);
  const dir = face.settings.stateDir;
  return new FaceConnection({
    role: "watch",
    face,
    async start() {
      if (face.settings.token === undefined) throw tokenMissing(locale);
      return startDaemon(io.env, face);
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

/** Aborted by what a terminal sends when it wants us to go. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
