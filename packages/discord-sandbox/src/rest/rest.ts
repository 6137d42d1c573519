/**
 * One REST request from socket to answer: who asks, which route, faults, rate limits, the handler, and the record
 * of the exchange. Everything a handler throws becomes Discord's answer here and nowhere else.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody, type Body } from "./body.ts";
import type { Buckets, Limited } from "./rate-limits.ts";
import { guardHeaders } from "./access-policy.ts";
import type { Fault } from "../faults/fault.ts";
import type { Faults, RestEffect } from "../faults/faults.ts";
import { Form, isObject } from "./form.ts";
import { limits } from "../limits.ts";
import type { Exchange, Context, ViolationKind } from "../context.ts";
import { badField, Code, Refusal, refuse, unauthorized } from "./refusals.ts";
import type { Answer, Match, Router } from "./router.ts";
import { userByToken } from "../state/users.ts";
import type { User } from "../state/world.ts";

export interface RestParts {
  context: Context;
  router: Router;
  buckets: Buckets;
  faults: Faults;
  /** Called with every exchange once it is over. */
  record(exchange: Exchange): void;
}

interface Reply extends Answer {
  headers: Record<string, string>;
  /** Sent as it is, in place of the body. */
  html?: string;
}

/** A fault that hits this request; `over` is when a delay has run out. */
interface Hit {
  fault: Fault;
  effect: RestEffect;
  over: Promise<void>;
}

const nobody: User = { id: "0", username: "", globalName: null, bot: false, token: "" };

export class Rest {
  readonly #parts: RestParts;

  constructor(parts: RestParts) {
    this.#parts = parts;
  }

  /** Answers a request whose path begins with `/api/`. */
  async answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const caller = this.#caller(request);
    const exchange = blankExchange(request, url, caller);
    const effect = this.#effect(exchange, url);
    const held = effect?.effect.when === "before" ? await this.#suffer(effect, exchange, response) : undefined;
    if (held === "gone") return this.#parts.record(exchange);
    const reply = held ?? (await this.#handle(request, url, caller, exchange));
    const after = effect?.effect.when === "after" ? await this.#suffer(effect, exchange, response) : undefined;
    if (after === "gone") return this.#keep(exchange, reply);
    send(response, after ?? reply, this.#parts.context.clock.now());
    this.#keep(exchange, after ?? reply);
  }

  #caller(request: IncomingMessage): User | null {
    const header = request.headers.authorization ?? "";
    const token = header.replace(/^Bot /, "");
    const user = token === "" ? undefined : userByToken(this.#parts.context.world, token);
    // A bot must say that it is one, and a person must not.
    if (user === undefined || user.bot !== header.startsWith("Bot ")) return null;
    return user;
  }

  #effect(exchange: Exchange, url: URL): Hit | undefined {
    try {
      const { route } = this.#parts.router.find(exchange.method, routePath(url));
      exchange.operationId = route.operationId;
      if (route.who === "open" && exchange.auth === "none") exchange.auth = "interaction";
      if (route.operationId?.includes("webhook") === true || route.operationId === "create_interaction_response")
        exchange.auth = "interaction";
    } catch {
      // An unknown route is refused where it is handled.
    }
    const hit = this.#parts.faults.take({ ...exchange, path: routePath(url) });
    return hit === undefined ? undefined : { ...hit, over: this.#over(hit) };
  }

  /** A delay runs from the request's arrival, so that whoever saw the hit can move the clock on. */
  #over({ fault, effect }: Pick<Hit, "fault" | "effect">): Promise<void> {
    if (effect.kind !== "delay") return Promise.resolve();
    return new Promise((resolve) => {
      this.#parts.context.clock.after(effect.ms, resolve);
      fault.onLift(resolve);
    });
  }

  /** What the fault makes of the request: an answer of its own, none at all, or (undefined) the true one, later. */
  async #suffer(hit: Hit, exchange: Exchange, response: ServerResponse): Promise<Reply | "gone" | undefined> {
    const { fault, effect } = hit;
    exchange.injected = true;
    switch (effect.kind) {
      case "drop":
        fault.onLift(() => response.socket?.destroy());
        return "gone";
      case "reset":
        response.socket?.resetAndDestroy();
        return "gone";
      case "hold":
        await new Promise<void>((resolve) => fault.onLift(resolve));
        return undefined;
      case "delay":
        await hit.over;
        return undefined;
      case "fail":
        return injected(effect);
      case "portal":
        return { status: 200, headers: {}, html: PORTAL };
      case "429":
        return tooMany(
          { retryAfterMs: effect.retryAfterS * 1000, global: effect.scope === "global", scope: effect.scope },
          {},
        );
    }
  }

  async #handle(request: IncomingMessage, url: URL, caller: User | null, exchange: Exchange): Promise<Reply> {
    let headers: Record<string, string> = {};
    try {
      const body = await readBody(request);
      exchange.requestBody = body.sent ? body.json : null;
      exchange.files = body.files.map((file) => ({ field: file.field, name: file.name, size: file.bytes.length }));
      if (!url.pathname.startsWith("/api/v10/")) throw refuse(Code.InvalidAPIVersion);
      const match = this.#parts.router.find(exchange.method, routePath(url));
      const asker = admit(match, caller);
      checkIds(match);
      if (caller?.bot === true || exchange.auth === "interaction") {
        if (this.#parts.buckets.invalidRequests > limits.invalidRequests)
          throw refuse(Code.CloudflareIsBlockingYourRequest);
        const verdict = this.#take(asker, match, body);
        headers = verdict.headers;
        if (verdict.limited !== undefined) return tooMany(verdict.limited, headers);
      }
      const most = limits.fileBytes[this.#parts.context.world.boostLevel ?? 0];
      if (body.files.some((file) => file.bytes.length > most)) throw refuse(Code.RequestEntityTooLarge);
      const answer = await match.route.run({
        context: this.#parts.context,
        params: match.params,
        query: url.searchParams,
        body: body.json,
        files: body.files,
        caller: asker,
        form: () => new Form(body.json),
      });
      return { ...answer, headers };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const wait: Record<string, string> =
        error.status === 429 ? { "retry-after": String(error.retryAfterS), "x-ratelimit-scope": "user" } : {};
      return { status: error.status, body: error.body(), headers: { ...headers, ...wait } };
    }
  }

  #take(caller: User, match: Match, body: Body) {
    const { params, route } = match;
    const major =
      params["webhook_token"] ?? params["interaction_token"] ?? params["channel_id"] ?? params["guild_id"] ?? "";
    const renames =
      route.operationId === "update_channel" &&
      isObject(body.json) &&
      (body.json["name"] !== undefined || body.json["topic"] !== undefined);
    // A callback answers its interaction once; it is in no bucket.
    if (route.operationId === "create_interaction_response") return { headers: {} };
    return this.#parts.buckets.take(caller.id, route.operationId ?? route.path, major, renames);
  }

  #keep(exchange: Exchange, reply: Reply): void {
    // A page that something else shows in Discord's place is no answer of Discord's.
    exchange.status = reply.html === undefined ? reply.status : 0;
    exchange.responseBody = reply.body ?? null;
    const shared = reply.headers["x-ratelimit-scope"] === "shared";
    if (exchange.auth !== "user" && [401, 403, 429].includes(reply.status) && !shared)
      this.#parts.buckets.countInvalid();
    this.#parts.record(exchange);
    if (exchange.auth === "user" || exchange.injected || reply.status < 400) return;
    const { code, message } = isObject(reply.body) ? reply.body : {};
    this.#parts.context.violation(kindOf(reply.status, Number(code)), Number(code ?? 0), String(message), exchange);
  }
}

function admit(match: Match, caller: User | null): User {
  const { who } = match.route;
  if (who === "open") return caller ?? nobody;
  if (caller === null) throw unauthorized();
  if (who === "bot" && !caller.bot) throw refuse(Code.OnlyBotsCanUseThisEndpoint);
  if (who === "user" && caller.bot) throw refuse(Code.BotsCannotUseThisEndpoint);
  return caller;
}

/** What is no id, where the path needs one, is a bad form and not something that was not found. */
function checkIds(match: Match): void {
  for (const [name, value] of Object.entries(match.params)) {
    if (name.endsWith("_id") && !/^\d{1,20}$/.test(value)) {
      throw badField(name, "NUMBER_TYPE_COERCE", `Value "${value}" is not snowflake.`);
    }
  }
}

const PORTAL = "<!doctype html><title>Sign in to the Wi-Fi</title><form action=/login></form>\n";

function injected({ status, code, retryAfterS }: Extract<RestEffect, { kind: "fail" }>): Reply {
  const wait =
    status === 429
      ? { retry_after: retryAfterS ?? 1, global: false }
      : retryAfterS === undefined
        ? {}
        : { retry_after: retryAfterS };
  return { status, headers: {}, body: { message: `${status}: injected`, code, ...wait } };
}

function tooMany(limited: Limited, headers: Record<string, string>): Reply {
  const seconds = Math.ceil(limited.retryAfterMs) / 1000;
  return {
    status: 429,
    headers: {
      ...headers,
      "retry-after": String(Math.ceil(seconds)),
      "x-ratelimit-scope": limited.scope,
      ...(limited.global ? { "x-ratelimit-global": "true" } : {}),
      via: "1.1 sandbox",
    },
    body: { message: "You are being rate limited.", retry_after: seconds, global: limited.global, code: 0 },
  };
}

function send(response: ServerResponse, reply: Reply, now: number): void {
  if (response.destroyed) return;
  const headers: Record<string, string> = { ...guardHeaders, date: new Date(now).toUTCString(), ...reply.headers };
  if (reply.status === 204) {
    response.writeHead(204, headers).end();
    return;
  }
  const text = reply.html ?? JSON.stringify(reply.body ?? null);
  const type = reply.html === undefined ? "application/json" : "text/html; charset=utf-8";
  response.writeHead(reply.status, {
    ...headers,
    "content-type": type,
    "content-length": String(Buffer.byteLength(text)),
  });
  response.end(text);
}

function blankExchange(request: IncomingMessage, url: URL, caller: User | null): Exchange {
  return {
    operationId: null,
    method: request.method ?? "GET",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    requestBody: null,
    files: [],
    status: 0,
    responseBody: null,
    auth: caller === null ? "none" : caller.bot ? "bot" : "user",
    injected: false,
  };
}

/** Below `/api/vN`, decoded segment by segment so that an emoji is itself again. */
function routePath(url: URL): string {
  return url.pathname
    .replace(/^\/api(?:\/v\d+)?/, "")
    .split("/")
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    })
    .join("/");
}

function kindOf(status: number, code: number): ViolationKind {
  if (code === Code.InteractionHasAlreadyBeenAcknowledged) return "double_ack";
  if (code === Code.UnknownInteraction) return "unknown_interaction";
  if (code === Code.InvalidWebhookToken) return "expired_token";
  if (status === 429) return "rate_limited";
  if (status === 401) return "unauthorized";
  if (status === 403) return "forbidden";
  return status === 404 ? "not_found" : "bad_request";
}
