/**
 * Speaking into a running turn. The protocol has no request for that; some agents share an extension of it, which they
 * declare in `_meta.steering` when they are initialized: `_session/steering` puts a message into the running turn, and
 * the prompt's one response then ends both.
 */
import { type Fields, inner } from "../process/fields.ts";
import type { Connection } from "./connection.ts";

/** Agents that declare it and were seen to do it; another one may do something else by the same name. */
const TRIED: ReadonlySet<unknown> = new Set([
  "@agentclientprotocol/claude-agent-acp",
  "@agentclientprotocol/codex-acp",
]);

/** @param hello the agent's answer to `initialize` */
export function canSteer(hello: Fields): boolean {
  return inner(inner(hello, "_meta"), "steering")["supported"] === true && TRIED.has(inner(hello, "agentInfo")["name"]);
}

/**
 * Whether the running turn has taken the message. An agent that is at no turn any more leaves it to us; one that
 * refuses it, or ends before it has answered, has not begun with it.
 */
export async function steer(
  connection: Pick<Connection, "request">,
  sessionId: string,
  prompt: readonly Fields[],
): Promise<boolean> {
  const answer = await connection
    .request("_session/steering", { sessionId, prompt, _meta: { steering: { idleBehavior: "promptRequired" } } })
    .catch(() => null);
  return answer?.["outcome"] === "injected";
}
