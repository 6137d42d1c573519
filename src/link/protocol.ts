/**
 * What may be said over the socket, and by whom. Pure: it turns frames into messages and refuses what is none. The
 * table of roles is the whole of the permissions: a method that is not in a caller's row does not exist for it.
 */
import { BellhopError, codeOf, errors, type ErrorCode, type ErrorDetails } from "../base/errors.ts";
import type { Frame } from "./frame.ts";

/** Raised when either side could misunderstand the other; a hello with another number is refused. */
export const LINK_VERSION = 1;

export type Role = "cli" | "mcp" | "hook" | "watch";

/** Which methods each kind of caller has. `ping` says who answers, to anybody who may call at all. */
export const allowed = {
  cli: ["ping", "status", "tail"],
  mcp: ["ping", "mcp_ask", "mcp_delivered", "mcp_notify", "mcp_report", "mcp_pending", "mcp_read_inbox", "mcp_clear_inbox"],
  hook: ["ping"],
  watch: ["ping", "watch_status"],
} as const satisfies Record<Role, readonly string[]>;

export type MethodName = (typeof allowed)[Role][number];

export const roles = Object.keys(allowed) as Role[];

/** The first frame of a caller. */
export interface Hello {
  version: number;
  role: Role;
  /** Hex of 256 bits, as the daemon handed it out for this role. */
  capability: string;
  /** What the face was started with, for methods that go by it: its token, its channel. */
  variables: Readonly<Record<string, string>>;
}

/** What a caller says. */
export type Said =
  | { kind: "hello"; hello: Hello }
  | { kind: "call"; id: number; method: string; params: unknown }
  /** The answer to this call is not wanted any more. */
  | { kind: "cancel"; id: number };

/** What the daemon says. */
export type Answer =
  | { kind: "welcome"; version: number; bellhop: string; pid: number }
  /** One of several answers; the last one is a `result` or an `error`. */
  | { kind: "part"; id: number; value: unknown }
  | { kind: "result"; id: number; value: unknown }
  | { kind: "error"; id: number; error: BellhopError }
  /** The connection ends. `again`: there will be a daemon to call again. */
  | { kind: "bye"; again: boolean; error: BellhopError };

/** Undefined for a frame that is none of these. */
export function readSaid(frame: Frame): Said | undefined {
  if (isObject(frame["hello"])) {
    const hello = readHello(frame["hello"]);
    return hello && { kind: "hello", hello };
  }
  if (isId(frame["cancel"])) return { kind: "cancel", id: frame["cancel"] };
  const { id, method, params } = frame;
  return isId(id) && typeof method === "string" ? { kind: "call", id, method, params } : undefined;
}

/** Undefined for a frame that is none of these. */
export function readAnswer(frame: Frame): Answer | undefined {
  const { id, welcome, bye } = frame;
  if (isObject(welcome)) return readWelcome(welcome);
  if (isObject(bye)) return { kind: "bye", again: bye["again"] === true, error: readError(bye) };
  if (!isId(id)) return undefined;
  if (Object.hasOwn(frame, "part")) return { kind: "part", id, value: frame["part"] };
  if (Object.hasOwn(frame, "result")) return { kind: "result", id, value: frame["result"] };
  return isObject(frame["error"]) ? { kind: "error", id, error: readError(frame["error"]) } : undefined;
}

/** An error as it stands in a frame: code and details, never a stack. */
export function errorFrame(error: unknown): { code: ErrorCode; details: ErrorDetails } {
  return { code: codeOf(error), details: error instanceof BellhopError ? error.details : {} };
}

function readHello(value: Frame): Hello | undefined {
  const { version, role, capability, variables = {} } = value;
  const known = roles.find((name) => name === role);
  if (typeof version !== "number" || known === undefined || typeof capability !== "string" || !isTexts(variables)) return undefined;
  return { version, role: known, capability, variables };
}

function readWelcome({ version, bellhop, pid }: Frame): Answer | undefined {
  if (typeof version !== "number" || typeof bellhop !== "string" || typeof pid !== "number") return undefined;
  return { kind: "welcome", version, bellhop, pid };
}

/** A code this version does not know comes from a later one; it is told as what it is to us. */
function readError({ code, details }: Frame): BellhopError {
  const known = typeof code === "string" && Object.hasOwn(errors, code) ? (code as ErrorCode) : "E_INTERNAL";
  return new BellhopError(known, isObject(details) ? (details as ErrorDetails) : {});
}

function isObject(value: unknown): value is Frame {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((entry) => typeof entry === "string");
}
