/**
 * A strict, Discord-compatible server on this machine: REST v10 and the gateway for one guild, with people to act
 * in it, faults to inject, and a record of what the bot did wrong. It listens on 127.0.0.1 only and answers to
 * nobody without a token.
 */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { actor } from "./actors/user-actor.ts";
import { attachmentHeaders, PROXY } from "./state/attachments.ts";
import { Client } from "./actors/client.ts";
import { Control } from "./control/control.ts";
import { guardHeaders, mayEnter } from "./rest/access-policy.ts";
import { GatewayConnection } from "./gateway/connection.ts";
import { build, type Parts } from "./compose.ts";
import { limits } from "./limits.ts";
import { servePage } from "./rest/page-files.ts";
import { Rest } from "./rest/rest.ts";
import { Router } from "./rest/router.ts";
import { auditLogRoutes } from "./rest/routes/audit-log.ts";
import { channelRoutes } from "./rest/routes/channels.ts";
import { commandRoutes } from "./rest/routes/commands.ts";
import { interactionRoutes } from "./rest/routes/interactions.ts";
import { messageRoutes } from "./rest/routes/messages.ts";
import { peopleRoutes } from "./rest/routes/people.ts";
import { reactionRoutes } from "./rest/routes/reactions.ts";
import { threadRoutes } from "./rest/routes/threads.ts";
import { unsupportedRoutes } from "./rest/routes/unsupported.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { worldSettings } from "./state/settings.ts";
import { worldView, type WorldView } from "./state/world-view.ts";

/** The built page stands beside the built server, also where both are part of a larger bundle. */
const builtPage = join(import.meta.dirname, "page");

/** Every route the sandbox knows, by Discord's operationIds. */
const routes = [
  ...messageRoutes,
  ...reactionRoutes,
  ...auditLogRoutes,
  ...unsupportedRoutes,
  ...threadRoutes,
  ...channelRoutes,
  ...commandRoutes,
  ...interactionRoutes,
  ...peopleRoutes,
];

/** Starts listening. Rejects where the port is taken or the world's file cannot be read. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  // A connection that is closed while a request is on its way would fail that request: people's programs close their
  // own.
  const http = createServer({ keepAliveTimeout: 0 });
  await listen(http, options.port ?? 0);
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  try {
    return open(options, http, origin);
  } catch (error) {
    http.close();
    throw error;
  }
}

function open(options: SandboxOptions, http: Server, origin: string): Sandbox {
  const parts = build(options, origin);
  const { context, waiting } = parts;
  const { world } = context;
  const sockets = openGateway(options, parts, http, origin);
  const clients = new Map<string, Client>();
  const clientOf = (userId: string): Client => {
    const token = world.users[userId]?.token;
    if (token === undefined || world.users[userId]?.bot === true) throw new Error(`There is no person ${userId}`);
    const client = clients.get(userId) ?? new Client({ api: `${origin}/api`, gatewayUrl: context.gatewayUrl, token });
    clients.set(userId, client);
    return client;
  };
  const view = worldView({
    context,
    sessions: parts.sessions,
    requests: parts.requests,
    invalidRequests: () => parts.buckets.invalidRequests,
  });
  const ownerToken = () => world.users[world.ownerId]?.token ?? "";
  const sandbox: Sandbox = {
    ...view,
    get invalidRequests() {
      return view.invalidRequests;
    },
    ...worldSettings(context),
    url: origin,
    api: `${origin}/api`,
    link: `${origin}/#token=${ownerToken()}`,
    controlToken: randomBytes(24).toString("base64url"),
    botToken: world.users[world.applicationId]?.token ?? "",
    applicationId: world.applicationId,
    owner: { id: world.ownerId, token: ownerToken() },
    channel: (id: string) => ({
      user: (userId: string) => actor({ context, waiting, client: clientOf(userId), channelId: id, userId }),
    }),
    until: <T>(fact: (seen: WorldView) => T | undefined | false) => waiting.until(() => fact(view)),
    faults: parts.faults,
    close: () => close(parts, http, sockets, [...clients.values()]),
  };
  const handle = requestHandler(options, parts, origin, new Control(sandbox, parts.faults));
  http.on("request", (request, response) => void handle(request, response));
  return sandbox;
}

async function close(parts: Parts, http: Server, sockets: WebSocketServer, clients: readonly Client[]): Promise<void> {
  parts.waiting.close();
  parts.faults.lift();
  parts.context.timers.clear();
  await Promise.all(clients.map((client) => client.close()));
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeAllConnections();
  await closed;
  parts.store?.now();
}

function requestHandler(options: SandboxOptions, parts: Parts, origin: string, control: Control) {
  const { context, buckets, faults, record } = parts;
  const rest = new Rest({ context, router: new Router(routes), buckets, faults, record });
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      if (!mayEnter(request, origin)) return plain(response, 403, "Not from here");
      const url = new URL(request.url ?? "/", origin);
      if (url.pathname.startsWith("/api/")) return await rest.answer(request, response, url);
      if (url.pathname.startsWith("/control/")) return json(response, await control.answer(request, url.pathname));
      if (request.method !== "GET" && request.method !== "HEAD") return plain(response, 405, "Method Not Allowed");
      if (/^(?:\/media)?\/attachments\//.test(url.pathname)) return attachment(parts, url, response);
      if (await servePage(options.pageDir ?? builtPage, url.pathname, origin, response)) return;
      plain(response, 404, "Not Found");
    } catch (error) {
      parts.context.violation(
        "bad_request",
        500,
        `The sandbox itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      if (!response.headersSent) plain(response, 500, "The sandbox itself failed");
      else response.destroy();
    }
  };
}

function openGateway(options: SandboxOptions, parts: Parts, http: Server, origin: string): WebSocketServer {
  const { context, sessions, identifies, gatewayFaults } = parts;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 });
  const shared = {
    context,
    sessions,
    identifies,
    faults: gatewayFaults,
    heartbeatMs: options.heartbeatMs ?? limits.heartbeatMs,
  };
  http.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    if (!mayEnter(request, origin))
      return void socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    if (gatewayFaults.refusesUpgrade())
      return void socket.end(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/html\r\ncontent-length: 7\r\n\r\nSign in",
      );
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      const { searchParams } = new URL(request.url ?? "/", origin);
      new GatewayConnection(shared, { socket: accepted, raw: socket }, searchParams);
    });
  });
  return sockets;
}

function attachment(parts: Parts, url: URL, response: ServerResponse): void {
  const hit = parts.faults.take({ operationId: null, method: "GET", path: url.pathname, auth: "none" });
  if (hit?.effect.kind === "fail") return plain(response, hit.effect.status, "Failed on purpose");
  const { attachments } = parts.context;
  const bytes = url.pathname.startsWith(PROXY)
    ? attachments.openProxied(url.pathname, url.searchParams)
    : (attachments.open(url.pathname, url.searchParams) ?? 404);
  if (bytes === 404) return plain(response, 404, "This content is no longer available.");
  if (bytes === 415) return plain(response, 415, "Unsupported Media Type");
  const name = decodeURIComponent(url.pathname.split("/").at(-1) ?? "file");
  response
    .writeHead(200, { ...guardHeaders, ...attachmentHeaders(name), "content-length": String(bytes.length) })
    .end(bytes);
}

function json(response: ServerResponse, answer: { status: number; body?: unknown }): void {
  if (answer.body === undefined) return void response.writeHead(answer.status, guardHeaders).end();
  response
    .writeHead(answer.status, { ...guardHeaders, "content-type": "application/json" })
    .end(JSON.stringify(answer.body));
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...guardHeaders, "content-type": "text/plain; charset=utf-8" }).end(text);
}

function listen(http: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, "127.0.0.1", () => {
      http.off("error", reject);
      resolve();
    });
  });
}
