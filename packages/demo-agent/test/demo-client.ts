/**
 * A client of the demo agent for its tests: starts it as a process of its own and remembers what it sends. What it asks
 * is answered by the functions of the test.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";

export interface Client {
  readonly connection: ClientConnection["agent"];
  readonly child: ChildProcess;
  readonly updates: SessionUpdate[];
  /** The project's directory. */
  readonly cwd: string;
  open(): Promise<string>;
  prompt(sessionId: string, text: string): Promise<PromptResponse>;
  /** What the agent said since the last call. */
  said(): string;
  /** Resolves when an update of this kind has come. */
  seen(kind: SessionUpdate["sessionUpdate"]): Promise<void>;
  /** Ends stdin; resolves with the exit code. */
  end(): Promise<number | null>;
}

export interface Answers {
  permission?(request: RequestPermissionRequest): RequestPermissionResponse | Promise<RequestPermissionResponse>;
  /** Without it, the client says that it cannot show a form. */
  form?(request: CreateElicitationRequest): CreateElicitationResponse;
  /** The home whose conversations the agent keeps; default: a new one. */
  home?: string;
}

/** A directory that is removed after the test. */
export function temporary(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "demo-agent-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function connect({ permission, form, home = temporary() }: Answers = {}): Promise<Client> {
  const cwd = temporary();
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "../src/demo-agent.ts"), "--pace", "1"], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit") as Promise<[number | null]>;
  const updates: SessionUpdate[] = [];
  const waiting = new Set<() => void>();
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
      for (const wake of waiting) wake();
    })
    .onRequest(
      methods.client.session.requestPermission,
      ({ params }) => permission?.(params) ?? { outcome: { outcome: "cancelled" } },
    )
    .onRequest(methods.client.elicitation.create, ({ params }) => form?.(params) ?? { action: "cancel" });
  const { agent } = app.connect(
    ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
  );
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "test", version: "0" },
    clientCapabilities: form ? { elicitation: { form: {} } } : {},
  });
  let taken = 0;
  return {
    connection: agent,
    child,
    updates,
    cwd,
    open: async () => (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId,
    prompt: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
    said() {
      const fresh = updates.slice(taken);
      taken = updates.length;
      return fresh
        .map((update) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "",
        )
        .join("");
    },
    seen: (kind) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!updates.some(({ sessionUpdate }) => sessionUpdate === kind)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async end() {
      child.stdin.end();
      return (await exited)[0];
    },
  };
}
