/**
 * What a failure means that the next prompt would meet too. Agents tell it in a field where they have one: as the
 * status of the model's service, or as a kind. Else it is read from their words; those of all vendors stand together,
 * because an agent that speaks ACP passes on what the agent behind it says.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { inner, parseLine, text } from "./fields.ts";

/**
 * The status that a kind of failure stands for: Claude's, of its messages, its hooks and over ACP; Codex's and
 * OpenCode's over ACP.
 */
const KINDS: Readonly<Record<string, number>> = {
  authentication_failed: 401,
  cloud_credential_error: 401,
  oauth_org_not_allowed: 403,
  account_on_hold: 403,
  verification_required: 403,
  billing_error: 402,
  rate_limit: 429,
  overloaded: 529,
  server_error: 500,
  model_not_found: 404,
  usageLimitExceeded: 429,
  contextWindowExceeded: 413,
  ContextOverflowError: 413,
};

export function statusOfKind(kind: unknown): number | null {
  return (typeof kind === "string" && Object.hasOwn(KINDS, kind) ? KINDS[kind] : null) ?? null;
}

/** What the model's service says, where an agent passes its answer on as it came. */
export function wordsIn(message: string): string {
  const own = /^\[API Error: ([^]*)\]$/.exec(message.trim())?.[1] ?? message;
  const body = parseLine(own);
  return body === null ? own : text(inner(body, "error")["message"]) || own;
}

/** The status with which the model's service refused, as the agent's words name it. */
export function statusIn(words: string): number | null {
  const found =
    /\bAPI Error: (?:Request rejected \(|Repeated )?(\d{3})\b|\bstatus:? (\d{3})\b|\berror (\d{3})\b|\b(429) Too Many Requests\b/i.exec(
      words,
    );
  const status = Number(found?.slice(1).find((part) => part !== undefined));
  return status >= 400 && status < 600 ? status : null;
}

const REFUSED =
  /disabled (?:Claude subscription access|API key authentication)|organization (?:has been|is) disabled|disabled organization/i;
const LOGGED_OUT =
  /^(?:Please run \/login|Failed to authenticate|Invalid API key|OAuth (?:token|session))\b|\bnot (?:logged|signed) in\b|\bauthentication required\b|401 Unauthorized|access token could not be refreshed|log out and sign in again|Please set an Auth method|API key not valid/i;
/** Also a picture that is too large beside the many of a long conversation. */
const FULL =
  /Prompt is too long|many-image requests|Image was too large|Request too large|ran out of room|exceeds the maximum number of tokens/i;
const CREDITS =
  /Credit balance is too low|out of (?:usage credits|extra usage|credits)|(?:monthly spend|API usage) limits?\b|org is out of usage|hit your spend cap|Quota exceeded\. Check your plan|exceeded your current quota(?!.*\b(?:retry|reset) (?:in|after)\b)/i;
const MODEL =
  /issue with the selected model(?: \((?<claude>[^\s)]{1,80})\))?|\bmodel [`'"](?<codex>[\w.:/-]{1,80})[`'"] does not exist|[`'"](?<plan>[\w.:/-]{1,80})[`'"] model is not supported when using Codex|\bmodels\/(?<gemini>[\w.:-]{1,80}) is not found/i;

/** Null: it may not fail again, or nobody knows. @param status that of the model's service, where it is told */
export function lastingFailure(
  words: string,
  status: number | null,
): { code: ErrorCode; details: ErrorDetails } | null {
  if (status === 403 || REFUSED.test(words))
    return { code: "E_AGENT_LOGIN", details: { because: "why_account_refused" } };
  if (status === 401 || LOGGED_OUT.test(words)) return { code: "E_AGENT_LOGIN", details: {} };
  // Claude says this once it has compacted the conversation by itself.
  if (/Prompt is too long/i.test(words)) return { code: "E_CONVERSATION_FULL", details: { kind: "prompt_too_long" } };
  if (status === 413 || FULL.test(words)) return { code: "E_CONVERSATION_FULL", details: {} };
  if (status === 402 || CREDITS.test(words)) return { code: "E_OUT_OF_CREDITS", details: {} };
  const named = MODEL.exec(words);
  if (status !== 404 && named === null) return null;
  const model = Object.values(named?.groups ?? {}).find((one) => one !== undefined) ?? modelIn(words);
  return { code: "E_MODEL_UNAVAILABLE", details: model === undefined ? {} : { model } };
}

function modelIn(words: string): string | undefined {
  return /\bmodels?[/:] ?([\w.:-]{1,80})/.exec(words)?.[1];
}

/** How agents describe a service that is overloaded, or a connection that broke. */
export const PASSING =
  /\boverloaded\b|temporarily limiting requests|try again in a moment|Connection (?:error|closed)|Request timed out|fetch failed|ECONNRESET|ETIMEDOUT|EPIPE|socket hang up|premature close|incomplete json|UNAVAILABLE|no capacity available|currently experiencing high demand|at capacity|stream disconnected before completion/i;
