/**
 * The sandbox over HTTP, under `/control/`, for a test that runs in another process and another language: faults,
 * people and violations, the same as in-process, behind a token of their own. The README lists the paths.
 */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { readBody } from "../rest/body.ts";
import type { FaultHandle } from "../faults/fault.ts";
import type { Faults, RestWhere, When } from "../faults/faults.ts";
import { isObject, type Json } from "../rest/form.ts";
import { Refusal } from "../rest/refusals.ts";
import type { Sandbox } from "../sandbox.ts";
import { People } from "./people.ts";
import type { GatewayFaultKind } from "../faults/gateway-faults.ts";
import type { Answer } from "../rest/router.ts";

export const CONTROL_HEADER = "x-sandbox-control";

const gatewayKinds = new Set([
  "cut",
  "cut_after",
  "silence",
  "reconnect",
  "invalidate",
  "close",
  "duplicate",
  "reorder",
  "miss_acks",
  "slow_hello",
  "unavailable",
  "refuse_resume",
  "ask_heartbeat",
  "withhold",
  "say",
  "half_frame",
  "no_upgrade",
  "elsewhere",
]);

export class Control {
  readonly #sandbox: Sandbox;
  readonly #faults: Faults;
  readonly #people: People;

  constructor(sandbox: Sandbox, faults: Faults) {
    this.#sandbox = sandbox;
    this.#faults = faults;
    this.#people = new People(sandbox);
  }

  async answer(request: IncomingMessage, path: string): Promise<Answer> {
    if (!this.#knows(request))
      return { status: 401, body: { message: `The header ${CONTROL_HEADER} is missing or wrong`, code: 0 } };
    try {
      return (await this.#elsewhere(request, path)) ?? (await this.#fault(request, path));
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: error.body() };
      throw error;
    }
  }

  /** People and violations; undefined for every other path. */
  async #elsewhere(request: IncomingMessage, path: string): Promise<Answer | undefined> {
    if (path === "/control/violations" && request.method === "GET")
      return { status: 200, body: this.#sandbox.violations };
    if (!path.startsWith("/control/people") || request.method !== "POST") return undefined;
    const [, , , userId, action] = path.split("/");
    const { json } = await readBody(request);
    return userId === undefined || action === undefined
      ? this.#people.add(json)
      : this.#people.act(userId, action, json);
  }

  async #fault(request: IncomingMessage, path: string): Promise<Answer> {
    const id = /^\/control\/faults\/([\w-]+)$/.exec(path)?.[1];
    if (path === "/control/faults" && request.method === "GET")
      return { status: 200, body: this.#faults.list().map(view) };
    if (path === "/control/faults" && request.method === "DELETE") {
      this.#faults.lift();
      return { status: 204 };
    }
    if (path === "/control/faults" && request.method === "POST") return this.#start((await readBody(request)).json);
    const fault = id === undefined ? undefined : this.#faults.find(id);
    if (fault === undefined) return { status: 404, body: { message: "There is no such fault", code: 0 } };
    if (request.method === "GET") {
      const wanted = Number(new URL(request.url ?? "", "http://sandbox").searchParams.get("hits") ?? "0");
      await fault.hit(wanted);
      return { status: 200, body: view(fault) };
    }
    if (request.method !== "DELETE") return { status: 405, body: { message: "405: Method Not Allowed", code: 0 } };
    fault.lift();
    return { status: 204 };
  }

  #start(body: unknown): Answer {
    const made = isObject(body) ? this.#make(body) : undefined;
    if (made === undefined) return { status: 400, body: { message: "Unknown kind of fault", code: 0 } };
    return { status: 201, body: view(made) };
  }

  #make(body: Json): FaultHandle | undefined {
    const kind = String(body["kind"]);
    if (gatewayKinds.has(kind)) return this.#faults.gateway(body as unknown as GatewayFaultKind);
    const where = readWhere(body);
    switch (kind) {
      case "drop":
        return this.#faults.drop(where);
      case "hold":
        return this.#faults.hold(where);
      case "reset":
        return this.#faults.reset(where);
      case "delay":
        return this.#faults.delay({ ...where, ms: Number(body["ms"] ?? 0) });
      case "fail":
        return this.#faults.fail({
          ...where,
          status: Number(body["status"] ?? 500),
          ...numbersIn(body, ["code", "retryAfter"]),
        });
      case "portal":
        return this.#faults.portal(where);
      case "429": {
        const scope = (["user", "global", "shared"] as const).find((one) => one === body["scope"]) ?? "user";
        return this.#faults.rateLimit({ ...where, scope, retryAfter: Number(body["retry_after"] ?? 1) });
      }
      default:
        return undefined;
    }
  }

  #knows(request: IncomingMessage): boolean {
    const given = Buffer.from(String(request.headers[CONTROL_HEADER] ?? ""));
    const expected = Buffer.from(this.#sandbox.controlToken);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

function readWhere(body: Json): RestWhere & { when?: When } {
  const auth = (["bot", "user", "interaction", "any"] as const).find((one) => one === body["auth"]);
  const when = (["before", "after"] as const).find((one) => one === body["when"]);
  return {
    ...(typeof body["operationId"] === "string" ? { operationId: body["operationId"] } : {}),
    ...(typeof body["method"] === "string" ? { method: body["method"] } : {}),
    ...(typeof body["path"] === "string" ? { path: body["path"] } : {}),
    ...(typeof body["times"] === "number" ? { times: body["times"] } : {}),
    ...(auth === undefined ? {} : { auth }),
    ...(when === undefined ? {} : { when }),
  };
}

function numbersIn(body: Json, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.flatMap((name) => (typeof body[name] === "number" ? [[name, body[name]]] : [])));
}

function view(fault: FaultHandle): Json {
  return { id: fault.id, kind: fault.kind, hits: fault.hits };
}
