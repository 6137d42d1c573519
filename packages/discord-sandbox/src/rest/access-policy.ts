/**
 * Who may come in at all: only this machine's own address in Host, only our own page in Origin. A page on the web
 * that talks to 127.0.0.1, or a name that has been pointed at it, is turned away before anything is read.
 */
import type { IncomingMessage } from "node:http";

/** `origin` is `http://127.0.0.1:PORT`. */
export function mayEnter(request: IncomingMessage, origin: string): boolean {
  const host = new URL(origin).host;
  if (request.headers.host !== host) return false;
  const from = request.headers.origin;
  if (from !== undefined && from !== origin) return false;
  const site = request.headers["sec-fetch-site"];
  // A link or a script of another site; typing the address in (none) and our own page are fine.
  return site === undefined || site === "same-origin" || site === "none";
}

/** Headers that every answer carries. */
export const guardHeaders: Record<string, string> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "x-frame-options": "DENY",
};
