/**
 * The page's own files, served from one directory with content types and a policy that lets it talk to nothing
 * but this server.
 */
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import type { ServerResponse } from "node:http";
import { guardHeaders } from "./access-policy.ts";

const kinds: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** Answers GET and HEAD for a path below the directory; false where there is no such file. */
export async function servePage(dir: string, path: string, origin: string, response: ServerResponse): Promise<boolean> {
  const relative = normalize(decodeSafely(path)).replace(/^[/\\]+/, "");
  if (relative.split(sep).includes("..") || relative.includes("\0")) return false;
  const name = relative === "" || relative === "." ? "index.html" : relative;
  const kind = kinds[extname(name)];
  if (kind === undefined) return false;
  let bytes: Buffer;
  try {
    bytes = await readFile(join(dir, name));
  } catch {
    return false;
  }
  response.writeHead(200, {
    ...guardHeaders,
    "content-type": kind,
    "content-length": String(bytes.length),
    "content-security-policy": policy(origin),
    "cache-control": "no-cache",
  });
  response.end(bytes);
  return true;
}

function policy(origin: string): string {
  const socket = origin.replace(/^http/, "ws");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    `connect-src 'self' ${socket}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function decodeSafely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
