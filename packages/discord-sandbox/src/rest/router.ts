/**
 * The table of routes: which handler answers a method and path. Literal segments win over parameters, so that
 * `@me` is never taken for an id.
 */
import type { Form } from "./form.ts";
import type { UploadedFile } from "../messages/message-form.ts";
import type { Context } from "../context.ts";
import { Code, refuse } from "./refusals.ts";
import type { User } from "../state/world.ts";

/** What a handler is given. */
export interface Call {
  context: Context;
  params: Record<string, string>;
  query: URLSearchParams;
  /** The JSON body as it came; `{}` where none was sent. */
  body: unknown;
  files: UploadedFile[];
  /** Who asks; only routes without `open` may use it. */
  caller: User;
  form(): Form;
}

export interface Answer {
  status: number;
  /** Left out for 204: an answer without content must not name a content type either. */
  body?: unknown;
}

export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/channels/{channel_id}/messages`, below the API version. */
  path: string;
  /** Discord's own name for it; null for what only its clients use. */
  operationId: string | null;
  /** `bot`, `user` (only people's clients), `any` of both, or `open`: the path itself holds a token. */
  who: "bot" | "user" | "any" | "open";
  run(call: Call): Answer | Promise<Answer>;
}

export interface Match {
  route: Route;
  params: Record<string, string>;
}

export class Router {
  readonly #routes: { route: Route; segments: string[] }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes
      .map((route) => ({ route, segments: route.path.split("/") }))
      .toSorted((a, b) => literals(b.segments) - literals(a.segments));
  }

  /** The route for a path below the API version. Throws 404 or, where only the method is wrong, 405. */
  find(method: string, path: string): Match {
    const given = path.split("/");
    let wrongMethod = false;
    for (const { route, segments } of this.#routes) {
      const params = match(segments, given);
      if (params === undefined) continue;
      if (route.method === method) return { route, params };
      wrongMethod = true;
    }
    throw wrongMethod ? methodNotAllowed() : refuse(Code.GeneralError);
  }
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function created(body: unknown): Answer {
  return { status: 201, body };
}

export const noContent: Answer = { status: 204 };

function methodNotAllowed() {
  const refusal = refuse(Code.GeneralError);
  return Object.assign(refusal, { status: 405, message: "405: Method Not Allowed" });
}

function literals(segments: readonly string[]): number {
  return segments.filter((one) => !one.startsWith("{")).length;
}

function match(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? "";
    if (segment.startsWith("{")) params[segment.slice(1, -1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
}
