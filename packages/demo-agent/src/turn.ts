/**
 * One prompt's turn, as the acts see it: what they can say, show and ask. Everything stops with an error once the
 * client cancels; the agent turns that error into the turn's end.
 */
import { setTimeout as pause } from "node:timers/promises";
import {
  methods,
  type AgentContext,
  type CreateElicitationResponse,
  type ElicitationSchema,
  type PlanEntry,
  type SessionUpdate,
  type ToolCall,
  type ToolCallContent,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";

export interface TurnOptions {
  peer: AgentContext;
  sessionId: string;
  /** The project's directory. */
  cwd: string;
  /** Tools that the user allowed for the rest of the session. */
  allowed: Set<string>;
  /** Whether the client can show a form. */
  asks: boolean;
  paceMs: number;
  signal: AbortSignal;
}

export class Turn {
  readonly cwd: string;
  readonly asks: boolean;
  /** The answer so far. */
  said = "";
  readonly #options: TurnOptions;
  #cancelled = false;
  #tools = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.cwd = options.cwd;
    this.asks = options.asks;
  }

  get cancelled(): boolean {
    return this.#cancelled || this.#options.signal.aborted;
  }

  async say(text: string): Promise<void> {
    this.said += text;
    await this.#update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  /** Says a text piece by piece, a word or so at a time. */
  async stream(text: string): Promise<void> {
    for (const piece of text.match(/\s*\S+\s*/g) ?? [text]) {
      await this.say(piece);
      await this.wait(this.#options.paceMs);
    }
  }

  think(text: string): Promise<void> {
    return this.#update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  }

  plan(entries: readonly PlanEntry[]): Promise<void> {
    return this.#update({ sessionUpdate: "plan", entries: [...entries] });
  }

  usage(used: number, size: number): Promise<void> {
    return this.#update({ sessionUpdate: "usage_update", used, size });
  }

  /** Starts a tool; what is returned ends it. */
  async tool(
    call: Omit<ToolCall, "toolCallId" | "status">,
  ): Promise<{ id: string; end(ok: boolean, content: ToolCallContent[]): Promise<void> }> {
    this.#tools += 1;
    const toolCallId = `${call.name ?? "tool"}-${this.#tools}`;
    await this.#update({ sessionUpdate: "tool_call", toolCallId, status: "pending", ...call });
    return {
      id: toolCallId,
      end: (ok, content) =>
        this.#update({ sessionUpdate: "tool_call_update", toolCallId, status: ok ? "completed" : "failed", content }),
    };
  }

  /** Whether the user allows the tool. An earlier "for this session" is not asked again. */
  async allows(tool: string, toolCall: ToolCallUpdate): Promise<boolean> {
    const { allowed, peer, sessionId, signal } = this.#options;
    if (allowed.has(tool)) return true;
    const { outcome } = await peer.request(
      methods.client.session.requestPermission,
      {
        sessionId,
        toolCall,
        options: [
          { optionId: "once", name: "Allow", kind: "allow_once" },
          { optionId: "session", name: "Allow for this session", kind: "allow_always" },
          { optionId: "no", name: "Reject", kind: "reject_once" },
        ],
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    if (outcome.outcome === "cancelled") return this.#stop();
    if (outcome.optionId === "session") allowed.add(tool);
    return outcome.optionId === "once" || outcome.optionId === "session";
  }

  /** Shows the user a form. */
  ask(message: string, requestedSchema: ElicitationSchema): Promise<CreateElicitationResponse> {
    const { peer, sessionId, signal } = this.#options;
    return peer.request(
      methods.client.elicitation.create,
      { mode: "form", sessionId, message, requestedSchema },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
  }

  async wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#options.signal });
  }

  async #update(update: SessionUpdate): Promise<void> {
    this.#options.signal.throwIfAborted();
    const { peer, sessionId } = this.#options;
    await peer.notify(methods.client.session.update, { sessionId, update });
  }

  /** @throws always */
  #stop(): never {
    this.#cancelled = true;
    throw new Error("The user cancelled the turn.");
  }
}
