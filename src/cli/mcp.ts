/**
 * `bellhop mcp`: the tools for agents, over standard input and output. It keeps no state: killed at any moment, it
 * leaves its questions open in the daemon, and asking the same question again finds its answer.
 */
import { systemClock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { say, type WordArgs, type WordKey } from "../base/words/say.ts";
import { version } from "../host/installed.ts";
import { openPane, type PaneTitle } from "../host/terminal/pane.ts";
import type { AskPart, AskResult, DeliveredParams } from "../protocol/mcp.ts";
import type { MethodName } from "../protocol/messages.ts";
import { noToken, notRunning, wrongSettings, type Daemon, type Unavailable } from "../client/mcp/daemon.ts";
import { serveTools } from "../client/mcp/server.ts";
import { ClientConnection } from "../client/daemon-connection.ts";
import { clientSettings, type ClientSettings } from "../client/settings.ts";
import { startDaemon } from "../client/start-daemon.ts";
import { localeOf, type Io } from "./io.ts";
import { readOptions } from "./options.ts";
import { span } from "./terminal/time.ts";

/** Prefix of our titles. */
const TITLE = "⏳ Discord";
const TITLE_EVERY_MS = 10_000;

/** Resolves with 0 when the client is gone, or when it is told to stop. */
export async function mcp(argv: readonly string[], io: Io): Promise<number> {
  readOptions(argv, {});
  const note = (key: WordKey, args: WordArgs = {}): unknown => io.stderr.write(`${say(localeOf(io.env), key, args)}\n`);
  // A person typed the command and would see nothing happen.
  if (process.stdin.isTTY) note("cli.mcp.usage");
  const opened = openDaemon(io, note);
  const title = openPane(io.env, TITLE);
  const waiting = showWaiting(title);
  const server = serveTools({
    stdin: process.stdin,
    stdout: process.stdout,
    clock: systemClock,
    daemon: opened.daemon,
    home: { known: opened.placed },
    bellhop: version(),
    onWaiting: waiting.begin,
    onError: (error) => void io.stderr.write(`${error.stack ?? error.message}\n`),
  });
  await Promise.race([server.closed, stopSignal()]);
  await server.close();
  opened.close();
  await waiting.close();
  return 0;
}

interface DaemonAccess {
  daemon: Daemon;
  /** Whether there is a channel for what names no thread. */
  placed: boolean;
  close(): void;
}

/** If the settings are wrong, each tool reports it: an agent shows a server that exits at once only as failed. */
function openDaemon(io: Io, note: (key: WordKey, args?: WordArgs) => unknown): DaemonAccess {
  let client: ClientSettings;
  try {
    client = clientSettings(io.env, process.cwd());
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    note(error.code, error.details);
    return {
      daemon: refusing(wrongSettings(say("en", error.code, error.details))),
      placed: true,
      close: () => undefined,
    };
  }
  const connection = new ClientConnection({
    role: "mcp",
    client,
    // For the model.
    locale: "en",
    async start() {
      if (client.capability !== undefined)
        throw notRunning("the daemon of this session has ended; the session's agent should have ended with it");
      if (client.settings.token === undefined) throw noToken();
      return startDaemon(io.env, client, "en");
    },
    unavailable: notRunning,
    on: {
      started: (pid) => note("cli.mcp.started", { pid, dir: client.settings.stateDir }),
      steppedBack: () => note("cli.mcp.stepped_back"),
      onConnectionLost: () => note("cli.mcp.lost"),
      onReconnected: () => note("cli.mcp.back"),
    },
  });
  const placed = client.settings.channelId !== undefined || client.capability !== undefined;
  return { daemon: daemonOver(connection), placed, close: () => connection.close() };
}

/** From our own daemon over our own socket; a daemon of another version is refused before this. */
function daemonOver(connection: ClientConnection): Daemon {
  const call = <T>(method: MethodName, params: object, signal: AbortSignal): Promise<T> =>
    connection.call(method, params, { signal }) as Promise<T>;
  return {
    ask: (question, { signal, part }) =>
      connection.call("mcp_ask", question, { signal, part: (state) => part(state as AskPart) }) as Promise<AskResult>,
    async delivered(question_id) {
      await connection.call("mcp_delivered", { question_id } satisfies DeliveredParams);
    },
    notify: (params, signal) => call("mcp_notify", params, signal),
    report: (params, signal) => call("mcp_report", params, signal),
    pending: (signal) => call("mcp_pending", {}, signal),
    readInbox: (params, signal) => call("mcp_read_inbox", params, signal),
    clearInbox: (params, signal) => call("mcp_clear_inbox", params, signal),
  };
}

function refusing(why: Unavailable): Daemon {
  const refuse = (): Promise<never> => Promise.reject(why);
  return {
    ask: refuse,
    delivered: refuse,
    notify: refuse,
    report: refuse,
    pending: refuse,
    readInbox: refuse,
    clearInbox: refuse,
  };
}

interface OwnerWait {
  /** Marks that the owner is being waited for, until the returned function is called. */
  begin(): () => void;
  /** Restores the pane's own title. */
  close(): Promise<void>;
}

/** Shows in the pane that the owner is being waited for, and since when, while anything waits. */
function showWaiting(pane: PaneTitle | null): OwnerWait {
  const since = new Set<{ at: number }>();
  let forget = (): void => undefined;
  const show = (): void => {
    forget();
    const [first] = since;
    if (pane === null || first === undefined) return;
    const count = since.size > 1 ? ` ×${since.size}` : "";
    void pane.showText(`${count} · ${span(systemClock.monotonic() - first.at)}`);
    forget = systemClock.after(TITLE_EVERY_MS, show);
  };
  const giveBack = async (): Promise<void> => {
    forget();
    await pane?.giveBack();
  };
  return {
    begin() {
      const one = { at: systemClock.monotonic() };
      since.add(one);
      show();
      return () => {
        since.delete(one);
        if (since.size > 0) show();
        else void giveBack();
      };
    },
    close: giveBack,
  };
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}
