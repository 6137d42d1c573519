/** Anthropic's Messages API: streamed and whole answers, and `count_tokens`. */
import type { ServerResponse } from "node:http";
import { type Exchange, type ModelApi, sendJson, wait } from "./api.ts";
import type { Asked, Reply, Turn } from "./script.ts";

const TOKENS = { input: 1234, full: 2_000_000, cached: 100, output: 56 };

type Block =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

/** What Claude Code tells the model when a command in the background has ended; its name is the model's own. */
const OVER = /<summary>Background command "([^\n]*)" completed/;

let made = 0;
const id = (kind: string): string => `${kind}_mock${String((made += 1)).padStart(6, "0")}`;

export const anthropic: ModelApi = {
  owns: (path) => /\/v1\/messages(\/count_tokens)?$/.test(path),
  aside: ({ path }) => (path.endsWith("/count_tokens") ? { input_tokens: TOKENS.input } : null),
  read,
  async answer(exchange, response, reply) {
    if (exchange.body["stream"] === true) await stream(exchange, response, reply);
    else
      sendJson(response, 200, { ...messageOf(exchange, reply), content: blocksOf(reply), usage: usage(TOKENS.output) });
  },
  fail(response, status, { resetsAt, words = `mock error ${status}` }) {
    const kinds: Record<number, string> = {
      401: "authentication_error",
      403: "permission_error",
      404: "not_found_error",
      429: "rate_limit_error",
      529: "overloaded_error",
    };
    const type = kinds[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
    const headers: Record<string, string> = status === 429 ? { "retry-after": "0" } : {};
    const limit = resetsAt === undefined ? {} : usedUp(resetsAt);
    sendJson(response, status, { type: "error", error: { type, message: words } }, { ...headers, ...limit });
  },
};

/** The session limit of a plan: the service says so in headers, and only to who has logged in with one. */
function usedUp(resetsAt: number): Record<string, string> {
  const unified = "anthropic-ratelimit-unified";
  return {
    [`${unified}-status`]: "rejected",
    [`${unified}-reset`]: String(resetsAt),
    [`${unified}-representative-claim`]: "five_hour",
    "x-should-retry": "false",
  };
}

function read(body: Record<string, unknown>): Asked {
  const tools = list(body["tools"]).map((tool) => String(tool["name"] ?? tool["type"]));
  const turns = list(body["messages"]).flatMap((message) => {
    const content = message["content"];
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : list(content);
    return blocks.flatMap((block) => turnOf(message["role"] as Turn["role"], block));
  });
  return { tools, turns };
}

function turnOf(role: Turn["role"], block: Record<string, unknown>): Turn[] {
  if (block["type"] === "tool_result") return [{ role, toolResult: wordsOf(block["content"]) }];
  // Agents put remarks of their own beside the user's words. One that tells of work in the background names it.
  const words =
    block["type"] === "text"
      ? String(block["text"]).replace(
          /<system-reminder>[\s\S]*?<\/system-reminder>/g,
          (remark) => OVER.exec(remark)?.[1] ?? "",
        )
      : "";
  return words.trim() === "" ? [] : [{ role, text: words }];
}

function wordsOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : list(content)
        .map((block) => String(block["text"] ?? `[${String(block["type"])}]`))
        .join("\n");
}

async function stream(exchange: Exchange, response: ServerResponse, reply: Reply): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": id("req") });
  const send = (type: string, more: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  send("message_start", {
    message: { ...messageOf(exchange, reply), stop_reason: null, content: [], usage: usage(1, reply) },
  });
  for (const [index, block] of blocksOf(reply).entries()) {
    send("content_block_start", { index, content_block: emptied(block) });
    for (const [at, delta] of deltasOf(block, reply).entries()) {
      if (reply.until && block.type === "text" && at === Math.floor((reply.pieces?.length ?? 0) / 2)) await reply.until;
      send("content_block_delta", { index, delta });
      if (reply.everyMs !== undefined && block.type === "text") await wait(reply.everyMs);
      if (response.destroyed) return;
    }
    if (reply.cut) return void response.destroy();
    send("content_block_stop", { index });
  }
  send("message_delta", {
    delta: { stop_reason: stopOf(reply), stop_sequence: null },
    usage: { output_tokens: TOKENS.output },
  });
  send("message_stop", {});
  response.end();
}

function emptied(block: Block): object {
  if (block.type === "text") return { type: "text", text: "" };
  return block.type === "thinking" ? { type: "thinking", thinking: "", signature: "" } : { ...block, input: {} };
}

function deltasOf(block: Block, reply: Reply): object[] {
  switch (block.type) {
    case "text":
      return (reply.pieces ?? []).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        { type: "thinking_delta", thinking: block.thinking },
        { type: "signature_delta", signature: "mock" },
      ];
    case "tool_use":
      return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
  }
}

function blocksOf(reply: Reply): Block[] {
  return [
    ...(reply.thought ? [{ type: "thinking" as const, thinking: reply.thought, signature: "mock" }] : []),
    ...(reply.pieces?.length ? [{ type: "text" as const, text: reply.pieces.join("") }] : []),
    ...(reply.calls ?? []).map((call) => ({ type: "tool_use" as const, id: id("toolu"), ...call })),
  ];
}

function messageOf({ body }: Exchange, reply: Reply): object {
  return {
    id: id("msg"),
    type: "message",
    role: "assistant",
    model: body["model"],
    stop_reason: stopOf(reply),
    stop_sequence: null,
  };
}

function stopOf(reply: Reply): string {
  return reply.calls ? "tool_use" : "end_turn";
}

function usage(output: number, { full }: Reply = {}): object {
  return {
    input_tokens: full ? TOKENS.full : TOKENS.input,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: TOKENS.cached,
    service_tier: "standard",
  };
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
