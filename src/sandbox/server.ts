/**
 * A strict, Discord-compatible server on this machine: REST v10 and the gateway for one guild, with people to act
 * in it, faults to inject, and a record of what the bot did wrong. It listens on 127.0.0.1 only and answers to
 * nobody without a token.
 */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { actor } from "./actors.ts";
import { attachmentHeaders } from "./attachments.ts";
import { Client } from "./client.ts";
import { Control } from "./control.ts";
import { guardHeaders, mayEnter } from "./door.ts";
import { GatewayConnection } from "./gateway.ts";
import { build, type House } from "./house.ts";
import { limits } from "./limits.ts";
import { servePage } from "./page-files.ts";
import { Rest } from "./rest.ts";
import { Router } from "./router.ts";
import { channelRoutes } from "./routes/channels.ts";
import { commandRoutes } from "./routes/commands.ts";
import { interactionRoutes } from "./routes/interactions.ts";
import { messageRoutes } from "./routes/messages.ts";
import { peopleRoutes } from "./routes/people.ts";
import { reactionRoutes } from "./routes/reactions.ts";
import { threadRoutes } from "./routes/threads.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { worldSettings } from "./settings.ts";
import { worldView, type WorldView } from "./view.ts";

export type { UserActor } from "./actors.ts";
export type { Sandbox } from "./sandbox.ts";

/** Every route the sandbox knows, by Discord's operationIds. */
const routes = [
  ...messageRoutes,
  ...reactionRoutes,
  ...threadRoutes,
  ...channelRoutes,
  ...commandRoutes,
  ...interactionRoutes,
  ...peopleRoutes,
];

/** Starts listening. Rejects where the port is taken or the world's file cannot be read. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const http = createServer();
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
  const house = build(options, origin);
  const { realm, waiting } = house;
  const { world } = realm;
  const controlToken = randomBytes(24).toString("base64url");
  const handle = requestHandler(options, house, origin, controlToken);
  http.on("request", (request, response) => void handle(request, response));
  const sockets = openGateway(options, house, http, origin);
  const clients = new Map<string, Client>();
  const clientOf = (userId: string): Client => {
    const token = world.users[userId]?.token;
    if (token === undefined || world.users[userId]?.bot === true) throw new Error(`There is no person ${userId}`);
    const client = clients.get(userId) ?? new Client({ api: `${origin}/api`, gatewayUrl: realm.gatewayUrl, token });
    clients.set(userId, client);
    return client;
  };
  const view = worldView({ realm, sessions: house.sessions, requests: house.requests, invalidRequests: () => house.buckets.invalidRequests });
  const ownerToken = () => world.users[world.ownerId]?.token ?? "";
  return {
    ...view,
    get invalidRequests() {
      return view.invalidRequests;
    },
    ...worldSettings(realm),
    url: origin,
    api: `${origin}/api`,
    link: `${origin}/#token=${ownerToken()}`,
    controlToken,
    botToken: world.users[world.applicationId]?.token ?? "",
    applicationId: world.applicationId,
    owner: { id: world.ownerId, token: ownerToken() },
    channel: (id: string) => ({ user: (userId: string) => actor({ realm, waiting, client: clientOf(userId), channelId: id, userId }) }),
    until: <T>(fact: (seen: WorldView) => T | undefined | false) => waiting.until(() => fact(view)),
    faults: house.faults,
    close: () => close(house, http, sockets, [...clients.values()]),
  };
}

async function close(house: House, http: Server, sockets: WebSocketServer, clients: readonly Client[]): Promise<void> {
  house.waiting.close();
  house.faults.lift();
  house.realm.timers.clear();
  await Promise.all(clients.map((client) => client.close()));
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeAllConnections();
  await closed;
  house.store?.now();
}

function requestHandler(options: SandboxOptions, house: House, origin: string, controlToken: string) {
  const { realm, buckets, faults, record } = house;
  const rest = new Rest({ realm, router: new Router(routes), buckets, faults, record });
  const control = new Control(controlToken, faults);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      if (!mayEnter(request, origin)) return plain(response, 403, "Not from here");
      const url = new URL(request.url ?? "/", origin);
      if (url.pathname.startsWith("/api/")) return await rest.answer(request, response, url);
      if (url.pathname.startsWith("/control/")) return json(response, await control.answer(request, url.pathname));
      if (request.method !== "GET" && request.method !== "HEAD") return plain(response, 405, "Method Not Allowed");
      if (url.pathname.startsWith("/attachments/")) return attachment(house, url, response);
      if (options.pageDir !== undefined && (await servePage(options.pageDir, url.pathname, origin, response))) return;
      plain(response, 404, "Not Found");
    } catch (error) {
      house.realm.violation("bad_request", 500, `The sandbox itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      if (!response.headersSent) plain(response, 500, "The sandbox itself failed");
      else response.destroy();
    }
  };
}

function openGateway(options: SandboxOptions, house: House, http: Server, origin: string): WebSocketServer {
  const { realm, sessions, identifies, gatewayFaults } = house;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 });
  const parts = { realm, sessions, identifies, faults: gatewayFaults, heartbeatMs: options.heartbeatMs ?? limits.heartbeatMs };
  http.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    if (!mayEnter(request, origin)) return void socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    if (gatewayFaults.refusesUpgrade()) return void socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/html\r\ncontent-length: 7\r\n\r\nSign in");
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      const { searchParams } = new URL(request.url ?? "/", origin);
      new GatewayConnection(parts, { socket: accepted, raw: socket }, searchParams);
    });
  });
  return sockets;
}

function attachment(house: House, url: URL, response: ServerResponse): void {
  const struck = house.faults.take({ operationId: null, method: "GET", path: url.pathname, auth: "none" });
  if (struck?.effect.kind === "fail") return plain(response, struck.effect.status, "Failed on purpose");
  const bytes = house.realm.attachments.open(url.pathname, url.searchParams);
  if (bytes === undefined) return plain(response, 404, "This content is no longer available.");
  const name = decodeURIComponent(url.pathname.split("/").at(-1) ?? "file");
  response.writeHead(200, { ...guardHeaders, ...attachmentHeaders(name), "content-length": String(bytes.length) }).end(bytes);
}

function json(response: ServerResponse, answer: { status: number; body?: unknown }): void {
  if (answer.body === undefined) return void response.writeHead(answer.status, guardHeaders).end();
  response.writeHead(answer.status, { ...guardHeaders, "content-type": "application/json" }).end(JSON.stringify(answer.body));
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
