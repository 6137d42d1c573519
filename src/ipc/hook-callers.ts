/**
 * Who is connected to the hooks' socket. A caller counts once it has said its first line, and is then never hung up on
 * for another; callers that say nothing take nobody's place.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { refused } from "../protocol/frame.ts";
import { boundedWarnings, UnidentifiedCallers } from "./unidentified-callers.ts";

/** So many may have said a line; the next one is refused. */
const MOST_CALLS = 512;
const NEWLINE = 10;
export const TOO_MANY = "too many callers at once";

export interface HookCallersOptions {
  clock: Pick<Clock, "monotonic">;
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
    else this.#onRefused(refused(TOO_MANY));
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
