/**
 * A client of the demo agent for its tests, which remembers what the agent sends. What it asks is answered by the
 * functions of the test. The agent is in this process, and both talk in the protocol's lines over two pipes; or it is
 * the command, as a process of its own.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
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
import { demoAgent } from "../src/agent.ts";
import { openConversations, stateFolder } from "../src/conversations.ts";

export interface Client {
  readonly connection: ClientConnection["agent"];
  readonly updates: SessionUpdate[];
  /** The project's directory. */
  readonly cwd: string;
  open(): Promise<string>;
  prompt(sessionId: string, text: string): Promise<PromptResponse>;
  /** What the agent said since the last call. */
  said(): string;
  /** Resolves when an update of this kind has come. */
  seen(kind: SessionUpdate["sessionUpdate"]): Promise<void>;
  /** Ends what the agent reads; resolves when it is gone, with the exit code of a process. */
  end(): Promise<number | null>;
}

export interface Answers {
  permission?(request: RequestPermissionRequest): RequestPermissionResponse | Promise<RequestPermissionResponse>;
  /** Without it, the client says that it cannot show a form. */
  form?(request: CreateElicitationRequest): CreateElicitationResponse;
  /** The home whose conversations the agent keeps; default: a new one. */
  home?: string;
}

/** The agent's two ends, and its own end. */
interface Place {
  /** What the agent reads. */
  input: Writable;
  /** What it writes. */
  output: Readable;
  gone: Promise<number | null>;
}

/** A directory that is removed after the test. */
export function temporary(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "demo-agent-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The agent in this process. */
export async function connect(answers: Answers = {}): Promise<Client> {
  return connectTo(inProcess, answers);
}

/** The command, as a process of its own. */
export async function start(answers: Answers = {}): Promise<Client> {
  return connectTo(asProcess, answers);
}

function inProcess(_cwd: string, home: string): Place {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const conversations = openConversations(stateFolder({ HOME: home }));
  const { closed } = demoAgent({ conversations, version: "0", paceMs: 1 }).connect(
    ndJsonStream(Writable.toWeb(output), Readable.toWeb(input) as ReadableStream<Uint8Array>),
  );
  onTestFinished(async () => {
    input.end();
    await closed;
  });
  return { input, output, gone: closed.then(() => null) };
}

function asProcess(cwd: string, home: string): Place {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "../src/demo-agent.ts"), "--pace", "1"], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit") as Promise<[number | null]>;
  return { input: child.stdin, output: child.stdout, gone: exited.then(([code]) => code) };
}

async function connectTo(
  open: (cwd: string, home: string) => Place,
  { permission, form, home = temporary() }: Answers,
): Promise<Client> {
  const cwd = temporary();
  const { input, output, gone } = open(cwd, home);
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
    ndJsonStream(Writable.toWeb(input), Readable.toWeb(output) as ReadableStream<Uint8Array>),
  );
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "test", version: "0" },
    clientCapabilities: form ? { elicitation: { form: {} } } : {},
  });
  let taken = 0;
  return {
    connection: agent,
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
      input.end();
      return gone;
    },
  };
}
