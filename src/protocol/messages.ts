/**
 * What may be sent over the socket, and by whom. Pure: it turns frames into messages and refuses all others. The table
 * of roles is all there is to permissions: a method that is not in a caller's row does not exist for it.
 */
import * as z from "zod";
import { BellhopError, codeOf, errors, type ErrorCode, type ErrorDetails } from "../base/errors.ts";
import { once } from "../base/once.ts";
import { absolutePath } from "./fields.ts";
import type { Frame } from "./frame.ts";

/** Raised when either side could misunderstand the other; a hello with another number is refused. */
export const LINK_VERSION = 1;

export type Role = "cli" | "mcp" | "hook" | "watch";

/** The methods of each kind of caller. `ping` says who answers, for every caller. */
export const allowed = {
  cli: ["ping", "status", "tail", "step_aside", "lock", "unlock", "forget"],
  mcp: [
    "ping",
    "mcp_ask",
    "mcp_delivered",
    "mcp_notify",
    "mcp_report",
    "mcp_pending",
    "mcp_read_inbox",
    "mcp_clear_inbox",
  ],
  hook: ["ping"],
  watch: ["ping", "watch_status"],
} as const satisfies Record<Role, readonly string[]>;

export type MethodName = (typeof allowed)[Role][number];

export const roles = Object.keys(allowed) as Role[];

const MOST_VARIABLES = 100;

/** Counted before they are read, because nobody knows yet who sends this. */
function few(variables: unknown, context: z.RefinementCtx): unknown {
  if (typeof variables !== "object" || variables === null || Object.keys(variables).length <= MOST_VARIABLES)
    return variables;
  context.addIssue({ code: "too_big", origin: "object", maximum: MOST_VARIABLES, input: variables });
  return z.NEVER;
}

const callId = z.int().min(0);

/** Hex of 256 bits, as the daemon issued it for one role. */
const capability = z.string();

/** The first frame of a caller. */
const hello = z.object({
  version: z.number(),
  role: z.enum(roles),
  capability,
  /** What the client was started with, for methods that depend on it: its token, its channel. */
  variables: z.preprocess(few, z.record(z.string(), z.string())).prefault({}),
});

/** The content of `link.json`: where the socket is, and the capability that callers of each role show. */
const address = z.object({
  socket: absolutePath(),
  pid: z.number(),
  capabilities: z.object({ cli: capability, mcp: capability, hook: capability, watch: capability } satisfies Record<
    Role,
    z.ZodString
  >),
});

/** An error as it is sent. One of a later version may have a code that this one does not know: an internal error. */
const failed = {
  code: z.enum(Object.keys(errors) as ErrorCode[]).catch("E_INTERNAL"),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).catch({}),
};

/** A message from a caller. `cancel`: the answer to this call is no longer wanted. */
const clientMessage = once(() =>
  z.union([
    z.object({ hello }).transform((frame) => ({ kind: "hello" as const, ...frame })),
    z.object({ cancel: callId }).transform(({ cancel }) => ({ kind: "cancel" as const, id: cancel })),
    z
      .object({ id: callId, method: z.string(), params: z.unknown().optional() })
      .transform((call) => ({ kind: "call" as const, ...call })),
  ]),
);

/**
 * A message from the daemon. `part`: one of several answers; the last one is a `result` or an `error`. `bye`: the
 * connection ends; `again`: a daemon will be available to call again.
 */
const answer = once(() =>
  z.union([
    z
      .object({ id: callId, part: z.unknown() })
      .transform(({ id, part }) => ({ kind: "part" as const, id, value: part })),
    z
      .object({ id: callId, result: z.unknown() })
      .transform(({ id, result }) => ({ kind: "result" as const, id, value: result })),
    z.object({ id: callId, error: z.object(failed) }).transform(({ id, error }) => ({
      kind: "error" as const,
      id,
      error: new BellhopError(error.code, error.details),
    })),
    z
      .object({ welcome: z.object({ version: z.number(), bellhop: z.string(), pid: z.number() }) })
      .transform(({ welcome }) => ({ kind: "welcome" as const, ...welcome })),
    z
      .object({ bye: z.object({ again: z.boolean().catch(false), ...failed }) })
      .transform(({ bye: { again, code, details } }) => ({
        kind: "bye" as const,
        again,
        error: new BellhopError(code, details),
      })),
  ]),
);

export type Address = z.output<typeof address>;
export type Hello = z.output<typeof hello>;
export type ClientMessage = z.output<ReturnType<typeof clientMessage>>;
export type ServerMessage = z.output<ReturnType<typeof answer>>;

/** Undefined for any other text. */
export function readAddressFile(text: string): Address | undefined {
  try {
    return address.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Undefined for any other frame. */
export function readClientMessage(frame: Frame): ClientMessage | undefined {
  return clientMessage().safeParse(frame).data;
}

/** Undefined for any other frame. */
export function readAnswer(frame: Frame): ServerMessage | undefined {
  return answer().safeParse(frame).data;
}

/** An error as it is sent in a frame: code and details, never a stack. */
export function errorFrame(error: unknown): { code: ErrorCode; details: ErrorDetails } {
  return { code: codeOf(error), details: error instanceof BellhopError ? error.details : {} };
}
