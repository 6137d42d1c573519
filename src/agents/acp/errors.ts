/**
 * What a failed request to an agent means, in Bellhop's codes. Agents spell the same failure differently: as a JSON-RPC
 * error with a kind in its data (Claude), with the HTTP status as its code (Gemini), or in its text only (OpenCode).
 */
import type { ErrorDetails } from "../../base/errors.ts";
import type { FailedOutcome } from "../contract/updates.ts";
import { oneLine, type Fields, fieldsOf, inner, records, text } from "../process/fields.ts";
import { reasonDetails } from "../process/dialect.ts";
import { lastingFailure, PASSING, statusIn, statusOfKind, wordsIn } from "../process/failure-words.ts";

/** A JSON-RPC error as the agent sent it. */
export interface RpcFailure {
  code: number;
  message: string;
  data: unknown;
}

const AUTH_REQUIRED = -32_000;
const NOT_FOUND = -32_002;
/** A lost session, and the other words for one that the agent does not know. */
const LOST = /\b(?:thread|session|conversation) not found\b/i;
const UNKNOWN =
  /\b(?:(?:thread|session|conversation) \S+ not found|no (?:rollout|conversation|previous sessions) found|(?:unknown|invalid) (?:thread|session|conversation)|not match any session)\b/i;

export function needsLogin({ code, message }: RpcFailure): boolean {
  return code === AUTH_REQUIRED || /\bauthentication required\b|\bnot (?:logged|signed) in\b|\/login\b/i.test(message);
}

/**
 * Whether the agent has lost the session that it is prompted in. Codex reopens a session before it looks for what was
 * said in it, so its loss shows only then.
 */
export function hasLostSession(failure: RpcFailure): boolean {
  return LOST.test(reasonOf(failure));
}

/**
 * Whether the agent refuses to go on with a session because it does not know it. Anything else may pass, and the
 * session can be gone on with then. OpenCode says only which of its parts failed.
 */
export function refusesSession(failure: RpcFailure): boolean {
  const data = fieldsOf(failure.data);
  return (
    failure.code === NOT_FOUND ||
    text(data?.["sessionId"]) !== "" ||
    data?.["service"] === "session" ||
    hasLostSession(failure) ||
    UNKNOWN.test(reasonOf(failure))
  );
}

/** The commands that log in, by the name an agent gives itself. */
const LOGINS: ReadonlyMap<string, string> = new Map([
  ["@agentclientprotocol/claude-agent-acp", "claude auth login"],
  ["@zed-industries/claude-code-acp", "claude auth login"],
  ["@agentclientprotocol/codex-acp", "codex login"],
  ["gemini-cli", "gemini"],
  ["OpenCode", "opencode auth login"],
]);

/**
 * How a person logs in to it: with its command, or else, as far as it says so, in which ways.
 * @param hello what it says of itself @param command the one for its program, if that is known
 */
export function loginTo(hello: Fields, command: string | undefined): ErrorDetails {
  const login = LOGINS.get(text(inner(hello, "agentInfo")["name"])) ?? command;
  if (login !== undefined) return { login };
  const ways = records(hello["authMethods"])
    .map(({ name, id }) => text(name) || text(id))
    .filter((way) => way !== "");
  return ways.length === 0 ? {} : { ways: oneLine(ways.join(", ")) };
}

/** @param login how to log in, as `loginTo` says it */
export function failureOf(failure: RpcFailure, login: ErrorDetails): FailedOutcome {
  const reason = reasonOf(failure);
  const status = statusOf(failure);
  const lasting = lastingFailure(reason, status);
  if (lasting?.code === "E_AGENT_LOGIN" || (lasting === null && needsLogin(failure)))
    return { outcome: "failed", code: "E_AGENT_LOGIN", details: { ...login, ...lasting?.details } };
  const details: ErrorDetails = {
    ...reasonDetails(reason, { because: "why_nothing_said" }),
    ...(status !== null && { status }),
    ...lasting?.details,
  };
  if (lasting !== null) return { outcome: "failed", code: lasting.code, details };
  if (status === 429) return { outcome: "failed", code: "E_USAGE_LIMIT", details };
  if ((status ?? 0) >= 500 || PASSING.test(reason)) return { outcome: "failed", code: "E_SERVICE_BUSY", details };
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details };
}

/** One line in the agent's words, with the detail that some put beside a message which says nothing. */
export function reasonOf({ message, data }: RpcFailure): string {
  const details = text(fieldsOf(data)?.["details"]) || text(fieldsOf(data)?.["message"]);
  const words = wordsIn(message).replace(/^Internal error: /, "");
  return oneLine(details === "" || words.includes(details) ? words : `${words}: ${details}`);
}

/** The HTTP status with which the model's service refused, or null; a kind that is not known leaves it to the words. */
function statusOf({ code, message, data }: RpcFailure): number | null {
  if (Number.isInteger(code) && code >= 400 && code < 600) return code;
  const told = fieldsOf(data);
  const kind = told?.["errorKind"] ?? told?.["codexErrorInfo"] ?? told?.["errorName"];
  return statusIn(message) ?? statusOfKind(kind);
}
