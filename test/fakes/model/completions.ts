/** OpenAI's chat completions, streamed and whole, as OpenCode asks by them. */
import type { ServerResponse } from "node:http";
import { type ModelApi, sendJson, wait } from "./api.ts";
import type { Asked, Reply, Turn } from "./script.ts";

const usage = {
  prompt_tokens: 1234,
  completion_tokens: 56,
  total_tokens: 1290,
  prompt_tokens_details: { cached_tokens: 100 },
};

let made = 0;
const id = (kind: string): string => `${kind}_mock${String((made += 1)).padStart(6, "0")}`;

export const completions: ModelApi = {
  owns: (path) => path.endsWith("/chat/completions"),
  aside: () => null,
  read,
  async answer({ body }, response, reply) {
    const head = { id: id("chatcmpl"), created: Math.floor(Date.now() / 1000), model: body["model"] };
    if (body["stream"] === true) return stream(response, reply, head);
    const message = {
      role: "assistant",
      content: reply.pieces?.join("") ?? null,
      ...(reply.calls && { tool_calls: callsOf(reply) }),
    };
    sendJson(response, 200, {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
      usage,
    });
  },
  fail(response, status, { words = `mock error ${status}` }) {
    // OpenCode asks six times again where that may help; without being told when, it takes over a minute for that.
    const type = status < 500 ? "invalid_request_error" : "server_error";
    sendJson(response, status, { error: { message: words, type, param: null, code: null } }, { "retry-after": "0" });
  },
};

function read(body: Record<string, unknown>): Asked {
  const tools = list(body["tools"]).map((tool) =>
    String((tool["function"] as Record<string, unknown> | undefined)?.["name"]),
  );
  return { tools, turns: list(body["messages"]).flatMap(turnOf) };
}

function turnOf(message: Record<string, unknown>): Turn[] {
  const { role, content } = message;
  const words =
    typeof content === "string"
      ? content
      : list(content)
          .map(({ text }) => String(text ?? ""))
          .join("\n");
  if (role === "tool") return [{ role: "user", toolResult: words }];
  // OpenCode puts remarks of its own beside the user's words.
  const said = words.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "").trimEnd();
  return said === "" ? [] : [{ role: role as Turn["role"], text: said }];
}

async function stream(response: ServerResponse, reply: Reply, head: object): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, more: object = {}): void =>
    void response.write(
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`,
    );
  send({ role: "assistant", content: "" });
  if (reply.thought) send({ reasoning_content: reply.thought });
  for (const content of reply.pieces ?? []) {
    send({ content });
    if (reply.everyMs !== undefined) await wait(reply.everyMs);
    if (response.destroyed) return;
  }
  if (reply.cut) return void response.destroy();
  if (reply.calls) send({ tool_calls: callsOf(reply) });
  send({}, { finish_reason: finishOf(reply) });
  response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

function callsOf({ calls = [] }: Reply): object[] {
  return calls.map(({ name, input }, index) => ({
    index,
    id: id("call"),
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function finishOf(reply: Reply): string {
  return reply.calls ? "tool_calls" : "stop";
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
