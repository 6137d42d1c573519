/**
 * `bellhop mcp`: the tools for agents, spoken over standard input and output to whoever started it. It keeps nothing:
 * killed at any moment, it leaves its questions open with the daemon, and the same question asked again finds its answer.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { say, type WordArgs, type WordKey } from "../base/words/say.ts";
import { openPane, type Pane } from "../host/pane.ts";
import type * as told from "../link/mcp-protocol.ts";
import { noToken, notRunning, wrongSettings, type Daemon, type Unavailable } from "../mcp/daemon.ts";
import { serveTools } from "../mcp/server.ts";
import { FaceConnection } from "./face/connection.ts";
import { faceSettings, type FaceSettings } from "./face/settings.ts";
import { startDaemon } from "./face/starting.ts";
import { localeOf, type Io } from "./io.ts";
import { readOptions } from "./options.ts";
import { span } from "./time.ts";

/** What our titles begin with. */
const TITLE = "⏳ Discord";
const TITLE_EVERY_MS = 10_000;

/** Resolves with 0 when the client is gone, or when it is told to stop. */
export async function mcp(argv: readonly string[], io: Io): Promise<number> {
  readOptions(argv, {});
  const note = (key: WordKey, args: WordArgs = {}): unknown => io.stderr.write(`${say(localeOf(io.env), key, args)}\n`);
  // Somebody typed it, and sees nothing happen.
  if (process.stdin.isTTY) note("cli.mcp.usage");
  const opened = openFace(io, note);
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
    onFailure: (error) => void io.stderr.write(`${error.stack ?? error.message}\n`),
  });
  await Promise.race([server.closed, stopSignal()]);
  await server.close();
  opened.close();
  await waiting.close();
  return 0;
}

interface Opened {
  daemon: Daemon;
  /** Whether there is a place for what names no thread. */
  placed: boolean;
  close(): void;
}

/** Where the settings are wrong each tool says so: a server that ends at once is only said to have failed. */
function openFace(io: Io, note: (key: WordKey, args?: WordArgs) => unknown): Opened {
  let face: FaceSettings;
  try {
    face = faceSettings(io.env, process.cwd());
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    note(error.code, error.details);
    return { daemon: refusing(wrongSettings(say("en", error.code, error.details))), placed: true, close: () => undefined };
  }
  const connection = new FaceConnection({
    role: "mcp",
    face,
    async start() {
      if (face.settings.token === undefined) throw noToken();
      return startDaemon(io.env, face);
    },
    unavailable: notRunning,
    on: {
      started: (pid) => note("cli.mcp.started", { pid, dir: face.settings.stateDir }),
      steppedBack: () => note("cli.mcp.stepped_back"),
      lost: () => note("cli.mcp.lost"),
      back: () => note("cli.mcp.back"),
    },
  });
  const placed = face.settings.channelId !== undefined || face.session !== undefined;
  return { daemon: overLink(connection), placed, close: () => connection.close() };
}

/** The daemon's methods, as both sides of the link have agreed on them. */
function overLink(link: FaceConnection): Daemon {
  return {
    ask: (question: told.AskParams, { signal, part }) =>
      link.call("mcp_ask", question, { signal, part: (state) => part(state as told.AskPart) }) as Promise<told.AskResult>,
    async delivered(question_id) {
      await link.call("mcp_delivered", { question_id } satisfies told.DeliveredParams);
    },
    notify: (params: told.NotifyParams, signal) => link.call("mcp_notify", params, { signal }) as Promise<told.PostedResult>,
    report: (params: told.ReportParams, signal) => link.call("mcp_report", params, { signal }) as Promise<told.PostedResult>,
    pending: (signal) => link.call("mcp_pending", {}, { signal }) as Promise<told.PendingResult>,
    readInbox: (params: told.ReadInboxParams, signal) => link.call("mcp_read_inbox", params, { signal }) as ReturnType<Daemon["readInbox"]>,
    clearInbox: (params: told.ClearInboxParams, signal) => link.call("mcp_clear_inbox", params, { signal }) as ReturnType<Daemon["clearInbox"]>,
  };
}

function refusing(why: Unavailable): Daemon {
  const refuse = (): Promise<never> => Promise.reject(why);
  return { ask: refuse, delivered: refuse, notify: refuse, report: refuse, pending: refuse, readInbox: refuse, clearInbox: refuse };
}

interface Waiting {
  /** The owner is waited for, until what it returns is called. */
  begin(): () => void;
  /** The pane has its own title again. */
  close(): Promise<void>;
}

/** The pane shows that the owner is waited for, and since when, for as long as anything waits. */
function showWaiting(pane: Pane | null): Waiting {
  const since = new Set<{ at: number }>();
  let forget = (): void => undefined;
  const show = (): void => {
    forget();
    const [first] = since;
    if (pane === null || first === undefined) return;
    const count = since.size > 1 ? ` ×${since.size}` : "";
    void pane.show(`${count} · ${span(systemClock.monotonic() - first.at)}`);
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

/** As package.json says, which stands above `dist/`. */
function version(): string {
  return (JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")) as { version: string }).version;
}
