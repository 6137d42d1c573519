/**
 * A model on loopback for real agents: it speaks their vendors' APIs, follows the script in the prompt, and keeps
 * every request it got, so that a test can see exactly which bytes reached it.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { type Exchange, type ModelApi, sendJson } from "./api.ts";
import { completions } from "./completions.ts";
import { google } from "./google.ts";
import { responses } from "./responses.ts";
import { type Asked, Script } from "./script.ts";

const apis: ModelApi[] = [anthropic, completions, google, responses];

export interface FakeModel {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** Every turn it was asked for, in order, as it was read. */
  asked: (Asked & Exchange)[];
  /** Resolves when that many turns were asked for. */
  until(turns: number): Promise<void>;
  /** Answers that stop in their middle go on. */
  letGo(): void;
  close(): Promise<void>;
}

/** `script`: what it answers; by default what the prompt itself says. */
export async function openModel(
  script: Pick<Script, "reply"> & Partial<Pick<Script, "letGo">> = new Script(),
): Promise<FakeModel> {
  const asked: FakeModel["asked"] = [];
  const waiting: { turns: number; go: () => void }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
      const api = apis.find((one) => one.owns(path));
      if (!api) return sendJson(response, 404, { error: `no ${path} here` });
      const exchange = {
        path,
        headers: request.headers,
        body: JSON.parse(Buffer.concat(parts).toString() || "{}") as Record<string, unknown>,
      };
      const aside = api.aside(exchange);
      if (aside !== null) return sendJson(response, 200, aside);
      const turn = api.read(exchange.body);
      asked.push({ ...turn, ...exchange });
      for (const one of waiting) if (asked.length >= one.turns) one.go();
      const reply = script.reply(turn);
      if (reply.hang) return;
      if (reply.status !== undefined) return api.fail(response, reply.status, reply);
      void api.answer(exchange, response, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    until: (turns) => (asked.length >= turns ? Promise.resolve() : new Promise((go) => waiting.push({ turns, go }))),
    letGo: () => script.letGo?.(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
