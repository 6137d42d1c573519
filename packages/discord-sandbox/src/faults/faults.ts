/**
 * Injected faults: what goes wrong on purpose, for which requests or sockets, how often, and how a test waits
 * until it has. Every fault is a handle that counts its hits and can be lifted.
 */
import { Fault, type FaultHandle } from "./fault.ts";
import type { GatewayFaultKind } from "./gateway-faults.ts";

/** Which REST requests a fault is for; what is left out matches everything. */
export interface RestWhere {
  operationId?: string;
  method?: string;
  /** A part of the path below the API version, or a pattern over it. */
  path?: string | RegExp;
  /** Default `bot` and `interaction`: people's own clients are left alone. */
  auth?: "bot" | "user" | "interaction" | "any";
  /** How many requests it hits; without it, every one until lifted. */
  times?: number;
}

export type When = "before" | "after";

/** What happens to a matching request. `when`: before it is carried out, or after (everything is stored). */
export type RestEffect =
  | { kind: "drop"; when: When }
  | { kind: "reset"; when: When }
  | { kind: "hold"; when: When }
  | { kind: "delay"; when: When; ms: number }
  | { kind: "fail"; when: When; status: number; code: number; retryAfterS?: number }
  /** Something else answers in Discord's place, with a page of its own. */
  | { kind: "portal"; when: "before" }
  | { kind: "429"; when: "before"; scope: "user" | "global" | "shared"; retryAfterS: number };

export interface FailWith {
  status: number;
  when?: When;
  code?: number;
  retryAfter?: number;
}

/** The methods a test uses. REST faults first, then the gateway's. */
export interface FaultControl {
  /** Never answered; the socket stays open until lifted, then is cut. */
  drop(where?: RestWhere & { when?: When }): FaultHandle;
  /** Answered only once lifted. */
  hold(where?: RestWhere & { when?: When }): FaultHandle;
  /** Answered `ms` later on the sandbox's clock. */
  delay(where: RestWhere & { ms: number; when?: When }): FaultHandle;
  /** 429; `retryAfter` in seconds. */
  rateLimit(where: RestWhere & { scope?: "user" | "global" | "shared"; retryAfter: number }): FaultHandle;
  /**
   * An answer of this status (400, 403, 500, 503, …), before anything is stored or after; `code` is Discord's JSON
   * error code, `retryAfter` in seconds.
   */
  fail(where: RestWhere & FailWith): FaultHandle;
  /** A page of HTML with status 200 in place of Discord's answer, as a captive portal gives. */
  portal(where?: RestWhere): FaultHandle;
  /** The connection is reset, before anything is stored or (default) after. */
  reset(where?: RestWhere & { when?: When }): FaultHandle;
  /** A fault of the gateway; see `GatewayFaultKind`. */
  gateway(kind: GatewayFaultKind): FaultHandle;
  list(): FaultHandle[];
  /** Lifts everything. */
  lift(): void;
}

export interface RestRequest {
  operationId: string | null;
  method: string;
  path: string;
  auth: "bot" | "user" | "interaction" | "none";
}

export class Faults implements FaultControl {
  readonly #rest: { fault: Fault; where: RestWhere; effect: RestEffect }[] = [];
  readonly #gateway: (kind: GatewayFaultKind, fault: Fault) => void;
  readonly #known: Fault[] = [];

  constructor(gateway: (kind: GatewayFaultKind, fault: Fault) => void) {
    this.#gateway = gateway;
  }

  drop(where: RestWhere & { when?: When } = {}): FaultHandle {
    return this.#add(where, { kind: "drop", when: where.when ?? "before" });
  }

  hold(where: RestWhere & { when?: When } = {}): FaultHandle {
    return this.#add(where, { kind: "hold", when: where.when ?? "before" });
  }

  delay(where: RestWhere & { ms: number; when?: When }): FaultHandle {
    return this.#add(where, { kind: "delay", when: where.when ?? "before", ms: where.ms });
  }

  rateLimit(where: RestWhere & { scope?: "user" | "global" | "shared"; retryAfter: number }): FaultHandle {
    return this.#add(where, {
      kind: "429",
      when: "before",
      scope: where.scope ?? "user",
      retryAfterS: where.retryAfter,
    });
  }

  fail(where: RestWhere & FailWith): FaultHandle {
    const { status, when = "before", code = 0, retryAfter } = where;
    return this.#add(where, {
      kind: "fail",
      when,
      status,
      code,
      ...(retryAfter === undefined ? {} : { retryAfterS: retryAfter }),
    });
  }

  portal(where: RestWhere = {}): FaultHandle {
    return this.#add(where, { kind: "portal", when: "before" });
  }

  reset(where: RestWhere & { when?: When } = {}): FaultHandle {
    return this.#add(where, { kind: "reset", when: where.when ?? "after" });
  }

  gateway(kind: GatewayFaultKind): FaultHandle {
    const fault = this.#name(kind.kind, "times" in kind ? kind.times : undefined);
    this.#gateway(kind, fault);
    return fault;
  }

  list(): FaultHandle[] {
    return this.#known.filter((fault) => fault.active);
  }

  find(id: string): Fault | undefined {
    return this.#known.find((fault) => fault.id === id);
  }

  lift(): void {
    for (const fault of this.#known) fault.lift();
  }

  /** The effect for a request, its hit counted; undefined where none matches. */
  take(request: RestRequest): { fault: Fault; effect: RestEffect } | undefined {
    const found = this.#rest.find(({ fault, where }) => fault.active && matches(where, request));
    found?.fault.count();
    return found;
  }

  #add(where: RestWhere, effect: RestEffect): Fault {
    const fault = this.#name(effect.kind, where.times);
    this.#rest.push({ fault, where, effect });
    return fault;
  }

  #name(kind: string, times: number | undefined): Fault {
    const fault = new Fault(`fault-${this.#known.length + 1}`, kind, times);
    this.#known.push(fault);
    return fault;
  }
}

function matches(where: RestWhere, request: RestRequest): boolean {
  const auth = where.auth ?? "bot";
  if (auth !== "any" && auth !== request.auth && !(where.auth === undefined && request.auth === "interaction"))
    return false;
  if (where.operationId !== undefined && where.operationId !== request.operationId) return false;
  if (where.method !== undefined && where.method !== request.method) return false;
  if (where.path === undefined) return true;
  return typeof where.path === "string" ? request.path.includes(where.path) : where.path.test(request.path);
}
