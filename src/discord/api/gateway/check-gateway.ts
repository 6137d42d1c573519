/**
 * Whether the gateway answers: its greeting and one heartbeat. Nothing is identified, so it costs nothing of the day's
 * budget and disturbs no daemon.
 */
import { WebSocket } from "ws";
import { theirWords, type ErrorDetails } from "../../../base/errors.ts";
import type { Finding } from "../../../base/finding.ts";
import { oneLine } from "../../../base/text.ts";
import { sayReason, type Locale } from "../../../base/words/say.ts";
import { gatewayAddress } from "./address.ts";
import { GatewayOpcodes as Op } from "discord-api-types/v10";

const PATIENCE_MS = 2_500;
/** A daemon needs a few a day. */
const FEW_IDENTIFIES = 20;

/** @param api base address of the REST API */
export async function checkGateway(
  { url, left }: { url: string; left: number },
  api: string,
  locale: Locale,
): Promise<Finding[]> {
  const address = gatewayAddress(url, api);
  if (address === null)
    return [
      { check: "gateway", verdict: "bad", says: "E_GATEWAY_ADDRESS", args: { address: oneLine(String(url), 200) } },
    ];
  const why = await heartbeat(address);
  const connection: Finding =
    why === null
      ? { check: "gateway", verdict: "good", says: "doctor.gateway" }
      : {
          check: "gateway",
          verdict: "bad",
          says: "doctor.gateway.silent",
          args: { why: sayReason(locale, why) ?? "-" },
          mend: { says: "doctor.gateway.mend" },
        };
  if (left >= FEW_IDENTIFIES) return [connection];
  return [
    connection,
    {
      check: "identify",
      verdict: "warn",
      says: "doctor.identify",
      args: { left },
      mend: { says: "doctor.identify.mend" },
    },
  ];
}

/** Why it failed; null if the heartbeat was answered. */
function heartbeat(address: string): Promise<ErrorDetails | null> {
  return new Promise((resolve) => {
    const socket = new WebSocket(address, { handshakeTimeout: PATIENCE_MS });
    let greeted = false;
    const end = (why: ErrorDetails | null): void => {
      clearTimeout(late);
      resolve(why);
      socket.terminate();
    };
    const late = setTimeout(() => end({ because: greeted ? "why_no_heartbeat" : "why_no_greeting" }), PATIENCE_MS);
    socket.on("error", (error) => end({ reason: theirWords(error.message) }));
    socket.on("close", (code) => end({ because: "why_disconnected", close_code: code }));
    socket.on("message", (data: Buffer) => {
      const op = opcode(data.toString("utf8"));
      if (op === Op.HeartbeatAck) end(null);
      if (op !== Op.Hello) return;
      greeted = true;
      socket.send(JSON.stringify({ op: Op.Heartbeat, d: null }));
    });
  });
}

function opcode(text: string): unknown {
  try {
    return (JSON.parse(text) as { op?: unknown }).op;
  } catch {
    return undefined;
  }
}
