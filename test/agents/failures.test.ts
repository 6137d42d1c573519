/**
 * What each agent's failures mean, by its fields and in its own words, one table an agent. The words are those of
 * Claude Code 2.1.329, Codex 0.169, Gemini CLI 0.61, claude-agent-acp 0.100, codex-acp 2.6 and opencode 1.18.
 */
import { describe, expect, test } from "vitest";
import { failureOf, type RpcFailure } from "../../src/agents/acp/errors.ts";
import { AcpTranslation } from "../../src/agents/acp/translate.ts";
import { ClaudeTranslation } from "../../src/agents/claude/translate.ts";
import { CodexTranslation } from "../../src/agents/codex/translate.ts";
import { GeminiTranslation } from "../../src/agents/gemini/translate.ts";
import type { TurnEnded } from "../../src/agents/contract/updates.ts";
import type { ErrorCode } from "../../src/base/errors.ts";
import type { JobLog } from "../../src/host/files/job-log.ts";
import { WindowTurn } from "../../src/agents/tmux/turn.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { textOf } from "./stage.ts";
import { translate } from "./streams.ts";

const NOW = Date.parse("2026-11-21T07:32:24Z");
const key = "6d3040e7-7186-4cfc-b5f1-36b24e8e3400";
const REFUSED = { because: "why_account_refused" };
const BUDGET = "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.";
const MODEL =
  "There's an issue with the selected model (claude-9). It may not exist or you may not have access to it. Run --model to pick a different model.";
const PICTURE =
  "API Error: 400 messages.12.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels";

function meaning(end: TurnEnded | undefined): unknown {
  return end?.outcome === "failed" ? { code: end.code, ...end.details } : end;
}

/** Claude's words for what it fails with, what it calls that, and the status it tells; the same in a window. */
const CLAUDE: readonly [string, { error: string; status?: number; ended?: string }, ErrorCode, object?][] = [
  ["Not logged in · Please run /login", { error: "authentication_failed" }, "E_AGENT_LOGIN"],
  ["Please run /login · API Error: 401 expired", { error: "authentication_failed", status: 401 }, "E_AGENT_LOGIN"],
  ["Failed to authenticate. API Error: 401 expired", { error: "authentication_failed" }, "E_AGENT_LOGIN"],
  ["API Error: 401 some new words", { error: "unknown", status: 401 }, "E_AGENT_LOGIN"],
  ["Words of another version", { error: "authentication_failed" }, "E_AGENT_LOGIN"],
  ["Invalid API key · Fix external API key", { error: "authentication_failed" }, "E_AGENT_LOGIN"],
  ["OAuth session expired · Please run /login", { error: "authentication_failed" }, "E_AGENT_LOGIN"],
  ["OAuth token revoked · Please run /login", { error: "authentication_failed" }, "E_AGENT_LOGIN"],
  ["API Error: 403 forbidden", { error: "authentication_failed", status: 403 }, "E_AGENT_LOGIN", REFUSED],
  [
    "Your organization has disabled Claude subscription access for Claude Code · Use an Anthropic API key instead, or ask your admin to enable access",
    { error: "oauth_org_not_allowed" },
    "E_AGENT_LOGIN",
    REFUSED,
  ],
  [
    "API Error: 400 This organization has been disabled.",
    { error: "authentication_failed", status: 400 },
    "E_AGENT_LOGIN",
    REFUSED,
  ],
  ["Your organization has disabled API key authentication", { error: "unknown" }, "E_AGENT_LOGIN", REFUSED],
  ["Words of another version", { error: "account_on_hold" }, "E_AGENT_LOGIN", REFUSED],
  ["Words of another version", { error: "verification_required" }, "E_AGENT_LOGIN", REFUSED],
  ["Could not load credentials", { error: "cloud_credential_error" }, "E_AGENT_LOGIN", { tool: "claude" }],
  ["Credit balance is too low", { error: "billing_error", status: 400 }, "E_OUT_OF_CREDITS"],
  ["Words of another version", { error: "billing_error" }, "E_OUT_OF_CREDITS"],
  ["You're out of extra usage · /upgrade to keep going", { error: "rate_limit", status: 429 }, "E_OUT_OF_CREDITS"],
  ["You’re out of usage credits", { error: "rate_limit", status: 429 }, "E_OUT_OF_CREDITS"],
  ["You've hit your monthly spend limit", { error: "rate_limit", status: 429 }, "E_OUT_OF_CREDITS"],
  ["Your org is out of usage", { error: "rate_limit", status: 429 }, "E_OUT_OF_CREDITS"],
  ["API Error: 400 You have reached your specified API usage limits.", { error: "unknown" }, "E_OUT_OF_CREDITS"],
  [
    `API Error: 400 ${BUDGET}`,
    { error: "unknown", status: 400 },
    "E_USAGE_LIMIT",
    { resets_at: Date.UTC(2026, 11, 1) },
  ],
  [
    "You've hit your 5-hour limit · resets 3:22am (America/New_York)",
    { error: "rate_limit", status: 429 },
    "E_USAGE_LIMIT",
    { resets_at: Date.parse("2026-11-21T08:23:00Z") },
  ],
  ["You've hit your weekly limit", { error: "rate_limit", status: 429 }, "E_USAGE_LIMIT"],
  ["API Error: Request rejected (429) · slow down", { error: "rate_limit", status: 429 }, "E_SERVICE_BUSY"],
  [
    "Prompt is too long",
    { error: "invalid_request", status: 400, ended: "prompt_too_long" },
    "E_CONVERSATION_FULL",
    { kind: "prompt_too_long" },
  ],
  ["Prompt is too long", { error: "invalid_request" }, "E_CONVERSATION_FULL", { kind: "prompt_too_long" }],
  [PICTURE, { error: "invalid_request", status: 400 }, "E_CONVERSATION_FULL"],
  ["Image was too large. Try a smaller one.", { error: "invalid_request" }, "E_CONVERSATION_FULL"],
  ["Request too large (max 32MB).", { error: "invalid_request", status: 413 }, "E_CONVERSATION_FULL"],
  [MODEL, { error: "model_not_found", status: 404 }, "E_MODEL_UNAVAILABLE", { model: "claude-9" }],
  ["API Error: 404 model: claude-9", { error: "unknown" }, "E_MODEL_UNAVAILABLE", { model: "claude-9" }],
  ["API Error: 500 Internal server error", { error: "server_error", status: 500 }, "E_SERVICE_BUSY"],
  ["API Error: Repeated 529 Overloaded errors", { error: "server_error", status: 529 }, "E_SERVICE_BUSY"],
  ["API Error: 529 Overloaded", { error: "overloaded" }, "E_SERVICE_BUSY"],
  ["API Error: Connection error.", { error: "unknown", ended: "api_error" }, "E_SERVICE_BUSY"],
  ["API Error: 400 some other thing", { error: "invalid_request", status: 400 }, "E_CLI_EXIT_NONZERO"],
];

describe("Claude", () => {
  test.each(CLAUDE)("%j %j is %s", (words, { error, status, ended }, code, details = {}) => {
    const { ends } = translate(new ClaudeTranslation(null, () => NOW), [
      { type: "system", subtype: "init", session_id: key, model: "m" },
      { type: "assistant", session_id: key, error, message: { id: "a", content: [{ type: "text", text: words }] } },
      {
        type: "result",
        subtype: "success",
        is_error: true,
        session_id: key,
        result: words,
        ...(status !== undefined && { api_error_status: status }),
        ...(ended !== undefined && { terminal_reason: ended }),
      },
    ]);
    expect(meaning(ends[0])).toMatchObject({ code, ...details });
  });

  test("that may not compact by itself could still do so", () => {
    const { ends } = translate(new ClaudeTranslation(key, () => NOW), [
      { type: "result", is_error: true, result: "Prompt is too long", terminal_reason: "blocking_limit" },
    ]);
    expect(meaning(ends[0])).toMatchObject({ code: "E_CONVERSATION_FULL", kind: "blocking_limit" });
  });

  test("names what logs it in; what it fails with in the middle is not how it ends", () => {
    const failing = (words: string, error?: string): unknown =>
      meaning(
        translate(new ClaudeTranslation(key, () => NOW), [
          { type: "assistant", session_id: key, error: "authentication_failed", message: { id: "a", content: [] } },
          { type: "assistant", session_id: key, error, message: { id: "b", content: [] } },
          { type: "result", is_error: true, result: words },
        ]).ends[0],
      );
    expect(failing("Not logged in", "authentication_failed")).toMatchObject({ login: "claude auth login" });
    expect(failing("An odd failure")).toMatchObject({ code: "E_CLI_EXIT_NONZERO" });
  });
});

describe("Claude in a window", () => {
  test.each(CLAUDE)("%j %j is %s", async (last_assistant_message, { error }, code, details = {}) => {
    const clock = createFakeClock(NOW);
    const turn = new WindowTurn({ clock, log: {} as JobLog, typed: null, stop: () => undefined });
    turn.onHook({ session_id: "s", cwd: "/app", hook_event_name: "StopFailure", error, last_assistant_message });
    const ends: TurnEnded[] = [];
    for await (const update of turn.updates) if (update.kind === "end") ends.push(update);
    expect(meaning(ends[0])).toMatchObject({ code, ...details });
    // What was typed may have had an effect.
    expect(meaning(ends[0])).not.toHaveProperty("temporary");
  });
});

describe("Codex", () => {
  test.each<[string, ErrorCode, object?]>([
    ["unexpected status 401 Unauthorized: expired, url: https://x", "E_AGENT_LOGIN", { login: "codex login" }],
    ["Your access token could not be refreshed. Please log out and sign in again.", "E_AGENT_LOGIN"],
    ["unexpected status 403 Forbidden: no", "E_AGENT_LOGIN", { login: "codex login", ...REFUSED }],
    ["Quota exceeded. Check your plan and billing details.", "E_OUT_OF_CREDITS"],
    ["Your workspace is out of credits. Add credits to continue.", "E_OUT_OF_CREDITS"],
    ["You hit your spend cap.", "E_OUT_OF_CREDITS"],
    ["You’ve hit your usage limit. Try again later.", "E_USAGE_LIMIT"],
    ["You've hit your usage limit. Try again later.", "E_USAGE_LIMIT"],
    [
      "You’ve hit your usage limit. Upgrade to Pro or try again at Nov 23rd, 2026 2:28 PM.",
      "E_USAGE_LIMIT",
      { resets_at: new Date(2026, 10, 23, 14, 29).getTime() },
    ],
    [
      "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
      "E_CONVERSATION_FULL",
    ],
    ["unexpected status 413 Payload Too Large", "E_CONVERSATION_FULL"],
    ["The model `gpt-9` does not exist or you do not have access to it.", "E_MODEL_UNAVAILABLE", { model: "gpt-9" }],
    [
      "The 'o9' model is not supported when using Codex with a ChatGPT account.",
      "E_MODEL_UNAVAILABLE",
      { model: "o9" },
    ],
    ["unexpected status 404 Not Found: no such thing", "E_MODEL_UNAVAILABLE"],
    ["We’re currently experiencing high demand, which may cause temporary errors.", "E_SERVICE_BUSY"],
    ["Selected model is at capacity. Please try a different model.", "E_SERVICE_BUSY"],
    ["unexpected status 503 Service Unavailable", "E_SERVICE_BUSY", { temporary: true }],
    ["exceeded retry limit, last status: 429 Too Many Requests", "E_SERVICE_BUSY"],
    ["stream disconnected before completion: error sending request", "E_SERVICE_BUSY", { temporary: true }],
    ["some other thing", "E_CLI_EXIT_NONZERO"],
  ])("%j is %s", (message, code, details = {}) => {
    const { ends } = translate(new CodexTranslation({ resume: null, spent: null }, () => NOW), [
      { type: "thread.started", thread_id: key },
      { type: "turn.started" },
      { type: "error", message },
      { type: "turn.failed", error: { message } },
    ]);
    expect(meaning(ends[0])).toMatchObject({ code, ...details });
  });
});

describe("Gemini", () => {
  const api = (code: number, message: string): string => JSON.stringify({ error: { code, message, status: "X" } });
  test.each<[string, number, ErrorCode, object?]>([
    ["Please set an Auth method in your /home/me/.gemini/settings.json", 41, "E_AGENT_LOGIN", { login: "gemini" }],
    [api(400, "API key not valid. Please pass a valid API key."), 144, "E_AGENT_LOGIN", { login: "gemini" }],
    [api(401, "Request had invalid authentication credentials."), 145, "E_AGENT_LOGIN", { login: "gemini" }],
    [api(403, "Permission denied"), 147, "E_AGENT_LOGIN", REFUSED],
    [api(429, "You exceeded your current quota, please check your plan and billing details."), 173, "E_OUT_OF_CREDITS"],
    [
      api(429, "You exceeded your current quota, please check your plan. Please retry in 12.5s."),
      173,
      "E_SERVICE_BUSY",
    ],
    ["You have exhausted your capacity on this model. Your quota will reset after 2h.", 173, "E_USAGE_LIMIT"],
    ["Resource exhausted. Please wait and try again later. request a quota increase", 173, "E_SERVICE_BUSY"],
    [
      api(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
      144,
      "E_CONVERSATION_FULL",
    ],
    [
      api(404, "models/gemini-9 is not found for API version v1beta"),
      148,
      "E_MODEL_UNAVAILABLE",
      { model: "gemini-9" },
    ],
    [api(500, "Internal"), 244, "E_SERVICE_BUSY"],
    [api(503, "The model is overloaded. Please try again later."), 247, "E_SERVICE_BUSY"],
    ["fetch failed", 1, "E_SERVICE_BUSY"],
    [api(400, "some other thing"), 144, "E_CLI_EXIT_NONZERO"],
  ])("%j, with which it exits %i, is %s", (words, exit, code, details = {}) => {
    const translation = new GeminiTranslation(null, "stream-json", () => NOW);
    const end = translation.ending({ code: exit, signal: null, failure: null }, `Error: ${words}\n`);
    expect(meaning(end ?? undefined)).toMatchObject({ code, ...details });
    const message = `[API Error: ${words}]`;
    const { ends } = translate(new GeminiTranslation(null, "stream-json", () => NOW), [
      { type: "init", session_id: key, model: "m" },
      { type: "result", status: "error", error: { type: "Error", message } },
    ]);
    expect(meaning(ends[0])).toMatchObject({ code, ...details });
  });
});

describe("over ACP", () => {
  const login = { login: "the command" };
  const internal = (message: string, data?: object): RpcFailure => ({ code: -32_603, message, data });
  test.each<[string, RpcFailure, ErrorCode, object?]>([
    // claude-agent-acp says no more, also of an organization that refuses.
    ["Claude", { code: -32_000, message: "Authentication required", data: undefined }, "E_AGENT_LOGIN", login],
    ["Claude", internal("Internal error: words", { errorKind: "authentication_failed" }), "E_AGENT_LOGIN", login],
    [
      "Claude",
      internal("Internal error: words", { errorKind: "oauth_org_not_allowed" }),
      "E_AGENT_LOGIN",
      { ...login, ...REFUSED },
    ],
    ["Claude", internal("Internal error: API Error: 403 no", { errorKind: "unknown" }), "E_AGENT_LOGIN", REFUSED],
    ["Claude", internal("Internal error: Credit balance is too low", { errorKind: "unknown" }), "E_OUT_OF_CREDITS"],
    ["Claude", internal("Internal error: words", { errorKind: "billing_error" }), "E_OUT_OF_CREDITS"],
    ["Claude", internal(`Internal error: API Error: 400 ${BUDGET}`, { errorKind: "unknown" }), "E_OUT_OF_CREDITS"],
    ["Claude", internal("Internal error: You've hit your limit", { errorKind: "rate_limit" }), "E_USAGE_LIMIT"],
    ["Claude", internal("Internal error: Prompt is too long", { errorKind: "invalid_request" }), "E_CONVERSATION_FULL"],
    ["Claude", internal("Internal error: Prompt is too long"), "E_CONVERSATION_FULL", { kind: "prompt_too_long" }],
    ["Claude", internal(`Internal error: ${PICTURE}`, { errorKind: "invalid_request" }), "E_CONVERSATION_FULL"],
    [
      "Claude",
      internal(`Internal error: ${MODEL}`, { errorKind: "model_not_found" }),
      "E_MODEL_UNAVAILABLE",
      { model: "claude-9" },
    ],
    ["Claude", internal("Internal error: API Error: 500 x", { errorKind: "server_error" }), "E_SERVICE_BUSY"],
    ["Claude", internal("Internal error: words", { errorKind: "overloaded" }), "E_SERVICE_BUSY"],
    ["Claude", internal("Internal error: API Error: Connection error."), "E_SERVICE_BUSY"],
    ["Claude", internal("Internal error: API Error: 400 x", { errorKind: "unknown" }), "E_CLI_EXIT_NONZERO"],
    ["Codex", { code: -32_000, message: "Authentication required", data: undefined }, "E_AGENT_LOGIN", login],
    ["Codex", internal("words", { codexErrorInfo: "usageLimitExceeded" }), "E_USAGE_LIMIT"],
    ["Codex", internal("You’ve hit your usage limit.", { codexErrorInfo: "usageLimitExceeded" }), "E_USAGE_LIMIT"],
    ["OpenCode", internal("words", { service: "session", errorName: "ContextOverflowError" }), "E_CONVERSATION_FULL"],
    ["OpenCode", internal("words", { service: "session", errorName: "APIError" }), "E_CLI_EXIT_NONZERO"],
    ["Gemini", { code: 401, message: "no", data: undefined }, "E_AGENT_LOGIN", login],
    ["Gemini", { code: 403, message: "no", data: undefined }, "E_AGENT_LOGIN", REFUSED],
    ["Gemini", { code: 400, message: "API key not valid.", data: undefined }, "E_AGENT_LOGIN", login],
    ["Gemini", { code: 400, message: "exceeds the maximum number of tokens", data: undefined }, "E_CONVERSATION_FULL"],
    ["Gemini", { code: 429, message: "You exceeded your current quota.", data: undefined }, "E_OUT_OF_CREDITS"],
    ["Gemini", { code: 429, message: "slow down", data: undefined }, "E_USAGE_LIMIT"],
    // It passes a model that nobody knows on as a failure of its own.
    [
      "Gemini",
      { code: 500, message: "models/gemini-9 is not found for API version v1beta", data: undefined },
      "E_MODEL_UNAVAILABLE",
      { model: "gemini-9" },
    ],
    ["Gemini", { code: 500, message: "Internal", data: undefined }, "E_SERVICE_BUSY"],
    ["Gemini", { code: 503, message: "overloaded", data: undefined }, "E_SERVICE_BUSY"],
  ])("%s: %j is %s", (_agent, failure, code, details = {}) => {
    expect(meaning({ kind: "end", ...failureOf(failure, login) })).toMatchObject({ code, ...details });
  });

  test.each([
    ["Prompt is too long", internal("Internal error: Prompt is too long")],
    ["Invalid API key · Fix external API key", { code: -32_000, message: "Authentication required", data: undefined }],
    ["API Error: 500 x", internal("Internal error: API Error: 500 x", { errorKind: "server_error" })],
  ])("Claude says %j as its answer too, which is not told twice", (words, failure) => {
    const said = (end?: RpcFailure): string => {
      const translation = new AcpTranslation();
      const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } };
      return textOf([...translation.translate(chunk), ...translation.flushHeld(end && failureOf(end, login))]);
    };
    expect(said(failure)).toBe("");
    // It may mean it.
    expect(said()).toBe(words);
    expect(said(internal("another thing"))).toBe(words);
  });

  // These end like any turn, without usage. What can be seen is that Codex reported an error of its own before its last
  // words, and what these say; of one whose words say nothing, only that it failed.
  test.each<[string, ErrorCode]>([
    ["We’re currently experiencing high demand, which may cause temporary errors.", "E_SERVICE_BUSY"],
    ["unexpected status 404 Not Found: no such model", "E_MODEL_UNAVAILABLE"],
    ["Codex ran out of room in the model's context window. Start a new thread.", "E_CONVERSATION_FULL"],
    ["unexpected status 401 Unauthorized: expired", "E_AGENT_LOGIN"],
    [JSON.stringify({ error: { message: "some other thing" } }), "E_CLI_EXIT_NONZERO"],
  ])("Codex, which ends its turn with %j: %s", (text, code) => {
    const translation = new AcpTranslation();
    const codex = { threadStatus: { type: "systemError" } };
    translation.translate({ sessionUpdate: "session_info_update", _meta: { codex } });
    translation.translate({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    const message = translation.failure ?? "";
    expect(failureOf({ code: 0, message, data: undefined }, login)).toMatchObject({ code });
  });
});
