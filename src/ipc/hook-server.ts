/**
 * The second private socket: it speaks HTTP, because the command of a hook is curl. It hears only callers that can read
 * the key beside it. Each call is one hook of one Claude; what it says goes to the driver of that Claude and is on disk
 * before it is answered, and a hook that asks is answered when the owner has answered.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmod } from "node:fs/promises";
import { watch } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse, type Server } from "node:http";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { withShortStrings } from "../base/json-size.ts";
import type { Log } from "../base/log.ts";
import type { HookAnswer, HookAsking, HookCall, HookChannel, HookOwner, HookPlace } from "../engine/hook-channel.ts";
import { SOCKET, type HookFolder, readSpool, SPOOL } from "../host/hooks/hook-folder.ts";
import { type ProcessTable, isDead } from "../host/processes/process-table.ts";
import { clearStale, shortPath } from "../host/socket-path.ts";
import {
  hookBegun,
  isAsking,
  isAskingHook,
  readHookPayload,
  readOrigin,
  refusal,
  type AskingPayload,
  type HookOrigin,
} from "../protocol/hooks.ts";
import { readStatusLine, STATUS_LINE } from "../protocol/status-line.ts";
import type { Socket } from "node:net";
import { linkRefused } from "../protocol/frame.ts";
import { boundedWarnings, UnidentifiedCallers } from "./server.ts";

interface HookServerOptions {
  folder: HookFolder;
  channel: HookChannel;
  processes: ProcessTable;
  clock: Clock;
  log: Log;
  asking: HookAsking;
}

export interface HookServer {
  /** Hangs up on hooks that wait: they call the next daemon. */
  close(): Promise<void>;
}

/** A longer payload is not read: a tool's result can be many MiB long, and it is not used. */
const MOST_BYTES = 16 * 1024 * 1024;
/** A longer one that asks cannot be shown to the owner, whatever stands in it: only what it is about is read. */
const MOST_READ_BYTES = 2_000_000;
/** Shorter than the time without a sign of life after which a hook takes the daemon for dead. */
const ALIVE_MS = 3_000;
/**
 * curl counts less than one byte a second, over the last five seconds, as silence, and hangs up after ten seconds of
 * it.
 */
const ALIVE = "\n".repeat(16);

/**
 * Takes what hooks kept while no daemon ran, and only then listens; later it also takes what a hook keeps because it
 * was not answered in time. @throws what the disk throws, E_LINK_REFUSED
 */
export async function openHookServer(options: HookServerOptions): Promise<HookServer> {
  const { folder, log } = options;
  await takeSpooled(options, false);
  options.channel.hasCaughtUp();
  const unwatch = watchSpool(options);
  const key = randomBytes(32).toString("hex");
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 32 * 1024 },
    (request, response) => {
      if (!callers.admits(request.socket)) return end(response, 503, { error: TOO_MANY });
      answer(options, key, request, response).catch((error: unknown) => {
        // It was killed while it spoke: nobody waits for an answer.
        if (request.destroyed && !request.complete) return;
        log.failure("a hook of Claude cannot be answered", error);
        end(response, 500, {});
      });
    },
  );
  const callers = new HookCallers(server, options);
  server.on("error", (error) => log.failure("the socket for hooks failed", error));
  const path = join(folder.path, SOCKET);
  await clearStale(path);
  const { name, removeLink: release } = shortPath(path);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(name, () => (server.off("error", reject), resolve()));
  });
  await chmod(path, 0o600);
  await folder.connect(key);
  return {
    async close() {
      await unwatch();
      await folder.disconnect();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      release();
      await clearStale(path).catch(() => undefined);
    },
  };
}

async function answer(
  options: HookServerOptions,
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "POST" || !isKey(key, request.headers.authorization)) return end(response, 403, {});
  const origin = readOrigin(headerText(request, "bellhop-hook"), headerText(request, "bellhop-tmux"));
  if (origin === undefined) return end(response, 400, {});
  const { text, cut } = await bodyOf(request, isAskingHook(origin.hook));
  if (origin.hook === STATUS_LINE) return answerStatusLine(options, origin, text ?? "", response);
  const payload = text === undefined ? undefined : readHookPayload(text);
  if (payload?.hook_event_name !== origin.hook) {
    options.log.warn("a hook of Claude cannot be read", { hook: origin.hook });
    return end(response, 200, refusal(origin.hook, text ?? null) ?? {});
  }
  const call = callOf(options, payload, origin, false);
  const owner = options.channel.ownerOf(call);
  options.channel.notifyWatchers(call, owner);
  const ask = async (whose: HookOwner, asked: AskingPayload, gone: AbortSignal): Promise<HookAnswer> => {
    await options.channel.dispatchHook(call);
    // Its turn may have been recorded only now.
    return options.asking.ask({
      payload: asked,
      owner: options.channel.ownerOf(call) ?? whose,
      origin,
      ...(cut !== undefined && { cut }),
      gone,
    });
  };
  if (owner === null && payload.hook_event_name !== "PermissionRequest") return end(response, 200, {});
  if (isAsking(payload)) {
    return answerAsking(response, async (gone) => {
      const whose = owner ?? (await options.channel.waitForOwner(call, gone));
      return whose === null || gone.aborted ? UNASKED : ask(whose, payload, gone);
    });
  }
  if (owner === null) return end(response, 200, {});
  await options.channel.dispatchHook(call);
  await options.asking.settleFromHook(payload, owner);
  const note = options.asking.noteFor(payload, owner);
  if (note !== null) response.once("finish", note.onDelivered);
  end(response, 200, note?.answer ?? {});
}

function answerStatusLine(
  options: HookServerOptions,
  origin: HookOrigin,
  body: string,
  response: ServerResponse,
): void {
  const line = readStatusLine(body);
  if (line) options.channel.setStatusLine(placeOf(options, origin), line);
  end(response, 200, {});
}

/** Nobody is asked: the terminal asks alone. */
const UNASKED: HookAnswer = { told: null, delivered: () => undefined };

/** While it waits, it shows that the daemon is alive. */
async function answerAsking(response: ServerResponse, ask: (gone: AbortSignal) => Promise<HookAnswer>): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.writeHead(200, { "content-type": "application/json" });
  const alive = setInterval(() => response.write(ALIVE), ALIVE_MS);
  response.write(ALIVE);
  try {
    const { told, delivered } = await ask(gone.signal);
    response.once("finish", delivered);
    response.end(JSON.stringify(told ?? {}));
  } finally {
    clearInterval(alive);
  }
}

/** Returns a function that stops watching, and resolves when no kept hook is being read. */
function watchSpool(options: HookServerOptions): () => Promise<void> {
  let taking = Promise.resolve();
  const take = (): void => {
    taking = taking
      .then(() => takeSpooled(options, true))
      .catch((error: unknown) => options.log.failure("kept hooks of Claude cannot be read", error));
  };
  const watcher = watch(join(options.folder.path, SPOOL), take);
  watcher.on("error", (error) => options.log.failure("kept hooks of Claude cannot be watched", error));
  // One may have come since they were read.
  take();
  return () => (watcher.close(), taking);
}

async function takeSpooled(options: HookServerOptions, isAgain: boolean): Promise<void> {
  for await (const { origin: line, tmux, body, remove } of readSpool(options.folder.path, isAgain)) {
    const origin = readOrigin(line, tmux);
    const payload = readHookPayload(body);
    if (origin === undefined || payload?.hook_event_name !== origin.hook)
      options.log.warn("a kept hook of Claude cannot be read");
    else await takeLate(options, callOf(options, payload, origin, true));
    await remove();
  }
}

async function takeLate({ channel, asking }: HookServerOptions, call: HookCall): Promise<void> {
  const owner = channel.ownerOf(call);
  if (owner === null) return channel.notifyWatchers(call, owner);
  await channel.dispatchHook(call);
  await asking.settleFromHook(call.payload, owner);
}

function callOf(options: HookServerOptions, payload: HookCall["payload"], origin: HookOrigin, late: boolean): HookCall {
  return { payload, ...placeOf(options, origin), late };
}

function placeOf({ processes }: HookServerOptions, { claudePid, pane, session }: HookOrigin): HookPlace {
  const row = processes.read(claudePid);
  return { claude: row === null || isDead(row) ? null : { pid: row.pid, startTime: row.startTime }, pane, session };
}

interface HookBody {
  /** Undefined if it is too long or not UTF-8. */
  text: string | undefined;
  /** How long it was before long texts in it were cut; absent: none was. */
  cut?: number;
}

/**
 * What is too long is read to its end, so that the caller hears the answer. @param asks of what is too long to be shown
 * to the owner, enough is kept to say what was asked
 */
async function bodyOf(request: IncomingMessage, asks: boolean): Promise<HookBody> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= MOST_BYTES) parts.push(part);
    else if (parts.length > 1) parts.length = 1;
  }
  if (bytes > MOST_BYTES)
    return asks ? { text: hookBegun((parts[0] ?? Buffer.alloc(0)).toString()), cut: bytes } : { text: undefined };
  const whole = Buffer.concat(parts);
  const short = asks && bytes > MOST_READ_BYTES ? withShortStrings(whole) : null;
  const text = decoded(short ?? whole);
  return short === null ? { text } : { text, cut: bytes };
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isKey(key: string, given: string | undefined): boolean {
  const [shown, wanted] = [Buffer.from(given ?? ""), Buffer.from(`Bearer ${key}`)];
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}

/** Node reads headers as Latin-1; a path may have any bytes. */
function headerText({ headers }: IncomingMessage, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? Buffer.from(value, "latin1").toString("utf8") : "";
}

function end(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/*
 * Who is connected to the hooks' socket. A caller counts once it has said its first line, and is then never hung up on
 * for another; callers that say nothing take nobody's place.
 */

/** So many may have said a line; the next one is refused. */
const MOST_CALLS = 512;
const NEWLINE = 10;
const TOO_MANY = "too many callers at once";

interface HookCallersOptions {
  clock: Clock;
  log: Log;
  /** Tests only. */
  most?: number;
}

export class HookCallers {
  readonly #silent: UnidentifiedCallers;
  readonly #onRefused: ReturnType<typeof boundedWarnings>;
  readonly #most: number;
  /** Those that have said their first line, and whether there was room for them. */
  readonly #heard = new Map<Socket, boolean>();
  #admitted = 0;

  constructor(server: Server, { clock, log, most = MOST_CALLS }: HookCallersOptions) {
    this.#silent = new UnidentifiedCallers(clock);
    this.#onRefused = boundedWarnings({ clock, log });
    this.#most = most;
    server.on("connection", (socket) => this.#connected(socket));
  }

  /** Whether there is room for this caller, which has said its first line. */
  admits(socket: Socket): boolean {
    const known = this.#heard.get(socket);
    if (known !== undefined) return known;
    const admitted = this.#admitted < this.#most;
    this.#silent.delete(socket);
    this.#heard.set(socket, admitted);
    if (admitted) this.#admitted += 1;
    else this.#onRefused(linkRefused(TOO_MANY));
    return admitted;
  }

  #connected(socket: Socket): void {
    this.#silent.add(socket, () => socket.destroy());
    // Node's own listener comes first: a request that is whole by now was admitted or refused by it.
    socket.on("data", (chunk: Buffer) => {
      if (this.#heard.has(socket) || !chunk.includes(NEWLINE) || this.admits(socket)) return;
      socket.end(`HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n${JSON.stringify({ error: TOO_MANY })}`);
    });
    socket.once("close", () => {
      this.#silent.delete(socket);
      if (this.#heard.get(socket) === true) this.#admitted -= 1;
      this.#heard.delete(socket);
    });
  }
}
