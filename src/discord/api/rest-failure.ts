/**
 * What Discord's refusals mean, in one place: a caller checks the kind and never reads an error's text. The numbers
 * are Discord's JSON error codes.
 */
export type FailureKind =
  /** The message does not exist. */
  | "message_gone"
  /** The channel, thread or guild does not exist. */
  | "channel_gone"
  /** The bot may not see it or may not do that there, or the person accepts no direct messages. */
  | "no_access"
  | "archived"
  | "locked"
  /** The message is too old to be edited as often as we did. */
  | "too_old"
  /** Refused for its content: too large, malformed, blocked by the server's filter. */
  | "rejected"
  /** No answer within the time the caller gave; whether it was done is not known. */
  | "unavailable"
  /** Discord sent as many 429s as the caller allows; it was not done. */
  | "limited"
  /** A newer request with the same key replaced it, or the caller withdrew it, before it was sent. */
  | "superseded"
  /** The token is refused; nothing more is sent. */
  | "unauthorized"
  /** We are closing; it was not sent. */
  | "closed";

const kinds: Record<number, FailureKind> = {
  10003: "channel_gone",
  10004: "channel_gone",
  10008: "message_gone",
  30046: "too_old",
  50001: "no_access",
  50007: "no_access",
  50013: "no_access",
  50083: "archived",
  160005: "locked",
};

/** A request that failed. `status` and `code` are 0, and `says` is empty, if Discord gave none. */
export class RestFailure extends Error {
  override readonly name = "RestFailure";
  readonly kind: FailureKind;
  readonly status: number;
  readonly code: number;
  /** Discord's own words. */
  readonly says: string;

  constructor(kind: FailureKind, what: { route: string; status?: number; code?: number; says?: string }) {
    const { route, status = 0, code = 0, says = "" } = what;
    // Its stack would name only the queue, and takes longer to make than all else here; each change withdraws requests.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${route}: ${[kind, status || "", code || "", says].filter(Boolean).join(" ")}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.says = says;
  }
}

/** The kind of a refusal with this JSON error code. */
export function kindOf(code: number): FailureKind {
  return kinds[code] ?? "rejected";
}

/** The failure's kind, or null for anything else that was thrown. */
export function failureKind(error: unknown): FailureKind | null {
  return error instanceof RestFailure ? error.kind : null;
}
