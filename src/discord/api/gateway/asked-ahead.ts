/** The first request for the gateway's address is sent before it is needed. */
import type { APIGatewayBotInfo } from "discord-api-types/v10";
import type { Rest } from "../rest.ts";

/** Asks for the gateway's address while the identity is being asked for, which saves a round trip. */
export function askedAhead(rest: Rest): () => Promise<APIGatewayBotInfo> {
  const ask = (): Promise<APIGatewayBotInfo> => rest.call({ method: "GET", path: "/gateway/bot", priority: "decision" });
  let asked: Promise<APIGatewayBotInfo> | null = ask();
  asked.catch(() => undefined);
  return () => {
    const info = asked ?? ask();
    asked = null;
    return info;
  };
}
