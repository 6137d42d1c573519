/**
 * Agents' MCP clients as they are out there: the protocol's own SDK, as of last year (1.x) and this year (2.x), each
 * with the built client as the process it starts. A test drives both alike.
 */
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";
import type { World } from "../world.ts";

const root = join(import.meta.dirname, "..", "..", "..");

export type Kind = "1.x" | "2.x" | "2.x of 2026";
/** The last one begins as the protocol's revision of 2026 has it, without a handshake. */
export const kinds: readonly Kind[] = ["1.x", "2.x", "2.x of 2026"];

export interface Result {
  isError?: boolean;
  /** Of its first text. */
  text: string;
  /** What is said to the model beside it. */
  remark: string;
  structured: Record<string, unknown>;
}

/** A tool as the protocol lists it. */
export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: object;
  outputSchema?: { properties?: Record<string, unknown>; required?: string[] };
  annotations?: object;
}

export interface AgentsClient {
  readonly pid: number;
  readonly server: { name: string; version: string } | undefined;
  tools(): Promise<string[]>;
  list(): Promise<ListedTool[]>;
  call(
    name: string,
    args: Record<string, unknown>,
    more?: {
      signal?: AbortSignal;
      onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
    },
  ): Promise<Result>;
  stderr(): string;
  /** Resolves once this stands in what the client wrote to standard error. */
  told(words: RegExp): Promise<void>;
  /** Ends the client as its MCP client does: its input is closed. */
  close(): Promise<void>;
}

/** What a `.mcp.json` gives the client of this world: the variables of old, and where this world's Discord is. */
export function clientEnvironment(world: World): Record<string, string> {
  return {
    PATH: "/usr/bin:/bin",
    HOME: world.home,
    LANG: "C.UTF-8",
    STATE_DIR: world.stateDir,
    BELLHOP_LOCALE: "en",
    BELLHOP_DISCORD_API: world.sandbox.api,
    DISCORD_BOT_TOKEN: `Bot ${world.sandbox.botToken}`,
    DISCORD_CHANNEL_ID: world.sandbox.channelId,
    PROJECT_NAME: "app",
  };
}

/** Starts the client and shakes hands. Closed at the end of the test. */
export async function openClient(kind: Kind, env: Record<string, string>, cwd: string): Promise<AgentsClient> {
  const command = {
    command: process.execPath,
    args: [join(root, "bin", "discord-mcp.cjs")],
    env,
    cwd,
    stderr: "pipe" as const,
  };
  const who = { name: `test-${kind}`, version: "1.0.0" };
  const [client, transport] =
    kind === "1.x"
      ? ([new Client1(who), new Stdio1(command)] as const)
      : ([
          new Client2(who, kind === "2.x" ? {} : { versionNegotiation: { mode: "auto" } }),
          new Stdio2(command),
        ] as const);
  const { stderr, told } = collected(transport.stderr as Readable);
  onTestFinished(() => client.close());
  if (client instanceof Client1) await client.connect(transport as Stdio1);
  else await client.connect(transport as Stdio2);
  return {
    pid: transport.pid ?? 0,
    server: client.getServerVersion(),
    list: async () => (await client.listTools()).tools as ListedTool[],
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args, { signal, onprogress } = {}) {
      const params = { name, arguments: args };
      // An hour: a client that gives up is a test of its own.
      const options = {
        timeout: 3_600_000,
        ...(signal !== undefined && { signal }),
        ...(onprogress !== undefined && { onprogress }),
      };
      const result =
        client instanceof Client1
          ? await client.callTool(params, undefined, options)
          : await client.callTool(params, options);
      return read(result);
    },
    stderr,
    told,
    close: () => client.close(),
  };
}

function read(result: Record<string, unknown>): Result {
  const { isError, content, structuredContent } = result as {
    isError?: boolean;
    content: { text: string }[];
    structuredContent?: Record<string, unknown>;
  };
  return {
    ...(isError !== undefined && { isError }),
    text: content[0]?.text ?? "",
    remark: content[1]?.text ?? "",
    structured: structuredContent ?? {},
  };
}

function collected(stream: Readable): Pick<AgentsClient, "stderr" | "told"> {
  let text = "";
  const waiters = new Set<() => void>();
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    for (const look of [...waiters]) look();
  });
  return {
    stderr: () => text,
    told: (words) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!words.test(text)) return;
          waiters.delete(look);
          resolve();
        };
        waiters.add(look);
        look();
      }),
  };
}
