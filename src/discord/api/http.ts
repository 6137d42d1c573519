/**
 * One request over HTTP and its whole answer, over connections that stay open. It is what the REST client needs of `fetch`
 * and nothing else: `fetch` makes streams, copies and signals for each request, which cost more than the request.
 */
import { request as overHttp, type IncomingMessage } from "node:http";
import { request as overTls } from "node:https";

export interface Asked {
  method: string;
  headers: Record<string, string>;
  body: string | FormData | null;
  signal: AbortSignal;
}

/** Read whole. A redirect is an answer like any other. */
export interface Answered {
  status: number;
  /** Names in lower case. */
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Rejects if there is no whole answer. */
export async function ask(url: string, { method, headers, body, signal }: Asked): Promise<Answered> {
  const { type, bytes } = typeof body === "object" && body !== null ? await encoded(body) : { type: {}, bytes: body };
  return new Promise((resolve, reject) => {
    const sent = (url.startsWith("https:") ? overTls : overHttp)(url, { method, signal, headers: { ...headers, ...type } });
    sent.on("error", reject);
    sent.on("response", (response) => void whole(response).then(resolve, reject));
    sent.end(bytes);
  });
}

async function encoded(form: FormData): Promise<{ type: Record<string, string>; bytes: Buffer }> {
  const made = new Response(form);
  return { type: { "Content-Type": made.headers.get("content-type") ?? "" }, bytes: Buffer.from(await made.arrayBuffer()) };
}

/** Listened to rather than iterated over, which costs an iterator and a promise for each chunk. */
async function whole(response: IncomingMessage): Promise<Answered> {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve, reject) => {
    response.on("end", resolve);
    response.on("error", reject);
    response.on("close", () => reject(new Error("the answer broke off")));
  });
  const text = Buffer.concat(chunks).toString();
  return {
    status: response.statusCode ?? 0,
    headers: { get: (name) => [response.headers[name] ?? null].flat()[0] ?? null },
    text: async () => text,
  };
}
