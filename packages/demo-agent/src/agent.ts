/**
 * The agent's side of the protocol: sessions, models, prompts and their cancellation. One prompt runs at a time in a
 * session; a second one is refused, because the client owns the queue.
 */
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type PromptResponse,
  type SessionConfigOption,
} from "@agentclientprotocol/sdk";
import { actFor, commands } from "./acts.ts";
import type { Conversation, Conversations } from "./conversations.ts";
import { Turn } from "./turn.ts";

export interface DemoOptions {
  conversations: Conversations;
  version: string;
  /** The pause between two pieces of a streamed answer. */
  paceMs: number;
}

interface Session {
  conversation: Conversation;
  cwd: string;
  /** Tools that the user allowed for the rest of the session. */
  allowed: Set<string>;
  running: AbortController | null;
}

const MODELS = [
  { value: "demo-small", name: "Demo small", description: "Repeats what it is told." },
  { value: "demo-large", name: "Demo large", description: "Repeats it just as well, under a longer name." },
];
const FIRST_MODEL = "demo-small";
/** Tokens that a conversation may have; the demo counts four characters as one. */
const CONTEXT_SIZE = 32_000;

export function demoAgent(options: DemoOptions): AgentApp {
  const sessions = new Map<string, Session>();
  let client: ClientCapabilities = {};

  function open(conversation: Conversation, cwd: string): Session {
    const session = { conversation, cwd, allowed: new Set<string>(), running: null };
    sessions.set(conversation.id, session);
    return session;
  }

  function sessionOf(id: string): Session {
    const session = sessions.get(id);
    if (!session) throw RequestError.resourceNotFound(id);
    return session;
  }

  async function reopen(id: string, cwd: string): Promise<Session> {
    const conversation = await options.conversations.find(id);
    if (!conversation) throw RequestError.resourceNotFound(id);
    return open(conversation, cwd);
  }

  return agent({ name: "acp-demo-agent" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      client = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "acp-demo-agent", title: "Demo agent", version: options.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { resume: {}, close: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, async ({ params, client: peer }) => {
      const { conversation } = open(await options.conversations.create(FIRST_MODEL), params.cwd);
      introduce(peer, conversation.id);
      return { sessionId: conversation.id, configOptions: [modelOption(conversation)] };
    })
    .onRequest(methods.agent.session.resume, async ({ params, client: peer }) => {
      const { conversation } = await reopen(params.sessionId, params.cwd);
      introduce(peer, conversation.id);
      return { configOptions: [modelOption(conversation)] };
    })
    .onRequest(methods.agent.session.load, async ({ params, client: peer }) => {
      const { conversation } = await reopen(params.sessionId, params.cwd);
      for (const { by, text } of conversation.messages) {
        const sessionUpdate = by === "user" ? "user_message_chunk" : "agent_message_chunk";
        await peer.notify(methods.client.session.update, {
          sessionId: conversation.id,
          update: { sessionUpdate, content: { type: "text", text } },
        });
      }
      introduce(peer, conversation.id);
      return { configOptions: [modelOption(conversation)] };
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params }) => {
      const { conversation } = sessionOf(params.sessionId);
      const { configId, value } = params;
      if (configId !== "model" || !MODELS.some((model) => model.value === value))
        throw RequestError.invalidParams({ configId, value });
      conversation.model = String(value);
      await options.conversations.save(conversation);
      return { configOptions: [modelOption(conversation)] };
    })
    .onRequest(methods.agent.session.close, ({ params }) => {
      sessionOf(params.sessionId).running?.abort();
      sessions.delete(params.sessionId);
    })
    .onRequest(methods.agent.session.prompt, ({ params, client: peer, signal }) => {
      const session = sessionOf(params.sessionId);
      return answer({ options, session, peer, signal, asks: client.elicitation?.form != null }, params.prompt);
    })
    .onNotification(
      methods.agent.session.cancel,
      ({ params }) => void sessions.get(params.sessionId)?.running?.abort(),
    );
}

interface Scene {
  options: DemoOptions;
  session: Session;
  peer: AgentContext;
  /** Aborts when the client gives up on the prompt, or is gone. */
  signal: AbortSignal;
  /** Whether the client can show a form. */
  asks: boolean;
}

async function answer(
  { options, session, peer, signal, asks }: Scene,
  prompt: readonly ContentBlock[],
): Promise<PromptResponse> {
  if (session.running) throw RequestError.invalidRequest(undefined, "A prompt is running in this session.");
  const { conversation, cwd, allowed } = session;
  const running = new AbortController();
  session.running = running;
  const turn = new Turn({
    peer,
    sessionId: conversation.id,
    cwd,
    allowed,
    asks,
    paceMs: options.paceMs,
    signal: AbortSignal.any([signal, running.signal]),
  });
  const earlier = conversation.messages.map((message) => message);
  const { act, rest, whole } = actFor(prompt);
  try {
    await act.perform({ turn, rest, whole, prompt, earlier });
    await turn.usage(sizeOf([...earlier.map(({ text }) => text), whole, turn.said]), CONTEXT_SIZE);
    return { stopReason: "end_turn" };
  } catch (error) {
    if (turn.cancelled) return { stopReason: "cancelled" };
    throw error;
  } finally {
    session.running = null;
    conversation.messages.push({ by: "user", text: whole }, { by: "agent", text: turn.said });
    await options.conversations.save(conversation);
  }
}

/** Sent after the answer to the request that opens the session, because the client does not know its id before. */
function introduce(peer: AgentContext, sessionId: string): void {
  const availableCommands = commands.map(({ name, description, hint }) => ({
    name,
    description,
    ...(hint !== undefined && { input: { hint } }),
  }));
  setImmediate(
    () =>
      void peer
        .notify(methods.client.session.update, {
          sessionId,
          update: { sessionUpdate: "available_commands_update", availableCommands },
        })
        .catch(() => undefined),
  );
}

function modelOption({ model }: Conversation): SessionConfigOption {
  return { id: "model", name: "Model", category: "model", type: "select", currentValue: model, options: MODELS };
}

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + Math.ceil(text.length / 4), 0);
}
