/**
 * Discord as code that makes threads sees it: one text channel, its messages with nonces that are forgotten, and the
 * threads that hang on them; and whatever may happen instead of, or after, any request.
 */
import { RestFailure, type FailureKind } from "../../src/discord/api/transport.ts";
import type { RestCall } from "../../src/discord/api/rest.ts";

export const GUILD = "3";
export const CHANNEL = "200000000000000002";
export const BOT = "200000000000000004";

interface Message {
  id: string;
  author: { id: string };
  content: string;
  nonce: string | undefined;
}

export class ThreadChannel {
  messages: Message[] = [];
  readonly threads = new Map<string, string>();
  /** Channels and threads as they are told by their id. */
  readonly channels = new Map<string, Record<string, unknown>>([[CHANNEL, { guild_id: GUILD, type: 0 }]]);
  readonly seen: string[] = [];
  /** What was posted, and where. */
  readonly posts: { channel: string; content: string }[] = [];
  /** What happens instead of, or after, the n-th request. */
  fault: (count: number, request: RestCall) => "before" | "after" | "done, then closed" | FailureKind | null = () =>
    null;
  #ids = 200_000_000_000_000_500n;

  /** What one process has of it: `cut` ends that, and what is asked then is never answered. */
  connect(): { call<T>(request: RestCall): Promise<T>; cut(): void } {
    let isCut = false;
    return {
      call: <T>(request: RestCall) => (isCut ? new Promise<T>(() => undefined) : (this.call(request) as Promise<T>)),
      cut: () => void (isCut = true),
    };
  }

  forgetNonces(): void {
    for (const message of this.messages) message.nonce = undefined;
  }

  say(author: string, content: string): void {
    this.messages.push({ id: String(this.#ids++), author: { id: author }, content, nonce: undefined });
  }

  async call(request: RestCall): Promise<unknown> {
    this.seen.push(`${request.method} ${request.path.replace(/\d{18}/g, "ID")}`);
    const fault = this.fault(this.seen.length, request);
    if (fault === "before") return new Promise<never>(() => undefined);
    if (fault === "done, then closed") this.#do(request);
    if (fault === "done, then closed") throw new RestFailure("closed", { route: request.path });
    if (fault !== null && fault !== "after") throw new RestFailure(fault, { route: request.path, code: 50013 });
    const answer = this.#do(request);
    return fault === "after" ? new Promise<never>(() => undefined) : answer;
  }

  #do({ method, path, body }: RestCall): unknown {
    if (path.startsWith(`/guilds/${GUILD}/members/`)) return { roles: [] };
    if (path.startsWith("/guilds/"))
      return { id: GUILD, owner_id: "200000000000000003", roles: [{ id: GUILD, permissions: "0" }] };
    if (method === "GET" && !path.includes("/messages")) return this.channels.get(path.slice("/channels/".length));
    if (method === "GET")
      return this.messages
        .filter(({ id }) => id > (/after=(\d+)/.exec(path)?.[1] ?? ""))
        .slice(0, 100)
        .reverse();
    if (method === "DELETE") return void (this.messages = this.messages.filter(({ id }) => !path.endsWith(id)));
    if (path.endsWith("/messages"))
      return this.#post(path.split("/")[2] ?? "", body as { content: string; nonce: string });
    const thread = /messages\/(\d+)\/threads$/.exec(path)?.[1];
    if (thread === undefined) return undefined;
    if (this.threads.has(thread)) throw new RestFailure("rejected", { route: path, code: 160004 });
    this.threads.set(thread, (body as { name: string }).name);
    return { id: thread };
  }

  #post(channel: string, { content, nonce }: { content: string; nonce: string }): Message {
    const known = this.messages.find((message) => message.nonce === nonce);
    if (known) return known;
    const message = { id: String(this.#ids++), author: { id: BOT }, content, nonce };
    this.messages.push(message);
    this.posts.push({ channel, content });
    return message;
  }
}

/** Lets everything happen that nothing holds up. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
