/** OpenAI's Responses API, streamed, as Codex asks by it. */
import type { ServerResponse } from "node:http";
import { type Exchange, type ModelApi, sendJson, wait } from "./api.ts";
import type { Asked, Reply, Turn } from "./script.ts";

const TOKENS = { input: 1234, cached: 100, output: 56 };

type Item = Record<string, unknown> & { id: string; type: string };

let made = 0;
const id = (kind: string): string => `${kind}_mock${String((made += 1)).padStart(6, "0")}`;

export const responses: ModelApi = {
  owns: (path) => path.endsWith("/v1/responses") || path.endsWith("/v1/models"),
  aside: ({ path }) =>
    path.endsWith("/models") ? { object: "list", data: [{ id: "mock-model", object: "model" }] } : null,
  read,
  answer: stream,
  fail(response, status, { resetsAt, words = `mock error ${status}` }) {
    const limit = { type: "usage_limit_reached", plan_type: "plus", resets_at: resetsAt };
    const error = resetsAt === undefined ? { type: "server_error", code: "server_error" } : limit;
    sendJson(response, status, { error: { message: words, ...error } }, status === 429 ? { "retry-after": "0" } : {});
  },
};

function read(body: Record<string, unknown>): Asked {
  const tools = list(body["tools"]).map((tool) => String(tool["name"] ?? tool["type"]));
  return { tools, turns: list(body["input"]).flatMap(turnsOf) };
}

function turnsOf(item: Record<string, unknown>): Turn[] {
  if (String(item["type"]).endsWith("_output")) return [{ role: "user", toolResult: wordsOf(item["output"]) }];
  if (item["role"] === undefined) return [];
  const role = item["role"] === "developer" ? "system" : (item["role"] as Turn["role"]);
  return list(item["content"]).flatMap((part): Turn[] => {
    const text = String(part["text"] ?? "");
    // What the agent tells the model about its surroundings is not of the user's.
    return text === "" || text.startsWith("<environment_context>") ? [] : [{ role, text }];
  });
}

function wordsOf(output: unknown): string {
  return typeof output === "string"
    ? output
    : list(output)
        .map((part) => String(part["text"] ?? ""))
        .join("\n");
}

async function stream({ body }: Exchange, response: ServerResponse, reply: Reply): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, more: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const base = {
    id: id("resp"),
    object: "response",
    model: body["model"],
    status: "in_progress",
    output: [] as Item[],
  };
  const items = itemsOf(reply);
  send("response.created", { response: base });
  for (const [output_index, item] of items.entries()) {
    const at = { item_id: item.id, output_index };
    send("response.output_item.added", {
      output_index,
      item: item.type === "message" ? { ...item, content: [] } : item,
    });
    for (const delta of item.type === "message" ? (reply.pieces ?? []) : []) {
      send("response.output_text.delta", { ...at, content_index: 0, delta });
      if (reply.everyMs !== undefined) await wait(reply.everyMs);
      if (response.destroyed) return;
    }
    if (reply.cut) return void response.destroy();
    send("response.output_item.done", { output_index, item });
  }
  send("response.completed", { response: { ...base, status: "completed", output: items, usage: usage() } });
  response.end();
}

function itemsOf(reply: Reply): Item[] {
  const text = reply.pieces?.join("") ?? "";
  return [
    ...(reply.thought
      ? [
          {
            type: "reasoning",
            id: id("rs"),
            summary: [{ type: "summary_text", text: reply.thought }],
            encrypted_content: "mock",
          },
        ]
      : []),
    ...(text === ""
      ? []
      : [
          {
            type: "message",
            id: id("msg"),
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ]),
    ...(reply.calls ?? []).map(({ name, input }) => callOf(name, input)),
  ];
}

/** A tool that takes words and not fields is called with the words. */
function callOf(name: string, input: Record<string, unknown>): Item {
  const call = { id: id("fc"), call_id: id("call"), name, status: "completed" };
  if (typeof input["words"] === "string") return { type: "custom_tool_call", ...call, input: input["words"] };
  const given = name === "exec_command" && input["cmd"] === undefined ? { cmd: input["command"] } : input;
  return { type: "function_call", ...call, arguments: JSON.stringify(given) };
}

function usage(): object {
  return {
    input_tokens: TOKENS.input,
    input_tokens_details: { cached_tokens: TOKENS.cached },
    output_tokens: TOKENS.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: TOKENS.input + TOKENS.output,
  };
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
