/** Google's Gemini API: streamed and whole contents, and the count of tokens, as Gemini CLI asks by it. */
import type { ServerResponse } from "node:http";
import { type ModelApi, sendJson, wait } from "./api.ts";
import type { Asked, Reply, Turn } from "./script.ts";

const usageMetadata = {
  promptTokenCount: 1234,
  candidatesTokenCount: 56,
  totalTokenCount: 1290,
  cachedContentTokenCount: 100,
};

export const google: ModelApi = {
  owns: (path) => /:(?:streamGenerateContent|generateContent|countTokens)$/.test(path),
  aside: ({ path }) => (path.endsWith(":countTokens") ? { totalTokens: usageMetadata.promptTokenCount } : null),
  read,
  async answer({ path }, response, reply) {
    if (path.endsWith(":streamGenerateContent")) await stream(response, reply);
    else sendJson(response, 200, chunk(partsOf(reply), true));
  },
  fail(response, status, { resetsAt, words = `mock error ${status}` }) {
    if (resetsAt !== undefined)
      return sendJson(response, 429, { error: usedUp(resetsAt - Math.floor(Date.now() / 1000)) });
    sendJson(response, status, {
      error: {
        code: status,
        message: words,
        status: status === 429 ? "RESOURCE_EXHAUSTED" : "INTERNAL",
      },
    });
  },
};

function read(body: Record<string, unknown>): Asked {
  const tools = list(body["tools"]).flatMap((tool) =>
    list(tool["functionDeclarations"]).map((one) => String(one["name"])),
  );
  return {
    tools,
    turns: list(body["contents"]).flatMap((content) =>
      list(content["parts"]).flatMap((part) => turnOf(content["role"], part)),
    ),
  };
}

function turnOf(role: unknown, part: Record<string, unknown>): Turn[] {
  const answered = part["functionResponse"] as Record<string, unknown> | undefined;
  if (answered !== undefined) return [{ role: "user", toolResult: JSON.stringify(answered["response"]) }];
  const text = String(part["text"] ?? "");
  // What the agent tells the model about its surroundings is not of the user's.
  if (text === "" || text.startsWith("<session_context>")) return [];
  return [{ role: role === "model" ? "assistant" : "user", text }];
}

async function stream(response: ServerResponse, reply: Reply): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const parts = partsOf(reply);
  for (const [at, part] of parts.entries()) {
    response.write(`data: ${JSON.stringify(chunk([part], at === parts.length - 1 && !reply.cut))}\n\n`);
    if (reply.everyMs !== undefined) await wait(reply.everyMs);
    if (response.destroyed) return;
  }
  if (reply.cut) response.destroy();
  else response.end();
}

function partsOf(reply: Reply): object[] {
  return [
    ...(reply.thought ? [{ text: reply.thought, thought: true }] : []),
    ...(reply.pieces ?? []).map((text) => ({ text })),
    ...(reply.calls ?? []).map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ];
}

function chunk(parts: object[], last: boolean): object {
  const candidate = { index: 0, content: { role: "model", parts }, ...(last && { finishReason: "STOP" }) };
  return { candidates: [candidate], usageMetadata, modelVersion: "mock" };
}

/** The quota of an account used up, in the form of the service behind a login with Google. */
function usedUp(seconds: number): object {
  const at = "type.googleapis.com/google.rpc";
  const details = [
    { "@type": `${at}.ErrorInfo`, reason: "QUOTA_EXHAUSTED", domain: "cloudcode-pa.googleapis.com", metadata: {} },
    { "@type": `${at}.RetryInfo`, retryDelay: `${seconds}s` },
  ];
  const message = `You have exhausted your capacity on this model. Your quota will reset after ${seconds}s.`;
  return { code: 429, message, status: "RESOURCE_EXHAUSTED", details };
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
